"""TRN557: the control plane of an EKS cluster is in two zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.eks_groups import CLUSTER
from trnkit.rules.reading.subnet_zones import SUBNET, subnet_named, zone_of
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(CLUSTER):
        properties = properties_of(resource)
        listed = properties["ResourcesVpcConfig"]["SubnetIds"]
        if not properties["OutpostConfig"].is_absent:
            continue  # The control plane of an Outpost is where the Outpost is.
        fault = _fault(listed.entries())
        if fault is not None:
            yield Violation(
                message=f"{resource.logical_id}: {fault}; EKS needs subnets in at least two zones",
                hint="add a subnet in another zone for the control plane; the node group may stay "
                "in one",
                resource=resource,
                path=listed.path,
            )


def _fault(subnets: tuple[TemplateValue, ...] | None) -> str | None:
    """What is certainly wrong with a list of subnets; None when nothing is, or it is not known."""
    if not subnets:
        return None
    named = {subnet_named(value) for value in subnets}
    resources = [found for value in subnets if (found := value.referred(SUBNET)) is not None]
    names = [found.logical_id for found in resources]
    if None not in named and len(named) == 1:
        return f"names one subnet for the control plane, {(*names, subnets[0].text())[0]}"
    zones = {zone_of(found) for found in resources}
    if len(resources) < len(subnets) or len(zones) != 1 or None in next(iter(zones)):
        return None
    return f"names {alternatives(names, 'and')} for the control plane, all in one zone"


_HEAD = """\
Resources:
  One:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24, AvailabilityZone: us-west-2a}
  Two:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.1.0/24, AvailabilityZone: us-west-2b}
  Cluster:
    Type: AWS::EKS::Cluster
    Properties:
      RoleArn: arn:aws:iam::111122223333:role/cluster
"""

RULE = TemplateRule(
    id="TRN557",
    title="the control plane of an EKS cluster is in two zones",
    severity=Severity.ERROR,
    why="Trainium capacity is in one zone, and whoever gives that zone's subnet to the cluster too "
    "is refused. The two lists of subnets are different things.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    good=_HEAD + "      ResourcesVpcConfig: {SubnetIds: [{Ref: One}, {Ref: Two}]}\n",
    bad=_HEAD + "      ResourcesVpcConfig: {SubnetIds: [{Ref: One}]}\n",
    check=_check,
)
