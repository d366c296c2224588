"""What the AWS of the end-to-end tests sells, and for how much: what moto has no data of.

Prices are made up, by the Region, so that the order of a plan's options is known beforehand.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.aws_server.price_list import product_rows
from tests.trnkit.operations.preflight.fake_account import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TEN_REGIONS = (
    "us-east-1",
    "us-east-2",
    "us-west-2",
    "ap-northeast-1",
    "ap-south-1",
    "ap-southeast-2",
    "ap-southeast-4",
    "eu-north-1",
    "eu-west-1",
    "sa-east-1",
)
"""What a plan compares: some of them offer Trainium, some do not."""

# US dollars for an instance and hour in the first Region; each one after it is 3 % dearer.
_FIRST_PRICES = {"trn1.2xlarge": 1.34375, "trn1.32xlarge": 21.5, "trn2.48xlarge": 40.0}
_DEARER = 1.03
_SPOT_SHARE = 0.4
_PAGE = 4


def list_price(instance_type: str, region: str) -> float:
    """What the price list says."""
    return round(_FIRST_PRICES[instance_type] * _DEARER ** TEN_REGIONS.index(region), 4)


def market_answers(zones: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, Any]:
    """Answers about prices and capacity, by `service.Operation`.

    Args:
        zones: Name and id of the zones of each Region.
    """

    def scores(asked: Mapping[str, Any], region: str) -> dict[str, Any]:
        told = [
            {"Region": region, "AvailabilityZoneId": zone_id, "Score": 3 + number}
            for number, (_, zone_id) in enumerate(zones[region])
        ]
        return {"SpotPlacementScores": told}

    def history(asked: Mapping[str, Any], region: str) -> dict[str, Any]:
        (name,) = asked["InstanceTypes"]
        price, since = list_price(name, region) * _SPOT_SHARE, asked["StartTime"]
        told = [
            {
                "AvailabilityZone": zone,
                "AvailabilityZoneId": zone_id,
                "InstanceType": name,
                "ProductDescription": "Linux/UNIX",
                "SpotPrice": f"{price * factor:.6f}",
                "Timestamp": since + timedelta(days=day),
            }
            for zone, zone_id in zones[region]
            for day, factor in ((-1, 1.0), (9, 1.4), (19, 0.9))
        ]
        return _paged("SpotPriceHistory", told, asked)

    return {
        "ec2.DescribeCapacityBlockOfferings": _blocks(zones),
        "ec2.DescribeSpotPriceHistory": history,
        "ec2.GetSpotPlacementScores": scores,
        "pricing.GetProducts": _products,
    }


def _blocks(zones: Mapping[str, Sequence[tuple[str, str]]]) -> Any:
    def answer(asked: Mapping[str, Any], region: str) -> dict[str, Any] | Refusal:
        name = asked.get("InstanceType")
        if name != "trn2.48xlarge" or region not in ("us-east-2", "sa-east-1"):
            words = "The instance type is not supported for Capacity Blocks in this Region"
            return Refusal("InvalidParameterValue", words)
        hours, count = asked["CapacityDurationHours"], asked["InstanceCount"]
        begin = (datetime.now(UTC) + timedelta(days=2)).replace(
            hour=11, minute=30, second=0, microsecond=0
        )
        fee = list_price(name, region) * 0.9 * hours * count
        offering = {
            "CapacityBlockOfferingId": f"cb-0123456789abcde{TEN_REGIONS.index(region):02}",
            "InstanceType": name,
            "AvailabilityZone": zones[region][0][0],
            "InstanceCount": count,
            "StartDate": begin,
            "EndDate": begin + timedelta(hours=hours),
            "CapacityBlockDurationHours": hours,
            "UpfrontFee": f"{fee:.2f}",
            "CurrencyCode": "USD",
            "Tenancy": "default",
        }
        return {"CapacityBlockOfferings": [offering]}

    return answer


def _products(asked: Mapping[str, Any], region: str) -> dict[str, Any]:
    """Rows of the price list: JSON in JSON, page by page."""
    wanted = {entry["Field"]: entry["Value"] for entry in asked["Filters"]}
    if "instanceType" not in wanted:
        return {"FormatVersion": "aws_v1"} | _paged("PriceList", product_rows(asked), asked)
    name = wanted["instanceType"]
    places = TEN_REGIONS if name in _FIRST_PRICES else ()
    rows = [json.dumps(_product(wanted, place, list_price(name, place))) for place in places]
    return {"FormatVersion": "aws_v1"} | _paged("PriceList", rows, asked)


def _product(wanted: Mapping[str, str], region: str, dollars: float) -> dict[str, Any]:
    dimension = {
        "unit": "Hrs",
        "pricePerUnit": {"USD": f"{dollars:.10f}"},
        "beginRange": "0",
        "endRange": "Inf",
        "appliesTo": [],
    }
    term = {
        "effectiveDate": "2026-11-01T00:00:00Z",
        "offerTermCode": "JRTCKXETXF",
        "priceDimensions": {"SKU.JRTCKXETXF.6YS6EN2CT7": dimension},
        "termAttributes": {},
    }
    attributes = {**wanted, "regionCode": region, "locationType": "AWS Region"}
    return {
        "product": {"productFamily": "Compute Instance", "attributes": attributes, "sku": "SKU"},
        "serviceCode": "AmazonEC2",
        "terms": {"OnDemand": {"SKU.JRTCKXETXF": term}},
    }


def _paged(member: str, told: list[Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """A page of it, so that there is more than one."""
    start = int(asked.get("NextToken") or 0)
    more = {"NextToken": str(start + _PAGE)} if start + _PAGE < len(told) else {}
    return {member: told[start : start + _PAGE], **more}
