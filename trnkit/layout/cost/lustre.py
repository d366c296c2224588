"""FSx for Lustre: storage by its tier, metadata, backups, and what Intelligent-Tiering bills.

Sources:
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/intelligent-tiering-file-systems.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.cost.billing import Billed
from trnkit.layout.storage import throughput_of, tier_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import LustreConfig
    from trnkit.layout.cost.billing import Billing
    from trnkit.layout.cost.lines import CostLine

_TIERING = "fsx-lustre-intelligent-tiering"


@dataclass(frozen=True, slots=True)
class _FileSystem:
    """A file system of the file, and how lines about it begin."""

    config: LustreConfig
    path: tuple[str | int, ...]

    def billed(self, what: str, item: str, unit: str, key: str | None = None) -> Billed:
        return Billed(
            key=f"lustre/{self.config.name}/{what}",
            component="lustre",
            name=f"{self.config.name}: {what}",
            path=self.path if key is None else (*self.path, key),
            item=item,
            unit=unit,
        )


def lustre_lines(billing: Billing) -> Iterator[CostLine]:
    """What the file systems cost that the cluster makes; others belong to somebody already."""
    for index, config in enumerate(billing.cluster.storage.lustre_file_systems):
        system = _FileSystem(config, ("storage", "lustre_file_systems", index))
        if config.storage_type == "INTELLIGENT_TIERING":
            yield from _tiering_lines(billing, system)
        else:
            yield from _provisioned_lines(billing, system)
        if config.automatic_backup_retention_days:
            key = "automatic_backup_retention_days"
            backups = system.billed("backups", "fsx-lustre-backup-storage", "GB-month", key)
            yield billing.by_use(backups, "lustre_backup_gb")


def storage_item(config: LustreConfig) -> str:
    """Key of the price of a file system's storage, unless it is Intelligent-Tiering."""
    kind = f"fsx-lustre-{config.deployment_type.lower().replace('_', '-')}"
    if config.deployment_type.startswith("SCRATCH"):
        return kind
    cached = config.storage_type == "HDD" and config.drive_cache_type == "READ"
    speed = f"{kind}-{config.storage_type.lower()}-{throughput_of(config)}"
    return f"{speed}-ssd-cache" if cached else speed


def _provisioned_lines(billing: Billing, system: _FileSystem) -> Iterator[CostLine]:
    config = system.config
    gib = config.storage_capacity_gib or 0
    key = "storage_capacity_gib"
    storage = system.billed("storage", storage_item(config), "GB-month", key)
    yield billing.by_month(storage, gib, f"{gib:,} GB")
    above = _metadata_iops(config) - _included_iops(config)
    if above > 0:
        key = "metadata_configuration"
        metadata = system.billed("metadata", "fsx-lustre-metadata-iops", "IOPS-month", key)
        words = f"{above:,} IOPS above the {_included_iops(config):,} that the capacity includes"
        yield billing.by_month(metadata, above, words)


def _metadata_iops(config: LustreConfig) -> int:
    """IOPS that the file asks for; in automatic mode all of them are included."""
    metadata = config.metadata_configuration
    asks = metadata is not None and metadata.mode == "USER_PROVISIONED"
    return (metadata.iops or 0) if metadata is not None and asks else 0


def _included_iops(config: LustreConfig) -> int:
    tier = tier_of(config)
    if tier is None or tier.metadata is None or config.storage_capacity_gib is None:
        return 0
    return tier.metadata.automatic(config.storage_capacity_gib) or 0


def _tiering_lines(billing: Billing, system: _FileSystem) -> Iterator[CostLine]:
    mbps = system.config.throughput_capacity_mbps or 0
    key, item = "throughput_capacity_mbps", f"{_TIERING}-throughput"
    yield billing.by_month(
        system.billed("throughput", item, "MBps-month", key), mbps, f"{mbps:,} MB/s"
    )
    iops = _metadata_iops(system.config)
    if iops:
        key, item = "metadata_configuration", f"{_TIERING}-metadata-iops"
        yield billing.by_month(
            system.billed("metadata", item, "IOPS-month", key), iops, f"{iops:,} IOPS"
        )
    yield from _read_cache_line(billing, system, mbps)
    stored = system.billed("stored data", f"{_TIERING}-frequent", "GB-month")
    recent = "all of it counted as used in the last 30 days; what is not used costs less"
    yield billing.by_use(stored, "tiering_gb", note=recent)
    moved = system.billed("moving between classes", f"{_TIERING}-monitoring", "GB-month")
    yield billing.by_use(moved, "tiering_gb")
    reads = system.billed("reads", f"{_TIERING}-read-requests", "request")
    yield billing.by_use(reads, "tiering_reads")
    writes = system.billed("writes", f"{_TIERING}-write-requests", "request")
    yield billing.by_use(writes, "tiering_writes")


def _read_cache_line(billing: Billing, system: _FileSystem, mbps: int) -> Iterator[CostLine]:
    cache, tier = system.config.data_read_cache, tier_of(system.config)
    mode = cache.sizing_mode if cache else "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"
    billed = system.billed(
        "read cache", f"{_TIERING}-read-cache", "GB-month", "data_read_cache" if cache else None
    )
    if cache is not None and mode == "USER_PROVISIONED":
        gib = cache.size_gib or 0
        yield billing.by_month(billed, gib, f"{gib:,} GB")
    elif mode != "NO_CACHE" and tier is not None and tier.throughput_capacity is not None:
        least, most = tier.throughput_capacity.read_cache_gib(mbps)
        yield billing.by_month(
            billed,
            least,
            f"{least:,} to {most:,} GB",
            most=most,
            assumption="FSx sizes the cache itself: from the smallest to the largest there is",
        )
