"""The container images that templates name, wherever they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.rules.reading.batch_jobs import job_containers
from trnkit.rules.reading.kubernetes_manifests import (
    manifests,
    name_of,
    pod_of,
    required_instance_types,
)
from trnkit.rules.reading.template_value import as_list, as_mapping, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_TASK_DEFINITION = "AWS::ECS::TaskDefinition"
_EC2 = "EC2"


@dataclass(frozen=True, slots=True)
class ContainerImage:
    """A container image.

    Attributes:
        value: The place that names it, or the manifest that it is in.
        text: Its name, with tag.
        user: Who runs it, in words.
        types: The Neuron types that its node certainly has; empty when that is not known.
    """

    value: TemplateValue
    text: str
    user: str
    types: tuple[InstanceType, ...]


def container_images(stack_set: StackSet) -> tuple[ContainerImage, ...]:
    """The images of AWS Batch jobs, ECS tasks and applied Kubernetes manifests that are known.

    Without those that may run on no node of these templates: on Fargate, or where a constraint of
    the task puts them.
    """
    return stack_set.derive(_find)


def _find(stack_set: StackSet) -> tuple[ContainerImage, ...]:
    return (*_of_jobs(stack_set), *_of_tasks(stack_set), *_of_manifests(stack_set))


def _of_jobs(stack_set: StackSet) -> Iterator[ContainerImage]:
    for container in job_containers(stack_set):
        value, kind = container.value["Image"], container.instance_type
        text = value.text()
        capabilities = properties_of(container.definition)["PlatformCapabilities"]
        if text and _on_instances(capabilities):
            user = container.definition.logical_id
            yield ContainerImage(value, text, user, (kind,) if kind else ())


def _of_tasks(stack_set: StackSet) -> Iterator[ContainerImage]:
    for task in stack_set.resources(_TASK_DEFINITION):
        properties = properties_of(task)
        placed = properties["PlacementConstraints"]
        constraints = () if placed.is_absent else placed.entries()
        if constraints != () or not _on_instances(properties["RequiresCompatibilities"]):
            continue
        for container in properties["ContainerDefinitions"].entries() or ():
            text = container["Image"].text()
            if text:
                yield ContainerImage(container["Image"], text, task.logical_id, ())


def _on_instances(capabilities: TemplateValue) -> bool:
    """Whether a job or task can certainly run on instances alone; without a word they do."""
    if capabilities.is_absent:
        return True
    named = [entry.text() for entry in capabilities.entries() or ()]
    return bool(named) and set(named) == {_EC2}


def _of_manifests(stack_set: StackSet) -> Iterator[ContainerImage]:
    for value, document in manifests(stack_set):
        pod = as_mapping(pod_of(document)) or {}
        types = _known(required_instance_types(pod))
        for key in ("initContainers", "containers"):
            for entry in as_list(pod.get(key)) or []:
                text = (as_mapping(entry) or {}).get("image")
                if isinstance(text, str):
                    user = (
                        f"{value.resource.logical_id}, {document.get('kind')} {name_of(document)}"
                    )
                    yield ContainerImage(value, text, user, types)


def _known(names: frozenset[str] | None) -> tuple[InstanceType, ...]:
    """All of them, or nothing."""
    found = [find_instance_type(name) for name in sorted(names or ())]
    known = tuple(kind for kind in found if kind is not None)
    return known if len(known) == len(found) else ()
