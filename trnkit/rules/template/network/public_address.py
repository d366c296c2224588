"""TRN152: no public address is asked for together with several interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import fleets, launch_templates
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import Interface, LaunchTemplate
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_FLAG = "AssociatePublicIpAddress"
_HINT = "use private subnets with NAT, and leave AssociatePublicIpAddress out or false"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in launch_templates(stack_set):
        several = _is_several(template)
        for interface in (template.interfaces or ()) if several else ():
            if interface.value[_FLAG].boolean():
                yield Violation(
                    message=f"{template.resource.logical_id}: the interface on {interface.place} "
                    f"asks for a public address beside {_others(template)}",
                    hint=_HINT,
                    resource=template.resource,
                    path=(*interface.value.path, _FLAG),
                    severity=_severity(template),
                )
        if several and not _refuses(template):
            # The subnet that the interface names itself, whatever starts it.
            for interface in _primary(template):
                yield from _public(template, interface.value["SubnetId"])
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        owns = any(not i.value["SubnetId"].is_absent for i in _primary(template))
        if _is_several(template) and not owns and not _refuses(template):
            for value in fleet.subnets or ():
                yield from _public(template, value)


def _public(template: LaunchTemplate, value: TemplateValue) -> Iterator[Violation]:
    subnet = value.referred("AWS::EC2::Subnet")
    if subnet is not None and properties_of(subnet)["MapPublicIpOnLaunch"].boolean():
        yield Violation(
            message=f"{value.resource.logical_id}: the subnet {subnet.logical_id} gives public "
            f"addresses, which instances with {len(template.interfaces or ())} interfaces cannot "
            "take",
            hint=_HINT,
            resource=value.resource,
            path=value.path,
            severity=_severity(template),
        )


def _primary(template: LaunchTemplate) -> list[Interface]:
    return [i for i in template.interfaces or () if i.card == 0 and i.device == 0]


def _is_several(template: LaunchTemplate) -> bool:
    known = [i for i in template.interfaces or () if not i.value.is_unknown]
    return len(known) > 1


def _others(template: LaunchTemplate) -> str:
    others = len(template.interfaces or ()) - 1
    return "another interface" if others == 1 else f"{others} other interfaces"


def _refuses(template: LaunchTemplate) -> bool:
    """Whether the primary interface says itself whether it wants one, or may do so."""
    primary = _primary(template)
    return not primary or any(not i.value[_FLAG].is_absent for i in primary)


def _severity(template: LaunchTemplate) -> Severity:
    """AWS's guide says that it works when only one interface has an address; others saw it fail."""
    several = sum(i.kind != "efa-only" for i in template.interfaces or ()) > 1
    return Severity.ERROR if several else Severity.WARNING


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa, Groups: [sg-1]}
          - NetworkCardIndex: 1
            DeviceIndex: 1
            InterfaceType: efa
            Groups: [sg-1]
"""

RULE = TemplateRule(
    id="TRN152",
    title="no public address together with several interfaces",
    severity=Severity.ERROR,
    why="EC2 assigns public addresses only to instances launched with a single interface; with "
    "more the launch fails, also when it is the subnet that asks for the address.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html",
    good=_HEAD + "            AssociatePublicIpAddress: false\n",
    bad=_HEAD + "            AssociatePublicIpAddress: true\n",
    check=_check,
)
