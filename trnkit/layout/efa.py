"""The network interfaces of an accelerated node: which card, which device slot, which kind.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.md (layouts by type)
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html (one EFA a card; limits)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trnkit.catalog import InstanceType, NetworkCard

InterfaceType = Literal["interface", "efa", "efa-only"]
EfaLayout = Literal["ena-primary", "efa-primary", "all-efa"]


class EfaPlanError(ValueError):
    """The instance type cannot carry the interfaces asked for."""


@dataclass(frozen=True, slots=True)
class InterfacePlan:
    """One entry of a launch template's `NetworkInterfaces`.

    Attributes:
        network_card_index: The card, from 0.
        device_index: The slot on that card, from 0. 0/0 is the node's primary interface.
        interface_type: `interface` (plain ENA), `efa` (ENA and EFA), `efa-only` (no IP address).
    """

    network_card_index: int
    device_index: int
    interface_type: InterfaceType

    @property
    def is_primary(self) -> bool:
        """Whether it is the node's primary interface, which always has an address."""
        return (self.network_card_index, self.device_index) == (0, 0)

    @property
    def is_efa(self) -> bool:
        """Whether an EFA device comes with it."""
        return self.interface_type != "interface"

    @property
    def has_ip_address(self) -> bool:
        """Whether it takes an address of the subnet."""
        return self.interface_type != "efa-only"


def plan_interfaces(
    instance_type: InstanceType,
    *,
    layout: EfaLayout = "ena-primary",
    efa_interfaces: int | None = None,
) -> tuple[InterfacePlan, ...]:
    """Plan a node's interfaces.

    Args:
        instance_type: A catalogue entry, or one made from any DescribeInstanceTypes answer.
        layout: `ena-primary` is AWS's current advice; see `trnkit.config.EfaConfig`.
        efa_interfaces: How many EFA devices; None means all that the type has, 0 means none.

    Returns:
        The interfaces, the primary (card 0, device 0) first, then by card and device. A type
        without EFA (or 0 asked for) gets the single plain interface.

    Raises:
        EfaPlanError: Fewer than none, more devices than the type has, or its cards are not known.
    """
    wanted = _wanted(instance_type, efa_interfaces)
    if wanted == 0:
        return (InterfacePlan(0, 0, "interface"),)
    primary = _primary_card(instance_type)
    cards = sorted(instance_type.network_cards, key=lambda card: card.index)
    takers = [card for card in cards if card.efa_supported is not False]
    rest = [card for card in takers if card.index != 0]
    plan = _on_primary_card(layout, primary if primary in takers else None)
    on_primary = sum(interface.is_efa for interface in plan)
    kind: InterfaceType = "efa" if layout == "all-efa" else "efa-only"
    plan += [
        InterfacePlan(card.index, _secondary_device(layout, card), kind)
        for card in rest[: wanted - on_primary]
    ]
    planned = sum(interface.is_efa for interface in plan)
    if planned < wanted:
        raise EfaPlanError(
            f"{instance_type.name} has {planned} network cards that take EFA in the {layout} "
            f"layout, fewer than the {wanted} EFA interfaces asked for"
        )
    return tuple(plan)


def _wanted(instance_type: InstanceType, asked: int | None) -> int:
    if asked == 0:
        return 0
    if asked is not None and asked < 0:
        raise EfaPlanError(f"the number of EFA interfaces cannot be negative, got {asked}")
    most = instance_type.maximum_efa_interfaces
    if most is None:
        raise EfaPlanError(f"how many EFA interfaces {instance_type.name} has is not known")
    if asked is not None and asked > most:
        raise EfaPlanError(
            f"{instance_type.name} has {most} EFA interfaces, {asked} were asked for"
        )
    return most if asked is None else asked


def _primary_card(instance_type: InstanceType) -> NetworkCard:
    for card in instance_type.network_cards:
        if card.index == 0:
            return card
    raise EfaPlanError(f"the network cards of {instance_type.name} are not known")


def _on_primary_card(layout: EfaLayout, card: NetworkCard | None) -> list[InterfacePlan]:
    """Card 0. An `efa-only` interface has no address, so it is never the primary one."""
    if card is None:
        return [InterfacePlan(0, 0, "interface")]
    slots = _slots(card)
    if layout == "ena-primary" and (slots is None or slots > 1):
        return [InterfacePlan(0, 0, "interface"), InterfacePlan(0, 1, "efa-only")]
    return [InterfacePlan(0, 0, "efa")]


def _secondary_device(layout: EfaLayout, card: NetworkCard) -> int:
    """AWS's examples use slot 0 on further cards; the older layout slot 1 where there is one."""
    slots = _slots(card)
    return 1 if layout == "all-efa" and slots is not None and slots > 1 else 0


def _slots(card: NetworkCard) -> int | None:
    """None for a card that a description leaves open."""
    return card.maximum_network_interfaces
