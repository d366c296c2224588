"""TRN199: dual-stack endpoints and mount targets are in subnets that have IPv6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.ipv6_addresses import SUBNET, has_no_ipv6
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.reading.vpc_endpoints import vpc_endpoints
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_WITH_IPV6 = ("dualstack", "ipv6", "DUAL_STACK", "IPV6_ONLY")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource, kind, subnets in _asking(stack_set):
        for value in subnets:
            subnet = value.referred(SUBNET)
            if subnet is not None and has_no_ipv6(subnet, stack_set):
                yield Violation(
                    message=f"{resource.logical_id}: is {kind.text()} in "
                    f"{subnet.logical_id}, which has no IPv6 block",
                    hint="give the subnet an Ipv6CidrBlock, or leave IpAddressType out",
                    resource=resource,
                    path=kind.path,
                )


def _asking(
    stack_set: StackSet,
) -> Iterator[tuple[Resource, TemplateValue, tuple[TemplateValue, ...]]]:
    """What certainly wants IPv6 addresses, with the subnets that it takes them of."""
    for endpoint in vpc_endpoints(stack_set):
        kind = endpoint.properties["IpAddressType"]
        if kind.text() in _WITH_IPV6 and endpoint.kind == "Interface":
            yield endpoint.resource, kind, endpoint.properties["SubnetIds"].entries() or ()
    for target in stack_set.resources("AWS::EFS::MountTarget"):
        properties = properties_of(target)
        kind = properties["IpAddressType"]
        if kind.text() in _WITH_IPV6:
            yield target, kind, (properties["SubnetId"],)


_HEAD = """\
Resources:
  Sts:
    Type: AWS::EC2::VPCEndpoint
    Properties:
      VpcEndpointType: Interface
      ServiceName: com.amazonaws.us-east-2.sts
      VpcId: vpc-1
      SubnetIds: [{Ref: Endpoints}]
      SecurityGroupIds: [sg-1]
      IpAddressType: dualstack
  Endpoints:
    Type: AWS::EC2::Subnet
    Properties:
      VpcId: vpc-1
      CidrBlock: 10.0.0.0/24
"""

RULE = TemplateRule(
    id="TRN199",
    title="dual-stack endpoints and mount targets are in subnets with IPv6",
    severity=Severity.ERROR,
    why="EC2 and EFS make them in dual-stack subnets alone, so the deployment fails.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/privatelink-access-aws-services.html",
    good=_HEAD + '      Ipv6CidrBlock: "2001:db8:0:1::/64"\n',
    bad=_HEAD,
    check=_check,
)
