"""TRN366: Lustre backups are possible, and carry the tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.lustre_links import judge_retention
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
    value = found.configuration["AutomaticBackupRetentionDays"]
    days, kind = value.integer(), found.deployment_type or ""
    if days is None or days == 0:
        return
    wrong = judge_retention(days, kind)
    if wrong is not None:
        yield at_value(value, wrong)
    copied = found.configuration["CopyTagsToBackups"]
    if copied.is_absent or copied.boolean() is False:
        text = "is not true, so backups have no tags, by which clean-up and cost reports find them"
        yield at_value(copied, Objection(text, "set it to true"), Severity.INFO)


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      SubnetIds: [subnet-1]
      StorageCapacity: 1200
      LustreConfiguration:
        DeploymentType: PERSISTENT_2
        PerUnitStorageThroughput: 125
        CopyTagsToBackups: true
"""


RULE = TemplateRule(
    id="TRN366",
    title="Lustre backups are possible, and carry the tags",
    severity=Severity.ERROR,
    why="FSx refuses longer retentions and backups of scratch file systems. Backups without "
    "tags are found by nobody when the cluster is gone.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    good=_HEAD + "        AutomaticBackupRetentionDays: 90\n",
    bad=_HEAD + "        AutomaticBackupRetentionDays: 91\n",
    check=_check,
)
