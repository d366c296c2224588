"""TRN388: a Lustre file system admits the nodes beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import lustre_port_ranges
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.fleets import accelerated_templates, fleets_of
from trnkit.rules.reading.group_paths import groups_of_nodes, may_pass
from trnkit.rules.reading.lustre_resources import LustreFileSystem, lustre_file_systems
from trnkit.rules.reading.mounts import names_in_user_data
from trnkit.rules.reading.security_groups import Direction, known_groups
from trnkit.rules.reading.subnet_vpcs import are_apart
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import Resource, StackSet

_SUBNET = "AWS::EC2::Subnet"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        servers = known_groups(found.properties["SecurityGroupIds"].entries())
        if not servers:
            continue
        verdicts: list[tuple[LaunchTemplate, str | None]] = []
        for template in accelerated_templates(stack_set):
            clients = groups_of_nodes(template) if fleets_of(template, stack_set) else None
            if clients:
                verdicts.append((template, _missing(servers, clients, stack_set)))
        # One that lets some nodes in may be for these alone.
        is_served = any(missing is None for _, missing in verdicts)
        for template, missing in verdicts:
            mounts = names_in_user_data(template.data["UserData"], found.resource)
            is_theirs = not (is_served or _is_elsewhere(found, template, stack_set))
            if missing is not None and (mounts or is_theirs):
                yield _violation(found, template, missing, mounts=mounts)


def _is_elsewhere(found: LustreFileSystem, template: LaunchTemplate, stack_set: StackSet) -> bool:
    """Whether some of the nodes certainly start in another VPC."""
    return any(
        are_apart(home.referred(_SUBNET), subnet.referred(_SUBNET))
        for home in found.properties["SubnetIds"].entries() or ()
        for fleet in fleets_of(template, stack_set)
        for subnet in fleet.subnets or ()
    )


def _missing(
    servers: tuple[Resource, ...], clients: tuple[Resource, ...], stack_set: StackSet
) -> str | None:
    """What certainly keeps nodes from Lustre's first port, or None.

    Security groups remember connections, so that answers need no rule.
    """
    port = lustre_port_ranges()[0][0]
    ways: tuple[tuple[tuple[Resource, ...], tuple[Resource, ...], Direction, str], ...] = (
        (servers, clients, "Ingress", "admits TCP {} from"),
        (clients, servers, "Egress", "lets TCP {} out to"),
    )
    for here, there, direction, verb in ways:
        if not may_pass(here, there, direction, port, stack_set, ipv4_only=True):
            names = alternatives([group.logical_id for group in dict.fromkeys(here)])
            others = alternatives([group.logical_id for group in dict.fromkeys(there)])
            return f"{names} {verb.format(port)} none of {others}"
    return None


def _violation(
    found: LustreFileSystem, template: LaunchTemplate, missing: str, *, mounts: bool
) -> Violation:
    """Nodes that name the file system in their user data mean to mount it; others may not."""
    return Violation(
        message=f"{found.name}: nodes of {template.resource.logical_id} cannot mount it: {missing}",
        hint="add rules for TCP 988 and 1018-1023 between the two groups, both ways",
        resource=found.resource,
        path=("Properties", "SecurityGroupIds"),
        severity=Severity.ERROR if mounts else None,
    )


_HEAD = """\
Resources:
  NodeGroup: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: nodes, VpcId: vpc-1}}
  Admins: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: admins, VpcId: vpc-1}}
  FsxGroup: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: fsx, VpcId: vpc-1}}
  Self:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: {Ref: FsxGroup}
      IpProtocol: tcp
      FromPort: 988
      ToPort: 1023
      SourceSecurityGroupId: {Ref: FsxGroup}
  Fsx:
    Type: AWS::FSx::FileSystem
    DependsOn: Self
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
      SecurityGroupIds: [{Ref: FsxGroup}]
      LustreConfiguration: {DeploymentType: SCRATCH_2}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData: {InstanceType: trn1.2xlarge, SecurityGroupIds: [{Ref: NodeGroup}]}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "1"
      VPCZoneIdentifier: [subnet-1]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
  Clients:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: {Ref: FsxGroup}
      IpProtocol: tcp
      FromPort: 988
      ToPort: 1023
"""

RULE = TemplateRule(
    id="TRN388",
    title="a Lustre file system admits the nodes beside it",
    severity=Severity.WARNING,
    why="Without TCP 988 from the nodes' group every mount hangs until it times out, and the boot "
    "with it.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html",
    good=_HEAD + "      SourceSecurityGroupId: {Ref: NodeGroup}\n",
    bad=_HEAD + "      SourceSecurityGroupId: {Ref: Admins}\n",
    check=_check,
    judges_absence=True,
)
