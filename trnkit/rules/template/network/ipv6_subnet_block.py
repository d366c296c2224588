"""TRN198: a subnet takes its part of the VPC's IPv6 block when the VPC has one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trnkit.findings import Severity
from trnkit.rules.reading.creation_order import waits_for
from trnkit.rules.reading.ipv6_addresses import SUBNET, SUBNET_BLOCK
from trnkit.rules.reading.template_value import as_list, as_mapping, properties_of
from trnkit.rules.reading.vpc_endpoints import VPC
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_ATTRIBUTE = "Ipv6CidrBlocks"
_IN_TEXT = re.compile(r"\$\{([A-Za-z0-9]+)\.Ipv6CidrBlocks\}")
_DEEPEST = 20
_IPV6_KEYS = (
    "AmazonProvidedIpv6CidrBlock",
    "Ipv6CidrBlock",
    "Ipv6IpamPoolId",
    "Ipv6NetmaskLength",
    "Ipv6Pool",
)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(SUBNET, SUBNET_BLOCK):
        value = properties_of(resource)["Ipv6CidrBlock"]
        vpcs = {resource.template.resources.get(name) for name in _named(value.raw, 0)}
        blocks = stack_set.derive(_ipv6_blocks)
        for vpc in vpcs:
            added = blocks.get(vpc, []) if vpc is not None else []
            if not added or any(waits_for(resource, block, stack_set) for block in added):
                continue
            yield Violation(
                message=f"{resource.logical_id}: takes a part of the VPC's IPv6 block, and "
                f"CloudFormation may make it before {added[0].logical_id}",
                hint=f"add `DependsOn: {added[0].logical_id}`",
                resource=resource,
                path=value.path,
            )


def _named(raw: Any, depth: int) -> set[str]:
    """Logical ids whose `Ipv6CidrBlocks` a value takes, however deep inside functions."""
    if depth > _DEEPEST:
        return set()
    if isinstance(raw, str):
        return set(_IN_TEXT.findall(raw))
    pieces = as_list(raw)
    if pieces is None:
        mapping = as_mapping(raw)
        pieces = [*mapping.values()] if mapping else []
        taken = _taken(mapping.get("Fn::GetAtt")) if mapping else None
        if taken:
            return {taken}
    return set[str]().union(*(_named(piece, depth + 1) for piece in pieces))


def _taken(argument: Any) -> str | None:
    parts = argument.split(".") if isinstance(argument, str) else as_list(argument)
    if not parts or len(parts) != 2 or parts[1] != _ATTRIBUTE:
        return None
    return parts[0] if isinstance(parts[0], str) else None


def _ipv6_blocks(stack_set: StackSet) -> dict[Resource | None, list[Resource]]:
    """The resources that give each VPC an IPv6 block."""
    found: dict[Resource | None, list[Resource]] = {}
    for resource in stack_set.resources("AWS::EC2::VPCCidrBlock"):
        properties = properties_of(resource)
        vpc = properties["VpcId"].referred(VPC)
        keys = [properties[key] for key in _IPV6_KEYS]
        if vpc is not None and any(not key.is_absent for key in keys):
            found.setdefault(vpc, []).append(resource)
    return found


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/20}}
  Ipv6:
    Type: AWS::EC2::VPCCidrBlock
    Properties: {VpcId: {Ref: Vpc}, AmazonProvidedIpv6CidrBlock: true}
  Compute:
    Type: AWS::EC2::Subnet
    Properties:
      VpcId: {Ref: Vpc}
      CidrBlock: 10.0.0.0/24
      Ipv6CidrBlock:
        Fn::Select:
          - 1
          - Fn::Cidr: [{"Fn::Select": [0, {"Fn::GetAtt": [Vpc, Ipv6CidrBlocks]}]}, 8, "64"]
"""

RULE = TemplateRule(
    id="TRN198",
    title="a subnet with IPv6 waits for the VPC's IPv6 block",
    severity=Severity.ERROR,
    why="The VPC's attribute is empty until the block is there, and nothing in the subnet refers "
    "to the block: without a dependency the deployment fails or not as luck has it.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-vpccidrblock.html",
    good=_HEAD + "    DependsOn: Ipv6\n",
    bad=_HEAD,
    check=_check,
)
