"""TRN302: the throughput is one of the deployment type's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.storage import tier_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.lustre_judgement import judge_throughput
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, file_system in file_systems(cluster):
        tier, throughput = (
            tier_of(file_system),
            file_system.per_unit_storage_throughput,
        )
        if tier is None or throughput is None:
            continue
        place = (*path, "per_unit_storage_throughput")
        found = judge_throughput(tier, throughput)
        if found is not None:
            yield Violation(
                message=f"{format_path(place)} {found.text}",
                hint=found.hint,
                path=place,
                evidence=found.evidence,
            )


RULE = ConfigRule(
    id="TRN302",
    title="the deployment type has that throughput",
    severity=Severity.ERROR,
    why="Each deployment type has its own few values, and scratch file systems take none; FSx "
    "refuses any other without naming the right ones.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "per_unit_storage_throughput: 250}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "per_unit_storage_throughput: 200}]}\n",
    check=_check,
)
