"""TRN932: Spot nodes pay at least what Spot costs now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ec2 import DESCRIBE_AVAILABILITY_ZONES
from trnkit.aws.ec2_spot import DESCRIBE_SPOT_PRICE_HISTORY, Ec2SpotGateway
from trnkit.aws.failures import AwsFailure
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.zones import compute_zone_id, zone_key
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import ok, unanswered, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    for index, group in enumerate(account.cluster.compute.node_groups):
        most = group.capacity.max_price_usd
        if group.capacity.type != "spot" or most is None or not group.count:
            continue
        path = ("compute", "node_groups", index, "capacity", "max_price_usd")
        try:
            yield _judge(account, group.instance_type, most, path)
        except AwsFailure as failure:
            yield unanswered(failure, path=path)


def _judge(account: AccountView, kind: str, most: float, path: Path) -> CheckResult:
    region, zone_id = account.cluster.region, compute_zone_id(account.cluster)
    command = (
        f"aws ec2 describe-spot-price-history --region {region} --instance-types {kind} "
        f"--product-descriptions Linux/UNIX --start-time {account.now:%Y-%m-%dT%H:%M:%SZ}"
    )
    price = _current_price(account, kind, zone_id)
    if price is None:
        place = zone_id or "the zone of the nodes, which is unknown"
        key = ".".join(zone_key(account.cluster))
        return unknown(
            f"EC2 tells no Spot price of {kind} in {place}, to compare {format_path(path)} with",
            remedy=f"name a zone that has one in {key}, or leave the maximum out",
            look=command,
            path=path,
        )
    if most < price:
        return warning(
            f"{format_path(path)} is {most}, below {price}, what {kind} costs as Spot in {zone_id} "
            "now",
            remedy=f"write {price} or more, or leave it out to pay the current Spot price",
            look=command,
            path=path,
        )
    return ok(
        f"{format_path(path)} is {most}, and {kind} costs {price} as Spot in {zone_id} now",
        path=path,
    )


def _current_price(account: AccountView, kind: str, zone_id: str | None) -> float | None:
    """What an instance costs in a zone; EC2 names zones by id, or by the account's name."""
    names = {zone.zone_name: zone.zone_id for zone in account.zones()}
    gateway = account.gateway(Ec2SpotGateway)
    prices = account.once(("spot prices", kind), lambda: gateway.prices(kind, account.now))
    there = [
        price
        for price in prices
        if zone_id is not None and (price.zone_id or names.get(price.zone_name or "")) == zone_id
    ]
    newest = max(there, key=lambda price: price.since, default=None)
    return newest.usd_per_hour if newest else None


CHECK = PreflightCheck(
    id="TRN932",
    name="spot-price",
    title="The maximum price of Spot nodes is no lower than the Spot price now",
    why="Below the Spot price EC2 launches nothing: the deployment succeeds, and the group stays "
    "empty until the price falls. The price of the zone is compared as it is now; it changes, and "
    "a node whose maximum it passes is taken back.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-requests.html",
    needs=(DESCRIBE_AVAILABILITY_ZONES, DESCRIBE_SPOT_PRICE_HISTORY),
    run=_run,
    worst=Severity.WARNING,
)
