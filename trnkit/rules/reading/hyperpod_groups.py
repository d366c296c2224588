"""Instance groups of SageMaker HyperPod clusters, with the network each of them is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

HYPERPOD_CLUSTER = "AWS::SageMaker::Cluster"
ML = "ml."
"""How SageMaker's names of instance types begin."""


@dataclass(frozen=True, slots=True)
class HyperPodGroup:
    """An instance group.

    Attributes:
        cluster: The cluster.
        value: The group.
        network: Its own `OverrideVpcConfig`, or the cluster's `VpcConfig`.
        instance_type: Its type without `ml.`, when the catalogue knows it.
    """

    cluster: Resource
    value: TemplateValue
    network: TemplateValue
    instance_type: InstanceType | None

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.value["InstanceGroupName"].text() or f"instance group {self.value.path[-1]}"


def hyperpod_groups(stack_set: StackSet) -> Iterator[HyperPodGroup]:
    """Every instance group of every HyperPod cluster."""
    for cluster in stack_set.resources(HYPERPOD_CLUSTER):
        properties = properties_of(cluster)
        for key in ("InstanceGroups", "RestrictedInstanceGroups"):
            for value in properties[key].entries() or ():
                own = value["OverrideVpcConfig"]
                name = value["InstanceType"].text() or ""
                yield HyperPodGroup(
                    cluster,
                    value,
                    properties["VpcConfig"] if own.is_absent else own,
                    find_instance_type(name.removeprefix(ML)),
                )
