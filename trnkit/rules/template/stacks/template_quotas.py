"""TRN850: a template has no more resources and bytes than CloudFormation takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import template_limits
from trnkit.findings import Severity
from trnkit.rules.reading.template_walk import written_size
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet, Template

_NEARLY_FULL = 0.8


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in stack_set.templates:
        yield from _resources(template)
        yield from _size(template)


def _resources(template: Template) -> Iterator[Violation]:
    limits = template_limits()
    most, resources = limits.resources, list(template.resources.values())
    if len(resources) <= most * _NEARLY_FULL:
        return
    beyond = len(resources) > most
    last = resources[most if beyond else -1]
    yield Violation(
        message=f"{last.logical_id}: is {'beyond what fits' if beyond else 'the last'} of "
        f"{len(resources)} resources; a template has {most} at the most",
        hint="make stacks by how long things live: network, storage, compute",
        resource=last,
        path=("Type",),
        severity=None if beyond else Severity.WARNING,
        evidence=f"catalogue, limits of a template ({limits.date})",
    )


def _size(template: Template) -> Iterator[Violation]:
    limits = template_limits()
    most = limits.bytes
    compact, terse = written_size(template.body, 2 * most)
    if not template.resources or compact <= most * _NEARLY_FULL:
        return
    # YAML can do without quotes and braces, JSON cannot.
    least = compact if template.path.endswith(".json") else terse
    beyond = least > most
    sizes = {name: written_size(r.body, most)[0] for name, r in template.resources.items()}
    name = max(sizes, key=lambda name: sizes[name])
    told = f"at least {least}" if beyond else f"about {compact}"
    yield Violation(
        message=f"{name}: is with {sizes[name]} bytes the largest resource of a template of "
        f"{told}; CloudFormation takes {most}",
        hint="put scripts into S3, or make several stacks",
        resource=template.resources[name],
        path=("Properties",),
        severity=None if beyond else Severity.WARNING,
        evidence=f"catalogue, limits of a template ({limits.date})",
    )


_HANDLE = "AWS::CloudFormation::WaitConditionHandle"


def _template(number: int) -> str:
    rows = [
        ", ".join(f"W{n}: *w" for n in range(first, min(first + 9, number)))
        for first in range(1, number, 9)
    ]
    return f"Resources: {{\n  W0: &w {{Type: {_HANDLE}}},\n  " + ",\n  ".join(rows) + "\n}\n"


RULE = TemplateRule(
    id="TRN850",
    title="a template has no more resources and bytes than CloudFormation takes",
    severity=Severity.ERROR,
    why="CloudFormation refuses the whole template. A stack that is split when it is full moves "
    "its resources, and those with data are made anew, empty.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html",
    good=_template(4),
    bad=_template(501),
    check=_check,
)
