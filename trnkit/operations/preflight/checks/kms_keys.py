"""TRN925: the KMS keys that the file names encrypt, and let those use them who must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ec2 import GET_EBS_DEFAULT_KMS_KEY_ID
from trnkit.operations.preflight.answering import answers_of
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.cluster_keys import keys_of, uses_default_key
from trnkit.operations.preflight.key_judgement import KEY_QUESTIONS, NamedKey, judge_key
from trnkit.operations.preflight.key_use import VOLUMES
from trnkit.operations.preflight.result import ok, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


_VOLUME_KEY = ("compute", "volume_key")
AWS_OWN_KEY = "alias/aws/ebs"


def _run(account: AccountView) -> Iterator[CheckResult]:
    for key in keys_of(account.cluster):
        yield from answers_of(judge_key(account, key), key.path)
    if uses_default_key(account.cluster):
        yield from answers_of(_default(account), _VOLUME_KEY)


def _default(account: AccountView) -> Iterator[CheckResult]:
    """The account's key of volumes: somebody may have chosen another than AWS's own."""
    name = account.ec2.default_volume_key()
    if name is None:
        yield unknown(
            "EC2 names no default key of volumes",
            remedy="name a key for the volumes, or look in the EC2 console's settings",
            look=f"aws ec2 get-ebs-default-kms-key-id --region {account.cluster.region}",
            path=_VOLUME_KEY,
        )
    elif name.endswith(AWS_OWN_KEY):
        yield ok("the account's default key of volumes is AWS's own", path=_VOLUME_KEY)
    else:
        label = "the account's default key of volumes"
        yield from judge_key(
            account, NamedKey(name=name, label=label, use=VOLUMES, path=_VOLUME_KEY)
        )


CHECK = PreflightCheck(
    id="TRN925",
    name="kms-keys",
    title="The KMS keys of the file and the default one of volumes let those use them who must",
    why="Nodes whose volumes Auto Scaling cannot encrypt end as soon as they start, with "
    "Client.InternalError as the only trace. Its service-linked role has no rights on your own "
    "keys by itself: a key policy that leaves all to the account's IAM policies is not enough, the "
    "role must be named in it or hold a grant. That goes for the account's default key of volumes, "
    "too, where somebody has chosen one. For file systems and buckets such a policy is "
    "enough. What turns on a condition that only the request tells is unknown.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html",
    needs=(*KEY_QUESTIONS, GET_EBS_DEFAULT_KMS_KEY_ID),
    run=_run,
)
