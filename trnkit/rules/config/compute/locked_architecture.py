"""TRN282: the locked image is made for the processors of the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.nodes import locked_image
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import from_catalogue
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        locked, known = locked_image(group), find_instance_type(group.instance_type)
        needed = known.architecture if known else None
        if locked is None or known is None or not locked.architecture or not needed:
            continue
        if locked.architecture != needed:
            place = (*path, "image")
            yield Violation(
                message=f"{format_path(place)} is locked to {locked.ami_id}, which is "
                f"{locked.architecture}; {known.name} is {needed}",
                hint=f"name the parameter of an image for {needed}, then run "
                "`trnkit images refresh`",
                path=place,
                evidence=from_catalogue(known, f"architecture {needed}"),
            )


RULE = ConfigRule(
    id="TRN282",
    title="the locked image is made for the processors of the nodes",
    severity=Severity.ERROR,
    why="EC2 refuses to start an instance from an image of another architecture, so the group "
    "stays empty.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ComponentsAMIs.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {lock_file: examples/images.lock}}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {lock_file: examples/images.lock, ssm_parameter: /ml-platform/images/login}}]}\n",
    check=_check,
)
