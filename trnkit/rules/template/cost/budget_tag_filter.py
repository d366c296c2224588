"""TRN452: a budget's tag filter is well-formed, and the nodes carry the tag."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import BudgetResource, budgets
from trnkit.rules.reading.fleets import accelerated_templates, fleets_of
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_SHAPE = re.compile(r"(user|aws):([^$]+)\$(.*)", re.DOTALL)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    counted: set[tuple[str, str]] = set()
    is_everything_counted = False
    for found in budgets(stack_set):
        entries = found.budget["CostFilters"]["TagKeyValue"].entries() or ()
        texts = [(entry, entry.text()) for entry in entries]
        for entry, text in texts:
            if text is not None and _SHAPE.fullmatch(text) is None:
                yield _malformed(found, entry, text)
        shapes = [_SHAPE.fullmatch(text) for _, text in texts if text is not None]
        own = [shape for shape in shapes if shape and shape[1] == "user"]
        counted |= {(shape[2], shape[3]) for shape in own}
        # Tags that AWS sets itself are in no template.
        is_everything_counted |= not entries or len(own) < len(entries)
    if counted and not is_everything_counted:
        yield from _uncounted(stack_set, counted)


def _malformed(found: BudgetResource, entry: TemplateValue, text: str) -> Violation:
    key, _, value = re.sub("^(user|aws):", "", text).replace("=", "$", 1).partition("$")
    return Violation(
        message=f"{found.name}: the tag filter {text} matches nothing; "
        "it must be like user:key$value",
        hint=f"write user:{key or 'key'}${value or 'value'}",
        resource=found.resource,
        path=entry.path,
    )


def _uncounted(stack_set: StackSet, counted: set[tuple[str, str]]) -> Iterator[Violation]:
    """Nodes that none of the budgets counts. Each may count another cluster's nodes."""
    tags = " or ".join(sorted(f"{key}={value}" for key, value in counted)[:3])
    for template in accelerated_templates(stack_set):
        carried = _instance_tags(template, stack_set)
        if carried is not None and not counted & set(carried.items()):
            name = template.resource.logical_id
            yield Violation(
                message=f"{name}: no budget counts its instances: they do not carry {tags}",
                hint="add the tag to TagSpecifications for instance and volume",
                resource=template.resource,
                path=(*template.data.path, "TagSpecifications"),
                severity=Severity.WARNING,
            )


def _instance_tags(template: LaunchTemplate, stack_set: StackSet) -> dict[str, str] | None:
    """Tags of the instances a template starts, its groups' propagated ones too; None: not known."""
    lists = [
        specification["Tags"].entries()
        for specification in template.data["TagSpecifications"].entries() or ()
        if specification["ResourceType"].text() in (None, "instance")
    ]
    if not lists:
        return None
    for fleet in fleets_of(template, stack_set):
        own = properties_of(fleet.resource)["Tags"]
        lists.append(() if own.mapping() is not None else own.entries())
    carried: dict[str, str] = {}
    for tags in lists:
        for tag in tags or ():
            if tag["PropagateAtLaunch"].boolean() is False:
                continue
            key, value = tag["Key"].text(), tag["Value"].text()
            if key is None or value is None:
                return None
            carried[key] = value
    return None if None in lists else carried


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
