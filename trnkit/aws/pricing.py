"""AWS Price List: what an instance costs On-Demand, and what units of services cost.

Sources:
    https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
    https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, cast

from trnkit.aws.failures import unusable_failure
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation
from trnkit.aws.told_numbers import told_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

GET_PRODUCTS = ReadOperation(
    service="pricing",
    name="GetProducts",
    permission="pricing:GetProducts",
    purpose="list prices: of instances On-Demand in each Region, and of units of services",
)

_PAGE = 100
# Linux with nothing sold on top, on shared hardware, and used: unused reservations have rows too.
_WANTED = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "capacitystatus": "Used",
    "preInstalledSw": "NA",
    "marketoption": "OnDemand",
}
# `USE2-NatGateway-Hours`, in us-east-1 often without; KMS writes the Region's name.
_PREFIX = re.compile(r"[A-Z]{2,4}[0-9]{0,2}|[a-z]{2}(?:-[a-z]+)+-[0-9]")
_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPrice:
    """The list price of one Region.

    Attributes:
        usd_per_hour: US dollars for an instance and hour.
        effective: From when on.
    """

    usd_per_hour: float
    effective: date


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductPrice:
    """What a product costs, in the first tier that costs anything.

    Attributes:
        attributes: What tells it from other products, by AWS's names.
        usage_type: Its usage type, in most Regions with a prefix that names the Region.
        unit: What is counted, as AWS calls it.
        usd: US dollars for a unit.
        effective: From when on.
    """

    attributes: Mapping[str, str]
    usage_type: str
    unit: str
    usd: float
    effective: date

    def is_of(self, usage_type: str) -> bool:
        """Whether this is a product of a usage type, which is named without a prefix."""
        if self.usage_type == usage_type:
            return True
        prefix = self.usage_type.removesuffix(f"-{usage_type}")
        return prefix != self.usage_type and _PREFIX.fullmatch(prefix) is not None


class PricingGateway(Gateway):
    """Reads the price list, which only few Regions answer, about all of them."""

    service = "pricing"
    operations = (GET_PRODUCTS,)

    def on_demand_prices(self, instance_type: str, today: date) -> dict[str, ListPrice]:
        """What a type costs, Linux and shared tenancy, in every Region at once.

        Args:
            instance_type: The type.
            today: Prices that begin later do not count.

        Returns:
            By Region; one without a price in US dollars, or with several at once, is left out.

        Raises:
            AwsFailure: AWS gave no answer, or one that is no price list.
        """
        filters = _WANTED | {"instanceType": instance_type}
        found: dict[str, list[ListPrice]] = {}
        for text in self._rows("AmazonEC2", filters, instance_type):
            try:
                product = json.loads(text)
                region = _region(product, filters)
                prices = [
                    ListPrice(usd_per_hour=one.usd, effective=one.effective)
                    for one in _dimensions(product)
                    if one.unit == "Hrs" and one.effective <= today
                ]
            except _UNREADABLE:
                raise self._unreadable_row(instance_type) from None
            if region:
                found.setdefault(region, []).extend(prices)
        return {region: price for region, prices in found.items() if (price := _newest(prices))}

    def products(
        self,
        service_code: str,
        filters: Mapping[str, str],
        region: str,
        today: date,
        *,
        region_field: str = "regionCode",
    ) -> tuple[ProductPrice, ...]:
        """What products of a service cost in a Region, those of Local Zones left out.

        Args:
            service_code: The service, as the price list calls it.
            filters: What each product has, by AWS's names of attributes.
            region: The Region that is asked about.
            today: Prices that begin later do not count.
            region_field: The attribute that holds the Region.

        Returns:
            The price in effect of each product that has one in US dollars, above zero.

        Raises:
            AwsFailure: AWS gave no answer, or one that is no price list.
        """
        wanted = {**filters, region_field: region}
        about = f"{service_code} in {region}"
        found: list[ProductPrice] = []
        for text in self._rows(service_code, wanted, about):
            try:
                found += _products_in(json.loads(text), wanted, region_field, today)
            except _UNREADABLE:
                raise self._unreadable_row(about) from None
        return tuple(found)

    def _rows(self, service_code: str, filters: Mapping[str, str], about: str) -> list[str]:
        """Rows of the price list, as text."""
        told = self._ask_all(
            GET_PRODUCTS,
            "PriceList",
            about=about,
            ServiceCode=service_code,
            Filters=[
                {"Type": "TERM_MATCH", "Field": field, "Value": value}
                for field, value in filters.items()
            ],
            PaginationConfig={"PageSize": _PAGE},
        )
        return cast("list[str]", told)

    def _unreadable_row(self, about: str) -> Exception:
        return unusable_failure(
            self.service,
            GET_PRODUCTS.name,
            self._region,
            about,
            lacking="a row of the price list cannot be read",
        )


@dataclass(frozen=True, slots=True)
class _Dimension:
    """A tier of a price."""

    unit: str
    usd: float
    begin: float
    effective: date


def _region(product: Mapping[str, Any], filters: Mapping[str, str]) -> str | None:
    """The Region, when the row is what was asked for, and of no Local or Wavelength Zone."""
    attributes = product["product"]["attributes"]
    if attributes.get("locationType", "AWS Region") != "AWS Region":
        return None
    if any(attributes.get(field, value) != value for field, value in filters.items()):
        return None
    return attributes.get("regionCode")


def _products_in(
    row: Mapping[str, Any], wanted: Mapping[str, str], region_field: str, today: date
) -> Iterator[ProductPrice]:
    """The price of a row, when it is what was asked for and has one."""
    told = row["product"]
    attributes = {**told["attributes"], "productFamily": told.get("productFamily")}
    location = region_field.replace("regionCode", "locationType")
    location = location.replace("RegionCode", "LocationType")
    if attributes.get(location, "AWS Region") != "AWS Region":
        return
    if any((attributes.get(field) or value) != value for field, value in wanted.items()):
        return
    usage_type = attributes.get("usagetype", "")
    for unit, usd, effective in _in_effect(_dimensions(row), today):
        yield ProductPrice(
            attributes={str(key): str(value) for key, value in attributes.items()},
            usage_type=usage_type,
            unit=unit,
            usd=usd,
            effective=effective,
        )


def _in_effect(dimensions: Iterable[_Dimension], today: date) -> Iterator[tuple[str, float, date]]:
    """The first tier of each unit, of the newest price that has begun."""
    begun = [one for one in dimensions if one.effective <= today]
    newest = max((one.effective for one in begun), default=None)
    current = [one for one in begun if one.effective == newest]
    for unit in dict.fromkeys(one.unit for one in current):
        tiers = [one for one in current if one.unit == unit]
        first = min(one.begin for one in tiers)
        for usd in dict.fromkeys(one.usd for one in tiers if one.begin == first):
            yield unit, usd, tiers[0].effective


def _dimensions(product: Mapping[str, Any]) -> Iterator[_Dimension]:
    """Every tier that costs US dollars: what is free is no price, nor what is in CNY."""
    for term in product.get("terms", {}).get("OnDemand", {}).values():
        effective = datetime.fromisoformat(term["effectiveDate"]).date()
        for dimension in term["priceDimensions"].values():
            told = dimension["pricePerUnit"].get("USD", "0")
            dollars, begin = told_number(told), told_number(dimension.get("beginRange", "0"))
            if dollars is None or begin is None:
                raise ValueError(f"{told!r} is no price")
            if dollars > 0:
                yield _Dimension(str(dimension.get("unit")), dollars, begin, effective)


def _newest(prices: Iterable[ListPrice]) -> ListPrice | None:
    """The one that is in effect; None when rows contradict each other."""
    prices = list(prices)
    newest = max((price.effective for price in prices), default=None)
    current = {price for price in prices if price.effective == newest}
    return current.pop() if len(current) == 1 else None
