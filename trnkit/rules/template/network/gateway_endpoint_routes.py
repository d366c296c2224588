"""TRN175: a gateway endpoint is on a route table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.vpc_endpoints import vpc_endpoints
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for endpoint in vpc_endpoints(stack_set):
        tables = endpoint.properties["RouteTableIds"]
        if endpoint.kind == "Gateway" and tables.entries() == ():
            yield Violation(
                message=f"{endpoint.name}: the gateway endpoint is on no route table, so no "
                "traffic takes it",
                hint="name the route tables of the private subnets in RouteTableIds",
                resource=endpoint.resource,
                path=tables.path,
            )


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Private: {Type: AWS::EC2::RouteTable, Properties: {VpcId: {Ref: Vpc}}}
  S3:
    Type: AWS::EC2::VPCEndpoint
    Properties:
      VpcId: {Ref: Vpc}
      VpcEndpointType: Gateway
      ServiceName: com.amazonaws.us-east-2.s3
"""

RULE = TemplateRule(
    id="TRN175",
    title="a gateway endpoint is on a route table",
    severity=Severity.WARNING,
    why="The route to the endpoint is added to the tables that it names. Without one, traffic to "
    "S3 goes through NAT and is billed, and from isolated subnets it goes nowhere.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html",
    good=_HEAD + "      RouteTableIds: [{Ref: Private}]\n",
    bad=_HEAD,
    check=_check,
)
