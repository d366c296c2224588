"""TRN162: a VPC whose endpoints have private DNS resolves names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.reading.vpc_endpoints import vpc_endpoints
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for endpoint in vpc_endpoints(stack_set):
        flag = endpoint.properties["PrivateDnsEnabled"]
        if endpoint.vpc is None or flag.boolean() is not True:
            continue
        off = _switched_off(endpoint.vpc)
        if off:
            yield Violation(
                message=f"{endpoint.name}: wants private DNS, and {endpoint.vpc.logical_id} has "
                f"{alternatives(off, 'and')} off",
                hint=f"set {alternatives(off, 'and')} of the VPC to true",
                resource=endpoint.resource,
                path=flag.path,
            )


def _switched_off(vpc: Resource) -> list[str]:
    """What private DNS needs and the VPC certainly lacks; host names are off unless asked for."""
    properties = properties_of(vpc)
    support, names = properties["EnableDnsSupport"], properties["EnableDnsHostnames"]
    off = ["EnableDnsSupport"] if support.boolean() is False else []
    if names.is_absent or names.boolean() is False:
        off.append("EnableDnsHostnames")
    return off


_HEAD = """\
Resources:
  Ec2:
    Type: AWS::EC2::VPCEndpoint
    Properties:
      VpcId: {Ref: Vpc}
      VpcEndpointType: Interface
      PrivateDnsEnabled: true
      ServiceName: com.amazonaws.us-east-2.ec2
  Vpc:
    Type: AWS::EC2::VPC
    Properties:
      CidrBlock: 10.0.0.0/16
"""

RULE = TemplateRule(
    id="TRN162",
    title="private DNS of endpoints has the VPC's DNS attributes",
    severity=Severity.ERROR,
    why="EC2 refuses an endpoint with private DNS in a VPC without DNS support and host names. "
    "CloudFormation's default for host names is off.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html",
    good=_HEAD + "      EnableDnsHostnames: true\n",
    bad=_HEAD,
    check=_check,
)
