"""What a node may say about itself: that it is ready, or has failed."""

from __future__ import annotations

from aws_cdk import Arn, ArnComponents, ArnFormat, Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.arguments import is_unresolved, text
from trnkit.config.values import TagKey, TagValue
from trnkit.layout.node_settings import STATE_TAG


class NodeReports(Construct):
    """Permissions for nodes to complete their group's lifecycle hook and to tag themselves.

    Creates no resource of its own; `grant` adds statements to a role's `AWS::IAM::Policy`. A node
    can report for the groups, and tag the instances, that carry the cluster's tag, with the one key
    for its state: IAM has no condition that names the calling instance in these actions.

    Sources:
        https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html
        https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import NodeReports, NodeRole
        >>> stack = Stack(App(), "Compute")
        >>> reports = NodeReports(stack, "Reports", tag_key="trnkit-cluster", tag_value="pretrain")
        >>> reports.grant(NodeRole(stack, "NodeRole").role)
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, tag_key: str, tag_value: str
    ) -> None:
        """Describe whose nodes they are.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            tag_key: Key of a tag on the groups and their instances.
            tag_value: Its value.

        Raises:
            ConstructError: No key or value of a tag.
        """
        super().__init__(scope, construct_id)
        text("tag_key", tag_key, TagKey)
        if not is_unresolved(tag_value):
            text("tag_value", tag_value, TagValue)
        self._tagged = {f"aws:ResourceTag/{tag_key}": tag_value}

    def grant(self, role: iam.IRole) -> None:
        """Let a role report.

        Args:
            role: The nodes' role.
        """
        groups = self._arn("autoscaling", "autoScalingGroup", "*:autoScalingGroupName/*")
        instances = self._arn("ec2", "instance", "*")
        one_key = {"ForAllValues:StringEquals": {"aws:TagKeys": [STATE_TAG]}}
        for statement in (
            # Has no resource-level permissions.
            iam.PolicyStatement(
                actions=["autoscaling:DescribeAutoScalingInstances"], resources=["*"]
            ),
            iam.PolicyStatement(
                actions=[
                    "autoscaling:CompleteLifecycleAction",
                    "autoscaling:RecordLifecycleActionHeartbeat",
                ],
                resources=[groups],
                conditions={"StringEquals": self._tagged},
            ),
            iam.PolicyStatement(
                actions=["ec2:CreateTags"],
                resources=[instances],
                conditions={"StringEquals": self._tagged, **one_key},
            ),
        ):
            role.add_to_principal_policy(statement)

    def _arn(self, service: str, resource: str, name: str) -> str:
        form = (
            ArnFormat.COLON_RESOURCE_NAME
            if service == "autoscaling"
            else ArnFormat.SLASH_RESOURCE_NAME
        )
        parts = ArnComponents(
            service=service, resource=resource, resource_name=name, arn_format=form
        )
        return Arn.format(parts, Stack.of(self))
