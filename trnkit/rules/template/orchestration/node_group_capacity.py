"""TRN560: the capacity type of a managed node group and its launch template agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import capacity_block_facts
from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import capacity_of
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.eks_groups import EksGroup
    from trnkit.rules.stack_set import StackSet

_BLOCK, _MARKET = "CAPACITY_BLOCK", "capacity-block"
_OTHERS = ("ON_DEMAND", "OnDemand", "SPOT")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in managed_groups(stack_set):
        if group.properties["CapacityType"].text() == _BLOCK:
            yield from _of_block(group)
        else:
            yield from _without_block(group)


def _of_block(group: EksGroup) -> Iterator[Violation]:
    kind, named = group.properties["CapacityType"], group.properties["LaunchTemplate"]
    name = group.resource.logical_id
    if named.is_absent:
        yield Violation(
            message=f"{name}: has CapacityType {_BLOCK} and no launch template, which names the "
            "block",
            hint="add a launch template with InstanceType, InstanceMarketOptions and "
            "CapacityReservationSpecification",
            resource=group.resource,
            path=kind.path,
        )
    template = group.template
    if template is None:
        return
    resource, capacity = template.resource, capacity_of(template)
    if template.data["InstanceType"].is_absent:
        yield Violation(
            message=f"{resource.logical_id}: names no InstanceType, which EKS wants there for "
            f"the Capacity Block of {name}",
            hint="write InstanceType into the launch template, not into the node group",
            resource=resource,
            path=template.data.path,
        )
    market = capacity.market_type.text()
    if market is not None and market != _MARKET:
        yield Violation(
            message=f"{resource.logical_id}: has the market type {market}, but {name} has "
            f"CapacityType {_BLOCK}",
            hint=f"set MarketType to {_MARKET}",
            resource=resource,
            path=capacity.market_type.path,
        )
    # With the market type, the missing target is the subject of TRN260.
    if capacity.market_type.is_absent and capacity.names_a_target is False:
        yield Violation(
            message=f"{resource.logical_id}: names no reservation, but {name} starts it in a "
            "Capacity Block",
            hint="set CapacityReservationTarget to the block's reservation",
            resource=resource,
            path=(*template.data.path, "CapacityReservationSpecification"),
        )
    # A resource group may hold several blocks.
    if not capacity.target["CapacityReservationId"].is_absent:
        yield from _sizes(group)


def _sizes(group: EksGroup) -> Iterator[Violation]:
    facts = capacity_block_facts()
    for key in ("MinSize", "DesiredSize"):
        size = group.properties["ScalingConfig"][key]
        number = size.integer()
        if number is not None and number > facts.maximum_instances:
            yield Violation(
                message=f"{group.resource.logical_id}: {key} is {number}; a Capacity Block has at "
                f"most {facts.maximum_instances} instances",
                hint="write the size of the block",
                resource=group.resource,
                path=size.path,
                evidence=f"catalogue, Capacity Blocks ({facts.date})",
            )


def _without_block(group: EksGroup) -> Iterator[Violation]:
    kind, template = group.properties["CapacityType"], group.template
    if template is None or not (kind.is_absent or kind.text() in _OTHERS):
        return
    resource, capacity = template.resource, capacity_of(template)
    market = capacity.market_type.text()
    has = f"has CapacityType {kind.text()}" if kind.text() else "has no CapacityType"
    if market == _MARKET:
        yield Violation(
            message=f"{group.resource.logical_id}: {has}, and its launch template "
            f"{resource.logical_id} has the market type {market}",
            hint=f"write CapacityType: {_BLOCK}",
            resource=group.resource,
            path=kind.path,
        )
    elif market == "spot":
        yield Violation(
            message=f"{resource.logical_id}: has the market type spot, which EKS refuses in the "
            f"launch template of a managed node group ({group.resource.logical_id})",
            hint="remove InstanceMarketOptions, and write CapacityType: SPOT into the node group",
            resource=resource,
            path=capacity.market_type.path,
        )
    elif kind.text() == "SPOT" and capacity.names_a_target:
        yield Violation(
            message=f"{group.resource.logical_id}: has CapacityType SPOT, and its launch template "
            f"{resource.logical_id} targets a reservation, which Spot instances do not use",
            hint="write CapacityType: ON_DEMAND, or remove the target",
            resource=group.resource,
            path=kind.path,
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
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-1]
      AmiType: AL2023_x86_64_NEURON
      LaunchTemplate: {Id: {Ref: Nodes}, Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}}
      CapacityType: """

RULE = TemplateRule(
    id="TRN560",
    title="the capacity type of a managed node group and its launch template agree",
    severity=Severity.ERROR,
    why="EKS refuses a Capacity Block of which the node group or the launch template says only a "
    "part, and every other market type in a launch template.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html",
    good=f"{_HEAD}CAPACITY_BLOCK\n",
    bad=f"{_HEAD}ON_DEMAND\n",
    check=_check,
)
