"""Whether a cluster file can go where AWS has what it wants: what of it does not fit there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.config.yaml_edit import value_at
from trnkit.layout.zones import named_zone_id
from trnkit.operations.planning.aim import stops_plan
from trnkit.operations.planning.changes import moved_ids
from trnkit.operations.planning.trial import new_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trnkit.config import ClusterFile
    from trnkit.config.yaml_edit import Change
    from trnkit.findings import Finding
    from trnkit.operations.planning.market import RegionMarket

_ZONE = ("network", "availability_zone_id")


def misfits(
    cluster: ClusterFile, known: Iterable[Finding], markets: Iterable[RegionMarket]
) -> dict[str, tuple[str, ...]]:
    """What must change in a file before it can go to another Region or zone.

    Where a type is offered or sold is left out: AWS was asked, and its answer goes before the
    catalogue's.

    Args:
        cluster: The file.
        known: What `trnkit check` says of it.
        markets: The Regions.

    Returns:
        Region, or zone of the file's own Region -> a line for each obstacle; what fits is left
        out.
    """
    before = list(known)
    found: dict[str, tuple[str, ...]] = {}
    for market in markets:
        if market.region == cluster.config.region:
            found |= _of_zones(cluster, market)
        else:
            found[market.region] = tuple(_of_region(cluster, before, market))
    return {region: lines for region, lines in found.items() if lines}


def _of_zones(cluster: ClusterFile, market: RegionMarket) -> dict[str, tuple[str, ...]]:
    """A subnet of an existing VPC is in one zone."""
    here = named_zone_id(cluster.config)
    if cluster.config.network.existing is None or here is None:
        return {}
    line = (
        "the file cannot go there as it is: the compute subnet of the existing VPC is in "
        f"{here}; name a subnet there"
    )
    zones = () if isinstance(market.zones, AwsFailure) else market.zones
    return {zone.zone_id: (line,) for zone in zones if zone.zone_id != here}


def _of_region(cluster: ClusterFile, known: list[Finding], market: RegionMarket) -> Iterator[str]:
    values: list[Change] = [(("region",), market.region)]
    if value_at(cluster.document.data, _ZONE) and not isinstance(market.zones, AwsFailure):
        values += [(_ZONE, zone.zone_id) for zone in market.zones[:1]]
    for error in new_errors(cluster, known, values):
        if stops_plan(error):
            hint = f"; {error.hint}" if error.hint else ""
            yield f"the file cannot go there as it is: {error.rule_id}: {error.message}{hint}"
    # Reservations change with the purchase, which is what the plan is about.
    ids = [(path, value) for path, value in moved_ids(cluster.config) if ".capacity." not in path]
    if ids:
        path, value = ids[0]
        more = f", and {len(ids) - 1} more" if len(ids) > 1 else ""
        yield (
            f"the file cannot go there as it is: {path} is {value}{more}, which does not exist "
            "there"
        )
