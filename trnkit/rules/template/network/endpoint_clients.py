"""TRN174: interface endpoints admit the nodes of their VPC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.fleets import accelerated_templates, fleets_of
from trnkit.rules.reading.group_paths import groups_of_nodes, may_pass
from trnkit.rules.reading.security_groups import known_groups
from trnkit.rules.reading.subnet_vpcs import vpc_of
from trnkit.rules.reading.vpc_endpoints import VpcEndpoint, vpc_endpoints
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import Resource, StackSet

_HTTPS = 443


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for endpoint in vpc_endpoints(stack_set):
        listed = endpoint.properties["SecurityGroupIds"]
        servers = known_groups(listed.entries())
        if endpoint.kind != "Interface" or endpoint.service is None or not servers:
            continue
        # Without private DNS, only those come to it that are told its name.
        if endpoint.properties["PrivateDnsEnabled"].boolean() is False:
            continue
        if not _admits_anybody(servers, stack_set):
            continue
        for template in accelerated_templates(stack_set):
            clients = groups_of_nodes(template)
            if not clients or not _is_beside(template, endpoint, stack_set):
                continue
            if not may_pass(servers, clients, "Ingress", _HTTPS, stack_set):
                names = alternatives([group.logical_id for group in dict.fromkeys(clients)])
                yield Violation(
                    message=f"{endpoint.name}: its security group does not admit TCP {_HTTPS} from "
                    f"{names}, the group of the nodes of {template.resource.logical_id}",
                    hint=f"add an ingress rule for TCP {_HTTPS} from the nodes' security group",
                    resource=endpoint.resource,
                    path=listed.path,
                )


def _admits_anybody(servers: tuple[Resource, ...], stack_set: StackSet) -> bool:
    """Whether any rule at all admits HTTPS: otherwise TRN161 says so."""
    anybody = tuple(stack_set.resources("AWS::EC2::SecurityGroup"))
    return may_pass(servers, anybody, "Ingress", _HTTPS, stack_set)


def _is_beside(template: LaunchTemplate, endpoint: VpcEndpoint, stack_set: StackSet) -> bool:
    """Whether nodes certainly start in the endpoint's VPC."""
    for fleet in fleets_of(template, stack_set):
        for value in fleet.subnets or ():
            vpc = vpc_of(value.referred("AWS::EC2::Subnet"))
            if vpc is not None and vpc is endpoint.vpc:
                return True
    return False


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Compute: {Type: AWS::EC2::Subnet, Properties: {VpcId: {Ref: Vpc}, CidrBlock: 10.0.0.0/24}}
  NodeGroup:
    Type: AWS::EC2::SecurityGroup
    Properties: {GroupDescription: nodes, VpcId: {Ref: Vpc}}
  Admins:
    Type: AWS::EC2::SecurityGroup
    Properties: {GroupDescription: administrators, VpcId: {Ref: Vpc}}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData: {InstanceType: trn1.2xlarge, SecurityGroupIds: [{Ref: NodeGroup}]}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "1"
      VPCZoneIdentifier: [{Ref: Compute}]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
  Ec2:
    Type: AWS::EC2::VPCEndpoint
    Properties:
      VpcId: {Ref: Vpc}
      VpcEndpointType: Interface
      ServiceName: {Fn::Sub: "com.amazonaws.${AWS::Region}.ec2"}
      SecurityGroupIds: [{Ref: Endpoints}]
  Endpoints:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: endpoints
      VpcId: {Ref: Vpc}
      SecurityGroupIngress:
        - IpProtocol: tcp
          FromPort: 443
          ToPort: 443
"""

RULE = TemplateRule(
    id="TRN174",
    title="interface endpoints admit the nodes of their VPC",
    severity=Severity.WARNING,
    why="With private DNS the nodes find the service at the endpoint alone. Calls then time out, "
    "and nodes do not register, though the endpoint is there.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html",
    good=_HEAD + "          SourceSecurityGroupId: {Ref: NodeGroup}\n",
    bad=_HEAD + "          SourceSecurityGroupId: {Ref: Admins}\n",
    check=_check,
)
