"""The IAM role that nodes run under."""

from __future__ import annotations

from typing import cast

from aws_cdk import aws_iam as iam
from constructs import Construct

SSM_CORE = "AmazonSSMManagedInstanceCore"


class NodeRole(Construct):
    """The role and instance profile of a cluster's nodes.

    Creates `AWS::IAM::Role` and `AWS::IAM::InstanceProfile`. The role may be assumed by EC2 alone
    and carries one managed policy, AmazonSSMManagedInstanceCore, so that people reach the nodes
    through Session Manager: no SSH key, no open port. Add what your jobs need to `role`.

    Source: https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import NodeRole
        >>> nodes = NodeRole(Stack(App(), "Compute"), "NodeRole")
    """

    role: iam.IRole
    """The role, for further grants."""

    instance_profile: iam.IInstanceProfile
    """The profile, for launch templates."""

    def __init__(
        self, scope: Construct, construct_id: str, *, role: iam.IRole | None = None
    ) -> None:
        """Create role and profile.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            role: An existing role to use. None makes one.
        """
        super().__init__(scope, construct_id)
        # The casts are for type checkers: CDK's classes name some parameters unlike its interfaces.
        own = (
            None
            if role
            else iam.Role(
                self,
                "Resource",
                assumed_by=cast("iam.IPrincipal", iam.ServicePrincipal("ec2.amazonaws.com")),
                description="Nodes of a trnkit cluster",
                managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(SSM_CORE)],
            )
        )
        self.role = role or cast("iam.IRole", own)
        self.instance_profile = iam.InstanceProfile(self, "InstanceProfile", role=self.role)
