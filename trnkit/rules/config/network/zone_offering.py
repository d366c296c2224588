"""TRN102: the one zone of the nodes offers every instance type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import (
    find_instance_type,
    find_region,
    region_of_zone_id,
    regions_offering,
    zone_ids_offering,
)
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.capacity import uses_capacity_block
from trnkit.layout.zones import common_zone_ids, named_zone_id
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.offerings import offerings_evidence
from trnkit.rules.judging.region_shape import is_region_shaped
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path

_KEY = "availability_zone_id"
_NAME = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9][a-z]")
_ID = re.compile(r"[a-z]{2,}[0-9]+(-[a-z]+[0-9]+)?-[a-z]+[0-9]+")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if not is_region_shaped(cluster.region):
        return  # TRN101 says so; nothing is known of its zones.
    nowhere = list(_offered_nowhere(cluster))
    yield from nowhere
    zone = named_zone_id(cluster)
    if zone is None:
        if not nowhere:
            yield from _chosen(cluster)
    elif misnamed := _misnamed(cluster, zone):
        yield misnamed
    else:
        yield from _not_in_zone(cluster, zone)


def _path(cluster: ClusterConfig) -> Path:
    """Where the zone stands: beside the ids of an existing VPC, or in the section itself."""
    return ("network", "existing", _KEY) if cluster.network.existing else ("network", _KEY)


def _offered_nowhere(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        if uses_capacity_block(group):
            continue  # Sold in places that the offerings do not list; TRN212 judges it.
        if zone_ids_offering(group.instance_type, cluster.region) == ():
            regions = alternatives(regions_offering(group.instance_type)) or "none known"
            yield Violation(
                message=f"no zone of {cluster.region} offers {group.instance_type}; regions that "
                f"do: {regions}",
                hint="choose one of these regions, or another instance type",
                path=(*path, "instance_type"),
                evidence=offerings_evidence([group.instance_type], cluster.region),
            )


def _find_zones(cluster: ClusterConfig) -> str:
    """A hint where the catalogue knows no zone to name."""
    return (
        f"write the id of a zone of {cluster.region} that offers the instance types; `aws ec2 "
        f"describe-availability-zones --region {cluster.region}` lists them"
    )


def _misnamed(cluster: ClusterConfig, zone: str) -> Violation | None:
    right, field = common_zone_ids(cluster), format_path(_path(cluster))
    hint = f"write {alternatives(right)}" if right else _find_zones(cluster)
    if _NAME.fullmatch(zone):
        text = f"{field} is {zone}, a zone name; names mean other zones in other accounts"
    elif _ID.fullmatch(zone) is None:
        text = f"{field} is {zone}, which is no zone id"
    else:
        home = region_of_zone_id(zone)
        if home in (None, cluster.region):
            return None
        text = f"{field} is {zone}, a zone of {home}; the cluster's region is {cluster.region}"
    return Violation(message=text, hint=hint, path=_path(cluster))


def _not_in_zone(cluster: ClusterConfig, zone: str) -> Iterator[Violation]:
    told: set[str] = set()
    field = format_path(_path(cluster))
    for _, group in node_groups(cluster):
        if uses_capacity_block(group):
            continue
        zones = zone_ids_offering(group.instance_type, cluster.region)
        if zones and zone not in zones and group.instance_type not in told:
            told.add(group.instance_type)
            common = common_zone_ids(cluster)
            yield Violation(
                message=f"{field} is {zone}, which does not offer {group.instance_type}; zones "
                f"that do: {alternatives(zones)}",
                hint=f"write {alternatives(common)}"
                if common
                else "put the instance types into clusters of their own",
                path=_path(cluster),
                evidence=offerings_evidence([group.instance_type], cluster.region),
            )


def _chosen(cluster: ClusterConfig) -> Iterator[Violation]:
    types = dict.fromkeys(group.instance_type for group in cluster.compute.node_groups)
    if any(find_instance_type(name) is None for name in types):
        return
    if any(uses_capacity_block(group) for group in cluster.compute.node_groups):
        return  # TRN215 wants the block's own zone.
    if find_region(cluster.region) and any(
        zone_ids_offering(name, cluster.region) is None for name in types
    ):
        return  # TRN240 says so.
    common, field = common_zone_ids(cluster), format_path(_path(cluster))
    if common:
        yield Violation(
            message=f"{field} is not given; {common[0]} is taken",
            hint=f"write `availability_zone_id: {common[0]}` to keep it",
            path=_path(cluster),
            severity=Severity.INFO,
            evidence=offerings_evidence(types, cluster.region),
        )
    elif find_region(cluster.region) is None:
        yield Violation(
            message=f"{field} is not given, and the catalogue knows no zones of {cluster.region}",
            hint=_find_zones(cluster),
            path=_path(cluster),
        )
    else:
        yield Violation(
            message=f"no zone of {cluster.region} offers {alternatives(types, 'and')} together",
            hint="put them into clusters of their own",
            path=("compute", "node_groups"),
            evidence=offerings_evidence(types, cluster.region),
        )


RULE = ConfigRule(
    id="TRN102",
    title="the zone of the nodes offers every instance type",
    severity=Severity.ERROR,
    why="Trainium is in few zones, and all nodes of a cluster are in one, because EFA does not "
    "cross zones. A launch elsewhere fails, often as if capacity were short.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html",
    good="network: {availability_zone_id: use2-az3}\n",
    bad="network: {availability_zone_id: us-east-2c}\n",
    check=_check,
)
