"""What instances boot from, and what they run then, wherever a template says it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.reading.launch_templates import LAUNCH_TEMPLATE
from trnkit.rules.reading.machine_images import branches
from trnkit.rules.reading.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.stack_set import StackSet

_INSTANCE = "AWS::EC2::Instance"


@dataclass(frozen=True, slots=True)
class BootedImage:
    """A place that names an image.

    Attributes:
        value: The place; each branch when it is `Fn::If`.
        instance_types: The Neuron types that start from it; empty when there are others, or that
            is not known.
        is_accelerated: Whether Neuron instances, or such with EFA, start from it.
        beside: What stands beside the image: block devices, user data.
    """

    value: TemplateValue
    instance_types: tuple[InstanceType, ...]
    is_accelerated: bool
    beside: TemplateValue


def booted_images(stack_set: StackSet) -> tuple[BootedImage, ...]:
    """The images of launch templates, instances, AWS Batch and AWS PCS, each place once."""
    return stack_set.derive(_find_images)


def user_data_places(stack_set: StackSet) -> Iterator[TemplateValue]:
    """The user data of every launch template and instance."""
    for resource in stack_set.resources(LAUNCH_TEMPLATE):
        yield properties_of(resource)["LaunchTemplateData"]["UserData"]
    for resource in stack_set.resources(_INSTANCE):
        yield properties_of(resource)["UserData"]


def _find_images(stack_set: StackSet) -> tuple[BootedImage, ...]:
    found: dict[object, BootedImage] = {}
    for template in launch_templates(stack_set):
        # A template without a type stands there once for each type that it is started as.
        earlier = found.get(template.resource)
        types = () if template.instance_type is None else (template.instance_type,)
        found[template.resource] = BootedImage(
            template.data["ImageId"],
            (*(earlier.instance_types if earlier else ()), *types),
            template.is_accelerated or bool(earlier and earlier.is_accelerated),
            template.data,
        )
    whole = (*found.values(), *_other_images(stack_set))
    # With a parameter for an image of one's own, the public one stands in the other branch.
    return tuple(replace(image, value=value) for image in whole for value in branches(image.value))


def _other_images(stack_set: StackSet) -> Iterator[BootedImage]:
    for resource in stack_set.resources(_INSTANCE):
        instance = properties_of(resource)
        types = _neuron_types((instance["InstanceType"],))
        yield BootedImage(instance["ImageId"], types, bool(types), instance)
    for resource in stack_set.resources("AWS::PCS::ComputeNodeGroup"):
        group = properties_of(resource)
        configs = group["InstanceConfigs"].entries() or ()
        types = _neuron_types(tuple(config["InstanceType"] for config in configs))
        yield BootedImage(group["AmiId"], types, bool(types), group)
    for resource in stack_set.resources("AWS::Batch::ComputeEnvironment"):
        computing = properties_of(resource)["ComputeResources"]
        types = _neuron_types(computing["InstanceTypes"].entries() or ())
        for entry in computing["Ec2Configuration"].entries() or ():
            yield BootedImage(entry["ImageIdOverride"], types, bool(types), entry)


def _neuron_types(values: tuple[TemplateValue, ...]) -> tuple[InstanceType, ...]:
    found = [find_instance_type(value.text() or "") for value in values]
    known = tuple(kind for kind in found if kind is not None)
    return known if len(known) == len(found) else ()
