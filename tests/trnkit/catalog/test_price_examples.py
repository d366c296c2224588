"""Sums that others have published, and sums by hand, from prices of the catalogue."""

import pytest

from trnkit.catalog.price_book import OwnPrice, PriceBook, UnitPrice


def usd(item, region="us-east-1"):
    """What a unit costs, where it is certain."""
    price = PriceBook().service(item, region)
    assert price is not None
    assert price.basis == "region"
    assert price.low == price.high
    return price.low


def test_aws_s_example_of_efs():
    # AWS's price page: 100 GB for 15 days and 250 GB for 16 in March are 177 GB-months, $53.10.
    gb_months = round((100 * 15 * 24 + 250 * 16 * 24) / 744)
    assert gb_months == 177
    assert gb_months * usd("efs-standard-storage") == pytest.approx(53.10)


def test_lustre_of_1200_gb_costs_174_dollars_a_month():
    # c3x: a file system of 1.2 TB at 125 MB/s per TiB.
    assert 1200 * usd("fsx-lustre-persistent-2-ssd-125") == pytest.approx(174.0)


def test_metadata_iops_of_6000_cost_330_dollars_a_month():
    assert 6000 * usd("fsx-lustre-metadata-iops") == pytest.approx(330.0)


def test_lustre_of_1200_gb_at_each_throughput_by_hand():
    keys = (125, 250, 500, 1000)
    sums = [round(1200 * usd(f"fsx-lustre-persistent-2-ssd-{key}"), 2) for key in keys]
    assert sums == [174.0, 252.0, 408.0, 720.0]


def test_a_bill_of_five_nat_gateways_in_sydney():
    # A public bill: 3,720 hours, which are five gateways for a month of 31 days, $219.48.
    assert 5 * 31 * 24 == 3720
    assert 3720 * usd("nat-gateway-hour", "ap-southeast-2") == pytest.approx(219.48)


def test_a_gigabyte_to_the_internet_through_a_nat_gateway_is_billed_twice():
    # PointFive, us-east-2: $0.135 or more.
    region = "us-east-2"
    assert usd("nat-gateway-data", region) + usd("data-transfer-out", region) == pytest.approx(
        0.135
    )


def test_a_hundred_terabytes_through_a_nat_gateway():
    # EaseCloud: about $4,600.
    assert 100 * 1024 * usd("nat-gateway-data") == pytest.approx(4600, rel=0.005)


def test_a_nat_gateway_and_its_address_for_a_month_by_hand():
    # 730 hours of 4.5 and of half a cent: 32.85 and 3.65.
    month = 730 * (usd("nat-gateway-hour") + usd("public-ipv4-hour"))
    assert month == pytest.approx(36.50)


def test_ninety_metrics_cost_27_dollars_a_month():
    # SigNoz: ten endpoints, three status codes, three Regions.
    assert 10 * 3 * 3 * usd("cloudwatch-metric-month") == pytest.approx(27.0)


def test_detailed_monitoring_of_an_instance():
    # Infracost: seven metrics, $2.10 a month.
    assert 7 * usd("cloudwatch-metric-month") == pytest.approx(2.10)


@pytest.mark.parametrize(
    ("item", "quantity", "total"),
    [
        ("nat-gateway-data", 301.134, 17.77),
        ("nat-gateway-hour", 106, 6.25),
        ("ebs-gp3-storage", 363.772, 34.92),
        ("public-ipv4-hour", 12_604.376, 63.02),
        ("cloudwatch-metric-month", 13.233, 3.97),
        ("cloudwatch-logs-ingestion", 0.975, 0.68),
        ("data-transfer-cross-zone", 354.966, 3.55),
        ("s3-put-requests", 108_205, 0.54),
        ("s3-get-requests", 67_069, 0.03),
        ("s3-standard-storage", 14.045, 0.35),
    ],
)
def test_a_bill_of_singapore_line_by_line(item, quantity, total):
    assert round(quantity * usd(item, "ap-southeast-1"), 2) == total


def test_aws_s_formula_of_gp3_by_hand():
    # AWS's price page: 2,000 GB, 10,000 IOPS and 500 MB/s for 12 hours of a month of 30 days.
    share = 12 / (30 * 24)
    storage = 2000 * usd("ebs-gp3-storage") * share
    iops = (10_000 - 3_000) * usd("ebs-gp3-iops") * share
    throughput = (500 - 125) * usd("ebs-gp3-throughput") * share
    assert [round(part, 2) for part in (storage, iops, throughput)] == [2.67, 0.58, 0.25]


def test_a_million_requests_by_hand():
    assert 1_000_000 * usd("lambda-requests") == pytest.approx(0.20)
    assert 1_000_000 * usd("dynamodb-write-requests") == pytest.approx(0.625)
    assert 1_000_000 * usd("dynamodb-read-requests") == pytest.approx(0.125)
    assert 1_000_000 * usd("sns-requests") == pytest.approx(0.50)
    assert 1_000 * usd("s3-put-requests") == pytest.approx(0.005)
    assert 1_000 * usd("s3-get-requests") == pytest.approx(0.0004)


def test_an_eks_cluster_in_extended_support_is_six_times_as_dear():
    for region in ("us-east-1", "ap-southeast-4"):
        standard = usd("eks-control-plane-hour", region)
        assert usd("eks-control-plane-extended-hour", region) == pytest.approx(6 * standard)


def test_a_trainium_chip_and_hour():
    # CloudExpat: about $1.34, On-Demand.
    price = PriceBook().instance("trn1.32xlarge", "us-east-1", "on-demand")
    assert price.low / 16 == pytest.approx(1.34, abs=0.005)


@pytest.mark.parametrize(
    ("item", "region", "low", "high", "basis"),
    [
        ("fsx-lustre-persistent-2-ssd-250", "ap-south-1", 0.24, 0.24, "region"),
        ("fsx-lustre-persistent-2-ssd-250", "ap-southeast-4", 0.21, 0.269, "other regions"),
        ("nat-gateway-hour", "sa-east-1", 0.093, 0.093, "region"),
        ("nat-gateway-hour", "ap-south-2", 0.045, 0.093, "other regions"),
        ("public-ipv4-hour", "ap-southeast-4", 0.005, 0.005, "region"),
        ("cloudwatch-metric-month", "eu-north-1", 0.3, 0.3, "other regions"),
        ("cloudwatch-logs-ingestion", "eu-north-1", 0.5, 0.7, "other regions"),
    ],
)
def test_a_region_without_a_price_has_the_range_of_the_others(item, region, low, high, basis):
    price = PriceBook().service(item, region)
    assert price is not None
    assert (price.low, price.high, price.basis) == (low, high, basis)
    assert price.source
    assert price.date


@pytest.mark.parametrize(
    "item", ["pcs-controller-small-hour", "pcs-node-hour", "fsx-lustre-scratch-1"]
)
def test_what_no_source_shows_is_unknown_everywhere(item):
    assert PriceBook().service(item, "us-east-1") is None


@pytest.mark.parametrize("region", ["us-east-2", "ap-southeast-4"])
def test_a_type_without_a_published_price_is_unknown_everywhere(region):
    assert PriceBook().instance("trn2.48xlarge", region, "on-demand") is None


def test_instances_have_a_range_over_other_regions_too():
    book = PriceBook()
    here = book.instance("trn1.32xlarge", "us-east-2", "on-demand")
    elsewhere = book.instance("trn1.32xlarge", "eu-north-1", "on-demand")
    assert (here.low, here.high, here.basis) == (21.5, 21.5, "region")
    assert (elsewhere.low, elsewhere.high, elsewhere.basis) == (21.5, 21.5, "other regions")


def test_spot_has_a_price_only_in_a_file():
    assert PriceBook().instance("trn1.32xlarge", "us-east-1", "spot") is None


def own(item, region, low):
    price = UnitPrice(
        item=item,
        unit="hour",
        low=low,
        high=low,
        basis="file",
        source=("our contract",),
        date="2026-10-01",
    )
    return OwnPrice(item=item, region=region, price=price)


def test_own_prices_count_first_and_those_of_the_region_before_those_of_all():
    item = "nat-gateway-hour"
    book = PriceBook((own(item, None, 0.04), own(item, "us-east-1", 0.03)))
    assert book.service(item, "us-east-1").low == 0.03
    assert book.service(item, "us-west-2").low == 0.04
    assert book.service(item, "us-west-2").basis == "file"
    assert book.service("nat-gateway-data", "us-east-1").basis == "region"


def test_own_prices_fill_what_no_source_shows():
    book = PriceBook((own("pcs-node-hour", None, 0.08), own("trn2.48xlarge on-demand", None, 45.0)))
    assert book.service("pcs-node-hour", "us-east-1").low == 0.08
    assert book.instance("trn2.48xlarge", "us-east-1", "on-demand").low == 45.0
