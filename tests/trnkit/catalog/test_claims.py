"""Public claims beside the figures of the catalogue."""

import pytest

from trnkit import catalog
from trnkit.catalog.price_book import PriceBook

CLAIMS = {claim.key: claim for claim in catalog.price_claims()}


def families():
    names = (*catalog.instance_type_names(), *(kind.name for kind in catalog.gpu_instances()))
    return {name.partition(".")[0] for name in names}


def test_every_claim_says_what_it_is_about_and_why_figures_here_differ():
    for claim in CLAIMS.values():
        assert claim.subject, claim.key
        assert {*claim.subject, *claim.others} <= families(), claim.key
        assert claim.words, claim.key
        assert claim.conditions, claim.key
        assert claim.explanation, claim.key


def test_a_claim_of_a_ratio_has_both_ends_and_somebody_to_compare_with():
    for claim in CLAIMS.values():
        assert (claim.least is None) == (claim.most is None) == (not claim.others), claim.key
        assert claim.least is None or 1 <= claim.least <= claim.most, claim.key


def on_demand(name):
    price = PriceBook().instance(name, "us-east-1", "on-demand")
    assert price is not None
    return price.low


def test_figures_of_the_explanations_are_those_of_the_catalogue():
    trn1, trn2 = catalog.chip("Trainium"), catalog.chip("Trainium2")
    block = PriceBook().instance("trn1.32xlarge", "us-east-1", "capacity-block")
    text = CLAIMS["trn1-13-91-an-hour"].explanation
    assert f"${on_demand('trn1.32xlarge'):.2f}" in text
    assert f"${block.low:.2f}" in text
    assert 1 - 13.91 / on_demand("trn1.32xlarge") == pytest.approx(0.35, abs=0.005)
    assert f"${on_demand('p5.48xlarge'):.2f}" in CLAIMS["p5-98-an-hour"].explanation
    assert f"{trn2.dense_bf16_tflops} dense BF16" in CLAIMS["trn2-340-tflops"].explanation
    assert f"{trn2.dense_fp8_tflops:,} TFLOP/s" in CLAIMS["sparse-peaks"].explanation

    half = CLAIMS["trn1-half-the-cost"].explanation
    a100 = catalog.find_gpu_instance("p4d.24xlarge").dense_bf16_tflops
    trn1_peak, p4d_peak = 16 * trn1.dense_bf16_tflops, 8 * a100
    assert f"{trn1_peak:,} dense" in half
    assert f"{p4d_peak:,}" in half
    times = (trn1_peak / on_demand("trn1.32xlarge")) / (p4d_peak / on_demand("p4d.24xlarge"))
    assert times == pytest.approx(1.25, abs=0.02)
