"""TRN161: the security group of an interface endpoint lets its clients in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.security_groups import known_groups, rules_of
from trnkit.rules.reading.vpc_endpoints import vpc_endpoints
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_HTTPS = 443


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for endpoint in vpc_endpoints(stack_set):
        listed = endpoint.properties["SecurityGroupIds"]
        groups = known_groups(listed.entries()) if endpoint.kind == "Interface" else None
        # Other people's services may answer on another port; AWS's own answer on this one.
        if not groups or endpoint.service is None:
            continue
        if not any(_may_admit(group, stack_set) for group in groups):
            names = alternatives([group.logical_id for group in groups], "and")
            yield Violation(
                message=f"{endpoint.name}: {names} admits nobody to port {_HTTPS}, on which the "
                "endpoint answers",
                hint="add an ingress rule for TCP 443 from the nodes' security group",
                resource=endpoint.resource,
                path=listed.path,
            )


def _may_admit(group: Resource, stack_set: StackSet) -> bool:
    rules = rules_of(group, "Ingress", stack_set)
    return not rules.is_complete or any(rule.admits(_HTTPS) for rule in rules.rules)


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Ec2:
    Type: AWS::EC2::VPCEndpoint
    Properties:
      VpcId: {Ref: Vpc}
      VpcEndpointType: Interface
      ServiceName: com.amazonaws.us-east-2.ec2
      SecurityGroupIds: [{Ref: Group}]
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: endpoints
      VpcId: {Ref: Vpc}
      SecurityGroupIngress:
"""

RULE = TemplateRule(
    id="TRN161",
    title="interface endpoints admit HTTPS from their clients",
    severity=Severity.ERROR,
    why="With private DNS every call to the service goes to the endpoint. One that admits nobody "
    "makes them all time out, and nodes never register.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html",
    good=_HEAD + "        - {IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 10.0.0.0/16}\n",
    bad=_HEAD + "        - {IpProtocol: tcp, FromPort: 80, ToPort: 80, CidrIp: 10.0.0.0/16}\n",
    check=_check,
)
