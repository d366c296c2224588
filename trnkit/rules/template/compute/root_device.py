"""TRN272: the root volume of an image is the one that the template enlarges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import neuron_image, root_device_name, root_volume_guidance
from trnkit.catalog.images import image_kind_of
from trnkit.findings import Severity
from trnkit.rules.judging.image_parameters import NEURON_PREFIX
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.booting_resources import booted_images
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.reading.machine_images import image_parameter
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.booting_resources import BootedImage
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_ROOTS = ("/dev/sda1", "/dev/xvda")
"""The names that root devices have; a further disk is not called so on purpose."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for image in booted_images(stack_set):
        parameter = image_parameter(image.value) if image.is_accelerated else None
        if parameter is None or parameter.os is None:
            continue
        yield from _misnamed(image.beside, parameter.os)
        smallest = _smallest(parameter.name)
        if smallest is not None:
            for mapping in image.beside["BlockDeviceMappings"].entries() or ():
                if mapping["DeviceName"].text() == root_device_name(parameter.os):
                    yield from _judge_size(image, mapping["Ebs"]["VolumeSize"], *smallest)
    told: set[Resource] = set()
    for group in managed_groups(stack_set):
        template = group.template
        if template is None or template.resource in told or group.has_own_image is not False:
            continue
        if template.is_accelerated and group.os is not None:
            told.add(template.resource)
            yield from _misnamed(template.data, group.os)


def _misnamed(beside: TemplateValue, os: str) -> Iterator[Violation]:
    """Mappings that are meant for the root device and are called otherwise."""
    root, mappings = root_device_name(os), beside["BlockDeviceMappings"].entries() or ()
    names = [mapping["DeviceName"].text() for mapping in mappings]
    if root is None or None in names or root in names:
        return
    for mapping, name in zip(mappings, names, strict=True):
        if name in _ROOTS:
            yield Violation(
                message=f"{mapping.resource.logical_id}: maps {name}, and the root device of "
                f"{os} is {root}; that adds a second disk and leaves the root small",
                hint=f"write DeviceName: {root}",
                resource=mapping.resource,
                path=(*mapping.path, "DeviceName"),
            )


def _smallest(parameter: str) -> tuple[int, bool] | None:
    """The smallest root volume in GiB, and whether that is known of this very image."""
    if parameter.startswith(NEURON_PREFIX):
        known = neuron_image(parameter)
        own = known.minimum_root_volume_gib if known else None
        return own or root_volume_guidance().minimum_gib, own is not None
    kind = image_kind_of(parameter)
    return (kind.root_volume_gib, True) if kind and kind.root_volume_gib else None


def _judge_size(
    image: BootedImage, size: TemplateValue, smallest: int, is_own: bool
) -> Iterator[Violation]:
    guidance, given = root_volume_guidance(), size.integer()
    if given is None or given >= smallest:
        return
    kinds = alternatives(dict.fromkeys(k.name for k in image.instance_types), "and")
    yield Violation(
        message=f"{size.resource.logical_id}: the root volume has {given} GiB; Neuron images "
        f"of that kind need {smallest} GiB",
        hint=f"write {max(guidance.recommended_gib, smallest)} or more"
        + (f" for {kinds}" if kinds else ""),
        resource=size.resource,
        path=size.path,
        # Of the other images it is known that they are alike, not how large each is.
        severity=Severity.ERROR if is_own else None,
        evidence=f"catalogue, root volumes of Neuron images ({guidance.date})",
    )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        ImageId: resolve:ssm:/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id
        BlockDeviceMappings:
          - Ebs: {VolumeSize: 512, VolumeType: gp3, Encrypted: true}
            DeviceName: """

RULE = TemplateRule(
    id="TRN272",
    title="a block device mapping enlarges the root volume of the image",
    severity=Severity.WARNING,
    why="A mapping by another name adds a second disk, and the first compilation fills the root; "
    "EC2 refuses a root volume that is smaller than the image's snapshot.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/device_naming.html",
    good=f"{_HEAD}/dev/sda1\n",
    bad=f"{_HEAD}/dev/xvda\n",
    check=_check,
)
