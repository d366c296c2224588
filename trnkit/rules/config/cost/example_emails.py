"""TRN422: somebody reads the addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_budgets import email_lists
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PLACEHOLDERS = ("example.com", "example.org")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    found = [
        ((*path, index), email)
        for path, emails in email_lists(cluster)
        for index, email in enumerate(emails)
        if email.lower().rpartition("@")[2] in _PLACEHOLDERS
    ]
    if not found:
        return
    place, email = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    yield Violation(
        message=f"{format_path(place)} is {email}, an address of the examples that nobody reads"
        f"{more}",
        hint="write addresses whose mail somebody reads",
        path=place,
    )


RULE = ConfigRule(
    id="TRN422",
    title="somebody reads the addresses",
    severity=Severity.INFO,
    why="Mail to example.com and example.org is never delivered, so that the alerts reach nobody "
    "and the subscription is never confirmed.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-email-recipients.html",
    good="budget: {emails: [ml-platform@corp.example.net]}\n",
    bad="budget: {emails: [ml-platform@example.com]}\n",
    check=_check,
)
