"""TRN257: groups name the version of their launch template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import TAKES_DEFAULT_VERSION, fleets
from trnkit.rules.reading.known_values import Reference
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for fleet in fleets(stack_set):
        template = fleet.launch_template.resource.logical_id
        fault = _moving_version(fleet, template)
        if fault is not None and fleet.launch_template.is_accelerated:
            yield Violation(
                message=f"{fleet.resource.logical_id}: {fault}, so CloudFormation "
                "sees no change when the template changes",
                hint=f"write Fn::GetAtt: [{template}, LatestVersionNumber]",
                resource=fleet.resource,
                path=fleet.version.path,
            )


def _moving_version(fleet: Fleet, template: str) -> str | None:
    """What a fleet does when its version is not one that changes with the template.

    A stack's update makes a new version and leaves the default where it was, at the first.
    """
    version = fleet.version
    if version.text() in ("$Latest", "$Default"):
        return f"takes version {version.text()} of {template}"
    reference = version.value
    if isinstance(reference, Reference) and reference.attribute == "DefaultVersionNumber":
        return f"takes the default version of {template}"
    left_out = version.is_absent and fleet.resource.type in TAKES_DEFAULT_VERSION
    return f"names no version of {template} and so takes the default" if left_out else None


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: trn1.2xlarge}}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "1"
      VPCZoneIdentifier: [subnet-1]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
"""

RULE = TemplateRule(
    id="TRN257",
    title="groups name the version of their launch template",
    severity=Severity.WARNING,
    why="With $Latest or $Default, nodes started later differ from their neighbours, and a changed "
    "template reaches nobody in a deployment.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/launch-templates.html",
    good=_HEAD + "        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}\n",
    bad=_HEAD + "        Version: $Latest\n",
    check=_check,
)
