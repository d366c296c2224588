"""Products of a service by their attributes: which rows count, which tier, which day."""

import json
from datetime import date

import pytest

from tests.trnkit.operations.preflight.fake_account import FakeAccount
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.pricing import PricingGateway

TODAY = date(2026, 11, 30)
FILTERS = {"productFamily": "NAT Gateway"}


def tier(usd="0.045", begin="0", unit="Hrs", currency="USD"):
    return {
        "unit": unit,
        "pricePerUnit": {currency: usd},
        "beginRange": begin,
        "endRange": "Inf",
    }


def term(*tiers, effective="2026-11-01T00:00:00Z"):
    return {
        "effectiveDate": effective,
        "priceDimensions": {f"SKU.T.{n}": one for n, one in enumerate(tiers or (tier(),))},
    }


def row(*terms, usage_type="USE2-NatGateway-Hours", family="NAT Gateway", **attributes):
    shown = {"regionCode": "us-east-2", "locationType": "AWS Region", "usagetype": usage_type}
    offers = {f"SKU.{n}": one for n, one in enumerate(terms or (term(),))}
    product = {"attributes": shown | attributes, "sku": "SKU"}
    return json.dumps(
        {
            "product": product | ({"productFamily": family} if family else {}),
            "terms": {"OnDemand": offers},
        }
    )


def products(*rows, filters=FILTERS, region_field="regionCode", asked=None):
    def answer(parameters, region):
        if asked is not None:
            asked.append(parameters)
        page = int(parameters.get("NextToken", "0"))
        more = {"NextToken": str(page + 1)} if page + 1 < len(rows) else {}
        return {"FormatVersion": "aws_v1", "PriceList": list(rows[page : page + 1]), **more}

    gateway = PricingGateway(FakeAccount({"GetProducts": answer}), "us-east-1")
    return gateway.products("AmazonEC2", filters, "us-east-2", TODAY, region_field=region_field)


def test_the_question_names_service_attributes_and_region():
    asked = []
    found = products(row(), row(usage_type="USE2-NatGateway-Bytes"), asked=asked)
    assert [one.usage_type for one in found] == ["USE2-NatGateway-Hours", "USE2-NatGateway-Bytes"]
    assert [parameters["ServiceCode"] for parameters in asked] == ["AmazonEC2"] * 2
    assert {entry["Field"]: entry["Value"] for entry in asked[0]["Filters"]} == {
        "productFamily": "NAT Gateway",
        "regionCode": "us-east-2",
    }
    assert {entry["Type"] for entry in asked[0]["Filters"]} == {"TERM_MATCH"}


@pytest.mark.parametrize(
    ("told", "wanted", "is_it"),
    [
        ("NatGateway-Hours", "NatGateway-Hours", True),
        ("USE2-NatGateway-Hours", "NatGateway-Hours", True),
        ("EU-NatGateway-Hours", "NatGateway-Hours", True),
        ("UGW1-NatGateway-Hours", "NatGateway-Hours", True),
        ("APN1-EBS:VolumeUsage.gp3", "EBS:VolumeUsage.gp3", True),
        ("eu-central-1-KMS-Keys", "KMS-Keys", True),
        ("us-gov-west-1-KMS-Requests", "KMS-Requests", True),
        ("KMS-Requests", "KMS-Requests", True),
        ("USE2-RegionalNatGateway-Hours", "NatGateway-Hours", False),
        ("USE2-Regional-NatGateway-Hours", "NatGateway-Hours", False),
        ("eu-central-1-KMS-Requests-Asymmetric", "KMS-Requests", False),
        ("USE2-Storage.SSD.100", "Storage.SSD.1000", False),
        ("USE2-Storage.SSD.1000", "Storage.SSD.100", False),
        ("IATimedStorage-ByteHrs", "TimedStorage-ByteHrs", False),
        ("", "Storage", False),
    ],
)
def test_only_the_region_may_stand_before_a_usage_type(told, wanted, is_it):
    (found,) = products(row(usage_type=told))
    assert found.is_of(wanted) == is_it


@pytest.mark.parametrize(
    ("told", "prices"),
    [
        (row(), [0.045]),
        (row(term(tier("0.1"), tier("0.05", begin="1000"))), [0.1]),
        (row(term(tier("0.05", begin="1000"), tier("0.1"))), [0.1]),
        (row(term(tier("0"), tier("0.25", begin="25"))), [0.25]),
        (row(term(tier("0.0000000000"))), []),
        (row(term(tier("0.3", currency="CNY"))), []),
        (row(term(tier("0.04")), term(effective="2026-12-01T00:00:00Z")), [0.04]),
        (row(term(tier("0.04"), effective="2026-10-01T00:00:00Z"), term()), [0.045]),
        (row(term(tier("0.04")), term(tier("0.05"))), [0.04, 0.05]),
        (row(term(tier("0.04")), term(tier("0.04"))), [0.04]),
        (row(term(tier("0.04"), tier("0.1", unit="GB"))), [0.04, 0.1]),
        (row(locationType="AWS Local Zone"), []),
        (row(family="Load Balancer"), []),
        (row(family=None), [0.045]),
        (row(regionCode="us-east-1"), []),
        (json.dumps({"product": {"attributes": {}}, "terms": {"Reserved": {}}}), []),
    ],
    ids=[
        "one price",
        "the first tier",
        "the first tier, wherever it stands",
        "the first tier that costs anything",
        "free",
        "in Yuan",
        "not what comes later",
        "the newest counts",
        "contradicting",
        "said twice",
        "two units",
        "of a Local Zone",
        "of another family",
        "of no family",
        "of another Region",
        "reserved only",
    ],
)
def test_rows_of_products(told, prices):
    assert [one.usd for one in products(told)] == prices


def test_data_transfer_names_the_region_that_it_comes_from():
    inside = row(
        usage_type="USE2-DataTransfer-Regional-Bytes", fromRegionCode="us-east-2", regionCode=""
    )
    outside = row(fromRegionCode="us-east-1", regionCode="us-east-2")
    edge = row(fromRegionCode="us-east-2", fromLocationType="AWS Local Zone")
    found = products(inside, outside, edge, filters={}, region_field="fromRegionCode")
    assert [one.usage_type for one in found] == ["USE2-DataTransfer-Regional-Bytes"]


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "{",
        "[]",
        '{"product": 1}',
        row(term(tier("a lot"))),
        row(term(tier("NaN"))),
        row(term(tier("-1"))),
        row(term(tier("1", begin="x"))),
        row(term(effective="soon")),
        "[" * 100_000,
    ],
)
def test_a_row_that_cannot_be_read_is_no_answer(broken):
    with pytest.raises(AwsFailure) as caught:
        products(row(), broken)
    assert caught.value.kind is FailureKind.UNUSABLE
    assert "pricing GetProducts in us-east-1 for AmazonEC2 in us-east-2" in str(caught.value)


def test_nothing_is_no_price():
    assert products() == ()
