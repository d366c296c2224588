"""How node groups stand now, as the enforcer itself sees them, and times as it writes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .observation import Observation

OLDEST_POLLS = 3
"""An observation older than so many polls is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What scales a group, as it stands now.

    Attributes:
        status: `ok`, or why it is left alone: `gone`, `foreign` (not the cluster's), `ambiguous`,
            `unable`; or `unreadable`: AWS gave no answer.
        resource: Its name.
        driver: The kind of it, as of `Group`.
        sizes: Sizes by the driver's names; `min`, `max` and `desired` always.
        launches_denied: Whether it launches nothing.
        detail: AWS's words, where it gave no answer.
        keeps_nodes: What is known to keep nodes there although none is wanted; empty: nothing.
    """

    status: str
    resource: str = ""
    driver: str = "asg"
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    launches_denied: bool = False
    detail: str = ""
    keeps_nodes: str = ""


def is_fresh(seen: Observation, now: datetime, poll_minutes: int) -> bool:
    """Whether it says how things are now; one from the future is of a wrong clock."""
    poll = timedelta(minutes=poll_minutes)
    return now - OLDEST_POLLS * poll <= seen.at <= now + poll


def written(at: datetime) -> str:
    """A time for the table and for people: to the second, and never earlier than it is."""
    if at.microsecond:
        at = at.replace(microsecond=0) + timedelta(seconds=1)
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
