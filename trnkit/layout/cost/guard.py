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
from trnkit.layout.spend_guard import SPEND_METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.spend_guard import WatchdogConfig
    from trnkit.layout.cost.billing import Billing
    from trnkit.layout.cost.lines import CostLine

_PATH = ("budget", "watchdog")
_MEMORY_GB = 0.25
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
    functions = 1 + int(watchdog.enforcement is not None or watchdog.idle_shutdown is not None)
    runs = functions * HOURS_PER_MONTH * 60 / watchdog.poll_minutes
    every = f"{functions} x every {watchdog.poll_minutes} min: {runs:,.0f} runs"
    requests = _billed("runs", "lambda-requests", "request")
    yield billing.by_month(requests, runs, every)
    seconds = billing.assumptions.guard_seconds
    yield billing.by_month(
        _billed("run time", "lambda-gb-second-arm", "GB-second"),
        runs * seconds * _MEMORY_GB,
        f"{every} x {seconds:g} s x {_MEMORY_GB:g} GB",
        assumption=f"a run takes {seconds:g} s",
    )


def _table_lines(billing: Billing, watchdog: WatchdogConfig) -> Iterator[CostLine]:
    nodes = sum(group.count for group in billing.cluster.compute.node_groups)
    polls = HOURS_PER_MONTH * 60 / watchdog.poll_minutes
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
    metrics = len(SPEND_METRICS) * (1 + groups)
    yield billing.by_month(
        _billed("metrics", "cloudwatch-metric-month", "metric-month"),
        len(SPEND_METRICS),
        f"{len(SPEND_METRICS)} to {metrics} metrics",
        most=metrics,
        assumption="some of them also of each node group",
    )
    fixed = len(SPEND_METRICS) - 1 + len(watchdog.alert_percent)
    yield billing.by_month(
        _billed("alarms", "cloudwatch-alarm-month", "metric-month"),
        len(watchdog.alert_percent),
        f"{len(watchdog.alert_percent)} to {fixed + groups} alarms",
        most=fixed + groups,
        assumption="one for each limit, and those that the file switches on",
    )


def _request_lines(billing: Billing, watchdog: WatchdogConfig) -> Iterator[CostLine]:
    polls = HOURS_PER_MONTH * 60 / watchdog.poll_minutes
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
