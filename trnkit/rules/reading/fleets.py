"""Who starts launch templates: where, in which version, and as which instance types.

Auto Scaling groups, EKS node groups, AWS Batch, AWS PCS, EC2 Fleets, Spot Fleets and single
instances name a template by its id or its name, and may name the types that it leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.rules.reading.launch_templates import (
    LAUNCH_TEMPLATE,
    LaunchTemplate,
    read_launch_template,
)
from trnkit.rules.reading.subnet_zones import subnet_named
from trnkit.rules.reading.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.launch_templates import Interface
    from trnkit.rules.stack_set import Resource, StackSet

AUTO_SCALING_GROUP = "AWS::AutoScaling::AutoScalingGroup"
_NODE_GROUP = "AWS::EKS::Nodegroup"
BATCH = "AWS::Batch::ComputeEnvironment"
_PCS = "AWS::PCS::ComputeNodeGroup"
INSTANCE = "AWS::EC2::Instance"
EC2_FLEET = "AWS::EC2::EC2Fleet"
_SPOT_FLEET = "AWS::EC2::SpotFleet"
TAKES_DEFAULT_VERSION = (_NODE_GROUP, BATCH)
"""Those for which a version left out is the default one; the others refuse that."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """Whatever starts instances of a launch template.

    Attributes:
        resource: The Auto Scaling group, node group, compute environment, fleet or instance.
        launch_template: Its launch template.
        version: The version of the template it asks for.
        subnets: Its subnets; None when it is not known how many there are.
        types: The instance types it names itself; None when it is not known how many there are.
    """

    resource: Resource
    launch_template: LaunchTemplate
    version: TemplateValue
    subnets: tuple[TemplateValue, ...] | None
    types: tuple[TemplateValue, ...] | None

    @property
    def overrides_type(self) -> bool:
        """Whether it may start other types than its template says."""
        return self.types is None or bool(self.types)

    @property
    def placement_group(self) -> TemplateValue:
        """The placement group that it names itself, beside its template."""
        properties = properties_of(self.resource)
        if self.resource.type == BATCH:
            return properties["ComputeResources"]["PlacementGroup"]
        if self.resource.type == INSTANCE:
            return properties["PlacementGroupName"]
        return properties["PlacementGroup"]

    @property
    def placements(self) -> tuple[TemplateValue, ...]:
        """Wherever a placement group may be named, by its template or by itself."""
        placement = self.launch_template.data["Placement"]
        return placement["GroupName"], placement["GroupId"], self.placement_group

    @property
    def interface_elsewhere(self) -> Interface | None:
        """The first interface of its template in a subnet that certainly is none of its own."""
        own = [subnet_named(value) for value in self.subnets or ()]
        if not own or None in own:
            return None
        for interface in self.launch_template.interfaces or ():
            subnet = subnet_named(interface.value["SubnetId"])
            if subnet is not None and subnet not in own:
                return interface
        return None

    @property
    def known_types(self) -> tuple[InstanceType, ...] | None:
        """The Neuron types it starts; None when others, or types not known, may be among them."""
        if not self.overrides_type:
            own = self.launch_template.instance_type
            return None if own is None else (own,)
        found = [_neuron_type(value) for value in self.types or ()]
        known = tuple(kind for kind in found if kind is not None)
        return known if known and len(known) == len(found) else None


def fleets(stack_set: StackSet) -> tuple[Fleet, ...]:
    """Every group or environment whose launch template is in the set."""
    return stack_set.derive(_find_fleets)


def fleets_of(template: LaunchTemplate, stack_set: StackSet) -> tuple[Fleet, ...]:
    """Those that start a launch template."""
    return stack_set.derive(_fleets_by_template).get(template.resource, ())


def launch_templates(stack_set: StackSet) -> tuple[LaunchTemplate, ...]:
    """Every launch template of the set.

    One that names no type stands here once for each Neuron type that it is started as.
    """
    return stack_set.derive(_find_templates)


def accelerated_templates(stack_set: StackSet) -> Iterator[LaunchTemplate]:
    """The launch templates of Neuron types, and those that attach EFA."""
    return (found for found in launch_templates(stack_set) if found.is_accelerated)


def subnets_of_nodes(stack_set: StackSet) -> dict[Resource, tuple[LaunchTemplate, ...]]:
    """The subnets of the set in which accelerated nodes start, with what they are started of."""
    return stack_set.derive(_find_subnets_of_nodes)


def _find_subnets_of_nodes(stack_set: StackSet) -> dict[Resource, tuple[LaunchTemplate, ...]]:
    found: dict[Resource, tuple[LaunchTemplate, ...]] = {}
    for fleet in fleets(stack_set):
        for value in (fleet.subnets or ()) if fleet.launch_template.is_accelerated else ():
            subnet = value.referred("AWS::EC2::Subnet")
            if subnet is not None:
                found[subnet] = (*found.get(subnet, ()), fleet.launch_template)
    return found


def subnets_of_instance(instance: Resource) -> tuple[TemplateValue, ...] | None:
    """The subnets that a single instance names; None when it is not known how many."""
    properties = properties_of(instance)
    if not properties["SubnetId"].is_absent:
        return (properties["SubnetId"],)
    return _named(_each(properties["NetworkInterfaces"], "SubnetId"))


def _find_templates(stack_set: StackSet) -> tuple[LaunchTemplate, ...]:
    found: list[LaunchTemplate] = []
    for resource, template in stack_set.derive(_as_written).items():
        names: dict[str, None] = {}
        if template.data["InstanceType"].is_absent:
            for fleet in fleets_of(template, stack_set):
                kinds = [_neuron_type(value) for value in fleet.types or ()]
                names |= {kind.name: None for kind in kinds if kind is not None}
        found += [read_launch_template(resource, name) for name in names] or [template]
    return tuple(found)


def _as_written(stack_set: StackSet) -> dict[Resource, LaunchTemplate]:
    return {found: read_launch_template(found) for found in stack_set.resources(LAUNCH_TEMPLATE)}


def _fleets_by_template(stack_set: StackSet) -> dict[Resource, tuple[Fleet, ...]]:
    found: dict[Resource, tuple[Fleet, ...]] = {}
    for fleet in fleets(stack_set):
        resource = fleet.launch_template.resource
        found[resource] = (*found.get(resource, ()), fleet)
    return found


def _neuron_type(value: TemplateValue) -> InstanceType | None:
    return find_instance_type(value.text() or "")


def _find_fleets(stack_set: StackSet) -> tuple[Fleet, ...]:
    found: list[Fleet] = []
    for resource in stack_set.resources(AUTO_SCALING_GROUP):
        found += _of_auto_scaling(resource, stack_set)
    for resource in stack_set.resources(_NODE_GROUP):
        group = properties_of(resource)
        types = group["InstanceTypes"].entries()
        found += _fleet(stack_set, group["LaunchTemplate"], group["Subnets"].entries(), types)
    for resource in stack_set.resources(BATCH):
        found += _of_batch(properties_of(resource)["ComputeResources"], stack_set)
    for resource in stack_set.resources(_PCS):
        group = properties_of(resource)
        types = _each(group["InstanceConfigs"], "InstanceType")
        subnets = group["SubnetIds"].entries()
        found += _fleet(stack_set, group["CustomLaunchTemplate"], subnets, types)
    for resource in stack_set.resources(EC2_FLEET, _SPOT_FLEET):
        found += _of_ec2_fleet(properties_of(resource), stack_set)
    for resource in stack_set.resources(INSTANCE):
        one = properties_of(resource)
        types = one["InstanceType"].entries()
        found += _fleet(stack_set, one["LaunchTemplate"], subnets_of_instance(resource), types)
    return tuple(found)


def _of_auto_scaling(resource: Resource, stack_set: StackSet) -> Iterator[Fleet]:
    group = properties_of(resource)
    subnets, plain = group["VPCZoneIdentifier"].entries(), group["LaunchTemplate"]
    mixed = group["MixedInstancesPolicy"]["LaunchTemplate"]
    overrides = mixed["Overrides"].entries()
    shared: list[TemplateValue] = []
    for override in overrides or ():
        of_its_own, kind = override["LaunchTemplateSpecification"], override["InstanceType"]
        if of_its_own.is_absent:
            shared.append(kind)
        else:
            yield from _fleet(stack_set, of_its_own, subnets, (kind,))
    named = mixed["LaunchTemplateSpecification"] if plain.is_absent else plain
    is_known = overrides == () or bool(shared)
    yield from _fleet(stack_set, named, subnets, tuple(shared) if is_known else None)


def _of_batch(computing: TemplateValue, stack_set: StackSet) -> Iterator[Fleet]:
    subnets, named = computing["Subnets"].entries(), computing["LaunchTemplate"]
    types, overrides = computing["InstanceTypes"].entries(), named["Overrides"].entries()
    elsewhere: set[str | None] = set()
    for override in overrides or ():
        targets = override["TargetInstanceTypes"].entries()
        elsewhere |= {target.text() for target in targets or ()} or {None}
        yield from _fleet(stack_set, override, subnets, targets)
    rest = tuple(kind for kind in types or () if kind.text() not in elsewhere)
    is_known = overrides is not None and None not in elsewhere and (rest or types == ())
    yield from _fleet(stack_set, named, subnets, rest if is_known else None)


def _of_ec2_fleet(fleet: TemplateValue, stack_set: StackSet) -> Iterator[Fleet]:
    data = fleet["SpotFleetRequestConfigData"]
    configs = (fleet if data.is_absent else data)["LaunchTemplateConfigs"]
    for config in configs.entries() or ():
        types, subnets = (
            _named(_each(config["Overrides"], key)) for key in ("InstanceType", "SubnetId")
        )
        yield from _fleet(stack_set, config["LaunchTemplateSpecification"], subnets, types)


def _named(values: tuple[TemplateValue, ...] | None) -> tuple[TemplateValue, ...] | None:
    """The values that are there; None when some overrides have one and others have not."""
    stated = tuple(value for value in values or () if not value.is_absent)
    return stated if values is not None and len(stated) in (0, len(values)) else None


def _each(values: TemplateValue, key: str) -> tuple[TemplateValue, ...] | None:
    entries = values.entries()
    return None if entries is None else tuple(entry[key] for entry in entries)


def _fleet(
    stack_set: StackSet,
    named: TemplateValue,
    subnets: tuple[TemplateValue, ...] | None,
    types: tuple[TemplateValue, ...] | None,
) -> Iterator[Fleet]:
    """The fleet of a place that names a launch template, when that is in the set."""
    resource = _named_template(named, stack_set)
    if resource is None:
        return
    template = stack_set.derive(_as_written)[resource]
    kinds = [_neuron_type(value) for value in types or ()]
    started_as = next((kind.name for kind in kinds if kind is not None), None)
    if started_as and template.data["InstanceType"].is_absent:
        template = read_launch_template(resource, started_as)
    yield Fleet(
        named.resource,
        template,
        named["Version"],
        subnets,
        types,
    )


def _named_template(named: TemplateValue, stack_set: StackSet) -> Resource | None:
    for key in ("LaunchTemplateId", "TemplateId", "Id"):
        found = named[key].referred(LAUNCH_TEMPLATE)
        if found is not None:
            return found
    name = next((named[k] for k in ("LaunchTemplateName", "Name") if not named[k].is_absent), None)
    if name is None:
        return None
    called = stack_set.derive(_templates_by_name).get(_name_key(name), ())
    home = named.resource.template
    # Two of one name are of different Regions, or made under different conditions.
    near = [t for t in called if home.region in (None, t.template.region) or not t.template.region]
    return near[0] if len(near) == 1 else None


def _templates_by_name(stack_set: StackSet) -> dict[object, tuple[Resource, ...]]:
    found: dict[object, tuple[Resource, ...]] = {}
    for resource in stack_set.resources(LAUNCH_TEMPLATE):
        name = properties_of(resource)["LaunchTemplateName"]
        if not name.is_absent:
            key = _name_key(name)
            found[key] = (*found.get(key, ()), resource)
    return found


def _name_key(name: TemplateValue) -> object:
    """What is the same for the same name: two like functions of one template give one value."""
    return name.text() or (id(name.resource.template), repr(name.raw))
