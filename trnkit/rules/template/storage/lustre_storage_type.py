"""TRN360: the deployment type comes on that kind of storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import lustre_tiers
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    known = {tier.storage_type for tier in lustre_tiers()}
    for found in lustre_file_systems(stack_set):
        storage, kind = found.properties["StorageType"], found.deployment_type
        media = [t.storage_type for t in lustre_tiers() if t.deployment_type == kind]
        # A type that the catalogue does not know may come on anything.
        if storage.text() in known and media and storage.text() not in media:
            allowed = alternatives(media)
            text = f"is {storage.text()}; {kind} comes with {allowed}"
            yield at_value(storage, Objection(text, f"take {allowed}"))


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
