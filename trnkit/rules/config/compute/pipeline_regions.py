"""TRN229: what an image pipeline refers to is in its Region, and its key where images go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.image_pipeline import regions_of_references
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

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
    others = [region for region in pipeline.regions if region != cluster.region]
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
    why="Image Builder takes components, topics and keys of its own Region only, and a copy in "
    "another Region is encrypted with a key of that one.",
    source="https://docs.aws.amazon.com/imagebuilder/latest/userguide/manage-distribution-settings.html",
    good=_FILE % "us-east-2",
    bad=_FILE % "us-west-2",
    check=_check,
)
