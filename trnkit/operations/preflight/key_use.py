"""Who uses a KMS key of a cluster, for what, and what that takes.

Sources:
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html
    https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html
    https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSServiceRoleForImageBuilder.html
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trnkit.operations.preflight.policy_judgement import PolicyRequest, Requester

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.aws.sts import CallerIdentity

AUTO_SCALING_ROLE = "AWSServiceRoleForAutoScaling"
_AUTO_SCALING = f"role/aws-service-role/autoscaling.amazonaws.com/{AUTO_SCALING_ROLE}"
_IMAGE_BUILDER = "role/aws-service-role/imagebuilder.amazonaws.com/AWSServiceRoleForImageBuilder"
FSX_S3_ROLE = (
    "role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3*"
)
"""FSx makes one for each file system that is linked to a bucket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """One way to use a key.

    Attributes:
        who: Who uses it, for messages.
        service: The service through which KMS is asked, as `kms:ViaService` begins.
        must: Operations of KMS without which it certainly does not work.
        should: Further ones that AWS's page asks for.
        role: Name and path of the role that needs them; None where it may have any name.
        has_own_policy: Whether IAM policies of that role can allow them.
        context: Further condition keys of the requests.
    """

    who: str
    service: str
    must: tuple[str, ...]
    should: tuple[str, ...] = ()
    role: str | None = None
    has_own_policy: bool = True
    context: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    def grantee(self, caller: CallerIdentity) -> str | None:
        """ARN of the role in an account; None where it may have any name."""
        if self.role is None:
            return None
        return f"arn:{caller.partition}:iam::{caller.account}:{self.role}"

    def request(
        self, operation: str, caller: CallerIdentity, *, region: str, key_id: str
    ) -> PolicyRequest:
        """The request that a key's policy must let through.

        Args:
            operation: Of KMS.
            caller: Whose account and key it is.
            region: The key's Region.
            key_id: The key's id.
        """
        role = self.grantee(caller)
        suffix = ".cn" if caller.partition == "aws-cn" else ""
        known: dict[str, str | None] = {
            "aws:securetransport": "true",
            "aws:principalaccount": caller.account,
            "kms:calleraccount": caller.account,
            "kms:viaservice": f"{self.service}.{region}.amazonaws.com{suffix}",
            "aws:requestedregion": region,
        }
        if operation == "CreateGrant":
            known["kms:grantisforawsresource"] = "true"
        if role is not None:
            known["aws:principalarn"] = role
        return PolicyRequest(
            requester=Requester(
                account=caller.account, role=role, has_own_policy=self.has_own_policy
            ),
            action=f"kms:{operation}",
            resource=f"arn:{caller.partition}:kms:{region}:{caller.account}:key/{key_id}",
            context=known | dict(self.context),
        )


VOLUMES = KeyUse(
    who=AUTO_SCALING_ROLE,
    service="ec2",
    must=("CreateGrant", "Decrypt", "GenerateDataKeyWithoutPlaintext"),
    should=("DescribeKey", "Encrypt", "GenerateDataKey", "ReEncryptFrom", "ReEncryptTo"),
    role=_AUTO_SCALING,
    # Its policy is AWS's, and has nothing of KMS.
    has_own_policy=False,
)
SNAPSHOTS = KeyUse(
    who=AUTO_SCALING_ROLE,
    service="ec2",
    must=("CreateGrant", "Decrypt"),
    should=("DescribeKey", "ReEncryptFrom"),
    role=_AUTO_SCALING,
    has_own_policy=False,
)
IMAGES = KeyUse(
    who="AWSServiceRoleForImageBuilder",
    service="ec2",
    must=("CreateGrant", "Decrypt", "GenerateDataKeyWithoutPlaintext"),
    role=_IMAGE_BUILDER,
)
FILE_SYSTEM = KeyUse(
    who="the role that deploys", service="fsx", must=("CreateGrant", "DescribeKey")
)
HOMES = KeyUse(
    who="the role that deploys", service="elasticfilesystem", must=("CreateGrant", "DescribeKey")
)
READ_OBJECTS = KeyUse(who="the nodes' role", service="s3", must=("Decrypt",))
WRITE_OBJECTS = KeyUse(who="the nodes' role", service="s3", must=("Decrypt", "GenerateDataKey"))


def link_use(bucket_arn: str | None, *, has_bucket_key: bool = False, writes: bool) -> KeyUse:
    """How FSx uses the key of a bucket that a file system is linked to.

    Args:
        bucket_arn: ARN of the bucket; None for one whose name is not known yet.
        has_bucket_key: Whether KMS is asked for the bucket, and not for each object.
        writes: Whether FSx exports to it.
    """
    context = {"aws:userid": "AROA*:FSx"}
    if bucket_arn is not None:
        target = bucket_arn if has_bucket_key else f"{bucket_arn}/*"
        context["kms:encryptioncontext:aws:s3:arn"] = target
    return KeyUse(
        who="FSx",
        service="s3",
        must=("Decrypt", "GenerateDataKey") if writes else ("Decrypt",),
        role=FSX_S3_ROLE,
        has_own_policy=False,
        context=context,
    )
