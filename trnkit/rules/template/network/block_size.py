"""TRN165: blocks of VPCs and subnets have a size that EC2 takes."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from trnkit.catalog import network_limits
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_WITH_IPV4_BLOCK = ("AWS::EC2::VPC", "AWS::EC2::VPCCidrBlock", "AWS::EC2::Subnet")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(*_WITH_IPV4_BLOCK):
        properties = properties_of(resource)
        yield from _ipv4(properties["CidrBlock"], _prefix(properties["CidrBlock"], 4))
        yield from _ipv4(properties["Ipv4NetmaskLength"], properties["Ipv4NetmaskLength"].integer())
    for resource in stack_set.resources("AWS::EC2::Subnet", "AWS::EC2::SubnetCidrBlock"):
        properties = properties_of(resource)
        yield from _ipv6(properties["Ipv6CidrBlock"], _prefix(properties["Ipv6CidrBlock"], 6))
        yield from _ipv6(properties["Ipv6NetmaskLength"], properties["Ipv6NetmaskLength"].integer())


def _prefix(value: TemplateValue, version: int) -> int | None:
    try:
        block = ipaddress.ip_network(value.text() or "", strict=False)
    except ValueError:
        return None
    return block.prefixlen if block.version == version else None


def _ipv4(value: TemplateValue, length: int | None) -> Iterator[Violation]:
    limits = network_limits()
    largest, smallest = limits.shortest_block, limits.longest_block
    if length is not None and not largest <= length <= smallest:
        size = "large" if length < largest else "small"
        text = f"is {value.text()}, too {size}; EC2 takes /{largest} to /{smallest}"
        hint = f"take a block of /{largest if length < largest else smallest} or between"
        yield at_value(value, Objection(text, hint, _evidence()))


def _ipv6(value: TemplateValue, length: int | None) -> Iterator[Violation]:
    allowed = network_limits().ipv6_subnet_blocks
    if length is not None and length not in allowed:
        text = f"is {value.text()}; an IPv6 block of a subnet is {alternatives(_slashed(allowed))}"
        yield at_value(value, Objection(text, f"take a /{allowed[-1]}", _evidence()))


def _slashed(lengths: tuple[int, ...]) -> list[str]:
    return [f"/{length}" for length in reversed(lengths)]


def _evidence() -> str:
    return f"catalogue, limits of a VPC ({network_limits().date})"


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Compute:
    Type: AWS::EC2::Subnet
    Properties:
      VpcId: {Ref: Vpc}
"""

RULE = TemplateRule(
    id="TRN165",
    title="blocks of VPCs and subnets have a size that EC2 takes",
    severity=Severity.ERROR,
    why="EC2 refuses other blocks when the stack is deployed; schema checkers look at their shape "
    "only.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html",
    good=_HEAD + "      CidrBlock: 10.0.0.0/28\n",
    bad=_HEAD + "      CidrBlock: 10.0.0.0/29\n",
    check=_check,
)
