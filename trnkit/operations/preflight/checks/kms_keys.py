"""TRN925: the KMS keys that the file names encrypt, and let those use them who must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.cluster_keys import keys_of
from trnkit.operations.preflight.key_judgement import KEY_QUESTIONS, judge_key
from trnkit.operations.preflight.result import unanswered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    for key in keys_of(account.cluster):
        try:
            yield from judge_key(account, key)
        except AwsFailure as failure:
            yield unanswered(failure, path=key.path)


CHECK = PreflightCheck(
    id="TRN925",
    name="kms-keys",
    title="The KMS keys that the file names encrypt, and let those use them who must",
    why="Nodes whose volumes Auto Scaling cannot encrypt end as soon as they start, with "
    "Client.InternalError as the only trace. Its service-linked role has no rights on your own "
    "keys by itself: a key policy that leaves all to the account's IAM policies is not enough, the "
    "role must be named in it or hold a grant. For file systems and buckets such a policy is "
    "enough. What turns on a condition that only the request tells is unknown.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html",
    needs=KEY_QUESTIONS,
    run=_run,
)
