"""TRN271: a deployment that is about something else does not change the image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.booting_resources import booted_images
from trnkit.rules.reading.machine_images import image_parameter, key_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.machine_images import ImageParameter
    from trnkit.rules.stack_set import StackSet

_PUBLIC = "/aws/service/"
_NEWEST = ("/latest/", "/recommended/")
_REPLACED = {
    "AWS::EC2::Instance": "CloudFormation then replaces the instance",
    "AWS::EC2::LaunchTemplate": "the template gets a new version, and nodes of its groups are "
    "replaced or differ from each other",
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for image in booted_images(stack_set):
        parameter = image_parameter(image.value) if image.is_accelerated else None
        if parameter is None or not _floats(parameter):
            continue
        resource = image.value.resource
        through = (
            f" (the default of {parameter.template_parameter})"
            if parameter.template_parameter
            else ""
        )
        effect = _REPLACED.get(resource.type, "the environment then replaces its nodes")
        yield Violation(
            message=f"{resource.logical_id}: {key_of(image.value)} is what "
            f"{parameter.shown}{through} holds at each deployment; when AWS has published "
            f"an image in between, {effect}",
            hint="write the id of an image, and change it when that is meant",
            resource=resource,
            path=image.value.path,
        )


def _floats(parameter: ImageParameter) -> bool:
    """Whether AWS may change it between two deployments; parameters of one's own are meant."""
    public = parameter.name.startswith(_PUBLIC) and any(n in parameter.name for n in _NEWEST)
    return public and parameter.resolved_at == "deployment" and not parameter.is_pinned


_NAME = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"
_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
"""

RULE = TemplateRule(
    id="TRN271",
    title="a deployment that is about something else does not change the image",
    severity=Severity.WARNING,
    why="CloudFormation reads such a parameter again at every update of the stack, so a new image "
    "of AWS reaches running trainers with a change of a tag.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "dynamic-references-ssm.html",
    good=_HEAD + "        ImageId: ami-0123456789abcdef0\n",
    bad=_HEAD + f'        ImageId: "{{{{resolve:ssm:{_NAME}}}}}"\n',
    check=_check,
)
