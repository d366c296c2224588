"""How long a plan takes: chains of calls, Regions that hang, and one end for everything."""

from __future__ import annotations

import threading
import time

import pytest

from tests.trnkit.operations.planning.market_answers import (
    KIND,
    NOW,
    REGIONS,
    HangingAccount,
    RoundsAccount,
    answers,
    request,
)
from tests.trnkit.operations.preflight.fake_account import (
    FakeAccount,
    Refusal,
    instance,
    running,
)
from trnkit.aws.failures import AwsFailure
from trnkit.operations.planning.asking import ask_markets

LATE = "allow more time with --timeout"


def failures(market):
    """Names of the answers of a Region that failed, with the failure."""
    told = {"zones": market.zones, "services": market.services}
    for found in market.types:
        told |= {name: getattr(found, name) for name in found.__slots__}
    return {name: value for name, value in told.items() if isinstance(value, AwsFailure)}


def warm(session, regions):
    """Make the clients: that takes some tenths of a second, and is no call."""
    for region in regions:
        for service in ("ec2", "service-quotas", "ssm", "sts", "pricing"):
            session.client(service, region)


@pytest.mark.parametrize(
    "needs", [[(KIND, 4)], [(KIND, 4), ("trn1.2xlarge", 1), ("trn2.48xlarge", 2)]], ids=len
)
def test_no_region_waits_for_more_than_two_calls_one_after_the_other(needs):
    session = RoundsAccount(answers())
    warm(session, ["us-west-2", "us-east-1"])
    ask_markets(request("us-west-2", needs=needs), session, most_seconds=60, now=NOW)
    first, second = session.rounds
    own = [name for name, region in first if region == "us-west-2"]
    assert own == ["DescribeInstanceTypeOfferings"]
    assert {region for _, region in second} == {"us-west-2"}
    # What is asked once, of whatever needs; and what is asked of each.
    assert len(second) == 6 + 3 * len(needs)


def test_ten_regions_take_two_rounds_too():
    session = RoundsAccount(answers())
    warm(session, REGIONS)
    wanted = request(*REGIONS, services=("fsx",))
    markets = ask_markets(wanted, session, most_seconds=60, now=NOW)
    assert not any(failures(market) for market in markets)
    assert [len(calls) for calls in session.rounds] == [10 + 10 + 2, 10 * 9]


def test_reservations_and_types_that_nobody_knows_cost_one_call_more():
    told = {
        "DescribeInstances": running(instance(InstanceType="trn9.48xlarge")),
        "GetServiceQuota": Refusal("NoSuchResourceException"),
    }
    session = RoundsAccount(answers() | told)
    warm(session, ["us-west-2", "us-east-1"])
    ask_markets(request("us-west-2"), session, most_seconds=60, now=NOW)
    assert len(session.rounds) == 3


def test_a_region_that_hangs_costs_its_time_and_not_the_others():
    session = HangingAccount(answers(), frozenset({"ap-south-1"}))
    ended = []
    start = time.monotonic()
    try:
        markets = ask_markets(
            request("ap-south-1", "us-east-2", "us-west-2"),
            session,
            most_seconds=6,
            progress=lambda market: ended.append(market.region),
            now=NOW,
        )
        taken = time.monotonic() - start
    finally:
        session.let_go.set()
    assert 6 <= taken < 12
    assert ended[-1] == "ap-south-1"
    hung, *others = markets
    assert (hung.zones.kind, hung.types) == ("late", ())
    assert "got no answer in time" in str(hung.zones)
    assert LATE in str(hung.zones)
    assert hung.seconds == pytest.approx(6, abs=2)
    for market in others:
        assert failures(market) == {}
        assert market.seconds < 6


HANGING = {
    "spot": "DescribeSpotPriceHistory",
    "on_demand_quota": "DescribeInstances",
    "spot_quota": "DescribeInstances",
    "services": "GetParameter",
}


def test_questions_that_hang_cost_their_own_answers():
    let_go = threading.Event()

    def hang(told, region):
        let_go.wait(60)
        return Refusal("RequestLimitExceeded")

    # Prices hang too, and the catalogue has one.
    hanging = dict.fromkeys((*HANGING.values(), "GetProducts"), hang)
    session = FakeAccount(answers() | hanging)
    try:
        (market,) = ask_markets(request(), session, most_seconds=5, now=NOW)
    finally:
        let_go.set()
    failed = failures(market)
    assert {name: failure.operation for name, failure in failed.items()} == HANGING
    assert {failure.kind for failure in failed.values()} == {"late"}
    assert market.types[0].on_demand.source.startswith("catalogue: ")


def test_nothing_is_asked_when_there_is_no_time():
    session = FakeAccount(answers())
    markets = ask_markets(request("us-east-2", "us-west-2"), session, most_seconds=0, now=NOW)
    assert [market.zones.kind for market in markets] == ["late", "late"]
    assert session.asked == []


def test_regions_that_hang_take_no_turns_from_the_others():
    """Each of four has all its calls under way, and more that wait."""
    hung = frozenset(f"us-east-{number}" for number in range(3, 7))

    # The first answer comes, so that all other questions are under way when they hang.
    session = HangingAccount(answers(), hung, but_answers="DescribeInstanceTypeOfferings")
    needs = [(name, 1) for name in ("trn1.2xlarge", KIND, "trn1n.32xlarge", "trn2.48xlarge")]
    try:
        markets = ask_markets(
            request(*sorted(hung), "us-west-2", needs=needs), session, most_seconds=8, now=NOW
        )
    finally:
        session.let_go.set()
    *lost, well = markets
    assert failures(well) == {}
    assert well.seconds < 8
    assert {market.zones.kind for market in lost} == {"late"}
