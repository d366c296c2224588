"""What an enforcer may do: to the groups that it may touch, and to no other.

Sources:
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/control-access-using-iam.html
    https://docs.aws.amazon.com/systems-manager/latest/userguide/run-command-setting-up.html
    https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import aws_iam as iam

from trnkit.layout.tags import CLUSTER_TAG, NODE_GROUP_TAG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk import Stack
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_sns as sns

    from trnkit.layout.spend_guard import EnforcementPlan, GuardedGroup, WatchdogPlan

_READS = {
    "asg": ["autoscaling:DescribeAutoScalingGroups"],
    "pcs": ["pcs:GetComputeNodeGroup", "pcs:ListTagsForResource"],
    "eks": ["eks:DescribeNodegroup"],
    "batch": ["batch:DescribeComputeEnvironments"],
    "sagemaker": ["sagemaker:DescribeCluster", "sagemaker:ListTags"],
}
_WRITES = {
    "pcs": ("pcs:UpdateComputeNodeGroup", "pcs", "cluster/*"),
    "eks": ("eks:UpdateNodegroupConfig", "eks", "nodegroup/*"),
    "batch": ("batch:UpdateComputeEnvironment", "batch", "compute-environment/*"),
    "sagemaker": ("sagemaker:UpdateCluster", "sagemaker", "cluster/*"),
}
_DOCUMENT = "AWS-RunShellScript"


def enforcer_statements(
    stack: Stack,
    watchdog: WatchdogPlan,
    plan: EnforcementPlan,
    table_arn: str,
    topic: sns.ITopic,
    key: kms.IKey | None,
) -> list[iam.PolicyStatement]:
    """What the function may, besides writing its log; a dry run may change nothing of a cluster."""
    statements = [_table(table_arn), _topic(topic)]
    if key is not None:
        actions = ["kms:GenerateDataKey*", "kms:Decrypt"]
        statements.append(iam.PolicyStatement(actions=actions, resources=[key.key_arn]))
    drivers = sorted({group.driver for group in watchdog.groups})
    reads = [action for driver in drivers for action in _READS[driver]]
    here = {"StringEquals": {"aws:RequestedRegion": stack.region}}
    statements.append(iam.PolicyStatement(actions=reads, resources=["*"], conditions=here))
    touched = plan.touchable(watchdog.groups)
    if touched:
        statements += _changes(stack, watchdog.cluster, touched)
        if plan.checkpoint_minutes:
            statements += _checkpoints(stack, watchdog.cluster, touched)
    return statements


def _table(arn: str) -> iam.PolicyStatement:
    """Its own rows and the observation; never the ledger."""
    return iam.PolicyStatement(
        actions=["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"],
        resources=[arn],
        conditions={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["audit", "guard"]}},
    )


def _topic(topic: sns.ITopic) -> iam.PolicyStatement:
    return iam.PolicyStatement(actions=["sns:Publish"], resources=[topic.topic_arn])


def _changes(
    stack: Stack, cluster: str, touched: Sequence[GuardedGroup]
) -> list[iam.PolicyStatement]:
    """Changes of size, and of whether anything is launched.

    Launches may be allowed again in every group of the cluster: one may have become protected since
    they were denied.
    """
    statements: list[iam.PolicyStatement] = []
    drivers = sorted({group.driver for group in touched})
    own = {f"aws:ResourceTag/{CLUSTER_TAG}": cluster}
    names = sorted(group.name for group in touched if group.driver == "asg")
    if names:
        groups = _arn(stack, "autoscaling", "autoScalingGroup:*:autoScalingGroupName/*")
        statements += [
            iam.PolicyStatement(
                actions=["autoscaling:SuspendProcesses", "autoscaling:UpdateAutoScalingGroup"],
                resources=[groups],
                conditions={"StringEquals": {**own, f"aws:ResourceTag/{NODE_GROUP_TAG}": names}},
            ),
            iam.PolicyStatement(
                actions=["autoscaling:ResumeProcesses"],
                resources=[groups],
                conditions={"StringEquals": own},
            ),
        ]
    for driver in drivers:
        if driver != "asg":
            action, service, resource = _WRITES[driver]
            statements.append(
                iam.PolicyStatement(
                    actions=[action],
                    resources=[_arn(stack, service, resource)],
                    conditions={"StringEquals": own},
                )
            )
    if "sagemaker" in drivers:
        # HyperPod wants the role of a group's nodes with every update of the group.
        service = {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}
        role = f"arn:{stack.partition}:iam::{stack.account}:role/*"
        statements.append(
            iam.PolicyStatement(actions=["iam:PassRole"], resources=[role], conditions=service)
        )
    return statements


def _checkpoints(
    stack: Stack, cluster: str, touched: Sequence[GuardedGroup]
) -> list[iam.PolicyStatement]:
    names = sorted(group.name for group in touched)
    document = f"arn:{stack.partition}:ssm:{stack.region}::document/{_DOCUMENT}"
    tags = {f"ssm:resourceTag/{CLUSTER_TAG}": cluster, f"ssm:resourceTag/{NODE_GROUP_TAG}": names}
    return [
        iam.PolicyStatement(actions=["ssm:SendCommand"], resources=[document]),
        iam.PolicyStatement(
            actions=["ssm:SendCommand"],
            resources=[_arn(stack, "ec2", "instance/*")],
            conditions={"StringEquals": tags},
        ),
    ]


def _arn(stack: Stack, service: str, resource: str) -> str:
    return f"arn:{stack.partition}:{service}:{stack.region}:{stack.account}:{resource}"
