"""TRN406: a budget over a tag needs the tag activated for billing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.tags import CLUSTER_TAG
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.budget.scope == "cluster":
        yield Violation(
            message=f"budget.scope is cluster: it stays at zero until the payer account has "
            f"activated {CLUSTER_TAG} as a cost allocation tag",
            hint="in the payer account, once and a day after the first deployment, run `aws ce "
            "update-cost-allocation-tags-status --cost-allocation-tags-status "
            f"TagKey={CLUSTER_TAG},Status=Active`",
            path=("budget", "scope"),
            evidence="activation takes up to 24 hours and does not reach back",
        )


RULE = ConfigRule(
    id="TRN406",
    title="the cluster's tag must be activated for billing",
    severity=Severity.INFO,
    why="Billing does not know a tag until the payer account activates it, and CloudFormation "
    "cannot do that.",
    source="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/activating-tags.html",
    good="budget: {scope: account}\n",
    bad="budget: {scope: cluster}\n",
    check=_check,
)
