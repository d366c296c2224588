"""Launch templates as rules see them: their interfaces and their type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.rules.reading.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from trnkit.catalog import InstanceType
    from trnkit.rules.stack_set import Resource

EFA_KINDS = ("efa", "efa-only")
LAUNCH_TEMPLATE = "AWS::EC2::LaunchTemplate"


@dataclass(frozen=True, slots=True)
class Interface:
    """One entry of `NetworkInterfaces`; None is what is not known.

    Attributes:
        value: The entry.
        card: Its network card, 0 when not written.
        device: Its slot on the card.
        kind: `interface` (also when not written), `efa` or `efa-only`.
    """

    value: TemplateValue
    card: int | None
    device: int | None
    kind: str | None

    @property
    def is_efa(self) -> bool:
        """Whether it certainly is an EFA device."""
        return self.kind in EFA_KINDS

    @property
    def has_address(self) -> bool:
        """Whether it certainly takes an IP address."""
        return self.kind in ("interface", "efa")

    @property
    def place(self) -> str:
        """Card and slot, as in `card 0 device 1`."""
        card, device = ("?" if n is None else n for n in (self.card, self.device))
        return f"card {card} device {device}"


@dataclass(frozen=True, slots=True)
class LaunchTemplate:
    """A launch template.

    Attributes:
        resource: The resource.
        data: Its `LaunchTemplateData`.
        instance_type: Its type, or the one it is started as, when the catalogue knows it, which
            makes it a Neuron type.
        interfaces: Its interfaces; None when it is not known how many there are.
    """

    resource: Resource
    data: TemplateValue
    instance_type: InstanceType | None
    interfaces: tuple[Interface, ...] | None

    @property
    def is_accelerated(self) -> bool:
        """Whether it starts Neuron instances or attaches EFA, so that our advice concerns it."""
        return self.instance_type is not None or any(i.is_efa for i in self.interfaces or ())


def read_launch_template(resource: Resource, started_as: str | None = None) -> LaunchTemplate:
    """Read one launch template.

    Args:
        resource: The launch template.
        started_as: The type that whoever starts it names, since the template names none.
    """
    data = properties_of(resource)["LaunchTemplateData"]
    name = started_as or data["InstanceType"].text()
    entries = data["NetworkInterfaces"].entries()
    interfaces = None if entries is None else tuple(_interface(entry) for entry in entries)
    return LaunchTemplate(resource, data, find_instance_type(name) if name else None, interfaces)


def _interface(entry: TemplateValue) -> Interface:
    card = entry["NetworkCardIndex"]
    kind = entry["InterfaceType"].text()
    if entry["InterfaceType"].is_absent and entry["NetworkInterfaceId"].is_absent:
        kind = "interface"
    return Interface(
        entry,
        0 if card.is_absent else card.integer(),
        entry["DeviceIndex"].integer(),
        kind.lower() if kind else None,
    )
