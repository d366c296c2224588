"""Offers of Capacity Blocks that contradict the question are no blocks, and are told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.trnkit.operations.planning.market_answers import NOW, answers, block, request
from tests.trnkit.operations.preflight.fake_account import FakeAccount
from trnkit.aws.failures import AwsFailure
from trnkit.operations.planning.asking import ask_markets
from trnkit.operations.planning.unanswered import unanswered

DAY, WEEK = timedelta(days=1), 168


def ask(*offers, hours=WEEK, **changes):
    wanted = request(hours=hours, **changes)
    told = answers() | {"DescribeCapacityBlockOfferings": {"CapacityBlockOfferings": list(offers)}}
    (market,) = ask_markets(wanted, FakeAccount(told), most_seconds=60, now=NOW)
    return market


def offer(number=1, **changes):
    """A good one: of a week."""
    start = NOW + DAY
    shape = {
        "CapacityBlockOfferingId": f"cb-{number}",
        "StartDate": start,
        "EndDate": start + timedelta(hours=WEEK),
        "CapacityBlockDurationHours": WEEK,
    }
    whole = block("us-east-2", **shape | changes)
    return {name: value for name, value in whole.items() if value is not None}


def offered(*offers, **changes):
    (kind,) = ask(*offers, **changes).types
    return kind


WRONG = [
    ({"StartDate": NOW - 30 * DAY, "EndDate": NOW - 23 * DAY}, "offer cb-1 has ended"),
    ({"StartDate": NOW + 8 * DAY, "EndDate": NOW + DAY}, "offer cb-1 ends before it starts"),
    ({"StartDate": NOW + DAY, "EndDate": NOW + DAY}, "offer cb-1 ends before it starts"),
    ({"StartDate": NOW - 4 * DAY, "EndDate": NOW + 3 * DAY}, "has 72 hours, where 168 were asked"),
    ({"EndDate": NOW + 2 * DAY}, "offer cb-1 has 24 hours, where 168 were asked for"),
    ({"CapacityBlockDurationHours": 24}, "offer cb-1 has 24 hours, where 168 were asked for"),
    ({"CapacityBlockDurationHours": -168}, "hours, where 168 were asked for"),
    ({"InstanceCount": 1}, "offer cb-1 has 1 instances, not 4"),
    ({"InstanceCount": 0}, "offer cb-1 has 0 instances, not 4"),
    ({"InstanceType": "p5.48xlarge"}, "offer cb-1 is of 'p5.48xlarge', not of trn1.32xlarge"),
    ({"UltraserverType": "u-trn2x64"}, "offer cb-1 is of 'u-trn2x64', not of trn1.32xlarge"),
    ({"AvailabilityZone": "us-east-2z"}, "offer cb-1 is in 'us-east-2z', no zone of the Region"),
    ({"AvailabilityZone": "us-west-2a"}, "offer cb-1 is in 'us-west-2a', no zone of the Region"),
    ({"AvailabilityZone": None}, "offer cb-1 has no zone"),
    ({"StartDate": None}, "offer cb-1 has no start"),
    ({"EndDate": None}, "offer cb-1 has no end"),
    ({"CapacityBlockOfferingId": None}, "an offer has no id that could be bought"),
    ({"CapacityBlockOfferingId": "$(rm -rf ~)"}, "an offer has no id that could be bought"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG, ids=[words for _, words in WRONG])
def test_an_offer_that_cannot_be_meant_is_no_answer_and_not_none_on_sale(changes, words):
    whole = offer() | changes
    market = ask({name: value for name, value in whole.items() if value is not None})
    (kind,) = market.types
    assert isinstance(kind.blocks, AwsFailure)
    assert (kind.blocks.kind, kind.blocks.region) == ("unusable", "us-east-2")
    (told,) = unanswered([market])
    assert (told.operation, told.regions) == ("DescribeCapacityBlockOfferings", ("us-east-2",))
    assert words in told.message
    assert kind.blocks_remark == ""


@pytest.mark.parametrize(("changes", "words"), WRONG, ids=[words for _, words in WRONG])
def test_beside_good_offers_it_is_left_out_and_told(changes, words):
    whole = offer() | changes
    market = ask({name: value for name, value in whole.items() if value is not None}, offer(2))
    (kind,) = market.types
    assert [found.offering_id for found in kind.blocks] == ["cb-2"]
    assert "offers of Capacity Blocks in us-east-2 that cannot be meant" in kind.blocks_remark
    assert words in kind.blocks_remark
    assert unanswered([market]) == ()


GOOD = {
    "as asked": {},
    "a little shorter": {"CapacityBlockDurationHours": 145},
    "begun, and almost all of it left": {
        "StartDate": NOW - timedelta(hours=5),
        "EndDate": NOW + timedelta(hours=WEEK - 5),
    },
    "longer": {"EndDate": NOW + 9 * DAY, "CapacityBlockDurationHours": 192},
    "no duration": {"CapacityBlockDurationHours": None},
    "no count": {"InstanceCount": None},
    "no type": {"InstanceType": None},
    "no fee": {"UpfrontFee": None},
}


@pytest.mark.parametrize("changes", GOOD.values(), ids=list(GOOD))
def test_what_ec2_may_well_offer_is_taken(changes):
    whole = offer() | changes
    kind = offered({name: value for name, value in whole.items() if value is not None})
    assert [found.offering_id for found in kind.blocks] == ["cb-1"]
    assert kind.blocks_remark == ""


def test_a_block_of_a_day_that_has_begun_is_on_sale_until_it_ends():
    begun = {"StartDate": NOW - timedelta(hours=9), "EndDate": NOW + timedelta(hours=15)}
    kind = offered(offer(CapacityBlockDurationHours=24, **begun), hours=24)
    assert [found.offering_id for found in kind.blocks] == ["cb-1"]


def test_no_offer_at_all_and_offers_of_other_places_are_none_on_sale():
    assert offered().blocks == ()
    assert offered(offer(AvailabilityZone="us-east-2-chi-1a")).blocks == ()
    assert offered(offer(Tenancy="dedicated")).blocks == ()
    assert offered(offer(), earliest=NOW + 2 * DAY).blocks == ()


def test_an_offer_that_is_listed_twice_is_one():
    assert [found.offering_id for found in offered(offer(), offer()).blocks] == ["cb-1"]


def test_of_many_contradictions_three_are_named():
    wrong = [offer(number, InstanceCount=1) for number in range(1, 6)]
    assert str(offered(*wrong).blocks).count("has 1 instances, not 4") == 3
    assert "offer cb-3 has 1 instances, not 4, and 2 more)" in str(offered(*wrong).blocks)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, None),
        ({"UltraserverType": "u-trn3x144"}, "is of 'u-trn3x144', not of u-trn2x64"),
        ({"UltraserverCount": 1}, "has 1 UltraServers, not 2"),
    ],
)
def test_ultraservers_are_compared_as_such(changes, words):
    of_server = {"UltraserverType": "u-trn2x64", "UltraserverCount": 2, "InstanceCount": 8}
    needs = [("trn2u.48xlarge", 5)]
    entry = offer(**{"InstanceType": "trn2u.48xlarge"} | of_server | changes)
    kind = offered(entry, needs=needs)
    if words is None:
        assert [found.count for found in kind.blocks] == [8]
    else:
        assert words in str(kind.blocks)
