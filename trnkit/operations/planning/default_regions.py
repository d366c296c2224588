"""Which Regions a plan compares when nobody says which."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from trnkit.aws.ec2 import Ec2Gateway
from trnkit.aws.failures import AwsFailure
from trnkit.catalog import (
    capacity_block_regions,
    capacity_block_sold,
    find_instance_type,
    find_region,
    region_names,
    regions_offering,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.aws.session import AwsSession
    from trnkit.operations.planning.market import Told


def default_regions(
    session: AwsSession, types: Iterable[str], home_region: str, *, every: bool = False
) -> Told[tuple[str, ...]]:
    """The Regions to compare.

    The catalogue is asked first, and AWS only when that does not know: for a type that it has
    nowhere, for a home in another partition than its Regions, and for all Regions.

    Args:
        session: Who asks.
        types: Instance types that are wanted together, in one zone.
        home_region: The file's Region, or the one of the credentials; it is asked for the others,
            and comes first among them.
        every: All Regions that are on for the account.

    Returns:
        Regions that offer all of the types, or sell them in Capacity Blocks. Where no Region has
        all, those that have one of them.
    """
    if not every and _is_commercial(home_region):
        places = [_places(name) for name in dict.fromkeys(types)]
        if places and all(places):
            together = reduce(frozenset.intersection, places)
            found = together or reduce(frozenset.union, places)
            return _ordered(found, home_region)
    try:
        return _ordered(Ec2Gateway(session, home_region).regions(), home_region)
    except AwsFailure as failure:
        return failure


def _places(name: str) -> frozenset[str]:
    """Regions that are known to offer a type, or to sell it in blocks; none for an unknown type."""
    sold = set(capacity_block_regions(name))
    if find_instance_type(name):
        sold |= {region for region in region_names() if capacity_block_sold(name, region)}
    return frozenset({*regions_offering(name), *sold})


def _is_commercial(region: str) -> bool:
    """Whether the credentials of a Region are good for the catalogue's Regions.

    Those of other partitions have a prefix (`cn-`, `us-gov-`), which none of the catalogue's has.
    """
    if find_region(region):
        return True
    prefix = region.partition("-")[0]
    return len(prefix) == 2 and not region.startswith(("cn-", "us-gov-", "us-iso", "eu-iso"))


def _ordered(regions: Iterable[str], home_region: str) -> tuple[str, ...]:
    return tuple(sorted(regions, key=lambda region: (region != home_region, region)))
