"""TRN280: a lock belongs to a parameter, not to a fixed image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        if group.image and group.image.ami_id and group.image.lock_file:
            place = (*path, "image", "lock_file")
            yield Violation(
                message=f"{format_path(place)} has nothing to lock: ami_id beside it is fixed",
                hint="remove lock_file, or write ssm_parameter in place of ami_id",
                path=place,
            )


RULE = ConfigRule(
    id="TRN280",
    title="a lock belongs to a parameter, not to a fixed image",
    severity=Severity.ERROR,
    why="Of the two only one can be what the nodes boot, and a refresh of the lock would change "
    "nothing.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/using-systems-manager-parameters.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {lock_file: examples/images.lock}}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {lock_file: examples/images.lock, ami_id: ami-0123456789abcdef0}}]}\n",
    check=_check,
)
