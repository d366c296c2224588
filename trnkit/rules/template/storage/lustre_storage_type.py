"""TRN360: the deployment type comes on that kind of storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.lustre_judgement import judge_storage_type
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        storage = found.properties["StorageType"]
        wrong = judge_storage_type(found.deployment_type, storage.text())
        if wrong is not None:
            yield at_value(storage, wrong)


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      SubnetIds: [subnet-1]
"""


RULE = TemplateRule(
    id="TRN360",
    title="the Lustre deployment type comes on that kind of storage",
    severity=Severity.ERROR,
    why="Disks are for PERSISTENT_1 and Intelligent-Tiering is for PERSISTENT_2; FSx refuses "
    "other pairs, and CloudFormation does not look.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good=_HEAD
    + "      StorageType: HDD\n      StorageCapacity: 6000\n"
    + "      LustreConfiguration: {DeploymentType: PERSISTENT_1, PerUnitStorageThroughput: 12}\n",
    bad=_HEAD
    + "      StorageType: HDD\n      StorageCapacity: 6000\n"
    + "      LustreConfiguration: {DeploymentType: SCRATCH_2}\n",
    check=_check,
)
