"""Products of the AWS Price List in the end-to-end tests: what moto has no data of.

For each question of the catalogue a product, at a made-up price, among others that resemble it:
of another usage type, of a Local Zone, in another currency, of a later day, and free of charge.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trnkit.catalog.price_queries import price_queries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trnkit.catalog.price_queries import PriceQuery

PREFIXES = {"us-east-1": "", "us-east-2": "USE2-", "us-west-2": "USW2-", "eu-west-1": "EU-"}
MADE_UP = {
    "ebs-gp3-storage": "0.0900000000",  # in the catalogue 0.08
    "ebs-gp3-throughput": "40.9600000000",  # of a GiB/s: 0.04 of a MiB/s
    "nat-gateway-hour": "0.0450000000",
    "nat-gateway-data": "45.0000000000",  # a thousand times off
    "dynamodb-storage": "0.2500000000",
}
NOT_SOLD = {"efs-archive-read"}
TWICE = {"s3-get-requests"}


def product_rows(asked: Mapping[str, Any]) -> list[str]:
    """Rows, as JSON, of the products that fit what is asked."""
    wanted = {entry["Field"]: entry["Value"] for entry in asked["Filters"]}
    region = wanted.get("regionCode") or wanted.get("fromRegionCode")
    assert region, "a question about services names its Region"
    if region.startswith("cn-"):
        return []
    rows: list[str] = []
    for query in price_queries():
        field = {query.region_field: region}
        if query.service_code == asked["ServiceCode"] and wanted == {**query.filters, **field}:
            rows += (json.dumps(row) for row in _rows_of(query, region))
    return rows


def _rows_of(query: PriceQuery, region: str) -> Iterator[dict[str, Any]]:
    if query.item in NOT_SOLD:
        return
    usd = MADE_UP.get(query.item, "0.0123000000")
    yield _row(query, region, usd)
    if query.item in TWICE:
        yield _row(query, region, "0.0000007000")
    yield _row(query, region, "9.9900000000", usage_type=f"Regional{query.usage_type}")
    kind = "fromLocationType" if query.region_field == "fromRegionCode" else "locationType"
    yield _row(query, region, "7.7700000000", **{kind: "AWS Local Zone"})


def _row(
    query: PriceQuery, region: str, usd: str, *, usage_type: str | None = None, **attributes: str
) -> dict[str, Any]:
    prefix = f"{region}-" if query.service_code == "awskms" else PREFIXES.get(region, "XXX1-")
    family = query.filters.get("productFamily")
    shown = {
        **{name: value for name, value in query.filters.items() if name != "productFamily"},
        **query.attributes,
        query.region_field: region,
        "usagetype": prefix + (usage_type or query.usage_type),
        "servicecode": query.service_code,
        **attributes,
    }
    unit = next(iter(query.units))
    dimensions = {
        "SKU.JRTCKXETXF.FREE": _dimension(unit, "0.0000000000", "0", "1"),
        "SKU.JRTCKXETXF.FIRST": _dimension(unit, usd, "1", "51200"),
        "SKU.JRTCKXETXF.NEXT": _dimension(unit, "0.0000000010", "51200", "Inf"),
    }
    product = {"attributes": shown, "sku": "SKU"} | ({"productFamily": family} if family else {})
    return {
        "product": product,
        "serviceCode": query.service_code,
        "terms": {
            "OnDemand": {
                "SKU.JRTCKXETXF": _term("2026-11-01T00:00:00Z", dimensions),
                "SKU.LATER": _term(
                    "2999-01-01T00:00:00Z", {"SKU.LATER.1": _dimension(unit, "5", "0", "Inf")}
                ),
            }
        },
    }


def _term(effective: str, dimensions: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "effectiveDate": effective,
        "offerTermCode": "JRTCKXETXF",
        "priceDimensions": dimensions,
        "termAttributes": {},
    }


def _dimension(unit: str, usd: str, begin: str, end: str) -> dict[str, Any]:
    return {
        "unit": unit,
        "pricePerUnit": {"USD": usd},
        "beginRange": begin,
        "endRange": end,
        "appliesTo": [],
    }
