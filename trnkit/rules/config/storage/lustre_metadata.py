"""TRN312: the metadata configuration fits the type, the mode and the capacity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import (
    judge_metadata,
    judge_metadata_iops,
    judge_metadata_mode,
)
from trnkit.layout.storage import tier_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, config in file_systems(cluster):
        tier, metadata = tier_of(config), config.metadata_configuration
        if tier is None:
            continue
        place = (*path, "metadata_configuration")
        wrong = judge_metadata(tier, metadata is not None)
        if wrong is not None:
            yield at_path(place, wrong)
        if wrong is not None or metadata is None:
            continue
        wrong = judge_metadata_mode(tier, metadata.mode)
        if wrong is not None:
            yield at_path((*place, "mode"), wrong, Severity.WARNING)
        capacity = config.storage_capacity_gib
        wrong = judge_metadata_iops(tier, metadata.mode, metadata.iops, capacity)
        if wrong is not None:
            yield at_path((*place, "iops"), wrong)


RULE = ConfigRule(
    id="TRN312",
    title="the metadata configuration fits type, mode and capacity",
    severity=Severity.ERROR,
    why="FSx takes few values, only at creation, and never fewer IOPS than AUTOMATIC "
    "would give; it names none of that when it refuses.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "metadata_configuration: {mode: USER_PROVISIONED, iops: 12000}}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "metadata_configuration: {mode: USER_PROVISIONED, iops: 7000}}]}\n",
    check=_check,
)
