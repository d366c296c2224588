"""Everything that exists in the services of an emulated AWS, by service, kind and id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from trnkit.emulation.process import EmulatedAws

Census = frozenset[str]

# Service, operation, list in its answer, and what names an entry of it.
_LISTS: tuple[tuple[str, str, str, str], ...] = (
    ("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups", "AutoScalingGroupName"),
    (
        "autoscaling",
        "describe_scheduled_actions",
        "ScheduledUpdateGroupActions",
        "ScheduledActionName",
    ),
    ("autoscaling", "describe_auto_scaling_instances", "AutoScalingInstances", "InstanceId"),
    ("ce", "get_anomaly_monitors", "AnomalyMonitors", "MonitorArn"),
    ("ce", "get_anomaly_subscriptions", "AnomalySubscriptions", "SubscriptionArn"),
    ("ec2", "describe_addresses", "Addresses", "AllocationId"),
    ("ec2", "describe_flow_logs", "FlowLogs", "FlowLogId"),
    ("ec2", "describe_internet_gateways", "InternetGateways", "InternetGatewayId"),
    ("ec2", "describe_launch_templates", "LaunchTemplates", "LaunchTemplateId"),
    ("ec2", "describe_placement_groups", "PlacementGroups", "GroupName"),
    ("ec2", "describe_route_tables", "RouteTables", "RouteTableId"),
    ("ec2", "describe_security_group_rules", "SecurityGroupRules", "SecurityGroupRuleId"),
    ("ec2", "describe_security_groups", "SecurityGroups", "GroupId"),
    ("ec2", "describe_subnets", "Subnets", "SubnetId"),
    ("ec2", "describe_volumes", "Volumes", "VolumeId"),
    ("ec2", "describe_vpcs", "Vpcs", "VpcId"),
    ("efs", "describe_file_systems", "FileSystems", "FileSystemId"),
    ("fsx", "describe_data_repository_associations", "Associations", "AssociationId"),
    ("fsx", "describe_file_systems", "FileSystems", "FileSystemId"),
    ("iam", "list_instance_profiles", "InstanceProfiles", "InstanceProfileName"),
    ("iam", "list_roles", "Roles", "RoleName"),
    ("logs", "describe_log_groups", "logGroups", "logGroupName"),
    ("s3", "list_buckets", "Buckets", "Name"),
    ("sns", "list_subscriptions", "Subscriptions", "SubscriptionArn"),
    ("sns", "list_topics", "Topics", "TopicArn"),
)

# The same, for what stays visible for a while after its end.
_STATED: tuple[tuple[str, str, str, str, frozenset[str]], ...] = (
    (
        "ec2",
        "describe_capacity_reservations",
        "CapacityReservations",
        "CapacityReservationId",
        frozenset({"cancelled", "expired"}),
    ),
    ("ec2", "describe_nat_gateways", "NatGateways", "NatGatewayId", frozenset({"deleted"})),
    ("ec2", "describe_vpc_endpoints", "VpcEndpoints", "VpcEndpointId", frozenset({"deleted"})),
)


def census(aws: EmulatedAws, regions: Iterable[str]) -> Census:
    """What is there, one entry for each thing.

    Args:
        aws: The emulated AWS.
        regions: Where to look.
    """
    found: set[str] = set()
    for region in regions:
        found |= {f"{region} {one}" for one in _in_region(aws.clients(region), aws.account)}
    return frozenset(found)


def _in_region(clients: Callable[[str], Any], account: str) -> Iterator[str]:
    for service, operation, member, name in _LISTS:
        for entry in _entries(clients(service), operation, member):
            yield f"{service} {entry[name]}"
    for service, operation, member, name, ended in _STATED:
        for entry in _entries(clients(service), operation, member):
            if entry["State"] not in ended:
                yield f"{service} {entry[name]}"
    yield from _unused_interfaces(clients("ec2"))
    yield from _routes(clients("ec2"))
    yield from _mount_targets(clients("efs"))
    yield from _keys(clients("kms"))
    for budget in clients("budgets").describe_budgets(AccountId=account).get("Budgets", ()):
        yield f"budgets {budget['BudgetName']}"


def _entries(client: Any, operation: str, member: str) -> list[Any]:
    if client.can_paginate(operation):
        pages = client.get_paginator(operation).paginate()
        return [entry for page in pages for entry in page.get(member, ())]
    return getattr(client, operation)().get(member, [])


def _unused_interfaces(ec2: Any) -> Iterator[str]:
    """Those of instances are there as long as the instances; there are very many of them."""
    unused = [{"Name": "status", "Values": ["available"]}]
    for interface in ec2.describe_network_interfaces(Filters=unused)["NetworkInterfaces"]:
        yield f"ec2 {interface['NetworkInterfaceId']}"


def _routes(ec2: Any) -> Iterator[str]:
    for table in ec2.describe_route_tables()["RouteTables"]:
        for route in table["Routes"]:
            where = route.get("DestinationCidrBlock") or route.get("DestinationIpv6CidrBlock")
            yield f"ec2 route {table['RouteTableId']} {where}"
        for association in table["Associations"]:
            yield f"ec2 {association['RouteTableAssociationId']}"


def _mount_targets(efs: Any) -> Iterator[str]:
    for system in efs.describe_file_systems()["FileSystems"]:
        told = efs.describe_mount_targets(FileSystemId=system["FileSystemId"])
        for target in told["MountTargets"]:
            yield f"efs {target['MountTargetId']}"


def _keys(kms: Any) -> Iterator[str]:
    for key in kms.list_keys()["Keys"]:
        if kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]["KeyState"] != "PendingDeletion":
            yield f"kms {key['KeyId']}"
