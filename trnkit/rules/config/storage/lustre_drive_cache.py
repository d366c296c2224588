"""TRN315: a drive cache is for disks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import judge_drive_cache
from trnkit.layout.storage import tier_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, config in file_systems(cluster):
        tier = tier_of(config)
        wrong = judge_drive_cache(tier, config.drive_cache_type) if tier else None
        if wrong is not None:
            yield at_path((*path, "drive_cache_type"), wrong)


RULE = ConfigRule(
    id="TRN315",
    title="a drive cache is for disks",
    severity=Severity.ERROR,
    why="FSx refuses the setting on SSD and Intelligent-Tiering storage.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good="storage: {lustre_file_systems: [{name: fsx, deployment_type: PERSISTENT_1, "
    "storage_type: HDD, storage_capacity_gib: 6000, drive_cache_type: READ}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "drive_cache_type: READ}]}\n",
    check=_check,
)
