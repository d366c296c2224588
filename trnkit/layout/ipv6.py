"""IPv6: which part of the VPC's block each subnet takes, so that none moves when another is added.

Amazon gives a VPC a block whose numbers are known only when it is there; the places in it are fixed
here. The public subnet of the NAT gateway has none: nothing of a cluster is public by IPv6.

Sources:
    https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html (a subnet takes a /64)
    https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html (a VPC gets a /56)
"""

from __future__ import annotations

SUBNETS_OF_A_VPC = 256
"""Blocks of /64 in a block of /56."""

SUBNET_BITS = 64
"""Bits of an address that the interfaces of a subnet tell apart."""

STORAGE_SUBNET = 1
COMPUTE_SUBNET = 2
ENDPOINT_SUBNET = 3
_FIRST_CONTROL_PLANE_SUBNET = 16


def control_plane_subnet(zone_number: int) -> int:
    """The place of a zone's control-plane subnet.

    Args:
        zone_number: The number at the end of the zone's id, from 1 on.
    """
    return _FIRST_CONTROL_PLANE_SUBNET + zone_number
