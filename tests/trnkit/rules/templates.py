"""Small CloudFormation templates for tests of template rules."""

from __future__ import annotations

from typing import Any

Body = dict[str, Any]


def template(**resources: tuple[str, Body] | Body) -> Body:
    """A template of resources, each `(type, properties)` or a whole entry."""
    entries = {
        name: entry if isinstance(entry, dict) else {"Type": entry[0], "Properties": entry[1]}
        for name, entry in resources.items()
    }
    return {"Resources": entries}


def interface(card: int, device: int, kind: str | None, **more: Any) -> Body:
    """One entry of NetworkInterfaces."""
    entry = {"NetworkCardIndex": card, "DeviceIndex": device, "Groups": ["sg-1"], **more}
    return entry if kind is None else {**entry, "InterfaceType": kind}


def recommended(cards: int) -> list[Body]:
    """AWS's layout: plain at 0/0, efa-only at 0/1 and i/0."""
    rest = [interface(card, 0, "efa-only") for card in range(1, cards)]
    return [interface(0, 0, "interface"), interface(0, 1, "efa-only"), *rest]


def older(cards: int) -> list[Body]:
    """The older layout: efa at 0/0 and i/1."""
    return [interface(card, int(card > 0), "efa") for card in range(cards)]


def nodes(instance_type: str | None, interfaces: Any = None, **more: Any) -> Body:
    """A launch template."""
    data = dict(more)
    if instance_type is not None:
        data["InstanceType"] = instance_type
    if interfaces is not None:
        data["NetworkInterfaces"] = interfaces
    return {"Type": "AWS::EC2::LaunchTemplate", "Properties": {"LaunchTemplateData": data}}


def group(subnets: Any, version: Any = None, **more: Any) -> Body:
    """An Auto Scaling group of the launch template `Nodes`."""
    latest = {"Fn::GetAtt": ["Nodes", "LatestVersionNumber"]}
    return {
        "Type": "AWS::AutoScaling::AutoScalingGroup",
        "Properties": {
            "MinSize": "0",
            "MaxSize": "4",
            "VPCZoneIdentifier": subnets,
            "LaunchTemplate": {"LaunchTemplateId": {"Ref": "Nodes"}, "Version": version or latest},
            **more,
        },
    }


def subnet(**properties: Any) -> Body:
    """A subnet."""
    base = {"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/24"}
    return {"Type": "AWS::EC2::Subnet", "Properties": {**base, **properties}}


def security_group(**properties: Any) -> Body:
    """A security group."""
    base = {"GroupDescription": "group", "VpcId": "vpc-1"}
    return {"Type": "AWS::EC2::SecurityGroup", "Properties": {**base, **properties}}


def rule(direction: str, owner: Any, peer: Any = None, **properties: Any) -> Body:
    """A separate rule resource between groups, of all traffic unless told otherwise."""
    key = {"Ingress": "SourceSecurityGroupId", "Egress": "DestinationSecurityGroupId"}[direction]
    peers = {} if peer is None else {key: peer}
    return {
        "Type": f"AWS::EC2::SecurityGroup{direction}",
        "Properties": {"GroupId": owner, "IpProtocol": "-1", **peers, **properties},
    }


def lustre(configuration: Body, **properties: Any) -> Body:
    """A Lustre file system that is retained."""
    base = {"FileSystemType": "LUSTRE", "StorageCapacity": 4800, "SubnetIds": ["subnet-1"]}
    return {
        "Type": "AWS::FSx::FileSystem",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": {**base, "LustreConfiguration": configuration, **properties},
    }


def association(folder: Any = "/data", bucket: Any = "s3://example-bucket/data") -> Body:
    """An association of the file system `Fsx`."""
    return {
        "Type": "AWS::FSx::DataRepositoryAssociation",
        "Properties": {
            "FileSystemId": {"Ref": "Fsx"},
            "FileSystemPath": folder,
            "DataRepositoryPath": bucket,
        },
    }


def budget(*notifications: Body, **definition: Any) -> Body:
    """A budget; without notifications it gets one by e-mail."""
    base = {
        "BudgetType": "COST",
        "TimeUnit": "MONTHLY",
        "BudgetLimit": {"Amount": 100, "Unit": "USD"},
    }
    return {
        "Type": "AWS::Budgets::Budget",
        "Properties": {
            "Budget": {**base, **definition},
            "NotificationsWithSubscribers": list(notifications) or [notification()],
        },
    }


def notification(*subscribers: Body, threshold: Any = 80, **more: Any) -> Body:
    """A notification; without subscribers it goes to one address."""
    return {
        "Notification": {
            "NotificationType": "ACTUAL",
            "ComparisonOperator": "GREATER_THAN",
            "Threshold": threshold,
            **more,
        },
        "Subscribers": list(subscribers) or [email(0)],
    }


def email(number: int) -> Body:
    """A subscriber by e-mail."""
    return {"SubscriptionType": "EMAIL", "Address": f"a{number}@example.com"}


def sns(address: Any) -> Body:
    """A subscriber through a topic."""
    return {"SubscriptionType": "SNS", "Address": address}
