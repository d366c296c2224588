"""A KMS key for the volumes of nodes, with the grants that Auto Scaling needs."""

from __future__ import annotations

from typing import cast

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

_USE = ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"]
_ROLE = "role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"


class NodeVolumeKey(Construct):
    """A customer managed key that Auto Scaling can start instances with.

    Creates `AWS::KMS::Key`, rotated every year, and retained unless it is the deployment that made
    it which fails. Without the two grants to the service-linked role of Auto Scaling, instances
    with encrypted volumes end as soon as they start (Client.InvalidKMSKey.InvalidState or
    Client.InternalError).

    The role must exist before a key policy can name it. Auto Scaling makes it with an account's
    first group; in a new account make it once with
    `aws iam create-service-linked-role --aws-service-name autoscaling.amazonaws.com`.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import NodeVolumeKey, NodeVolumes
        >>> key = NodeVolumeKey(Stack(App(), "Compute"), "NodeVolumeKey")
        >>> volumes = NodeVolumes(root_kms_key_arn=key.key.key_arn)
    """

    key: kms.IKey
    """The key."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        """Create the key.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
        """
        super().__init__(scope, construct_id)
        key = kms.Key(
            self,
            "Resource",
            description="Volumes of the nodes of a trnkit cluster",
            enable_key_rotation=True,
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        )
        stack = Stack.of(self)
        # The casts are for type checkers: CDK's classes name some parameters unlike its interfaces.
        role = cast(
            "iam.IPrincipal",
            iam.ArnPrincipal(f"arn:{stack.partition}:iam::{stack.account}:{_ROLE}"),
        )
        key.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AutoScalingUsesTheKey", principals=[role], actions=_USE, resources=["*"]
            )
        )
        key.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AutoScalingLendsTheKeyToVolumes",
                principals=[role],
                actions=["kms:CreateGrant"],
                resources=["*"],
                conditions={"Bool": {"kms:GrantIsForAWSResource": "true"}},
            )
        )
        self.key = cast("kms.IKey", key)
