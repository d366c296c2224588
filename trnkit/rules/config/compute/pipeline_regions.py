"""TRN229: what an image pipeline refers to is in its Region, and images go where they can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.image_pipeline import regions_of_references
from trnkit.rules.judging.region_shape import partition_of
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.image_pipeline import ImagePipelineConfig

_PLACE = ("compute", "image_pipeline")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    pipeline = cluster.compute.image_pipeline
    if pipeline is None:
        return
    for key, region in regions_of_references(pipeline):
        if region != cluster.region:
            yield Violation(
                message=f"{format_path((*_PLACE, key))} names something in {region}; the pipeline "
                f"is in {cluster.region}",
                hint=f"name one in {cluster.region}",
                path=(*_PLACE, key),
            )
    yield from _judge_copies(cluster.region, pipeline)


def _judge_copies(home: str, pipeline: ImagePipelineConfig) -> Iterator[Violation]:
    for index, region in enumerate(pipeline.regions):
        place = (*_PLACE, "regions", index)
        here, there = partition_of(home), partition_of(region)
        if region == home:
            yield Violation(
                message=f"{format_path(place)} is {region}, which has each image anyway",
                hint="remove the entry: only further Regions stand there",
                path=place,
                severity=Severity.INFO,
            )
        elif here is not None and there is not None and here != there:
            yield Violation(
                message=f"{format_path(place)} is {region}, of the partition {there}; the pipeline "
                f"is in {home}, of {here}",
                hint=f"remove the entry; images of {there} need a pipeline there",
                path=place,
            )
    others = [region for region in pipeline.regions if region != home]
    if pipeline.kms_key_arn is not None and others:
        yield Violation(
            message=f"{format_path((*_PLACE, 'regions'))} has {others[0]}, where the key of "
            "kms_key_arn encrypts nothing",
            hint="remove regions, or kms_key_arn",
            path=(*_PLACE, "regions"),
        )


_FILE = (
    "region: us-east-2\ncompute: {image_pipeline: {topic_arn: "
    "'arn:aws:sns:%s:111122223333:images'}, node_groups: [{name: train, "
    "instance_type: trn2.48xlarge, count: 1}]}\n"
)

RULE = ConfigRule(
    id="TRN229",
    title="what an image pipeline refers to is in its Region",
    severity=Severity.ERROR,
    why="Image Builder takes components, topics and keys of its own Region only, a copy in another "
    "Region is encrypted with a key of that one, and no image is copied to another partition.",
    source="https://docs.aws.amazon.com/imagebuilder/latest/userguide/manage-distribution-settings.html",
    good=_FILE % "us-east-2",
    bad=_FILE % "us-west-2",
    check=_check,
)
