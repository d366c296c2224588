"""TRN303: the region offers the deployment type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_region
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    region = find_region(cluster.region)
    if region is None or region.persistent_2 is not False:
        return
    for path, file_system in file_systems(cluster):
        if file_system.deployment_type == "PERSISTENT_2":
            place = (*path, "deployment_type")
            yield Violation(
                message=f"{format_path(place)} is PERSISTENT_2, which {region.name} does not offer",
                hint="write `deployment_type: SCRATCH_2`, which is not replicated, or take another "
                "region",
                path=place,
                evidence=f"catalogue, {region.name}: no PERSISTENT_2 ({region.date})",
            )


RULE = ConfigRule(
    id="TRN303",
    title="the region offers the Lustre deployment type",
    severity=Severity.ERROR,
    why="Three of the four regions with Trainium2 have no PERSISTENT_2 file systems.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html",
    good="region: sa-east-1\n"
    "compute: {node_groups: [{name: dev, instance_type: trn2.3xlarge, count: 1}]}\n"
    "storage: {lustre_file_systems: [{name: fsx, deployment_type: SCRATCH_2, "
    "storage_capacity_gib: 1200}]}\n",
    bad="region: sa-east-1\n"
    "compute: {node_groups: [{name: dev, instance_type: trn2.3xlarge, count: 1}]}\n"
    "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200}]}\n",
    check=_check,
)
