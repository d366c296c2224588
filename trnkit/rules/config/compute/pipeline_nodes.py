"""TRN209: nodes that boot what an image pipeline makes are made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.image_pipeline import boots_its_image, image_pipeline_plan
from trnkit.layout.nodes import image_of
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_MADE = ("compute", "image_pipeline")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    plan, pipeline = image_pipeline_plan(cluster), cluster.compute.image_pipeline
    if plan is None or pipeline is None:
        return
    used = False
    for path, group in node_groups(cluster):
        if not boots_its_image(group, plan):
            continue
        used = True
        size, place = group.root_volume_size_gib, (*path, "root_volume_size_gib")
        if size < pipeline.root_volume_size_gib:
            yield Violation(
                message=f"{format_path(place)} is {size} GiB, and {format_path(_MADE)} makes "
                f"images of {pipeline.root_volume_size_gib} GiB",
                hint=f"write {pipeline.root_volume_size_gib} or more",
                path=place,
            )
        image, place = image_of(group), (*path, "image", "operating_system")
        if image.root_device_name != plan.root_device_name:
            yield Violation(
                message=f"{format_path(place)} is {image.operating_system}, with the root device "
                f"{image.root_device_name}; {format_path(_MADE)} makes images of "
                f"{plan.operating_system}, with {plan.root_device_name}",
                hint=f"write operating_system: {plan.operating_system}",
                path=place,
            )
    if not used:
        yield Violation(
            message=f"{format_path(_MADE)} makes images that no node group of this file boots",
            hint=f"write ssm_parameter: {plan.parameter_name} below image once there is one",
            path=_MADE,
            severity=Severity.INFO,
        )


_FILE = (
    "compute: {{image_pipeline: {{root_volume_size_gib: 200}}, node_groups: [{{name: train, "
    "instance_type: trn2.48xlarge, count: 1, root_volume_size_gib: {size}, "
    "image: {{ssm_parameter: /imagebuilder/trnkit/pretrain}}}}]}}\n"
)

RULE = ConfigRule(
    id="TRN209",
    title="nodes that boot a pipeline's image have its root device, and room for it",
    severity=Severity.ERROR,
    why="EC2 refuses a root volume smaller than the image's snapshot; a mapping for another root "
    "device adds a second disk and leaves the root small.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/block-device-mapping-concepts.html",
    good="name: pretrain\n" + _FILE.format(size=512),
    bad="name: pretrain\n" + _FILE.format(size=100),
    check=_check,
)
