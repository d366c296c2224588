"""TRN269: the SSM parameter of an image exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_region, neuron_image, neuron_image_parameters_available
from trnkit.findings import Severity
from trnkit.rules.judging.image_parameters import (
    NEURON_PREFIX,
    judge_retired,
    misnamed,
    misnamed_end,
    nearest_neuron_parameter,
)
from trnkit.rules.reading.booting_resources import booted_images
from trnkit.rules.reading.machine_images import image_parameter, key_of
from trnkit.rules.reading.user_data import UNKNOWN_PART
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.machine_images import ImageParameter
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_STAND_IN = "dummy-value-for-"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for image in booted_images(stack_set):
        written = image.value.text() or ""
        if written.startswith(_STAND_IN):
            yield _violation(
                image.value,
                f"is {written[:60]}, the CDK's stand-in for a value that it could not look up",
                "synthesize again with credentials, and commit cdk.context.json",
            )
        parameter = image_parameter(image.value)
        if parameter is not None:
            yield from _judge(parameter)


def _judge(parameter: ImageParameter) -> Iterator[Violation]:
    name, place = parameter.name, f"is {parameter.shown}"
    # The default of a template parameter is a proposal.
    severity = Severity.WARNING if parameter.template_parameter else None
    if UNKNOWN_PART in name:
        begin, end = name.partition(UNKNOWN_PART)[0], name.rpartition(UNKNOWN_PART)[2]
        fault = misnamed_end(end, begin)
        if fault is not None:
            hint = "write image_id at the end"
            yield _violation(parameter.value, f"{place}, which {fault}", hint, severity)
        return
    found = misnamed(name)
    if found is not None:
        fault, right = found
        yield _violation(parameter.value, f"{place}; {fault}", f"write {right}", severity)
        return
    region = find_region(parameter.value.resource.template.region or "")
    if (
        region is not None
        and name.startswith(NEURON_PREFIX)
        and neuron_image_parameters_available(region.name) is False
    ):
        yield _violation(
            parameter.value,
            f"{place}, and {region.name} has no {NEURON_PREFIX} parameters",
            "find the image with `aws ec2 describe-images`, and write its id",
            severity,
            f"catalogue, {region.name} ({region.date})",
        )
        return
    known = neuron_image(name)
    if known is not None and known.status == "gone":
        yield _violation(
            parameter.value,
            f"{place}, which is gone" + (f" ({known.note})" if known.note else ""),
            f"write {nearest_neuron_parameter(name)}",
            Severity.WARNING,
            f"catalogue, status {known.status} ({known.date})",
        )
    retired = judge_retired(name) if known is None else None
    if retired is not None:
        yield _violation(
            parameter.value, retired.text, retired.hint, Severity.WARNING, retired.evidence
        )


def _violation(
    value: TemplateValue,
    fault: str,
    hint: str,
    severity: Severity | None = None,
    evidence: str | None = None,
) -> Violation:
    return Violation(
        message=f"{value.resource.logical_id}: {key_of(value)} {fault}",
        hint=hint,
        resource=value.resource,
        path=value.path,
        severity=severity,
        evidence=evidence,
    )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        ImageId: resolve:ssm:/aws/service/neuron/dlami/"""

RULE = TemplateRule(
    id="TRN269",
    title="the SSM parameter of an image exists",
    severity=Severity.ERROR,
    why="A name that was guessed is noticed when a node starts, or when the stack is created.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/deploy/environments/dlami.html",
    good=f"{_HEAD}base/ubuntu-24.04/latest/image_id\n",
    bad=f"{_HEAD}pytorch-2.5/latest/ami-id\n",
    check=_check,
)
