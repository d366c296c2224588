"""TRN173: nodes in a VPC without a way out have the endpoints by which their host takes them in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_host_endpoints
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.fleets import BATCH, fleets
from trnkit.rules.reading.subnet_vpcs import vpc_of
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.reading.vpc_endpoints import vpc_endpoints
from trnkit.rules.reading.ways_out import has_way_out
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.stack_set import Resource, StackSet

_HOSTS = {
    "AWS::EKS::Nodegroup": "eks",
    BATCH: "batch",
    "AWS::PCS::ComputeNodeGroup": "slurm",
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    endpoints = list(vpc_endpoints(stack_set))
    # One that is not known could be any of those that seem to be missing.
    if not endpoints or any(e.vpc is None or e.service is None for e in endpoints):
        return
    for fleet in fleets(stack_set):
        host = find_host_endpoints(_host_of(fleet))
        vpc = _vpc_of(fleet)
        if host is None or vpc is None or not fleet.launch_template.is_accelerated:
            continue
        present = {endpoint.stands_for for endpoint in endpoints if endpoint.vpc is vpc}
        missing = [service for service in host.services if service not in present]
        # Without any endpoint here, they may all be in a stack that is not.
        if present and missing and not has_way_out(vpc, stack_set):
            yield Violation(
                message=f"{fleet.resource.logical_id}: its nodes have no way out of "
                f"{vpc.logical_id}, which has no endpoint for {alternatives(missing, 'and')}",
                hint=f"add endpoints for {alternatives(missing, 'and')}",
                resource=fleet.resource,
                path=("Properties",),
                evidence=f"catalogue, endpoints of {host.orchestrator} ({host.date})",
            )


def _host_of(fleet: Fleet) -> str:
    """What takes the nodes in; nothing when that is not known."""
    if fleet.resource.type == BATCH:
        # With this, Batch starts them as nodes of an EKS cluster, and ECS has no part in it.
        on_eks = properties_of(fleet.resource)["EksConfiguration"]
        if not on_eks.is_absent:
            return "" if on_eks.is_unknown else _HOSTS["AWS::EKS::Nodegroup"]
    return _HOSTS.get(fleet.resource.type, "")


def _vpc_of(fleet: Fleet) -> Resource | None:
    """The VPC of all of its subnets; None when it is not known, or not of the set."""
    found = {vpc_of(value.referred("AWS::EC2::Subnet")) for value in fleet.subnets or ()}
    return next(iter(found)) if len(found) == 1 else None


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Compute: {Type: AWS::EC2::Subnet, Properties: {VpcId: {Ref: Vpc}, CidrBlock: 10.0.0.0/24}}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: trn1.32xlarge}}
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: cluster
      SubnetIds: [{Ref: Compute}]
      CustomLaunchTemplate: {TemplateId: {Ref: Nodes}, Version: "1"}
      InstanceConfigs: [{InstanceType: trn1.32xlarge}]
  S3:
    Type: AWS::EC2::VPCEndpoint
    Properties: {VpcId: {Ref: Vpc}, ServiceName: com.amazonaws.us-west-2.s3}
  Host:
    Type: AWS::EC2::VPCEndpoint
    Properties:
      VpcId: {Ref: Vpc}
      VpcEndpointType: Interface
"""

RULE = TemplateRule(
    id="TRN173",
    title="nodes without a way out have the endpoints of their host",
    severity=Severity.WARNING,
    why="Nodes that cannot reach what registers them start, wait, and never join; the stack says "
    "nothing for a quarter of an hour.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html",
    good=_HEAD + "      ServiceName: com.amazonaws.us-west-2.pcs\n",
    bad=_HEAD + "      ServiceName: com.amazonaws.us-west-2.logs\n",
    check=_check,
    judges_absence=True,
)
