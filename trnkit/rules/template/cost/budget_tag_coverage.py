"""TRN478: what belongs to counted nodes carries the budget's tag too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.budget_tags import counted_tags
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.reading.node_tags import instance_tags, part_tags, tags_in
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import StackSet

_PARTS = {"volume": "volumes", "network-interface": "network interfaces"}
_COSTLY = {
    "AWS::FSx::FileSystem": "Tags",
    "AWS::EFS::FileSystem": "FileSystemTags",
    "AWS::EC2::NatGateway": "Tags",
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    counted = counted_tags(stack_set)
    if not counted:
        return
    nodes: set[tuple[str, str]] = set()
    for template in accelerated_templates(stack_set):
        own = set((instance_tags(template, stack_set) or {}).items()) & counted
        nodes |= own
        yield from _parts(template, own, stack_set)
    for kind, key in _COSTLY.items() if nodes else ():
        for resource in stack_set.resources(kind):
            tags = tags_in(properties_of(resource)[key])
            if tags is not None and not counted & set(tags.items()):
                yield Violation(
                    message=f"{resource.logical_id}: does not carry {_told(nodes)}, so no budget "
                    "counts it",
                    hint="add the tag, or deploy the whole stack with it",
                    resource=resource,
                    path=("Properties", key),
                    severity=Severity.INFO,
                )


def _parts(
    template: LaunchTemplate, own: set[tuple[str, str]], stack_set: StackSet
) -> Iterator[Violation]:
    for kind, name in _PARTS.items() if own else ():
        tags = part_tags(template, kind, stack_set)
        if tags is not None and not own & set(tags.items()):
            yield Violation(
                message=f"{template.resource.logical_id}: its instances carry {_told(own)}, and "
                f"their {name} do not, so no budget counts them",
                hint=f"add TagSpecifications with the same tag for {kind}",
                resource=template.resource,
                path=(*template.data.path, "TagSpecifications"),
                severity=None if kind == "volume" else Severity.INFO,
            )


def _told(tags: set[tuple[str, str]]) -> str:
    return alternatives(sorted(f"{key}={value}" for key, value in tags))


_BUDGET = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      NotificationsWithSubscribers:
        - Notification: {NotificationType: ACTUAL, ComparisonOperator: GREATER_THAN, Threshold: 80}
          Subscribers: [{SubscriptionType: EMAIL, Address: ml-platform@example.com}]
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
          - {ResourceType: instance, Tags: [{Key: team, Value: ml}]}
          - {ResourceType: network-interface, Tags: [{Key: team, Value: ml}]}
          - {ResourceType: volume, Tags: [{Key: %s, Value: ml}]}
"""

RULE = TemplateRule(
    id="TRN478",
    title="what belongs to counted nodes carries the budget's tag too",
    severity=Severity.WARNING,
    why="Instances hand no tag on to their volumes and network interfaces, and a file system is "
    "billed by itself: a budget over the tag misses what does not carry it.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateTagSpecificationRequest.html",
    good=_BUDGET % "team",
    bad=_BUDGET % "Name",
    check=_check,
)
