"""TRN901: the credentials belong to the file's account, and its Regions are on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.layout.tags import BUDGETS_HOME_REGION, budget_region
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_NOT_HERE = (FailureKind.NOT_ACCEPTED, FailureKind.REGION_OFF)


def _run(account: AccountView) -> Iterator[CheckResult]:
    wanted = account.cluster.account
    for region in dict.fromkeys((account.cluster.region, budget_region(account.cluster))):
        try:
            caller = account.caller(region)
        except AwsFailure as failure:
            if failure.kind not in _NOT_HERE or region == BUDGETS_HOME_REGION:
                raise
            # The same credentials where every account is at home tell wrong keys from a Region off.
            account.caller(BUDGETS_HOME_REGION)
            yield _off(account, region)
            continue
        if wanted is not None and caller.account != wanted:
            yield fail(
                f"the file is for account {wanted}, and the credentials are of {caller.account}",
                remedy="use credentials of the file's account, or correct `account`",
                look="aws sts get-caller-identity",
                path=("account",),
            )
            return
        yield ok(
            f"{region} accepts the credentials of {_whose(wanted)}", path=_path(account, region)
        )


def _path(account: AccountView, region: str) -> tuple[str, ...]:
    return ("region",) if region == account.cluster.region else ("budget", "region")


def _off(account: AccountView, region: str) -> CheckResult:
    message = f"{region} is off for this account"
    remedy = "switch the Region on, and wait until it is"
    if account.session.credentials(region).temporary:
        # Such tokens count in Regions that every account has, and in no other.
        message += ", or the credentials are of STS's global endpoint"
        remedy = f"when it is on, sign in with AWS_STS_REGIONAL_ENDPOINTS=regional; else {remedy}"
    return fail(
        f"{message}: it accepts no credentials that other Regions accept",
        remedy=remedy,
        command=f"aws account enable-region --region-name {region}",
        path=_path(account, region),
    )


def _whose(wanted: str | None) -> str:
    return f"account {wanted}" if wanted else "this account; the file names none"


CHECK = PreflightCheck(
    id="TRN901",
    name="account",
    title="The credentials belong to the file's account, and its Regions are on",
    why="A deployment goes to the account of the credentials. A Region that an account has not "
    "switched on accepts nobody, and says so in words about wrong keys.",
    source="https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html",
    needs=(GET_CALLER_IDENTITY,),
    run=_run,
)
