"""What a plan asks AWS, and what it makes of the answers."""

from __future__ import annotations

import dataclasses
from datetime import date, timedelta

import pytest

from tests.trnkit.operations.planning.market_answers import (
    KIND,
    NOW,
    REGIONS,
    VCPUS,
    answers,
    block,
    offerings,
    price_row,
    request,
    zone_id,
    zone_name,
)
from tests.trnkit.operations.preflight.fake_account import (
    DENIED,
    THROTTLED,
    FakeAccount,
    Refusal,
    instance,
    running,
)
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.ssm import GET_PARAMETER
from trnkit.config.prices_file import read_prices_file
from trnkit.layout.price_book import book_of
from trnkit.operations.planning.asking import ask_markets
from trnkit.operations.planning.declared import PLAN_OPERATIONS
from trnkit.operations.planning.default_regions import default_regions
from trnkit.operations.planning.market import (
    BlockOffering,
    NodeNeed,
    Price,
    QuotaRoom,
    SpotHistory,
)

NOT_FOUND = Refusal("NoSuchResourceException")


def ask(wanted=None, **changes):
    return ask_markets(
        wanted or request(), FakeAccount(answers() | changes), most_seconds=60, now=NOW
    )


def ask_one(wanted=None, **changes):
    (market,) = ask(wanted, **changes)
    return market


def only(market):
    (found,) = market.types
    return found


def test_a_region_in_which_everything_is_well():
    market = ask_one()
    region = "us-east-2"
    assert [zone.zone_id for zone in market.zones] == [zone_id(region, n) for n in (1, 2, 3)]
    assert market.services == {"fsx": True, "efs": True}
    assert 0 < market.seconds < 60
    found = only(market)
    assert found.need == NodeNeed(instance_type=KIND, count=4)
    assert found.offered == {zone_id(region, 1), zone_id(region, 3)}
    assert found.on_demand == Price(
        usd_per_hour=20.5, source="AWS Price List", as_of=date(2026, 9, 1)
    )
    assert found.spot == (
        SpotHistory(
            zone_id=zone_id(region, 1),
            current_usd=2.15,
            lowest_usd=1.5,
            highest_usd=9.9,
            days=30,
        ),
    )
    assert found.placement_scores == {zone_id(region, 1): 3}
    assert found.blocks == (
        BlockOffering(
            offering_id="cb-0123456789abcdef0",
            zone_id=zone_id(region, 3),
            start=NOW + timedelta(days=2),
            end=NOW + timedelta(days=3),
            hours=24,
            count=4,
            upfront_usd=915.07,
        ),
    )
    assert found.on_demand_quota == QuotaRoom(
        quota_code="L-2C3B7624",
        name="Running On-Demand Trn instances",
        limit=1024.0,
        used=VCPUS,
        needed=4 * VCPUS,
    )
    assert found.on_demand_quota.has_room is True
    assert found.spot_quota.limit == 256.0
    assert (found.spot_quota.used, found.spot_quota.has_room) == (0, False)


def test_regions_come_in_the_order_of_the_request_and_once():
    ended = []
    markets = ask_markets(
        request("us-west-2", "ap-south-1", "us-east-2", "us-west-2"),
        FakeAccount(answers()),
        most_seconds=60,
        progress=lambda market: ended.append(market.region),
        now=NOW,
    )
    assert [market.region for market in markets] == ["us-west-2", "ap-south-1", "us-east-2"]
    assert sorted(ended) == sorted(market.region for market in markets)


def test_all_that_a_plan_asks_is_declared_and_nothing_else():
    session = FakeAccount(answers() | {"GetServiceQuota": NOT_FOUND})
    wanted = request(needs=[(KIND, 1), ("trn9.48xlarge", 1)])
    ask_markets(wanted, session, most_seconds=60, now=NOW)
    default_regions(session, [KIND], "us-east-2", every=True)
    asked = {(service, name) for service, name, _ in session.asked}
    assert asked == {(o.service, o.name) for o in PLAN_OPERATIONS}


# Which answers of a market are lost with an operation; all others stay.
COSTS = {
    "DescribeInstanceTypeOfferings": {"offered"},
    "DescribeSpotPriceHistory": {"spot"},
    "GetSpotPlacementScores": {"placement_scores"},
    "DescribeCapacityBlockOfferings": {"blocks"},
    "GetServiceQuota": {"on_demand_quota", "spot_quota"},
    "DescribeInstances": {"on_demand_quota", "spot_quota"},
    "DescribeCapacityReservations": {"on_demand_quota"},
    "GetCallerIdentity": set(),  # Nothing is reserved, so that it does not matter whose it is.
    "DescribeSpotInstanceRequests": {"spot_quota"},
    "GetParameter": {"services"},
    "GetProducts": set(),  # The catalogue has a price.
}


@pytest.mark.parametrize(("refusal", "kind"), [(DENIED, "denied"), (THROTTLED, "throttled")])
@pytest.mark.parametrize(("operation", "costs"), COSTS.items(), ids=COSTS)
def test_no_answer_costs_that_answer_and_no_other(operation, costs, refusal, kind):
    market = ask_one(**{operation: refusal})
    found = only(market)
    told = {name: getattr(found, name) for name in found.__slots__} | {"services": market.services}
    failed = {name: value for name, value in told.items() if isinstance(value, AwsFailure)}
    assert set(failed) == costs
    assert {failure.kind for failure in failed.values()} <= {kind}
    assert {failure.operation for failure in failed.values()} <= {operation}


def test_zones_without_an_answer_leave_nothing_to_compare():
    market = ask_one(DescribeAvailabilityZones=DENIED)
    assert (market.zones.kind, market.types) == ("denied", ())
    assert market.zones.permission == "ec2:DescribeAvailabilityZones"


@pytest.mark.parametrize(
    ("code", "kind"), [("OptInRequired", "region-off"), ("AuthFailure", "not-accepted")]
)
def test_a_region_that_is_off_costs_one_call(code, kind):
    def answer(told, region):
        return Refusal(code) if region == "ap-southeast-4" else offerings(told, region)

    session = FakeAccount(answers() | {"DescribeInstanceTypeOfferings": answer})
    wanted = request("ap-southeast-4", "us-east-2")
    off, on = ask_markets(wanted, session, most_seconds=60, now=NOW)
    assert (off.zones.kind, off.types) == (kind, ())
    assert off.services == {"fsx": True, "efs": True}
    assert only(on).offered
    calls = [name for _, name, region in session.asked if region == "ap-southeast-4"]
    assert calls == ["DescribeInstanceTypeOfferings"]


def test_without_credentials_every_region_says_so(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    markets = ask(request("us-east-2", "us-west-2"))
    assert [market.zones.kind for market in markets] == ["no-credentials"] * 2


def test_where_a_type_is_not_offered_only_blocks_are_asked_of_it():
    session = FakeAccount(
        answers() | {"DescribeInstanceTypeOfferings": {"InstanceTypeOfferings": []}}
    )
    (market,) = ask_markets(request(), session, most_seconds=60, now=NOW)
    found = only(market)
    assert (found.offered, found.spot, found.placement_scores) == (frozenset(), (), {})
    assert (found.on_demand_quota, found.spot_quota) == (None, None)
    assert [offering.hours for offering in found.blocks] == [24]
    asked = {name for _, name, region in session.asked if region == "us-east-2"}
    assert asked == {
        "DescribeInstanceTypeOfferings",
        "DescribeAvailabilityZones",
        "DescribeCapacityBlockOfferings",
    }


@pytest.mark.parametrize(
    ("purchases", "hours", "none"),
    [
        ({"on-demand"}, 24, {"spot", "placement_scores", "spot_quota", "blocks"}),
        ({"on-demand-reservation"}, 24, {"spot", "placement_scores", "spot_quota", "blocks"}),
        ({"spot"}, 24, {"on_demand", "on_demand_quota", "blocks"}),
        (
            {"capacity-block"},
            24,
            {"spot", "placement_scores", "spot_quota", "on_demand", "on_demand_quota"},
        ),
        ({"on-demand", "spot", "capacity-block"}, None, {"blocks"}),
    ],
)
def test_only_ways_to_buy_that_are_wanted_are_asked_about(purchases, hours, none):
    found = only(ask_one(request(purchases=frozenset(purchases), hours=hours)))
    assert {name for name in found.__slots__ if getattr(found, name) is None} == none


def test_services_that_a_region_lacks_and_none_asked_for():
    def answer(told, region):
        assert region == "us-east-1"
        if told["Name"].endswith("regions/ap-south-2/services/efs"):
            return Refusal("ParameterNotFound")
        return {"Parameter": {"Name": told["Name"], "Value": "x"}}

    assert ask_one(request("ap-south-2"), GetParameter=answer).services == {
        "fsx": True,
        "efs": False,
    }
    assert ask_one(request(services=()), GetParameter=answer).services == {}


@pytest.mark.parametrize(
    ("lets", "asked", "kind"),
    [
        ("us-east-1", ["us-east-1"], None),
        ("us-west-2", ["us-east-1", "us-east-2", "us-west-2"], None),
        (None, ["us-east-1", "us-east-2", "us-west-2", "eu-west-1"], "denied-by-organization"),
    ],
)
def test_services_are_asked_for_where_the_organization_lets(lets, asked, kind):
    told = []
    words = "not authorized to perform: ssm:GetParameter with an explicit deny in a service control"

    def answer(parameters, region):
        told.append(region)
        if region == lets:
            return {"Parameter": {"Name": parameters["Name"], "Value": "x"}}
        return Refusal("AccessDeniedException", f"{words} policy", 403)

    services = ask_one(request(services=("fsx",)), GetParameter=answer).services
    assert told == asked
    assert services == {"fsx": True} if kind is None else services.kind == kind
    if kind:
        assert services.region == "us-east-1"


def test_a_role_without_the_permission_is_asked_once():
    told = []

    def answer(parameters, region):
        told.append(region)
        return DENIED

    assert ask_one(request(services=("fsx",)), GetParameter=answer).services.kind == "denied"
    assert told == ["us-east-1"]


PRICES = [
    pytest.param({"PriceList": [price_row("us-east-2", KIND, "22")]}, 22.0, "List", id="listed"),
    pytest.param({"PriceList": []}, 21.5, "catalogue: ", id="not listed"),
    pytest.param({"PriceList": [price_row("us-east-2", KIND, "0")]}, 21.5, "catalogue", id="zero"),
    pytest.param(DENIED, 21.5, "catalogue: ", id="denied"),
    pytest.param({"PriceList": ["no JSON"]}, 21.5, "catalogue: ", id="unreadable"),
]


@pytest.mark.parametrize(("told", "dollars", "source"), PRICES)
def test_a_price_is_of_the_list_or_of_the_catalogue_and_says_which(told, dollars, source):
    price = only(ask_one(GetProducts=told)).on_demand
    assert price.usd_per_hour == dollars
    assert source in price.source


def test_a_price_that_nobody_has_is_none_and_without_an_answer_a_failure():
    wanted = request(needs=[("trn2.48xlarge", 1)])
    assert only(ask_one(wanted, GetProducts={"PriceList": []})).on_demand is None
    assert only(ask_one(wanted, GetProducts=THROTTLED)).on_demand.kind == "throttled"


AGREED = 'version: 1\ndate: 2026-11-30\nsource: "Annex B"\ndiscount: {percent: 10}\n'
STATED = f"prices:\n  - {{instance_type: {KIND}, purchase: on-demand, usd_per_hour: 15.5}}\n"
OLD_LIST = (
    "list_prices:\n  read: 2026-01-02\n  regions: [us-east-2]\n  prices:\n    - {instance_type: "
    f"{KIND}, purchase: on-demand, region: us-east-2, usd_per_hour: 20}}\n"
)
LISTED_NOW = {"PriceList": [price_row("us-east-2", KIND, "22")]}


@pytest.mark.parametrize(
    ("file", "told", "dollars", "source"),
    [
        (AGREED + STATED + OLD_LIST, LISTED_NOW, 15.5, "Annex B"),
        (AGREED + STATED, DENIED, 15.5, "Annex B"),
        (AGREED + OLD_LIST, LISTED_NOW, 19.8, "AWS Price List, less 10 %"),
        (AGREED + OLD_LIST, DENIED, 18.0, "AWS Price List, read 2026-01-02, less 10 %"),
        (AGREED, DENIED, 19.35, "catalogue: "),
        (f"{AGREED[:-1].replace('10}', '10, not_on: [' + KIND + ']}')}\n", LISTED_NOW, 22, "AWS"),
    ],
    ids=["stated", "stated, no answer", "AWS now", "list of the file", "catalogue", "not covered"],
)
def test_the_file_of_prices_counts_before_aws_and_its_discount_is_off_list_prices(
    file, told, dollars, source
):
    book = book_of(read_prices_file(file, "prices.yaml"))
    price = only(ask_one(request(book=book), GetProducts=told)).on_demand
    assert price.usd_per_hour == pytest.approx(dollars)
    assert price.source.startswith(source)
    assert price.source.endswith(", less 10 %") == (dollars not in (15.5, 22))


def test_prices_are_asked_once_for_all_regions():
    session = FakeAccount(answers())
    ask_markets(request(*REGIONS), session, most_seconds=60, now=NOW)
    assert [name for _, name, _ in session.asked].count("GetProducts") == 1


def test_two_groups_that_want_the_same_are_asked_once_and_count_both():
    needs = (
        NodeNeed(instance_type=KIND, count=4, group="a"),
        NodeNeed(instance_type=KIND, count=4, group="b"),
    )
    session = FakeAccount(answers())
    wanted = dataclasses.replace(request(), needs=needs)
    (market,) = ask_markets(wanted, session, most_seconds=60, now=NOW)
    assert [found.need.group for found in market.types] == ["a", "b"]
    assert [found.on_demand_quota.needed for found in market.types] == [8 * VCPUS] * 2
    asked = [name for _, name, _ in session.asked]
    for once in ("GetSpotPlacementScores", "DescribeSpotPriceHistory", "GetProducts"):
        assert asked.count(once) == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def broken(told, region):
    raise KeyError("a mistake")


def test_a_mistake_of_ours_is_said_as_one_and_costs_its_own_answer():
    (asked,) = ask(GetSpotPlacementScores=broken)
    (kind,) = asked.types
    failure = kind.placement_scores
    assert failure.kind is FailureKind.BROKEN
    words = "broke, which is a mistake of trnkit: KeyError: 'a mistake'; please report it"
    assert words in str(failure)
    assert not isinstance(kind.spot, AwsFailure)


def test_a_mistake_of_ours_is_raised_where_it_is_looked_for(monkeypatch):
    monkeypatch.setenv("TRNKIT_DEBUG", "1")
    with pytest.raises(KeyError, match="a mistake"):
        ask(GetSpotPlacementScores=broken)


def test_offers_of_local_zones_of_other_days_and_of_dedicated_hardware_are_left_out():
    region = "us-east-2"
    told = [
        block(region, CapacityBlockOfferingId="cb-1"),
        block(region, CapacityBlockOfferingId="cb-2", AvailabilityZone="us-east-2-chi-1a"),
        block(region, CapacityBlockOfferingId="cb-3", StartDate=NOW + timedelta(days=5)),
        block(region, CapacityBlockOfferingId="cb-4", UpfrontFee="6000", CurrencyCode="CNY"),
        block(region, CapacityBlockOfferingId="cb-5", UpfrontFee="on request"),
        block(region, CapacityBlockOfferingId="cb-8", UpfrontFee="0.0000"),
        block(region, CapacityBlockOfferingId="cb-7", Tenancy="dedicated"),
        block(region, CapacityBlockOfferingId="cb-6", StartDate=NOW + timedelta(days=4)),
    ]
    found = only(
        ask_one(
            request(latest=NOW + timedelta(days=4)),
            DescribeCapacityBlockOfferings={"CapacityBlockOfferings": told},
        )
    )
    assert {offering.offering_id: offering.upfront_usd for offering in found.blocks} == {
        "cb-1": 915.07,
        "cb-4": None,
        "cb-5": None,
        "cb-8": None,
        "cb-6": 915.07,
    }
    assert {offering.zone_id for offering in found.blocks} == {zone_id(region, 3)}


@pytest.mark.parametrize(
    ("earliest", "latest", "fits"),
    [
        (None, None, ["cb-1", "cb-2", "cb-3"]),
        (2, None, ["cb-2", "cb-3"]),
        (None, 2, ["cb-1", "cb-2"]),
        (2, 2, ["cb-2"]),
        (4, None, []),
    ],
)
def test_a_block_that_begins_outside_the_wanted_window_is_left_out(earliest, latest, fits):
    """Whatever EC2 answers: it is asked for the window, and an answer is no proof of it."""
    told = [
        block("us-east-2", CapacityBlockOfferingId=f"cb-{days}", StartDate=NOW + timedelta(days))
        for days in (1, 2, 3)
    ]
    window = {"earliest": earliest, "latest": latest}
    asked = {key: NOW + timedelta(days) for key, days in window.items() if days}
    answer = {"CapacityBlockOfferings": told}
    found = only(ask_one(request(**asked), DescribeCapacityBlockOfferings=answer)).blocks
    assert [one.offering_id for one in found] == fits


@pytest.mark.parametrize(
    ("needs", "hours", "asked"),
    [
        ((KIND, 4), 1, {"InstanceType": KIND, "InstanceCount": 4, "CapacityDurationHours": 24}),
        ((KIND, 64), 25, {"InstanceType": KIND, "InstanceCount": 64, "CapacityDurationHours": 48}),
        (
            ("trn2u.48xlarge", 5),
            24,
            {"UltraserverType": "u-trn2x64", "UltraserverCount": 2, "CapacityDurationHours": 24},
        ),
        ((KIND, 65), 24, None),
        ((KIND, 1), 183 * 24, None),
    ],
    ids=["a part of a day", "a day and an hour", "UltraServers", "too many", "too long"],
)
def test_what_is_asked_about_blocks(needs, hours, asked):
    told = []

    def answer(parameters, region):
        told.append(parameters)
        return {"CapacityBlockOfferings": []}

    market = ask_one(request(needs=[needs], hours=hours), DescribeCapacityBlockOfferings=answer)
    assert only(market).blocks == ()
    assert told == ([asked] if asked else [])


def test_dates_of_blocks_bound_the_start_though_ec2_bounds_the_end():
    told = []

    def answer(parameters, region):
        told.append(parameters)
        entry = block(region, UltraserverType="u-trn2x64", UltraserverCount=2, InstanceCount=None)
        return {"CapacityBlockOfferings": [{k: v for k, v in entry.items() if v is not None}]}

    dates = {"earliest": NOW + timedelta(days=1), "latest": NOW + timedelta(days=3)}
    wanted = request(needs=[("trn2u.48xlarge", 5)], hours=48, **dates)
    (found,) = only(ask_one(wanted, DescribeCapacityBlockOfferings=answer)).blocks
    assert (found.count, found.ultraserver_type) == (8, "u-trn2x64")
    assert told[0]["StartDateRange"] == NOW + timedelta(days=1)
    assert told[0]["EndDateRange"] == NOW + timedelta(days=3 + 2 + 1)


def spot_entry(price, age, **more):
    return {
        "AvailabilityZone": zone_name("us-east-2", 2),
        "SpotPrice": price,
        "Timestamp": NOW - age,
    } | more


def test_spot_prices_of_zones_by_name_and_by_id():
    told = [
        spot_entry("4", timedelta(hours=50)),
        spot_entry("5", timedelta(hours=49)),
        spot_entry("7", timedelta(minutes=5), AvailabilityZoneId=zone_id("us-east-2", 1)),
        spot_entry("1", timedelta(minutes=1), AvailabilityZone="us-east-2-chi-1a"),
    ]
    found = only(ask_one(DescribeSpotPriceHistory={"SpotPriceHistory": told})).spot
    assert [(h.zone_id, h.current_usd, h.lowest_usd, h.highest_usd, h.days) for h in found] == [
        (zone_id("us-east-2", 1), 7.0, 7.0, 7.0, 1),
        (zone_id("us-east-2", 2), 5.0, 4.0, 5.0, 3),
    ]


def test_an_empty_account_is_an_answer():
    market = ask_one(
        DescribeSpotPriceHistory={"SpotPriceHistory": []},
        GetSpotPlacementScores={"SpotPlacementScores": []},
        DescribeCapacityBlockOfferings={"CapacityBlockOfferings": []},
        DescribeInstances=running(),
    )
    found = only(market)
    assert (found.spot, found.placement_scores, found.blocks) == ((), {}, ())
    assert found.on_demand_quota.used == 0


@pytest.mark.parametrize(
    ("purchases", "asked"),
    [
        ({"capacity-block"}, False),
        ({"spot"}, False),
        ({"on-demand-reservation"}, True),
        ({"on-demand", "spot"}, True),
    ],
)
def test_the_price_list_is_asked_only_where_its_prices_count(purchases, asked):
    session = FakeAccount(answers())
    wanted = request(purchases=frozenset(purchases))
    (market,) = ask_markets(wanted, session, most_seconds=60, now=NOW)
    assert (only(market).on_demand is not None) == asked
    assert ("GetProducts" in {name for _, name, _ in session.asked}) == asked


def test_parameters_of_services_need_no_further_permission():
    assert "arn:aws:ssm:*::parameter/aws/service/*" in GET_PARAMETER.resources


def test_messages_do_not_tell_who_asked():
    words = "User: arn:aws:sts::111122223333:assumed-role/ci/run is not authorized"
    found = only(ask_one(GetSpotPlacementScores=Refusal("UnauthorizedOperation", words, 403)))
    assert "111122223333" not in str(found.placement_scores)
    assert found.placement_scores.permission == "ec2:GetSpotPlacementScores"


def test_instances_of_other_families_take_nothing_of_the_quota():
    told = running(instance(InstanceType="m7i.48xlarge"), instance(InstanceType="trn1.2xlarge"))
    assert only(ask_one(DescribeInstances=told)).on_demand_quota.used == 8
