"""TRN103: the compute subnet has an address for every interface that takes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.addresses import addresses_needed, addresses_per_node, plan_subnets
from trnkit.rules.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    block, groups = cluster.network.vpc_cidr, cluster.compute.node_groups
    needed = addresses_needed(groups)
    plan = plan_subnets(block, needed)
    if needed > plan.compute_capacity:
        most = max(addresses_per_node(group) or 1 for _, group in node_groups(cluster))
        hint = "take a larger block (up to /16) or fewer nodes"
        if most > 1:
            hint += f"; the all-efa layout takes {most} addresses a node, ena-primary takes one"
        yield Violation(
            message=f"network.vpc_cidr is {block}, whose compute subnet {plan.compute} has "
            f"{plan.compute_capacity} addresses for nodes; the node groups need {needed}",
            hint=hint,
            path=("network", "vpc_cidr"),
            evidence="AWS keeps 5 addresses of every subnet",
        )


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
