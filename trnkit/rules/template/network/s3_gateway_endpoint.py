"""TRN155: traffic to S3 from behind NAT goes through a gateway endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_ROUTE_TABLE = "AWS::EC2::RouteTable"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    behind_nat = _tables_behind_nat(stack_set)
    if not behind_nat:
        return
    covered = _tables_with_endpoint(stack_set)
    for table in behind_nat if covered is not None else ():
        vpc = properties_of(table)["VpcId"].referred("AWS::EC2::VPC")
        if vpc is not None and table not in (covered or ()):
            yield Violation(
                message=f"{table.logical_id}: sends traffic to S3 through a NAT gateway, which "
                "bills every gigabyte; no S3 gateway endpoint is on this route table",
                hint="add a VPC endpoint of type Gateway for S3, which is free, with this route "
                "table among its RouteTableIds",
                resource=table,
            )


def _tables_behind_nat(stack_set: StackSet) -> dict[Resource, None]:
    tables: dict[Resource, None] = {}
    for route in stack_set.resources("AWS::EC2::Route"):
        properties = properties_of(route)
        table = properties["RouteTableId"].referred(_ROUTE_TABLE)
        everywhere = properties["DestinationCidrBlock"].text() == "0.0.0.0/0"
        if table is not None and everywhere and not properties["NatGatewayId"].is_absent:
            tables[table] = None
    return tables


def _tables_with_endpoint(stack_set: StackSet) -> set[Resource] | None:
    """Route tables with an S3 gateway endpoint; None when that cannot be known."""
    covered: set[Resource] = set()
    for endpoint in stack_set.resources("AWS::EC2::VPCEndpoint"):
        properties = properties_of(endpoint)
        kind, service = properties["VpcEndpointType"], properties["ServiceName"].tail()
        if not kind.is_absent and kind.text() not in (None, "Gateway"):
            continue
        if service is not None and service != "s3" and not service.endswith(".s3"):
            continue
        tables = properties["RouteTableIds"].entries()
        found = [table.referred(_ROUTE_TABLE) for table in tables or ()]
        if tables is None or any(value.is_unknown for value in tables):
            return None
        covered |= {table for table in found if table is not None}
    return covered


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Private: {Type: AWS::EC2::RouteTable, Properties: {VpcId: {Ref: Vpc}}}
  Other: {Type: AWS::EC2::RouteTable, Properties: {VpcId: {Ref: Vpc}}}
  Default:
    Type: AWS::EC2::Route
    Properties:
      RouteTableId: {Ref: Private}
      DestinationCidrBlock: 0.0.0.0/0
      NatGatewayId: nat-1
  S3:
    Type: AWS::EC2::VPCEndpoint
    Properties:
      VpcId: {Ref: Vpc}
      VpcEndpointType: Gateway
      ServiceName: {Fn::Sub: "com.amazonaws.${AWS::Region}.s3"}
"""

RULE = TemplateRule(
    id="TRN155",
    title="private route tables have an S3 gateway endpoint",
    severity=Severity.WARNING,
    why="Checkpoints, data and container layers come from S3. Through NAT each gigabyte is billed; "
    "through a gateway endpoint it is free.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html",
    good=_HEAD + "      RouteTableIds: [{Ref: Private}]\n",
    bad=_HEAD + "      RouteTableIds: [{Ref: Other}]\n",
    check=_check,
    judges_absence=True,
)
