"""TRN581: a node group of AWS PCS and its launch template agree on a Capacity Block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import capacity_block_facts
from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import capacity_of
from trnkit.rules.reading.pcs_resources import pcs_node_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.reading.pcs_resources import PcsNodeGroup
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_BLOCK = "CAPACITY_BLOCK"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in pcs_node_groups(stack_set):
        option = group.properties["PurchaseOption"]
        is_block = option.text() == _BLOCK
        if group.launch_template is not None:
            yield from _judge(group, group.launch_template, option)
        elif is_block and group.properties["CustomLaunchTemplate"].is_absent:
            text = f"has the PurchaseOption {_BLOCK} and no launch template that names a block"
            yield _violation(option, text, "set CustomLaunchTemplate")
        if is_block:
            yield from _too_many(group.properties["ScalingConfiguration"]["MaxInstanceCount"])


def _judge(
    group: PcsNodeGroup, template: LaunchTemplate, option: TemplateValue
) -> Iterator[Violation]:
    market, name = capacity_of(template).market_type, template.resource.logical_id
    if market.text() == "capacity-block" and (option.is_absent or option.text()):
        if option.text() != _BLOCK:
            has = "no PurchaseOption" if option.is_absent else f"PurchaseOption {option.text()}"
            text = f"has {has}, and {name} the market type capacity-block"
            yield _violation(option, text, f"set PurchaseOption to {_BLOCK}")
    elif option.text() == _BLOCK and (market.is_absent or market.text()):
        has = "no market type" if market.is_absent else f"the market type {market.text()}"
        text = f"has PurchaseOption {_BLOCK}, and {name} {has}"
        hint = f"set InstanceMarketOptions.MarketType of {name} to capacity-block"
        yield _violation(option, text, hint)
    if option.text() != _BLOCK:
        return
    own = template.data["InstanceType"]
    if own.is_absent:
        text = f"has PurchaseOption {_BLOCK}, and {name} no InstanceType"
        hint = f"write the block's type into {name}"
        yield _violation(option, text, hint, Severity.WARNING)
    for config in group.properties["InstanceConfigs"].entries() or ():
        kind = config["InstanceType"]
        if own.text() and kind.text() and kind.text() != own.text():
            text = f"starts {kind.text()}, and {name} names the block's type {own.text()}"
            yield _violation(kind, text, "write one type in both")


def _too_many(most: TemplateValue) -> Iterator[Violation]:
    number, facts = most.integer(), capacity_block_facts()
    if number is not None and number > facts.maximum_instances:
        yield Violation(
            message=f"{most.resource.logical_id}: MaxInstanceCount is {number}; a Capacity Block "
            f"has at most {facts.maximum_instances} instances",
            hint="write the size of the block",
            resource=most.resource,
            path=most.path,
            evidence=f"catalogue, Capacity Blocks ({facts.date})",
        )


def _violation(
    value: TemplateValue, text: str, hint: str, severity: Severity | None = None
) -> Violation:
    return Violation(
        message=f"{value.resource.logical_id}: {text}",
        hint=hint,
        resource=value.resource,
        path=value.path,
        severity=severity,
    )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        InstanceMarketOptions: {MarketType: capacity-block}
        CapacityReservationSpecification:
          CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: pcs_0123456789
      IamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/AWSPCS-nodes
      InstanceConfigs: [{InstanceType: trn2.48xlarge}]
      ScalingConfiguration: {MinInstanceCount: 4, MaxInstanceCount: 4}
      SubnetIds: [subnet-1]
      CustomLaunchTemplate:
        TemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
"""

RULE = TemplateRule(
    id="TRN581",
    title="a node group of AWS PCS and its launch template agree on a Capacity Block",
    severity=Severity.ERROR,
    why="AWS PCS starts nodes in a block when PurchaseOption and market type both say so, and the "
    "template names the block and its type.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-configure-cng.html",
    good=_HEAD + "      PurchaseOption: CAPACITY_BLOCK\n",
    bad=_HEAD,
    check=_check,
)
