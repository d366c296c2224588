"""TRN264: a deployment does not undo what a schedule has set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import scheduled_actions
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.template_value import attribute_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_KEYS = ("AutoScalingScheduledAction", "IgnoreUnmodifiedGroupSizeProperties")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for fleet in fleets(stack_set):
        if fleet.resource.type != "AWS::AutoScaling::AutoScalingGroup":
            continue
        actions = scheduled_actions(stack_set, fleet)
        if not actions or not fleet.launch_template.is_accelerated:
            continue
        policy = attribute_of(fleet.resource, "UpdatePolicy")
        kept = policy[_KEYS[0]][_KEYS[1]]
        if kept.is_absent or kept.boolean() is False:
            yield Violation(
                message=f"{fleet.resource.logical_id}: {actions[0].logical_id} changes its size, "
                "and every update of the group sets it back to the template's",
                hint=f"set UpdatePolicy.{'.'.join(_KEYS)} to true",
                resource=fleet.resource,
                path=("UpdatePolicy",),
            )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: trn2.48xlarge}}
  Start:
    Type: AWS::AutoScaling::ScheduledAction
    Properties:
      AutoScalingGroupName: {Ref: Group}
      StartTime: "2027-03-01T11:30:00Z"
      DesiredCapacity: 4
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "4"
      DesiredCapacity: "0"
      VPCZoneIdentifier: [subnet-1]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
"""
_POLICY = """\
    UpdatePolicy:
      AutoScalingScheduledAction: {IgnoreUnmodifiedGroupSizeProperties: true}
"""

RULE = TemplateRule(
    id="TRN264",
    title="a deployment does not undo what a schedule has set",
    severity=Severity.WARNING,
    why="CloudFormation sets minimum, maximum and desired size with every update of a group: a "
    "changed image would terminate every node in the middle of a Capacity Block.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-updatepolicy.html",
    good=_HEAD + _POLICY,
    bad=_HEAD,
    check=_check,
)
