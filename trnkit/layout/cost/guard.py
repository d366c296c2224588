"""The spend guard: the functions that watch and stop spending, their table, metrics and alarms.

Sources:
    https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/capacity-mode.html
    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-controls.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.billing import Billed
from trnkit.layout.cost.lines import HOURS_PER_MONTH
from trnkit.layout.cost.monitoring import has_agent
from trnkit.layout.cost.nodes import running_hours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.spend_guard import WatchdogConfig
    from trnkit.layout.cost.billing import Billing
    from trnkit.layout.cost.lines import CostLine

_PATH = ("budget", "watchdog")
_WATCHDOG_GB, _ENFORCER_GB = 0.5, 0.25
_METRICS_OF_THE_CLUSTER, _METRICS_OF_A_GROUP = 6, 3
"""The third of a group is its idle share, which nodes must tell."""
_ALARMS_BESIDE_LIMITS = 4
"""Instances without a price, unused reservations, silence, and events that were not handled."""
_ALARMS_OF_THE_ENFORCER = 3
"""Errors, runs that failed, and silence."""
_WRITES_BESIDE_NODES = 3
"""A run writes its observation and what it decided, each below a kilobyte or two."""


def guard_lines(billing: Billing) -> Iterator[CostLine]:
    """What the guard costs, in the cluster's Region."""
    watchdog = billing.cluster.budget.watchdog
    if watchdog is None:
        return
    yield from _function_lines(billing, watchdog)
    yield from _table_lines(billing, watchdog)
    yield from _metric_lines(billing, watchdog)
    yield from _request_lines(billing, watchdog)
    denied = watchdog.enforcement.deny_role_names if watchdog.enforcement else ()
    if denied:
        days = HOURS_PER_MONTH / 24
        path = (*_PATH, "enforcement", "deny_role_names")
        action = _billed("denial of launches", "budgets-action-day", "day", path)
        yield billing.by_month(action, days, f"1 budget with an action x {days:.4g} days")


def _function_lines(billing: Billing, watchdog: WatchdogConfig) -> Iterator[CostLine]:
    functions, memory = 1, _WATCHDOG_GB
    if _stops(watchdog):
        functions, memory = 2, _WATCHDOG_GB + _ENFORCER_GB
    polls = _polls(watchdog)
    often = f"{polls:,.0f} polls"
    requests = _billed("runs", "lambda-requests", "request")
    yield billing.by_month(requests, polls * functions, f"{often} x {functions}")
    seconds = billing.assumptions.guard_seconds
    yield billing.by_month(
        _billed("run time", "lambda-gb-second-arm", "GB-second"),
        polls * seconds * memory,
        f"{often} x {seconds:g} s x {memory:g} GB",
        assumption=f"a run takes {seconds:g} s",
    )


def _stops(watchdog: WatchdogConfig) -> bool:
    return watchdog.enforcement is not None or watchdog.idle_shutdown is not None


def _polls(watchdog: WatchdogConfig) -> float:
    return HOURS_PER_MONTH * 60 / watchdog.poll_minutes


def _table_lines(billing: Billing, watchdog: WatchdogConfig) -> Iterator[CostLine]:
    nodes = sum(group.count for group in billing.cluster.compute.node_groups)
    polls = _polls(watchdog)
    most = polls * (nodes + _WRITES_BESIDE_NODES)
    yield billing.by_month(
        _billed("table: writes", "dynamodb-write-requests", "request"),
        polls * _WRITES_BESIDE_NODES,
        f"{polls:,.0f} polls x {_WRITES_BESIDE_NODES} to {nodes + _WRITES_BESIDE_NODES} writes",
        most=most,
        assumption="each poll may write an item for each node",
    )
    yield billing.by_month(
        _billed("table: reads", "dynamodb-read-requests", "request"),
        polls * _WRITES_BESIDE_NODES,
        f"{polls:,.0f} polls x {_WRITES_BESIDE_NODES} to {nodes + _WRITES_BESIDE_NODES} reads",
        most=most,
        assumption="each poll may read an item for each node",
    )


def _metric_lines(billing: Billing, watchdog: WatchdogConfig) -> Iterator[CostLine]:
    groups = len(billing.cluster.compute.node_groups)
    of_group = _METRICS_OF_A_GROUP if has_agent(billing.cluster) else _METRICS_OF_A_GROUP - 1
    yield billing.by_month(
        _billed("metrics", "cloudwatch-metric-month", "metric-month"),
        _METRICS_OF_THE_CLUSTER + of_group * groups,
        f"{_METRICS_OF_THE_CLUSTER} metrics + {of_group} x {groups} groups",
    )
    idle = groups if watchdog.idle_alert_minutes is not None else 0
    own = _ALARMS_BESIDE_LIMITS + (_ALARMS_OF_THE_ENFORCER if _stops(watchdog) else 0)
    least = len(watchdog.alert_percent) + own + idle
    is_said = watchdog.spend_rate_usd_per_hour is not None
    least, most = (least + 1, least + 1) if is_said else (least, least + 1)
    yield billing.by_month(
        _billed("alarms", "cloudwatch-alarm-month", "metric-month"),
        least,
        f"{least} alarms" if is_said else f"{least} or {most} alarms",
        most=most,
        assumption=None if is_said else "an alarm on the rate only where every price is known",
    )


def _request_lines(billing: Billing, watchdog: WatchdogConfig) -> Iterator[CostLine]:
    polls = _polls(watchdog)
    sent = _billed("metrics sent", "cloudwatch-put-metric-requests", "request")
    yield billing.by_month(sent, polls, f"{polls:,.0f} polls")
    if not has_agent(billing.cluster):
        return  # Nodes say nothing of their use: nothing is asked.
    for group in billing.cluster.compute.node_groups:
        if group.count:
            asked = _billed(f"{group.name}: use", "cloudwatch-get-metric-data", "metric")
            yield billing.by_month(
                asked,
                polls * group.count,
                f"{polls:,.0f} polls x {group.count} nodes",
                hours=running_hours(billing, group),
                course="nodes",
                assumption="each poll asks one metric of each node",
            )


def _billed(name: str, item: str, unit: str, path: tuple[str, ...] = _PATH) -> Billed:
    return Billed(
        key=f"spend guard/{name}",
        component="spend guard",
        name=name,
        path=path,
        item=item,
        unit=unit,
    )
