"""TRN853: no stack hangs on values that custom resources carry between Regions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_TYPES = {
    "Custom::CrossRegionExportWriter": "writes values into",
    "Custom::CrossRegionExportReader": "reads values of",
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for kind, does in _TYPES.items():
        for resource in stack_set.resources(kind):
            yield Violation(
                message=f"{resource.logical_id}: {does} another Region, by a function that the CDK "
                "adds for crossRegionReferences",
                hint="make each Region complete in itself; pass what both need by name or ARN",
                resource=resource,
                path=("Type",),
            )


_TEMPLATE = """\
Resources:
  Reader:
    Type: %s
    Properties: {ServiceToken: "arn:aws:lambda:us-east-2:111122223333:function:reader"}
"""

RULE = TemplateRule(
    id="TRN853",
    title="no stack hangs on values carried between Regions",
    severity=Severity.WARNING,
    why="The writer refuses to change or remove what a stack elsewhere still reads, so that both "
    "stacks are stuck; and the nodes of one Region need the other to be deployed.",
    source="https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib-readme.html",
    good=_TEMPLATE % "Custom::Reader",
    bad=_TEMPLATE % "Custom::CrossRegionExportReader",
    check=_check,
)
