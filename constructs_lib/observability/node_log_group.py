"""The log group that nodes write to, and the rights to write there and to send metrics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from aws_cdk import ArnFormat, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.arguments import is_unresolved, one_of, same_region, text
from constructs_lib.arguments import removal_policy as check_removal_policy
from trnkit.catalog import storage_limits
from trnkit.errors import ConstructError

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms

_MAY_WRITE = ("logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents")
_KEY_USE = ("kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*")
_OF_AWS = "AWS/"
_NAMESPACE = re.compile(r"[A-Za-z0-9._/#: -]{1,255}")


class NodeLogGroup(Construct):
    """A log group for boot logs, system logs and metrics of nodes, with retention.

    Creates `AWS::Logs::LogGroup`. Nodes may not make one: what they would make keeps everything
    for ever. CloudFormation names it, and it is kept when the stack is deleted, unless the very
    deployment that makes it fails. It sends nothing and installs nothing: a node's agent does.

    Sources:
        https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/Working-with-log-groups-and-streams.html
        https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
        https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/iam-cw-condition-keys-namespace.html
        https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricData.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import NodeRole
        >>> from constructs_lib.observability import NodeLogGroup
        >>> stack = Stack(App(), "Compute")
        >>> log_group = NodeLogGroup(stack, "NodeLogs", retention_days=30)
        >>> role = NodeRole(stack, "NodeRole").role
        >>> log_group.grant_write(role)
        >>> log_group.grant_metrics(role, "trnkit")
    """

    log_group_name: str
    """Name of the log group, given by CloudFormation."""

    log_group_arn: str
    """ARN of the log group and all its streams: it ends with `:*`."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        retention_days: int = 30,
        kms_key: kms.IKey | None = None,
        removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ) -> None:
        """Create the log group.

        Args:
            scope: Parent.
            construct_id: Id within the parent. Changing it makes another, empty group.
            retention_days: Days that an event is kept; one of the numbers CloudWatch Logs takes.
            kms_key: Key of the events. A key of the same app is told to let CloudWatch Logs use
                it; one from elsewhere must allow that already, else the deployment fails. None
                leaves encryption to CloudWatch Logs.
            removal_policy: What happens on delete and on replacement. By default both keep it, but
                a deployment that fails while it makes it leaves nothing behind.

        Raises:
            ConstructError: A number of days that there is not, or a key of another region.
        """
        super().__init__(scope, construct_id)
        one_of("retention_days", retention_days, storage_limits().log_retention_days)
        check_removal_policy("removal_policy", removal_policy)
        same_region(self, kms_key=kms_key)
        if kms_key is not None:
            kms_key.add_to_resource_policy(_logs_may_use_the_key(Stack.of(self)))
        group = logs.CfnLogGroup(
            self,
            "Resource",
            retention_in_days=retention_days,
            kms_key_id=kms_key.key_arn if kms_key else None,
        )
        group.apply_removal_policy(removal_policy, apply_to_update_replace_policy=True)
        self.log_group_name, self.log_group_arn = group.ref, group.attr_arn

    def grant_write(self, role: iam.IRole) -> None:
        """Let a role make streams of this group and write to them, and nothing in other groups.

        Metrics in the embedded metric format arrive this way and need no other right.

        Args:
            role: The role, also one of another stack: the permissions are added there.
        """
        role.add_to_principal_policy(
            iam.PolicyStatement(actions=list(_MAY_WRITE), resources=[self.log_group_arn])
        )

    def grant_metrics(self, role: iam.IRole, namespace: str) -> None:
        """Let a role send metrics of one namespace.

        `PutMetricData` knows no resources: the namespace is a condition.

        Args:
            role: The role, also one of another stack: the permissions are added there.
            namespace: The namespace, not one of AWS's own.

        Raises:
            ConstructError: A namespace that CloudWatch does not take.
        """
        check_namespace(namespace)
        role.add_to_principal_policy(
            iam.PolicyStatement(
                actions=["cloudwatch:PutMetricData"],
                resources=["*"],
                conditions={"StringEquals": {"cloudwatch:namespace": namespace}},
            )
        )


def check_namespace(namespace: str) -> None:
    """Refuse a namespace that CloudWatch does not take, and AWS's own.

    Raises:
        ConstructError: It is one of those.
    """
    text("namespace", namespace)
    if is_unresolved(namespace):
        return
    if namespace.startswith(_OF_AWS):
        raise ConstructError(f"namespace must not begin with {_OF_AWS}, got {namespace!r}")
    if namespace.startswith(":") or not _NAMESPACE.fullmatch(namespace):
        raise ConstructError(
            "namespace must be 1 to 255 letters, digits and . - _ / # : or spaces, "
            f"and not begin with a colon, got {namespace[:300]!r}"
        )


def _logs_may_use_the_key(stack: Stack) -> iam.PolicyStatement:
    """For log groups of this account and region alone; naming the group would be a circle."""
    groups = stack.format_arn(
        service="logs",
        resource="log-group",
        resource_name="*",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
    service = iam.ServicePrincipal(f"logs.{stack.region}.amazonaws.com")
    return iam.PolicyStatement(
        # The cast is for type checkers: CDK's class names a parameter unlike its interface.
        principals=[cast("iam.IPrincipal", service)],
        actions=list(_KEY_USE),
        resources=["*"],
        conditions={"ArnLike": {"kms:EncryptionContext:aws:logs:arn": groups}},
    )
