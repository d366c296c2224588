"""What a bucket's policy denies a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.preflight.key_use import FSX_S3_ROLE
from trnkit.operations.preflight.policy_judgement import (
    PolicyRequest,
    Requester,
    Verdict,
    judge_policy,
)

if TYPE_CHECKING:
    from trnkit.aws.sts import CallerIdentity
    from trnkit.operations.preflight.cluster_buckets import BucketUse
    from trnkit.operations.preflight.policy_judgement import PolicyAnswer

_KEPT_OF_A_NAME = 20
"""CloudFormation shortens the names of roles, and keeps their beginnings."""


def denies_use(
    document: str, use: BucketUse, caller: CallerIdentity, cluster_name: str
) -> dict[str, PolicyAnswer]:
    """What a policy denies of all that a use needs, by IAM action.

    IAM policies allow it, so that the bucket's need not.

    Args:
        document: The bucket's policy, as JSON.
        use: What the cluster does with the bucket.
        caller: Whose account it is.
        cluster_name: The cluster's name, with which the name of the nodes' role begins.
    """
    role = FSX_S3_ROLE if use.kind == "link" else f"role/{cluster_name[:_KEPT_OF_A_NAME]}*"
    role = f"arn:{caller.partition}:iam::{caller.account}:{role}"
    requester = Requester(account=caller.account, role=role, has_own_policy=True)
    bucket = f"arn:{caller.partition}:s3:::{use.name}"
    context: dict[str, str | None] = {
        "aws:securetransport": "true",
        "aws:principalaccount": caller.account,
        "aws:principalarn": role,
        "aws:principalisawsservice": "false",
        "aws:resourceaccount": caller.account,
        "s3:resourceaccount": caller.account,
        # S3 takes no older one; whether a newer one is used, only the request tells.
        "s3:tlsversion": "1.2*",
    }
    return {
        action: judge_policy(
            document,
            PolicyRequest(requester=requester, action=action, resource=resource, context=context),
            otherwise=Verdict.ALLOWED,
        )
        for action, resource in _needed(use, bucket)
    }


def _needed(use: BucketUse, bucket: str) -> list[tuple[str, str]]:
    # Any object will do: a statement about some of them is not about all that is needed.
    objects = f"{bucket}/{use.prefix}object"
    found = [("s3:ListBucket", bucket), ("s3:GetObject", objects)]
    if use.writes:
        found.append(("s3:PutObject", objects))
    if use.imports:
        found.append(("s3:PutBucketNotification", bucket))
    return found
