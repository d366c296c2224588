"""Addresses: how many a cluster needs, and how a VPC's block is divided.

Sources:
    https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html (5 addresses kept by AWS)
    https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html (control-plane subnets)
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.nodes import interfaces_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.config import NodeGroupConfig

KEPT_BY_AWS = 5
SMALLEST_SUBNET_PREFIX = 28
"""AWS's smallest subnet."""

ENDPOINT_SUBNET_PREFIX = 26
"""The subnet of interface endpoints is at most so large: one address an endpoint."""

CONTROL_PLANE_SUBNET_PREFIX = 26
"""A control-plane subnet is at most so large; EKS takes 6 addresses and advises 16."""

MOST_CONTROL_PLANE_ZONES = 8
"""Places for control-plane subnets, one for each zone number from 1 on."""


@dataclass(frozen=True, slots=True)
class SubnetPlan:
    """The blocks of a VPC's subnets.

    Attributes:
        public: Holds the NAT gateway.
        storage: Holds the file systems' interfaces; apart from the nodes', so that a larger compute
            subnet never replaces a file system.
        compute: Holds the accelerated nodes.
        endpoints: Holds the interface endpoints, where there are any.
    """

    public: str
    storage: str
    compute: str
    endpoints: str

    @property
    def compute_capacity(self) -> int:
        """Addresses that nodes can take in the compute subnet."""
        return usable_addresses(self.compute)


def usable_addresses(cidr: str) -> int:
    """Addresses of a block that interfaces can take: all but the 5 that AWS keeps."""
    return ipaddress.IPv4Network(cidr).num_addresses - KEPT_BY_AWS


def addresses_per_node(group: NodeGroupConfig) -> int | None:
    """Addresses one node takes, one for each interface that has any; None when not known."""
    interfaces = interfaces_of(group)
    return None if interfaces is None else sum(i.has_ip_address for i in interfaces)


def addresses_needed(groups: Iterable[NodeGroupConfig]) -> int:
    """Addresses that all nodes take together; groups of unknown types count one a node."""
    return sum(group.count * (addresses_per_node(group) or 1) for group in groups)


def plan_subnets(vpc_cidr: str, addresses: int, *, secondary_cidr: str | None = None) -> SubnetPlan:
    """Divide a VPC.

    The compute subnet is the second quarter of the block, or its second half when `addresses` need
    it: cut generously, because a subnet whose block changes is another subnet. With a second block
    it is the whole of that. All other subnets have a fixed place in the first quarter, so that none
    moves when another is added.

    Args:
        vpc_cidr: IPv4 block of the VPC, /16 to /22.
        addresses: Addresses that the nodes need.
        secondary_cidr: A second IPv4 block of the VPC.
    """
    vpc = ipaddress.IPv4Network(vpc_cidr)
    quarters = list(vpc.subnets(prefixlen_diff=2))
    half = list(vpc.subnets(prefixlen_diff=1))[1]
    compute = quarters[1] if addresses <= usable_addresses(str(quarters[1])) else half
    small = list(quarters[0].subnets(new_prefix=min(vpc.prefixlen + 6, SMALLEST_SUBNET_PREFIX)))
    public = next(small[0].subnets(new_prefix=min(vpc.prefixlen + 8, SMALLEST_SUBNET_PREFIX)))
    endpoints = _first(small[2].supernet(), ENDPOINT_SUBNET_PREFIX)
    return SubnetPlan(
        public=str(public),
        storage=str(small[1]),
        compute=secondary_cidr or str(compute),
        endpoints=str(endpoints),
    )


def control_plane_block(vpc_cidr: str, zone_number: int) -> str:
    """The block of a zone's control-plane subnet: its place follows from the zone alone.

    Args:
        vpc_cidr: IPv4 block of the VPC, /16 to /22.
        zone_number: The number at the end of the zone's id, 1 to 8.
    """
    vpc = ipaddress.IPv4Network(vpc_cidr)
    quarter = next(vpc.subnets(prefixlen_diff=2))
    sixteenths = list(quarter.subnets(prefixlen_diff=4))
    place = sixteenths[MOST_CONTROL_PLANE_ZONES + zone_number - 1]
    return str(_first(place, CONTROL_PLANE_SUBNET_PREFIX))


def _first(block: ipaddress.IPv4Network, prefix: int) -> ipaddress.IPv4Network:
    """The first part of a block that is no larger than `prefix`."""
    return next(block.subnets(new_prefix=max(block.prefixlen, prefix)))
