"""TRN904: the account has the zone of the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ec2 import DESCRIBE_AVAILABILITY_ZONES
from trnkit.layout.zones import compute_zone_id, zone_key
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    cluster = account.cluster
    existing = cluster.network.existing
    wanted: dict[str | None, Path] = {compute_zone_id(cluster): zone_key(cluster)}
    if existing is None:
        for index, zone_id in enumerate(cluster.network.control_plane_zone_ids):
            wanted.setdefault(zone_id, ("network", "control_plane_zone_ids", index))
    zones = {zone.zone_id: zone for zone in account.zones()}
    look = f"aws ec2 describe-availability-zones --region {cluster.region}"
    for zone_id, path in wanted.items():
        if zone_id is None:
            yield unknown(
                f"the file names no zone, and the catalogue knows none in {cluster.region} for "
                "its instance types",
                remedy="name the zone's id in network.availability_zone_id",
                look=look,
                path=path,
            )
        elif zone_id not in zones:
            named = next((z.zone_id for z in zones.values() if z.zone_name == zone_id), None)
            yield fail(
                f"this account has no zone {zone_id} in {cluster.region}",
                evidence=f"it has {', '.join(sorted(zones)[:8]) or 'none there'}",
                remedy=f"write the zone's id, {named}" if named else "name the id of another zone",
                look=look,
                path=path,
            )
        elif zones[zone_id].state != "available":
            yield warning(
                f"zone {zone_id} ({zones[zone_id].zone_name}) is {zones[zone_id].state}",
                remedy="wait, or name another zone",
                look=look,
                path=path,
            )
        else:
            yield ok(f"zone {zone_id} is {zones[zone_id].zone_name} in this account", path=path)


CHECK = PreflightCheck(
    id="TRN904",
    name="zone",
    title="The account has the zone of the nodes",
    why="Zone names differ from account to account, and some accounts do not have every zone of a "
    "Region. Subnets in a zone that is not there fail the network's stack.",
    source="https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html",
    needs=(DESCRIBE_AVAILABILITY_ZONES,),
    run=_run,
)
