"""What the watchdog has seen, and how the groups stand now."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

OLDEST_POLLS = 3
"""An observation older than so many polls is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenGroup:
    """A node group, as the watchdog saw it.

    Attributes:
        running: Its nodes.
        idle_since: Since when none of them has used a NeuronCore, or None.
        idle_known: Whether that is known of every node.
    """

    running: int
    idle_since: datetime | None
    idle_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What scales a group, as it stands now.

    Attributes:
        status: `ok`, or why it is left alone: `gone`, `foreign` (not the cluster's), `ambiguous`;
            or `unreadable`: AWS gave no answer.
        resource: Its name.
        driver: The kind of it, as of `Group`.
        sizes: Sizes by the driver's names; `desired` always.
        launches_denied: Whether it launches nothing.
        detail: AWS's words, where it gave no answer.
    """

    status: str
    resource: str = ""
    driver: str = "asg"
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    launches_denied: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The watchdog's last observation.

    Attributes:
        at: When.
        month: Which month's money is counted, like `2026-11`.
        month_to_date_usd: What was spent, at least.
        spend_rate_usd_per_hour: What an hour costs now, at least.
        groups: By name.
    """

    at: datetime
    month: str
    month_to_date_usd: float
    spend_rate_usd_per_hour: float
    groups: dict[str, SeenGroup]

    @classmethod
    def read(cls, body: str | None) -> Observation | None:
        """Read what the watchdog wrote; None when it wrote nothing yet."""
        if body is None:
            return None
        told: dict[str, Any] = json.loads(body)
        return cls(
            at=moment(told["at"]),
            month=told["month"],
            month_to_date_usd=float(told["month_to_date_usd"]),
            spend_rate_usd_per_hour=float(told["spend_rate_usd_per_hour"]),
            groups={name: _group(one) for name, one in told["groups"].items()},
        )

    def is_fresh(self, now: datetime, poll_minutes: int) -> bool:
        """Whether it says how things are now; one from the future is of a wrong clock."""
        poll = timedelta(minutes=poll_minutes)
        return now - OLDEST_POLLS * poll <= self.at <= now + poll


def _group(told: dict[str, Any]) -> SeenGroup:
    since = told.get("idle_since")
    return SeenGroup(
        running=int(told["running"]),
        idle_since=moment(since) if since else None,
        idle_known=told.get("idle_known") is True,
    )


def moment(text: str) -> datetime:
    """A time as the table has it; without a zone it is UTC."""
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def written(at: datetime) -> str:
    """A time for the table and for people: to the second, and never earlier than it is."""
    if at.microsecond:
        at = at.replace(microsecond=0) + timedelta(seconds=1)
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
