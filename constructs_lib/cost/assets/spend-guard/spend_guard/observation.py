"""The latest observation: what the watchdog last saw, in the form in which it hands it on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .moments import from_iso, iso


@dataclass(frozen=True)
class GroupObservation:
    """What was seen of a node group.

    Attributes:
        running: Its instances that run.
        idle_since: Since when none of them has used a NeuronCore; None: one has, or nobody knows.
        idle_known: Whether metrics of every one were there.
        unused_reserved: Instances of its reservation or Capacity Block that stand unused.
    """

    running: int = 0
    idle_since: datetime | None = None
    idle_known: bool = False
    unused_reserved: int = 0


@dataclass(frozen=True)
class Observation:
    """What was seen of a cluster at a time.

    Attributes:
        at: When the looking began.
        month: The calendar month (UTC) that is counted.
        month_to_date_usd: Spent in it so far.
        spend_rate_usd_per_hour: What an hour of what runs now costs.
        unpriced_instances: Instances whose price is not known; they are in neither of the two.
        groups: By name.
        faults: What could not be asked or written, in words; empty: nothing is missing.
    """

    at: datetime
    month: str
    month_to_date_usd: float
    spend_rate_usd_per_hour: float
    unpriced_instances: int
    groups: dict[str, GroupObservation] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    def to_json(self) -> str:
        """As one line of JSON."""
        return json.dumps(
            {
                "at": iso(self.at),
                "month": self.month,
                "month_to_date_usd": self.month_to_date_usd,
                "spend_rate_usd_per_hour": self.spend_rate_usd_per_hour,
                "unpriced_instances": self.unpriced_instances,
                "groups": {
                    name: {
                        "running": group.running,
                        "idle_since": iso(group.idle_since) if group.idle_since else None,
                        "idle_known": group.idle_known,
                        "unused_reserved": group.unused_reserved,
                    }
                    for name, group in self.groups.items()
                },
                "faults": list(self.faults),
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> Observation:
        """An observation from what `to_json` wrote.

        Raises:
            ValueError: It is no such text.
        """
        try:
            return _observation(json.loads(text))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not an observation: {text[:200]!r}") from error


def _observation(told: dict[str, Any]) -> Observation:
    return Observation(
        at=from_iso(told["at"]),
        month=str(told["month"]),
        month_to_date_usd=float(told["month_to_date_usd"]),
        spend_rate_usd_per_hour=float(told["spend_rate_usd_per_hour"]),
        unpriced_instances=int(told["unpriced_instances"]),
        groups={name: _group(group) for name, group in told["groups"].items()},
        faults=tuple(str(fault) for fault in told["faults"]),
    )


def _group(told: dict[str, Any]) -> GroupObservation:
    since = told["idle_since"]
    return GroupObservation(
        running=int(told["running"]),
        idle_since=from_iso(since) if since else None,
        idle_known=bool(told["idle_known"]),
        unused_reserved=int(told["unused_reserved"]),
    )
