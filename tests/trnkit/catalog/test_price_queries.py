"""Questions to the Price List: each is for an item, and no two have the same answer."""

from trnkit.catalog import service_items
from trnkit.catalog.price_queries import find_price_query, price_queries

ITEMS = {item.key: item for item in service_items()}


def test_every_question_is_for_an_item_once_and_in_the_items_order():
    asked = [query.item for query in price_queries()]
    assert asked == [key for key in ITEMS if key in set(asked)]
    assert len(asked) > 40


def test_no_two_items_are_the_same_product_unless_aws_names_two_tiers_alike():
    products = [
        (query.service_code, query.usage_type, *sorted(query.attributes.items()))
        for query in price_queries()
    ]
    assert len(products) == len(set(products))


def test_units_of_a_question_are_whole_parts_of_the_item_s_unit():
    for query in price_queries():
        assert query.units
        assert all(number >= 1 for number in query.units.values()), query.item
    (throughput,) = (q for q in price_queries() if q.item == "ebs-gp3-throughput")
    assert throughput.units == {"GiBps-mo": 1024, "MiBps-Mo": 1}


def test_a_question_names_no_region_so_that_it_can_be_asked_of_each():
    for query in price_queries():
        assert not query.usage_type.startswith(("USE", "EU-", "AP")), query.item
        assert query.region_field in ("regionCode", "fromRegionCode")
        assert not {"regionCode", "location", "fromRegionCode"} & set(query.filters)


def test_what_has_no_question_is_none():
    assert find_price_query("pcs-node-hour") is None
    assert find_price_query("nat-gateway-hour").usage_type == "NatGateway-Hours"
