"""The network: NAT gateway with its address, interface endpoints, flow logs, data that leaves.

Sources:
    https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-pricing.html
    https://docs.aws.amazon.com/vpc/latest/userguide/vpc-ip-addressing.html (public IPv4 addresses)
    https://aws.amazon.com/fsx/lustre/pricing/ (data between zones)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.billing import Billed
from trnkit.layout.cost.lines import HOURS_PER_MONTH
from trnkit.layout.resource_counts import network_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.layout.cost.billing import Billing
    from trnkit.layout.cost.lines import CostLine

_DAYS_PER_MONTH = HOURS_PER_MONTH / 24


def network_lines(billing: Billing) -> Iterator[CostLine]:
    """What of the network is billed; an existing VPC's gateways belong to somebody already."""
    counts = network_counts(billing.cluster)
    yield from _nat_lines(billing, counts.nat_gateways, counts.elastic_ips)
    if counts.interface_endpoints:
        number = counts.interface_endpoints
        place = ("network", "interface_endpoints")
        yield billing.by_hour(
            _billed("interface endpoints", "interface-endpoint-hour", "hour", *place),
            number,
            f"{number} endpoints in 1 zone",
        )
        yield billing.by_use(
            _billed("interface endpoints: data", "interface-endpoint-data", "GB", *place),
            "endpoint_gb",
        )
    yield from _flow_log_lines(billing)


def transfer_lines(billing: Billing) -> Iterator[CostLine]:
    """Data that leaves for the internet or another zone."""
    # Of an existing VPC nobody knows whether it has a way out.
    if billing.cluster.network.existing is not None or billing.cluster.network.nat_gateway:
        out = Billed(
            key="data transfer/internet",
            component="data transfer",
            name="to the internet",
            path=("network",),
            item="data-transfer-out",
            unit="GB",
        )
        yield billing.by_use(out, "internet_gb")
    if _crosses_zones(billing.cluster):
        across = Billed(
            key="data transfer/zones",
            component="data transfer",
            name="between the zones of nodes and file systems",
            path=("network", "existing", "storage_availability_zone_id"),
            item="data-transfer-cross-zone",
            unit="GB",
        )
        both = "each byte is billed where it leaves and where it comes in"
        yield billing.by_use(across, "cross_zone_gb", factor=2, note=both)


def _billed(name: str, item: str, unit: str, *path: str) -> Billed:
    return Billed(
        key=f"network/{name}", component="network", name=name, path=path, item=item, unit=unit
    )


def _nat_lines(billing: Billing, gateways: int, addresses: int) -> Iterator[CostLine]:
    if not gateways:
        return
    place = ("network", "nat_gateway")
    hour = _billed("NAT gateway", "nat-gateway-hour", "hour", *place)
    yield billing.by_hour(hour, gateways, f"{gateways} gateway")
    data = _billed("NAT gateway: data", "nat-gateway-data", "GB", *place)
    yield billing.by_use(data, "nat_gb")
    address = _billed("public IPv4 address", "public-ipv4-hour", "hour", *place)
    yield billing.by_hour(address, addresses, f"{addresses} address")


def _flow_log_lines(billing: Billing) -> Iterator[CostLine]:
    logs = billing.cluster.network.flow_logs
    if logs is None:
        return
    place = ("network", "flow_logs")
    taken = _billed("flow logs: taken in", "cloudwatch-logs-vended-ingestion", "GB", *place)
    yield billing.by_use(taken, "flow_log_gb")
    kept = _billed("flow logs: kept", "cloudwatch-logs-storage", "GB-month", *place)
    yield billing.by_use(
        kept,
        "flow_log_gb",
        factor=months_kept(logs.retention_days),
        note=f"{logs.retention_days} days kept, without compression",
    )


def months_kept(days: int) -> float:
    """So many months' worth of what comes in is there, once it was taken in for so long."""
    return days / _DAYS_PER_MONTH


def _crosses_zones(cluster: ClusterConfig) -> bool:
    existing, storage = cluster.network.existing, cluster.storage
    has_files = bool(storage.lustre_file_systems or storage.home_file_system)
    elsewhere = existing.storage_availability_zone_id if existing else None
    return (
        has_files
        and existing is not None
        and elsewhere is not None
        and elsewhere != existing.availability_zone_id
    )
