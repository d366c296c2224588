"""Which price counts: the file's, AWS's list in it or the catalogue's; what a discount is off."""

import pytest

from trnkit.catalog.price_book import PriceBook
from trnkit.config import ClusterConfig
from trnkit.config.prices_file import read_prices_file, with_prices
from trnkit.layout.price_book import book_of, price_book

HEAD = 'version: 1\ndate: 2026-11-30\nsource: "Agreement"\n'
CLUSTER = {
    "name": "priced",
    "region": "us-east-2",
    "compute": {"node_groups": [{"name": "train", "instance_type": "trn2.48xlarge", "count": 2}]},
    "budget": {"limit_usd": 1000, "emails": ["ml-platform@example.com"]},
}
TRN1 = PriceBook().instance("trn1.32xlarge", "us-east-2", "on-demand")
NAT = PriceBook().service("nat-gateway-hour", "us-east-1")


def book(text):
    return book_of(read_prices_file(text, "prices.yaml"))


def listed(read, *entries):
    lines = "".join(f"    - {entry}\n" for entry in entries)
    return f"list_prices:\n  read: {read}\n  regions: [us-east-1, us-east-2]\n  prices:\n{lines}"


def test_a_cluster_s_book_has_the_prices_of_its_file_first():
    config = ClusterConfig.model_validate(CLUSTER)
    assert price_book(config).instance("trn2.48xlarge", "us-east-2", "on-demand") is None
    entry = "{instance_type: trn2.48xlarge, purchase: on-demand, usd_per_hour: 38.5}"
    text = f"{HEAD}prices:\n  - {entry}\n"
    priced = with_prices(config, read_prices_file(text, "prices.yaml"))
    price = price_book(priced).instance("trn2.48xlarge", "us-east-2", "on-demand")
    assert (price.low, price.high, price.unit) == (38.5, 38.5, "hour")
    assert (price.basis, price.source, price.date) == ("file", ("Agreement",), "2026-11-30")


def test_one_for_the_region_counts_before_one_for_all():
    both = book(
        f"{HEAD}prices:\n  - {{item: nat-gateway-hour, usd: 0.03}}\n"
        "  - {item: nat-gateway-hour, usd: 0.02, region: us-east-1}\n"
    )
    assert both.service("nat-gateway-hour", "us-east-1").low == 0.02
    assert both.service("nat-gateway-hour", "eu-west-1").low == 0.03


def test_the_file_s_region_is_that_of_prices_without_one():
    local = book(f"{HEAD}region: us-east-1\nprices:\n  - {{item: nat-gateway-hour, usd: 0.03}}\n")
    assert local.service("nat-gateway-hour", "us-east-1").basis == "file"
    assert local.service("nat-gateway-hour", "us-east-2").basis != "file"


def test_a_spot_price_is_only_what_the_file_says():
    text = f"{HEAD}prices:\n  - {{instance_type: trn1.32xlarge, purchase: spot, usd_per_hour: 9}}\n"
    assert book(text).instance("trn1.32xlarge", "us-east-2", "spot").low == 9
    assert PriceBook().instance("trn1.32xlarge", "us-east-2", "spot") is None


@pytest.mark.parametrize("read", ["2999-01-01", TRN1.date, "2000-01-01"])
def test_what_aws_listed_counts_before_the_catalogue_whatever_the_day(read):
    # A date of the catalogue's says when somebody looked at a source, often one at second hand.
    entry = (
        "{instance_type: trn1.32xlarge, purchase: on-demand, usd_per_hour: 23, region: us-east-2}"
    )
    price = book("version: 1\n" + listed(read, entry)).instance(
        "trn1.32xlarge", "us-east-2", "on-demand"
    )
    assert (price.low, price.basis, price.date) == (23.0, "file", read)


def test_an_old_list_of_this_region_counts_before_what_others_have():
    region = "xx-west-1"
    known = PriceBook().service("nat-gateway-hour", region)
    assert known.basis == "other regions"
    text = f"version: 1\nlist_prices:\n  read: 2020-01-01\n  regions: [{region}]\n  prices:\n"
    text += f"    - {{item: nat-gateway-hour, region: {region}, usd: 0.044}}\n"
    price = book(text).service("nat-gateway-hour", region)
    assert (price.low, price.source) == (0.044, ("AWS Price List, read 2020-01-01",))


def test_a_discount_is_off_every_list_price_and_off_nothing_that_is_stated():
    text = (
        f"{HEAD}discount: {{percent: 12, not_on: [nat-gateway-data, trn1.2xlarge]}}\n"
        "prices:\n  - {item: ebs-gp3-storage, usd: 0.07}\n"
        + listed("2999-01-01", "{item: ebs-gp3-iops, usd: 0.005, region: us-east-1}")
    )
    less = book(text)
    stated = less.service("ebs-gp3-storage", "us-east-1")
    assert (stated.low, stated.discount_percent) == (0.07, 0)
    of_list = less.service("ebs-gp3-iops", "us-east-1")
    assert (of_list.low, of_list.discount_percent) == (0.0044, 12)
    of_catalogue = less.service("nat-gateway-hour", "us-east-1")
    assert of_catalogue.low == pytest.approx(NAT.low * 0.88)
    assert (of_catalogue.source, of_catalogue.date) == (NAT.source, NAT.date)
    assert less.service("nat-gateway-data", "us-east-1").discount_percent == 0
    trn1 = less.instance("trn1.32xlarge", "us-east-2", "on-demand")
    assert trn1.low == pytest.approx(TRN1.low * 0.88)
    small = less.instance("trn1.2xlarge", "us-east-2", "on-demand")
    assert small == PriceBook().instance("trn1.2xlarge", "us-east-2", "on-demand")


def test_a_discount_is_never_off_a_capacity_block():
    less = book(f"{HEAD}discount: {{percent: 50}}\n")
    block = less.instance("trn2.48xlarge", "us-east-2", "capacity-block")
    assert block == PriceBook().instance("trn2.48xlarge", "us-east-2", "capacity-block")
    assert block.low > 0


def test_what_nobody_knows_stays_unknown_at_any_discount():
    less = book(f"{HEAD}discount: {{percent: 50}}\n")
    assert less.instance("trn2.48xlarge", "us-east-2", "on-demand") is None


def test_a_price_says_whose_discount_was_taken_off():
    less = book(f"{HEAD}discount: {{percent: 12, not_on: [nat-gateway-data]}}\n")
    assert less.service("nat-gateway-hour", "us-east-1").discount_source == "Agreement"
    assert less.service("nat-gateway-data", "us-east-1").discount_source == ""
    assert less.instance("trn2.48xlarge", "us-east-2", "capacity-block").discount_source == ""
