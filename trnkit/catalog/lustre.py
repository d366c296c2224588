"""What FSx for Lustre accepts: capacities, throughputs, versions, metadata, EFA, addresses, ports.

Capacities are in GiB as the API counts them, where one "TiB" of the user guide is 1000 GiB.
Throughput is in MB/s per TiB.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from trnkit.catalog.disagreements import Disagreement, disagreements_from
from trnkit.catalog.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class CapacityRule:
    """Which capacities are allowed.

    Attributes:
        throughputs: The throughputs the rule is for; None means every one.
        fixed_gib: Capacities allowed on their own.
        multiple_of_gib: Every positive multiple of this is allowed too.
    """

    throughputs: tuple[int, ...] | None
    fixed_gib: tuple[int, ...]
    multiple_of_gib: int

    def allows(self, gib: int) -> bool:
        """Tell whether a capacity in GiB follows the rule."""
        return gib in self.fixed_gib or (gib > 0 and gib % self.multiple_of_gib == 0)

    def neighbours(self, gib: int) -> set[int]:
        """Return the allowed capacities around one, which may hold others further away."""
        below = gib // self.multiple_of_gib * self.multiple_of_gib
        return {*self.fixed_gib, below, below + self.multiple_of_gib} - {0}


@dataclass(frozen=True, slots=True)
class MetadataRule:
    """How metadata performance is configured.

    Attributes:
        required: Whether the file system must have a metadata configuration.
        iops: Values allowed for USER_PROVISIONED metadata IOPS.
        automatic_iops: Pairs (from this capacity in GiB on, IOPS) that AUTOMATIC mode gives.
        large_from_gib: Capacity in GiB from which AUTOMATIC mode grows in steps; None is unknown.
        large_iops: IOPS of one such step.
        large_per_gib: Capacity in GiB of one such step.
        requires_version: Lustre version that a metadata configuration needs.
        iops_per_server: One metadata server, so one address, is made for each of these.
    """

    required: bool
    iops: tuple[int, ...]
    automatic_iops: tuple[tuple[int, int], ...]
    large_from_gib: int | None
    large_iops: int | None
    large_per_gib: int | None
    requires_version: str
    iops_per_server: int

    def automatic(self, gib: int) -> int | None:
        """Return the IOPS that AUTOMATIC mode gives a capacity in GiB; None is unknown."""
        large = self.large_from_gib is not None and gib >= self.large_from_gib
        if large and self.large_iops and self.large_per_gib:
            return gib // self.large_per_gib * self.large_iops
        steps = [iops for start, iops in self.automatic_iops if gib >= start]
        return steps[-1] if steps else None


@dataclass(frozen=True, slots=True)
class ThroughputCapacityRule:
    """Throughput of a whole Intelligent-Tiering file system, in MB/s.

    Attributes:
        minimum_mbps: The smallest value.
        step_mbps: Values are multiples of this.
        maximum_mbps: The largest value.
        mbps_per_server: One storage server, so one address, is made for each of these.
        read_cache_gib_per_1000_mbps: Smallest and largest read cache of a chosen size.
    """

    minimum_mbps: int
    step_mbps: int
    maximum_mbps: int
    mbps_per_server: int
    read_cache_gib_per_1000_mbps: tuple[int, int]

    def allows(self, mbps: int) -> bool:
        """Tell whether a throughput in MB/s is allowed."""
        in_range = self.minimum_mbps <= mbps <= self.maximum_mbps
        return in_range and mbps % self.step_mbps == 0

    def read_cache_gib(self, mbps: int) -> tuple[int, int]:
        """Return the smallest and the largest read cache in GiB at a throughput in MB/s."""
        smallest, largest = self.read_cache_gib_per_1000_mbps
        return smallest * mbps // 1000, largest * mbps // 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreTier:
    """One pair of deployment type and storage type.

    Attributes:
        deployment_type: `SCRATCH_1`, `SCRATCH_2`, `PERSISTENT_1` or `PERSISTENT_2`.
        storage_type: `SSD`, `HDD` or `INTELLIGENT_TIERING`.
        allowed_throughputs: Values of PerUnitStorageThroughput, one of which must be given; None
            when the property must be absent.
        capacity_rules: Which capacities are allowed; () when StorageCapacity must be absent.
        supported_versions: Lustre versions as the API's strings.
        default_version: Version the API takes when none is given.
        default_version_with_metadata: The same with a metadata configuration; None when the tier
            takes no metadata configuration.
        supports_data_repository_associations: Whether S3 can be linked (2.12 or later only).
        metadata: How metadata is configured; None when it cannot be.
        supports_efa: Whether the file system can serve clients over EFA.
        efa_capacity_multiple_gib: For each throughput, the capacity in GiB of which an EFA-enabled
            file system must be a multiple; empty when the tier has no such rule.
        throughput_capacity: The throughput rule of Intelligent-Tiering; None for other storage.
        storage_gib_per_server: For each throughput (or `any`), the GiB behind one storage server.
        account_quota_gib: Default quota of an account in a Region, in GiB; None is unknown. It can
            be raised, and the type itself has no upper bound.
        creatable_in_console: Whether the console still offers the deployment type.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    deployment_type: str
    storage_type: str
    allowed_throughputs: tuple[int, ...] | None
    capacity_rules: tuple[CapacityRule, ...]
    supported_versions: tuple[str, ...]
    default_version: str
    default_version_with_metadata: str | None
    supports_data_repository_associations: bool
    metadata: MetadataRule | None
    supports_efa: bool
    efa_capacity_multiple_gib: Mapping[int, int]
    throughput_capacity: ThroughputCapacityRule | None
    storage_gib_per_server: Mapping[str, int]
    account_quota_gib: int | None
    creatable_in_console: bool
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str

    def capacity_is_valid(
        self, gib: int, throughput: int | None = None, *, efa_enabled: bool = False
    ) -> bool:
        """Tell whether a storage capacity is allowed.

        Args:
            gib: Capacity in GiB.
            throughput: PerUnitStorageThroughput. None accepts what any throughput of the tier
                would; it matters for HDD, and for SSD with EFA.
            efa_enabled: Whether the file system is to be EFA-enabled.
        """
        return any(rule.allows(gib) for rule in self._rules(throughput, efa_enabled))

    def nearest_capacities(
        self, gib: int, throughput: int | None = None, *, efa_enabled: bool = False
    ) -> tuple[int, ...]:
        """Return the allowed capacities closest to one.

        Args:
            gib: Capacity in GiB.
            throughput: As in `capacity_is_valid`.
            efa_enabled: As in `capacity_is_valid`.

        Returns:
            `(gib,)` when it is allowed; otherwise the nearest below and above, in GiB, of which
            the first is left out when nothing smaller is allowed; () when the tier has no storage
            capacity, or no rule for this throughput.
        """
        if self.capacity_is_valid(gib, throughput, efa_enabled=efa_enabled):
            return (gib,)
        rules = self._rules(throughput, efa_enabled)
        # A negative capacity has the same nearest one as no capacity at all.
        allowed = set[int]().union(*(rule.neighbours(max(gib, 0)) for rule in rules))
        below = [value for value in allowed if value < gib]
        above = [value for value in allowed if value > gib]
        return (*([max(below)] if below else []), *([min(above)] if above else []))

    def minimum_efa_capacity_gib(self, throughput: int) -> int | None:
        """Return the smallest EFA-enabled capacity in GiB; None when EFA is not supported."""
        return self.efa_capacity_multiple_gib.get(throughput)

    def storage_gib_behind_one_server(
        self, throughput: int | None, *, efa_enabled: bool = False
    ) -> int | None:
        """Return the GiB behind one storage server, which takes one address; None is unknown."""
        if efa_enabled:
            return None if throughput is None else self.efa_capacity_multiple_gib.get(throughput)
        return self.storage_gib_per_server.get(
            str(throughput), self.storage_gib_per_server.get("any")
        )

    def _rules(self, throughput: int | None, efa_enabled: bool) -> tuple[CapacityRule, ...]:
        rules = self.capacity_rules
        if efa_enabled:
            multiples = self.efa_capacity_multiple_gib.items()
            rules = tuple(CapacityRule((key,), (), multiple) for key, multiple in multiples)
        return tuple(
            rule
            for rule in rules
            if throughput is None or rule.throughputs is None or throughput in rule.throughputs
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClient:
    """The Lustre client that an operating system installs.

    Attributes:
        os: The system, as the paths of images write it.
        version: Version of the client.
        cannot_mount: Versions of file systems that it does not mount.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    os: str
    version: str
    cannot_mount: tuple[str, ...]
    source: tuple[str, ...]
    date: str


@cache
def lustre_tiers() -> tuple[LustreTier, ...]:
    """Return every pair of deployment type and storage type that FSx for Lustre has."""
    return tuple(_tier(entry) for entry in table("lustre")["tiers"])


def lustre_tier(deployment_type: str, storage_type: str = "SSD") -> LustreTier | None:
    """Return one tier.

    Args:
        deployment_type: `SCRATCH_1`, `SCRATCH_2`, `PERSISTENT_1` or `PERSISTENT_2`.
        storage_type: `SSD`, `HDD` or `INTELLIGENT_TIERING`.

    Returns:
        The tier, or None when FSx for Lustre has no such pair.
    """
    key = (deployment_type, storage_type)
    tiers = lustre_tiers()
    return next((t for t in tiers if (t.deployment_type, t.storage_type) == key), None)


def lustre_port_ranges() -> tuple[tuple[int, int], ...]:
    """Return the TCP port ranges, first and last, that clients and file system need both ways."""
    return table("lustre")["ports"]["ranges"]


def lustre_efa_client(instance_type: str) -> bool | None:
    """Tell whether instances of a type can reach an EFA-enabled file system over EFA.

    Args:
        instance_type: E.g. `trn1.32xlarge`. Whether it has an EFA device at all is not looked at.

    Returns:
        None when the sources do not say.
    """
    clients, family = table("lustre")["efa_clients"], instance_type.partition(".")[0]
    if family in clients["families_without"]:
        return False
    return True if family in clients["families_with"] else None


def lustre_clients_by_system() -> tuple[LustreClient, ...]:
    """Return the clients of the systems whose package has one version only."""
    return tuple(LustreClient(**entry) for entry in table("lustre")["clients"])


def lustre_versions() -> tuple[str, ...]:
    """Return the Lustre versions that the API knows, as its strings, oldest first."""
    return table("lustre")["versions"]["all"]


def recommended_lustre_version() -> str:
    """Return the version to use for a new file system, as the API's string."""
    return table("lustre")["versions"]["recommended"]


def _tier(entry: dict[str, Any]) -> LustreTier:
    values = dict(entry)
    metadata = values.pop("metadata")
    whole = values.pop("throughput_capacity")
    multiples: dict[str, int] = values.pop("efa_capacity_multiple_gib") or {}
    return LustreTier(
        capacity_rules=tuple(CapacityRule(**rule) for rule in values.pop("capacity_rules")),
        metadata=None if metadata is None else _metadata_rule(metadata),
        efa_capacity_multiple_gib={int(key): value for key, value in multiples.items()},
        throughput_capacity=None if whole is None else ThroughputCapacityRule(**whole),
        storage_gib_per_server=values.pop("storage_gib_per_server") or {},
        disagreements=disagreements_from(values.pop("disagreements")),
        **values,
    )


def _metadata_rule(entry: dict[str, Any]) -> MetadataRule:
    large: dict[str, int] = entry["automatic_iops_above"] or {}
    return MetadataRule(
        required=entry["required"],
        iops=entry["iops"],
        automatic_iops=entry["automatic_iops"] or (),
        large_from_gib=large.get("from_gib"),
        large_iops=large.get("iops"),
        large_per_gib=large.get("per_gib"),
        requires_version=entry["requires_version"],
        iops_per_server=entry["iops_per_server"],
    )
