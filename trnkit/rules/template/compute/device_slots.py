"""TRN252: interfaces sit in slots that the instance type's network cards have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives, count, from_catalogue
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.launch_templates import Interface, LaunchTemplate
    from trnkit.rules.stack_set import StackSet

_PLAN = "put the primary interface at card 0 device 0, and one efa-only at device 0 of each other"


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault that several interfaces may share.

    Attributes:
        text: What is wrong, with `{places}` for where.
        hint: What to do.
        severity: How bad it is.
        by_type: Whether it rests on what the catalogue says of the type.
    """

    text: str
    hint: str = _PLAN
    severity: Severity = Severity.ERROR
    by_type: bool = False


_NO_PRIMARY = _Fault("no interface is at card 0 device 0")
_PRIMARY_WITHOUT_ADDRESS = _Fault(
    "the primary interface (card 0 device 0) is efa-only, but it needs an IP address",
    "make it `interface` or `efa`",
)
_SAME_SLOT = _Fault("more than one interface is at {places}")
_TWO_EFA = _Fault("more than one EFA interface is on {cards}; a card takes one")
_STAYS = _Fault(
    "interfaces stay when their instance goes: {places}",
    "set DeleteOnTermination to true",
    Severity.WARNING,
)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in launch_templates(stack_set):
        known, interfaces = template.instance_type, template.interfaces
        if known is None or not known.network_cards or not interfaces:
            continue
        found: dict[_Fault, list[Interface]] = {}
        slots = [pair for interface in interfaces for pair in _slot(known, interface)]
        for fault, at in (*_primary(interfaces), *_pairs(interfaces), *slots):
            found.setdefault(fault, []).append(at)
        for fault, those in found.items():
            yield _violation(template, known, fault, those)


def _primary(interfaces: tuple[Interface, ...]) -> Iterator[tuple[_Fault, Interface]]:
    primary = [i for i in interfaces if i.card == 0 and i.device == 0]
    if not primary and all(i.card is not None and i.device is not None for i in interfaces):
        yield _NO_PRIMARY, interfaces[0]
    for interface in primary:
        if interface.kind == "efa-only":
            yield _PRIMARY_WITHOUT_ADDRESS, interface


def _pairs(interfaces: tuple[Interface, ...]) -> Iterator[tuple[_Fault, Interface]]:
    slots: set[tuple[int, int]] = set()
    with_efa: set[int] = set()
    for interface in interfaces:
        if interface.card is None:
            continue
        if interface.device is not None:
            slot = (interface.card, interface.device)
            if slot in slots:
                yield _SAME_SLOT, interface
            slots.add(slot)
        if interface.is_efa:
            if interface.card in with_efa:
                yield _TWO_EFA, interface
            with_efa.add(interface.card)


def _slot(known: InstanceType, interface: Interface) -> Iterator[tuple[_Fault, Interface]]:
    if interface.value["DeleteOnTermination"].boolean() is False:
        yield _STAYS, interface
    if interface.card is None:
        return
    cards = {card.index: card for card in known.network_cards}
    card = cards.get(interface.card)
    if card is None:
        has = f"cards 0 to {max(cards)}" if len(cards) > 1 else "card 0 only"
        text = f"{known.name} has {has}, and no {{cards}}"
        yield _Fault(text, by_type=True), interface
        return
    slots = card.maximum_network_interfaces
    if interface.device is not None and not 0 <= interface.device < slots:
        has = f"devices 0 to {slots - 1}" if slots > 1 else "device 0 only"
        text = f"these cards of {known.name} have {has}, and no {{places}}"
        yield _Fault(text, by_type=True), interface
    # Where the type has no EFA at all, the rule about their number says so.
    if interface.is_efa and card.efa_supported is False and known.maximum_efa_interfaces != 0:
        text = f"{known.name} takes no EFA interface on {{cards}}"
        yield _Fault(text, "move them to other cards", by_type=True), interface


def _violation(
    template: LaunchTemplate, known: InstanceType, fault: _Fault, those: list[Interface]
) -> Violation:
    places = alternatives(dict.fromkeys(i.place for i in those), "and")
    cards = alternatives(dict.fromkeys(f"card {i.card}" for i in those), "and")
    fact = count(len(known.network_cards), "network card")
    return Violation(
        message=f"{template.resource.logical_id}: {fault.text.format(places=places, cards=cards)}",
        hint=fault.hint,
        resource=template.resource,
        path=those[0].value.path,
        severity=fault.severity,
        evidence=from_catalogue(known, fact) if fault.by_type else None,
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
