"""TRN296: an image is built before nodes boot it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.image_pipeline import boots_its_image, image_pipeline_plan
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    plan = image_pipeline_plan(cluster)
    if plan is None:
        return
    for path, group in node_groups(cluster):
        # With a lock there is an image, or TRN281 says that there is none.
        if group.image is None or group.image.lock_file or not boots_its_image(group, plan):
            continue
        place = (*path, "image", "ssm_parameter")
        yield Violation(
            message=f"{format_path(place)} is {group.image.ssm_parameter}, which does not exist "
            "before the first build of compute.image_pipeline",
            hint=f"deploy {cluster.name}/Images first, run its output StartImageBuild once, then "
            "deploy the rest",
            path=place,
        )
        return


_FILE = (
    "name: pretrain\ncompute: {image_pipeline: {}, node_groups: [{name: train, "
    "instance_type: trn2.48xlarge, count: 1, image: {%s}}]}\n"
)

RULE = ConfigRule(
    id="TRN296",
    title="an image is built before nodes boot it",
    severity=Severity.INFO,
    why="A deployment makes the pipeline and builds nothing; until its first build has ended well, "
    "EC2 refuses to start nodes whose parameter is not there.",
    source="https://docs.aws.amazon.com/imagebuilder/latest/APIReference/API_SsmParameterConfiguration.html",
    good=_FILE % "ami_id: ami-0123456789abcdef0",
    bad=_FILE % "ssm_parameter: /imagebuilder/trnkit/pretrain",
    check=_check,
)
