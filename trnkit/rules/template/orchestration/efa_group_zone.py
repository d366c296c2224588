"""TRN558: the nodes of an EKS group with EFA are in one zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.capacity_resources import capacity_of
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.reading.subnet_zones import several_zones
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in managed_groups(stack_set):
        fleet, listed = group.fleet, group.properties["Subnets"]
        if fleet is None:
            continue
        block = group.properties["CapacityType"].text() == "CAPACITY_BLOCK"
        zones = several_zones(fleet.subnets or ())
        if not zones or not (block or _meets_by_efa(fleet)):
            continue
        reason = "a Capacity Block is in one" if block else "EFA does not cross zones"
        yield Violation(
            message=f"{group.resource.logical_id}: starts nodes in {len(zones)} zones (subnets "
            f"{alternatives([those[0] for those in zones.values()], 'and')}), and {reason}",
            hint="name one subnet, in the zone of the capacity",
            resource=group.resource,
            path=listed.path,
        )


def _meets_by_efa(fleet: Fleet) -> bool:
    """Whether nodes talk by EFA, and nothing else says already that they are in one zone."""
    template = fleet.launch_template
    placement = template.data["Placement"]
    is_placed = not (placement["GroupName"].is_absent and placement["GroupId"].is_absent)
    has_efa = any(interface.is_efa for interface in template.interfaces or ())
    is_alone = properties_of(fleet.resource)["ScalingConfig"]["MaxSize"].integer() == 1
    # A cluster placement group is the subject of TRN154.
    return has_efa and not is_alone and not is_placed and not capacity_of(template).is_block


_HEAD = """\
Resources:
  One:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24, AvailabilityZone: us-west-2a}
  Two:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.1.0/24, AvailabilityZone: us-west-2b}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.3xlarge
        NetworkInterfaces: [{DeviceIndex: 0, InterfaceType: efa, Groups: [sg-1]}]
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      AmiType: AL2023_x86_64_NEURON
      LaunchTemplate: {Id: {Ref: Nodes}, Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}}
"""

RULE = TemplateRule(
    id="TRN558",
    title="the nodes of an EKS group with EFA are in one zone",
    severity=Severity.WARNING,
    why="EKS balances nodes over the zones of its subnets. A job whose nodes are in two of them "
    "has no EFA between the halves; a Capacity Block starts nothing in the other zone.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    good=_HEAD + "      Subnets: [{Ref: One}]\n",
    bad=_HEAD + "      Subnets: [{Ref: One}, {Ref: Two}]\n",
    check=_check,
)
