"""TRN414: further budgets have names of their own, and a tag where they count one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    first: dict[str, int] = {}
    for index, budget in enumerate(cluster.budget.further_budgets):
        path = (*_PATH, index)
        if budget.name in first:
            yield Violation(
                message=f"{format_path((*path, 'name'))} is {budget.name}, like "
                f"{format_path((*_PATH, first[budget.name], 'name'))}",
                hint="take another name",
                path=(*path, "name"),
            )
        first.setdefault(budget.name, index)
        if budget.scope == "tag" and budget.tag is None:
            yield Violation(
                message=f"{format_path((*path, 'scope'))} is tag, and no tag is named",
                hint="write `tag: {key: ..., value: ...}`",
                path=(*path, "scope"),
            )
        elif budget.scope != "tag" and budget.tag is not None:
            yield Violation(
                message=f"{format_path((*path, 'tag'))} is not counted: scope is {budget.scope}",
                hint="write `scope: tag`, or remove the tag",
                path=(*path, "tag"),
            )


_PATH = ("budget", "further_budgets")


RULE = ConfigRule(
    id="TRN414",
    title="further budgets have names of their own, and a tag where they count one",
    severity=Severity.ERROR,
    why="The name is what keeps a budget the same from one deployment to the next; a budget that "
    "is meant to count a tag and has none would count the whole account.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html",
    good="budget: {further_budgets: [{name: team, limit_usd: 9, scope: tag, "
    "tag: {key: team, value: ml}}]}\n",
    bad="budget: {further_budgets: [{name: team, limit_usd: 9, tag: {key: team, value: ml}}]}\n",
    check=_check,
)
