"""TRN403: services are named as billing names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.billing_names import right_billing_names
from trnkit.rules.judging.cluster_budgets import budget_sections
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, budget in budget_sections(cluster):
        for index, name in enumerate(budget.services):
            yield from _judge(name, (*path, "services", index))


def _judge(name: str, place: Path) -> Iterator[Violation]:
    right = right_billing_names(name)
    if right is None:
        yield Violation(
            message=f"{format_path(place)} is {name}, which is no billing name known here",
            hint="compare it with the service names in Cost Explorer",
            path=place,
            severity=Severity.INFO,
        )
    elif right:
        yield Violation(
            message=f"{format_path(place)} is {name}, called {alternatives(right)} in billing",
            hint=f"write {alternatives(right)}",
            path=place,
            evidence="catalogue, values of the billing dimension SERVICE",
        )


RULE = ConfigRule(
    id="TRN403",
    title="budget services have their billing names",
    severity=Severity.ERROR,
    why="A filter on a name that billing does not use matches nothing, so the budget stays at zero "
    "without a word.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html",
    good='budget: {services: ["Amazon Elastic Compute Cloud - Compute"]}\n',
    bad="budget: {services: [EC2-Instances]}\n",
    check=_check,
)
