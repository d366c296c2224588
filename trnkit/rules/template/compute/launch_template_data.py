"""TRN256: nothing got lost on the way into the template."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.reading.template_value import as_list, as_mapping, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trnkit.config.yaml_reader import Path
    from trnkit.rules.stack_set import StackSet

_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")
_WITHOUT_MAPS_OF_THE_USER = (
    "AWS::AutoScaling::AutoScalingGroup",
    "AWS::Budgets::Budget",
    "AWS::EC2::LaunchTemplate",
    "AWS::EC2::PlacementGroup",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::Subnet",
    "AWS::EC2::VPC",
    "AWS::FSx::DataRepositoryAssociation",
    "AWS::FSx::FileSystem",
)
"""Only types none of whose properties is a map with keys of the user's choice (but CostFilters)."""
_NOT_ENTERED = ("CostFilters", "FilterExpression", "PlannedBudgetLimits", "Tags", "ResourceTags")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in launch_templates(stack_set):
        data = template.data
        if data.is_absent or data.mapping() == {}:
            yield Violation(
                message=f"{template.resource.logical_id}: LaunchTemplateData is empty",
                hint="write the properties under LaunchTemplateData; in the CDK pass typed ones, "
                "for it drops the snake_case keys of a plain dict",
                resource=template.resource,
                path=data.path,
            )
    for resource in stack_set.resources(*_WITHOUT_MAPS_OF_THE_USER):
        for path in _snake_case(properties_of(resource).mapping() or {}):
            yield Violation(
                message=f"{resource.logical_id}: has the key {path[-1]}; CloudFormation's keys are "
                "like InstanceType",
                hint="write the CloudFormation name; the CDK does not translate property overrides",
                resource=resource,
                path=("Properties", *path),
            )


def _snake_case(properties: Mapping[str, Any]) -> Iterator[Path]:
    waiting: list[tuple[Path, Any]] = [((), properties)]
    while waiting:
        path, value = waiting.pop()
        if len(path) > 20:
            continue
        items = as_list(value) or []
        waiting += [((*path, index), item) for index, item in enumerate(items)]
        for key, item in (as_mapping(value) or {}).items():
            name = str(key)
            if name.startswith("Fn::") or name in _NOT_ENTERED:
                continue
            if _SNAKE.fullmatch(name):
                yield (*path, name)
            else:
                waiting.append(((*path, name), item))


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
"""

RULE = TemplateRule(
    id="TRN256",
    title="launch template data is complete, with CloudFormation's keys",
    severity=Severity.ERROR,
    why="A dict with snake_case keys is dropped without a word and leaves an empty template.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html",
    good=_HEAD + "      LaunchTemplateData: {InstanceType: trn1.2xlarge}\n",
    bad=_HEAD + "      LaunchTemplateData: {}\n",
    check=_check,
)
