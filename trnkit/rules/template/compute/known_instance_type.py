"""TRN268: a Neuron type that the catalogue does not know is not judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.instance_names import judge_neuron_name
from trnkit.rules.reading.capacity_resources import RESERVATION
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.launch_templates import LAUNCH_TEMPLATE
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for value in _types(stack_set):
        wrong = judge_neuron_name(value.text() or "")
        if wrong is not None:
            yield Violation(
                message=f"{value.resource.logical_id}: {wrong.text}",
                hint=wrong.hint,
                resource=value.resource,
                path=value.path,
                evidence=wrong.evidence,
            )


def _types(stack_set: StackSet) -> Iterator[TemplateValue]:
    """Every instance type that a template names where ours judge it."""
    for resource in stack_set.resources(LAUNCH_TEMPLATE):
        yield properties_of(resource)["LaunchTemplateData"]["InstanceType"]
    for resource in stack_set.resources(RESERVATION, "AWS::EC2::Instance"):
        yield properties_of(resource)["InstanceType"]
    for fleet in fleets(stack_set):
        yield from fleet.types or ()


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: %s}}
"""

RULE = TemplateRule(
    id="TRN268",
    title="instances of types outside the catalogue are not judged",
    severity=Severity.INFO,
    why="No findings would otherwise look like approval: what is known of interfaces, zones and "
    "Capacity Blocks comes from the catalogue.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html",
    good=_HEAD % "trn2.48xlarge",
    bad=_HEAD % "trn3.48xlarge",
    check=_check,
)
