"""TRN402: a notification takes ten e-mail addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PATH = ("budget", "emails")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    limits, emails = budget_limits(), cluster.budget.emails
    most = limits.email_subscribers_per_notification
    if len(emails) > most:
        yield Violation(
            message=f"budget.emails has {len(emails)} addresses; a notification takes {most}",
            hint="write the address of a mailing list",
            path=_PATH,
            evidence=f"catalogue, e-mail subscribers of a notification ({limits.date})",
        )
    first: dict[str, int] = {}
    for index, email in enumerate(emails):
        if email.lower() in first:
            place = (*_PATH, index)
            yield Violation(
                message=f"{format_path(place)} is {email}, like "
                f"{format_path((*_PATH, first[email.lower()]))}",
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
