"""TRN267: a launch template that a group starts by itself names image and type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.capacity_resources import capacity_of
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        ours = template.is_accelerated or capacity_of(template).is_block
        if fleet.resource.type != "AWS::AutoScaling::AutoScalingGroup" or not ours:
            continue
        missing = _missing(fleet)
        if missing:
            yield Violation(
                message=f"{template.resource.logical_id}: lacks {alternatives(missing, 'and')}, "
                f"and {fleet.resource.logical_id} starts it as it is",
                hint="write them into LaunchTemplateData",
                resource=template.resource,
                path=template.data.path,
            )


def _missing(fleet: Fleet) -> list[str]:
    data = fleet.launch_template.data
    missing = ["ImageId"] if data["ImageId"].is_absent else []
    no_type = data["InstanceType"].is_absent and data["InstanceRequirements"].is_absent
    return [*missing, "InstanceType"] if no_type and not fleet.overrides_type else missing


_HEAD = """\
Resources:
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "1"
      VPCZoneIdentifier: [subnet-1]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
"""

RULE = TemplateRule(
    id="TRN267",
    title="a launch template that a group starts by itself names image and type",
    severity=Severity.ERROR,
    why="Auto Scaling refuses a group whose template lacks either.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/launch-templates.html",
    good=_HEAD + "        ImageId: ami-0123456789abcdef0\n",
    bad=_HEAD,
    check=_check,
)
