"""TRN445: per cent written as a fraction, wherever a file has per cent."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from pydantic import BaseModel

from tests.trnkit.rules.judging import judge_cluster, of_rule
from trnkit.config import ClusterConfig, read_cluster
from trnkit.config.prices_file import PricesFile, read_prices_file, with_prices
from trnkit.rules import check_cluster
from trnkit.rules.judging.per_cents import likely_fractions

WATCHDOG = "budget: {watchdog: {%s}}"
THRESHOLDS = "budget: {thresholds: [%s]}"
ANOMALY = "budget: {anomaly_detection: {threshold_usd: 500, threshold_percent: %s}}"
CASES = [
    ("per cent", WATCHDOG % "alert_percent: [50, 80, 100]", []),
    ("left out", WATCHDOG % "poll_minutes: 5", []),
    ("fractions", WATCHDOG % "alert_percent: [0.5, 0.8, 1]", ["0.5", "0.8", "1"]),
    ("fractions beyond the limit", WATCHDOG % "alert_percent: [0.9, 2]", ["0.9", "2"]),
    ("one whole", WATCHDOG % "alert_percent: [1]", ["1"]),
    ("a first dollar beside per cent", WATCHDOG % "alert_percent: [0.5, 80, 100]", []),
    ("few per cent", WATCHDOG % "alert_percent: [1, 2, 5]", []),
    ("nothing, which another rule judges", WATCHDOG % "alert_percent: [0]", []),
    ("enforced at one whole", WATCHDOG % "enforcement: {at_month_to_date_percent: 1}", ["1"]),
    ("enforced at two wholes", WATCHDOG % "enforcement: {at_month_to_date_percent: 2}", ["2"]),
    ("enforced at per cent", WATCHDOG % "enforcement: {at_month_to_date_percent: 110}", []),
    ("enforced at few per cent", WATCHDOG % "enforcement: {at_month_to_date_percent: 3}", []),
    ("a part of a per cent is idle, too", WATCHDOG % "idle_shutdown: {below_utilization_percent: 0.5}", []),
    ("a threshold", THRESHOLDS % "{percent: 0.8}", ["0.8"]),
    ("a threshold beside an amount", THRESHOLDS % "{percent: 0.8}, {amount_usd: 100}", ["0.8"]),
    ("thresholds", THRESHOLDS % "{percent: 0.8}, {percent: 1, notification_type: FORECASTED}", ["0.8", "1"]),
    ("thresholds in per cent", THRESHOLDS % "{percent: 80}, {percent: 100}", []),
    ("an amount", THRESHOLDS % "{amount_usd: 0.5}", []),
    ("a further budget", "budget: {further_budgets: [{name: fsx, limit_usd: 9, thresholds: [{percent: 0.5}]}]}", ["0.5"]),
    ("an anomaly", ANOMALY % "0.4", ["0.4"]),
    ("an anomaly of one per cent", ANOMALY % "1", []),
]  # fmt: skip


@pytest.mark.parametrize(("overlay", "told"), [row[1:] for row in CASES], ids=[c[0] for c in CASES])
def test_a_fraction_is_told_and_per_cent_is_not(overlay, told):
    found = of_rule("TRN445", judge_cluster(overlay))
    assert [one.message.rpartition("which is ")[2] for one in found] == [
        f"{value} per cent" for value in told
    ]
    assert {str(one.severity) for one in found} <= {"warning"}


def test_the_finding_says_what_was_probably_meant():
    (found,) = of_rule("TRN445", judge_cluster(THRESHOLDS % "{percent: 0.8}"))
    assert found.message == "budget.thresholds[0].percent is 0.8, which is 0.8 per cent"
    assert found.hint == "did you mean 80?"
    assert found.path == "budget.thresholds[0].percent"


@pytest.mark.parametrize(("percent", "told"), [(0.12, True), (1, False), (12, False)])
def test_the_discount_of_a_file_of_prices_is_per_cent(percent, told):
    text = "name: dev\nregion: us-east-2\ncompute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1}]}\nbudget: {limit_usd: 20000, emails: [a@example.com]}\n"
    loaded = read_prices_file(
        f"version: 1\ndate: 2026-11-30\nsource: Us\ndiscount: {{percent: {percent}}}\n", "p.yaml"
    )
    document = read_cluster(text, "cluster.yaml")
    found = of_rule("TRN445", check_cluster(with_file(document, loaded)))
    told_text = "budget.prices_file has discount.percent 0.12, which is 0.12 per cent"
    assert [one.message for one in found] == [told_text] * told
    assert [one.hint for one in found] == ["did you mean 12?"] * told


def with_file(loaded, prices):
    return replace(loaded, config=with_prices(loaded.config, prices))


@pytest.mark.parametrize("model", [ClusterConfig, PricesFile])
def test_every_number_of_per_cent_is_reached(model):
    """A new key of per cent needs no line anywhere."""
    names = {name for one in sections(model) for name in one.model_fields if "percent" in name}
    assert {name for name in names if not name.endswith("percent")} == set()
    assert names
    assert list(likely_fractions(model.model_construct())) == []


def sections(model):
    """A model and every model that its values may be."""
    found, waiting = set(), [model]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        for field in one.model_fields.values():
            waiting += models_of(field.annotation)
    return found


def models_of(annotation):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_of(part)]
