"""What the guard of a cluster counts and does, out of its file."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from trnkit.config import ClusterConfig, read_cluster
from trnkit.errors import ConstructError
from trnkit.layout.cost import beside_node_usd_per_hour, fixed_usd_per_hour
from trnkit.layout.guard_plans import (
    enforcement_plan,
    shares_alert_topic,
    touchable_groups,
    watchdog_plan,
)
from trnkit.layout.price_book import price_book
from trnkit.layout.spend_guard import NodeRate

BLOCK = {
    "type": "capacity-block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "start": "2027-03-01T11:30:00Z",
    "end": "2027-03-08T11:30:00Z",
}


def cluster(
    watchdog: dict[str, Any] | None = None,
    *groups: dict[str, Any],
    region: str = "us-west-2",
    compute: dict[str, Any] | None = None,
    observability: dict[str, Any] | None = None,
    **budget: Any,
) -> ClusterConfig:
    nodes = [
        {"name": f"group-{number}", "instance_type": "trn1.32xlarge", "count": 2, **group}
        for number, group in enumerate(groups or ({},))
    ]
    zones = {"us-west-2": "usw2-az4", "us-east-2": "use2-az3"}
    data: dict[str, Any] = {
        "name": "pretrain",
        "region": region,
        "network": {"availability_zone_id": zones[region]},
        "compute": {"node_groups": nodes, **(compute or {})},
        "budget": {"limit_usd": 5000, "emails": ["a@example.com"], **budget},
        "observability": observability or {},
    }
    if watchdog is not None:
        data["budget"]["watchdog"] = watchdog
    return read_cluster(yaml.safe_dump(data), "cluster.yaml").config


def beside(config: ClusterConfig) -> float:
    """What volumes and metrics of a node of the first group cost in an hour."""
    group = config.compute.node_groups[0].name
    return beside_node_usd_per_hour(config, price_book(config), group).counted


def test_without_a_section_there_is_no_plan():
    assert watchdog_plan(cluster()) is None
    assert enforcement_plan(cluster()) is None
    assert enforcement_plan(cluster({"poll_minutes": 5})) is None


def test_the_defaults_are_those_of_the_file():
    config = cluster({})
    plan = watchdog_plan(config)
    fixed = fixed_usd_per_hour(config, price_book(config))
    assert plan is not None
    most = fixed.low if fixed.high is None else fixed.high
    assert (plan.cluster, plan.poll_minutes, plan.namespace) == ("pretrain", 5, "trnkit/spend")
    assert plan.month_limit_usd == 5000
    assert plan.alert_percent == (50, 80, 100)
    assert plan.fixed_usd_per_hour == round(most, 6) > 0
    assert plan.spend_rate_usd_per_hour == pytest.approx(
        1.1 * (2 * (21.5 + beside(config)) + most), abs=1e-4
    )
    assert plan.node_metrics_namespace == "trnkit"
    assert plan.idle_alert_minutes is None


def test_alerts_stand_in_order():
    plan = watchdog_plan(cluster({"alert_percent": [100, 20, 80]}))
    assert plan is not None
    assert plan.alert_percent == (20, 80, 100)


@pytest.mark.parametrize(
    ("budget", "limit"),
    [
        ({}, 5000),
        ({"scope": "account"}, 5000),
        ({"time_unit": "QUARTERLY"}, None),
        ({"currency": "EUR"}, None),
        ({"services": ["Amazon FSx"]}, None),
    ],
)
def test_only_a_limit_in_dollars_for_a_month_of_everything_is_one(budget: Any, limit: float | None):
    if limit is None:
        with pytest.raises(ConstructError, match="month_limit_usd"):
            watchdog_plan(cluster({"enforcement": {}}, **budget))
        with pytest.raises(ConstructError, match="month_limit_usd"):
            enforcement_plan(cluster({"enforcement": {}}, **budget))
    plan = watchdog_plan(cluster({"month_limit_usd": 700}, **budget))
    assert plan is not None
    assert plan.month_limit_usd == 700
    plan = watchdog_plan(cluster({}, **budget)) if limit else None
    assert (plan.month_limit_usd if plan else None) == limit


@pytest.mark.parametrize(
    ("group", "region", "rates"),
    [
        ({}, "us-west-2", {("trn1.32xlarge", "on-demand"): 21.5}),
        (
            {"capacity": {"type": "spot"}},
            "us-west-2",
            {("trn1.32xlarge", "on-demand"): 21.5, ("trn1.32xlarge", "spot"): 21.5},
        ),
        (
            {"capacity": {"type": "spot", "max_price_usd": 9}},
            "us-west-2",
            {("trn1.32xlarge", "on-demand"): 21.5, ("trn1.32xlarge", "spot"): 9},
        ),
        (
            {"capacity": {"type": "on-demand-reservation", "create": {"unlimited": True}}},
            "us-west-2",
            {("trn1.32xlarge", "on-demand"): 21.5},
        ),
        (
            {"instance_type": "trn2u.48xlarge"},
            "us-east-2",
            {("trn2u.48xlarge", "on-demand"): None},
        ),
    ],
)
def test_every_kind_of_instance_has_a_rate_or_says_that_it_has_none(
    group: Any, region: str, rates: dict[tuple[str, str], float | None]
):
    config = cluster({}, group, region=region)
    plan = watchdog_plan(config)
    assert plan is not None
    wanted = {kind: usd and pytest.approx(usd + beside(config)) for kind, usd in rates.items()}
    assert {(r.instance_type, r.purchase): r.usd_per_hour for r in plan.rates} == wanted
    assert plan.rates == tuple(sorted(plan.rates, key=lambda r: (r.instance_type, r.purchase)))


def test_the_highest_maximum_of_a_kind_counts():
    groups = [{"capacity": {"type": "spot", "max_price_usd": price}} for price in (9, 12, 8)]
    config = cluster({}, *groups)
    plan = watchdog_plan(config)
    assert plan is not None
    usd = round(12 + beside(config), 6)
    assert NodeRate(instance_type="trn1.32xlarge", purchase="spot", usd_per_hour=usd) in plan.rates


def test_volumes_and_metrics_of_nodes_count_with_them():
    small, large = (
        watchdog_plan(cluster({}, *({"root_volume_size_gib": size} for size in sizes)))
        for sizes in ((512,), (100, 1512, 512))
    )
    assert small is not None
    assert large is not None
    # 1,000 GB of gp3 at 0.08 USD a month; the most of any group of the type.
    more = large.rates[0].usd_per_hour - small.rates[0].usd_per_hour
    assert more == pytest.approx(1000 * 0.08 / 730, abs=1e-5)
    assert 0.056 < small.rates[0].usd_per_hour - 21.5 < 0.1  # 512 GB, and metrics.
    silent = watchdog_plan(cluster({}, observability={"cloudwatch_agent": False}))
    assert silent is not None
    assert silent.rates[0].usd_per_hour < small.rates[0].usd_per_hour


def test_without_every_price_there_is_no_alert_on_the_rate():
    plan = watchdog_plan(cluster({}, {}, {"instance_type": "trn2u.48xlarge"}, region="us-east-2"))
    assert plan is not None
    assert plan.spend_rate_usd_per_hour is None
    plan = watchdog_plan(cluster({"spend_rate_usd_per_hour": 90}, {"instance_type": "trn2u.48xlarge"}, region="us-east-2"))  # fmt: skip  # noqa: E501
    assert plan is not None
    assert plan.spend_rate_usd_per_hour == 90


def test_a_group_without_nodes_needs_no_price():
    empty = {"instance_type": "trn2u.48xlarge", "count": 0}
    plan = watchdog_plan(cluster({}, {}, empty, region="us-east-2"))
    assert plan is not None
    assert plan.spend_rate_usd_per_hour is not None


def test_a_block_has_its_moments():
    plan = watchdog_plan(
        cluster({}, {"instance_type": "trn2.48xlarge", "capacity": BLOCK}, region="us-east-2")
    )
    assert plan is not None
    (group,) = plan.groups
    assert group.purchase == "capacity-block"
    assert group.capacity_reservation_id == "cr-0123456789abcdef0"
    assert (group.block_start, group.block_scale_in) == (
        "2027-03-01T11:30:00Z",
        "2027-03-08T10:50:00Z",
    )


@pytest.mark.parametrize(
    ("more", "namespace"),
    [
        ({"observability": {"metrics_namespace": "Team/Training"}}, "Team/Training"),
        ({"observability": {"cloudwatch_agent": False}}, None),
        ({"compute": {"boot": {"delivery": "inline"}}}, None),
    ],
)
def test_idleness_is_known_where_nodes_tell_it(more: Any, namespace: str | None):
    plan = watchdog_plan(cluster({}, **more))
    assert plan is not None
    assert plan.node_metrics_namespace == namespace


def test_enforcement_begins_at_a_share_of_the_limit():
    plan = enforcement_plan(
        cluster({"month_limit_usd": 2000, "enforcement": {"at_month_to_date_percent": 110}})
    )
    assert plan is not None
    assert (plan.mode, plan.at_usd, plan.at_spend_rate_usd_per_hour) == ("dry-run", 2200, None)
    assert (plan.grace_minutes, plan.checkpoint_minutes) == (60, 10)
    assert plan.idle_mode is None


def test_a_share_of_nearly_nothing_is_not_zero():
    plan = enforcement_plan(
        cluster({"month_limit_usd": 0.01, "enforcement": {"at_month_to_date_percent": 1}})
    )
    assert plan is not None
    assert plan.at_usd == 0.0001


def test_idle_shutdown_alone_enforces_nothing_for_money():
    config = cluster({"idle_shutdown": {"mode": "automatic", "minutes": 30}}, time_unit="QUARTERLY")
    plan = enforcement_plan(config)
    assert plan is not None
    assert (plan.mode, plan.at_usd, plan.at_spend_rate_usd_per_hour) == (None, None, None)
    assert (plan.idle_mode, plan.idle_minutes) == ("automatic", 30)


def test_what_is_never_touched_may_also_stand_idle():
    config = cluster(
        {
            "enforcement": {"protected_node_groups": ["group-1", "group-2"]},
            "idle_shutdown": {"mode": "automatic", "protected_node_groups": ["group-0", "group-1"]},
        },
        {},
        {},
        {},
        {},
    )
    plan, watched = enforcement_plan(config), watchdog_plan(config)
    assert plan is not None
    assert watched is not None
    assert plan.protected_node_groups == ("group-1", "group-2")
    assert plan.idle_protected_node_groups == ("group-0", "group-1", "group-2")
    # Enforcement is a dry run: the role of the function reaches what may be idle and no more.
    assert [group.name for group in plan.touchable(watched.groups)] == ["group-3"]


def test_nodes_without_their_bundle_are_told_nothing():
    config = cluster({"enforcement": {}}, compute={"boot": {"delivery": "inline"}})
    plan = enforcement_plan(config)
    assert plan is not None
    assert plan.checkpoint_minutes == 0


def test_what_is_protected_or_paid_for_is_not_touched():
    block = {"instance_type": "trn2.48xlarge", "capacity": BLOCK}
    config = cluster({}, {}, {}, block, region="us-east-2")
    assert [group.name for group in touchable_groups(config, ["group-1"])] == ["group-0"]


@pytest.mark.parametrize(
    ("budget", "shared"),
    [
        ({"delivery": "topic"}, True),
        ({"delivery": "direct"}, False),
        ({"delivery": "topic", "topic_arn": "arn:aws:sns:us-east-1:111122223333:a"}, False),
        ({"delivery": "topic", "topic_arn": "arn:aws:sns:us-west-2:111122223333:a"}, True),
    ],
)
def test_the_budgets_topic_is_shared_where_alarms_may_and_people_hear_it(budget: Any, shared: bool):
    assert shares_alert_topic(cluster({}, **budget)) is shared


def test_a_budget_elsewhere_has_a_topic_that_alarms_cannot_take():
    config = cluster({}, delivery="topic")
    moved = config.budget.model_copy(update={"region": "us-east-1"})
    assert not shares_alert_topic(config.model_copy(update={"budget": moved}))
