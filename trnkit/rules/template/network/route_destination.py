"""TRN166: a route table has one route to each destination."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.coexistence import exist_together
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_TABLE = "AWS::EC2::RouteTable"
_BLOCKS = ("DestinationCidrBlock", "DestinationIpv6CidrBlock")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    seen: dict[tuple[Resource | str, str], list[Resource]] = {}
    for route in stack_set.resources("AWS::EC2::Route"):
        properties = properties_of(route)
        owner = properties["RouteTableId"]
        table, destination = owner.referred(_TABLE) or owner.text(), _destination(properties)
        if table is None or destination is None:
            continue
        others = seen.setdefault((table, destination[1]), [])
        first = next((other for other in others if exist_together(route, other)), None)
        others.append(route)
        if first is not None:
            name = table if isinstance(table, str) else table.logical_id
            yield Violation(
                message=f"{route.logical_id}: {name} has a route to {destination[1]} already, "
                f"{first.logical_id}",
                hint="keep one of the two",
                resource=route,
                path=destination[0].path,
            )


def _destination(properties: TemplateValue) -> tuple[TemplateValue, str] | None:
    """Where a route leads, in one spelling: blocks are the same that cover the same addresses."""
    for key in _BLOCKS:
        value = properties[key]
        try:
            return value, str(ipaddress.ip_network(value.text() or "", strict=False))
        except ValueError:
            continue
    prefixes = properties["DestinationPrefixListId"]
    text = prefixes.text()
    return None if text is None else (prefixes, text)


_HEAD = """\
Resources:
  Table: {Type: AWS::EC2::RouteTable, Properties: {VpcId: vpc-1}}
  Default:
    Type: AWS::EC2::Route
    Properties: {RouteTableId: {Ref: Table}, DestinationCidrBlock: 0.0.0.0/0, GatewayId: igw-1}
  Other:
    Type: AWS::EC2::Route
    Properties:
      RouteTableId: {Ref: Table}
      NatGatewayId: nat-1
"""

RULE = TemplateRule(
    id="TRN166",
    title="a route table has one route to each destination",
    severity=Severity.ERROR,
    why="EC2 refuses the second one with RouteAlreadyExists, and the stack is rolled back.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html",
    good=_HEAD + "      DestinationCidrBlock: 10.0.0.0/8\n",
    bad=_HEAD + "      DestinationCidrBlock: 0.0.0.0/0\n",
    check=_check,
)
