"""The volumes of nodes, which are there as long as their node is.

Sources:
    https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html (gp3: what is included)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import gp3_limits
from trnkit.layout.cost.billing import Billed
from trnkit.layout.cost.nodes import running_hours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import NodeGroupConfig
    from trnkit.layout.cost.billing import Billing
    from trnkit.layout.cost.lines import CostLine


@dataclass(frozen=True, slots=True)
class _Volume:
    """A gp3 volume that every node of a group has."""

    name: str
    path: tuple[str | int, ...]
    size_gib: int
    iops: int | None
    throughput_mibps: int | None


def node_volume_lines(billing: Billing) -> Iterator[CostLine]:
    """Storage of each volume, and what it has above gp3's own performance."""
    for index, group in enumerate(billing.cluster.compute.node_groups):
        if group.count:
            for volume in _volumes(index, group):
                yield from _lines(billing, group, volume)


def _volumes(index: int, group: NodeGroupConfig) -> Iterator[_Volume]:
    place = ("compute", "node_groups", index)
    root = group.root_volume
    size = group.root_volume_size_gib
    path = (*place, "root_volume_size_gib")
    yield _Volume("root", path, size, root.iops, root.throughput_mibps)
    for number, more in enumerate(group.additional_volumes):
        path = (*place, "additional_volumes", number)
        yield _Volume(more.device_name, path, more.size_gib, more.iops, more.throughput_mibps)


def _lines(billing: Billing, group: NodeGroupConfig, volume: _Volume) -> Iterator[CostLine]:
    limits = gp3_limits()
    of_one = (
        ("storage", "ebs-gp3-storage", "GB-month", volume.size_gib, "GB"),
        (
            "IOPS",
            "ebs-gp3-iops",
            "IOPS-month",
            (volume.iops or 0) - limits.minimum_iops,
            f"IOPS above {limits.minimum_iops:,}",
        ),
        (
            "throughput",
            "ebs-gp3-throughput",
            "MiBps-month",
            (volume.throughput_mibps or 0) - limits.minimum_throughput_mibps,
            f"MiB/s above {limits.minimum_throughput_mibps}",
        ),
    )
    for what, item, unit, amount, words in of_one:
        if amount > 0:
            billed = Billed(
                key=f"node volumes/{group.name}/{volume.name}/{what}",
                component="node volumes",
                name=f"{group.name}: {volume.name} volume, {what}",
                path=volume.path,
                item=item,
                unit=unit,
            )
            yield billing.by_month(
                billed,
                group.count * amount,
                f"{group.count} volumes x {amount:,} {words}",
                hours=running_hours(billing, group),
                course="nodes",
            )
