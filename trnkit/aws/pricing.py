"""AWS Price List: what an instance costs On-Demand.

Sources:
    https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
    https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html
"""

from __future__ import annotations

import json
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
    purpose="what an instance costs On-Demand in each Region",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPrice:
    """The list price of one Region.

    Attributes:
        usd_per_hour: US dollars for an instance and hour.
        effective: From when on.
    """

    usd_per_hour: float
    effective: date


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
        told = cast(
            "list[str]",
            self._ask_all(
                GET_PRODUCTS,
                "PriceList",
                about=instance_type,
                ServiceCode="AmazonEC2",
                Filters=[
                    {"Type": "TERM_MATCH", "Field": field, "Value": value}
                    for field, value in filters.items()
                ],
                PaginationConfig={"PageSize": _PAGE},
            ),
        )
        found: dict[str, list[ListPrice]] = {}
        for text in told:
            try:
                product = json.loads(text)
                region = _region(product, filters)
                prices = [price for price in _prices(product) if price.effective <= today]
            except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
                raise unusable_failure(
                    self.service,
                    GET_PRODUCTS.name,
                    self._region,
                    instance_type,
                    lacking="a row of the price list cannot be read",
                ) from None
            if region:
                found.setdefault(region, []).extend(prices)
        return {region: price for region, prices in found.items() if (price := _newest(prices))}


def _region(product: Mapping[str, Any], filters: Mapping[str, str]) -> str | None:
    """The Region, when the row is what was asked for, and of no Local or Wavelength Zone."""
    attributes = product["product"]["attributes"]
    if attributes.get("locationType", "AWS Region") != "AWS Region":
        return None
    if any(attributes.get(field, value) != value for field, value in filters.items()):
        return None
    return attributes.get("regionCode")


def _prices(product: Mapping[str, Any]) -> Iterator[ListPrice]:
    for term in product.get("terms", {}).get("OnDemand", {}).values():
        effective = datetime.fromisoformat(term["effectiveDate"]).date()
        for dimension in term["priceDimensions"].values():
            told = dimension["pricePerUnit"].get("USD", "0")
            dollars = told_number(told)
            if dollars is None:
                raise ValueError(f"{told!r} is no price")
            if dimension.get("unit") == "Hrs" and dollars > 0:
                yield ListPrice(usd_per_hour=dollars, effective=effective)


def _newest(prices: Iterable[ListPrice]) -> ListPrice | None:
    """The one that is in effect; None when rows contradict each other."""
    prices = list(prices)
    newest = max((price.effective for price in prices), default=None)
    current = {price for price in prices if price.effective == newest}
    return current.pop() if len(current) == 1 else None
