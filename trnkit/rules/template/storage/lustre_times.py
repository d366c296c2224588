"""TRN373: the weekly and daily times of a file system are written as FSx reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_TIME = "([01][0-9]|2[0-3]):[0-5][0-9]"
_SHAPES = {
    "WeeklyMaintenanceStartTime": (
        re.compile(f"[1-7]:{_TIME}"),
        '"d:HH:MM" in UTC, d from 1 (Monday) to 7',
        '"7:03:30"',
    ),
    "DailyAutomaticBackupStartTime": (re.compile(_TIME), '"HH:MM" in UTC', '"03:30"'),
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        for key, (shape, form, example) in _SHAPES.items():
            value = found.configuration[key]
            text = value.text()
            if text is not None and shape.fullmatch(text) is None:
                # Unquoted, YAML reads 1:05:00 as a number of base 60.
                hint = f"write it in quotes, as in {example}"
                yield at_value(value, Objection(f"is {text}; FSx reads {form}", hint))


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
      LustreConfiguration:
        DeploymentType: SCRATCH_2
"""

RULE = TemplateRule(
    id="TRN373",
    title="the weekly and daily times of a file system are written as FSx reads them",
    severity=Severity.ERROR,
    why="FSx refuses other forms when the stack is deployed. Monday is day 1 and there is no day "
    "0; without quotes YAML makes a number of the time.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good=_HEAD + '        WeeklyMaintenanceStartTime: "7:03:30"\n',
    bad=_HEAD + '        WeeklyMaintenanceStartTime: "8:03:30"\n',
    check=_check,
)
