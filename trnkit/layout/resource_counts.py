"""How many of what AWS has quotas on a cluster makes, in all and at the most.

Sources:
    https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html
    https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-limits-endpoints.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.address_budget import LEAST_LUSTRE_ADDRESSES
from trnkit.layout.endpoints import interface_endpoints_of
from trnkit.layout.nodes import interfaces_of, uses_placement_group
from trnkit.layout.storage import addresses_of

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkCounts:
    """Parts of networks that a cluster makes.

    Attributes:
        vpcs: VPCs.
        elastic_ips: Elastic IP addresses.
        nat_gateways: NAT gateways, all in the zone of the nodes.
        gateway_endpoints: Gateway endpoints.
        interface_endpoints: Interface endpoints.
        security_groups: Security groups, with the one that EC2 makes in every VPC.
    """

    vpcs: int
    elastic_ips: int
    nat_gateways: int
    gateway_endpoints: int
    interface_endpoints: int
    security_groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceCounts:
    """Network interfaces that a cluster takes in the zone of its nodes.

    Attributes:
        of_nodes: Interfaces of nodes that have addresses; one a node of an unknown type.
        efa_only: Interfaces of nodes that have none.
        of_services: Interfaces of endpoints, NAT gateways and file systems, at the least.
        unknown_types: Instance types whose interfaces nobody knows.
    """

    of_nodes: int
    efa_only: int
    of_services: int
    unknown_types: tuple[str, ...]


def network_counts(cluster: ClusterConfig) -> NetworkCounts:
    """What a cluster makes of networks."""
    network, storage = cluster.network, cluster.storage
    existing = network.existing
    endpoints = len(interface_endpoints_of(cluster))
    has_nat = existing is None and network.nat_gateway
    makes_gateway_endpoint = existing is None or (
        existing.create_s3_gateway_endpoint and bool(existing.route_table_ids)
    )
    return NetworkCounts(
        vpcs=int(existing is None),
        elastic_ips=int(has_nat),
        nat_gateways=int(has_nat),
        gateway_endpoints=int(makes_gateway_endpoint),
        interface_endpoints=endpoints,
        security_groups=(
            int(existing is None)  # EC2's default group of the new VPC.
            + int(existing is None or existing.security_group_id is None)
            + int(endpoints > 0)
            + len(storage.lustre_file_systems)
            + int(storage.home_file_system is not None)
        ),
    )


def interface_counts(cluster: ClusterConfig) -> InterfaceCounts:
    """The network interfaces that a cluster takes."""
    of_nodes = efa_only = 0
    unknown_types: list[str] = []
    for group in cluster.compute.node_groups:
        interfaces = interfaces_of(group)
        if interfaces is None:
            of_nodes += group.count
            unknown_types += [group.instance_type] if group.count else []
            continue
        with_address = sum(interface.has_ip_address for interface in interfaces)
        of_nodes += group.count * with_address
        efa_only += group.count * (len(interfaces) - with_address)
    counts, storage = network_counts(cluster), cluster.storage
    lustre = [addresses_of(config) for config in storage.lustre_file_systems]
    return InterfaceCounts(
        of_nodes=of_nodes,
        efa_only=efa_only,
        of_services=counts.nat_gateways
        + counts.interface_endpoints
        + int(storage.home_file_system is not None)
        + sum(LEAST_LUSTRE_ADDRESSES if each is None else each for each in lustre),
        unknown_types=tuple(sorted(set(unknown_types))),
    )


def placement_groups(cluster: ClusterConfig) -> int:
    """Placement groups that a cluster makes."""
    return sum(map(uses_placement_group, cluster.compute.node_groups))


def gp3_gib(cluster: ClusterConfig) -> int:
    """Storage of the volumes of all nodes, all of which are gp3."""
    return sum(
        group.count
        * (group.root_volume_size_gib + sum(volume.size_gib for volume in group.additional_volumes))
        for group in cluster.compute.node_groups
    )
