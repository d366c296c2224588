"""Kubernetes workloads: what their pods ask for, and on which nodes they may run.

Pod templates are where https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/ and
Kubeflow's training operator have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, instance_type_names
from trnkit.rules.reading_documents.karpenter import FAMILY, INSTANCE_TYPE
from trnkit.rules.reading_documents.manifests import group_of, kind_of, name_of
from trnkit.rules.reading_documents.node_pools import is_neuron_type
from trnkit.rules.reading_documents.quantities import parse_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading_documents.document_value import DocumentValue

NEURON, NEURON_CORE, NEURON_DEVICE = (
    "aws.amazon.com/neuron",
    "aws.amazon.com/neuroncore",
    "aws.amazon.com/neurondevice",
)
NEURON_RESOURCES = (NEURON, NEURON_CORE, NEURON_DEVICE)
EFA = "vpc.amazonaws.com/efa"
NVIDIA = "nvidia.com/gpu"

_TEMPLATE = ("spec", "template", "spec")
# `*` stands for every key or item.
_POD_SPECS: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "Pod"): ("spec",),
    ("apps", "Deployment"): _TEMPLATE,
    ("apps", "DaemonSet"): _TEMPLATE,
    ("apps", "StatefulSet"): _TEMPLATE,
    ("apps", "ReplicaSet"): _TEMPLATE,
    ("batch", "Job"): _TEMPLATE,
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template", "spec"),
    ("kubeflow.org", "PyTorchJob"): ("spec", "pytorchReplicaSpecs", "*", "template", "spec"),
    ("kubeflow.org", "MPIJob"): ("spec", "mpiReplicaSpecs", "*", "template", "spec"),
}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class Container:
    """A container of a pod.

    Attributes:
        value: Its entry.
        name: Its name, or its place in the list.
        is_init: Whether it runs before the others.
    """

    value: DocumentValue
    name: str
    is_init: bool

    @property
    def is_whole(self) -> bool:
        """Whether it is a container with all that it asks for, and no patch of one."""
        resources = self.value["resources"]
        parts = (resources, resources["limits"], resources["requests"])
        return not (self.value["image"].is_absent or any(part.is_placeholder for part in parts))

    def asked(self, resource: str) -> DocumentValue:
        """What it asks for of a resource: its limit, else its request; absent when nothing."""
        resources = self.value["resources"]
        limit = resources["limits"][resource]
        return resources["requests"][resource] if limit.is_absent else limit


@dataclass(frozen=True)
class PodSpec:
    """A pod, or the template of many.

    Attributes:
        name: As messages begin: `Job pretrain`, `PyTorchJob pretrain, Worker`.
        kind: The kind of the manifest.
        spec: The pod's specification.
    """

    name: str
    kind: str
    spec: DocumentValue

    @cached_property
    def containers(self) -> tuple[Container, ...]:
        """Its containers, those that run first first."""
        found: list[Container] = []
        for key in ("initContainers", "containers"):
            for index, entry in enumerate(self.spec[key].items()):
                name = entry["name"].text() or f"{key}[{index}]"
                found.append(Container(entry, name, key == "initContainers"))
        return tuple(found)

    def total(self, resource: str) -> tuple[int, DocumentValue] | None:
        """How much the pod needs of a device at once, and where the largest part is asked for.

        Returns:
            None when it asks for none, or for something that is no whole number.
        """
        together, first, place = 0, 0, None
        largest = -1
        for container in self.containers:
            asked = container.asked(resource)
            if asked.is_absent:
                continue
            number = parse_quantity(asked.text())
            if number is None or number.denominator != 1:
                return None
            if container.is_init:
                first = max(first, int(number))
            else:
                together += int(number)
            if number > largest:
                largest, place = int(number), asked
        return (max(together, first), place) if place is not None else None

    @cached_property
    def memory(self) -> tuple[Fraction, DocumentValue] | None:
        """Bytes of memory that its containers request together, and where the most is asked."""
        together, largest, place = Fraction(0), Fraction(-1), None
        for container in self.containers:
            resources = container.value["resources"]
            request = resources["requests"]["memory"]
            asked = resources["limits"]["memory"] if request.is_absent else request
            number = parse_quantity(asked.text())
            if number is None or container.is_init:
                continue
            together += number
            if number > largest:
                largest, place = number, asked
        return (together, place) if place is not None else None

    @cached_property
    def neuron_resource(self) -> DocumentValue | None:
        """The first place at which it asks for Neuron devices or cores."""
        asked = (
            container.asked(resource)
            for container in self.containers
            for resource in NEURON_RESOURCES
        )
        return next((value for value in asked if not value.is_absent), None)

    @cached_property
    def node_type_values(self) -> tuple[DocumentValue, ...] | None:
        """Where it names the instance types of its nodes; None when it does not narrow them."""
        selector = self.spec["nodeSelector"]
        for label in INSTANCE_TYPE:
            if not selector[label].is_absent:
                return (selector[label],)
        terms = self.spec["affinity"]["nodeAffinity"][_REQUIRED]["nodeSelectorTerms"].items()
        found: list[DocumentValue] = []
        for term in terms:  # One of them must hold.
            listed = [
                expression["values"].items()
                for expression in term["matchExpressions"].items()
                if expression["key"].text() in INSTANCE_TYPE
                and expression["operator"].text() == "In"
            ]
            if not listed:
                return None
            found += listed[0]
        return tuple(found) if terms else None

    @cached_property
    def node_types(self) -> tuple[InstanceType, ...]:
        """The types of its nodes as the catalogue has them; empty unless all are known."""
        values = self.node_type_values
        if values is None:
            return self._of_family()
        # Nodes of SageMaker HyperPod carry its own names for the types.
        names = [(value.text() or "").removeprefix("ml.") for value in values]
        found = [find_instance_type(name) for name in names]
        known = tuple(kind for kind in found if kind is not None)
        return known if len(known) == len(found) else ()

    def _of_family(self) -> tuple[InstanceType, ...]:
        selector = self.spec["nodeSelector"]
        families = {selector[label].text() for label in FAMILY} - {None}
        kinds = [find_instance_type(name) for name in instance_type_names()]
        return tuple(kind for kind in kinds if kind and kind.name.partition(".")[0] in families)

    @property
    def is_neuron(self) -> bool:
        """Whether it asks for Neuron, or can only run on Neuron nodes."""
        if self.neuron_resource is not None or self.node_types:
            return True
        values = self.node_type_values or ()
        texts = [value.text() or "" for value in values]
        return bool(texts) and all(is_neuron_type(text) for text in texts)


def recognises(manifest: DocumentValue) -> bool:
    """Whether a manifest is a workload whose pod template is known."""
    return (group_of(manifest), kind_of(manifest)) in _POD_SPECS


def read_pod_specs(manifest: DocumentValue) -> Iterator[PodSpec]:
    """Every pod template of a manifest."""
    kind, name = kind_of(manifest), name_of(manifest)
    for role, spec in _walk(manifest, _POD_SPECS[group_of(manifest), kind]):
        if spec.mapping() is not None:
            yield PodSpec(f"{kind} {name}{role}", kind, spec)


def _walk(value: DocumentValue, way: tuple[str, ...]) -> Iterator[tuple[str, DocumentValue]]:
    """The values at the end of a way; where it branches, with the branch's name."""
    for position, key in enumerate(way):
        if key == "*":
            for branch in value.fields():
                for _, found in _walk(branch, way[position + 1 :]):
                    yield f", {branch.path[-1]}", found
            return
        value = value[key]
    yield "", value
