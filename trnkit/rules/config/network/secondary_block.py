"""TRN118: AWS lets the second block of a VPC stand beside the first."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_RANGES = tuple(
    ipaddress.IPv4Network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
)
_LOW, _LOWEST = ipaddress.IPv4Network("10.0.0.0/15"), ipaddress.IPv4Network("10.0.0.0/16")
_DEFAULT_VPC = ipaddress.IPv4Network("172.31.0.0/16")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    network = cluster.network
    if network.secondary_cidr is None:
        return
    first = ipaddress.IPv4Network(network.vpc_cidr)
    second = ipaddress.IPv4Network(network.secondary_cidr)
    if problem := _problem(first, second):
        yield Violation(
            message=f"network.secondary_cidr is {second}, {problem}",
            hint="take a block of 100.64.0.0/10, which goes with every first block",
            path=("network", "secondary_cidr"),
        )


def _problem(first: ipaddress.IPv4Network, second: ipaddress.IPv4Network) -> str | None:
    if first.overlaps(second):
        return f"which overlaps network.vpc_cidr {first}"
    home = next((block for block in _RANGES if first.subnet_of(block)), None)
    other = next((block for block in _RANGES if second.subnet_of(block)), None)
    if other is not None and home is not None and other != home:
        return f"a block of {other}; AWS refuses it beside a first block of {home}"
    if first.subnet_of(_LOW) and second.subnet_of(_LOWEST):
        return f"a block of {_LOWEST}; AWS refuses it beside a first block of {_LOW}"
    if first.subnet_of(_RANGES[1]) and second.subnet_of(_DEFAULT_VPC):
        return f"a block of {_DEFAULT_VPC}; AWS refuses it beside a first block of {_RANGES[1]}"
    return None


RULE = ConfigRule(
    id="TRN118",
    title="AWS takes the second block beside the first",
    severity=Severity.ERROR,
    why="Which blocks a VPC may add depends on those it has. A refused one fails the deployment.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html",
    good="network: {vpc_cidr: 10.0.0.0/20, secondary_cidr: 100.64.0.0/16}\n",
    bad="network: {vpc_cidr: 10.0.0.0/20, secondary_cidr: 172.16.0.0/16}\n",
    check=_check,
)
