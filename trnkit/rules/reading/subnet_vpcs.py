"""Which VPC of the set a subnet is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.reading.vpc_endpoints import VPC

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource


def vpc_of(subnet: Resource | None) -> Resource | None:
    """The VPC of a subnet; None when it is not known, or not of the set."""
    return None if subnet is None else properties_of(subnet)["VpcId"].referred(VPC)


def are_apart(one: Resource | None, other: Resource | None) -> bool:
    """Whether two subnets are certainly of different VPCs."""
    vpcs = (vpc_of(one), vpc_of(other))
    return None not in vpcs and vpcs[0] is not vpcs[1]
