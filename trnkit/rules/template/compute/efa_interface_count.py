"""TRN251: a launch template attaches as many EFA interfaces as its type has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import count, from_catalogue
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in launch_templates(stack_set):
        known, interfaces = template.instance_type, template.interfaces
        most = known.maximum_efa_interfaces if known else None
        if known is None or most is None or interfaces is None:
            continue
        if any(interface.kind is None for interface in interfaces):
            continue
        number = sum(interface.is_efa for interface in interfaces)
        if number == most or (most == 1 and number == 0):
            continue
        over = number > most
        if over:
            hint = f"attach {most}" if most else "attach a single plain interface"
        else:
            hint = f"attach {most}, one on each network card"
        has = f"{count(most, 'EFA interface')}" if most else "no EFA"
        yield Violation(
            message=f"{template.resource.logical_id}: attaches {count(number, 'EFA interface')}; "
            f"{known.name} has {most if most else 'none'}",
            hint=hint,
            resource=template.resource,
            path=(*template.data.path, "NetworkInterfaces"),
            severity=Severity.ERROR if over else Severity.WARNING,
            evidence=from_catalogue(known, has),
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
