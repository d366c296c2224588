"""TRN163: a subnet lies in a block of its VPC, and waits for that block."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.creation_order import waits_for
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.reading.vpc_endpoints import VPC
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for subnet in stack_set.resources("AWS::EC2::Subnet"):
        properties = properties_of(subnet)
        vpc, cidr = properties["VpcId"].referred(VPC), properties["CidrBlock"]
        block = _block(cidr)
        first = _block(properties_of(vpc)["CidrBlock"]) if vpc is not None else None
        if vpc is None or block is None or first is None or block.subnet_of(first):
            continue
        blocks = stack_set.derive(_added_blocks)
        added = blocks.get(vpc, [])
        if None in blocks or any(other is None for _, other in added):
            continue
        around = [resource for resource, other in added if other and block.subnet_of(other)]
        if not around:
            yield Violation(
                message=f"{subnet.logical_id}: {block} lies in no block of {vpc.logical_id}",
                hint="take a part of one of the VPC's blocks, or add a block to the VPC",
                resource=subnet,
                path=cidr.path,
            )
        elif not any(waits_for(subnet, resource, stack_set) for resource in around):
            yield Violation(
                message=f"{subnet.logical_id}: {block} lies in {around[0].logical_id}, and "
                "CloudFormation may make the subnet first",
                hint=f"add `DependsOn: {around[0].logical_id}` to the subnet",
                resource=subnet,
                path=cidr.path,
            )


def _block(value: TemplateValue) -> ipaddress.IPv4Network | None:
    try:
        return ipaddress.IPv4Network(value.text() or "")
    except ValueError:
        return None


def _added_blocks(
    stack_set: StackSet,
) -> dict[Resource | None, list[tuple[Resource, ipaddress.IPv4Network | None]]]:
    """The further blocks of each VPC, None for one not known; those of no known VPC at None."""
    added: dict[Resource | None, list[tuple[Resource, ipaddress.IPv4Network | None]]] = {}
    for resource in stack_set.resources("AWS::EC2::VPCCidrBlock"):
        properties = properties_of(resource)
        cidr = properties["CidrBlock"]
        is_ipv6 = cidr.is_absent and properties["Ipv4IpamPoolId"].is_absent
        if not is_ipv6:
            vpc = properties["VpcId"].referred(VPC)
            added.setdefault(vpc, []).append((resource, _block(cidr)))
    return added


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/20}}
  More: {Type: AWS::EC2::VPCCidrBlock, Properties: {VpcId: {Ref: Vpc}, CidrBlock: 100.64.0.0/16}}
  Compute:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: {Ref: Vpc}, CidrBlock: 100.64.0.0/17}
"""

RULE = TemplateRule(
    id="TRN163",
    title="a subnet in a further block of the VPC waits for that block",
    severity=Severity.ERROR,
    why="EC2 refuses a subnet outside the VPC's blocks. Nothing in a subnet refers to the block "
    "that it lies in, so without a dependency the order is a matter of luck.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-vpccidrblock.html",
    good=_HEAD + "    DependsOn: More\n",
    bad=_HEAD,
    check=_check,
    judges_absence=True,
)
