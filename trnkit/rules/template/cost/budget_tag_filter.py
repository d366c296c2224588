"""TRN452: a budget's tag filter is well-formed, and the nodes carry the tag."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import BudgetResource, budgets
from trnkit.rules.reading.budget_tags import TAG_SHAPE, counted_tags
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.reading.node_tags import instance_tags, written_tags
from trnkit.rules.reading.template_value import function_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_WITHOUT_SIGN = re.compile(r"(user|aws):[^$]*[^$]\$\{[^!}][^}]*\}")
"""A pattern of `Fn::Sub` that ends in a variable, with no sign but the variable's own."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        for entry in found.budget["CostFilters"]["TagKeyValue"].entries() or ():
            text = entry.text()
            if text is not None and TAG_SHAPE.fullmatch(text) is None:
                yield _malformed(found, entry, text)
            elif text is None:
                yield from _swallowed(found, entry)
    counted = counted_tags(stack_set)
    if counted:
        yield from _uncounted(stack_set, counted)


def _swallowed(found: BudgetResource, entry: TemplateValue) -> Iterator[Violation]:
    """`Fn::Sub` takes the dollar sign of a variable for itself; a second one would stay."""
    function, arguments = function_of(entry.raw)
    pattern = arguments[0] if function == "Fn::Sub" and arguments else None
    if isinstance(pattern, str) and _WITHOUT_SIGN.fullmatch(pattern):
        yield Violation(
            message=f"{found.name}: the tag filter {pattern} has no dollar sign between key and "
            "value when Fn::Sub has put in the value",
            hint="write a second one: " + pattern.replace("${", "$${"),
            resource=found.resource,
            path=entry.path,
            severity=Severity.WARNING,
        )


def _malformed(found: BudgetResource, entry: TemplateValue, text: str) -> Violation:
    key, _, value = re.sub("^(user|aws):", "", text).replace("=", "$", 1).partition("$")
    return Violation(
        message=f"{found.name}: the tag filter {text} matches nothing; "
        "it must be like user:key$value",
        hint=f"write user:{key or 'key'}${value or 'value'}",
        resource=found.resource,
        path=entry.path,
    )


def _uncounted(stack_set: StackSet, counted: frozenset[tuple[str, str]]) -> Iterator[Violation]:
    """Nodes that none of the budgets counts. Each may count another cluster's nodes."""
    tags = " or ".join(sorted(f"{key}={value}" for key, value in counted)[:3])
    for template in accelerated_templates(stack_set):
        carried = instance_tags(template, stack_set)
        # A group hands on the tags of its stack, which only whoever deploys it knows.
        of_stack = carried is None
        if of_stack:
            carried = written_tags(template, stack_set)
        if carried is not None and not counted & set(carried.items()):
            name = template.resource.logical_id
            unless = ", unless the stack is deployed with it" if of_stack else ""
            yield Violation(
                message=f"{name}: no budget counts its instances: they do not carry {tags}{unless}",
                hint="add the tag to TagSpecifications for instance and volume",
                resource=template.resource,
                path=(*template.data.path, "TagSpecifications"),
                severity=Severity.INFO if of_stack else Severity.WARNING,
            )


_BUDGET = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      NotificationsWithSubscribers: []
      Budget:
        BudgetType: COST
        TimeUnit: MONTHLY
        BudgetLimit: {Amount: 100, Unit: USD}
        CostFilters: {TagKeyValue: ["user:team$ml"]}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        TagSpecifications:
          - ResourceType: instance
            Tags: [{Key: %s, Value: ml}]
"""

RULE = TemplateRule(
    id="TRN452",
    title="a budget's tag filter is well-formed and its nodes carry the tag",
    severity=Severity.ERROR,
    why="A filter in another format, or on a tag that instances do not carry, counts nothing: the "
    "budget stays at zero without a word.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html",
    good=_BUDGET % "team",
    bad=_BUDGET % "Name",
    check=_check,
)
