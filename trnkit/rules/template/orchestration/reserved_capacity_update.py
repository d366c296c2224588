"""TRN562: an update of nodes in reserved capacity needs no further nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import capacity_of
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in managed_groups(stack_set):
        strategy = group.properties["UpdateConfig"]["UpdateStrategy"]
        is_default = strategy.is_absent or strategy.text() == "DEFAULT"
        template = group.template if is_default else None
        if (
            template is not None
            and template.is_accelerated
            and capacity_of(template).names_a_target
        ):
            yield Violation(
                message=f"{group.resource.logical_id}: starts new nodes before it ends old ones "
                "in an update, and its capacity is a reservation",
                hint="set UpdateConfig.UpdateStrategy to MINIMAL, or keep a slot of the "
                "reservation free",
                resource=group.resource,
                path=strategy.path,
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
      CapacityType: CAPACITY_BLOCK
      LaunchTemplate: {Id: {Ref: Nodes}, Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}}
"""

RULE = TemplateRule(
    id="TRN562",
    title="an update of nodes in reserved capacity needs no further nodes",
    severity=Severity.INFO,
    why="With the default strategy EKS first adds nodes. A reservation that is in use as a whole "
    "has none, and the update waits until it fails.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html",
    good=_HEAD + "      UpdateConfig: {MaxUnavailable: 1, UpdateStrategy: MINIMAL}\n",
    bad=_HEAD,
    check=_check,
)
