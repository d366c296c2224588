"""Gateways of `trnkit plan`: moto where it has the operation, else answers of AWS's shape."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from moto import mock_aws

from tests.trnkit.operations.preflight.fake_account import FakeAccount, Refusal
from trnkit.aws.ec2 import Ec2Gateway
from trnkit.aws.ec2_blocks import Ec2BlockGateway
from trnkit.aws.ec2_spot import Ec2SpotGateway
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.pricing import PricingGateway
from trnkit.aws.session import AwsSession
from trnkit.aws.ssm import SsmGateway

REGION, KIND = "us-east-2", "trn2.48xlarge"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TODAY = NOW.date()


@mock_aws
def test_regions_that_are_on():
    found = Ec2Gateway(AwsSession(), REGION).regions()
    assert list(found) == sorted(found)
    assert {"us-east-2", "eu-central-1"} <= set(found)


def test_a_region_that_is_off_is_none():
    told = [
        {"RegionName": "us-west-2", "OptInStatus": "opt-in-not-required"},
        {"RegionName": "ap-southeast-4", "OptInStatus": "opted-in"},
        {"RegionName": "ap-south-2", "OptInStatus": "not-opted-in"},
    ]
    session = FakeAccount({"DescribeRegions": {"Regions": told * 2}})
    assert Ec2Gateway(session, REGION).regions() == ("ap-southeast-4", "us-west-2")


def test_a_zone_that_ec2_lists_twice_is_one():
    told = [
        {"ZoneId": f"use2-az{number}", "ZoneName": f"us-east-2{letter}", "State": "available"}
        for number, letter in ((3, "c"), (1, "a"))
    ]
    session = FakeAccount({"DescribeAvailabilityZones": {"AvailabilityZones": told * 3}})
    assert [zone.zone_id for zone in Ec2Gateway(session, REGION).zones()] == [
        "use2-az3",
        "use2-az1",
    ]


@mock_aws
def test_spot_prices_of_the_zones_of_aws():
    found = Ec2SpotGateway(AwsSession(), REGION).prices(KIND, NOW - timedelta(days=30))
    assert {price.zone_name for price in found} == {"us-east-2a", "us-east-2b", "us-east-2c"}
    assert all(price.usd_per_hour > 0 and price.since.tzinfo for price in found)


def spot(price="14.56", zone="us-east-2c", hours=1, **more):
    return {
        "AvailabilityZone": zone,
        "InstanceType": KIND,
        "ProductDescription": "Linux/UNIX",
        "SpotPrice": price,
        "Timestamp": NOW - timedelta(hours=hours),
    } | more


def test_every_page_of_spot_prices_is_read():
    told = []

    def answer(parameters, region):
        told.append(parameters)
        if "NextToken" in parameters:
            return {"SpotPriceHistory": [spot("9.1", hours=2)], "NextToken": ""}
        return {"SpotPriceHistory": [spot(AvailabilityZoneId="use2-az3")], "NextToken": "next"}

    session = FakeAccount({"DescribeSpotPriceHistory": answer})
    first, second = Ec2SpotGateway(session, REGION).prices(KIND, NOW - timedelta(days=30))
    assert (first.zone_id, first.usd_per_hour) == ("use2-az3", 14.56)
    assert (second.zone_id, second.zone_name, second.usd_per_hour) == (None, "us-east-2c", 9.1)
    assert second.since == NOW - timedelta(hours=2)
    assert told[0]["InstanceTypes"] == [KIND]
    assert told[0]["ProductDescriptions"] == ["Linux/UNIX"]
    assert told[0]["StartTime"] == NOW - timedelta(days=30)


@pytest.mark.parametrize(
    "price", ["", "0", "0.0000", "-1", "nan", "NaN", "inf", "free", "1_000", " 1", "9" * 400]
)
def test_a_spot_price_that_is_none_is_no_answer(price):
    session = FakeAccount({"DescribeSpotPriceHistory": {"SpotPriceHistory": [spot(price)]}})
    with pytest.raises(AwsFailure) as caught:
        Ec2SpotGateway(session, REGION).prices(KIND, NOW)
    assert caught.value.kind is FailureKind.UNUSABLE
    assert f"the price is {price!r}" in str(caught.value)


def test_a_page_that_is_missing_costs_all_of_them():
    def answer(parameters, region):
        if "NextToken" in parameters:
            return Refusal("RequestLimitExceeded")
        return {"SpotPriceHistory": [spot()], "NextToken": "next"}

    gateway = Ec2SpotGateway(FakeAccount({"DescribeSpotPriceHistory": answer}), REGION)
    with pytest.raises(AwsFailure) as caught:
        gateway.prices(KIND, NOW)
    assert caught.value.kind is FailureKind.THROTTLED


def test_placement_scores_are_asked_of_one_region_and_zone_by_zone():
    told = []

    def answer(parameters, region):
        told.append(parameters)
        scores = [
            {"Region": REGION, "AvailabilityZoneId": "use2-az3", "Score": 3},
            {"Region": REGION, "AvailabilityZoneId": "use2-az1", "Score": 1},
            {"Region": REGION, "Score": 9},
        ]
        return {"SpotPlacementScores": scores}

    session = FakeAccount({"GetSpotPlacementScores": answer})
    found = Ec2SpotGateway(session, REGION).placement_scores(KIND, 16)
    assert found == {"use2-az3": 3, "use2-az1": 1}
    assert told == [
        {
            "InstanceTypes": [KIND],
            "TargetCapacity": 16,
            "SingleAvailabilityZone": True,
            "RegionNames": [REGION],
        }
    ]


@pytest.mark.parametrize("score", [-99, 0, 11])
def test_a_score_that_is_none_is_no_answer(score):
    told = [{"Region": REGION, "AvailabilityZoneId": "use2-az3", "Score": score}]
    session = FakeAccount({"GetSpotPlacementScores": {"SpotPlacementScores": told}})
    with pytest.raises(AwsFailure) as caught:
        Ec2SpotGateway(session, REGION).placement_scores(KIND, 1)
    assert caught.value.kind is FailureKind.UNUSABLE
    assert f"the score of use2-az3 is {score}" in str(caught.value)


@pytest.mark.parametrize("code", ["MaxConfigLimitExceeded", "CapacityBlockDescribeLimitExceeded"])
def test_limits_of_questions_are_failures_that_say_what_aws_says(code):
    words = "wait for 24 hours before specifying a new configuration"
    told = dict.fromkeys(
        ("GetSpotPlacementScores", "DescribeCapacityBlockOfferings"), Refusal(code, words)
    )
    session = FakeAccount(told)
    for ask in (
        lambda: Ec2SpotGateway(session, REGION).placement_scores(KIND, 1),
        lambda: Ec2BlockGateway(session, REGION).offerings(KIND, 1, 24),
    ):
        with pytest.raises(AwsFailure) as caught:
            ask()
        assert caught.value.kind is FailureKind.QUOTA
        assert words in str(caught.value)


def offering(number=1, **changes):
    return {
        "CapacityBlockOfferingId": f"cb-{number:017d}",
        "InstanceType": KIND,
        "AvailabilityZone": "us-east-2c",
        "InstanceCount": 4,
        "StartDate": NOW + timedelta(days=number),
        "EndDate": NOW + timedelta(days=number, hours=23, minutes=30),
        "CapacityBlockDurationHours": 23,
        "CapacityBlockDurationMinutes": 30,
        "UpfrontFee": "858.2600",
        "CurrencyCode": "USD",
    } | changes


def test_blocks_by_start_and_last_what_has_none():
    told = []

    def answer(parameters, region):
        told.append(parameters)
        if "NextToken" in parameters:
            dedicated = offering(3, Tenancy="dedicated")
            return {"CapacityBlockOfferings": [offering(1), dedicated]}
        entries = [{"InstanceType": KIND}, offering(2)]
        return {"CapacityBlockOfferings": entries, "NextToken": "next"}

    session = FakeAccount({"DescribeCapacityBlockOfferings": answer})
    end = NOW + timedelta(days=9)
    first, second, bare = Ec2BlockGateway(session, REGION).offerings(
        KIND, 4, 24, earliest=NOW, latest_end=end
    )
    assert (first.offering_id, second.offering_id) == (f"cb-{1:017d}", f"cb-{2:017d}")
    assert (first.hours, first.instance_type, first.instance_count) == (23, KIND, 4)
    assert (bare.instance_type, bare.offering_id, bare.zone_name) == (KIND, None, None)
    assert (bare.start, bare.end, bare.hours) == (None, None, None)
    assert (first.upfront_fee, first.currency) == ("858.2600", "USD")
    assert told[0] == {
        "InstanceType": KIND,
        "InstanceCount": 4,
        "CapacityDurationHours": 24,
        "StartDateRange": NOW,
        "EndDateRange": end,
    }


def test_dates_that_nobody_named_are_not_asked():
    told = []

    def answer(parameters, region):
        told.append(parameters)
        entry = offering(UltraserverType="u-trn2x64", UltraserverCount=2, InstanceCount=8)
        del entry["CapacityBlockDurationHours"]
        return {"CapacityBlockOfferings": [entry]}

    session = FakeAccount({"DescribeCapacityBlockOfferings": answer})
    (found,) = Ec2BlockGateway(session, REGION).ultraserver_offerings("u-trn2x64", 2, 24)
    assert (found.ultraserver_type, found.ultraserver_count, found.hours) == ("u-trn2x64", 2, 23)
    asked = {"UltraserverType": "u-trn2x64", "UltraserverCount": 2, "CapacityDurationHours": 24}
    assert told == [asked]


NOT_SOLD = (
    "The instance type 'trn2.3xlarge' is not supported for Capacity Blocks in 'us-west-2'. "
    "Specify a compatible instance type and try again."
)


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        (Refusal("InvalidParameterValue", NOT_SOLD), None),
        (Refusal("Unsupported", "no Capacity Blocks here"), None),
        (Refusal("UnsupportedOperation", "no Capacity Blocks here"), None),
        (Refusal("InvalidParameterValue", "CapacityDurationHours must be a multiple"), "refused"),
        (Refusal("InvalidParameterValue", "StartDateRange is in the past"), "refused"),
        (Refusal("UnauthorizedOperation", "when requesting an EC2 UltraServer", 403), "denied"),
        (Refusal("RequestLimitExceeded"), "throttled"),
    ],
)
def test_only_a_type_that_is_not_sold_has_no_blocks(refusal, kind):
    gateway = Ec2BlockGateway(FakeAccount({"DescribeCapacityBlockOfferings": refusal}), REGION)
    if kind is None:
        assert gateway.offerings("trn2.3xlarge", 1, 24) == ()
        return
    with pytest.raises(AwsFailure) as caught:
        gateway.offerings("trn2.3xlarge", 1, 24)
    assert caught.value.kind == kind


def product(region="us-east-2", *terms, **attributes):
    """A row of the price list, as AWS writes it: a text."""
    shown = {
        "regionCode": region,
        "locationType": "AWS Region",
        "instanceType": "trn1.32xlarge",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "capacitystatus": "Used",
        "preInstalledSw": "NA",
        "marketoption": "OnDemand",
    } | attributes
    offers = {f"SKU.{number}": term for number, term in enumerate(terms or (term(),))}
    row = {"product": {"attributes": shown, "sku": "SKU"}, "terms": {"OnDemand": offers}}
    return json.dumps(row)


def term(price="21.5000000000", effective="2026-09-01T00:00:00Z", currency="USD", unit="Hrs"):
    dimension = {"unit": unit, "pricePerUnit": {currency: price}}
    return {"effectiveDate": effective, "priceDimensions": {"SKU.X": dimension}}


def prices(*rows, asked=None):
    def answer(parameters, region):
        if asked is not None:
            asked.append(parameters)
        page = int(parameters.get("NextToken", "0"))
        more = {"NextToken": str(page + 1)} if page + 1 < len(rows) else {}
        return {"FormatVersion": "aws_v1", "PriceList": list(rows[page : page + 1]), **more}

    gateway = PricingGateway(FakeAccount({"GetProducts": answer}), "us-east-1")
    return gateway.on_demand_prices("trn1.32xlarge", TODAY)


def test_one_question_has_the_price_of_every_region():
    asked = []
    found = prices(product("us-east-2"), product("ap-south-1", term("25.1")), asked=asked)
    assert {name: price.usd_per_hour for name, price in found.items()} == {
        "us-east-2": 21.5,
        "ap-south-1": 25.1,
    }
    assert found["us-east-2"].effective == date(2026, 9, 1)
    assert [parameters["ServiceCode"] for parameters in asked] == ["AmazonEC2"] * 2
    filters = {entry["Field"]: entry["Value"] for entry in asked[0]["Filters"]}
    assert filters == {
        "instanceType": "trn1.32xlarge",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "capacitystatus": "Used",
        "preInstalledSw": "NA",
        "marketoption": "OnDemand",
    }


@pytest.mark.parametrize(
    ("row", "price"),
    [
        (product("us-east-2", term("20"), term("21.5", "2026-10-01T00:00:00Z")), 21.5),
        (product("us-east-2", term("21.5"), term("30", "2027-01-01T00:00:00Z")), 21.5),
        (product("us-east-2", term("21.5"), term("0.0000000000")), 21.5),
        (product("us-east-2", term("21.5"), term("21.5")), 21.5),
        (product("us-east-2", term("21.5"), term("22")), None),
        (product("us-east-2", term("0.0000000000")), None),
        (product("us-east-2", term("4.5E-6")), 4.5e-6),
        (product("us-east-2", term("150", currency="CNY")), None),
        (product("us-east-2", term("5000", unit="Quantity")), None),
        (product("us-east-2", marketoption="CapacityBlock"), None),
        (product("us-east-2", operatingSystem="Windows"), None),
        (product("us-east-2", locationType="AWS Local Zone"), None),
        (json.dumps({"product": {"attributes": {"regionCode": "us-east-2"}}, "terms": {}}), None),
    ],
    ids=[
        "the newest counts",
        "not what comes later",
        "a price of zero is none",
        "said twice",
        "contradicting",
        "zero only",
        "with an exponent",
        "in Yuan",
        "not for an hour",
        "of a Capacity Block",
        "of another system",
        "of a Local Zone",
        "reserved only",
    ],
)
def test_rows_of_the_price_list(row, price):
    found = prices(row)
    assert (found["us-east-2"].usd_per_hour if found else None) == price


def test_no_rows_are_no_price():
    assert prices() == {}


@pytest.mark.parametrize(
    "row",
    [
        "",
        "[]",
        '{"product": 1}',
        "{",
        product("us-east-2", term("a lot")),
        product("us-east-2", term("NaN")),
        product("us-east-2", term("-1")),
        product("us-east-2", term("1_000")),
        product("r", term("1", "x")),
    ],
)
def test_a_row_that_cannot_be_read_is_no_answer(row):
    with pytest.raises(AwsFailure) as caught:
        prices(product("ap-south-1"), row)
    assert caught.value.kind is FailureKind.UNUSABLE
    assert "pricing GetProducts in us-east-1 for trn1.32xlarge" in str(caught.value)


def test_whether_a_region_has_a_service():
    asked = []

    def answer(parameters, region):
        asked.append((parameters["Name"], region))
        if parameters["Name"].endswith("/fsx"):
            return {"Parameter": {"Name": parameters["Name"], "Value": "fsx"}}
        return Refusal("ParameterNotFound")

    gateway = SsmGateway(FakeAccount({"GetParameter": answer}), "us-east-1")
    assert gateway.has_service("ap-southeast-4", "fsx") is True
    assert gateway.has_service("ap-southeast-4", "efs") is False
    name = "/aws/service/global-infrastructure/regions/ap-southeast-4/services/"
    assert asked == [(f"{name}fsx", "us-east-1"), (f"{name}efs", "us-east-1")]


def test_a_refused_question_about_a_service_is_no_answer():
    session = FakeAccount({"GetParameter": Refusal("AccessDeniedException", status=403)})
    with pytest.raises(AwsFailure) as caught:
        SsmGateway(session, "us-east-1").has_service("us-east-2", "fsx")
    assert caught.value.permission == "ssm:GetParameter"
