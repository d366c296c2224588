"""TRN207: several nodes of a type without EFA reach each other over TCP only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import from_catalogue
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        known = find_instance_type(group.instance_type)
        if known is not None and known.maximum_efa_interfaces == 0 and group.count > 1:
            place = (*path, "count")
            yield Violation(
                message=f"{format_path(place)} is {group.count}, but {known.name} has no EFA: its "
                "nodes reach each other over TCP only",
                hint="take a type with EFA for jobs that span nodes",
                path=place,
                evidence=from_catalogue(known, "no EFA"),
            )


RULE = ConfigRule(
    id="TRN207",
    title="several nodes of one group have EFA between them",
    severity=Severity.WARNING,
    why="Collectives over TCP are many times slower; a group of single-node workers may not mind.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    good="region: us-west-2\n"
    "compute: {node_groups: [{name: dev, instance_type: trn1.2xlarge, count: 1}]}\n",
    bad="region: us-west-2\n"
    "compute: {node_groups: [{name: dev, instance_type: trn1.2xlarge, count: 2}]}\n",
    check=_check,
)
