"""TRN172: network ACLs between nodes and a Lustre file system let Lustre through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import lustre_port_ranges
from trnkit.findings import Severity
from trnkit.rules.reading.fleets import accelerated_templates, fleets
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.reading.mounts import names_in_user_data
from trnkit.rules.reading.network_acls import acl_associations, admits_some
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_SUBNET = "AWS::EC2::Subnet"
_WAYS = ((False, "in", "ingress"), (True, "out", "egress"))


def _check(stack_set: StackSet) -> Iterator[Violation]:
    guarded = list(acl_associations(stack_set))
    if not guarded:
        return
    storage, nodes = _subnets_of_lustre(stack_set), _subnets_of_nodes(stack_set)
    severity = Severity.ERROR if _is_mounted(stack_set) else None
    for association, subnet, acl in guarded:
        # Inside of a subnet no ACL applies.
        others = nodes if subnet in storage else storage if subnet in nodes else ()
        others = [other for other in others if other is not subnet]
        if not others:
            continue
        for egress, way, kind in _WAYS:
            closed = _closed(acl, stack_set, egress=egress)
            if closed:
                yield Violation(
                    message=f"{association.logical_id}: {acl.logical_id} lets no TCP {closed} "
                    f"{way}, which Lustre needs between {subnet.logical_id} and "
                    f"{min(other.logical_id for other in others)}",
                    hint=f"add allowing {kind} entries for TCP {_closed(None, stack_set)}",
                    resource=association,
                    path=("Properties", "NetworkAclId"),
                    evidence="ports of FSx for Lustre, in the catalogue",
                    severity=severity,
                )


def _is_mounted(stack_set: StackSet) -> bool:
    """Whether nodes mean to mount a file system of the set: their user data names it."""
    return any(
        names_in_user_data(template.data["UserData"], file_system.resource)
        for file_system in lustre_file_systems(stack_set)
        for template in accelerated_templates(stack_set)
    )


def _subnets_of_lustre(stack_set: StackSet) -> set[Resource]:
    found: set[Resource] = set()
    for file_system in lustre_file_systems(stack_set):
        for value in file_system.properties["SubnetIds"].entries() or ():
            subnet = value.referred(_SUBNET)
            found |= {subnet} if subnet is not None else set()
    return found


def _subnets_of_nodes(stack_set: StackSet) -> set[Resource]:
    found: set[Resource] = set()
    for fleet in fleets(stack_set):
        for value in (fleet.subnets or ()) if fleet.launch_template.is_accelerated else ():
            subnet = value.referred(_SUBNET)
            found |= {subnet} if subnet is not None else set()
    return found


def _closed(acl: Resource | None, stack_set: StackSet, *, egress: bool = False) -> str:
    """The port ranges of Lustre of which an ACL admits nothing, as text; all without an ACL."""
    closed = [
        str(first) if first == last else f"{first}-{last}"
        for first, last in lustre_port_ranges()
        if acl is None or not admits_some(acl, first, last, stack_set, egress=egress)
    ]
    return " and ".join(closed)


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
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
  Compute: {Type: AWS::EC2::Subnet, Properties: {VpcId: vpc-1, CidrBlock: 10.0.64.0/18}}
  Storage: {Type: AWS::EC2::Subnet, Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/22}}
  Fsx:
    Type: AWS::FSx::FileSystem
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [{Ref: Storage}]
      LustreConfiguration: {DeploymentType: SCRATCH_2}
  Acl: {Type: AWS::EC2::NetworkAcl, Properties: {VpcId: vpc-1}}
  Association:
    Type: AWS::EC2::SubnetNetworkAclAssociation
    Properties: {SubnetId: {Ref: Storage}, NetworkAclId: {Ref: Acl}}
  Out:
    Type: AWS::EC2::NetworkAclEntry
    Properties:
      NetworkAclId: {Ref: Acl}
      RuleNumber: 100
      Protocol: -1
      Egress: true
      RuleAction: allow
      CidrBlock: 0.0.0.0/0
  In:
    Type: AWS::EC2::NetworkAclEntry
    Properties:
      NetworkAclId: {Ref: Acl}
      RuleNumber: 100
      Protocol: 6
      RuleAction: allow
      CidrBlock: 10.0.0.0/16
"""

RULE = TemplateRule(
    id="TRN172",
    title="network ACLs let Lustre through between nodes and file system",
    severity=Severity.WARNING,
    why="Network ACLs apply between subnets and do not remember connections: mounts time out "
    "although every security group is right.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html",
    good=_HEAD + "      PortRange: {From: 988, To: 1023}\n",
    bad=_HEAD + "      PortRange: {From: 1024, To: 65535}\n",
    check=_check,
    judges_absence=True,
)
