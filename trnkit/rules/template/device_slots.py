"""TRN252: interfaces sit in slots that the instance type's network cards have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.launch_templates import Interface, LaunchTemplate, launch_templates
from trnkit.rules.rule import TemplateRule, Violation
from trnkit.rules.wording import count, from_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.stack_set import StackSet

_PLAN = "put the primary interface at card 0 device 0, and one efa-only at device 0 of each other"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in launch_templates(stack_set):
        known, interfaces = template.instance_type, template.interfaces
        if known is not None and known.network_cards and interfaces:
            yield from _primary(template, interfaces)
            yield from _pairs(template, interfaces)
            for interface in interfaces:
                yield from _slot(template, known, interface)
                if interface.value["DeleteOnTermination"].boolean() is False:
                    text = f"the interface on {interface.place} stays when its instance goes"
                    hint = "set DeleteOnTermination to true"
                    yield _violation(template, interface, text, hint, Severity.WARNING)


def _primary(template: LaunchTemplate, interfaces: tuple[Interface, ...]) -> Iterator[Violation]:
    primary = [i for i in interfaces if i.card == 0 and i.device == 0]
    if not primary and all(i.card is not None and i.device is not None for i in interfaces):
        yield _violation(template, interfaces[0], "no interface is at card 0 device 0", _PLAN)
    for interface in primary:
        if interface.kind == "efa-only":
            text = "the primary interface (card 0 device 0) is efa-only, but it needs an IP address"
            yield _violation(template, interface, text, "make it `interface` or `efa`")


def _pairs(template: LaunchTemplate, interfaces: tuple[Interface, ...]) -> Iterator[Violation]:
    slots: set[tuple[int, int]] = set()
    with_efa: set[int] = set()
    for interface in interfaces:
        if interface.card is None:
            continue
        if interface.device is not None:
            slot = (interface.card, interface.device)
            if slot in slots:
                text = f"two interfaces are at {interface.place}"
                yield _violation(template, interface, text, _PLAN)
            slots.add(slot)
        if interface.is_efa:
            if interface.card in with_efa:
                text = f"card {interface.card} has two EFA interfaces; a card takes one"
                yield _violation(template, interface, text, _PLAN)
            with_efa.add(interface.card)


def _slot(
    template: LaunchTemplate, known: InstanceType, interface: Interface
) -> Iterator[Violation]:
    cards = {card.index: card for card in known.network_cards}
    if interface.card is None:
        return
    card = cards.get(interface.card)
    if card is None:
        text = f"an interface is on card {interface.card}; {known.name} has " + (
            f"cards 0 to {max(cards)}" if len(cards) > 1 else "card 0 only"
        )
        yield _violation(template, interface, text, _PLAN, known=known)
        return
    slots = card.maximum_network_interfaces
    if interface.device is not None and not 0 <= interface.device < slots:
        text = f"an interface is at {interface.place}; that card of {known.name} has " + (
            f"devices 0 to {slots - 1}" if slots > 1 else "device 0 only"
        )
        yield _violation(template, interface, text, _PLAN, known=known)
    # Where the type has no EFA at all, the rule about their number says so.
    if interface.is_efa and card.efa_supported is False and known.maximum_efa_interfaces != 0:
        text = f"an EFA interface is on card {interface.card}, which takes none on {known.name}"
        yield _violation(template, interface, text, "move it to another card", known=known)


def _violation(
    template: LaunchTemplate,
    interface: Interface,
    text: str,
    hint: str,
    severity: Severity | None = None,
    *,
    known: InstanceType | None = None,
) -> Violation:
    fact = count(len(known.network_cards), "network card") if known else ""
    return Violation(
        message=f"{template.resource.logical_id}: {text}",
        hint=hint,
        resource=template.resource,
        path=interface.value.path,
        severity=severity,
        evidence=from_catalogue(known, fact) if known else None,
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
          - {NetworkCardIndex: 0, DeviceIndex: 1, InterfaceType: efa-only, Groups: [sg-1]}
          - {NetworkCardIndex: 1, DeviceIndex: 0, InterfaceType: efa-only, Groups: [sg-1]}
"""

RULE = TemplateRule(
    id="TRN252",
    title="interfaces sit in slots that the network cards have",
    severity=Severity.ERROR,
    why="A card has few device slots and takes one EFA; the launch template is accepted all the "
    "same, and every launch fails.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    good=_HEAD + "          - {NetworkCardIndex: 2, DeviceIndex: 0, InterfaceType: efa-only, "
    "Groups: [sg-1]}\n",
    bad=_HEAD + "          - {NetworkCardIndex: 2, DeviceIndex: 2, InterfaceType: efa-only, "
    "Groups: [sg-1]}\n",
    check=_check,
)
