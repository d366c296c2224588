"""Settings of instances that stand in several kinds of resource in the same terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.fleets import INSTANCE
from trnkit.rules.reading.launch_templates import LAUNCH_TEMPLATE
from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_LAUNCH_CONFIGURATION = "AWS::AutoScaling::LaunchConfiguration"
_VOLUME = "AWS::EC2::Volume"


def launch_settings(stack_set: StackSet) -> Iterator[TemplateValue]:
    """What instances are launched with, wherever it stands.

    The data of launch templates, the properties of launch configurations and of single instances:
    user data, volumes and metadata options have the same keys in each.
    """
    for resource in stack_set.resources(LAUNCH_TEMPLATE):
        yield properties_of(resource)["LaunchTemplateData"]
    for resource in stack_set.resources(_LAUNCH_CONFIGURATION, INSTANCE):
        yield properties_of(resource)


def volumes(stack_set: StackSet) -> Iterator[TemplateValue]:
    """Every EBS volume: of block device mappings, and those that are resources."""
    for settings in launch_settings(stack_set):
        for mapping in settings["BlockDeviceMappings"].entries() or ():
            if mapping["Ebs"].mapping() is not None:
                yield mapping["Ebs"]
    for resource in stack_set.resources(_VOLUME):
        yield properties_of(resource)
