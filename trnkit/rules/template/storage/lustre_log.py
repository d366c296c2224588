"""TRN368: Lustre logs go to a log group that FSx may write to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection, judge_log_group_name
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        log = found.configuration["LogConfiguration"]
        target = log["Destination"]
        if log["Level"].text() == "DISABLED" and not target.is_absent and not target.is_unknown:
            text = "is given, but the level is DISABLED"
            yield at_value(target, Objection(text, "remove it, or take another level"))
        wrong = _objection(target)
        if wrong is not None:
            yield at_value(target, wrong)


def _objection(target: TemplateValue) -> Objection | None:
    group = target.referred("AWS::Logs::LogGroup")
    if group is not None:
        name = properties_of(group)["LogGroupName"]
        if name.is_absent:
            text = f"is {group.logical_id}, which CloudFormation names without /aws/fsx"
            return Objection(text, "give it a LogGroupName under /aws/fsx/")
        return judge_log_group_name(name.text() or "") if name.text() is not None else None
    _, is_group, name = (target.text() or "").partition(":log-group:")
    return judge_log_group_name(name.removesuffix(":*")) if is_group else None


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
        DeploymentType: SCRATCH_2
        LogConfiguration:
          Level: WARN_ERROR
          Destination: arn:aws:logs:us-east-2:111122223333:log-group:%s
"""


RULE = TemplateRule(
    id="TRN368",
    title="Lustre logs go where FSx may write",
    severity=Severity.ERROR,
    why="FSx refuses a log group whose name does not begin with /aws/fsx, and any destination "
    "beside the level DISABLED.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good=_HEAD % "/aws/fsx/lustre",
    bad=_HEAD % "lustre",
    check=_check,
)
