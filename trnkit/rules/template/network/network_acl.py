"""TRN164: the network ACL of the nodes' subnet lets answers in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_ACL, _SUBNET = "AWS::EC2::NetworkAcl", "AWS::EC2::Subnet"
_FIRST, _LAST = 1024, 65535
"""Ports at which answers to a node's own calls arrive."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    subnets = _node_subnets(stack_set)
    if not subnets:
        return
    for association in stack_set.resources("AWS::EC2::SubnetNetworkAclAssociation"):
        properties = properties_of(association)
        subnet = properties["SubnetId"].referred(_SUBNET)
        acl = properties["NetworkAclId"].referred(_ACL)
        if subnet not in subnets or acl is None or _may_admit_answers(acl, stack_set):
            continue
        yield Violation(
            message=f"{association.logical_id}: {acl.logical_id} admits no TCP to ports {_FIRST} "
            f"to {_LAST}, where the answers to the calls of nodes in {subnets[subnet]} arrive",
            hint=f"add an allowing ingress entry for TCP {_FIRST} to {_LAST}, or use the VPC's "
            "default ACL",
            resource=association,
            path=("Properties", "NetworkAclId"),
        )


def _node_subnets(stack_set: StackSet) -> dict[Resource | None, str]:
    found: dict[Resource | None, str] = {}
    for fleet in fleets(stack_set):
        for value in (fleet.subnets or ()) if fleet.launch_template.is_accelerated else ():
            subnet = value.referred(_SUBNET)
            if subnet is not None:
                found[subnet] = subnet.logical_id
    return found


def _may_admit_answers(acl: Resource, stack_set: StackSet) -> bool:
    """Whether an entry admits answers, or an entry that is not known may do so."""
    entries = stack_set.derive(_entries_by_acl)
    return None in entries or any(_may_admit(entry) for entry in entries.get(acl, ()))


def _entries_by_acl(stack_set: StackSet) -> dict[Resource | None, list[TemplateValue]]:
    """The entries of each ACL; those of an ACL that is not known stand at None."""
    found: dict[Resource | None, list[TemplateValue]] = {}
    for resource in stack_set.resources("AWS::EC2::NetworkAclEntry"):
        entry = properties_of(resource)
        found.setdefault(entry["NetworkAclId"].referred(_ACL), []).append(entry)
    return found


def _may_admit(entry: TemplateValue) -> bool:
    egress, action = entry["Egress"], entry["RuleAction"].text()
    if egress.boolean() is True or action == "deny":
        return False
    protocol = entry["Protocol"].text()
    if protocol not in (None, "-1", "6"):
        return False
    first, last = entry["PortRange"]["From"].integer(), entry["PortRange"]["To"].integer()
    if protocol != "6" or first is None or last is None:
        return True
    return first <= _LAST and last >= _FIRST


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
