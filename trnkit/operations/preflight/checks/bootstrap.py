"""TRN903: the CDK's bootstrap stack is there and new enough, in each Region of the stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.ssm import GET_PARAMETER
from trnkit.catalog import bootstrap_facts
from trnkit.layout.tags import budget_region
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unanswered, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_THIS_ACCOUNT = "$(aws sts get-caller-identity --query Account --output text)"


def _run(account: AccountView) -> Iterator[CheckResult]:
    cluster = account.cluster
    for region in dict.fromkeys((cluster.region, budget_region(cluster))):
        path = ("region",) if region == cluster.region else ("budget", "region")
        yield _in_region(account, region, path)


def _in_region(account: AccountView, region: str, path: tuple[str, ...]) -> CheckResult:
    facts = bootstrap_facts()
    whose = account.cluster.account or _THIS_ACCOUNT
    command = f"cdk bootstrap aws://{whose}/{region}"
    try:
        told = account.ssm(region).parameter(facts.version_parameter).value
    except AwsFailure as failure:
        if failure.kind is not FailureKind.NOT_FOUND:
            return unanswered(failure, path=path)
        return fail(
            f"{region} is not bootstrapped for the CDK: it has no parameter "
            f"{facts.version_parameter}",
            remedy="bootstrap the Region",
            command=command,
            path=path,
        )
    if not told.isdecimal():
        return unknown(
            f"{facts.version_parameter} in {region} holds {told[:40]!r}, and should hold a number",
            remedy="bootstrap the Region again",
            command=command,
            path=path,
        )
    if int(told) < facts.least_version:
        return fail(
            f"the bootstrap stack of {region} has version {told}, and the cluster's stacks ask for "
            f"{facts.least_version} or later",
            remedy="bootstrap the Region again",
            command=command,
            path=path,
        )
    return ok(f"{region} is bootstrapped, version {told}", path=path)


CHECK = PreflightCheck(
    id="TRN903",
    name="bootstrap",
    title="The CDK's bootstrap stack is in each Region of the stacks, and new enough",
    why="`cdk deploy` publishes files to its bucket and assumes its roles. The budget's stack may "
    "be in another Region than the cluster, which is bootstrapped apart.",
    source="https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html",
    needs=(GET_PARAMETER,),
    run=_run,
)
