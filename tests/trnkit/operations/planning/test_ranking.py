"""Options and their order, out of what AWS said."""

from __future__ import annotations

import random
import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import botocore.session
import pytest
from botocore import xform_name
from botocore.validate import validate_parameters

from tests.trnkit.operations.planning.markets import (
    NOW,
    block,
    failure,
    kind,
    market,
    price,
    quota,
    spot,
    wanted,
)
from trnkit.aws.ec2 import ZoneDescription
from trnkit.aws.failures import FailureKind
from trnkit.operations.planning.buying import reservation_end
from trnkit.operations.planning.market import NodeNeed
from trnkit.operations.planning.options import Standing, Way
from trnkit.operations.planning.ranking import rank
from trnkit.operations.planning.unanswered import unanswered

TRAIN = NodeNeed(instance_type="trn2.48xlarge", count=2, group="train")
DEVELOP = NodeNeed(instance_type="trn1.32xlarge", count=1, group="develop")


def one(way, *types, zone="use2-az3", wants=None, **changes):
    """The only option of a zone."""
    options = rank(wants or wanted(way), [market("us-east-2", *types, **changes)])
    (found,) = [option for option in options if option.zone_id == zone]
    return found


@pytest.mark.parametrize(
    ("way", "node", "chip", "whole", "room"),
    [
        ("on-demand", 40.0, 2.5, 3840.0, "yes"),
        ("on-demand-reservation", 40.0, 2.5, 3840.0, "yes"),
        ("spot", 10.0, 0.625, 960.0, "yes"),
        ("capacity-block", 250.0, 15.625, 24_000.0, "not needed"),
    ],
)
def test_what_can_be_had_with_its_price(way, node, chip, whole, room):
    found = one(way)
    (part,) = found.parts
    assert (found.verdict, found.offered, found.quota_room) == ("can", "yes", room)
    assert (part.usd_per_hour, part.usd_per_chip_hour, found.usd_whole) == (node, chip, whole)
    assert part.price_source == {
        "capacity-block": "Capacity Block offering",
        "spot": "Spot price history",
    }.get(way, "AWS Price List")


def test_a_price_has_its_source_and_date():
    (part,) = one("on-demand").parts
    assert (part.price_source, str(part.price_as_of)) == ("AWS Price List", "2026-11-01")
    assert str(one("spot").parts[0].price_as_of) == "2026-11-30"


@pytest.mark.parametrize(
    ("way", "change", "whole"),
    [
        ("on-demand", {"on_demand": None}, None),
        ("on-demand", {"on_demand": failure("GetProducts", service="pricing")}, None),
        ("spot", {"spot": failure("DescribeSpotPriceHistory")}, None),
        ("capacity-block", {"blocks": (block(fee=None),)}, None),
        ("capacity-block", {"blocks": (block(fee=0.0),)}, 0.0),
    ],
)
def test_a_price_that_is_unknown_is_none_and_never_0(way, change, whole):
    found = one(way, kind(**change))
    assert found.usd_whole == whole
    # What it costs does not decide whether it can be had.
    assert found.verdict == "can"


NONE_SOLD = "EC2 tells no Spot price of {} in use2-az3: perhaps it sells none there"
UNANSWERED = failure("DescribeSpotPriceHistory")


@pytest.mark.parametrize(
    ("name", "told", "doubts"),
    [
        ("trn2.48xlarge", (spot("use2-az3", 1.0),), ()),
        ("trn2.48xlarge", (), (NONE_SOLD,)),
        ("trn2.48xlarge", (spot("use2-az1", 1.0),), (NONE_SOLD,)),
        ("trn2.48xlarge", UNANSWERED, ()),
        # Sources disagree about this type; a price decides.
        ("trn2u.48xlarge", (spot("use2-az3", 1.0),), ()),
        ("trn2u.48xlarge", (), ("{} is not sold as Spot, the catalogue says",)),
        ("trn2u.48xlarge", UNANSWERED, ("{} is not sold as Spot, the catalogue says",)),
        ("trn9.48xlarge", (spot("use2-az3", 1.0),), ()),
        ("trn9.48xlarge", UNANSWERED, ("whether {} is sold as Spot is unknown",)),
    ],
)
def test_spot_where_ec2_tells_no_price_is_a_doubt(name, told, doubts):
    need = NodeNeed(instance_type=name, count=4)
    found = one("spot", kind(need, spot=told), wants=wanted("spot", needs=(need,)))
    assert found.doubts == tuple(text.format(name) for text in doubts)
    assert (found.verdict, found.usd_whole is None) == (
        "perhaps" if doubts else "can",
        not isinstance(told, tuple) or "use2-az3" not in {one.zone_id for one in told},
    )


HIGH = (
    "max_price_usd 8.5 is below the highest price of the last 30 days, 9.0: EC2 takes instances "
    "back above the maximum"
)


@pytest.mark.parametrize(
    ("most", "current", "obstacles", "note"),
    [
        (0.01, 7.74, ("max_price_usd 0.01 is below the current 7.74",), None),
        (7.739, 7.74, ("max_price_usd 7.739 is below the current 7.74",), None),
        (8.5, 7.74, (), HIGH),
        (8.5, 8.5, (), HIGH),
        (9.0, 7.74, (), None),
        (None, 7.74, (), None),
    ],
)
def test_a_maximum_below_the_spot_price_has_no_nodes(most, current, obstacles, note):
    need = NodeNeed(instance_type="trn2.48xlarge", count=4, group="train", max_price_usd=most)
    told = kind(need, spot=(spot("use2-az3", current),))
    found = one("spot", told, wants=wanted("spot", needs=(need,)))
    assert (found.obstacles, found.verdict) == (obstacles, "cannot" if obstacles else "can")
    assert found.remediable is False
    assert [text for text in found.notes if "max_price_usd" in text] == ([note] if note else [])


def test_a_maximum_is_of_spot_alone_and_of_a_price_that_is_known():
    need = NodeNeed(instance_type="trn2.48xlarge", count=4, group="train", max_price_usd=0.01)
    for way in ("on-demand", "on-demand-reservation", "capacity-block"):
        assert one(way, kind(need), wants=wanted(way, needs=(need,))).verdict == "can"
    unknown = one("spot", kind(need, spot=()), wants=wanted("spot", needs=(need,)))
    assert (unknown.verdict, unknown.obstacles) == ("perhaps", ())


def test_a_maximum_beside_a_price_that_is_unanswered_is_a_doubt():
    need = NodeNeed(instance_type="trn2.48xlarge", count=4, group="train", max_price_usd=50.0)
    told = kind(need, spot=failure("DescribeSpotPriceHistory"))
    found = one("spot", told, wants=wanted("spot", needs=(need,)))
    assert found.doubts == ("whether max_price_usd 50.0 is below the current price is unknown",)
    assert found.verdict == "perhaps"


def test_spot_can_be_taken_back():
    assert "Spot instances can be taken back, with two minutes' notice" in one("spot").notes
    assert not any("taken back" in note for note in one("on-demand").notes)


def test_a_type_that_the_catalogue_lacks_has_no_price_of_a_chip():
    need = NodeNeed(instance_type="trn9.48xlarge", count=4)
    found = one("on-demand", kind(need), wants=wanted("on-demand", needs=(need,)))
    assert (found.parts[0].usd_per_hour, found.parts[0].usd_per_chip_hour) == (40.0, None)


def test_without_hours_there_is_no_price_of_the_whole():
    found = one("on-demand", wants=wanted("on-demand", hours=None))
    assert (found.usd_per_hour, found.usd_whole) == (160.0, None)


@pytest.mark.parametrize(
    ("limit", "used", "needed", "room", "verdict"),
    [
        (768, 0, 768, "yes", "can"),
        (767, 0, 768, "no", "cannot"),
        (1000, 232, 768, "yes", "can"),
        (1000, 233, 768, "no", "cannot"),
        (1000, 0, None, "unknown", "perhaps"),
        (0, 0, 768, "no", "cannot"),
    ],
)
@pytest.mark.parametrize("way", ["on-demand", "on-demand-reservation", "spot"])
def test_room_in_the_quota_to_the_last_vcpu(way, limit, used, needed, room, verdict):
    told = quota(limit, used, needed)
    found = one(way, kind(on_demand_quota=told, spot_quota=told))
    assert (found.quota_room, found.verdict) == (room, verdict)


@pytest.mark.parametrize(("limit", "calls"), [(1, ["service-quotas"]), (1000, ["ec2"])])
def test_what_waits_for_a_quota_is_not_bought_yet(limit, calls):
    """The end of a reservation, or an offer, is of today: the quota comes later."""
    found = one("on-demand-reservation", kind(on_demand_quota=quota(limit)))
    assert [command.split()[1] for command in found.commands] == calls


def test_a_quota_without_room_is_remediable_and_has_its_command():
    found = one("on-demand", kind(on_demand_quota=quota(500, 96)))
    assert found.remediable
    assert found.obstacles == (
        "768 vCPUs are needed beside 96 in use, and Running On-Demand Trn instances (L-2C3B7624) "
        "allows 500 in the Region",
    )
    assert found.commands == (
        "aws service-quotas request-service-quota-increase --region us-east-2 --service-code ec2 "
        "--quota-code L-2C3B7624 --desired-value 864",
    )


HERE = Standing(region="us-east-2", zone_id="use2-az3", purchases=("on-demand",))


@pytest.mark.parametrize(
    ("way", "standing", "room"),
    [
        ("on-demand", HERE, "yes"),
        ("on-demand", replace(HERE, zone_id="use2-az1"), "no"),
        ("on-demand", replace(HERE, zone_id=None), "no"),
        ("on-demand", replace(HERE, region="us-west-2"), "no"),
        # A reservation counts beside nodes that run outside of it.
        ("on-demand-reservation", HERE, "no"),
        ("on-demand", None, "no"),
    ],
)
def test_nodes_of_the_cluster_itself_count_once_where_it_stays(way, standing, room):
    full = replace(quota(limit=868, used=868), own=768)
    found = one(way, kind(on_demand_quota=full), wants=wanted(way, standing=standing))
    assert found.quota_room == room
    if room == "yes":
        assert [(use.used, use.own) for use in found.quotas] == [(100, 0)]
    else:
        assert found.obstacles == (
            "768 vCPUs are needed beside 868 in use (768 of them by this cluster, until it has "
            "moved), and Running On-Demand Trn instances (L-2C3B7624) allows 868 in the Region",
        )
        assert "--desired-value 1636" in found.commands[0]


@pytest.mark.parametrize("told", [None, failure("GetServiceQuota", service="servicequotas")])
def test_a_quota_that_nobody_knows_is_a_doubt(told):
    found = one("on-demand", kind(on_demand_quota=told))
    assert (found.quota_room, found.verdict) == ("unknown", "perhaps")
    assert found.doubts == ("the room in the vCPU quota is unknown",)


def test_a_capacity_block_needs_no_quota():
    empty = quota(0, 0, 768)
    found = one("capacity-block", kind(on_demand_quota=empty, spot_quota=failure("X")))
    assert (found.verdict, found.quotas) == ("can", ())


@pytest.mark.parametrize("way", ["on-demand", "on-demand-reservation", "spot"])
def test_a_zone_that_does_not_offer_the_type_cannot(way):
    found = one(way, zone="use2-az1")
    assert (found.verdict, found.offered, found.remediable) == ("cannot", "no", False)
    assert found.obstacles == ("trn2.48xlarge is not offered in use2-az1",)
    assert found.commands == ()


def test_a_region_that_offers_the_type_nowhere_is_one_option():
    (found,) = rank(wanted("on-demand"), [market("us-east-2", kind(offered=frozenset()))])
    assert (found.zone_id, found.verdict, found.offered) == (None, "cannot", "no")
    assert found.obstacles == ("trn2.48xlarge is not offered in the Region",)


def test_offerings_that_were_not_told_are_a_doubt_of_every_zone():
    told = market("us-east-2", kind(offered=failure("DescribeInstanceTypeOfferings")))
    options = rank(wanted("on-demand"), [told])
    assert [(o.zone_id, o.offered, o.verdict) for o in options] == [
        ("use2-az1", "unknown", "perhaps"),
        ("use2-az3", "unknown", "perhaps"),
    ]


@pytest.mark.parametrize("way", ["on-demand", "spot", "capacity-block"])
def test_a_region_that_is_off_cannot_until_it_is_on(way):
    off = failure("DescribeInstanceTypeOfferings", "ap-south-2", FailureKind.REGION_OFF)
    told = market("ap-south-2", zones=off, services=off)
    (found,) = rank(wanted(way), [replace(told, types=())])
    assert (found.verdict, found.remediable) == ("cannot", True)
    assert found.obstacles == ("the Region is off for this account",)
    assert found.commands == ("aws account enable-region --region-name ap-south-2",)


@pytest.mark.parametrize("why", [FailureKind.DENIED, FailureKind.LATE, FailureKind.THROTTLED])
def test_a_region_without_an_answer_is_unknown(why):
    told = replace(market(zones=failure("X", kind=why), services={}), types=())
    (found,) = rank(wanted("on-demand"), [told])
    assert (found.verdict, found.doubts, found.usd_whole) == (
        "perhaps",
        ("the Region gave no answer",),
        None,
    )


@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        ("available", "can"),
        ("information", "can"),
        ("impaired", "perhaps"),
        ("constrained", "perhaps"),
        ("unavailable", "cannot"),
    ],
)
def test_the_state_of_a_zone(state, verdict):
    zone = ZoneDescription(zone_id="use2-az3", zone_name="us-east-2a", state=state)
    assert one("on-demand", zones=(zone,)).verdict == verdict


@pytest.mark.parametrize(
    ("told", "verdict", "text"),
    [
        ({"fsx": True}, "can", None),
        ({"fsx": False}, "cannot", "the Region lacks fsx, which the file needs"),
        ({}, "perhaps", "whether the Region has fsx, which the file needs, is unknown"),
        (failure("GetParameter", service="ssm"), "perhaps", "whether the Region has fsx, which "),
    ],
)
@pytest.mark.parametrize("way", ["on-demand", "capacity-block"])
def test_services_that_the_file_needs(way, told, verdict, text):
    found = one(way, wants=wanted(way, services=("fsx",)), services=told)
    assert found.verdict == verdict
    assert text is None or (found.obstacles + found.doubts)[0].startswith(text)


def test_data_that_is_elsewhere_is_noted_without_a_price():
    there = one("on-demand", wants=wanted("on-demand", data_region="us-west-2"))
    (note,) = there.notes
    assert note.startswith("the data is in us-west-2: its transfer between Regions is billed")
    here = one("on-demand", wants=wanted("on-demand", data_region="us-east-2"))
    assert (there.verdict, there.usd_whole, here.notes) == ("can", here.usd_whole, ())


def test_what_the_catalogue_knows_a_region_to_lack_is_noted():
    (south,) = rank(wanted("on-demand"), [market("ap-south-2", kind(offered=frozenset({"x-az1"})))])
    assert [note.partition(",")[0] for note in south.notes] == [
        "the Region has no parameters of Neuron images"
    ]
    # Of a file its own check says whether that matters.
    wants = replace(wanted("on-demand"), has_file=True)
    (south,) = rank(wants, [market("ap-south-2", kind(offered=frozenset({"x-az1"})))])
    assert (south.notes, south.verdict) == ((), "can")


@pytest.mark.parametrize("way", ["on-demand", "capacity-block"])
def test_where_the_file_must_change_first_an_option_is_perhaps(way):
    wants = replace(wanted(way), misfits={"us-east-2": ("it needs an ami_id",)})
    found = one(way, wants=wants)
    assert (found.verdict, found.doubts) == ("perhaps", ("it needs an ami_id",))
    wants = replace(wanted(way), misfits={"use2-az3": ("its subnet is elsewhere",)})
    assert one(way, wants=wants).doubts == ("its subnet is elsewhere",)
    wants = replace(
        wanted(way),
        misfits={"use2-az1": ("it needs an ami_id",), "us-west-2": ("it needs an ami_id",)},
    )
    assert one(way, wants=wants).verdict == "can"


def test_what_needs_its_data_in_its_own_region_is_noted_elsewhere():
    note = "FSx for Lustre imports by itself from buckets of its own Region only"
    for data, notes in (("us-west-2", 2), ("us-east-2", 0), (None, 0)):
        wants = replace(wanted("on-demand", data_region=data), data_uses=(note,))
        found = one("on-demand", wants=wants)
        assert (len(found.notes), note in found.notes) == (notes, bool(notes))


def test_every_block_on_sale_is_an_option_the_cheaper_first():
    late = datetime(2026, 12, 9, 11, 30, tzinfo=UTC)
    blocks = (block(offering="cb-1"), block(offering="cb-2", fee=9_000.0, start=late))
    options = rank(wanted("capacity-block"), [market("us-east-2", kind(blocks=blocks))])
    assert [(o.start, o.usd_whole) for o in options] == [
        (late, 9_000.0),
        (block().start, 24_000.0),
    ]
    assert options[1].commands == (
        "aws ec2 purchase-capacity-block --capacity-block-offering-id cb-1 "
        "--instance-platform Linux/UNIX --region us-east-2",
    )


def test_a_block_is_on_sale_where_offerings_say_nothing():
    found = one("capacity-block", kind(offered=frozenset()))
    assert (found.offered, found.verdict) == ("yes", "can")


@pytest.mark.parametrize(
    ("told", "verdict", "text"),
    [
        ((), "cannot", "no Capacity Block of 4 x trn2.48xlarge is on sale for that time"),
        (failure("X"), "perhaps", "which Capacity Blocks are on sale is unknown"),
        (None, "perhaps", "which Capacity Blocks are on sale is unknown"),
    ],
)
def test_no_block_is_another_answer_than_none_known(told, verdict, text):
    (found,) = rank(wanted("capacity-block"), [market("us-east-2", kind(blocks=told))])
    assert (found.zone_id, found.verdict) == (None, verdict)
    assert found.obstacles + found.doubts == (text,)


NEEDS = (TRAIN, DEVELOP)


def both(train=None, develop=None):
    """Two needs; trn2 in az3 alone, trn1 in both zones."""
    return (
        kind(TRAIN, **{"on_demand_quota": quota(needed=512), **(train or {})}),
        kind(
            DEVELOP,
            **{
                "offered": frozenset({"use2-az1", "use2-az3"}),
                "on_demand": price(20.0),
                "on_demand_quota": quota(needed=512),
                **(develop or {}),
            },
        ),
    )


@pytest.mark.parametrize(
    ("count", "hours", "text"),
    [
        (64, 24, "no Capacity Block of 64 x trn2.48xlarge is on sale for that time"),
        (65, 24, "a Capacity Block has 64 instances at most: ask for fewer"),
        (1, 182 * 24, "no Capacity Block of 1 x trn2.48xlarge is on sale for that time"),
        (1, 182 * 24 + 1, "a Capacity Block has 4368 hours at most: ask for fewer"),
    ],
)
def test_a_block_that_no_one_sells_is_another_answer_than_none_on_sale(count, hours, text):
    need = NodeNeed(instance_type="trn2.48xlarge", count=count)
    wants = wanted("capacity-block", needs=(need,), hours=hours)
    (found,) = rank(wants, [market("us-east-2", kind(need, blocks=()))])
    assert found.obstacles == (text,)


def test_one_zone_must_serve_every_group():
    options = rank(wanted("on-demand", needs=NEEDS), [market("us-east-2", *both())])
    assert [(o.zone_id, o.verdict, o.usd_per_hour) for o in options] == [
        ("use2-az3", "can", 100.0),
        ("use2-az1", "cannot", 100.0),
    ]


def test_a_price_of_the_whole_wants_every_price():
    found = one(
        "on-demand", *both(develop={"on_demand": None}), wants=wanted("on-demand", needs=NEEDS)
    )
    assert (found.usd_per_hour, found.usd_whole, found.verdict) == (None, None, "can")


@pytest.mark.parametrize(("limit", "room"), [(512, "yes"), (511, "no")])
def test_groups_of_one_family_share_a_quota(limit, room):
    told = {"on_demand_quota": quota(limit, needed=512)}
    found = one("on-demand", *both(told, told), wants=wanted("on-demand", needs=NEEDS))
    assert (found.quota_room, len(found.quotas)) == (room, 1)


@pytest.mark.parametrize(("limit", "room"), [(128, "yes"), (127, "no")])
def test_in_a_mixed_way_only_what_is_bought_so_counts(limit, room):
    ways = (Way(name="mixed", purchases=("spot", "on-demand")),)
    told = {"on_demand_quota": quota(limit, needed=512)}
    found = one("mixed", *both(told, told), wants=wanted(needs=NEEDS, ways=ways))
    by_code = {use.quota_code: (use.needed, use.room) for use in found.quotas}
    assert by_code == {"L-2C3B7624": (128, room), "L-6B0D517C": (384, "yes")}
    assert found.usd_per_hour == 2 * 10.0 + 20.0


def test_a_mixed_way_with_a_type_that_nobody_knows():
    strange = replace(DEVELOP, instance_type="trn9.2xlarge")
    ways = (Way(name="mixed", purchases=("spot", "on-demand")),)
    for limit, room in ((512, "yes"), (511, "unknown")):
        told = quota(limit, needed=512)
        types = (kind(TRAIN), kind(strange, on_demand_quota=told))
        found = one("mixed", *types, wants=wanted(needs=(TRAIN, strange), ways=ways))
        assert found.quota_room == room


@pytest.mark.parametrize(
    ("place", "room", "commands"),
    [
        (("us-east-2", "use2-az3"), "not needed", 0),
        (("us-east-2", None), "not needed", 0),
        (("us-east-2", "use2-az1"), "no", 1),
        (("us-west-2", None), "no", 1),
    ],
)
def test_a_reservation_that_is_there_needs_no_quota_and_is_not_bought_again(place, room, commands):
    way = "on-demand-reservation"
    wants = wanted(way, needs=(TRAIN,), reserved={"train": place})
    found = one(way, kind(TRAIN, on_demand_quota=quota(0, needed=384)), wants=wants)
    assert (found.quota_room, len(found.commands)) == (room, commands)


def test_blocks_of_several_groups_are_in_one_zone_and_window():
    week = block().start + timedelta(days=7)
    first = (block(offering="cb-1"), block(offering="cb-2", zone="use2-az1"))
    second = (
        block(offering="cb-3", fee=9_000.0, start=week),
        block(offering="cb-4", fee=8_000.0),
        block(offering="cb-5", fee=7_000.0),
    )
    types = both({"blocks": first}, {"blocks": second})
    wants = wanted("capacity-block", needs=NEEDS)
    (found,) = rank(wants, [market("us-east-2", *types)])
    assert [part.block.offering_id for part in found.parts] == ["cb-1", "cb-5"]
    assert (found.zone_id, found.usd_whole, len(found.commands)) == ("use2-az3", 31_000.0, 2)


def test_one_block_is_not_sold_to_two_groups():
    other = replace(TRAIN, group="other")
    types = (kind(TRAIN), kind(other))
    (found,) = rank(wanted("capacity-block", needs=(TRAIN, other)), [market("us-east-2", *types)])
    assert found.obstacles == (
        "no Capacity Block of 2 x trn2.48xlarge, 2 x trn2.48xlarge is on sale in one zone and "
        "window for that time",
    )


def test_the_order():
    """What can be had, by price and known prices first; then perhaps; then cannot."""
    east = market(
        "us-east-2",
        kind(
            offered=frozenset({"use2-az1", "use2-az3"}),
            spot=(spot("use2-az3", 50.0),),
            spot_quota=failure("X"),
        ),
    )
    west = market(
        "us-west-2",
        kind(
            offered=frozenset({"usw2-az4"}),
            on_demand=None,
            on_demand_quota=quota(1000),
            spot=(spot("usw2-az4", 1.0),),
            spot_quota=quota(100),
            blocks=(),
        ),
    )
    off = failure("X", "ap-south-2", FailureKind.REGION_OFF)
    south = replace(market("ap-south-2", zones=off), types=())
    ways = ("on-demand", "spot", "capacity-block")
    options = rank(wanted(*ways), [south, west, east])
    assert [(o.verdict.value, o.region, o.zone_id, o.way.name) for o in options] == [
        ("can", "us-east-2", "use2-az1", "on-demand"),
        ("can", "us-east-2", "use2-az3", "on-demand"),
        ("can", "us-east-2", "use2-az3", "capacity-block"),
        ("can", "us-west-2", "usw2-az4", "on-demand"),  # Without a price.
        ("perhaps", "us-east-2", "use2-az3", "spot"),
        ("perhaps", "us-east-2", "use2-az1", "spot"),  # Without a price.
        ("cannot", "us-west-2", "usw2-az4", "spot"),  # For want of a quota.
        ("cannot", "ap-south-2", None, "capacity-block"),  # Off, and can be switched on.
        ("cannot", "ap-south-2", None, "on-demand"),
        ("cannot", "ap-south-2", None, "spot"),
        ("cannot", "us-west-2", None, "capacity-block"),  # Not on sale.
    ]


def test_between_equals_the_files_own_place_comes_first():
    both = frozenset({"use2-az1", "use2-az3", "usw2-az4"})
    markets = [market(region, kind(offered=both)) for region in ("us-east-2", "us-west-2")]
    here = replace(HERE, region="us-west-2", zone_id="usw2-az4")

    def places(standing, *changed):
        found = rank(wanted("on-demand", standing=standing), changed or markets)
        return [option.zone_id for option in found]

    assert places(None) == ["use2-az1", "use2-az3", "usw2-az4"]
    assert places(HERE) == ["use2-az3", "use2-az1", "usw2-az4"]
    assert places(here) == ["usw2-az4", "use2-az1", "use2-az3"]
    # A lower price goes before.
    cheaper = market("us-east-2", kind(offered=both, on_demand=price(39.9)))
    assert places(here, cheaper, markets[1]) == ["use2-az1", "use2-az3", "usw2-az4"]


def test_the_placement_score_decides_between_equal_prices_alone():
    both_zones = frozenset({"use2-az1", "use2-az3"})
    equal = (spot("use2-az1", 5.0), spot("use2-az3", 5.0))
    scores = {"use2-az1": 1, "use2-az3": 9}
    told = kind(offered=both_zones, spot=equal, placement_scores=scores)
    assert [o.zone_id for o in rank(wanted("spot"), [market("us-east-2", told)])] == [
        "use2-az3",
        "use2-az1",
    ]
    cheaper = replace(told, spot=(spot("use2-az1", 4.9), spot("use2-az3", 5.0)))
    best = rank(wanted("spot"), [market("us-east-2", cheaper)])[0]
    assert (best.zone_id, best.parts[0].placement_score) == ("use2-az1", 1)


def test_the_order_does_not_depend_on_the_order_of_answers():
    regions = [market("us-east-2"), market("us-west-2", kind(offered=frozenset({"usw2-az4"})))]
    wants = wanted("on-demand", "spot", "capacity-block", "on-demand-reservation")
    first = rank(wants, regions)
    for seed in range(10):
        random.Random(seed).shuffle(regions)
        assert rank(wants, regions) == first


def test_each_failure_is_said_once_with_all_regions():
    names = ("us-east-2", "us-west-2")
    told = [
        market(
            region,
            kind(
                spot=failure("DescribeSpotPriceHistory", region),
                placement_scores=failure("DescribeSpotPriceHistory", region),
                on_demand_quota=failure("GetServiceQuota", region, FailureKind.THROTTLED, "sq"),
            ),
        )
        for region in names
    ]
    denied, throttled = unanswered(told)
    assert (denied.kind, denied.permission, denied.regions) == (
        "denied",
        "ec2:DescribeSpotPriceHistory",
        names,
    )
    assert denied.words() == (
        "ec2 DescribeSpotPriceHistory in us-east-2 denied; let the role or user call "
        "ec2:DescribeSpotPriceHistory (also in us-west-2)"
    )
    assert (throttled.kind, throttled.permission, throttled.regions) == ("throttled", None, names)


@pytest.mark.parametrize(
    ("now", "hours", "end"),
    [
        (NOW, 24, datetime(2026, 12, 1, 17, 30, tzinfo=UTC)),
        (NOW.replace(second=1), 24, datetime(2026, 12, 1, 17, 31, tzinfo=UTC)),
    ],
)
def test_a_reservation_ends_no_earlier_than_wanted(now, hours, end):
    assert reservation_end(now, hours) == end
    # From a later start on, and never from one that is over.
    late, over = now + timedelta(days=7), now - timedelta(days=7)
    assert reservation_end(now, hours, late) == end + timedelta(days=7)
    assert reservation_end(now, hours, over) == end


def test_a_reservation_for_later_ends_later_and_bills_from_its_creation():
    start = datetime(2026, 12, 7, tzinfo=UTC)
    found = one("on-demand-reservation", wants=wanted("on-demand-reservation", earliest=start))
    assert found.commands[0].endswith(" --end-date 2026-12-08T00:00:00Z")
    (note,) = found.notes
    assert note.endswith("made now, it bills about 151 hours more, which no price here includes")


def test_a_reservation_has_an_end_or_no_command():
    (command,) = one("on-demand-reservation").commands
    assert command.endswith("--end-date-type limited --end-date 2026-12-01T17:30:00Z")
    wants = wanted("on-demand-reservation", hours=None)
    assert one("on-demand-reservation", wants=wants).commands == ()


@pytest.mark.parametrize("way", ["on-demand", "spot"])
def test_there_is_nothing_to_buy_for_instances_that_launch(way):
    assert one(way).commands == ()


def _commands():
    lacking = kind(on_demand_quota=quota(1))
    off = failure("X", "ap-south-2", FailureKind.REGION_OFF)
    told = [
        market("us-east-2", lacking),
        replace(market("ap-south-2", zones=off), types=()),
        market("us-west-2", kind(offered=frozenset({"usw2-az4"}))),
    ]
    options = rank(wanted("on-demand-reservation", "capacity-block"), told)
    return sorted({command for option in options for command in option.commands})


def test_every_command_is_one_of_the_aws_command_line():
    """Its options are members of the operation's input, with values of the right type."""
    session = botocore.session.Session()
    seen = set()
    for command in _commands():
        aws, service, call, *words = shlex.split(command)
        assert aws == "aws"
        model = session.get_service_model(service)
        names = {xform_name(name, "-"): name for name in model.operation_names}
        shape = model.operation_model(names[call]).input_shape
        members = {xform_name(name, "-"): name for name in shape.members}
        given = dict(zip(words[::2], words[1::2], strict=True))
        given = {name.removeprefix("--"): value for name, value in given.items()}
        if "region" not in members:
            given.pop("region", None)
        types = {"integer": int, "double": float}
        values = {
            members[name]: types.get(shape.members[members[name]].type_name, str)(value)
            for name, value in given.items()
        }
        validate_parameters(values, shape)
        assert set(shape.required_members) <= set(values)
        seen.add(call)
    assert seen == {
        "purchase-capacity-block",
        "create-capacity-reservation",
        "request-service-quota-increase",
        "enable-region",
    }
