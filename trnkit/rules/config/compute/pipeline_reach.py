"""TRN228: machines that build images reach package mirrors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.endpoints import is_isolated
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PLACE = ("compute", "image_pipeline")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.compute.image_pipeline is not None and is_isolated(cluster):
        yield Violation(
            message=f"{format_path(_PLACE)} builds in a network without a way to the internet, "
            "where package mirrors and the Image Builder service are out of reach",
            hint="keep the NAT gateway, or build images in another cluster's network",
            path=_PLACE,
        )


_FILE = (
    "network: {nat_gateway: %s}\ncompute: {image_pipeline: {}, node_groups: [{name: train, "
    "instance_type: trn2.48xlarge, count: 1}]}\n"
)

RULE = ConfigRule(
    id="TRN228",
    title="machines that build images reach package mirrors",
    severity=Severity.ERROR,
    why="A build downloads the Lustre client and the build agent; without a way out it waits until "
    "Systems Manager gives it up.",
    source="https://docs.aws.amazon.com/imagebuilder/latest/userguide/set-up-ib-env.html",
    good=_FILE % "true",
    bad=_FILE % "false",
    check=_check,
)
