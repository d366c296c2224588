"""Interface endpoints: which services the nodes of a cluster reach through one.

Sources:
    https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html
    https://docs.aws.amazon.com/systems-manager/latest/userguide/setup-create-vpc.html
    https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import endpoint_services, find_endpoint_service

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig

GATEWAY_SERVICE = "s3"
"""Reached through a gateway endpoint, which is free and takes no address."""


def is_isolated(cluster: ClusterConfig) -> bool:
    """Whether the cluster's own VPC has no way to the internet."""
    return cluster.network.existing is None and not cluster.network.nat_gateway


def interface_endpoints_of(cluster: ClusterConfig) -> tuple[str, ...]:
    """The services that get an interface endpoint, without repetition.

    Returns:
        In a VPC without a NAT gateway, all that the cluster uses, in the catalogue's order; then
        those that the file names, in the file's.
    """
    used = services_used(cluster) if is_isolated(cluster) else ()
    return tuple(dict.fromkeys((*used, *cluster.network.interface_endpoints)))


def dualstack_endpoints_of(cluster: ClusterConfig) -> tuple[str, ...]:
    """Those of `interface_endpoints_of` that get IPv6 addresses beside their IPv4 ones.

    Returns:
        In a dual-stack network, the services that the catalogue knows to accept both; about most
        AWS says nothing, and EC2 refuses an endpoint whose service does not.
    """
    if cluster.network.ip_address_type == "ipv4":
        return ()
    known = ((name, find_endpoint_service(name)) for name in interface_endpoints_of(cluster))
    return tuple(name for name, entry in known if entry is not None and entry.dualstack)


def services_used(cluster: ClusterConfig) -> tuple[str, ...]:
    """The services with interface endpoints that nodes call by themselves, in catalogue order."""
    purposes = {"nodes", cluster.orchestrator.type}
    if cluster.storage.lustre_file_systems:
        purposes.add("lustre")
    return tuple(
        entry.service for entry in endpoint_services() if not purposes.isdisjoint(entry.purposes)
    )
