"""TRN574: the node ranges of a multi-node parallel job are about all of its nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import batch_facts
from trnkit.findings import Severity
from trnkit.rules.judging.wording import count
from trnkit.rules.reading.batch_jobs import JOB_DEFINITION
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_RANGE = re.compile("([0-9]{0,5})(:)?([0-9]{0,5})")
_FARGATE = "FARGATE"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for definition in stack_set.resources(JOB_DEFINITION):
        properties = properties_of(definition)
        nodes, kind = properties["NodeProperties"], properties["Type"].text()
        if kind == "container" and nodes.mapping() is not None:
            yield _violation(nodes, "has NodeProperties and the Type container", "write multinode")
        if kind == "multinode" and nodes.is_absent:
            text = "has the Type multinode and no NodeProperties"
            yield _violation(properties["Type"], text, "add NodeProperties, or write container")
        capabilities = properties["PlatformCapabilities"]
        named = [entry.text() for entry in capabilities.entries() or ()]
        if nodes.mapping() is not None and _FARGATE in named:
            text = "is a multi-node parallel job for Fargate, which runs none"
            yield _violation(capabilities, text, "write EC2, or leave PlatformCapabilities out")
        yield from _judge(nodes)


def _judge(nodes: TemplateValue) -> Iterator[Violation]:
    number, main = nodes["NumNodes"].integer(), nodes["MainNode"].integer()
    if number is not None and number < 1:
        yield _violation(nodes["NumNodes"], f"has {number} nodes", "write how many it has")
        return
    if number is not None and main is not None and not 0 <= main < number:
        text = f"has the main node {main} of {count(number, 'node')}, 0 to {number - 1}"
        yield _violation(nodes["MainNode"], text, "write MainNode 0")
    parts = nodes["NodeRangeProperties"].entries()
    spans: list[tuple[int, int] | None] = []
    for part in parts or ():
        span, fault = _span(part["TargetNodes"].text(), number)
        spans.append(span)
        if fault is not None:
            hint = "write `0:` for all nodes, which fits any NumNodes"
            yield _violation(part["TargetNodes"], fault, hint)
        yield from _types(part["InstanceTypes"])
    known = [span for span in spans if span is not None]
    if number is not None and spans and len(known) == len(spans):
        left_out = _first_gap(known)
        if left_out < number:
            text = f"has {count(number, 'node')}, and no node range is about node {left_out}"
            hint = "make the last range open: `0:`, or `1:` after `0:0`"
            yield _violation(nodes["NodeRangeProperties"], text, hint)
    yield from _differing_types(nodes["NodeRangeProperties"])


def _first_gap(spans: list[tuple[int, int]]) -> int:
    """The first node that no span is about."""
    free = 0
    for first, last in sorted(spans):
        if first > free:
            break
        free = max(free, last + 1)
    return free


def _span(text: str | None, number: int | None) -> tuple[tuple[int, int] | None, str | None]:
    """The nodes of a range, first and last, or what is wrong with it."""
    if text is None or number is None:
        return None, None
    found = _RANGE.fullmatch(text.strip())
    if found is None or not text.strip():
        return None, f"has the node range {text!r}, which is none"
    first = int(found[1] or 0)
    last = int(found[3] or number - 1) if found[2] else first
    if last < first or last >= number or first >= number:
        has = f"{count(number, 'node')}, 0 to {number - 1}"
        return None, f"has the node range {text}, and {has}"
    return (first, last), None


def _types(types: TemplateValue) -> Iterator[Violation]:
    named, facts = types.entries() or (), batch_facts()
    most = facts.maximum_instance_types_per_node_range
    if len([entry for entry in named if not entry.is_unknown]) > most:
        text = f"names {len(named)} instance types for one node range; AWS Batch takes {most}"
        yield _violation(types, text, "leave one", f"catalogue, AWS Batch ({facts.date})")


def _differing_types(ranges: TemplateValue) -> Iterator[Violation]:
    values = [part["Container"]["InstanceType"] for part in ranges.entries() or ()]
    named = {value.text(): value for value in values if value.text() is not None}
    if len(named) > 1:
        one, other = list(named)[:2]
        text = f"has nodes of {one} and of {other}; all nodes of a job are of one type"
        yield _violation(named[other], text, f"write {one}")


def _violation(
    value: TemplateValue, text: str, hint: str, evidence: str | None = None
) -> Violation:
    return Violation(
        message=f"{value.resource.logical_id}: {text}",
        hint=hint,
        resource=value.resource,
        path=value.path,
        evidence=evidence,
    )


_HEAD = """\
Resources:
  Training:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NumNodes: 4
        MainNode: 0
        NodeRangeProperties:
          - {TargetNodes: "0:%s", Container: {Image: example, Vcpus: 8, Memory: 1024}}
"""

RULE = TemplateRule(
    id="TRN574",
    title="the node ranges of a multi-node parallel job are about all of its nodes",
    severity=Severity.ERROR,
    why="AWS Batch refuses a job definition whose ranges leave nodes out or go beyond them, whose "
    "main node is not among them, or whose nodes are of several types.",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_NodeProperties.html",
    good=_HEAD % 3,
    bad=_HEAD % 1,
    check=_check,
)
