"""TRN285: Spot options are for Spot instances, and are ones that EC2 takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trnkit.catalog import spot_facts
from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import capacity_of
from trnkit.rules.reading.fleets import AUTO_SCALING_GROUP, fleets
from trnkit.rules.reading.launch_templates import LAUNCH_TEMPLATE, read_launch_template
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(LAUNCH_TEMPLATE):
        template = read_launch_template(resource)
        market = template.data["InstanceMarketOptions"]
        options = market["SpotOptions"]
        if options.mapping():
            yield from _judge(market["MarketType"], options)
    yield from _started_by_groups(stack_set)


def _judge(market: TemplateValue, options: TemplateValue) -> Iterator[Violation]:
    if market.is_absent or market.text() not in (None, "spot"):
        is_what = "no market type" if market.is_absent else f"the market type {market.text()}"
        text = f"has SpotOptions and {is_what}"
        yield _violation(options, text, "set MarketType to spot, or remove SpotOptions")
    yield from _price(options["MaxPrice"])
    kind = options["SpotInstanceType"]
    if kind.is_absent or kind.text() == "one-time":
        behavior, until = options["InstanceInterruptionBehavior"], options["ValidUntil"]
        if behavior.text() in ("stop", "hibernate"):
            text = f"has the interruption behavior {behavior.text()} of persistent requests, and "
            yield _violation(
                behavior, f"{text}asks for one-time ones", "write terminate, or leave it out"
            )
        if until.text() is not None:
            text = "has a ValidUntil, which is for persistent requests"
            yield _violation(until, text, "remove ValidUntil")


def _price(price: TemplateValue) -> Iterator[Violation]:
    text, facts = price.text(), spot_facts()
    if text is None:
        return
    least = facts.smallest_maximum_price_usd
    try:
        usd = float(text)
    except ValueError:
        usd = math.nan
    if not math.isfinite(usd) or usd < least:
        yield _violation(
            price,
            f"has the Spot price {text!r}; EC2 takes US dollars an hour, at least {least}",
            "write a number, or leave MaxPrice out to pay the current price",
        )


def _started_by_groups(stack_set: StackSet) -> Iterator[Violation]:
    """What Auto Scaling does not take of a template that asks for Spot itself."""
    allowed = spot_facts().auto_scaling_interruption_behaviors
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        if fleet.resource.type != AUTO_SCALING_GROUP:
            continue
        group, market = fleet.resource.logical_id, capacity_of(template).market_type
        mixed = properties_of(fleet.resource)["MixedInstancesPolicy"]
        if market.text() == "spot" and mixed.mapping() is not None:
            yield _violation(
                market,
                f"asks for Spot itself, and {group} starts it by a MixedInstancesPolicy",
                "remove InstanceMarketOptions; the policy's InstancesDistribution asks for Spot",
            )
        options = template.data["InstanceMarketOptions"]["SpotOptions"]
        behavior = options["InstanceInterruptionBehavior"]
        one_time = options["SpotInstanceType"].text() in (None, "one-time")
        if behavior.text() not in (None, *allowed) and not one_time:
            yield _violation(
                behavior,
                f"has the interruption behavior {behavior.text()}, and {group}, an Auto Scaling "
                f"group, starts it; there it is {' or '.join(allowed)}",
                "leave InstanceInterruptionBehavior and SpotInstanceType out",
            )


def _violation(value: TemplateValue, text: str, hint: str) -> Violation:
    return Violation(
        message=f"{value.resource.logical_id}: {text}",
        hint=hint,
        resource=value.resource,
        path=value.path,
    )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.32xlarge
        InstanceMarketOptions:
          SpotOptions: {MaxPrice: "8.5"}
"""

RULE = TemplateRule(
    id="TRN285",
    title="Spot options are for Spot instances, and are ones that EC2 takes",
    severity=Severity.ERROR,
    why="EC2 accepts the launch template and refuses every launch.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateSpotMarketOptionsRequest.html",
    good=_HEAD + "          MarketType: spot\n",
    bad=_HEAD,
    check=_check,
)
