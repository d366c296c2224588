"""Launch templates as rules see them: their interfaces, their type, and who starts them where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.rules.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.stack_set import Resource, StackSet

EFA_KINDS = ("efa", "efa-only")
_LAUNCH_TEMPLATE = "AWS::EC2::LaunchTemplate"


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
        return f"card {self.card} device {self.device}"


@dataclass(frozen=True, slots=True)
class LaunchTemplate:
    """A launch template.

    Attributes:
        resource: The resource.
        data: Its `LaunchTemplateData`.
        instance_type: Its type when the catalogue knows it, which makes it a Neuron type.
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


@dataclass(frozen=True, slots=True)
class Fleet:
    """An Auto Scaling group or EKS node group and the launch template it starts.

    Attributes:
        resource: The group.
        launch_template: Its launch template.
        version: The version of the template it asks for.
        subnets: Its subnets; None when it is not known how many there are.
        overrides_type: Whether the group may start other types than its template says.
    """

    resource: Resource
    launch_template: LaunchTemplate
    version: TemplateValue
    subnets: tuple[TemplateValue, ...] | None
    overrides_type: bool


def launch_templates(stack_set: StackSet) -> Iterator[LaunchTemplate]:
    """Every launch template of the set."""
    for resource in stack_set.resources(_LAUNCH_TEMPLATE):
        yield read_launch_template(resource)


def accelerated_templates(stack_set: StackSet) -> Iterator[LaunchTemplate]:
    """The launch templates of Neuron types, and those that attach EFA."""
    return (found for found in launch_templates(stack_set) if found.is_accelerated)


def read_launch_template(resource: Resource) -> LaunchTemplate:
    """Read one launch template."""
    data = properties_of(resource)["LaunchTemplateData"]
    name = data["InstanceType"].text()
    entries = data["NetworkInterfaces"].entries()
    interfaces = None if entries is None else tuple(_interface(entry) for entry in entries)
    return LaunchTemplate(resource, data, find_instance_type(name) if name else None, interfaces)


def fleets(stack_set: StackSet) -> Iterator[Fleet]:
    """Every group whose launch template is in the set."""
    for resource in stack_set.resources("AWS::AutoScaling::AutoScalingGroup"):
        properties = properties_of(resource)
        mixed = properties["MixedInstancesPolicy"]["LaunchTemplate"]
        plain = properties["LaunchTemplate"]
        specification = mixed["LaunchTemplateSpecification"] if plain.is_absent else plain
        overridden = not mixed["Overrides"].is_absent
        template = specification["LaunchTemplateId"].referred(_LAUNCH_TEMPLATE)
        if template is not None:
            yield Fleet(
                resource,
                read_launch_template(template),
                specification["Version"],
                properties["VPCZoneIdentifier"].entries(),
                overridden,
            )
    for resource in stack_set.resources("AWS::EKS::Nodegroup"):
        properties = properties_of(resource)
        template = properties["LaunchTemplate"]["Id"].referred(_LAUNCH_TEMPLATE)
        if template is not None:
            yield Fleet(
                resource,
                read_launch_template(template),
                properties["LaunchTemplate"]["Version"],
                properties["Subnets"].entries(),
                not properties["InstanceTypes"].is_absent,
            )


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
