"""The address budget: what a subnet offers, and what a cluster takes of it.

Sources:
    https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
    https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html
    https://docs.aws.amazon.com/fsx/latest/APIReference/API_FileSystem.html (network interfaces)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.addresses import addresses_needed, plan_subnets, usable_addresses
from trnkit.layout.endpoints import interface_endpoints_of

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig

LEAST_LUSTRE_ADDRESSES = 1
"""A Lustre file system has one interface or more; how many more, AWS does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressBudget:
    """The addresses of one subnet.

    Attributes:
        cidr: The subnet's block.
        nodes: Addresses that nodes take.
        endpoints: Addresses that interface endpoints take.
        file_systems: Addresses that Lustre file systems take at the least.
    """

    cidr: str
    nodes: int = 0
    endpoints: int = 0
    file_systems: int = 0

    @property
    def capacity(self) -> int:
        """Addresses that interfaces can take."""
        return usable_addresses(self.cidr)

    @property
    def needed(self) -> int:
        """Addresses that the cluster takes at the least."""
        return self.nodes + self.endpoints + self.file_systems


def compute_budget(cluster: ClusterConfig) -> AddressBudget | None:
    """The budget of the compute subnet.

    Returns:
        None when the file does not give the block of an existing subnet.
    """
    network, nodes = cluster.network, addresses_needed(cluster.compute.node_groups)
    existing = network.existing
    if existing is None:
        plan = plan_subnets(network.vpc_cidr, nodes, secondary_cidr=network.secondary_cidr)
        return AddressBudget(cidr=plan.compute, nodes=nodes)
    if existing.compute_subnet_cidr is None:
        return None
    apart = existing.storage_subnet_id not in (None, existing.compute_subnet_id)
    file_systems = 0 if apart else len(cluster.storage.lustre_file_systems)
    return AddressBudget(
        cidr=existing.compute_subnet_cidr,
        nodes=nodes,
        endpoints=len(interface_endpoints_of(cluster)),
        file_systems=file_systems * LEAST_LUSTRE_ADDRESSES,
    )


def endpoint_budget(cluster: ClusterConfig) -> AddressBudget | None:
    """The budget of the endpoints' own subnet; None when there is no such subnet."""
    endpoints = len(interface_endpoints_of(cluster))
    if cluster.network.existing is not None or not endpoints:
        return None
    plan = plan_subnets(cluster.network.vpc_cidr, 0)
    return AddressBudget(cidr=plan.endpoints, endpoints=endpoints)
