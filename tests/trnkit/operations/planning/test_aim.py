"""What a plan is about, out of options and cluster files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.synthesis import ROOT
from tests.trnkit.operations.planning.markets import NOW
from trnkit.catalog import zone_ids_offering
from trnkit.config import read_cluster
from trnkit.config.loader import load_cluster
from trnkit.errors import UsageError
from trnkit.findings import Finding, Severity
from trnkit.operations.planning.aim import (
    PlanOptions,
    aim_of_file,
    aim_of_type,
    refuse_contradictions,
    stops_plan,
)
from trnkit.operations.planning.options import Standing

HEAD = (
    "version: 1\nname: pretrain\nregion: us-east-2\n"
    "budget: {limit_usd: 1, emails: [ml@example.com]}\n"
)
BLOCK = (
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z}"
)


def aim(groups, rest="", **said):
    """What a file wants."""
    lines = "".join(f"    - {{instance_type: trn2.48xlarge, {group}}}\n" for group in groups)
    text = f"{HEAD}compute:\n  node_groups:\n{lines}{rest}"
    options = PlanOptions(file="c.yaml", **said)
    return aim_of_file(options, read_cluster(text, "c.yaml"), NOW)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({}, "name a cluster file, or give --instance-type and --count"),
        ({"count": 1}, "name a cluster file, or give --instance-type and --count"),
        ({"instance_type": "trn2.48xlarge"}, "name a cluster file, or give"),
        ({"file": "c.yaml", "count": 1}, "leave out --instance-type and --count, or FILE"),
        ({"file": "c.yaml", "instance_type": "a"}, "leave out --instance-type and --count"),
        ({"file": "c.yaml", "regions": ("us-esat-1",)}, "region 'us-esat-1' is no Region"),
        ({"file": "c.yaml", "data_region": "here"}, "region 'here' is no Region"),
        ({"instance_type": "trn2", "count": 1}, "--instance-type 'trn2' is no instance type"),
        ({"instance_type": "a.b\x1b[2J", "count": 1}, "is no instance type"),
        ({"file": "c.yaml", "purchases": ("buy",)}, "--purchase buy is no way to buy: give one of"),
        (
            {"file": "c.yaml", "earliest": NOW, "latest": NOW.replace(hour=1)},
            "--start-before is earlier than --start-after",
        ),
    ],
)
def test_options_that_cannot_be_meant(said, text):
    with pytest.raises(UsageError) as error:
        refuse_contradictions(PlanOptions(**said))
    assert text in str(error.value)


@pytest.mark.parametrize("regions", [(), ("all",), ("us-east-2", "eu-central-9")])
def test_options_that_can_be_meant(regions):
    options = PlanOptions(file="c.yaml", regions=regions, purchases=("all", "spot"))
    refuse_contradictions(options)
    with pytest.raises(UsageError, match="name a cluster file"):
        refuse_contradictions(replace(options, file=None))


def test_a_type_is_compared_in_every_way():
    said = PlanOptions(instance_type="trn2.48xlarge", count=4, hours=24)
    found = aim_of_type(said)
    assert [way.name for way in found.ways] == [
        "on-demand",
        "on-demand-reservation",
        "spot",
        "capacity-block",
    ]
    assert found.remarks == ()


def test_without_hours_blocks_are_left_out_and_that_is_said():
    found = aim_of_type(PlanOptions(instance_type="trn2.48xlarge", count=4))
    assert [way.name for way in found.ways] == ["on-demand", "on-demand-reservation", "spot"]
    assert found.remarks == ("Capacity Blocks are not compared: say for how long with --hours",)


@pytest.mark.parametrize("purchases", [("capacity-block",), ("spot", "capacity-block")])
def test_a_block_that_is_asked_for_wants_hours(purchases):
    said = PlanOptions(instance_type="trn2.48xlarge", count=4, purchases=purchases)
    with pytest.raises(UsageError, match="say --hours"):
        aim_of_type(said)
    with pytest.raises(UsageError, match="say --hours"):
        aim(["name: train, count: 1"], purchases=purchases)


def test_a_file_is_compared_as_it_buys():
    found = aim(["name: train, count: 4, capacity: {type: spot}"])
    assert [(way.name, way.purchases) for way in found.ways] == [("spot", ("spot",))]
    assert [(n.group, n.instance_type, n.count) for n in found.needs] == [
        ("train", "trn2.48xlarge", 4)
    ]
    assert found.remarks == ("compared as the file buys (spot): --purchase all compares every way",)


def test_the_most_that_a_file_pays_for_spot_is_of_its_group():
    groups = [
        "name: one, count: 4, capacity: {type: spot, max_price_usd: 7.5}",
        "name: two, count: 1",
    ]
    assert [need.max_price_usd for need in aim(groups).needs] == [7.5, None]


def test_the_file_says_where_its_own_nodes_are():
    groups = ["name: one, count: 4", "name: two, count: 1, capacity: {type: spot}"]
    found = aim(groups, "network: {availability_zone_id: use2-az1}\n")
    ways = ("on-demand", "spot")
    assert found.cluster == "pretrain"
    assert found.standing == Standing(region="us-east-2", zone_id="use2-az1", purchases=ways)
    # The zone that a deployment takes when the file names none.
    assert aim(groups).standing == Standing(
        region="us-east-2",
        zone_id=zone_ids_offering("trn2.48xlarge", "us-east-2")[0],
        purchases=ways,
    )


def test_groups_that_are_bought_differently_are_one_way():
    found = aim(["name: one, count: 4", "name: two, count: 1, capacity: {type: spot}"])
    (way,) = found.ways
    assert (way.name, way.purchases) == ("mixed", ("on-demand", "spot"))
    assert "each group in its own way" in found.remarks[0]


def test_ways_that_are_named_hold_for_all_groups():
    groups = ["name: one, count: 4", "name: two, count: 1, capacity: {type: spot}"]
    found = aim(groups, purchases=("spot", "on-demand"))
    assert [way.purchases for way in found.ways] == [("on-demand",) * 2, ("spot",) * 2]


def test_a_group_without_nodes_wants_nothing():
    found = aim(["name: one, count: 0, capacity: {type: spot}", "name: two, count: 1"])
    assert ([n.group for n in found.needs], found.ways[0].name) == (["two"], "on-demand")
    with pytest.raises(UsageError, match="asks for no node"):
        aim(["name: one, count: 0"])


def test_the_schedule_of_a_block_in_the_file():
    found = aim([f"name: one, count: 4, capacity: {BLOCK}"])
    assert (found.hours, found.earliest) == (168, datetime(2027, 3, 1, 11, 30, tzinfo=UTC))
    assert found.ways[0].name == "capacity-block"
    assert "bought already" in found.remarks[-1]


def test_options_go_before_the_schedule_of_the_file():
    found = aim([f"name: one, count: 4, capacity: {BLOCK}"], hours=24, earliest=NOW)
    assert (found.hours, found.earliest) == (24, NOW)


def test_a_block_of_the_past_says_how_long_and_not_when():
    found = aim([f"name: one, count: 4, capacity: {BLOCK.replace('2027', '2026')}"])
    assert (found.hours, found.earliest) == (168, None)


@pytest.mark.parametrize(
    ("rest", "services"),
    [
        ("", ()),
        ("storage: {home_file_system: {}}\n", ("efs",)),
        ("storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200}]}\n", ("fsx",)),
        (
            "storage: {existing_lustre_file_systems: [{name: fsx, mount_path: /f, mount_name: "
            "abcdefgh, file_system_id: fs-0123456789abcdef0, security_group_id: "
            "sg-0123456789abcdef0}]}\n",
            ("fsx",),
        ),
    ],
)
def test_services_that_a_file_needs(rest, services):
    assert aim(["name: one, count: 1"], rest).services == services


def test_where_the_data_of_a_file_is():
    mounted = "storage: {s3_mountpoints: [{bucket_name: our-corpus, mount_path: /data}]}\n"
    assert aim(["name: one, count: 1"]).data_region is None
    assert aim(["name: one, count: 1"], mounted).data_region == "us-east-2"
    assert aim(["name: one, count: 1"], mounted, data_region="eu-west-1").data_region == "eu-west-1"


@pytest.mark.parametrize(
    ("storage", "uses"),
    [
        ("s3_mountpoints: [{bucket_name: our-corpus, mount_path: /data}]", ["nodes ask for"]),
        ("LINK}]}]", ["FSx for Lustre imports by itself from buckets of its own Region only"]),
        ("LINK, auto_import_events: []}]}]", []),
        ("home_file_system: {}", []),
    ],
)
def test_what_needs_its_data_in_its_own_region(storage, uses):
    link = (
        "lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200, "
        "data_repository_associations: [{file_system_path: /d, data_repository_path: s3://b-1/d"
    )
    rest = f"storage: {{{storage.replace('LINK', link)}}}\n"
    found = aim(["name: one, count: 1"], rest).data_uses
    assert [text for text, use in zip(found, uses, strict=True) if not text.startswith(use)] == []


def test_an_existing_vpc_keeps_a_file_where_it_is():
    found = load_cluster(ROOT / "examples/imported-vpc.yaml")
    assert aim_of_file(PlanOptions(file="c"), found, NOW).stays
    assert not aim(["name: one, count: 1"]).stays


def test_a_reservation_that_the_file_names_has_a_place():
    given = "name: one, count: 1, capacity: {type: on-demand-reservation, capacity_reservation_id: "
    zone = "network: {availability_zone_id: use2-az3}\n"
    found = aim([given + "cr-0123456789abcdef0}"], zone)
    assert found.reserved == {"one": ("us-east-2", "use2-az3")}
    assert aim([given + "cr-0123456789abcdef0}"]).reserved == {"one": ("us-east-2", None)}
    made = "name: one, count: 1, capacity: {type: on-demand-reservation, create: {unlimited: true}}"
    assert aim([made]).reserved == {}


@pytest.mark.parametrize(
    ("severity", "rule", "path", "stops"),
    [
        (Severity.ERROR, "TRN101", "region", False),
        (Severity.ERROR, "TRN102", "compute.node_groups[0].instance_type", False),
        (Severity.ERROR, "TRN102", "network.existing.availability_zone_id", False),
        (Severity.ERROR, "TRN212", "compute.node_groups[0].instance_type", False),
        (Severity.ERROR, "TRN210", "compute.node_groups[0].capacity", True),
        (Severity.WARNING, "TRN210", "compute.node_groups[0].capacity", False),
    ],
)
def test_only_what_is_wrong_about_the_place_can_be_planned(severity, rule, path, stops):
    finding = Finding(rule_id=rule, severity=severity, message="x", path=path)
    assert stops_plan(finding) is stops


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_example_can_be_planned(path: Path):
    found = aim_of_file(PlanOptions(file=str(path)), load_cluster(path), NOW)
    assert found.needs
    assert all(len(way.purchases) == len(found.needs) for way in found.ways)
