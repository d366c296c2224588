"""What cdk-nag's rule packs say of our constructs and does not apply, each with its reason.

The only place for such acknowledgements. They do nothing in an app that does not use cdk-nag. What
a compliance pack rightly asks for and a cluster file decides (flow logs, a log of accesses, a key
of one's own) is not acknowledged here: docs/policy-packs.md says what to do about each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from aws_cdk import Acknowledgment, Stack, Token, Validations
from constructs import IConstruct

from trnkit.config import PACK_NAMES, RulePack

_NO_FLOW_LOGS = "AwsSolutions-VPC7"
_SSM_CORE = "arn:<AWS::Partition>:iam::aws:policy/AmazonSSMManagedInstanceCore"
_BUILDER = "arn:<AWS::Partition>:iam::aws:policy/EC2InstanceProfileForImageBuilder"
_LIFECYCLE = (
    "arn:<AWS::Partition>:iam::aws:policy/service-role/EC2ImageBuilderLifecycleExecutionPolicy"
)
_CLUSTER = "<cluster>"
_MOUNTED = "<mounted>"
_PARTITION = "<partition>"
_ROLE = "<role>"
_REGION = "<region>"
_ACCOUNT = "<account>"
_BUCKET = f"{_CLUSTER}-Storage:ExportsOutputFnGetAttCheckpointBucketDFE4871AArn263F8C5B"

REASONS = {
    _NO_FLOW_LOGS: "Flow logs are the account owner's decision: the nodes of a cluster move "
    "terabytes a day, and EFA traffic does not appear in them. Ask for them with "
    "`network.flow_logs` where your policy wants them.",
    f"AwsSolutions-IAM4[Policy::{_SSM_CORE}]": "The policy is AWS's own minimum for Session "
    "Manager and is kept current by AWS; a copy would age.",
    f"AwsSolutions-IAM4[Policy::{_BUILDER}]": "The policy is AWS's own for machines that EC2 Image "
    "Builder builds on, and is kept current by AWS; a copy would age.",
    f"AwsSolutions-IAM4[Policy::{_LIFECYCLE}]": "The policy is AWS's own for deleting images that "
    "EC2 Image Builder made, by their tags, and is kept current by AWS; a copy would age.",
    "AwsSolutions-AS3": "Scaling events of a node group are for whoever runs the cluster to "
    "subscribe to; the group has a fixed size and its activity is in its own history.",
    "AwsSolutions-S1": "Who reads checkpoints is logged by CloudTrail data events, which the "
    "account switches on for all its buckets; a log bucket per cluster would need one of its own.",
    f"AwsSolutions-IAM5[Resource::{_BUCKET}/*]": "Nodes read and write every object of their own "
    "checkpoint bucket and of no other; S3 has no other way to say so.",
    f"AwsSolutions-IAM5[Resource::{_MOUNTED}*]": "Nodes read (and where the mount is writable add) "
    "the objects below what they mount, and no others; S3 has no other way to say so.",
}
"""Rule of the AwsSolutions pack -> why it is acknowledged."""

NODE_ROLE_REASONS = {
    "AwsSolutions-IAM5[Resource::*]": "A node asks in which group it is, so that it can report "
    "there; autoscaling:DescribeAutoScalingInstances has no resource-level permissions. Nor has "
    "cloudwatch:PutMetricData, which a condition limits to the cluster's namespace.",
    f"AwsSolutions-IAM5[Resource::arn:{_PARTITION}:autoscaling:{_REGION}:{_ACCOUNT}:"
    "autoScalingGroup:*:autoScalingGroupName/*]": "A condition on the cluster's tag leaves the "
    "groups of the cluster; their names are CloudFormation's and known at deployment only.",
    f"AwsSolutions-IAM5[Resource::arn:{_PARTITION}:ec2:{_REGION}:{_ACCOUNT}:instance/*]": "A "
    "condition on the cluster's tag leaves the nodes of the cluster, and one on tag keys the tag "
    "of their state.",
}
"""The same, for the nodes' role alone."""

GUARD_REASONS = {
    "AwsSolutions-IAM5[Resource::*]": "What only looks has no resource-level permissions: "
    "ec2:DescribeInstances, ec2:DescribeCapacityReservations, cloudwatch:GetMetricData and "
    "autoscaling:DescribeAutoScalingGroups, limited to the Region; nor has "
    "cloudwatch:PutMetricData, limited to the watchdog's namespace.",
    "AwsSolutions-IAM5[Action::kms:GenerateDataKey*]": "SNS asks with GenerateDataKey or "
    "GenerateDataKeyWithoutPlaintext; both are meant, with the topic's key alone.",
    f"AwsSolutions-IAM5[Resource::arn:{_PARTITION}:autoscaling:{_REGION}:{_ACCOUNT}:"
    "autoScalingGroup:*:autoScalingGroupName/*]": "Conditions on the cluster's tag and on those of "
    "the node groups leave what may be scaled in; names of groups are CloudFormation's.",
    f"AwsSolutions-IAM5[Resource::arn:{_PARTITION}:ec2:{_REGION}:{_ACCOUNT}:instance/*]": "A "
    "condition on the tags of the cluster and its node groups leaves the nodes that are told to "
    "write a checkpoint; instances come and go.",
    f"AwsSolutions-IAM5[Resource::arn:{_PARTITION}:kms:{_REGION}:{_ACCOUNT}:key/*]": "The file "
    "names a topic and not its key: conditions allow the key's use through SNS alone, and for "
    "that topic alone.",
    "AwsSolutions-SQS3": "These queues are where failed runs of a function end: the function's "
    "destination and the rules' dead-letter queue, of which the rule sees nothing.",
    "AwsSolutions-L1": "The functions are tested with Python 3.13, which Lambda maintains; a newer "
    "runtime is a change of its own, with tests.",
}
"""The same, for the functions that watch and stop spending."""

DENIAL_REASONS = {
    f"AwsSolutions-IAM5[Resource::arn:{_PARTITION}:iam::{_ACCOUNT}:role/*/{_ROLE}]": "The role may "
    "have a path, which the file does not name; and a condition leaves one policy that can be "
    "attached.",
}
"""The same, for what lets AWS Budgets attach a policy."""

DRAIN_REASONS = {
    f"AwsSolutions-IAM5[Resource::arn:{_PARTITION}:ec2:{_REGION}:{_ACCOUNT}:instance/*]": "A "
    "condition on two tags leaves the nodes of one group of the cluster, which do not exist yet "
    "when the role is made.",
}
"""The same, for the roles of drain schedules."""

CHAT_REASONS = {
    "AwsSolutions-IAM5[Resource::*]": "The policy reads alarms and metrics, which have no "
    "resource-level permissions, and is what bounds a chat channel besides.",
}
"""The same, for what a chat channel shows alerts with."""

FALSE_ALARMS = {
    ("EC2RestrictedCommonPorts", "Network/EfaSecurityGroup"): "The rule is between members of one "
    "group: EFA needs all protocols there, and no address outside the group is admitted.",
    ("EC2RestrictedCommonPorts", "Storage/Lustre-"): "The rules are between the file system's "
    "servers and the nodes, group to group: an EFA-enabled file system needs all protocols there.",
    (
        "VPCNoUnrestrictedRouteToIGW",
        "Network/ClusterVpc",
    ): "The route is that of the public "
    "subnet, which holds the NAT gateway and nothing else; no node is in it.",
}
"""(Rule of a compliance pack, beginning of a construct's path) -> why it is not so there."""


REMEDIES = {
    "VPCFlowLogsEnabled": "set network.flow_logs in the cluster file",
    "S3DefaultEncryptionKMS": "set storage.checkpoint_bucket.kms_key_arn in the cluster file",
}
"""Rule of a compliance pack -> the key of the cluster file that answers it."""


def acknowledge_nag_rules(
    scope: IConstruct,
    *,
    flow_logs: bool = False,
    mounted: Sequence[str] = (),
    packs: Sequence[RulePack] = (),
    denied_roles: Sequence[str] = (),
) -> None:
    """Acknowledge the rules of `REASONS` below a construct, and the `FALSE_ALARMS` of packs.

    Args:
        scope: A stage, named as its cluster, or anything else that has no checkpoint bucket.
        flow_logs: Whether its VPC has flow logs, so that their lack needs no acknowledgement.
        mounted: Places in S3 that its nodes mount, as `s3://bucket/prefix/`.
        packs: The compliance packs that judge it.
        denied_roles: Roles to which AWS Budgets may attach a policy.
    """
    for pack in packs:
        if pack != "aws-solutions":
            _acknowledge_false_alarms(scope, PACK_NAMES[pack])
    validations = Validations.of(scope)
    for rule, reason in REASONS.items():
        if rule == _NO_FLOW_LOGS and flow_logs:
            continue
        for named in _named(rule, scope.node.id, mounted):
            validations.acknowledge(Acknowledgment(id=f"AwsSolutions::{named}", reason=reason))
    _acknowledge_at(scope, "Compute", "NodeRole", NODE_ROLE_REASONS)
    for guard in ("SpendWatchdog", "SpendEnforcer"):
        _acknowledge_at(scope, "Guard", guard, GUARD_REASONS)
    compute = scope.node.try_find_child("Compute")
    for group in compute.node.children if compute else ():
        _acknowledge(group.node.try_find_child("DrainSchedule"), DRAIN_REASONS)
    _acknowledge_at(scope, "Cost", "ChatAlerts", CHAT_REASONS)
    for role in denied_roles:
        reasons = {rule.replace(_ROLE, role): why for rule, why in DENIAL_REASONS.items()}
        _acknowledge_at(scope, "Cost", "LaunchDenial", reasons)


def _acknowledge_at(scope: IConstruct, stack: str, child: str, reasons: Mapping[str, str]) -> None:
    """Acknowledge rules below a child of a stack, where there is one."""
    parent = scope.node.try_find_child(stack)
    _acknowledge(parent.node.try_find_child(child) if parent else None, reasons)


def _acknowledge(found: IConstruct | None, reasons: Mapping[str, str]) -> None:
    if found is None:
        return
    own = Stack.of(found)
    places = {
        _REGION: "<AWS::Region>" if Token.is_unresolved(own.region) else own.region,
        _ACCOUNT: "<AWS::AccountId>" if Token.is_unresolved(own.account) else own.account,
    }
    for rule, reason in reasons.items():
        partitions = ("aws", "<AWS::Partition>") if _PARTITION in rule else ("",)
        for partition in partitions:
            named = rule.replace(_PARTITION, partition)
            for mark, value in places.items():
                named = named.replace(mark, value)
            acknowledged = Acknowledgment(id=f"AwsSolutions::{named}", reason=reason)
            Validations.of(found).acknowledge(acknowledged)


def _acknowledge_false_alarms(scope: IConstruct, pack: str) -> None:
    for (rule, path), reason in FALSE_ALARMS.items():
        stack, _, beginning = path.partition("/")
        parent = scope.node.try_find_child(stack)
        for child in parent.node.children if parent else ():
            if child.node.id.startswith(beginning):
                named = f"{pack}::{pack}-{rule}"
                Validations.of(child).acknowledge(Acknowledgment(id=named, reason=reason))


def _named(rule: str, cluster: str, mounted: Sequence[str]) -> Iterator[str]:
    if _MOUNTED not in rule:
        yield rule.replace(_CLUSTER, cluster)
        return
    # With the flags of cdk.json the partition of a known region is written out.
    for place, partition in product(mounted, ("aws", "<AWS::Partition>")):
        yield rule.replace(_MOUNTED, f"arn:{partition}:s3:::{place.removeprefix('s3://')}")
