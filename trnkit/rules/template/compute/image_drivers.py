"""TRN270: the image of Neuron instances has the Neuron driver and boots on them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import neuron_image
from trnkit.catalog.neuron_sdk import framework_of_image
from trnkit.findings import Severity
from trnkit.rules.judging.image_parameters import NEURON_PREFIX
from trnkit.rules.judging.neuron_frameworks import supports
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.booting_resources import booted_images
from trnkit.rules.reading.machine_images import image_parameter
from trnkit.rules.reading.user_data import UNKNOWN_PART, user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.booting_resources import BootedImage
    from trnkit.rules.reading.machine_images import ImageParameter
    from trnkit.rules.stack_set import StackSet

_INSTALLS = re.compile("neuron|s3 (cp|sync)|curl|wget", re.IGNORECASE)
"""User data that may well install the driver: it names it, or runs what it fetches."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for image in booted_images(stack_set):
        parameter = image_parameter(image.value)
        if parameter is None or not image.instance_types:
            continue
        fault = _fault(image, parameter)
        if fault is not None:
            what, severity = fault
            yield Violation(
                message=f"{image.value.resource.logical_id}: starts "
                f"{alternatives(_names(image), 'and')} from {parameter.shown}, {what}",
                hint="name the parameter of a Neuron image",
                resource=image.value.resource,
                path=image.value.path,
                severity=Severity.WARNING if parameter.template_parameter else severity,
            )


def _names(image: BootedImage) -> list[str]:
    return list(dict.fromkeys(kind.name for kind in image.instance_types))


def _fault(image: BootedImage, parameter: ImageParameter) -> tuple[str, Severity] | None:
    architectures = {kind.architecture for kind in image.instance_types}
    if parameter.architecture and architectures == {"x86_64"} != {parameter.architecture}:
        return f"an image for {parameter.architecture}, not for x86_64", Severity.ERROR
    drivers = parameter.drivers
    if drivers is not None and "neuron" not in drivers and not _may_install(image):
        has = "which has the NVIDIA driver, not" if drivers else "which is without"
        return f"{has} the Neuron driver", Severity.WARNING
    what, families = _families(parameter)
    missing = [
        kind.family for kind in image.instance_types if families and not supports(families, kind)
    ]
    if families and missing:
        told = f"which {what} {alternatives(families, 'and')}, not {missing[0]}"
        return told, Severity.WARNING
    return None


def _families(parameter: ImageParameter) -> tuple[str, tuple[str, ...]]:
    """What an image is for; nothing when that is not known, or it is for all."""
    known = neuron_image(parameter.name)
    if known is not None and known.instance_families:
        return "supports", known.instance_families
    kind = parameter.segment("kind") if parameter.name.startswith(NEURON_PREFIX) else None
    framework = framework_of_image(kind=kind)
    return (f"has {framework.title}, for", framework.instance_families) if framework else ("", ())


def _may_install(image: BootedImage) -> bool:
    data = image.beside["UserData"]
    if data.is_absent:
        return False
    text = user_data_text(data)
    return text is None or UNKNOWN_PART in text or bool(_INSTALLS.search(text))


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        ImageId: resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/"""

RULE = TemplateRule(
    id="TRN270",
    title="the image of Neuron instances has the Neuron driver",
    severity=Severity.WARNING,
    why="Nodes from an image for other accelerators, or for none, start and find no Neuron device; "
    "an image for another architecture is refused.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html",
    good=f"{_HEAD}neuron/recommended/image_id\n",
    bad=f"{_HEAD}nvidia/recommended/image_id\n",
    check=_check,
)
