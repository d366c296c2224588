"""TRN362: Intelligent-Tiering has a throughput and a read cache, other storage a capacity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import (
    Objection,
    judge_capacity_given,
    judge_read_cache,
    judge_read_cache_size,
    judge_throughput_capacity,
)
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import LustreTier
    from trnkit.rules.reading.lustre_resources import LustreFileSystem
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        # A file system made from a backup may leave out what the backup has.
        if found.tier is None or not found.properties["BackupId"].is_absent:
            continue
        capacity, mbps = (
            found.properties["StorageCapacity"],
            found.configuration["ThroughputCapacity"],
        )
        if not capacity.is_unknown:
            wrong = judge_capacity_given(found.tier, not capacity.is_absent)
            if wrong is not None:
                yield at_value(capacity, wrong)
        if mbps.is_absent or mbps.integer() is not None:
            wrong = judge_throughput_capacity(found.tier, mbps.integer())
            if wrong is not None:
                yield at_value(mbps, wrong)
        yield from _read_cache(found, found.tier, mbps.integer())


def _read_cache(found: LustreFileSystem, tier: LustreTier, mbps: int | None) -> Iterator[Violation]:
    cache = found.configuration["DataReadCacheConfiguration"]
    mode, size = cache["SizingMode"], cache["SizeGiB"]
    wrong = None if cache.is_unknown else judge_read_cache(tier, not cache.is_absent)
    if wrong is not None:
        yield at_value(cache, wrong)
        return
    if cache.is_absent and tier.throughput_capacity is not None:
        text = f"is missing; {tier.storage_type} needs it"
        yield at_value(cache, Objection(text, "add one, if need be with SizingMode NO_CACHE"))
    written = mode.text()
    if written is not None and (size.is_absent or size.integer() is not None):
        wrong = judge_read_cache_size(tier, written, size.integer(), mbps)
        if wrong is not None:
            yield at_value(size, wrong)


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      SubnetIds: [subnet-1]
      StorageType: INTELLIGENT_TIERING
      LustreConfiguration:
        DeploymentType: PERSISTENT_2
        MetadataConfiguration: {Mode: USER_PROVISIONED, Iops: 6000}
        DataReadCacheConfiguration: {SizingMode: NO_CACHE}
"""


RULE = TemplateRule(
    id="TRN362",
    title="Intelligent-Tiering has throughput and cache, other storage a capacity",
    severity=Severity.ERROR,
    why="FSx refuses the settings of one kind on the other; CloudFormation knows both and asks "
    "for neither.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good=_HEAD + "        ThroughputCapacity: 4000\n",
    bad=_HEAD + "        ThroughputCapacity: 5000\n",
    check=_check,
)
