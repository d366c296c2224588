"""TRN310: the deployment type comes on that kind of storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import lustre_tiers
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.storage import tier_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.objections import at_path
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, config in file_systems(cluster):
        if tier_of(config) is not None:
            continue
        kind = config.deployment_type
        found = alternatives(t.storage_type for t in lustre_tiers() if t.deployment_type == kind)
        text = f"is {config.storage_type}; {kind} comes with {found}"
        yield at_path((*path, "storage_type"), Objection(text, f"take {found}"))


RULE = ConfigRule(
    id="TRN310",
    title="the deployment type comes on that kind of storage",
    severity=Severity.ERROR,
    why="Disks are for PERSISTENT_1 and Intelligent-Tiering is for PERSISTENT_2; FSx "
    "refuses other pairs.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good="storage: {lustre_file_systems: [{name: fsx, deployment_type: PERSISTENT_1, "
    "storage_type: HDD, storage_capacity_gib: 6000, drive_cache_type: NONE}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, deployment_type: SCRATCH_2, "
    "storage_type: HDD, storage_capacity_gib: 6000}]}\n",
    check=_check,
)
