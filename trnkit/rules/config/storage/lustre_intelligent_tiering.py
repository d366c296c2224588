"""TRN311: an Intelligent-Tiering file system has its throughput and read cache, others do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import (
    judge_read_cache,
    judge_read_cache_size,
    judge_throughput_capacity,
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
        tier, cache = tier_of(config), config.data_read_cache
        if tier is None:
            continue
        mbps = config.throughput_capacity_mbps
        wrong = judge_throughput_capacity(tier, mbps)
        if wrong is not None:
            yield at_path((*path, "throughput_capacity_mbps"), wrong)
        wrong = judge_read_cache(tier, cache is not None)
        if wrong is not None:
            yield at_path((*path, "data_read_cache"), wrong)
        elif cache is not None:
            wrong = judge_read_cache_size(tier, cache.sizing_mode, cache.size_gib, mbps)
            if wrong is not None:
                yield at_path((*path, "data_read_cache", "size_gib"), wrong)


RULE = ConfigRule(
    id="TRN311",
    title="Intelligent-Tiering has throughput and cache of its own",
    severity=Severity.ERROR,
    why="Such a file system is bought by throughput instead of capacity. FSx refuses "
    "the settings of one kind on the other.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_type: INTELLIGENT_TIERING, "
    "throughput_capacity_mbps: 4000, metadata_configuration: {mode: "
    "USER_PROVISIONED, iops: 6000}}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_type: INTELLIGENT_TIERING, "
    "throughput_capacity_mbps: 5000, metadata_configuration: {mode: "
    "USER_PROVISIONED, iops: 6000}}]}\n",
    check=_check,
)
