"""An S3 bucket that nodes mount, and what their role needs for it."""

from __future__ import annotations

from aws_cdk import Arn, ArnComponents, Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.arguments import text
from constructs_lib.compute.node_boot import S3Mount
from trnkit.config.storage_values import KmsKeyArn
from trnkit.layout.s3_mountpoints import object_prefix

_READ = ("s3:GetObject",)
_WRITE = ("s3:PutObject", "s3:AbortMultipartUpload")


class S3Mountpoint(Construct):
    """A bucket in the stack's region, mounted with Mountpoint for Amazon S3.

    The bucket exists already and is not changed. `grant` adds to the `AWS::IAM::Policy` of a role
    what Mountpoint needs for this bucket and prefix, and no more. A writable mount adds objects and
    changes or deletes none. The role cannot delete either, but S3's own API lets whoever may add an
    object replace one. Hand `mount` to the `NodeBoot` of the launch template.

    Sources:
        https://docs.aws.amazon.com/AmazonS3/latest/userguide/mountpoint.html
        https://docs.aws.amazon.com/AmazonS3/latest/userguide/mountpoint-usage.html
        https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from constructs_lib.compute import NodeBoot, NodeRole, S3Mountpoint
        >>> stack = Stack(App(), "Compute", env=Environment(region="us-east-2"))
        >>> corpus = S3Mountpoint(
        ...     stack, "Corpus", bucket_name="our-corpus", prefix="tokenized/v2/",
        ...     mount_path="/data/corpus")
        >>> corpus.grant(NodeRole(stack, "NodeRole").role)
        >>> boot = NodeBoot(s3_mounts=(corpus.mount,))
    """

    mount: S3Mount
    """What the nodes have to know, for `NodeBoot`."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        bucket_name: str,
        mount_path: str,
        prefix: str | None = None,
        read_only: bool = True,
        kms_key_arn: str | None = None,
    ) -> None:
        """Describe the mount.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            bucket_name: Name of a general purpose bucket.
            mount_path: Where nodes mount it.
            prefix: Part of the bucket to mount; None mounts all of it.
            read_only: Whether nodes only read; else they can add new objects, too.
            kms_key_arn: Key that the objects are encrypted with (SSE-KMS). None for S3's own keys.

        Raises:
            ConstructError: A name that no bucket has, or a value of another shape.
        """
        super().__init__(scope, construct_id)
        self.mount = S3Mount(
            bucket_name=bucket_name,
            mount_path=mount_path,
            region=Stack.of(self).region,
            prefix=prefix,
            read_only=read_only,
        )
        text("kms_key_arn", kms_key_arn, KmsKeyArn, optional=True)
        self._key_arn = kms_key_arn

    def grant(self, role: iam.IRole) -> None:
        """Let a role mount it.

        Args:
            role: The nodes' role, also one of another stack: the permissions are added there. The
                CDK adds nothing to a role that it must not change, such as another account's.
        """
        for statement in self._needs():
            role.add_to_principal_policy(statement)

    def _needs(self) -> list[iam.PolicyStatement]:
        stack, mount = Stack.of(self), self.mount
        bucket = Arn.format(
            ArnComponents(service="s3", region="", account="", resource=mount.bucket_name), stack
        )
        prefix = object_prefix(mount.prefix)
        on_objects = _READ if mount.read_only else (*_READ, *_WRITE)
        statements = [
            iam.PolicyStatement(
                actions=["s3:ListBucket"],
                resources=[bucket],
                conditions={"StringLike": {"s3:prefix": f"{prefix}*"}} if prefix else None,
            ),
            iam.PolicyStatement(actions=list(on_objects), resources=[f"{bucket}/{prefix}*"]),
        ]
        if self._key_arn is not None:
            keys = ["kms:Decrypt"] if mount.read_only else ["kms:Decrypt", "kms:GenerateDataKey"]
            through_s3 = {"kms:ViaService": f"s3.{mount.region}.{stack.url_suffix}"}
            statements.append(
                iam.PolicyStatement(
                    actions=keys,
                    resources=[self._key_arn],
                    conditions={"StringEquals": through_s3},
                )
            )
        return statements
