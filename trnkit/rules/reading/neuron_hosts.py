"""The Neuron nodes that templates start: as which types, and from which image."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.rules.reading.booting_resources import booted_images
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.reading.machine_images import image_parameter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.eks_groups import EksGroup
    from trnkit.rules.reading.machine_images import ImageParameter
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

NEWEST = "newest"
_RELEASE = re.compile(r"1\.[0-9]{2}(?:\.[0-9]+)?-(?P<day>20[0-9]{6})")


@dataclass(frozen=True, slots=True)
class NeuronHost:
    """Nodes with Neuron devices.

    Attributes:
        resource: What starts them.
        types: Their types; empty when not known.
        parameter: The parameter of their image; None when it has none, or that is not known.
        eks_release: Of an image that EKS chooses for Neuron, the day of its release, or `NEWEST`
            where the newest is taken when the group is made; None otherwise.
        user_data: What they run when they start, where a template says it.
    """

    resource: Resource
    types: tuple[InstanceType, ...]
    parameter: ImageParameter | None
    eks_release: str | None
    user_data: TemplateValue | None


def neuron_hosts(stack_set: StackSet) -> tuple[NeuronHost, ...]:
    """Everything in a stack set that starts Neuron nodes."""
    return stack_set.derive(_find)


def _find(stack_set: StackSet) -> tuple[NeuronHost, ...]:
    managed = list(managed_groups(stack_set))
    templates = {group.template.resource for group in managed if group.template is not None}
    return (*_started(stack_set, templates), *_managed(managed))


def _started(stack_set: StackSet, managed: set[Resource]) -> Iterator[NeuronHost]:
    for image in booted_images(stack_set):
        resource = image.value.resource
        # Without an image of its own, EKS chooses; the group then stands in the other list.
        if not image.is_accelerated or (resource in managed and image.value.is_absent):
            continue
        beside = image.beside["UserData"]
        yield NeuronHost(
            resource,
            image.instance_types,
            image_parameter(image.value),
            None,
            None if beside.is_absent else beside,
        )


def _managed(groups: list[EksGroup]) -> Iterator[NeuronHost]:
    for group in groups:
        if group.has_own_image is False and group.neuron_types:
            release, user_data = _release_of(group), group.user_data
            beside = None if user_data is None or user_data.is_absent else user_data
            yield NeuronHost(group.resource, group.neuron_types, None, release, beside)


def _release_of(group: EksGroup) -> str | None:
    ami_type, named = group.ami_type, group.properties["ReleaseVersion"]
    if ami_type is None or not ami_type.name.endswith("_NEURON"):
        return None
    if named.is_absent:
        return NEWEST
    found = _RELEASE.fullmatch(named.text() or "")
    return found["day"] if found else None
