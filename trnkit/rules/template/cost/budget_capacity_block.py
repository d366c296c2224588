"""TRN469: a budget over a tag does not see the fee of a Capacity Block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import BudgetResource, budgets
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    found = list(budgets(stack_set))
    if not found or not all(_counts_a_tag_only(budget) for budget in found):
        return
    for template in launch_templates(stack_set):
        market = template.data["InstanceMarketOptions"]["MarketType"]
        if market.text() == "capacity-block":
            yield Violation(
                message=f"{template.resource.logical_id}: starts instances of a Capacity Block, "
                f"whose fee the budget {found[0].name} may not count: it filters on a tag",
                hint="tag the reservation when you buy it, or add a budget over the account",
                resource=template.resource,
                path=market.path,
                evidence="the fee is billed on the reservation, at purchase; its instances cost 0",
            )


def _counts_a_tag_only(found: BudgetResource) -> bool:
    """Whether it certainly filters on tags, and so misses what carries none."""
    return bool(found.budget["CostFilters"]["TagKeyValue"].entries())


_HEAD = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget:
        BudgetType: COST
        TimeUnit: MONTHLY
        BudgetLimit: {Amount: 100, Unit: USD}
        CostFilters: {TagKeyValue: ["user:team$ml"]}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        InstanceMarketOptions: {MarketType: %s}
        TagSpecifications:
          - {ResourceType: instance, Tags: [{Key: team, Value: ml}]}
"""

RULE = TemplateRule(
    id="TRN469",
    title="some budget counts the fee of a Capacity Block",
    severity=Severity.WARNING,
    why="The fee of a Capacity Block is paid up front, for the reservation; a budget over the tag "
    "of the instances stays near zero while the money is spent.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good=_HEAD % "spot",
    bad=_HEAD % "capacity-block",
    check=_check,
)
