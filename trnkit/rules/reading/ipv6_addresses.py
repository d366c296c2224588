"""IPv6 as rules see it: which subnets have a block, and which interfaces ask for an address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.reading.launch_templates import Interface
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

SUBNET = "AWS::EC2::Subnet"
SUBNET_BLOCK = "AWS::EC2::SubnetCidrBlock"
_BLOCK_KEYS = ("Ipv6CidrBlock", "Ipv6CidrBlocks", "Ipv6IpamPoolId", "Ipv6NetmaskLength")
_COUNTS = ("Ipv6AddressCount", "Ipv6PrefixCount")
_LISTS = ("Ipv6Addresses", "Ipv6Prefixes")


def has_no_ipv6(subnet: Resource, stack_set: StackSet) -> bool:
    """Whether a subnet certainly has no IPv6 block."""
    properties, added = properties_of(subnet), stack_set.derive(_subnets_with_added_blocks)
    own = any(not properties[key].is_absent for key in _BLOCK_KEYS)
    return not own and None not in added and subnet not in added


def _subnets_with_added_blocks(stack_set: StackSet) -> set[Resource | None]:
    """The subnets that get a block from a resource of its own; None for one that is not known."""
    owners = (properties_of(block)["SubnetId"] for block in stack_set.resources(SUBNET_BLOCK))
    return {owner.referred(SUBNET) for owner in owners}


def gives_ipv6(subnet: Resource) -> bool:
    """Whether a subnet certainly gives an IPv6 address to each interface made in it."""
    return properties_of(subnet)["AssignIpv6AddressOnCreation"].boolean() is True


def asks_for_ipv6(interface: Interface) -> bool:
    """Whether an interface certainly asks for an IPv6 address or prefix."""
    if any((interface.value[key].integer() or 0) > 0 for key in _COUNTS):
        return True
    lists = (interface.value[key].entries() or () for key in _LISTS)
    return any(entry.mapping() is not None for entries in lists for entry in entries)


def decides_ipv6(interface: Interface) -> bool:
    """Whether an interface says, or may say, how many addresses it wants, the subnet apart."""
    return not interface.value["Ipv6AddressCount"].is_absent


def subnets_of(fleet: Fleet, interface: Interface) -> tuple[TemplateValue, ...]:
    """Where a fleet's interface is made: its own subnet, else those of the fleet."""
    own = interface.value["SubnetId"]
    return (fleet.subnets or ()) if own.is_absent else (own,)
