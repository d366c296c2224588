"""What the guard's functions are told of their plans, as JSON in their environment.

Sources:
    https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.layout.spend_guard import EnforcementPlan, WatchdogPlan

SETTINGS_BYTES_MAXIMUM = 3500
"""Lambda gives all environment variables of a function 4 KB together."""

_OF_WATCHDOG = (
    "cluster",
    "poll_minutes",
    "fixed_usd_per_hour",
    "rates",
    "idle_below_percent",
    "node_metrics_namespace",
    "namespace",
)


def watchdog_settings(plan: WatchdogPlan) -> dict[str, Any]:
    """What the watchdog needs of a plan: limits are the alarms', sizes nobody's."""
    values = asdict(plan)
    groups = [
        {"name": group.name, "capacity_reservation_id": group.capacity_reservation_id}
        for group in plan.groups
    ]
    return {**{name: values[name] for name in _OF_WATCHDOG}, "groups": groups}


def enforcer_settings(watchdog: WatchdogPlan, plan: EnforcementPlan) -> dict[str, Any]:
    """What the enforcer needs; keys are attributes of both plans."""
    groups = [
        {
            "name": group.name,
            "purchase": group.purchase,
            "capacity_reservation_id": group.capacity_reservation_id,
            # Usual, and left out.
            "driver": None if group.driver == "asg" else group.driver,
            "resource": group.resource,
        }
        for group in watchdog.groups
    ]
    return {
        "cluster": watchdog.cluster,
        "poll_minutes": watchdog.poll_minutes,
        "groups": groups,
        **asdict(plan),
    }


def settings_text(values: Mapping[str, Any]) -> str:
    """Settings as a function reads them: short, and without what is None."""
    return json.dumps(_without_none(values), separators=(",", ":"), ensure_ascii=False)


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: _without_none(item) for key, item in items if item is not None}
    if isinstance(value, list | tuple):
        return [_without_none(item) for item in cast("list[Any]", value)]
    return value
