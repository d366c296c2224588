"""What the plans of the watchdog and of the enforcer must be: Python keeps no annotation's promise.

A plan is written into JSON and into thresholds, so that its numbers and names must be known now: a
value that the CDK fills in later would be calculated with, and be another one.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from constructs_lib.arguments import (
    entries,
    instance,
    is_unresolved,
    number,
    one_of,
    text,
    text_list,
    whole_number,
)
from constructs_lib.observability.node_log_group import check_namespace
from trnkit.errors import ConstructError
from trnkit.layout.spend_guard import EnforcementPlan, GuardedGroup, NodeRate, WatchdogPlan

_MODES = ("dry-run", "approval", "automatic")
_PURCHASES = ("on-demand", "spot", "capacity-block")
_TEXTS = ("cluster", "namespace", "node_metrics_namespace", "instance_type")
_DRIVERS = ("asg", "pcs", "eks", "batch", "sagemaker")


def check_watchdog_plan(name: str, plan: object) -> None:
    """Check what is counted, and when people hear of it.

    Args:
        name: What the construct's argument is called.
        plan: The plan.

    Raises:
        ConstructError: It is none, or cannot be carried out.
    """
    instance(name, plan, WatchdogPlan)
    assert isinstance(plan, WatchdogPlan)
    _refuse_tokens(name, plan)
    text(f"{name}.cluster", plan.cluster)
    whole_number(f"{name}.poll_minutes", plan.poll_minutes, least=1, most=15)
    number(f"{name}.month_limit_usd", plan.month_limit_usd, above=0)
    number(f"{name}.fixed_usd_per_hour", plan.fixed_usd_per_hour, least=0)
    rate = plan.spend_rate_usd_per_hour
    number(f"{name}.spend_rate_usd_per_hour", rate, above=0, optional=True)
    _percents(f"{name}.alert_percent", plan.alert_percent)
    whole_number(f"{name}.unused_block_minutes", plan.unused_block_minutes, least=1, most=1440)
    minutes = plan.idle_alert_minutes
    whole_number(f"{name}.idle_alert_minutes", minutes, least=10, most=1440, optional=True)
    number(f"{name}.idle_below_percent", plan.idle_below_percent, least=0, most=100)
    _rates(name, plan.rates)
    _groups(name, plan.groups)
    check_namespace(plan.namespace)
    text(f"{name}.node_metrics_namespace", plan.node_metrics_namespace, optional=True)
    if minutes is not None and plan.node_metrics_namespace is None:
        raise ConstructError(
            f"{name}.idle_alert_minutes needs {name}.node_metrics_namespace: of nodes that send no "
            "metrics nobody knows whether they are idle"
        )


def check_enforcement_plan(watchdog: WatchdogPlan, plan: object) -> None:
    """Check what is done about spending.

    Args:
        watchdog: What is counted; checked already.
        plan: The plan.

    Raises:
        ConstructError: It is none, does nothing, or names groups that there are not.
    """
    instance("plan", plan, EnforcementPlan)
    assert isinstance(plan, EnforcementPlan)
    _refuse_tokens("plan", plan)
    one_of("plan.mode", plan.mode, _MODES, optional=True)
    one_of("plan.idle_mode", plan.idle_mode, _MODES, optional=True)
    if plan.mode is None and plan.idle_mode is None:
        raise ConstructError("plan must have a mode or an idle_mode: with neither nothing is done")
    number("plan.at_usd", plan.at_usd, above=0, optional=True)
    number("plan.at_spend_rate", plan.at_spend_rate_usd_per_hour, above=0, optional=True)
    whole_number("plan.grace_minutes", plan.grace_minutes, least=0, most=10_080)
    whole_number("plan.checkpoint_minutes", plan.checkpoint_minutes, least=0, most=120)
    whole_number("plan.idle_minutes", plan.idle_minutes, least=10, most=1440)
    text_list("plan.protected_node_groups", plan.protected_node_groups)
    text_list("plan.idle_protected_node_groups", plan.idle_protected_node_groups)
    names = [group.name for group in watchdog.groups]
    for protected in (*plan.protected_node_groups, *plan.idle_protected_node_groups):
        if protected not in names:
            raise ConstructError(
                f"plan must protect groups of the cluster, got {protected!r}: a name that is "
                "written wrong protects nothing"
            )
    for group in watchdog.groups:
        if group.driver != "asg" and not group.resource:
            raise ConstructError(f"group {group.name} must have a resource, for {group.driver}")


def _percents(name: str, percents: object) -> None:
    entries(name, percents)
    told: set[str] = set()
    for percent in percents if isinstance(percents, list | tuple) else ():
        number(f"each of {name}", percent, above=0)
        # Six digits, as the alarm is named by.
        if (short := f"{percent:g}") in told:
            raise ConstructError(f"{name} must not have an entry twice, got {short} again")
        told.add(short)


def _rates(name: str, rates: Any) -> None:
    entries(f"{name}.rates", rates, NodeRate)
    for rate in rates:
        _refuse_tokens(f"each of {name}.rates", rate)
        text("instance_type of each rate", rate.instance_type)
        one_of("purchase of each rate", rate.purchase, _PURCHASES)
        number("usd_per_hour of each rate", rate.usd_per_hour, least=0, optional=True)


def _groups(name: str, groups: Any) -> None:
    entries(f"{name}.groups", groups, GuardedGroup)
    for group in groups:
        text("name of each group", group.name)
        if is_unresolved(group.name):
            raise ConstructError(
                "name of each group must be known now, got a value that is known later"
            )
        one_of(f"purchase of group {group.name}", group.purchase, _PURCHASES)
        one_of(f"driver of group {group.name}", group.driver, _DRIVERS)
        # The service may make it up: a name that is known later is written as a reference.
        text(f"resource of group {group.name}", group.resource, optional=True)
        block = group.capacity_reservation_id
        text(f"capacity_reservation_id of group {group.name}", block, optional=True)
    names = [group.name for group in groups]
    if len(set(names)) < len(names):
        raise ConstructError(f"{name}.groups must not have a name twice")


def _refuse_tokens(name: str, plan: Any) -> None:
    """Of all but texts: one that is known later is written as a reference."""
    for field in fields(plan):
        value = getattr(plan, field.name)
        for one in value if isinstance(value, list | tuple) else (value,):
            if (field.name not in _TEXTS or not isinstance(one, str)) and is_unresolved(one):
                raise ConstructError(
                    f"{name}.{field.name} must be known now, got a value that is known later"
                )
