"""Instance types as moto describes them, and those that a user adds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trnkit.emulation.services.backends import ec2_backend

BY_ZONE_ID = "availability-zone-id"


def instance_type(name: str) -> Mapping[str, Any] | None:
    """What DescribeInstanceTypes tells of a type, None when it is not known.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html
    """
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    return INSTANCE_TYPES.get(name)


def offered_in(name: str, region: str) -> frozenset[str] | None:
    """Zone ids of a region that offer a type; None when nothing is known of the type's zones."""
    from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

    by_region: Mapping[str, list[Mapping[str, str]]] = INSTANCE_TYPE_OFFERINGS[BY_ZONE_ID]
    if not any(row["InstanceType"] == name for rows in by_region.values() for row in rows):
        return None
    rows = by_region.get(region, ())
    return frozenset(row["Location"] for row in rows if row["InstanceType"] == name)


def vcpus(name: str) -> int:
    """VCPUs of a type, by which quotas count."""
    return int((instance_type(name) or {}).get("VCpuInfo", {}).get("DefaultVCpus", 0))


def add_instance_types(
    answer: Mapping[str, Any], offerings: Mapping[str, Iterable[str]] | None = None
) -> list[str]:
    """Merge types into those that the emulated AWS knows.

    Args:
        answer: A DescribeInstanceTypes answer: ``{"InstanceTypes": [...]}``.
        offerings: Zone ids that offer each of these types, by region. Without them nothing is known
            of the types' zones, so no zone is refused.

    Returns:
        Names of the types.
    """
    from moto.ec2.models.instance_types import (
        INSTANCE_TYPES,
        InstanceType,
        InstanceTypeBackend,
    )

    names = [str(info["InstanceType"]) for info in answer.get("InstanceTypes", ())]
    for info in answer.get("InstanceTypes", ()):
        name = str(info["InstanceType"])
        INSTANCE_TYPES[name] = dict(info)
        kept = [known for known in InstanceTypeBackend.instance_types if known.name != name]
        InstanceTypeBackend.instance_types = [*kept, InstanceType(name)]
    for region, zone_ids in (offerings or {}).items():
        _offer(names, region, [*zone_ids])
    return names


def _offer(names: list[str], region: str, zone_ids: list[str]) -> None:
    from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

    zones = ec2_backend(region).describe_availability_zones()
    zone_names = {zone.zone_id: zone.name for zone in zones}
    known_names = [zone_names[zone_id] for zone_id in zone_ids if zone_id in zone_names]
    places = {BY_ZONE_ID: zone_ids, "availability-zone": known_names, "region": [region]}
    for location_type, locations in places.items():
        rows = INSTANCE_TYPE_OFFERINGS[location_type].setdefault(region, [])
        for row in [
            {"InstanceType": name, "Location": location, "LocationType": location_type}
            for name in names
            for location in locations
        ]:
            if row not in rows:
                rows.append(row)
