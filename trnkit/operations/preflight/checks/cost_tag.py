"""TRN922: the tags that budgets count are activated for billing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ce import LIST_COST_ALLOCATION_TAGS, CostExplorerGateway
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.catalog import cost_explorer_facts
from trnkit.layout.budgets import budget_plans
from trnkit.layout.tags import CLUSTER_TAG, budget_region
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import ok, unanswered, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    keys = _keys(account.cluster)
    if not keys:
        return
    gateway = account.gateway(CostExplorerGateway, budget_region(account.cluster))
    try:
        tags = gateway.cost_allocation_tags(keys)
    except AwsFailure as failure:
        for key, path in keys.items():
            yield _unanswered(failure, key, path)
        return
    for key, path in keys.items():
        yield _judge(key, tags.get(key), path)


def _keys(cluster: ClusterConfig) -> dict[str, Path]:
    """Key of each tag that is counted -> where the file says so first."""
    found: dict[str, Path] = {}
    for plan in budget_plans(cluster):
        if plan.tag is not None:
            found.setdefault(plan.tag[0], (*plan.path, "scope"))
    anomalies = cluster.budget.anomaly_detection
    if anomalies is not None and anomalies.monitor == "cluster":
        found.setdefault(CLUSTER_TAG, ("budget", "anomaly_detection", "monitor"))
    return found


def _judge(key: str, is_active: bool | None, path: Path) -> CheckResult:
    days = cost_explorer_facts().tag_days
    if is_active:
        return ok(f"tag {key} is active in billing", path=path)
    if is_active is False:
        return warning(
            f"tag {key} is inactive in billing: what counts it stays at zero",
            evidence=f"activation takes up to {days} day and does not reach back",
            remedy="activate it",
            command=_activation(key),
            path=path,
        )
    return warning(
        f"billing does not know tag {key} yet: what counts it stays at zero",
        evidence=f"it appears up to {days} day after the first resource with it is billed, and can "
        "be activated only then",
        remedy=f"activate it {days} day after the first deployment",
        command=_activation(key),
        path=path,
    )


def _unanswered(failure: AwsFailure, key: str, path: Path) -> CheckResult:
    if failure.kind is not FailureKind.MANAGEMENT_ACCOUNT_ONLY:
        return unanswered(failure, path=path)
    return unknown(
        f"whether tag {key} is active in billing is told to the organization's management account "
        "alone",
        remedy="let whoever has the management account activate it there, then leave this check "
        "out with `--skip cost-tag`",
        command=_activation(key),
        path=path,
    )


def _activation(key: str) -> str:
    return (
        "aws ce update-cost-allocation-tags-status --cost-allocation-tags-status "
        f"TagKey={key},Status=Active"
    )


CHECK = PreflightCheck(
    id="TRN922",
    name="cost-tag",
    title="The tags that budgets count are activated for billing",
    why="A budget over a tag that the management account has not activated stays at zero and "
    "never alerts. CloudFormation cannot activate it.",
    source="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/activating-tags.html",
    needs=(LIST_COST_ALLOCATION_TAGS,),
    run=_run,
)
