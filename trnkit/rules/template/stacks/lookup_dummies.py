"""TRN852: nothing in a template is what the CDK puts in for a lookup that did not take place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_walk import entries_within
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path
    from trnkit.rules.stack_set import Resource, StackSet

_DUMMY = re.compile(
    r"dummy1[a-c]|dummy-value-for-.*|vpc-12345|[ps]-(12345|67890)|rtb-(12345|57890|67890)[ps]"
    r"|ami-1234|sg-12345"
)
"""None of them is an id: ids have 8 or 17 digits."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources():
        found = _first(resource)
        if found is not None:
            path, text = found
            yield Violation(
                message=f"{resource.logical_id}: has {text}, which the CDK writes where a lookup "
                "has no answer yet",
                hint="give the stack an account and a Region and commit cdk.context.json, or write "
                "the id itself",
                resource=resource,
                path=path,
            )


def _first(resource: Resource) -> tuple[Path, str] | None:
    for here, key, value in entries_within(resource.body.get("Properties"), ("Properties",)):
        if isinstance(value, str) and _DUMMY.fullmatch(value):
            return (*here, key), value
    return None


_TEMPLATE = """\
Resources:
  Compute:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24, AvailabilityZone: %s}
"""

RULE = TemplateRule(
    id="TRN852",
    title="no lookup of the CDK was left without an answer",
    severity=Severity.ERROR,
    why="Synthesis without an account, or without the answers in cdk.context.json, goes on with "
    "made-up ids and zones; EC2 knows none of them.",
    source="https://docs.aws.amazon.com/cdk/v2/guide/context.html",
    good=_TEMPLATE % "us-east-2a",
    bad=_TEMPLATE % "dummy1a",
    check=_check,
)
