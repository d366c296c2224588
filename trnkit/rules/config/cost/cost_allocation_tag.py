"""TRN406: a budget over a tag needs the tag activated for billing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.budgets import activation_command, budget_plans
from trnkit.rules.judging.cluster_budgets import budget_sections
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    told: set[str] = set()
    plans = budget_plans(cluster)
    for (path, budget), plan in zip(budget_sections(cluster), plans, strict=True):
        if plan.tag is None or plan.tag[0] in told:
            continue
        key = plan.tag[0]
        told.add(key)
        yield Violation(
            message=f"{format_path((*path, 'scope'))} is {budget.scope}: it stays at zero until "
            f"the payer account has activated {key} as a cost allocation tag",
            hint="in the payer account, once and a day after the first deployment, run "
            f"`{activation_command([key])}`",
            path=(*path, "scope"),
            evidence="activation takes up to 24 hours and does not reach back",
        )


RULE = ConfigRule(
    id="TRN406",
    title="the tag a budget counts must be activated for billing",
    severity=Severity.INFO,
    why="Billing does not know a tag until the payer account activates it, and CloudFormation "
    "cannot do that.",
    source="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/activating-tags.html",
    good="budget: {scope: account}\n",
    bad="budget: {scope: cluster}\n",
    check=_check,
)
