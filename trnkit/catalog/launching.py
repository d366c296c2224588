"""What EC2 and Auto Scaling take of those who launch: lifetimes, hops, placement, volumes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoScalingLimits:
    """What an Auto Scaling group can be.

    Attributes:
        minimum_instance_lifetime_seconds: `MaxInstanceLifetime` at least, when it is not 0.
        maximum_instance_lifetime_seconds: `MaxInstanceLifetime` at most.
        metric_granularities: Values of `MetricsCollection[].Granularity`.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    minimum_instance_lifetime_seconds: int
    maximum_instance_lifetime_seconds: int
    metric_granularities: tuple[str, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataLimits:
    """What the options of the instance metadata service can be.

    Attributes:
        minimum_hops: `HttpPutResponseHopLimit` at least.
        maximum_hops: `HttpPutResponseHopLimit` at most.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    minimum_hops: int
    maximum_hops: int
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementFacts:
    """What placement groups can be, and for whom.

    Attributes:
        maximum_partitions: Partitions of one group and zone at most.
        groups_per_region: Placement groups of an account in a Region at most, as documented.
        families_without_cluster: Families of instance types, none of which can be in a cluster
            placement group.
        note: What was compared.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    maximum_partitions: int
    groups_per_region: int
    families_without_cluster: tuple[str, ...]
    note: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeLimits:
    """What a kind of EBS volume can be.

    Attributes:
        kind: `VolumeType`, for example `io2`.
        minimum_size_gib: Size in GiB at least.
        maximum_size_gib: Size in GiB at most.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    kind: str
    minimum_size_gib: int
    maximum_size_gib: int
    source: tuple[str, ...]
    date: str


@cache
def auto_scaling_limits() -> AutoScalingLimits:
    """Return what an Auto Scaling group can be."""
    return AutoScalingLimits(**table("launching")["auto_scaling"])


@cache
def metadata_limits() -> MetadataLimits:
    """Return what the options of the instance metadata service can be."""
    return MetadataLimits(**table("launching")["metadata"])


@cache
def placement_facts() -> PlacementFacts:
    """Return what placement groups can be, and for whom."""
    return PlacementFacts(**table("launching")["placement"])


@cache
def volume_limits(kind: str) -> VolumeLimits | None:
    """Return what a kind of EBS volume can be.

    Args:
        kind: `VolumeType`.

    Returns:
        None when the catalogue does not know the kind.
    """
    volumes = table("launching")["volumes"]
    entry = volumes["kinds"].get(kind)
    if entry is None:
        return None
    return VolumeLimits(kind=kind, source=volumes["source"], date=volumes["date"], **entry)
