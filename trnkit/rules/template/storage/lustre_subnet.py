"""TRN352: a Lustre file system is in exactly one subnet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import count
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        subnets = found.properties["SubnetIds"]
        entries = subnets.entries()
        if entries is None or len(entries) == 1 or any(entry.is_unknown for entry in entries):
            continue
        yield Violation(
            message=f"{found.name}: has {count(len(entries), 'subnet')}; Lustre takes exactly 1",
            hint="name the one subnet that is in the nodes' zone",
            resource=found.resource,
            path=subnets.path,
        )


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      LustreConfiguration: {DeploymentType: SCRATCH_2}
"""

RULE = TemplateRule(
    id="TRN352",
    title="a Lustre file system is in one subnet",
    severity=Severity.ERROR,
    why="Lustre lives in a single zone. FSx refuses a list that other file systems take.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good=_HEAD + "      SubnetIds: [subnet-1]\n",
    bad=_HEAD + "      SubnetIds: [subnet-1, subnet-2]\n",
    check=_check,
)
