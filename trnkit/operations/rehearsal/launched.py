"""Whether the instances of an Auto Scaling group have the interfaces that its template plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trnkit.emulation.resources.resource import Clients

_LOOKED_AT = 16
"""Instances of a group that are looked at one by one: all come from the same template."""

ENDED = frozenset({"shutting-down", "terminated"})
"""States of instances that are gone, or nearly."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Interface:
    """A network interface, planned or there.

    Attributes:
        card: The network card's index.
        device: The index on that card.
        kind: ``interface``, ``efa`` or ``efa-only``.
        groups: The security groups, in order of their ids.
        subnet: The subnet; for a planned one empty where the group chooses.
    """

    card: int
    device: int
    kind: str
    groups: tuple[str, ...]
    subnet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCheck:
    """One launched instance beside its plan.

    Attributes:
        instance_id: The instance.
        interfaces: What it has.
        problems: What is not as planned, in words.
    """

    instance_id: str
    interfaces: tuple[Interface, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCheck:
    """One Auto Scaling group beside its launch template.

    Attributes:
        group: The group's name.
        launch_template: The launch template's id and version.
        desired: How many instances it shall have.
        planned: The interfaces that each of them shall have.
        instances: Those it has.
        problems: What is not as planned about the group itself, in words.
    """

    group: str
    launch_template: str
    desired: int
    planned: tuple[Interface, ...]
    instances: tuple[InstanceCheck, ...]
    problems: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether all instances are there, and are as planned."""
        return not self.problems and not any(check.problems for check in self.instances)


def check_launches(clients: Clients) -> tuple[GroupCheck, ...]:
    """Compare what each Auto Scaling group of a region has launched with its launch template.

    Args:
        clients: Gives boto3 clients of the region.
    """
    pages = clients("autoscaling").get_paginator("describe_auto_scaling_groups").paginate()
    groups = [group for page in pages for group in page["AutoScalingGroups"]]
    return tuple(_check_group(clients("ec2"), group) for group in groups)


def planned_interfaces(data: Mapping[str, Any]) -> tuple[Interface, ...]:
    """The interfaces of an instance that is launched from a launch template.

    Without any of its own it gets one, with the template's security groups.
    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateInstanceNetworkInterfaceSpecificationRequest.html

    Args:
        data: The launch template's data, as DescribeLaunchTemplateVersions tells it.
    """
    of_template = data.get("SecurityGroupIds") or ()
    given: Sequence[Mapping[str, Any]] = data.get("NetworkInterfaces") or ({"DeviceIndex": 0},)
    return tuple(
        sorted(
            Interface(
                card=int(one.get("NetworkCardIndex", 0)),
                device=int(one.get("DeviceIndex", 0)),
                kind=str(one.get("InterfaceType", "interface")),
                groups=tuple(sorted(one.get("Groups") or of_template)),
                subnet=str(one.get("SubnetId", "")),
            )
            for one in given
        )
    )


def differences(
    planned: Sequence[Interface], found: Sequence[Interface], subnets: Iterable[str]
) -> tuple[str, ...]:
    """What is not as planned, in words.

    Args:
        planned: The interfaces of the launch template.
        found: The interfaces of the instance.
        subnets: The group's subnets, one of which a planned interface without one lies in.
    """
    allowed = set(subnets)
    problems: list[str] = []
    if len(planned) != len(found):
        problems.append(f"{len(found)} interfaces, planned {len(planned)}")
    at = {(one.card, one.device): one for one in found}
    if len(at) != len(found):
        problems.append("two interfaces at the same card and device")
    for plan in planned:
        where = f"card {plan.card} device {plan.device}"
        one = at.pop((plan.card, plan.device), None)
        if one is None:
            problems.append(f"{where}: no interface, planned {plan.kind}")
            continue
        if one.kind != plan.kind:
            problems.append(f"{where}: {one.kind}, planned {plan.kind}")
        # A plan without groups takes the VPC's default group, which it does not name.
        if plan.groups and one.groups != plan.groups:
            told, wanted = ", ".join(one.groups) or "none", ", ".join(plan.groups)
            problems.append(f"{where}: security groups {told}, planned {wanted}")
        if plan.subnet and one.subnet != plan.subnet:
            problems.append(f"{where}: subnet {one.subnet}, planned {plan.subnet}")
        elif allowed and one.subnet not in allowed:
            problems.append(f"{where}: subnet {one.subnet}, which the group does not name")
    problems += [
        f"card {card} device {device}: {one.kind}, not planned"
        for (card, device), one in sorted(at.items())
    ]
    return tuple(problems)


def _check_group(ec2: Any, group: Mapping[str, Any]) -> GroupCheck:
    named = _launch_template(group)
    subnets = [subnet for subnet in str(group.get("VPCZoneIdentifier", "")).split(",") if subnet]
    desired = int(group["DesiredCapacity"])
    problems: list[str] = []
    data: Mapping[str, Any] | None = None
    if named is not None:
        # Without a version, Auto Scaling takes the default one.
        version = named.get("Version", "$Default")
        key = "LaunchTemplateId" if "LaunchTemplateId" in named else "LaunchTemplateName"
        answer = ec2.describe_launch_template_versions(**{key: named[key]}, Versions=[version])
        data = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    else:
        problems.append("it has no launch template")
    planned = planned_interfaces(data) if data is not None else ()
    listed = [one["InstanceId"] for one in group.get("Instances", ())]
    instances = _instances(ec2, listed)
    if len(instances) != desired:
        problems.append(f"{len(instances)} instances, planned {desired}")
    return GroupCheck(
        group=str(group["AutoScalingGroupName"]),
        launch_template=_name_of(named),
        desired=desired,
        planned=planned,
        instances=tuple(
            _check_instance(ec2, one, planned, subnets) for one in instances[:_LOOKED_AT]
        ),
        problems=tuple(problems),
    )


def _launch_template(group: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What names the launch template of a group, also of one with several instance types."""
    if "LaunchTemplate" in group:
        return group["LaunchTemplate"]
    mixed = group.get("MixedInstancesPolicy", {}).get("LaunchTemplate", {})
    return mixed.get("LaunchTemplateSpecification")


def _name_of(named: Mapping[str, Any] | None) -> str:
    if named is None:
        return ""
    name = named.get("LaunchTemplateId") or named["LaunchTemplateName"]
    return f"{name}:{named.get('Version', '$Default')}"


def _instances(ec2: Any, ids: Sequence[str]) -> list[Mapping[str, Any]]:
    if not ids:
        return []
    pages = ec2.get_paginator("describe_instances").paginate(InstanceIds=list(ids))
    found = [one for page in pages for held in page["Reservations"] for one in held["Instances"]]
    return [one for one in found if one.get("State", {}).get("Name") not in ENDED]


def _check_instance(
    ec2: Any, instance: Mapping[str, Any], planned: Sequence[Interface], subnets: Sequence[str]
) -> InstanceCheck:
    instance_id = str(instance["InstanceId"])
    attached = [{"Name": "attachment.instance-id", "Values": [instance_id]}]
    pages = ec2.get_paginator("describe_network_interfaces").paginate(Filters=attached)
    found = {one["NetworkInterfaceId"]: one for page in pages for one in page["NetworkInterfaces"]}
    interfaces = tuple(sorted(_interface(one) for one in found.values()))
    problems = list(differences(planned, interfaces, subnets))
    told = {one["NetworkInterfaceId"] for one in instance.get("NetworkInterfaces", ())}
    if told != set(found):
        odd = ", ".join(sorted(told ^ set(found)))
        problems.append(f"the instance and its interfaces do not tell the same: {odd}")
    return InstanceCheck(instance_id=instance_id, interfaces=interfaces, problems=tuple(problems))


def _interface(told: Mapping[str, Any]) -> Interface:
    """An interface of DescribeNetworkInterfaces.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NetworkInterface.html
    """
    attachment = told.get("Attachment", {})
    return Interface(
        card=int(attachment.get("NetworkCardIndex", 0)),
        device=int(attachment.get("DeviceIndex", 0)),
        kind=str(told.get("InterfaceType", "interface")),
        groups=tuple(sorted(group["GroupId"] for group in told.get("Groups", ()))),
        subnet=str(told.get("SubnetId", "")),
    )
