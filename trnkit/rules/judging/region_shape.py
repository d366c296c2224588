"""Names of Regions: whether they can be one at all, and to which partition they belong."""

from __future__ import annotations

import re

_DIRECTIONS = "central|(?:north|south)(?:east|west)?|east|west"
_REGION = re.compile(
    rf"(?P<area>[a-z]{{2}}(?:-gov|-iso[a-z]?)?|eusc-[a-z]{{2}})-(?:{_DIRECTIONS})-[0-9]{{1,2}}"
)
_PARTITIONS = {
    "cn": "aws-cn",
    "us-gov": "aws-us-gov",
    "us-iso": "aws-iso",
    "us-isob": "aws-iso-b",
    "us-isof": "aws-iso-f",
    "eu-isoe": "aws-iso-e",
    "eusc-de": "aws-eusc",
}


def is_region_shaped(name: str) -> bool:
    """Whether a name is like that of a Region, known or not: `eu-central-9`, not `us-esat-1`."""
    return _REGION.fullmatch(name) is not None


def partition_of(region: str) -> str | None:
    """The partition of a Region; None when the name is no Region's, or of a partition not known."""
    found = _REGION.fullmatch(region)
    if found is None:
        return None
    return _PARTITIONS.get(found["area"], None if "-" in found["area"] else "aws")
