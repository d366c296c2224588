"""TRN865: ARNs name the partition of the template's Region."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trnkit.findings import Severity
from trnkit.rules.judging.region_shape import partition_of
from trnkit.rules.reading.intrinsics import function_name
from trnkit.rules.reading.template_region import region_of
from trnkit.rules.reading.template_walk import entries_within
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path
    from trnkit.rules.stack_set import Resource, StackSet

_GIVEN = ("Ref", "Fn::FindInMap")
_ARN = re.compile(r"arn:(aws(?:-[a-z-]+)?):")
_ONLY_TOLD = ("Condition", "Description", "Environment", "Tags")
"""What stands there is compared or handed on; nobody looks for it in the Region."""
_ONLY_KEPT = ("AWS::SSM::Parameter", "AWS::SecretsManager::Secret")
_WHERE = re.compile(r"AWS::(Partition|Region)\b")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in stack_set.templates:
        # Conditions over the place are those of a template for several partitions.
        chooses = _WHERE.search(repr(template.body.get("Conditions"))) is not None
        region = None if chooses else region_of(template, stack_set)
        own = partition_of(region) if region is not None else None
        for resource in template.resources.values() if own is not None else ():
            found = _first(resource, own or "")
            if found is not None:
                path, other = found
                yield Violation(
                    message=f"{resource.logical_id}: has an ARN of the partition {other}, and "
                    f"{region} is in {own}",
                    hint=f"write arn:{own}:, or AWS::Partition in Fn::Sub",
                    resource=resource,
                    path=path,
                )


def _first(resource: Resource, own: str) -> tuple[Path, str] | None:
    if resource.type in _ONLY_KEPT or not resource.type.startswith("AWS::"):
        return None
    properties = resource.body.get("Properties")
    with_own: set[Path] = set()
    found: list[tuple[Path, str]] = []
    for here, key, value in entries_within(properties, ("Properties",)):
        arn = _ARN.match(_text(resource, value) or "")
        if arn is not None and not any(part in _ONLY_TOLD for part in here):
            if arn[1] == own:
                with_own.add(here)
            elif key not in _ONLY_TOLD:
                found.append(((*here, key), arn[1]))
    # Beside an ARN of its own partition another one is for other places.
    return next((one for one in found if one[0][:-1] not in with_own), None)


def _text(resource: Resource, value: Any) -> str | None:
    """The text as written, or what a parameter or a mapping certainly gives."""
    if isinstance(value, str):
        return value
    return resource.template.text(value) if function_name(value) in _GIVEN else None


_POLICY = """\
# region: us-gov-west-1
Resources:
  Nodes:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: checkpoints
      Roles: [nodes]
      PolicyDocument:
        Version: "2012-10-17"
        Statement:
          - {Effect: Allow, Action: s3:GetObject, Resource: "arn:%s:s3:::example-bucket/*"}
"""

RULE = TemplateRule(
    id="TRN865",
    title="ARNs name the partition of the template's Region",
    severity=Severity.ERROR,
    why="Nothing is shared between partitions: a policy with `arn:aws:` allows nothing in "
    "GovCloud or China, and a managed policy or a topic of that name does not exist there.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html",
    good=_POLICY % "aws-us-gov",
    bad=_POLICY % "aws",
    check=_check,
)
