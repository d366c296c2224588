"""Public claims beside prices and peaks."""

from __future__ import annotations

import pytest

from tests.trnkit.layout.cost.other_machines import PRICES, a_comparison, a_price
from trnkit.catalog import PriceClaim
from trnkit.layout.cost.claims import check_claims


def a_claim(least=1.3, most=1.4, **changes):
    values = {
        "key": "trn2-over-p5",
        "words": "30 to 40 % more work for a dollar",
        "subject": ("trn2",),
        "others": ("p5",),
        "least": least,
        "most": most,
        "conditions": "",
        "explanation": "",
        "source": ("block-prices",),
        "date": "2026-11-30",
        **changes,
    }
    return PriceClaim(**values)


def test_types_bought_in_the_same_way_are_put_beside_each_other():
    (check,) = check_claims([a_claim()], a_comparison())
    (pair,) = check.pairs
    assert (pair.subject, pair.other) == ("trn2.48xlarge", "p5.48xlarge")
    assert pair.purchase == "capacity-block", "trn2 has no On-Demand price to compare"
    # 1,000 TFLOP-hours: 5 dollars of trn2, 5 to 7.50 of p5.
    assert (pair.times_the_peak.low, pair.times_the_peak.high) == pytest.approx((1.0, 1.5))
    assert pair.agreeing_use.low == pytest.approx(1.3 / 1.5)
    assert pair.agreeing_use.high == pytest.approx(1.4)


def test_the_use_at_which_both_agree_makes_the_claim_true():
    prices = (
        a_price("trn2.48xlarge on-demand", 48.0),
        a_price("p5.48xlarge on-demand", 80.0),
    )
    (check,) = check_claims([a_claim(1.5, 1.5)], a_comparison(prices=prices))
    (pair,) = check.pairs
    assert pair.times_the_peak.low == pytest.approx(2.0)
    assert pair.times_the_peak.low * pair.agreeing_use.low == pytest.approx(1.5)


def test_a_claim_without_a_figure_is_kept_without_an_answer():
    (check,) = check_claims([a_claim(None, None)], a_comparison())
    assert check.pairs[0].agreeing_use is None


@pytest.mark.parametrize(
    "changes", [{"others": ("p5en",)}, {"subject": ("trn1",)}, {"others": ("p4d",)}]
)
def test_without_two_prices_of_the_same_kind_nothing_is_compared(changes):
    (check,) = check_claims([a_claim(**changes)], a_comparison(prices=PRICES))
    assert check.pairs == ()


def test_a_family_is_no_beginning_of_another():
    (check,) = check_claims([a_claim(others=("p",), subject=("trn",))], a_comparison())
    assert check.pairs == ()
