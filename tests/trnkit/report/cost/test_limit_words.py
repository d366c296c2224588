"""How long the month's limit lasts, in words."""

from __future__ import annotations

import pytest

from tests.trnkit.layout.cost.cluster_texts import a_cluster
from trnkit.layout.limit_reach import LimitReach
from trnkit.report.cost.limit_words import limit_words

WATCHDOG = {"watchdog": {"enforcement": {}}}
AUTOMATIC = {"watchdog": {"enforcement": {"mode": "automatic"}}}


@pytest.mark.parametrize(
    ("budget", "limit", "hour", "at", "said"),
    [
        ({}, 24_000, 100, None, "limit: $24,000.00 a month, passed after 10.0 days"),
        ({}, 1_000, 100, None, "limit: $1,000.00 a month, passed after 10.0 hours"),
        (WATCHDOG, 24_000, 100, 24_000, "day and night; enforcement begins then, as a dry run"),
        (AUTOMATIC, 24_000, 100, 12_000, "day and night; enforcement begins after 5.0 days"),
        (AUTOMATIC, 24_000, 100, 24_000, "day and night; enforcement begins then"),
    ],
)
def test_a_limit_below_the_cost_of_a_month_says_when_it_is_passed(budget, limit, hour, at, said):
    reach = LimitReach(limit_usd=limit, usd_per_hour=hour, enforced_at_usd=at)
    words = limit_words(a_cluster(budget=budget), reach)
    assert said in words
    assert " at the latest when all nodes run day and night" in words
    assert ("as a dry run" in words) == (budget == WATCHDOG)


def test_a_limit_that_lasts_and_none_say_nothing():
    lasting = LimitReach(limit_usd=80_000, usd_per_hour=100, enforced_at_usd=None)
    assert limit_words(a_cluster(), lasting) == ""
    assert limit_words(a_cluster(), None) == ""
