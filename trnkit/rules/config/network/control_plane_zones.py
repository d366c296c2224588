"""TRN117: a control plane gets two or more zones of the region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_region, region_of_zone_id
from trnkit.findings import Severity
from trnkit.layout.addresses import MOST_CONTROL_PLANE_ZONES
from trnkit.layout.zones import zone_number
from trnkit.rules.judging.control_plane import judge_zone_number
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path

_KEY = "network.control_plane_zone_ids"
_PATH = ("network", "control_plane_zone_ids")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    zones = cluster.network.control_plane_zone_ids
    if zones:
        yield from _too_few(_KEY, _PATH, zones, "zone")
    for index, zone in enumerate(zones):
        if problem := _problem(cluster.region, zone):
            yield Violation(
                message=f"{_KEY}[{index}] is {zone}, {problem}",
                hint=_hint(cluster.region),
                path=(*_PATH, index),
            )
    existing = cluster.network.existing
    if existing is not None and existing.control_plane_subnet_ids:
        key = "control_plane_subnet_ids"
        ids = existing.control_plane_subnet_ids
        yield from _too_few(f"network.existing.{key}", ("network", "existing", key), ids, "subnet")


def _too_few(key: str, path: Path, entries: tuple[str, ...], noun: str) -> Iterator[Violation]:
    wrong = judge_zone_number(entries, noun)
    if wrong is not None:
        yield Violation(message=f"{key} {wrong.text}", hint=wrong.hint, path=path)
    elif len(set(entries)) < len(entries):
        yield Violation(
            message=f"{key} names a {noun} twice", hint="remove the repetition", path=path
        )


def _problem(region: str, zone: str) -> str | None:
    number = zone_number(zone)
    if number is None or not 1 <= number <= MOST_CONTROL_PLANE_ZONES:
        return "which is no id of an Availability Zone"
    home = region_of_zone_id(zone)
    if home not in (None, region):
        return f"a zone of {home}; the cluster's region is {region}"
    known = find_region(region)
    if known is not None and zone not in known.zone_ids:
        return f"which {region} does not have"
    return None


def _hint(region: str) -> str:
    known = find_region(region)
    return f"take {alternatives(known.zone_ids)}" if known else "write zone ids such as use2-az3"


RULE = ConfigRule(
    id="TRN117",
    title="a control plane has two or more zones of the region",
    severity=Severity.ERROR,
    why="EKS and others refuse a control plane in a single zone. Its subnets are apart from the "
    "nodes', which stay in the one zone that has the instances.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    good="network: {control_plane_zone_ids: [use2-az1, use2-az2]}\n",
    bad="network: {control_plane_zone_ids: [use2-az3]}\n",
    check=_check,
)
