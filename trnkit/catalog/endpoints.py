"""VPC endpoints: which services have one, what uses them, what they need beside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointService:
    """A service that nodes in a VPC reach through an interface endpoint.

    Attributes:
        service: What follows `com.amazonaws.` and the Region in the endpoint's service name.
        purposes: What in a cluster uses it: `nodes` (every node), `lustre`, the type of an
            orchestrator, or something that only the user can know.
        used_for: The same in words.
        needs: Services without whose endpoints this one is no use; `s3` is the gateway endpoint.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
        dualstack: Whether its endpoint may have IPv6 addresses beside IPv4 ones; None is unknown.
    """

    service: str
    purposes: tuple[str, ...]
    used_for: str
    needs: tuple[str, ...]
    source: tuple[str, ...]
    date: str
    dualstack: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostEndpoints:
    """The endpoints without which nodes in a VPC without a way out do not join their host.

    Attributes:
        orchestrator: The host, as the cluster file calls it.
        services: What follows `com.amazonaws.` and the Region; `s3` is the gateway endpoint.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    orchestrator: str
    services: tuple[str, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageBucket:
    """The bucket in the Region from which an operating system fetches its packages.

    Attributes:
        operating_system: As in the names of image parameters.
        bucket: Its name, with a place for the Region.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    operating_system: str
    bucket: str
    source: tuple[str, ...]
    date: str


@cache
def endpoint_services() -> tuple[EndpointService, ...]:
    """Return the services in the catalogue. AWS has endpoints for many more."""
    return tuple(EndpointService(**entry) for entry in table("endpoints")["services"])


def find_endpoint_service(service: str) -> EndpointService | None:
    """Return the service with exactly this endpoint name, or None when it is not known."""
    return next((entry for entry in endpoint_services() if entry.service == service), None)


def find_host_endpoints(orchestrator: str) -> HostEndpoints | None:
    """Return what a host's nodes need, or None when that is nothing, or not known."""
    hosts = (HostEndpoints(**entry) for entry in table("endpoints")["hosts"])
    return next((host for host in hosts if host.orchestrator == orchestrator), None)


def find_package_bucket(operating_system: str) -> PackageBucket | None:
    """Return where packages of an operating system are; None when elsewhere, or not known."""
    entries = (PackageBucket(**entry) for entry in table("endpoints")["package_buckets"])
    return next((entry for entry in entries if entry.operating_system == operating_system), None)
