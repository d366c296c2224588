"""The IAM role that nodes run under."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.arguments import entries
from trnkit.errors import ConstructError

SSM_CORE = "AmazonSSMManagedInstanceCore"


class NodeRole(Construct):
    """The role and instance profile of a cluster's nodes.

    Creates `AWS::IAM::Role` and `AWS::IAM::InstanceProfile`. The role may be assumed by EC2 alone
    and carries one managed policy, AmazonSSMManagedInstanceCore, so that people reach the nodes
    through Session Manager: no SSH key, no open port. Add what your jobs need by further managed
    policies, or to `role`.

    Sources:
        https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager.html
        https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html

    Example:
        >>> from aws_cdk import App, Stack, aws_iam as iam
        >>> from constructs_lib.compute import NodeRole
        >>> images = iam.ManagedPolicy.from_aws_managed_policy_name(
        ...     "AmazonEC2ContainerRegistryPullOnly")
        >>> nodes = NodeRole(Stack(App(), "Compute"), "NodeRole", managed_policies=[images])
    """

    role: iam.IRole
    """The role, for further grants."""

    instance_profile: iam.IInstanceProfile
    """The profile, for launch templates."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        role: iam.IRole | None = None,
        managed_policies: Sequence[iam.IManagedPolicy] = (),
    ) -> None:
        """Create role and profile.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            role: An existing role to use. None makes one.
            managed_policies: What the new role gets beside AmazonSSMManagedInstanceCore. A role
                takes 10 in all unless AWS has raised the quota.

        Raises:
            ConstructError: Policies for a role that exists, or no list of policies.
        """
        super().__init__(scope, construct_id)
        _check(role, managed_policies)
        # The casts are for type checkers: CDK's classes name some parameters unlike its interfaces.
        own = (
            None
            if role
            else iam.Role(
                self,
                "Resource",
                assumed_by=cast("iam.IPrincipal", iam.ServicePrincipal("ec2.amazonaws.com")),
                description="Nodes of a trnkit cluster",
                managed_policies=[
                    iam.ManagedPolicy.from_aws_managed_policy_name(SSM_CORE),
                    *managed_policies,
                ],
            )
        )
        self.role = role or cast("iam.IRole", own)
        self.instance_profile = iam.InstanceProfile(self, "InstanceProfile", role=self.role)


def _check(role: iam.IRole | None, managed_policies: Sequence[iam.IManagedPolicy]) -> None:
    entries("managed_policies", managed_policies)
    for policy in managed_policies:
        if not hasattr(policy, "managed_policy_arn"):
            raise ConstructError(
                f"each of managed_policies must be an iam.IManagedPolicy, got {policy!r}"
            )
    if role is not None and managed_policies:
        raise ConstructError(
            "managed_policies must be empty with an existing role: attach them where it is made"
        )
