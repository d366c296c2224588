"""Compute node groups of AWS PCS as rules see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

PCS_CLUSTER = "AWS::PCS::Cluster"
PCS_NODE_GROUP = "AWS::PCS::ComputeNodeGroup"
PCS_QUEUE = "AWS::PCS::Queue"


@dataclass(frozen=True, slots=True)
class PcsNodeGroup:
    """A compute node group.

    Attributes:
        resource: The resource.
        properties: Its properties.
        instance_type: The one Neuron type it has; None when it has others, or they are not known.
        launch_template: Its launch template, when the templates make that.
    """

    resource: Resource
    properties: TemplateValue
    instance_type: InstanceType | None
    launch_template: LaunchTemplate | None

    @property
    def slurm_version(self) -> str | None:
        """The Slurm version of its cluster, when that is known."""
        cluster = self.properties["ClusterId"].referred(PCS_CLUSTER)
        return properties_of(cluster)["Scheduler"]["Version"].text() if cluster else None


def pcs_node_groups(stack_set: StackSet) -> Iterator[PcsNodeGroup]:
    """Every compute node group."""
    templates = {fleet.resource: fleet.launch_template for fleet in fleets(stack_set)}
    for resource in stack_set.resources(PCS_NODE_GROUP):
        properties = properties_of(resource)
        configs = properties["InstanceConfigs"].entries() or ()
        names = {config["InstanceType"].text() or "" for config in configs}
        known = find_instance_type(names.pop()) if len(names) == 1 else None
        yield PcsNodeGroup(resource, properties, known, templates.get(resource))
