"""EKS nodes: managed node groups, and Auto Scaling groups whose user data joins a cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_eks_ami_type, find_instance_type
from trnkit.rules.reading.fleets import (
    AUTO_SCALING_GROUP,
    fleets,
    fleets_of,
    launch_templates,
)
from trnkit.rules.reading.known_values import Reference
from trnkit.rules.reading.launch_templates import LAUNCH_TEMPLATE
from trnkit.rules.reading.machine_images import image_parameter, is_certainly_named
from trnkit.rules.reading.node_config import node_configs, shell_lines
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.reading.user_data import UNKNOWN_PART, user_data_text

if TYPE_CHECKING:
    from trnkit.catalog import EksAmiType, InstanceType
    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.reading.node_config import NodeConfig
    from trnkit.rules.stack_set import Resource, StackSet

NODE_GROUP = "AWS::EKS::Nodegroup"
CLUSTER = "AWS::EKS::Cluster"
BOOTSTRAP = "/etc/eks/bootstrap.sh"
_JOINS = re.compile(rf"{BOOTSTRAP}|\bnodeadm\b")


@dataclass(frozen=True, slots=True)
class EksGroup:
    """Nodes of an EKS cluster.

    Attributes:
        resource: The managed node group, the Auto Scaling group, or, when who starts it is not in
            the set, the launch template.
        properties: Its properties.
        fleet: It as what starts a launch template; None when nothing in the set does.
        template: Its launch template; None when that is not in the set.
        text: Its user data; None when nothing of that is known.
        node_configs: Every NodeConfig in its user data.
    """

    resource: Resource
    properties: TemplateValue
    fleet: Fleet | None
    template: LaunchTemplate | None
    text: str | None
    node_configs: tuple[NodeConfig, ...]

    @property
    def is_managed(self) -> bool:
        """Whether EKS manages it."""
        return self.resource.type == NODE_GROUP

    @property
    def nodes(self) -> str:
        """Its nodes, in words."""
        alone = self.resource.type == LAUNCH_TEMPLATE
        return "its nodes" if alone else f"the nodes of {self.resource.logical_id}"

    @property
    def neuron_types(self) -> tuple[InstanceType, ...]:
        """The Neuron types that it starts; empty when there are others, or it is not known."""
        if self.fleet is not None:
            return self.fleet.known_types or ()
        if self.template is not None:
            return (self.template.instance_type,) if self.template.instance_type else ()
        named = self.properties["InstanceTypes"].entries() if self.is_managed else None
        found = [find_instance_type(value.text() or "") for value in named or ()]
        known = tuple(kind for kind in found if kind is not None)
        return known if len(known) == len(found) else ()

    @property
    def image(self) -> TemplateValue | None:
        """`ImageId` of its launch template; None when the template is not in the set."""
        return self.template.data["ImageId"] if self.template else None

    @property
    def has_own_image(self) -> bool | None:
        """Whether it certainly starts from an image that is named, not chosen by EKS."""
        if self.image is None:
            # A template that is elsewhere may name one.
            return False if self.properties["LaunchTemplate"].is_absent else None
        if self.image.is_absent:
            return False
        return True if is_certainly_named(self.image) else None

    @property
    def ami_type(self) -> EksAmiType | None:
        """The AMI type that EKS takes, when one is named that the catalogue knows."""
        name = self.properties["AmiType"].text() if self.is_managed else None
        return find_eks_ami_type(name) if name else None

    @property
    def os(self) -> str | None:
        """The operating system, as AMI type or image parameter tell it; None when not known."""
        if self.has_own_image is False:
            return self.ami_type.os if self.ami_type else None
        parameter = image_parameter(self.image) if self.image is not None else None
        return parameter.os if parameter else None

    @property
    def user_data(self) -> TemplateValue | None:
        """The user data of its launch template; None when the template is not in the set."""
        return self.template.data["UserData"] if self.template else None

    def cluster(self) -> Resource | None:
        """The cluster that a managed node group belongs to, when it is in the set."""
        named = self.properties["ClusterName"]
        found = named.referred(CLUSTER)
        if found is not None or named.text() is None:
            return found
        called = self.resource.template.stack_set.derive(_clusters_by_name)
        return called.get(named.text() or "")


def managed_groups(stack_set: StackSet) -> tuple[EksGroup, ...]:
    """Every managed node group, also those without a launch template in the set."""
    return stack_set.derive(_find_managed)


def eks_groups(stack_set: StackSet) -> tuple[EksGroup, ...]:
    """The managed node groups, and whatever else has user data that join a cluster.

    That is an Auto Scaling group, or a launch template that nobody in the set starts.
    """
    return (*managed_groups(stack_set), *stack_set.derive(_find_self_managed))


def _find_managed(stack_set: StackSet) -> tuple[EksGroup, ...]:
    by_resource = {found.resource: found for found in fleets(stack_set)}
    found: list[EksGroup] = []
    for resource in stack_set.resources(NODE_GROUP):
        fleet = by_resource.get(resource)
        found.append(_group(resource, fleet, fleet.launch_template if fleet else None))
    return tuple(found)


def _find_self_managed(stack_set: StackSet) -> tuple[EksGroup, ...]:
    found = [
        _group(fleet.resource, fleet, fleet.launch_template)
        for fleet in fleets(stack_set)
        if fleet.resource.type == AUTO_SCALING_GROUP
    ]
    found += [
        _group(template.resource, None, template)
        for template in launch_templates(stack_set)
        if not fleets_of(template, stack_set)
    ]
    return tuple(group for group in found if _joins(group))


def _group(resource: Resource, fleet: Fleet | None, template: LaunchTemplate | None) -> EksGroup:
    text = user_data_text(template.data["UserData"]) if template else None
    configs = node_configs(text) if text else ()
    return EksGroup(resource, properties_of(resource), fleet, template, text, configs)


def _joins(group: EksGroup) -> bool:
    lines = "\n".join(shell_lines(group.text or ""))
    return bool(group.node_configs or _JOINS.search(lines))


def _clusters_by_name(stack_set: StackSet) -> dict[str, Resource | None]:
    """The clusters by the name that they are given; None where two have the same."""
    found: dict[str, Resource | None] = {}
    for resource in stack_set.resources(CLUSTER):
        name = properties_of(resource)["Name"].text()
        if name is not None:
            found[name] = None if name in found else resource
    return found


def names_cluster_group(value: TemplateValue) -> bool:
    """Whether a value is the security group that EKS makes for a cluster."""
    found = value.value
    return (
        isinstance(found, Reference)
        and found.resource.type == CLUSTER
        and found.attribute == "ClusterSecurityGroupId"
    )


def is_wholly_known(text: str | None) -> bool:
    """Whether no part of a text is left to the deployment."""
    return text is not None and UNKNOWN_PART not in text
