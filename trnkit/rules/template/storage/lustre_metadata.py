"""TRN361: a Lustre metadata configuration fits the type, the mode and the capacity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import (
    judge_metadata,
    judge_metadata_iops,
    judge_metadata_mode,
)
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.lustre_resources import LustreFileSystem
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        yield from _judge(found)


def _judge(found: LustreFileSystem) -> Iterator[Violation]:
    tier, metadata = found.tier, found.configuration["MetadataConfiguration"]
    given = metadata.mapping() is not None
    restored = not found.properties["BackupId"].is_absent
    if tier is None or not (given or (metadata.is_absent and not restored)):
        return
    wrong = judge_metadata(tier, given)
    if wrong is not None:
        yield at_value(metadata, wrong)
    mode, iops = metadata["Mode"], metadata["Iops"]
    written = mode.text()
    if wrong is not None or written is None:
        return
    wrong = judge_metadata_mode(tier, written)
    if wrong is not None:
        yield at_value(mode, wrong, Severity.WARNING)
    if iops.is_absent or iops.integer() is not None:
        capacity = found.properties["StorageCapacity"].integer()
        wrong = judge_metadata_iops(tier, written, iops.integer(), capacity)
        if wrong is not None:
            yield at_value(iops, wrong)


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      StorageCapacity: 4800
      SubnetIds: [subnet-1]
      LustreConfiguration:
        DeploymentType: PERSISTENT_2
        PerUnitStorageThroughput: 250
"""


RULE = TemplateRule(
    id="TRN361",
    title="a Lustre metadata configuration fits type, mode and capacity",
    severity=Severity.ERROR,
    why="FSx takes few values, only at creation, and never fewer IOPS than AUTOMATIC would give.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html",
    good=_HEAD + "        MetadataConfiguration: {Mode: USER_PROVISIONED, Iops: 12000}\n",
    bad=_HEAD + "        MetadataConfiguration: {Mode: USER_PROVISIONED, Iops: 7000}\n",
    check=_check,
)
