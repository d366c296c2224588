"""What a plan is about: a cluster file or an instance type, and the ways to buy to compare."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from trnkit.config.yaml_reader import clipped
from trnkit.errors import UsageError
from trnkit.findings import Severity
from trnkit.layout.capacity import block_times, uses_existing_reservation
from trnkit.layout.zones import compute_zone_id, named_zone_id
from trnkit.operations.planning.market import NodeNeed
from trnkit.operations.planning.options import Standing, Way
from trnkit.operations.planning.request import Purchase
from trnkit.rules.judging.region_shape import is_region_shaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from trnkit.config import ClusterConfig, ClusterFile, NodeGroupConfig
    from trnkit.findings import Finding

PURCHASES: tuple[Purchase, ...] = get_args(Purchase)
EVERY = "all"
_TYPE = re.compile(r"[a-z0-9-]{1,40}\.[a-z0-9-]{1,40}")
MIXED = "mixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """What the user said.

    Attributes:
        file: The cluster file.
        instance_type: The type, without a file.
        count: How many, without a file.
        regions: Regions to compare; () leaves the choice to the catalogue, `all` is every one
            that is on for the account.
        purchases: Ways to buy; () is as the file says, or all without one.
        hours: For how long.
        earliest: When a Capacity Block may start, at the earliest.
        latest: When it must have started.
        data_region: Where the data in S3 is.
    """

    file: str | None = None
    instance_type: str | None = None
    count: int | None = None
    regions: tuple[str, ...] = ()
    purchases: tuple[str, ...] = ()
    hours: int | None = None
    earliest: datetime | None = None
    latest: datetime | None = None
    data_region: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAim:
    """What is wanted, before the Regions are chosen.

    Attributes:
        needs: Instances that are wanted together.
        ways: Ways to buy all of them.
        hours: For how long.
        earliest: When a Capacity Block may start.
        latest: When it must have started.
        services: Services that a Region must have.
        data_region: Where the data is, as far as it is known.
        home: The Region of the file.
        stays: Whether the file cannot leave its Region.
        reserved: Group -> place of the reservation that the file names for it.
        data_uses: What holds of the file only where its data is in the same Region.
        cluster: Name of the file's cluster.
        standing: Where and how the file has its nodes.
        remarks: What the plan leaves out, and why.
    """

    needs: tuple[NodeNeed, ...]
    ways: tuple[Way, ...]
    hours: int | None = None
    earliest: datetime | None = None
    latest: datetime | None = None
    services: tuple[str, ...] = ()
    data_region: str | None = None
    home: str | None = None
    stays: bool = False
    reserved: dict[str, tuple[str, str | None]] = field(
        default_factory=dict[str, "tuple[str, str | None]"]
    )
    data_uses: tuple[str, ...] = ()
    cluster: str | None = None
    standing: Standing | None = None
    remarks: tuple[str, ...] = ()


def refuse_contradictions(options: PlanOptions) -> None:
    """Say what cannot be meant, before anything is read or asked.

    Raises:
        UsageError: It says both a file and a type, neither, half of it, or what is no value.
    """
    has_type = options.instance_type is not None or options.count is not None
    if options.file is not None and has_type:
        raise UsageError(
            "a cluster file says types and counts itself: leave out --instance-type and --count, "
            "or FILE"
        )
    if options.file is None and (options.instance_type is None or options.count is None):
        raise UsageError("name a cluster file, or give --instance-type and --count")
    if options.instance_type is not None and not _TYPE.fullmatch(options.instance_type):
        raise UsageError(
            f"--instance-type {clipped(options.instance_type)!r} is no instance type, as "
            "trn2.48xlarge is"
        )
    named = [region for region in options.regions if region != EVERY]
    for region in (*named, *([] if options.data_region is None else [options.data_region])):
        if not is_region_shaped(region):
            raise UsageError(f"region {region!r} is no Region, as us-east-2 is")
    unknown = [name for name in options.purchases if name not in (*PURCHASES, EVERY)]
    if unknown:
        raise UsageError(
            f"--purchase {unknown[0]} is no way to buy: give one of {', '.join(PURCHASES)} or all"
        )
    if options.earliest and options.latest and options.latest < options.earliest:
        raise UsageError("--start-before is earlier than --start-after: exchange them")


def aim_of_type(options: PlanOptions) -> PlanAim:
    """What is wanted when the options say it all.

    Raises:
        UsageError: A Capacity Block is asked for, and not for how long.
    """
    need = NodeNeed(instance_type=options.instance_type or "", count=options.count or 0)
    names = _asked_names(options) or PURCHASES
    names, remarks = _without_endless_blocks(options, names, options.hours)
    return PlanAim(
        needs=(need,),
        ways=tuple(Way(name=name, purchases=(name,)) for name in names),
        hours=options.hours,
        earliest=options.earliest,
        latest=options.latest,
        data_region=options.data_region,
        remarks=remarks,
    )


def aim_of_file(options: PlanOptions, cluster: ClusterFile, now: datetime) -> PlanAim:
    """What a cluster file wants, with what the options say beside it.

    Args:
        options: What the user said; it goes before what the file says.
        cluster: The file.
        now: Blocks of the past are not looked for.

    Raises:
        UsageError: It has no node, or a Capacity Block is asked for and not for how long.
    """
    config = cluster.config
    groups = [group for group in config.compute.node_groups if group.count > 0]
    if not groups:
        raise UsageError(
            f"{cluster.file} asks for no node: write a `count:` above 0, or give "
            "--instance-type and --count in place of FILE"
        )
    needs = tuple(
        NodeNeed(
            instance_type=group.instance_type,
            count=group.count,
            group=group.name,
            max_price_usd=group.capacity.max_price_usd,
        )
        for group in groups
    )
    hours, earliest = _schedule(options, groups, now)
    ways, remarks = _ways(options, groups, hours)
    return PlanAim(
        needs=needs,
        ways=ways,
        hours=hours,
        earliest=earliest,
        latest=options.latest,
        services=_services(config),
        data_region=options.data_region or (config.region if _has_data(config) else None),
        home=config.region,
        stays=config.network.existing is not None,
        reserved={
            group.name: (config.region, named_zone_id(config))
            for group in groups
            if uses_existing_reservation(group)
        },
        data_uses=tuple(_data_uses(config)),
        cluster=config.name,
        standing=Standing(
            region=config.region,
            zone_id=compute_zone_id(config),
            purchases=tuple(group.capacity.type for group in groups),
        ),
        remarks=(*remarks, *_bought(groups)),
    )


def stops_plan(finding: Finding) -> bool:
    """Whether a file with this finding cannot be planned: what only the place is wrong about can.

    Args:
        finding: What `trnkit check` says.
    """
    if finding.severity is not Severity.ERROR:
        return False
    path = finding.path or ""
    is_place = path == "region" or path.endswith("availability_zone_id")
    return not (is_place or finding.rule_id in _PLACE_RULES)


_PLACE_RULES = ("TRN102", "TRN212")
"""A type that is not offered, or not sold in Capacity Blocks, in the file's own Region or zone."""


def _asked_names(options: PlanOptions) -> tuple[Purchase, ...]:
    if EVERY in options.purchases:
        return PURCHASES
    return tuple(name for name in PURCHASES if name in options.purchases)


def _without_endless_blocks(
    options: PlanOptions, names: Sequence[Purchase], hours: int | None
) -> tuple[tuple[Purchase, ...], tuple[str, ...]]:
    """A block is bought for a time: without one there is nothing to ask."""
    if hours is not None or "capacity-block" not in names:
        return tuple(names), ()
    rest: tuple[Purchase, ...] = tuple(name for name in names if name != "capacity-block")
    if not rest or "capacity-block" in options.purchases:
        raise UsageError("a Capacity Block is bought for a time: say --hours, for example 168")
    return rest, ("Capacity Blocks are not compared: say for how long with --hours",)


def _ways(
    options: PlanOptions, groups: Sequence[NodeGroupConfig], hours: int | None
) -> tuple[tuple[Way, ...], tuple[str, ...]]:
    if not options.purchases:
        own: tuple[Purchase, ...] = tuple(group.capacity.type for group in groups)
        if "capacity-block" in own and hours is None:
            raise UsageError("a Capacity Block is bought for a time: say --hours, for example 168")
        name = own[0] if len(set(own)) == 1 else MIXED
        how = "each group in its own way" if name == MIXED else name
        remark = f"compared as the file buys ({how}): --purchase all compares every way"
        return (Way(name=name, purchases=own),), (remark,)
    names, remarks = _without_endless_blocks(options, _asked_names(options), hours)
    return tuple(Way(name=name, purchases=(name,) * len(groups)) for name in names), remarks


def _schedule(
    options: PlanOptions, groups: Iterable[NodeGroupConfig], now: datetime
) -> tuple[int | None, datetime | None]:
    """Hours and earliest start: as the options say, else as the blocks of the file are."""
    times = [found for found in map(block_times, groups) if found is not None]
    hours, earliest = options.hours, options.earliest
    if times and hours is None:
        longest = max((one.end - one.start).total_seconds() for one in times)
        hours = max(1, math.ceil(longest / 3600))
    if times and earliest is None:
        first = min(one.start for one in times)
        earliest = first if first > now else None
    return hours, earliest


def _services(config: ClusterConfig) -> tuple[str, ...]:
    """Names of AWS's global infrastructure parameters."""
    storage = config.storage
    lustre = storage.lustre_file_systems or storage.existing_lustre_file_systems
    wanted = {"fsx": bool(lustre), "efs": storage.home_file_system is not None}
    return tuple(name for name, needed in wanted.items() if needed)


def _has_data(config: ClusterConfig) -> bool:
    """Whether buckets are named, which are in the cluster's Region."""
    storage = config.storage
    linked = any(one.data_repository_associations for one in storage.lustre_file_systems)
    return bool(linked or storage.s3_mountpoints)


def _data_uses(config: ClusterConfig) -> Iterator[str]:
    """What does not work with data of another Region.

    Source: https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
    """
    links = [
        link
        for system in config.storage.lustre_file_systems
        for link in system.data_repository_associations
    ]
    if any(link.auto_import_events for link in links):
        yield (
            "FSx for Lustre imports by itself from buckets of its own Region only: link a bucket "
            "there, or write `auto_import_events: []` and import by tasks"
        )
    if config.storage.s3_mountpoints:
        yield (
            "nodes ask for buckets in their own Region, and mount no other: copy what is needed to "
            "a bucket there"
        )


def _bought(groups: Iterable[NodeGroupConfig]) -> tuple[str, ...]:
    """Blocks are bought already: the plan is about further ones."""
    names = [group.name for group in groups if group.capacity.type == "capacity-block"]
    if not names:
        return ()
    return (
        f"the file names a Capacity Block for {', '.join(names)} that is bought already; blocks "
        "listed here are others",
    )
