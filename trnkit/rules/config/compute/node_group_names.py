"""TRN206: every node group has a name of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import Path, format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    first: dict[str, Path] = {}
    for path, group in node_groups(cluster):
        if group.name in first:
            place = (*path, "name")
            yield Violation(
                message=f"{format_path(place)} is {group.name}, like that of "
                f"{format_path(first[group.name])}",
                hint="give each node group a name of its own",
                path=place,
            )
        first.setdefault(group.name, path)


RULE = ConfigRule(
    id="TRN206",
    title="node group names are unique",
    severity=Severity.ERROR,
    why="The name is part of the resources' names and of a tag; two groups of one name cannot be "
    "told apart.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/auto-scaling-groups.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1}, "
    "{name: eval, instance_type: trn2.48xlarge, count: 1}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1}, "
    "{name: train, instance_type: trn2.48xlarge, count: 1}]}\n",
    check=_check,
)
