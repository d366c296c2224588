"""TRN260: a Capacity Block has its market type and its target, a reservation only the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import capacity_of
from trnkit.rules.reading.fleets import accelerated_templates, fleets
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.capacity_resources import Capacity
    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        yield from _judge(template, capacity_of(template))
    for fleet in fleets(stack_set):
        kind = properties_of(fleet.resource)["CapacityType"].text()
        market = capacity_of(fleet.launch_template).market_type
        if kind == "CAPACITY_BLOCK" and market.is_absent:
            template = fleet.launch_template.resource
            yield Violation(
                message=f"{template.logical_id}: names no market type, but "
                f"{fleet.resource.logical_id} starts it in a Capacity Block",
                hint="set InstanceMarketOptions.MarketType to capacity-block",
                resource=template,
                path=market.path[:-1],
            )


def _judge(template: LaunchTemplate, capacity: Capacity) -> Iterator[Violation]:
    name, target = template.resource.logical_id, capacity.names_a_target
    if capacity.is_block and target is False:
        yield Violation(
            message=f"{name}: has the market type capacity-block and names no reservation",
            hint="set CapacityReservationTarget to the block's reservation",
            resource=template.resource,
            path=capacity.market_type.path,
        )
    own = capacity.reservation()
    if own is not None and not capacity.market_type.is_absent:
        market = capacity.market_type.text()
        if market in ("capacity-block", "spot"):
            yield Violation(
                message=f"{name}: has the market type {market} and targets {own.logical_id}, an "
                "On-Demand Capacity Reservation",
                hint="remove InstanceMarketOptions",
                resource=template.resource,
                path=capacity.market_type.path,
            )
    elif target and capacity.market_type.text() == "spot":
        yield Violation(
            message=f"{name}: has the market type spot and targets a reservation",
            hint="remove InstanceMarketOptions, or the target",
            resource=template.resource,
            path=capacity.market_type.path,
        )
    elif target and own is None and capacity.market_type.is_absent:
        yield Violation(
            message=f"{name}: targets a reservation without a market type, which is right for an "
            "On-Demand Capacity Reservation only",
            hint="for a Capacity Block, set InstanceMarketOptions.MarketType to capacity-block",
            resource=template.resource,
            path=capacity.target.path,
            severity=Severity.INFO,
        )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        InstanceMarketOptions: {MarketType: capacity-block}
"""
_TARGET = """\
        CapacityReservationSpecification:
          CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
"""

RULE = TemplateRule(
    id="TRN260",
    title="a Capacity Block has its market type and its target",
    severity=Severity.ERROR,
    why="With the target alone EC2 takes the launch for On-Demand and reports insufficient "
    "capacity while the block is paid for; the market type alone is refused.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html",
    good=_HEAD + _TARGET,
    bad=_HEAD,
    check=_check,
    judges_absence=True,
)
