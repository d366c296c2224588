"""List prices: known ones with their source, unknown ones as unknown."""

import pytest

from trnkit import catalog

REGIONS = {name: catalog.region(name) for name in catalog.region_names()}


@pytest.mark.parametrize(
    ("instance_type", "region", "purchase", "expected"),
    [
        ("trn1.2xlarge", "us-east-1", "on-demand", 1.34375),
        ("trn1.32xlarge", "us-east-1", "on-demand", 21.5),
        ("trn1.32xlarge", "us-west-2", "on-demand", 21.5),
        ("trn1n.32xlarge", "us-east-2", "on-demand", 24.78),
        ("inf2.48xlarge", "us-east-1", "on-demand", 12.98127),
        ("trn1.32xlarge", "eu-north-1", "capacity-block", 9.532),
        ("trn2.3xlarge", "sa-east-1", "capacity-block", 2.235),
        ("trn2.48xlarge", "us-east-2", "capacity-block", 35.7608),
    ],
)
def test_known_prices(instance_type, region, purchase, expected):
    assert catalog.hourly_price(instance_type, region, purchase) == expected
    found = catalog.find_instance_price(instance_type, region, purchase)
    assert found.source
    assert found.date


@pytest.mark.parametrize(
    ("instance_type", "region", "purchase"),
    [
        # Trainium2 has no on-demand list price, whatever a launch may cost.
        *[("trn2.48xlarge", region, "on-demand") for region in REGIONS],
        *[("trn2.3xlarge", region, "on-demand") for region in REGIONS],
        ("trn2u.48xlarge", "us-east-2", "capacity-block"),
        # Sold there, by one read of the API, at a price the page does not show.
        ("trn2.48xlarge", "ap-south-2", "capacity-block"),
        ("trn1.32xlarge", "eu-north-1", "on-demand"),
        ("inf2.48xlarge", "us-west-2", "on-demand"),
        ("trn9.48xlarge", "us-east-1", "on-demand"),
    ],
)
def test_unknown_is_none_and_never_zero(instance_type, region, purchase):
    assert catalog.hourly_price(instance_type, region, purchase) is None
    assert catalog.find_instance_price(instance_type, region, purchase) is None


def test_prices_are_of_types_and_regions_that_the_catalogue_has():
    for price in catalog.instance_prices():
        assert catalog.find_instance_type(price.instance_type)
        assert set(price.regions) <= set(REGIONS)
        assert (price.usd_per_hour is None) == (not price.regions)
        assert price.usd_per_hour is None or price.usd_per_hour > 0.5


def test_prices_are_where_the_type_is_sold():
    for price in catalog.instance_prices():
        for name in price.regions:
            if price.purchase == "on-demand":
                assert price.instance_type in REGIONS[name].offerings, (price, name)
            else:
                assert price.instance_type in REGIONS[name].capacity_block_types, (price, name)


def test_one_price_for_each_way_to_buy():
    keys = [
        (p.instance_type, p.purchase, name) for p in catalog.instance_prices() for name in p.regions
    ]
    assert len(set(keys)) == len(keys)
