"""TRN295: what an image runs stands in its parameter's name or in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.image_pipeline import boots_its_image, image_pipeline_plan
from trnkit.layout.nodes import locked_image, system_in_name
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path

_OF_AWS = "/aws/"


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    plan, pipeline = image_pipeline_plan(cluster), cluster.compute.image_pipeline
    for path, group in node_groups(cluster):
        image, locked = group.image, locked_image(group)
        if image is None or image.ami_id or image.operating_system:
            continue
        # A lock has the root device that AWS told; without an entry TRN281 says so.
        of_lock = image.lock_file and (locked is None or locked.root_device_name is not None)
        # Of the pipeline's own image TRN209 judges.
        if not of_lock and not (plan is not None and boots_its_image(group, plan)):
            yield from _judge((*path, "image", "ssm_parameter"), image.ssm_parameter)
    if pipeline is not None and not pipeline.parent_ami_id and not pipeline.operating_system:
        place = ("compute", "image_pipeline", "parent_ssm_parameter")
        yield from _judge(place, pipeline.parent_ssm_parameter)


def _judge(place: Path, parameter: str | None) -> Iterator[Violation]:
    if parameter is None or parameter.startswith(_OF_AWS) or system_in_name(parameter):
        return
    yield Violation(
        message=f"{format_path(place)} is {parameter}, which does not say what the image runs; it "
        "is taken for ubuntu-24.04, with the root device /dev/sda1",
        hint="write `operating_system:` beside it",
        path=place,
    )


_FILE = (
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {ssm_parameter: %s}}]}\n"
)

RULE = ConfigRule(
    id="TRN295",
    title="what an image runs stands in its parameter's name or in the file",
    severity=Severity.WARNING,
    why="The root device is /dev/sda1 on Ubuntu and /dev/xvda on Amazon Linux; a mapping for the "
    "other one adds a second disk and leaves the root small.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/block-device-mapping-concepts.html",
    good=_FILE % "/my/image, operating_system: amazon-linux-2023",
    bad=_FILE % "/my/image",
    check=_check,
)
