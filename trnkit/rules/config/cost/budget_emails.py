"""TRN402: a notification takes ten e-mail addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.budgets import budget_plans, without_repeats
from trnkit.rules.judging.cluster_budgets import email_lists
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, emails in email_lists(cluster):
        yield from _repeats(path, emails)
    most = budget_limits().email_subscribers_per_notification
    judged: set[tuple[str, ...]] = set()
    for plan in budget_plans(cluster):
        for alert in plan.alerts:
            if len(alert.emails) > most and alert.emails not in judged:
                judged.add(alert.emails)
                yield _too_many(cluster, plan.path, alert.emails)


def _too_many(cluster: ClusterConfig, budget: Path, emails: tuple[str, ...]) -> Violation:
    """Too many addresses, of one list or of several that are merged at a threshold."""
    limits = budget_limits()
    written = (path for path, listed in email_lists(cluster) if without_repeats(listed) == emails)
    path = next(written, (*budget, "thresholds"))
    merged = " at one threshold" if path[-1] == "thresholds" else ""
    return Violation(
        message=f"{format_path(path)} has {len(emails)} addresses{merged}; a notification takes "
        f"{limits.email_subscribers_per_notification}",
        hint="write the address of a mailing list, or `delivery: topic`",
        path=path,
        evidence=f"catalogue, e-mail subscribers of a notification ({limits.date})",
    )


def _repeats(path: Path, emails: tuple[str, ...]) -> Iterator[Violation]:
    first: dict[str, int] = {}
    for index, email in enumerate(emails):
        if email.lower() in first:
            place = (*path, index)
            yield Violation(
                message=f"{format_path(place)} is {email}, like "
                f"{format_path((*path, first[email.lower()]))}",
                hint="remove one of them",
                path=place,
                severity=Severity.WARNING,
            )
        first.setdefault(email.lower(), index)


RULE = ConfigRule(
    id="TRN402",
    title="at most ten e-mail addresses hear of the budget",
    severity=Severity.ERROR,
    why="With an eleventh, AWS Budgets refuses the notification and the deployment fails half-way.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html",
    good="budget: {emails: [a@example.com, b@example.com]}\n",
    bad="budget: {emails: [a@example.com, b@example.com, c@example.com, d@example.com, "
    "e@example.com, f@example.com, g@example.com, h@example.com, i@example.com, j@example.com, "
    "k@example.com]}\n",
    check=_check,
)
