"""Instances with GPUs: beside the catalogue's types, never among them."""

import pytest

from trnkit import catalog
from trnkit.catalog.price_book import PriceBook

TYPES = catalog.gpu_instances()
BLOCK_RATES = {
    "p4d.24xlarge": 1.696,
    "p4de.24xlarge": 2.546,
    "p5.48xlarge": 5.970,
    "p5e.48xlarge": 6.866,
    "p5en.48xlarge": 7.895,
}
"""Dollars for one GPU and hour, in the news of October 2026."""


def test_no_gpu_instance_is_a_type_that_a_cluster_can_have():
    names = {kind.name for kind in TYPES}
    assert names.isdisjoint(catalog.instance_type_names())
    assert names.isdisjoint(price.instance_type for price in catalog.instance_prices())
    assert not any(
        name in catalog.region(r).offerings for r in catalog.region_names() for name in names
    )


def test_every_price_is_of_a_type_that_is_known_and_every_type_has_both_ways_to_buy():
    told = {(price.instance_type, price.purchase) for price in catalog.gpu_prices()}
    ways = ("on-demand", "capacity-block")
    assert told == {(kind.name, way) for kind in TYPES for way in ways}


def test_a_region_has_one_price_for_each_way_to_buy():
    seen = [(p.instance_type, p.purchase, r) for p in catalog.gpu_prices() for r in p.regions]
    assert len(set(seen)) == len(seen)
    regions = set(catalog.region_names())
    for price in catalog.gpu_prices():
        assert (price.usd_per_hour is None) == (not price.regions), price
        assert set(price.regions) <= regions, price


@pytest.mark.parametrize(
    ("name", "gib", "bf16", "fp8", "gbps"),
    [
        ("p4d.24xlarge", 40, 312, None, 400),
        ("p4de.24xlarge", 80, 312, None, 400),
        ("p5.48xlarge", 80, 989, 1979, 3200),
        ("p5e.48xlarge", 141, 989, 1979, 3200),
        ("p5en.48xlarge", 141, 989, 1979, 3200),
        ("p6-b200.48xlarge", 179.06, 2250, 4500, 3200),
        ("p6-b300.48xlarge", 268.59, 2250, 4500, 6400),
    ],
)
def test_what_a_type_has(name, gib, bf16, fp8, gbps):
    kind = catalog.find_gpu_instance(name)
    assert kind is not None
    assert kind.accelerators == 8
    assert kind.memory_gib_per_accelerator == gib
    assert (kind.dense_bf16_tflops, kind.dense_fp8_tflops) == (bf16, fp8)
    assert kind.network_gbps == gbps


def test_a_type_that_is_not_known_is_none():
    assert catalog.find_gpu_instance("trn2.48xlarge") is None
    assert catalog.find_gpu_instance("p3.16xlarge") is None


@pytest.mark.parametrize(("name", "rate"), BLOCK_RATES.items())
def test_blocks_cost_eight_times_the_rate_of_a_gpu(name, rate):
    price = PriceBook().instance(name, "us-west-2", "capacity-block")
    assert price is not None
    assert price.basis == "region"
    assert price.low == price.high == pytest.approx(8 * rate)


def test_block_prices_went_up_by_fifteen_per_cent():
    for price in catalog.gpu_prices():
        if price.purchase == "capacity-block":
            (older,) = price.disagreements
            assert price.usd_per_hour == pytest.approx(1.15 * older.other_value, rel=0.001)


def test_a_type_without_an_on_demand_price_has_none_anywhere():
    assert PriceBook().instance("p5e.48xlarge", "us-east-2", "on-demand") is None


def test_another_region_s_prices_are_a_range():
    price = PriceBook().instance("p5.48xlarge", "ap-southeast-4", "on-demand")
    assert price is not None
    assert (price.low, price.high, price.basis) == (55.04, 75.9552, "other regions")


@pytest.mark.parametrize(
    ("chip", "bf16", "fp8"),
    [
        ("Trainium", 190, 190),
        ("Trainium2", 667, 1299),
        ("Trainium3", 671, 2517),
        ("Inferentia2", 190, 190),
    ],
)
def test_chips_have_dense_peaks_too(chip, bf16, fp8):
    found = catalog.chip(chip)
    assert found is not None
    assert (found.dense_bf16_tflops, found.dense_fp8_tflops) == (bf16, fp8)


def test_sixteen_chips_make_the_peak_that_aws_gives_for_the_instance():
    # Neuron documentation, Trn2: 10.7 PFLOP/s of BF16 and 20.8 of FP8 for a trn2.48xlarge.
    found = catalog.chip("Trainium2")
    assert 16 * found.dense_bf16_tflops == pytest.approx(10_700, rel=0.005)
    assert 16 * found.dense_fp8_tflops == pytest.approx(20_800, rel=0.005)
