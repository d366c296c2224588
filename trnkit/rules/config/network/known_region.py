"""TRN101: the Region is one that is known to offer Neuron instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_region, region_names
from trnkit.findings import Severity, nearest
from trnkit.rules.judging.region_shape import is_region_shaped
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    close = nearest(cluster.region, region_names())
    if not is_region_shaped(cluster.region):
        yield Violation(
            message=f"region is {cluster.region}, which is no region's name",
            hint=did_you_mean(close, "write a name such as us-east-2"),
            path=("region",),
            severity=Severity.ERROR,
        )
    elif find_region(cluster.region) is None:
        yield Violation(
            message=f"region is {cluster.region}, which the catalogue does not list among the "
            "regions with Neuron instances",
            hint=did_you_mean(close, "make sure that the region offers the instance types"),
            path=("region",),
            evidence=f"catalogue, {len(region_names())} regions with Neuron instances",
        )


RULE = ConfigRule(
    id="TRN101",
    title="the region is known to offer Neuron instances",
    severity=Severity.WARNING,
    why="A mistyped region fails only at deployment. The list may be older than a region, so that "
    "a name that could be one is no error.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-regions.html",
    good="region: us-west-2\ncompute: {node_groups: [{name: train, instance_type: trn1.32xlarge, "
    "count: 1}]}\n",
    bad="region: us-esat-2\n",
    check=_check,
)
