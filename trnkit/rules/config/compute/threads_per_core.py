"""TRN226: the type has the threads that are asked for."""

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
        known, asked = find_instance_type(group.instance_type), group.threads_per_core
        if asked is None or known is None:
            continue
        place, most = (*path, "threads_per_core"), known.threads_per_core
        if most is not None and asked > most:
            yield Violation(
                message=f"{format_path(place)} is {asked}; {known.name} has {most}",
                hint="leave it out",
                path=place,
                evidence=from_catalogue(known, f"{most} threads a core"),
            )
        elif asked == 1 and known.vcpus is not None:
            yield Violation(
                message=f"{format_path(place)} is 1: {known.name} then has {known.default_cores} "
                f"of its {known.vcpus} vCPUs, and data loading half of its threads",
                hint="leave it out unless you have measured that it helps",
                path=place,
                severity=Severity.INFO,
                evidence=from_catalogue(known, f"{known.default_cores} cores"),
            )


_GROUP = "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1"

RULE = ConfigRule(
    id="TRN226",
    title="the type has the threads that are asked for",
    severity=Severity.ERROR,
    why="EC2 refuses a launch with more threads than a core has; with one, half of the vCPUs that "
    "feed the accelerators are gone, at the same price.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-optimize-cpu.html",
    good=_GROUP + "}]}\n",
    bad=_GROUP + ", threads_per_core: 1}]}\n",
    check=_check,
)
