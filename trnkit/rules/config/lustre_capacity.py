"""TRN301: Lustre comes in steps of capacity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import lustre_tier
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.lustre_judgement import judge_capacity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, file_system in file_systems(cluster):
        tier, place = lustre_tier(file_system.deployment_type), (*path, "storage_capacity_gib")
        found = judge_capacity(tier, file_system.storage_capacity_gib) if tier else None
        if found is not None:
            yield Violation(
                message=f"{format_path(place)} {found.text}",
                hint=found.hint,
                path=place,
                evidence=found.evidence,
            )


RULE = ConfigRule(
    id="TRN301",
    title="Lustre comes in that capacity",
    severity=Severity.ERROR,
    why="FSx refuses other sizes, and neither CloudFormation nor the CDK's L1 looks at the number.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 3600}]}\n",
    check=_check,
)
