"""An account that is asked for a plan, in which everything is well."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.trnkit.operations.preflight.fake_account import FakeAccount, instance, known_answers
from trnkit.operations.planning.market import NodeNeed
from trnkit.operations.planning.request import PlanRequest

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KIND = "trn1.32xlarge"
VCPUS = 128
REGIONS = (
    "us-east-1",
    "us-east-2",
    "us-west-2",
    "ap-south-1",
    "ap-south-2",
    "ap-southeast-2",
    "ap-southeast-4",
    "sa-east-1",
    "eu-north-1",
    "eu-west-1",
)
ALL_PURCHASES = frozenset({"on-demand", "on-demand-reservation", "spot", "capacity-block"})


def request(*regions: str, needs: Any = ((KIND, 4),), **changes: Any) -> PlanRequest:
    """A request of everything, for one day, in us-east-2 unless told otherwise."""
    wanted = {
        "regions": regions or ("us-east-2",),
        "needs": tuple(NodeNeed(instance_type=kind, count=count) for kind, count in needs),
        "purchases": ALL_PURCHASES,
        "hours": 24,
        "services": ("fsx", "efs"),
    }
    return PlanRequest(**wanted | changes)


def zone_name(region: str, number: int) -> str:
    """The account's name of a zone: not in the order of the ids."""
    return f"{region}{'cab'[number - 1]}"


def zone_id(region: str, number: int) -> str:
    return f"{region.replace('-', '')}-az{number}"


def zones(told: dict[str, Any], region: str) -> Any:
    entries = [
        {"ZoneId": zone_id(region, n), "ZoneName": zone_name(region, n), "State": "available"}
        for n in (1, 2, 3)
    ]
    return {"AvailabilityZones": entries}


def offerings(told: dict[str, Any], region: str) -> Any:
    (wanted,) = (f["Values"] for f in told["Filters"] if f["Name"] == "instance-type")
    entries = [
        {"InstanceType": name, "LocationType": told["LocationType"], "Location": zone}
        for name in wanted
        for zone in (zone_id(region, 1), zone_id(region, 3))
    ]
    return {"InstanceTypeOfferings": entries}


def spot_prices(told: dict[str, Any], region: str) -> Any:
    entries = [
        {
            "AvailabilityZone": zone_name(region, 1),
            "InstanceType": told["InstanceTypes"][0],
            "SpotPrice": price,
            "Timestamp": NOW - timedelta(days=days),
        }
        for price, days in (("3.0", 9), ("2.15", 1), ("1.5", 20), ("9.9", 45))
    ]
    return {"SpotPriceHistory": entries}


def scores(told: dict[str, Any], region: str) -> Any:
    (scored,) = told["RegionNames"]
    entry = {"Region": scored, "AvailabilityZoneId": zone_id(scored, 1), "Score": 3}
    return {"SpotPlacementScores": [entry]}


def block(region: str, **changes: Any) -> dict[str, Any]:
    """An offer; it ends a day after it starts unless told otherwise."""
    start = changes.get("StartDate") or NOW + timedelta(days=2)
    return {
        "CapacityBlockOfferingId": "cb-0123456789abcdef0",
        "InstanceType": KIND,
        "AvailabilityZone": zone_name(region, 3),
        "InstanceCount": 4,
        "StartDate": start,
        "EndDate": start + timedelta(days=1),
        "CapacityBlockDurationHours": 24,
        "UpfrontFee": "915.07",
        "CurrencyCode": "USD",
    } | changes


def blocks(told: dict[str, Any], region: str) -> Any:
    """One offer, of what is asked for."""
    names = ("InstanceType", "InstanceCount", "UltraserverType", "UltraserverCount")
    asked = {name: told[name] for name in names if name in told}
    return {"CapacityBlockOfferings": [block(region, **asked)]}


def price_row(region: str, kind: str, dollars: str) -> str:
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": dollars}}
    term = {"effectiveDate": "2026-09-01T00:00:00Z", "priceDimensions": {"a": dimension}}
    attributes = {"regionCode": region, "instanceType": kind}
    return json.dumps({"product": {"attributes": attributes}, "terms": {"OnDemand": {"a": term}}})


def price_list(told: dict[str, Any], region: str) -> Any:
    (kind,) = (f["Value"] for f in told["Filters"] if f["Field"] == "instanceType")
    return {"PriceList": [price_row(name, kind, "20.5") for name in REGIONS]}


def quota(told: dict[str, Any], region: str) -> Any:
    names = {
        "L-2C3B7624": "Running On-Demand Trn instances",
        "L-6B0D517C": "All Trn Spot Instance Requests",
    }
    value = {"L-2C3B7624": 1024.0, "L-6B0D517C": 256.0}[told["QuotaCode"]]
    return {"Quota": {"QuotaName": names[told["QuotaCode"]], "Value": value}}


def answers() -> dict[str, Any]:
    """What AWS says of every Region."""
    return known_answers() | {
        "DescribeAvailabilityZones": zones,
        "DescribeInstanceTypeOfferings": offerings,
        "DescribeSpotPriceHistory": spot_prices,
        "GetSpotPlacementScores": scores,
        "DescribeCapacityBlockOfferings": blocks,
        "GetProducts": price_list,
        "GetServiceQuota": quota,
        "DescribeInstances": {
            "Reservations": [{"Instances": [instance(InstanceType="trn1.32xlarge")]}]
        },
        "DescribeRegions": {"Regions": [{"RegionName": name} for name in REGIONS]},
    }


class HangingAccount(FakeAccount):
    """Some Regions do not answer until they are let go.

    Attributes:
        let_go: Set to end the calls that hang.
    """

    def __init__(
        self, told: dict[str, Any], hung: frozenset[str], *, but_answers: str = ""
    ) -> None:
        super().__init__(told)
        self.let_go = threading.Event()
        self._hung, self._but_answers = hung, but_answers

    def _answer(self, service: str, region: str, **more: Any) -> Any:
        if region in self._hung and more["model"].name != self._but_answers:
            self.let_go.wait(60)
        return super()._answer(service, region, **more)


class RoundsAccount(FakeAccount):
    """Answers all calls that are under way at once, when no further one comes.

    A call that waits for another one's answer comes in a later round, so that the rounds are the
    longest chain of calls that depend on each other, however slow the machine is.

    Attributes:
        rounds: The calls of each round, as operation and Region.
    """

    def __init__(self, told: dict[str, Any], *, quiet_seconds: float = 1.5) -> None:
        super().__init__(told)
        self.rounds: list[list[tuple[str, str]]] = []
        self._quiet, self._changed = quiet_seconds, threading.Condition()
        self._arrived: list[tuple[str, str]] = []
        threading.Thread(target=self._answer_rounds, daemon=True).start()

    def _answer(self, service: str, region: str, **more: Any) -> Any:
        with self._changed:
            self._arrived.append((more["model"].name, region))
            mine = len(self.rounds)
            self._changed.notify_all()
            self._changed.wait_for(lambda: len(self.rounds) > mine)
        return super()._answer(service, region, **more)

    def _answer_rounds(self) -> None:
        with self._changed:
            while True:
                known = len(self._arrived)
                came = self._changed.wait_for(
                    lambda known=known: len(self._arrived) != known, self._quiet
                )
                if not came and self._arrived:
                    self.rounds.append(self._arrived)
                    self._arrived = []
                    self._changed.notify_all()
