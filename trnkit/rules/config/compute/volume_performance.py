"""TRN223: the speed and size of volumes are ones that gp3 has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import gp3_limits
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        root = group.root_volume
        yield from _judge(
            (*path, "root_volume"), group.root_volume_size_gib, root.iops, root.throughput_mibps
        )
        for index, volume in enumerate(group.additional_volumes):
            place = (*path, "additional_volumes", index)
            yield from _judge(place, volume.size_gib, volume.iops, volume.throughput_mibps)


def _judge(
    place: Path, size_gib: int, iops: int | None, throughput: int | None
) -> Iterator[Violation]:
    limits = gp3_limits()
    evidence = f"catalogue, gp3 ({limits.date})"
    bounds = (
        ("iops", iops, limits.minimum_iops, limits.maximum_iops),
        (
            "throughput_mibps",
            throughput,
            limits.minimum_throughput_mibps,
            limits.maximum_throughput_mibps,
        ),
    )
    for key, value, least, most in bounds:
        if value is not None and not least <= value <= most:
            yield Violation(
                message=f"{format_path((*place, key))} is {value}; gp3 has {least} to {most}",
                hint=f"write {min(max(value, least), most)}",
                path=(*place, key),
                evidence=evidence,
            )
    effective = iops or limits.minimum_iops
    possible = int(max(effective, limits.minimum_iops) * limits.throughput_mibps_per_iops)
    if iops is not None and iops > max(size_gib * limits.iops_per_gib, limits.minimum_iops):
        yield Violation(
            message=f"{format_path((*place, 'iops'))} is {iops}; {size_gib} GiB have at most "
            f"{size_gib * limits.iops_per_gib}",
            hint="take a larger volume or fewer operations",
            path=(*place, "iops"),
            evidence=evidence,
        )
    if throughput is not None and throughput > possible:
        needed = int(throughput / limits.throughput_mibps_per_iops)
        yield Violation(
            message=f"{format_path((*place, 'throughput_mibps'))} is {throughput}; {effective} "
            f"operations a second move at most {possible} MiB/s",
            hint=f"write `iops: {needed}`, or a lower throughput",
            path=(*place, "throughput_mibps"),
            evidence=evidence,
        )


_GROUP = (
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, root_volume: "
)

RULE = ConfigRule(
    id="TRN223",
    title="the speed and size of volumes are ones that gp3 has",
    severity=Severity.ERROR,
    why="EC2 refuses the launch, and the group stays empty.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html",
    good=_GROUP + "{iops: 4000, throughput_mibps: 1000}}]}\n",
    bad=_GROUP + "{throughput_mibps: 1000}}]}\n",
    check=_check,
)
