"""TRN194: a Lustre file system has IPv4 addresses alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for files in stack_set.resources("AWS::FSx::FileSystem"):
        properties = properties_of(files)
        kind, network = properties["FileSystemType"].text(), properties["NetworkType"]
        if kind == "LUSTRE" and network.text() == "DUAL":
            yield Violation(
                message=f"{files.logical_id}: NetworkType is DUAL, which FSx has for its other "
                "kinds of file systems and not for Lustre",
                hint="leave NetworkType out: nodes of a dual-stack subnet mount Lustre by IPv4",
                resource=files,
                path=network.path,
            )


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
      LustreConfiguration: {DeploymentType: PERSISTENT_2, PerUnitStorageThroughput: 125}
"""

RULE = TemplateRule(
    id="TRN194",
    title="a Lustre file system has IPv4 addresses alone",
    severity=Severity.ERROR,
    why="FSx knows dual-stack file systems of OpenZFS, ONTAP and Windows File Server; asked for a "
    "Lustre one, it refuses.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good=_HEAD + "      NetworkType: IPV4\n",
    bad=_HEAD + "      NetworkType: DUAL\n",
    check=_check,
)
