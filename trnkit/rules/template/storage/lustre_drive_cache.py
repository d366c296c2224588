"""TRN363: disks say whether they have a drive cache, other storage does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection, judge_drive_cache
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        cache, tier = found.configuration["DriveCacheType"], found.tier
        if tier is None:
            continue
        wrong = judge_drive_cache(tier, cache.text())
        restored = not found.properties["BackupId"].is_absent
        if tier.storage_type == "HDD" and cache.is_absent and not restored:
            wrong = Objection("is missing; HDD needs it", "set it to NONE or READ")
        if wrong is not None:
            yield at_value(cache, wrong)


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      SubnetIds: [subnet-1]
      StorageType: HDD
      StorageCapacity: 6000
      LustreConfiguration:
        DeploymentType: PERSISTENT_1
        PerUnitStorageThroughput: 12
"""


RULE = TemplateRule(
    id="TRN363",
    title="disks say whether they have a drive cache, other storage does not",
    severity=Severity.ERROR,
    why="FSx demands the setting for HDD and refuses it elsewhere.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good=_HEAD + "        DriveCacheType: READ\n",
    bad=_HEAD,
    check=_check,
)
