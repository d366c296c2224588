"""Budget plans, endpoints, anomaly texts and fleet prices: what follows from a cluster file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnkit.config import load_cluster, read_cluster
from trnkit.layout.alert_endpoints import arn_account, arn_region, protocol_of
from trnkit.layout.anomalies import monitor_specification, threshold_expression
from trnkit.layout.budgets import budget_plans, without_repeats
from trnkit.layout.fleet_price import group_prices
from trnkit.layout.tags import budget_tag_filter


def cluster(budget="", groups="trn2.48xlarge: 4", region="us-east-2"):
    kind, count = groups.split(": ")
    return read_cluster(
        f"name: pretrain\nregion: {region}\ncompute: {{node_groups: [{{name: train, "
        f"instance_type: {kind}, count: {count}}}]}}\n"
        f"budget: {{limit_usd: 100, emails: [a@example.com]{budget}}}\n",
        "cluster.yaml",
    ).config


def test_the_main_budget_comes_first_and_has_no_name():
    further = ", further_budgets: [{name: storage, limit_usd: 9}, {name: team, limit_usd: 8}]"
    plans = budget_plans(cluster(further))
    assert [(plan.name, plan.path) for plan in plans] == [
        (None, ("budget",)),
        ("storage", ("budget", "further_budgets", 0)),
        ("team", ("budget", "further_budgets", 1)),
    ]
    assert all(plan.tag == ("trnkit-cluster", "pretrain") for plan in plans)


def test_addresses_are_the_thresholds_else_the_budgets_else_the_main_ones():
    further = (
        ", thresholds: [{percent: 80, emails: [own@example.com]}, {percent: 90}]"
        ", further_budgets: [{name: storage, limit_usd: 9, emails: [s@example.com], "
        "thresholds: [{percent: 80, emails: [own@example.com]}, {percent: 90}]}, "
        "{name: team, limit_usd: 8, thresholds: [{percent: 90}]}]"
    )
    heard = [[alert.emails for alert in plan.alerts] for plan in budget_plans(cluster(further))]
    assert heard == [
        [("own@example.com",), ("a@example.com",)],
        [("own@example.com",), ("s@example.com",)],
        [("a@example.com",)],
    ]
    by_topic = budget_plans(cluster(", delivery: topic" + further))
    assert not any(alert.emails for plan in by_topic for alert in plan.alerts)


@given(st.lists(st.sampled_from(["a", "A", "b", "B", "c"])))
def test_without_repeats_keeps_the_first_of_each(addresses):
    kept = without_repeats(addresses)
    assert len({address.lower() for address in kept}) == len(kept)
    assert {address.lower() for address in kept} == {address.lower() for address in addresses}
    assert list(kept) == sorted(kept, key=[*addresses].index)


@given(st.text(min_size=1), st.text())
def test_bud_01_the_monitors_text_survives_any_key_and_value(key, value):
    parsed = json.loads(monitor_specification(key, value))
    assert parsed == {"Tags": {"Key": key, "Values": [value]}}
    assert budget_tag_filter(key, value) == f"user:{key}${value}"


@given(st.floats(min_value=0.001, max_value=1e10, allow_nan=False))
def test_thresholds_are_plain_numbers_as_text(number):
    (text,) = json.loads(threshold_expression(number, None))["Dimensions"]["Values"]
    assert "e" not in text
    assert float(text) == pytest.approx(number, abs=1e-6)


def test_a_threshold_there_must_be():
    with pytest.raises(ValueError, match="threshold"):
        threshold_expression(None, None)


@pytest.mark.parametrize("text", ["", "x", "arn:aws:s3:::bucket", "ftp://example.com", "a@b"])
def test_what_is_no_endpoint_has_no_protocol(text):
    assert protocol_of(text) is None


def test_an_arn_says_where_it_is():
    arn = "arn:aws:sns:us-east-2:111122223333:alerts"
    assert (arn_region(arn), arn_account(arn)) == ("us-east-2", "111122223333")


def test_nodes_with_a_known_price_are_priced():
    (group,) = group_prices(cluster(groups="trn1.32xlarge: 16", region="us-west-2"))
    assert group.usd_per_hour == 21.5
    assert group.usd_per_day == 8256, "16 nodes for the day that billing data may be late"


@pytest.mark.parametrize(
    ("groups", "region"),
    [
        ("trn2.48xlarge: 4", "us-east-2"),
        ("trn1.32xlarge: 4", "eu-north-1"),
        ("trn1.32xlarge: 0", "us-west-2"),
    ],
)
def test_others_are_not(groups, region):
    assert group_prices(cluster(groups=groups, region=region)) == ()


def test_a_price_of_the_clusters_own_file_counts_before_list_price(tmp_path):
    (tmp_path / "prices.yaml").write_text(
        "version: 1\nsource: agreement\ndate: 2026-11-01\nprices:\n"
        "  - {instance_type: trn1.32xlarge, purchase: on-demand, usd_per_hour: 12.5}\n"
    )
    text = (
        "version: 1\nname: pretrain\nregion: us-west-2\ncompute: {node_groups: [{name: train, "
        "instance_type: trn1.32xlarge, count: 2}]}\nbudget: {limit_usd: 100, emails: "
        "[a@example.com], prices_file: prices.yaml}\n"
    )
    (tmp_path / "cluster.yaml").write_text(text)
    (group,) = group_prices(load_cluster(tmp_path / "cluster.yaml").config)
    assert (group.usd_per_hour, group.usd_per_day) == (12.5, 600.0)
