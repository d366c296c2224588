"""TRN281: a lock holds the image of its parameter and region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import clipped, format_path
from trnkit.findings import Severity
from trnkit.layout.image_pipeline import boots_its_image, image_pipeline_plan
from trnkit.layout.nodes import image_parameter
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


_FIRST_BUILD = (
    "once there is an image, run `trnkit images refresh`; before the first build leave lock_file "
    "out, deploy {}/Images and run its output StartImageBuild"
)


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    plan = image_pipeline_plan(cluster)
    for path, group in node_groups(cluster):
        image, parameter = group.image, image_parameter(group)
        if image is None or image.lock_file is None or parameter is None:
            continue
        place, lock = (*path, "image", "lock_file"), clipped(image.lock_file)
        if image.locked_images is None:
            lacks = "there is no such file"
        elif parameter in image.locked_images:
            continue
        else:
            lacks = f"it has no image of {parameter} in {cluster.region}"
        yield Violation(
            message=f"{format_path(place)} is {lock}: {lacks}",
            hint=_FIRST_BUILD.format(cluster.name)
            if plan is not None and boots_its_image(group, plan)
            else "run `trnkit images refresh` on this file, with credentials, and commit the lock",
            path=place,
        )


RULE = ConfigRule(
    id="TRN281",
    title="a lock holds the image of its parameter and region",
    severity=Severity.ERROR,
    why="Nothing is looked up when templates are made, so an image that the lock lacks is not "
    "known; images have another id in each Region.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/finding-an-ami.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {lock_file: examples/images.lock}}]}\n",
    bad="region: us-west-2\n"
    "compute: {node_groups: [{name: train, instance_type: trn1.32xlarge, count: 1, "
    "image: {lock_file: examples/images.lock, ssm_parameter: /my/own/image}}]}\n",
    check=_check,
)
