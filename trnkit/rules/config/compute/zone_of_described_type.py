"""TRN240: the zone is named when nobody knows where an instance type is offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, find_region, zone_ids_offering
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.network.availability_zone_id or find_region(cluster.region) is None:
        return
    told: set[str] = set()
    for _, group in node_groups(cluster):
        name = group.instance_type
        if name in told or find_instance_type(name) is None:
            continue
        told.add(name)
        if zone_ids_offering(name, cluster.region) is None:
            yield Violation(
                message="network.availability_zone_id is required, because the catalogue does not "
                f"know which zones of {cluster.region} offer {name}",
                hint="write one that `aws ec2 describe-instance-type-offerings --location-type "
                f"availability-zone-id --filters Name=instance-type,Values={name} --region "
                f"{cluster.region}` lists",
                path=("network", "availability_zone_id"),
            )


_TYPE = (
    "instance_types_file: examples/types/trn3-preview.json\n"
    "compute: {node_groups: [{name: train, instance_type: trn3-example.48xlarge, count: 2}]}\n"
)

RULE = ConfigRule(
    id="TRN240",
    title="the zone is named when the catalogue does not know where a type is offered",
    severity=Severity.ERROR,
    why="A description of an instance type does not say where EC2 offers it, and all nodes of a "
    "cluster are in one zone. A guessed zone fails at launch.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html",
    good=_TYPE + "network: {availability_zone_id: use2-az1}\n",
    bad=_TYPE,
    check=_check,
)
