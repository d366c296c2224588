"""What exists in the services of an emulated AWS, of the types that a template has."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from trnkit.emulation.resources.resource import Clients

Census = frozenset[str]

# Service, operation, list in its answer, and what names an entry of it; by resource type.
_LISTS: dict[str, tuple[str, str, str, str]] = {
    "AWS::AutoScaling::AutoScalingGroup": (
        "autoscaling",
        "describe_auto_scaling_groups",
        "AutoScalingGroups",
        "AutoScalingGroupName",
    ),
    "AWS::AutoScaling::ScheduledAction": (
        "autoscaling",
        "describe_scheduled_actions",
        "ScheduledUpdateGroupActions",
        "ScheduledActionName",
    ),
    "AWS::CE::AnomalyMonitor": ("ce", "get_anomaly_monitors", "AnomalyMonitors", "MonitorArn"),
    "AWS::CE::AnomalySubscription": (
        "ce",
        "get_anomaly_subscriptions",
        "AnomalySubscriptions",
        "SubscriptionArn",
    ),
    "AWS::CloudWatch::Alarm": ("cloudwatch", "describe_alarms", "MetricAlarms", "AlarmName"),
    "AWS::EC2::CapacityReservation": (
        "ec2",
        "describe_capacity_reservations",
        "CapacityReservations",
        "CapacityReservationId",
    ),
    "AWS::EC2::EIP": ("ec2", "describe_addresses", "Addresses", "AllocationId"),
    "AWS::EC2::FlowLog": ("ec2", "describe_flow_logs", "FlowLogs", "FlowLogId"),
    "AWS::EC2::InternetGateway": (
        "ec2",
        "describe_internet_gateways",
        "InternetGateways",
        "InternetGatewayId",
    ),
    "AWS::EC2::LaunchTemplate": (
        "ec2",
        "describe_launch_templates",
        "LaunchTemplates",
        "LaunchTemplateId",
    ),
    "AWS::EC2::NatGateway": ("ec2", "describe_nat_gateways", "NatGateways", "NatGatewayId"),
    "AWS::EC2::PlacementGroup": (
        "ec2",
        "describe_placement_groups",
        "PlacementGroups",
        "GroupName",
    ),
    "AWS::EC2::Subnet": ("ec2", "describe_subnets", "Subnets", "SubnetId"),
    "AWS::EC2::VPC": ("ec2", "describe_vpcs", "Vpcs", "VpcId"),
    "AWS::EC2::VPCEndpoint": ("ec2", "describe_vpc_endpoints", "VpcEndpoints", "VpcEndpointId"),
    "AWS::EFS::FileSystem": ("efs", "describe_file_systems", "FileSystems", "FileSystemId"),
    "AWS::Events::Rule": ("events", "list_rules", "Rules", "Name"),
    "AWS::FSx::DataRepositoryAssociation": (
        "fsx",
        "describe_data_repository_associations",
        "Associations",
        "AssociationId",
    ),
    "AWS::FSx::FileSystem": ("fsx", "describe_file_systems", "FileSystems", "FileSystemId"),
    "AWS::IAM::InstanceProfile": (
        "iam",
        "list_instance_profiles",
        "InstanceProfiles",
        "InstanceProfileName",
    ),
    "AWS::IAM::Role": ("iam", "list_roles", "Roles", "RoleName"),
    "AWS::Lambda::Function": ("lambda", "list_functions", "Functions", "FunctionName"),
    "AWS::Logs::LogGroup": ("logs", "describe_log_groups", "logGroups", "logGroupName"),
    "AWS::S3::Bucket": ("s3", "list_buckets", "Buckets", "Name"),
    "AWS::Scheduler::Schedule": ("scheduler", "list_schedules", "Schedules", "Name"),
    "AWS::SNS::Subscription": ("sns", "list_subscriptions", "Subscriptions", "SubscriptionArn"),
    "AWS::SNS::Topic": ("sns", "list_topics", "Topics", "TopicArn"),
}

_ENDED = frozenset({"cancelled", "deleted", "expired"})
"""States in which something is still shown for a while."""


def census(clients: Clients, account: str, types: Iterable[str]) -> Census:
    """What is there, one entry for each thing.

    Args:
        clients: Gives the clients of the region.
        account: The account id.
        types: The resource types to look for; of others nothing is told.
    """
    found: set[str] = set()
    for name in types:
        if name in _LISTS:
            service, operation, member, key = _LISTS[name]
            found |= {
                f"{name} {entry[key]}"
                for entry in _entries(clients(service), operation, member)
                if entry.get("State") not in _ENDED
            }
        if name in _OTHERS:
            found |= {f"{name} {entry}" for entry in _OTHERS[name](clients, account)}
    return frozenset(found)


def _entries(client: Any, operation: str, member: str) -> list[Any]:
    if client.can_paginate(operation):
        pages = client.get_paginator(operation).paginate()
        return [entry for page in pages for entry in page.get(member, ())]
    return getattr(client, operation)().get(member, [])


def _of_groups(clients: Clients, account: str) -> Iterator[str]:
    """Hooks, instances and volumes; the interfaces come and go with them."""
    scaling = clients("autoscaling")
    for group in _entries(scaling, "describe_auto_scaling_groups", "AutoScalingGroups"):
        name = group["AutoScalingGroupName"]
        for hook in scaling.describe_lifecycle_hooks(AutoScalingGroupName=name)["LifecycleHooks"]:
            yield f"{name} {sorted(map(str, hook.items()))}"
    for entry in _entries(
        clients("autoscaling"), "describe_auto_scaling_instances", "AutoScalingInstances"
    ):
        yield entry["InstanceId"]
    for entry in _entries(clients("ec2"), "describe_volumes", "Volumes"):
        yield entry["VolumeId"]


def _routes(clients: Clients, account: str) -> Iterator[str]:
    for table in clients("ec2").describe_route_tables()["RouteTables"]:
        yield table["RouteTableId"]
        for route in table["Routes"]:
            yield f"{table['RouteTableId']} {sorted(map(str, route.items()))}"
        for association in table["Associations"]:
            yield association["RouteTableAssociationId"]


def _rules(clients: Clients, account: str) -> Iterator[str]:
    """Groups, and their rules by what they say: a rollback makes them anew."""
    for group in clients("ec2").describe_security_groups()["SecurityGroups"]:
        yield group["GroupId"]
        for way in ("IpPermissions", "IpPermissionsEgress"):
            for rule in group[way]:
                yield f"{group['GroupId']} {way} {sorted(map(str, rule.items()))}"


def _mount_targets(clients: Clients, account: str) -> Iterator[str]:
    for system in clients("efs").describe_file_systems()["FileSystems"]:
        told = clients("efs").describe_mount_targets(FileSystemId=system["FileSystemId"])
        for target in told["MountTargets"]:
            yield target["MountTargetId"]


def _keys(clients: Clients, account: str) -> Iterator[str]:
    kms = clients("kms")
    for key in kms.list_keys()["Keys"]:
        key_id = key["KeyId"]
        if key_id in _KEYS_GONE:
            continue
        if kms.describe_key(KeyId=key_id)["KeyMetadata"]["KeyState"] == "PendingDeletion":
            _KEYS_GONE.add(key_id)
        else:
            yield key_id


_KEYS_GONE: set[str] = set()
"""Keys that were deleted once; they stay in the list for days, and nothing brings them back."""


def _budgets(clients: Clients, account: str) -> Iterator[str]:
    for budget in clients("budgets").describe_budgets(AccountId=account).get("Budgets", ()):
        yield budget["BudgetName"]


def _budget_actions(clients: Clients, account: str) -> Iterator[str]:
    service = clients("budgets")
    for name in _budgets(clients, account):
        place = {"AccountId": account, "BudgetName": name}
        for action in service.describe_budget_actions_for_budget(**place)["Actions"]:
            yield action["ActionId"]


def _managed_policies(clients: Clients, account: str) -> Iterator[str]:
    pages = clients("iam").get_paginator("list_policies").paginate(Scope="Local")
    for policy in (policy for page in pages for policy in page["Policies"]):
        yield policy["Arn"]


def _statements(clients: Clients, account: str) -> Iterator[str]:
    """Who may call the functions."""
    service = clients("lambda")
    for function in _entries(service, "list_functions", "Functions"):
        with contextlib.suppress(service.exceptions.ResourceNotFoundException):
            policy = service.get_policy(FunctionName=function["FunctionName"])["Policy"]
            for statement in json.loads(policy)["Statement"]:
                yield statement["Sid"]


def _tables(clients: Clients, account: str) -> Iterator[str]:
    for page in clients("dynamodb").get_paginator("list_tables").paginate():
        yield from page["TableNames"]


def _queues(clients: Clients, account: str) -> Iterator[str]:
    for page in clients("sqs").get_paginator("list_queues").paginate():
        yield from page.get("QueueUrls", ())


_OTHERS: dict[str, Callable[[Clients, str], Iterator[str]]] = {
    "AWS::AutoScaling::AutoScalingGroup": _of_groups,
    "AWS::Budgets::Budget": _budgets,
    "AWS::Budgets::BudgetsAction": _budget_actions,
    "AWS::DynamoDB::Table": _tables,
    "AWS::EC2::RouteTable": _routes,
    "AWS::EC2::SecurityGroup": _rules,
    "AWS::EFS::MountTarget": _mount_targets,
    "AWS::IAM::ManagedPolicy": _managed_policies,
    "AWS::KMS::Key": _keys,
    "AWS::Lambda::Permission": _statements,
    "AWS::SQS::Queue": _queues,
}
