"""TRN212: the region sells Capacity Blocks of the instance type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.findings import Severity
from trnkit.layout.capacity import uses_capacity_block
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.offerings import judge_block_sold
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.config.yaml_reader import Path


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        if uses_capacity_block(group):
            yield from _judge(cluster, group, (*path, "instance_type"))


def _judge(cluster: ClusterConfig, group: NodeGroupConfig, path: Path) -> Iterator[Violation]:
    kind = find_instance_type(group.instance_type)
    verdict = judge_block_sold(kind, cluster.region) if kind else None
    if verdict is not None:
        severity, wrong = verdict
        yield Violation(
            message=wrong.text,
            hint=f"{wrong.hint}, or another `capacity.type`"
            if wrong.hint
            else "choose another `capacity.type`",
            path=path,
            severity=severity,
            evidence=wrong.evidence,
        )


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, count: 1, capacity: {type: capacity-block, "
    "capacity_reservation_id: cr-0123456789abcdef0, start: 2027-03-01T11:30:00Z, "
    "end: 2027-03-08T11:30:00Z}, instance_type: "
)

RULE = ConfigRule(
    id="TRN212",
    title="the region sells Capacity Blocks of the instance type",
    severity=Severity.ERROR,
    why="Not every type is sold in blocks, and not everywhere where it is offered On-Demand; where "
    "sources disagree this is a warning.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good=_GROUP + "trn2.48xlarge}]}\n",
    bad=_GROUP + "trn1n.32xlarge}]}\n",
    check=_check,
)
