"""TRN851: what a stack imports can be there before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.stack_imports import StackImport, stack_imports
from trnkit.rules.reading.template_region import region_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet, Template


def _check(stack_set: StackSet) -> Iterator[Violation]:
    imports = stack_imports(stack_set)
    yield from _circles([found for found in imports if len(found.sources) == 1])
    for found in imports:
        if found.is_export:
            yield from _elsewhere(found, stack_set)


def _circles(imports: list[StackImport]) -> Iterator[Violation]:
    sources: dict[Template, set[Template]] = {}
    for found in imports:
        sources.setdefault(found.resource.template, set()).add(found.sources[0])
    told: set[tuple[Template, Template]] = set()
    for found in imports:
        here, there = found.resource.template, found.sources[0]
        if (here, there) in told or not _reaches(there, here, sources):
            continue
        told.add((here, there))
        itself = here is there
        other = "its own stack" if itself else f"{there.name}, which imports from its stack"
        yield Violation(
            message=f"{found.resource.logical_id}: imports {found.name} from {other}, so that "
            "neither can be made first",
            hint="use Ref or Fn::GetAtt"
            if itself
            else "let one of the two make what both need, or pass a value as a parameter",
            resource=found.resource,
            path=found.path,
        )


def _reaches(start: Template, end: Template, sources: dict[Template, set[Template]]) -> bool:
    """Whether a stack is another one, or imports from it, by others too."""
    waiting, seen = [start], {start}
    while waiting:
        here = waiting.pop()
        if here is end:
            return True
        further = sources.get(here, set()) - seen
        seen |= further
        waiting += further
    return False


def _elsewhere(found: StackImport, stack_set: StackSet) -> Iterator[Violation]:
    """Only a warning: a stack that is not of the set may export the same name."""
    here = region_of(found.resource.template, stack_set)
    there = {region_of(source, stack_set) for source in found.sources}
    known = sorted(region for region in there if region is not None)
    if here is None or not known or None in there or here in there:
        return
    yield Violation(
        message=f"{found.resource.logical_id}: imports {found.name} in {here}, and it is a stack "
        f"in {alternatives(known)} that exports it",
        hint="pass the value as a parameter, or make each Region complete in itself",
        resource=found.resource,
        path=found.path,
        severity=Severity.WARNING,
        evidence="exports are of one account in one Region",
    )


_TEMPLATE = """\
Resources:
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties: {GroupDescription: nodes, VpcId: vpc-1}
  In:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: {Ref: Group}
      IpProtocol: "-1"
      SourceSecurityGroupId: %s
Outputs:
  Group: {Value: {Fn::GetAtt: [Group, GroupId]}, Export: {Name: nodes-group}}
"""

RULE = TemplateRule(
    id="TRN851",
    title="what a stack imports can be there before it",
    severity=Severity.ERROR,
    why="Two stacks that import from each other, or a stack from itself, are never made: `No "
    "export named`. CloudFormation finds exports of its own Region only.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "intrinsic-function-reference-importvalue.html",
    good=_TEMPLATE % "{Ref: Group}",
    bad=_TEMPLATE % "{Fn::ImportValue: nodes-group}",
    check=_check,
)
