"""How long the month's limit of a file lasts, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.cost_words import usd

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig
    from trnkit.layout.limit_reach import LimitReach


def limit_words(cluster: ClusterConfig, reach: LimitReach | None) -> str:
    """`limit: $60,000.00 a month, passed after 14.3 days ...`; "" where some month is over first.

    Args:
        cluster: The cluster.
        reach: How far its limit reaches; None without one.
    """
    if reach is None or reach.lasts:
        return ""
    return (
        f"limit: {usd(reach.limit_usd)} a month, passed after {_time(reach.days)} at the latest "
        f"when all nodes run day and night{_enforced(cluster, reach)}"
    )


def _enforced(cluster: ClusterConfig, reach: LimitReach) -> str:
    watchdog, days = cluster.budget.watchdog, reach.days_to_enforcement
    stages = watchdog and watchdog.enforcement
    if stages is None or days is None:
        return ""
    when = "then" if days == reach.days else f"after {_time(days)}"
    dry = ", as a dry run" if stages.mode == "dry-run" else ""
    return f"; enforcement begins {when}{dry}"


def _time(days: float) -> str:
    return f"{days:.1f} days" if days >= 2 else f"{days * 24:.1f} hours"
