"""TRN251: a launch template attaches as many EFA interfaces as its type has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.efa_numbers import judge_efa_number
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in launch_templates(stack_set):
        known, interfaces = template.instance_type, template.interfaces
        if known is None or interfaces is None:
            continue
        if any(interface.kind is None for interface in interfaces):
            continue
        verdict = judge_efa_number(known, sum(interface.is_efa for interface in interfaces))
        if verdict is not None:
            severity, wrong = verdict
            yield Violation(
                message=f"{template.resource.logical_id}: {wrong.text}",
                hint=wrong.hint,
                resource=template.resource,
                path=(*template.data.path, "NetworkInterfaces"),
                severity=severity,
                evidence=wrong.evidence,
            )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.32xlarge
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa, Groups: [sg-1]}
          - {NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: efa, Groups: [sg-1]}
          - {NetworkCardIndex: 2, DeviceIndex: 1, InterfaceType: efa, Groups: [sg-1]}
          - {NetworkCardIndex: 3, DeviceIndex: 1, InterfaceType: efa, Groups: [sg-1]}
"""
_REST = """\
          - {NetworkCardIndex: 4, DeviceIndex: 1, InterfaceType: efa, Groups: [sg-1]}
          - {NetworkCardIndex: 5, DeviceIndex: 1, InterfaceType: efa, Groups: [sg-1]}
          - {NetworkCardIndex: 6, DeviceIndex: 1, InterfaceType: efa, Groups: [sg-1]}
          - {NetworkCardIndex: 7, DeviceIndex: 1, InterfaceType: efa, Groups: [sg-1]}
"""

RULE = TemplateRule(
    id="TRN251",
    title="a launch template attaches all EFA interfaces of its type",
    severity=Severity.WARNING,
    why="With fewer, everything works at a fraction of the bandwidth between nodes; with more, "
    "no node starts.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    good=_HEAD + _REST,
    bad=_HEAD,
    check=_check,
)
