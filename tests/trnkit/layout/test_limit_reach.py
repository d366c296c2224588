"""How long a limit lasts when every node runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.layout.test_guard_plans import BLOCK, cluster
from trnkit.layout.cost import beside_node_usd_per_hour, fixed_usd_per_hour
from trnkit.layout.limit_reach import LimitReach, limit_reach
from trnkit.layout.price_book import price_book


def reach(*given: Any, **more: Any) -> LimitReach | None:
    config = cluster(*given, **more)
    return limit_reach(config, price_book(config))


def test_a_budget_alone_is_compared_with_nodes_alone():
    found = reach()
    assert found == LimitReach(limit_usd=5000, usd_per_hour=43.0, enforced_at_usd=None)
    assert found.days == pytest.approx(5000 / 43 / 24)
    assert found.days_to_enforcement is None
    assert not found.lasts


def test_a_watchdog_counts_what_stands_there_too():
    config = cluster({"enforcement": {"at_month_to_date_percent": 80}})
    found = limit_reach(config, price_book(config))
    fixed = fixed_usd_per_hour(config, price_book(config)).low
    assert found is not None
    assert fixed > 0
    of_nodes = 2 * beside_node_usd_per_hour(config, price_book(config), "group-0").low
    assert of_nodes > 0.1
    assert found.usd_per_hour == pytest.approx(43 + of_nodes + fixed)
    assert found.enforced_at_usd == 4000
    assert found.days_to_enforcement == pytest.approx(0.8 * found.days)


@pytest.mark.parametrize(("limit", "lasts"), [(28896, True), (28895, False)])
def test_a_limit_lasts_that_is_not_passed_in_the_shortest_month(limit: int, lasts: bool):
    found = reach(limit_usd=limit)  # 28 x 24 x 43 = 28896.
    assert found is not None
    assert found.lasts is lasts


def test_nodes_of_a_block_are_paid_and_others_count():
    block = {"instance_type": "trn2.48xlarge", "capacity": BLOCK}
    assert reach(None, block, region="us-east-2") is None
    both = reach(None, block, {"instance_type": "trn1.2xlarge", "count": 1}, region="us-east-2")
    assert both is not None
    assert both.usd_per_hour == pytest.approx(1.34, abs=0.01)


@pytest.mark.parametrize(
    "budget", [{"time_unit": "QUARTERLY"}, {"currency": "EUR"}, {"services": ["Amazon FSx"]}]
)
def test_another_limit_says_nothing_of_a_month(budget: Any):
    assert reach(**budget) is None
