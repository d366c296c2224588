"""TRN253: security groups stand on the interfaces, and only there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.reading.launch_templates import LaunchTemplate
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in launch_templates(stack_set):
        certain = [i for i in template.interfaces or () if not i.value.is_unknown]
        if certain:
            beside = [key for key in ("SecurityGroupIds", "SecurityGroups") if _has(template, key)]
            for key in beside:
                yield Violation(
                    message=f"{template.resource.logical_id}: has {key} beside NetworkInterfaces; "
                    "EC2 takes security groups in one place only",
                    hint=f"remove {key}, and give each interface its Groups",
                    resource=template.resource,
                    path=(*template.data.path, key),
                )
            if not beside and template.is_accelerated:
                yield from _without_groups(template)


def _has(template: LaunchTemplate, key: str) -> bool:
    entries = template.data[key].entries()
    return bool(entries)


def _without_groups(template: LaunchTemplate) -> Iterator[Violation]:
    bare = [
        interface
        for interface in template.interfaces or ()
        if interface.value["Groups"].entries() == ()
        and interface.value["NetworkInterfaceId"].is_absent
    ]
    if bare:
        yield Violation(
            message=f"{template.resource.logical_id}: the interface on {bare[0].place} has no "
            "Groups"
            + (f" (nor have {len(bare) - 1} others)" if len(bare) > 1 else "")
            + ", so it gets the VPC's default security group",
            hint="give each interface its Groups",
            resource=template.resource,
            path=bare[0].value.path,
            severity=Severity.WARNING,
        )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa, Groups: [sg-1]}
"""

RULE = TemplateRule(
    id="TRN253",
    title="security groups are given on the interfaces, and only there",
    severity=Severity.ERROR,
    why="EC2 refuses a launch with groups in both places, though it accepts the launch template; "
    "the default group has no self rule for egress, so EFA hangs in it.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html",
    good=_HEAD,
    bad=_HEAD + "        SecurityGroupIds: [sg-1]\n",
    check=_check,
)
