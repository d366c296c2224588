"""What the watchdog is told, as JSON in its environment: attributes of `WatchdogPlan`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from decimal import Decimal

SETTINGS_VARIABLE = "TRNKIT_SETTINGS"
"""Environment variable with the settings of a function."""


@dataclass(frozen=True)
class Group:
    """A node group.

    Attributes:
        name: Its name.
        capacity_reservation_id: Its reservation or Capacity Block, where it names one.
    """

    name: str
    capacity_reservation_id: str | None


@dataclass(frozen=True)
class Settings:
    """What is counted.

    Attributes:
        cluster: Value of the tag `trnkit-cluster`.
        poll_minutes: How often.
        fixed_usd_per_hour: What runs beside instances, always.
        rates: By instance type and purchase; None: not known.
        groups: The node groups.
        idle_below_percent: Use of NeuronCores up to which a node is idle.
        node_metrics_namespace: Where nodes send metrics; None: they send none.
        namespace: Where this one does.
    """

    cluster: str
    poll_minutes: int
    fixed_usd_per_hour: Decimal
    rates: dict[tuple[str, str], Decimal | None]
    groups: tuple[Group, ...]
    idle_below_percent: float
    node_metrics_namespace: str | None
    namespace: str

    @classmethod
    def of_environment(cls) -> Settings:
        """The settings that the environment has."""
        return cls.from_json(os.environ[SETTINGS_VARIABLE])

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Settings from JSON; what is None may be left out. Numbers stay as they are written."""
        told = json.loads(text, parse_float=Decimal)
        return cls(
            cluster=told["cluster"],
            poll_minutes=told["poll_minutes"],
            fixed_usd_per_hour=Decimal(told["fixed_usd_per_hour"]),
            rates={
                (rate["instance_type"], rate["purchase"]): _amount(rate.get("usd_per_hour"))
                for rate in told["rates"]
            },
            groups=tuple(
                Group(group["name"], group.get("capacity_reservation_id"))
                for group in told["groups"]
            ),
            idle_below_percent=float(told["idle_below_percent"]),
            node_metrics_namespace=told.get("node_metrics_namespace"),
            namespace=told["namespace"],
        )


def _amount(usd: Decimal | int | None) -> Decimal | None:
    return None if usd is None else Decimal(usd)
