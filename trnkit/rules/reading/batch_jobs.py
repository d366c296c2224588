"""The containers of AWS Batch job definitions, wherever in them they stand."""

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

COMPUTE_ENVIRONMENT = "AWS::Batch::ComputeEnvironment"
JOB_DEFINITION = "AWS::Batch::JobDefinition"
_NEURON_DEVICE = "/dev/neuron"
_EFA_DEVICE = "/dev/infiniband/uverbs"
_GIVES_ALL_DEVICES = "AWS_NEURON_VISIBLE_DEVICES"
"""With it the hook of the Neuron images adds the devices that a definition does not list."""


@dataclass(frozen=True, slots=True)
class JobContainer:
    """One container of a job definition.

    Attributes:
        definition: The job definition.
        value: The container's properties.
        is_pod: Whether it is one of an EKS pod, which lists no devices.
        has_node: Whether it has a node to itself, as those of multi-node parallel jobs have unless
            their task or pod is of several containers.
        is_only: Whether its task or pod is of no other container.
        instance_type: The Neuron type its node range names.
        environment: Its variables by name, with None for a value that is not known; None when it
            is not known which there are.
        devices: The paths of the devices it lists; None when it may have others, as privileged
            containers have all.
    """

    definition: Resource
    value: TemplateValue
    is_pod: bool
    has_node: bool
    is_only: bool
    instance_type: InstanceType | None
    environment: dict[str, str | None] | None
    devices: tuple[str, ...] | None

    @property
    def is_neuron(self) -> bool:
        """Whether it certainly, or by its image's name, computes on Neuron devices."""
        if self.instance_type is not None or self._listed(_NEURON_DEVICE):
            return True
        return "neuron" in (self.value["Image"].text() or "").lower()

    def neuron_devices(self) -> list[str] | None:
        """The Neuron devices it lists; None when those it gets are not known."""
        hooked = self.environment is None or _GIVES_ALL_DEVICES in self.environment
        return None if hooked else self._listed(_NEURON_DEVICE)

    def efa_devices(self) -> list[str] | None:
        """The EFA devices it lists; None when those it gets are not known."""
        return self._listed(_EFA_DEVICE)

    def _listed(self, prefix: str) -> list[str] | None:
        if self.devices is None:
            return None
        return [path for path in self.devices if path.startswith(prefix)]


def job_containers(stack_set: StackSet) -> tuple[JobContainer, ...]:
    """Every container of every job definition."""
    return stack_set.derive(_find_containers)


def _find_containers(stack_set: StackSet) -> tuple[JobContainer, ...]:
    found: list[JobContainer] = []
    for definition in stack_set.resources(JOB_DEFINITION):
        properties = properties_of(definition)
        found += _containers(properties, "ContainerProperties", None, False)
        for node_range in properties["NodeProperties"]["NodeRangeProperties"].entries() or ():
            found += _containers(node_range, "Container", _type_of(node_range), True)
    return tuple(found)


def _containers(
    part: TemplateValue, key: str, known: InstanceType | None, is_multinode: bool
) -> Iterator[JobContainer]:
    """The containers below a definition or a node range."""
    tasks = part["EcsProperties"]["TaskProperties"].entries() or ()
    listed = [c for task in tasks for c in task["Containers"].entries() or ()]
    pods = part["EksProperties"]["PodProperties"]["Containers"].entries() or ()
    for values, is_pod in (([part[key]], False), (listed, False), (list(pods), True)):
        is_only = len(values) == 1
        for value in values:
            if value.mapping() is not None:
                yield JobContainer(
                    definition=part.resource,
                    value=value,
                    is_pod=is_pod,
                    has_node=is_multinode and is_only,
                    is_only=is_only,
                    instance_type=known,
                    environment=_environment(value["Env" if is_pod else "Environment"]),
                    devices=None if is_pod else _devices(value),
                )


def _devices(container: TemplateValue) -> tuple[str, ...] | None:
    privileged = container["Privileged"]
    listed = container["LinuxParameters"]["Devices"].entries()
    if listed is None or privileged.is_unknown or privileged.boolean():
        return None
    paths = [device["HostPath"].text() for device in listed]
    known = tuple(path for path in paths if path is not None)
    return known if len(known) == len(paths) else None


def _type_of(node_range: TemplateValue) -> InstanceType | None:
    named = node_range["InstanceTypes"].entries()
    if named:
        return find_instance_type(named[0].text() or "")
    own = node_range["Container"]["InstanceType"]
    return find_instance_type(own.text() or "") if named is not None else None


def _environment(variables: TemplateValue) -> dict[str, str | None] | None:
    entries = variables.entries()
    names = [entry["Name"].text() for entry in entries or ()]
    if entries is None or None in names:
        return None
    return {str(name): entry["Value"].text() for name, entry in zip(names, entries, strict=True)}
