"""TRN902: the credentials can do what `cdk deploy` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.findings import Severity
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_REMEDY = "sign in as a user or role that may assume the CDK's roles"


def _run(account: AccountView) -> Iterator[CheckResult]:
    region = account.cluster.region
    credentials, caller = account.session.credentials(region), account.caller(region)
    kept = "temporary" if credentials.temporary else "long-term"
    evidence = f"{kept} credentials, found by botocore's {credentials.method}"
    if caller.kind == "root":
        yield warning(
            "the credentials are of the account's root user, which can assume no role",
            remedy=_REMEDY,
            evidence=evidence,
        )
    elif caller.kind == "federated-user":
        yield warning(
            "the credentials are of a federated user, which can assume no role",
            remedy=_REMEDY,
            evidence=evidence,
        )
    else:
        words = {"user": "an IAM user", "assumed-role": "a role"}
        yield ok(
            f"{kept} credentials of {words.get(caller.kind, 'a principal')}", evidence=evidence
        )


CHECK = PreflightCheck(
    id="TRN902",
    name="credentials",
    title="The credentials can assume roles",
    why="`cdk deploy` assumes the roles of the bootstrap stack. The root user and federated users "
    "(GetFederationToken) cannot, and the deployment then runs with their own rights or fails.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_sts-comparison.html",
    needs=(GET_CALLER_IDENTITY,),
    run=_run,
    worst=Severity.WARNING,
)
