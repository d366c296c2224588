"""TRN259: an interface is of a kind that EC2 has, and efa-only ones have no addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.reading.launch_templates import EFA_KINDS
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import Interface, LaunchTemplate
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_KINDS = ("interface", *EFA_KINDS)
_ADDRESSES = (
    "AssociatePublicIpAddress",
    "PrivateIpAddress",
    "PrivateIpAddresses",
    "SecondaryPrivateIpAddressCount",
    "Ipv4Prefixes",
    "Ipv4PrefixCount",
    "Ipv6Addresses",
    "Ipv6AddressCount",
    "Ipv6Prefixes",
    "Ipv6PrefixCount",
    "PrimaryIpv6",
    "ConnectionTrackingSpecification",
)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in launch_templates(stack_set):
        unknown: dict[str, list[Interface]] = {}
        addressed: dict[str, list[Interface]] = {}
        for interface in template.interfaces or ():
            if interface.kind is not None and interface.kind not in _KINDS:
                unknown.setdefault(interface.kind, []).append(interface)
            written = interface.value.mapping() if interface.kind == "efa-only" else None
            for key in _ADDRESSES if written else ():
                if key in (written or ()) and _is_set(interface.value[key]):
                    addressed.setdefault(key, []).append(interface)
        for kind, those in unknown.items():
            text = f"has the InterfaceType {kind}; EC2 has {alternatives(_KINDS)}"
            yield _violation(
                template, those, text, f"write {alternatives(_KINDS)}", "InterfaceType"
            )
        for key, those in addressed.items():
            text = f"has {key} on efa-only, which has no IP address"
            yield _violation(template, those, text, f"remove {key} there", key)


def _is_set(value: TemplateValue) -> bool:
    """Whether it certainly asks for something: neither empty, nor 0, nor false."""
    if value.mapping() is not None:
        return True
    entries = value.entries()
    certain = [entry for entry in entries or () if not entry.is_unknown]
    return any(
        entry.boolean() is not False and entry.integer() != 0 and entry.text() != ""
        for entry in certain
    )


def _violation(
    template: LaunchTemplate, those: list[Interface], text: str, hint: str, key: str
) -> Violation:
    places = alternatives([interface.place for interface in those], "and")
    return Violation(
        message=f"{template.resource.logical_id}: {text}: {places}",
        hint=hint,
        resource=template.resource,
        path=(*those[0].value.path, key),
    )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: interface, Groups: [sg-1]}
          - NetworkCardIndex: 0
            DeviceIndex: 1
            InterfaceType: efa-only
            Groups: [sg-1]
"""

RULE = TemplateRule(
    id="TRN259",
    title="interfaces are of a kind that EC2 has, and efa-only ones ask for no address",
    severity=Severity.ERROR,
    why="EC2 accepts the launch template and refuses every launch: an EFA-only interface carries "
    "no IP traffic and takes no address.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    good=_HEAD,
    bad=_HEAD + "            AssociatePublicIpAddress: true\n",
    check=_check,
)
