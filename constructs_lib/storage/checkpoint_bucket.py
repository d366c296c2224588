"""A bucket for checkpoints: versioned, encrypted, closed, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, cast, get_args

from aws_cdk import Fn, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from constructs_lib.arguments import (
    entries,
    is_unresolved,
    one_of,
    same_region,
    text,
    whole_number,
)
from constructs_lib.arguments import removal_policy as check_removal_policy
from trnkit.errors import ConstructError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk import aws_kms as kms

TransitionClass = Literal["STANDARD_IA", "INTELLIGENT_TIERING", "GLACIER_IR"]

_ON_OBJECTS = (
    *("s3:GetObject", "s3:PutObject", "s3:DeleteObject"),
    *("s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"),
)
_ON_THE_BUCKET = ("s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketMultipartUploads")


class CheckpointLifecycle(NamedTuple):
    """What becomes of objects under a prefix as they age.

    Attributes:
        prefix: Beginning of the keys.
        expiration_days: Days after which they are removed; None keeps them.
        transition_days: Days after which they move; None does not move them.
        transition_storage_class: Where they move to.
    """

    prefix: str
    expiration_days: int | None = None
    transition_days: int | None = None
    transition_storage_class: TransitionClass = "INTELLIGENT_TIERING"


class CheckpointBucket(Construct):
    """An S3 bucket for checkpoints that survives the stack.

    Creates `AWS::S3::Bucket` and `AWS::S3::BucketPolicy`. Versioned, so that an overwritten
    checkpoint can be brought back for some days; encrypted; all public access blocked; requests
    without TLS refused; access control lists off. Uploads that never end are cleared away, because
    their parts cost money and are not listed. Bucket and policy are kept together, unless the very
    deployment that makes them fails.

    It keeps no access log: with CloudTrail data events the account decides about that in one place.

    Sources:
        https://docs.aws.amazon.com/AmazonS3/latest/userguide/security-best-practices.html
        https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import NodeRole
        >>> from constructs_lib.storage import CheckpointBucket, CheckpointLifecycle
        >>> stack = Stack(App(), "Storage")
        >>> bucket = CheckpointBucket(
        ...     stack, "Checkpoints",
        ...     lifecycle=[CheckpointLifecycle("runs/", expiration_days=90)])
        >>> bucket.grant_read_write(NodeRole(stack, "NodeRole").role)
    """

    bucket_name: str
    """Name of the bucket, given by CloudFormation."""

    bucket_arn: str
    """ARN of the bucket."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        kms_key: kms.IKey | None = None,
        abort_incomplete_multipart_upload_days: int = 7,
        noncurrent_version_expiration_days: int = 30,
        lifecycle: Sequence[CheckpointLifecycle] = (),
        removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ) -> None:
        """Create the bucket.

        Args:
            scope: Parent.
            construct_id: Id within the parent. Changing it makes another, empty bucket.
            kms_key: Key of new objects. None takes S3's own keys (SSE-S3).
            abort_incomplete_multipart_upload_days: Days after which the parts of an upload that
                never ended are removed.
            noncurrent_version_expiration_days: Days to keep what was overwritten or deleted.
            lifecycle: What becomes of old objects. None by default: they stay.
            removal_policy: What happens on delete and on replacement. By default both keep it, but
                a deployment that fails while it makes it leaves nothing behind.

        Raises:
            ConstructError: A lifecycle that S3 refuses, or a value of another kind.
        """
        super().__init__(scope, construct_id)
        check_removal_policy("removal_policy", removal_policy)
        same_region(self, kms_key=kms_key)
        _check_days(
            "abort_incomplete_multipart_upload_days", abort_incomplete_multipart_upload_days
        )
        _check_days("noncurrent_version_expiration_days", noncurrent_version_expiration_days)
        _check_lifecycle(lifecycle)
        self._key_arn = kms_key.key_arn if kms_key else None
        data = s3.CfnBucket
        bucket = data(
            self,
            "Resource",
            versioning_configuration=data.VersioningConfigurationProperty(status="Enabled"),
            bucket_encryption=_encryption(self._key_arn),
            public_access_block_configuration=data.PublicAccessBlockConfigurationProperty(
                block_public_acls=True,
                block_public_policy=True,
                ignore_public_acls=True,
                restrict_public_buckets=True,
            ),
            ownership_controls=data.OwnershipControlsProperty(
                rules=[data.OwnershipControlsRuleProperty(object_ownership="BucketOwnerEnforced")]
            ),
            lifecycle_configuration=data.LifecycleConfigurationProperty(
                rules=[
                    _housekeeping(
                        abort_incomplete_multipart_upload_days, noncurrent_version_expiration_days
                    ),
                    *(_lifecycle_rule(index, entry) for index, entry in enumerate(lifecycle)),
                ]
            ),
        )
        policy = s3.CfnBucketPolicy(
            self,
            "Policy",
            bucket=bucket.ref,
            policy_document=_tls_only(bucket.attr_arn),
        )
        for kept in (bucket, policy):
            kept.apply_removal_policy(removal_policy, apply_to_update_replace_policy=True)
        self.bucket_name, self.bucket_arn = bucket.ref, bucket.attr_arn

    def grant_read_write(self, role: iam.IRole) -> None:
        """Let a role list the bucket, and read, write and delete its objects.

        Deleting leaves a noncurrent version; versions themselves it cannot delete.

        Args:
            role: The role, also one of another stack: the permissions are added there.
        """
        statements = [
            iam.PolicyStatement(actions=list(_ON_THE_BUCKET), resources=[self.bucket_arn]),
            iam.PolicyStatement(
                actions=list(_ON_OBJECTS), resources=[Fn.join("", [self.bucket_arn, "/*"])]
            ),
        ]
        if self._key_arn is not None:
            actions = ["kms:Decrypt", "kms:GenerateDataKey"]
            statements.append(iam.PolicyStatement(actions=actions, resources=[self._key_arn]))
        for statement in statements:
            role.add_to_principal_policy(statement)


def _encryption(key_arn: str | None) -> s3.CfnBucket.BucketEncryptionProperty:
    """A bucket key spares a request to KMS for every object."""
    data = s3.CfnBucket
    default = data.ServerSideEncryptionByDefaultProperty(
        sse_algorithm="aws:kms" if key_arn else "AES256", kms_master_key_id=key_arn
    )
    rule = data.ServerSideEncryptionRuleProperty(
        server_side_encryption_by_default=default, bucket_key_enabled=True if key_arn else None
    )
    return data.BucketEncryptionProperty(server_side_encryption_configuration=[rule])


def _housekeeping(abort_days: int, noncurrent_days: int) -> s3.CfnBucket.RuleProperty:
    data = s3.CfnBucket
    return data.RuleProperty(
        id="Housekeeping",
        status="Enabled",
        abort_incomplete_multipart_upload=data.AbortIncompleteMultipartUploadProperty(
            days_after_initiation=abort_days
        ),
        noncurrent_version_expiration=data.NoncurrentVersionExpirationProperty(
            noncurrent_days=noncurrent_days
        ),
        expired_object_delete_marker=True,
    )


def _lifecycle_rule(index: int, entry: CheckpointLifecycle) -> s3.CfnBucket.RuleProperty:
    data = s3.CfnBucket
    moves = (
        [
            data.TransitionProperty(
                storage_class=entry.transition_storage_class,
                transition_in_days=entry.transition_days,
            )
        ]
        if entry.transition_days is not None
        else None
    )
    return data.RuleProperty(
        id=f"Lifecycle{index}",
        status="Enabled",
        prefix=entry.prefix,
        expiration_in_days=entry.expiration_days,
        transitions=moves,
    )


def _tls_only(bucket_arn: str) -> iam.PolicyDocument:
    return iam.PolicyDocument(
        statements=[
            iam.PolicyStatement(
                sid="TlsOnly",
                effect=iam.Effect.DENY,
                principals=[cast("iam.IPrincipal", iam.AnyPrincipal())],
                actions=["s3:*"],
                resources=[bucket_arn, Fn.join("", [bucket_arn, "/*"])],
                conditions={"Bool": {"aws:SecureTransport": "false"}},
            )
        ]
    )


def _check_days(name: str, days: int) -> None:
    whole_number(name, days, least=1)


def _check_lifecycle(lifecycle: Sequence[CheckpointLifecycle]) -> None:
    entries("lifecycle", lifecycle, CheckpointLifecycle)
    prefixes = [entry.prefix for entry in lifecycle]
    for entry in lifecycle:
        if entry.prefix != "":
            text("prefix", entry.prefix)
        place = f"of {entry.prefix!r}"
        whole_number(f"expiration_days {place}", entry.expiration_days, least=1, optional=True)
        whole_number(f"transition_days {place}", entry.transition_days, least=0, optional=True)
        classes = get_args(TransitionClass)
        one_of(f"transition_storage_class {place}", entry.transition_storage_class, classes)
        if prefixes.count(entry.prefix) > 1:
            raise ConstructError(
                f"lifecycle must name each prefix once, got {entry.prefix!r} twice"
            )
        if entry.expiration_days is None and entry.transition_days is None:
            raise ConstructError(
                f"lifecycle of {entry.prefix!r} must have expiration_days or transition_days"
            )
        moves, ends = entry.transition_days, entry.expiration_days
        if moves is None or ends is None or is_unresolved(moves) or is_unresolved(ends):
            continue
        if ends <= moves:
            raise ConstructError(
                f"expiration_days of {entry.prefix!r} must be more than its transition_days "
                f"{moves}, got {ends}"
            )
