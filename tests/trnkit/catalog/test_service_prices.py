"""Prices of services: every item says what it counts, every price where it is from."""

import pytest

from trnkit import catalog
from trnkit.catalog.service_prices import EVERY_REGION

ITEMS = catalog.service_items()
PRICES = [price for item in ITEMS for price in item.prices]
UNITS = {
    "GB",
    "GB-month",
    "GB-second",
    "IOPS-month",
    "MBps-month",
    "MiBps-month",
    "alarm-month",
    "dashboard-month",
    "day",
    "hour",
    "invocation",
    "key-month",
    "metric",
    "metric-month",
    "notification",
    "object-month",
    "request",
}


def test_every_item_says_what_is_counted_in_a_known_unit():
    for item in ITEMS:
        assert item.unit in UNITS, item.key
        assert item.service, item.key
        assert len(item.meaning) > 10, item.key
        assert item.source, item.key
        assert item.date, item.key


def test_keys_are_kebab_case_and_each_stands_once():
    keys = [item.key for item in ITEMS] + [item.key for item in catalog.free_items()]
    assert len(set(keys)) == len(keys)
    for key in keys:
        assert key == key.lower().replace("_", "-").strip("-"), key


def test_every_price_has_a_source_a_date_and_regions_of_the_catalogue():
    regions = {*catalog.region_names(), EVERY_REGION}
    for price in PRICES:
        assert price.usd_per_unit > 0, price
        assert price.regions, price
        assert set(price.regions) <= regions, price
        assert EVERY_REGION not in price.regions or price.regions == (EVERY_REGION,), price
        assert price.source, price
        assert price.date, price


def test_an_item_has_one_price_in_a_region():
    for item in ITEMS:
        regions = [region for price in item.prices for region in price.regions]
        assert len(set(regions)) == len(regions), item.key
        assert EVERY_REGION not in regions or len(regions) == 1, item.key


def test_an_item_that_does_not_exist_is_a_slip_and_says_what_is_near():
    with pytest.raises(catalog.UnknownServiceItemError, match="nat-gateway-hour") as caught:
        catalog.service_item("nat-gateway-hours")
    assert caught.value.nearest[0] == "nat-gateway-hour"
    assert len(caught.value.nearest) <= 3
