"""Plans for constructs: four groups, one of them protected, one of a Capacity Block."""

from __future__ import annotations

from trnkit.layout.spend_guard import EnforcementPlan, GuardedGroup, WatchdogPlan


def group(name, purchase="on-demand", **more):
    return GuardedGroup(
        name=name,
        instance_type="trn1.32xlarge",
        purchase=purchase,
        count=4,
        capacity_reservation_id=None,
        block_start=None,
        block_scale_in=None,
        **more,
    )


WATCHDOG = WatchdogPlan(
    cluster="pretrain",
    poll_minutes=5,
    month_limit_usd=1000.0,
    alert_percent=(100,),
    spend_rate_usd_per_hour=None,
    fixed_usd_per_hour=1.0,
    rates=(),
    groups=(
        group("train"),
        group("tune", "spot"),
        group("serve"),
        group("block", "capacity-block"),
    ),
    unused_block_minutes=30,
    idle_alert_minutes=None,
    idle_below_percent=1,
    node_metrics_namespace="trnkit",
    namespace="trnkit/spend",
)

PLAN = EnforcementPlan(
    mode="automatic",
    at_usd=1000.0,
    at_spend_rate_usd_per_hour=None,
    grace_minutes=60,
    checkpoint_minutes=10,
    protected_node_groups=("serve",),
    idle_mode="automatic",
    idle_minutes=60,
    idle_protected_node_groups=("serve",),
)
