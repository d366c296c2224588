"""What EC2 refuses of the network interfaces of a launch.

Sources: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterfaceSpecification.html,
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html#network-cards,
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from trnkit.emulation.services.ec2.instance_types import instance_type
from trnkit.emulation.services.ec2.launch_request import Interface, Launch
from trnkit.emulation.services.ec2.refusing import invalid, refuse

_KINDS = ("interface", "efa", "efa-only")
_ADDRESSES = (
    "PrivateIpAddress",
    "PrivateIpAddresses",
    "SecondaryPrivateIpAddressCount",
    "Ipv6Addresses",
    "Ipv6AddressCount",
    "Ipv4Prefixes",
    "Ipv4PrefixCount",
    "Ipv6Prefixes",
    "Ipv6PrefixCount",
)


def check_interfaces(launch: Launch) -> None:
    """Everything about the interfaces that EC2 refuses whatever capacity there is.

    Raises:
        EC2ClientError: The first thing that is wrong.
    """
    info = (instance_type(launch.type_name) or {}).get("NetworkInfo", {})
    _check_once_named(launch)
    _check_shape(launch)
    _check_cards(launch, info)
    _check_efa(launch, info)
    _check_public_address(launch)
    for interface in launch.interfaces:
        _check_groups(launch, interface)


def _check_once_named(launch: Launch) -> None:
    """Groups and subnet stand with the interfaces when there are any.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
    """
    if not launch.asked.get("NetworkInterfaces"):
        return
    told = "may not be specified on the same request"
    if launch.asked.get("SecurityGroupIds") or launch.asked.get("SecurityGroups"):
        refuse(
            "InvalidParameterCombination",
            f"Network interfaces and an instance-level security groups {told}",
        )
    if launch.asked.get("SubnetId"):
        refuse(
            "InvalidParameterCombination",
            f"Network interfaces and an instance-level subnet ID {told}",
        )
    if launch.asked.get("PrivateIpAddress"):
        refuse(
            "InvalidParameterCombination",
            f"Network interfaces and an instance-level private IP address {told}",
        )


def _check_shape(launch: Launch) -> None:
    for interface in launch.interfaces:
        if interface.asked.get("DeviceIndex") is None:
            refuse("InvalidParameter", "Each network interface requires a device index.")
        if interface.kind not in _KINDS:
            invalid(interface.kind, "InterfaceType", f"Valid values are {', '.join(_KINDS)}.")
        if interface.device < 0 or interface.card < 0:
            invalid(min(interface.device, interface.card), "DeviceIndex or NetworkCardIndex")
    places = Counter((i.card, i.device) for i in launch.interfaces)
    for (card, device), times in places.items():
        if times > 1:
            refuse(
                "InvalidParameterValue",
                f"Device index {device} is used more than once on network card {card}.",
            )
    if (0, 0) not in places:
        refuse(
            "InvalidParameterCombination",
            "The primary network interface must have device index 0 on network card 0.",
        )
    vpcs = {launch.backend.get_subnet(i.subnet_id).vpc_id for i in launch.interfaces}
    zones = {launch.backend.get_subnet(i.subnet_id).availability_zone for i in launch.interfaces}
    if len(vpcs) > 1 or len(zones) > 1:
        refuse(
            "InvalidParameterCombination",
            "All network interfaces must be in subnets of one VPC and one Availability Zone.",
        )


def _check_cards(launch: Launch, info: Mapping[str, Any]) -> None:
    """No card and no index that the type has not.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NetworkCardInfo.html
    """
    cards = {int(card["NetworkCardIndex"]): card for card in info.get("NetworkCards", ())}
    if not cards:
        return
    for interface in launch.interfaces:
        if interface.card not in cards:
            refuse(
                "InvalidParameterValue",
                f"Network card index {interface.card} is not valid for instance type "
                f"'{launch.type_name}', which has {len(cards)} network cards.",
            )
        most = int(cards[interface.card]["MaximumNetworkInterfaces"])
        if interface.device >= most:
            refuse(
                "AttachmentLimitExceeded",
                f"Device index {interface.device} exceeds the limit of {most} network interfaces "
                f"on network card {interface.card} of '{launch.type_name}'.",
            )
    most = int(info.get("MaximumNetworkInterfaces", len(launch.interfaces)))
    if len(launch.interfaces) > most:
        refuse(
            "AttachmentLimitExceeded",
            f"Interface count {len(launch.interfaces)} exceeds the limit for {launch.type_name}",
        )


def _check_efa(launch: Launch, info: Mapping[str, Any]) -> None:
    """EFA where the type has it, one on a card, and never alone as the primary interface.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits
    """
    wanted = [i for i in launch.interfaces if i.kind != "interface"]
    if not wanted or not info:
        return
    if not info.get("EfaSupported"):
        refuse("UnsupportedOperation", f"EFA interfaces are not supported on {launch.type_name}")
    cards = {int(card["NetworkCardIndex"]): card for card in info.get("NetworkCards", ())}
    for interface in wanted:
        if interface.is_primary and interface.kind == "efa-only":
            refuse(
                "InvalidParameterCombination",
                "An EFA-only network interface can't be the primary network interface.",
            )
        supported = cards.get(interface.card, {}).get("InterfaceTypes")
        if supported and interface.kind not in supported:
            refuse(
                "AttachmentLimitExceeded",
                f"EFA interfaces are not supported on network card {interface.card} of "
                f"{launch.type_name}",
            )
        if interface.kind == "efa-only" and any(interface.asked.get(a) for a in _ADDRESSES):
            refuse(
                "InvalidParameterCombination",
                "IP addresses can't be assigned to an EFA-only network interface.",
            )
    on_cards = Counter(i.card for i in wanted)
    card, times = max(on_cards.items(), key=lambda item: item[1])
    most = int(info.get("EfaInfo", {}).get("MaximumEfaInterfaces", 1))
    if times > 1 or len(wanted) > most:
        where = f"network card {card} (limit 1)" if times > 1 else f"{launch.type_name} ({most})"
        refuse(
            "AttachmentLimitExceeded",
            f"EFA interface count {len(wanted)} exceeds the allowed limit for {where}",
        )


def _check_public_address(launch: Launch) -> None:
    """A public address only for the one new interface of a launch.

    The interface's own setting and that of the subnet count alike.
    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html
    """
    for interface in launch.interfaces:
        asked = interface.asked.get("AssociatePublicIpAddress")
        if asked and not interface.is_primary:
            refuse(
                "InvalidParameterCombination",
                "The associatePublicIPAddress parameter is only supported for the network "
                "interface with device index 0.",
            )
        if asked is None and interface.is_primary and interface.is_new:
            asked = launch.backend.get_subnet(interface.subnet_id).map_public_ip_on_launch
        if asked in (True, "true") and len(launch.interfaces) > 1:
            refuse(
                "InvalidParameterCombination",
                "The associatePublicIPAddress parameter cannot be specified when launching with "
                "multiple network interfaces.",
            )


def _check_groups(launch: Launch, interface: Interface) -> None:
    """Groups that exist, in the subnet's VPC.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    """
    subnet = launch.backend.get_subnet(interface.subnet_id)
    for group_id in interface.groups:
        group = launch.backend.get_security_group_from_id(group_id)
        if group is None:
            refuse("InvalidGroup.NotFound", f"The security group '{group_id}' does not exist")
        if group.vpc_id != subnet.vpc_id:
            refuse(
                "InvalidParameter",
                f"Security group {group_id} and subnet {subnet.id} belong to different networks.",
            )
