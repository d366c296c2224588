"""TRN164: the network ACL of the nodes' subnet lets answers in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import subnets_of_nodes
from trnkit.rules.reading.network_acls import acl_associations, admits_some
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_FIRST, _LAST = 1024, 65535
"""Ports at which answers to a node's own calls arrive."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    subnets = subnets_of_nodes(stack_set)
    for association, subnet, acl in acl_associations(stack_set) if subnets else ():
        if subnet not in subnets:
            continue
        name, where = f"{association.logical_id}: {acl.logical_id}", subnet.logical_id
        path = ("Properties", "NetworkAclId")
        if not admits_some(acl, _FIRST, _LAST, stack_set, egress=False):
            yield Violation(
                message=f"{name} admits no TCP to ports {_FIRST} to {_LAST}, where the answers to "
                f"the calls of nodes in {where} arrive",
                hint=f"add an allowing ingress entry for TCP {_FIRST} to {_LAST}, or use the VPC's "
                "default ACL",
                resource=association,
                path=path,
            )
        if not admits_some(acl, 0, _LAST, stack_set, egress=True):
            yield Violation(
                message=f"{name} lets no TCP out of {where}, where nodes start",
                hint="add an allowing egress entry, or use the VPC's default ACL",
                resource=association,
                path=path,
            )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: trn2.48xlarge}}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "4"
      VPCZoneIdentifier: [{Ref: Compute}]
      LaunchTemplate: {LaunchTemplateId: {Ref: Nodes}, Version: "1"}
  Compute: {Type: AWS::EC2::Subnet, Properties: {VpcId: vpc-1, CidrBlock: 10.0.64.0/18}}
  Acl: {Type: AWS::EC2::NetworkAcl, Properties: {VpcId: vpc-1}}
  Association:
    Type: AWS::EC2::SubnetNetworkAclAssociation
    Properties: {SubnetId: {Ref: Compute}, NetworkAclId: {Ref: Acl}}
  Out:
    Type: AWS::EC2::NetworkAclEntry
    Properties:
      NetworkAclId: {Ref: Acl}
      RuleNumber: 100
      Protocol: -1
      Egress: true
      RuleAction: allow
      CidrBlock: 0.0.0.0/0
  Entry:
    Type: AWS::EC2::NetworkAclEntry
    Properties:
      NetworkAclId: {Ref: Acl}
      RuleNumber: 100
      Protocol: 6
      RuleAction: allow
      CidrBlock: 0.0.0.0/0
"""

RULE = TemplateRule(
    id="TRN164",
    title="network ACLs let answers back to the nodes",
    severity=Severity.ERROR,
    why="Network ACLs do not remember connections. A list of the open ports alone drops every "
    "answer from outside the subnet: image pulls and mounts time out, security groups look right.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/custom-network-acl.html",
    good=_HEAD + "      PortRange: {From: 1024, To: 65535}\n",
    bad=_HEAD + "      PortRange: {From: 443, To: 443}\n",
    check=_check,
    judges_absence=True,
)
