"""TRN367: a key of one's own is for persistent file systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        key, kind = found.properties["KmsKeyId"], found.deployment_type or ""
        if kind.startswith("SCRATCH") and not key.is_absent and not key.is_unknown:
            text = f"is given, but {kind} is always encrypted with a key of FSx's own"
            yield at_value(key, Objection(text, "remove it, or take a PERSISTENT type"))


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      SubnetIds: [subnet-1]
      StorageCapacity: 1200
      KmsKeyId: 1234abcd-12ab-34cd-56ef-1234567890ab
"""


RULE = TemplateRule(
    id="TRN367",
    title="a key of one's own is for persistent file systems",
    severity=Severity.WARNING,
    why="Scratch file systems are encrypted with a key of FSx's own, so a policy that demands "
    "yours is not met.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good=_HEAD
    + "      LustreConfiguration: {DeploymentType: PERSISTENT_2, PerUnitStorageThroughput: 125}\n",
    bad=_HEAD + "      LustreConfiguration: {DeploymentType: SCRATCH_2}\n",
    check=_check,
)
