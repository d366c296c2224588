"""TRN172: network ACLs between nodes and a Lustre file system let Lustre through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import lustre_port_ranges
from trnkit.findings import Severity
from trnkit.rules.reading.fleets import subnets_of_nodes
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.reading.mounts import names_in_user_data
from trnkit.rules.reading.network_acls import acl_associations, admits_some
from trnkit.rules.reading.subnet_vpcs import are_apart
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import Resource, StackSet

_WAYS = ((False, "in", "ingress"), (True, "out", "egress"))


def _check(stack_set: StackSet) -> Iterator[Violation]:
    guarded = list(acl_associations(stack_set))
    storage = _subnets_of_lustre(stack_set) if guarded else {}
    nodes = subnets_of_nodes(stack_set) if storage else {}
    for association, subnet, acl in guarded:
        others = nodes if subnet in storage else storage if subnet in nodes else ()
        # Inside of a subnet no ACL applies; between VPCs none of these belong together.
        near = [o for o in others if o is not subnet and not are_apart(subnet, o)]
        if not near:
            continue
        files = [file_system for one in (subnet, *near) for file_system in storage.get(one, ())]
        starters = [template for one in (subnet, *near) for template in nodes.get(one, ())]
        for egress, way, kind in _WAYS:
            closed = _closed(acl, stack_set, egress=egress)
            if closed:
                yield Violation(
                    message=f"{association.logical_id}: {acl.logical_id} lets no TCP {closed} "
                    f"{way}, which Lustre needs between {subnet.logical_id} and "
                    f"{min(other.logical_id for other in near)}",
                    hint=f"add allowing {kind} entries for TCP {_closed(None, stack_set)}",
                    resource=association,
                    path=("Properties", "NetworkAclId"),
                    evidence="ports of FSx for Lustre, in the catalogue",
                    severity=Severity.ERROR if _is_mounted(files, starters) else None,
                )


def _is_mounted(files: list[Resource], starters: list[LaunchTemplate]) -> bool:
    """Whether nodes mean to mount one of the file systems: their user data names it."""
    return any(
        names_in_user_data(template.data["UserData"], file_system)
        for file_system in files
        for template in starters
    )


def _subnets_of_lustre(stack_set: StackSet) -> dict[Resource, list[Resource]]:
    """The subnets of the set in which Lustre file systems are, with these."""
    found: dict[Resource, list[Resource]] = {}
    for file_system in lustre_file_systems(stack_set):
        for value in file_system.properties["SubnetIds"].entries() or ():
            subnet = value.referred("AWS::EC2::Subnet")
            if subnet is not None:
                found.setdefault(subnet, []).append(file_system.resource)
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
