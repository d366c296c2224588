"""Flow logs of a VPC, in a log group that outlives it."""

from __future__ import annotations

from typing import Literal, cast, get_args

from aws_cdk import Aws, CfnTag, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.arguments import one_of, same_region
from trnkit.catalog import storage_limits

TrafficType = Literal["ALL", "ACCEPT", "REJECT"]


class VpcFlowLog(Construct):
    """A flow log of a whole VPC into CloudWatch Logs.

    Creates `AWS::EC2::FlowLog`, `AWS::Logs::LogGroup` and an `AWS::IAM::Role` that may write to
    that one group. The log group is kept when the stack is deleted. EFA traffic bypasses what flow
    logs see; traffic with file systems and S3 is recorded, and its records are billed by volume.

    Sources:
        https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-cwl.html
        https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.network import ClusterVpc, VpcFlowLog
        >>> stack = Stack(App(), "Network")
        >>> network = ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3")
        >>> flow_log = VpcFlowLog(stack, "VpcFlowLog", vpc=network.vpc, retention_days=30)
    """

    log_group_name: str
    """Name of the log group, for metric filters and queries."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        vpc: ec2.IVpc,
        retention_days: int = 90,
        traffic_type: TrafficType = "ALL",
    ) -> None:
        """Create the flow log.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            vpc: The VPC whose traffic is recorded.
            retention_days: Days that a record is kept; one of the numbers CloudWatch Logs takes.
            traffic_type: `ALL`, `ACCEPT` or `REJECT`.

        Raises:
            ConstructError: A number or a type that there is not, or a VPC of another region.
        """
        super().__init__(scope, construct_id)
        one_of("retention_days", retention_days, storage_limits().log_retention_days)
        one_of("traffic_type", traffic_type, get_args(TrafficType))
        same_region(self, vpc=vpc)
        group = logs.CfnLogGroup(self, "LogGroup", retention_in_days=retention_days)
        group.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
        # The casts are for type checkers: CDK's classes name some parameters unlike its interfaces.
        role = iam.Role(
            self,
            "Role",
            description="Writes the flow logs of a VPC",
            assumed_by=cast(
                "iam.IPrincipal",
                iam.ServicePrincipal(
                    "vpc-flow-logs.amazonaws.com",
                    conditions={"StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID}},
                ),
            ),
            inline_policies={"Write": _may_write(group.attr_arn)},
        )
        ec2.CfnFlowLog(
            self,
            "Resource",
            resource_id=vpc.vpc_id,
            resource_type="VPC",
            traffic_type=traffic_type,
            log_destination_type="cloud-watch-logs",
            log_group_name=group.ref,
            deliver_logs_permission_arn=role.role_arn,
            tags=[CfnTag(key="Name", value=self.node.path)],
        )
        self.log_group_name = group.ref


def _may_write(log_group_arn: str) -> iam.PolicyDocument:
    return iam.PolicyDocument(
        statements=[
            iam.PolicyStatement(
                actions=["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
                resources=[log_group_arn],
            )
        ]
    )
