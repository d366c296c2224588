"""TRN103: the subnets have an address for every interface that takes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.address_budget import compute_budget, endpoint_budget
from trnkit.layout.addresses import addresses_per_node
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.layout.address_budget import AddressBudget

_EVIDENCE = "AWS keeps 5 addresses of every subnet"


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    budget = compute_budget(cluster)
    if budget is not None and budget.needed > budget.capacity:
        path, block = _block(cluster)
        has = "which has" if block == budget.cidr else f"whose compute subnet {budget.cidr} has"
        yield Violation(
            message=f"{format_path(path)} is {block}, {has} {budget.capacity} addresses for nodes; "
            f"the {_takers(budget)} need {budget.needed}",
            hint=_hint(cluster),
            path=path,
            evidence=_EVIDENCE,
        )
    endpoints = endpoint_budget(cluster)
    if endpoints is not None and endpoints.needed > endpoints.capacity:
        block = cluster.network.vpc_cidr
        yield Violation(
            message=f"network.vpc_cidr is {block}, whose endpoint subnet {endpoints.cidr} has "
            f"{endpoints.capacity} addresses; the interface endpoints need {endpoints.needed}",
            hint="take a larger block (up to /16) or fewer endpoints",
            path=("network", "vpc_cidr"),
            evidence=_EVIDENCE,
        )


def _block(cluster: ClusterConfig) -> tuple[Path, str]:
    network = cluster.network
    if network.existing is not None and network.existing.compute_subnet_cidr is not None:
        path = ("network", "existing", "compute_subnet_cidr")
        return path, network.existing.compute_subnet_cidr
    if network.secondary_cidr is not None:
        return ("network", "secondary_cidr"), network.secondary_cidr
    return ("network", "vpc_cidr"), network.vpc_cidr


def _takers(budget: AddressBudget) -> str:
    takers = {
        "node groups": True,
        "interface endpoints": budget.endpoints,
        "file systems (one address each at the least)": budget.file_systems,
    }
    return alternatives([name for name, takes in takers.items() if takes], "and")


def _hint(cluster: ClusterConfig) -> str:
    most = max(addresses_per_node(group) or 1 for _, group in node_groups(cluster))
    hint = "take a larger block (up to /16) or fewer nodes"
    if cluster.network.existing is not None:
        hint = "name a larger subnet, or take fewer nodes"
    if most > 1:
        hint += f"; the all-efa layout takes {most} addresses a node, ena-primary takes one"
    return hint


RULE = ConfigRule(
    id="TRN103",
    title="the compute subnet has room for all nodes",
    severity=Severity.ERROR,
    why="Nodes for which no address is left do not start. A subnet cannot grow later: another "
    "block makes another VPC.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
    good="network: {vpc_cidr: 10.0.0.0/22}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 507}]}\n",
    bad="network: {vpc_cidr: 10.0.0.0/22}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 508}]}\n",
    check=_check,
)
