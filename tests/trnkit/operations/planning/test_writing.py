"""A choice that is put into a cluster file, and what keeps it out."""

from __future__ import annotations

import json
import os
import shutil
import stat
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from tests.synthesis import ROOT
from tests.trnkit.operations.planning.markets import NOW, block, quota
from trnkit.config import read_cluster
from trnkit.config.loader import decode_cluster, load_cluster
from trnkit.layout.zones import compute_zone_id
from trnkit.operations.planning.changes import file_changes
from trnkit.operations.planning.market import NodeNeed
from trnkit.operations.planning.options import Option, Part, QuotaUse, Way
from trnkit.operations.planning.plan import Plan, PlannedFile
from trnkit.operations.planning.writing import CannotWriteError, lines_by_hand, write_choice
from trnkit.rules import check_cluster

TEXT = """\
# Ours. Do not touch the spacing.
version: 1
name:   'pretrain'   # a name
region: "us-east-2"  # where we began

network:
    nat_gateway: true   # nodes pull containers

compute:
    node_groups:
    -   name: train
        instance_type: trn1.32xlarge    # 16 chips
        count: 4

budget: {limit_usd: 1000, scope: account, emails: [ml@example.com]}
"""
MOVED = TEXT.replace('"us-east-2"', '"us-west-2"').replace(
    "containers\n", "containers\n    availability_zone_id: usw2-az4\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def option(purchase="on-demand", region="us-west-2", zone="usw2-az4", **changes):
    """An option for the group `train`."""
    need = NodeNeed(instance_type="trn1.32xlarge", count=4, group="train")
    part = Part(need=need, purchase=purchase, offered="yes", chips=16)
    if purchase == "capacity-block":
        part = replace(part, block=block(zone))
    told = {
        "region": region,
        "zone_id": zone,
        "way": Way(name=purchase, purchases=(purchase,)),
        "hours": 24,
        "parts": (part,),
        "quota_room": "yes",
    }
    return Option(**{**told, **changes})


def planned(text, *options, name="cluster.yaml"):
    """A plan of a file that is there."""
    raw = text if isinstance(text, bytes) else text.encode()
    Path(name).write_bytes(raw)
    cluster = decode_cluster(raw, name)
    file = PlannedFile(cluster=cluster, raw=raw, findings=check_cluster(cluster))
    return Plan(options=options or (option(),), file=file, asked_at=NOW)


def refused(plan, number=None):
    """Why nothing was written; and nothing was."""
    before = Path("cluster.yaml").read_bytes()
    with pytest.raises(CannotWriteError) as error:
        write_choice(plan, number)
    assert Path("cluster.yaml").read_bytes() == before
    assert "nothing was written" in str(error.value)
    lines = (str(error.value), *error.value.by_hand)
    assert not [line for line in lines if "\n" in line]
    return "\n".join(lines)


def test_region_and_zone_change_and_nothing_else(folder):
    written = write_choice(planned(TEXT))
    assert Path("cluster.yaml").read_text() == MOVED
    assert (written.option, written.changes) == (
        1,
        ("region: us-west-2 (was us-east-2)", "network.availability_zone_id: usw2-az4"),
    )
    assert [path.name for path in folder.iterdir()] == ["cluster.yaml"]


@pytest.mark.parametrize(
    ("purchase", "added"),
    [
        ("spot", ["type: spot"]),
        (
            "on-demand-reservation",
            ["type: on-demand-reservation", "create:", "  end_date: 2026-12-01T17:30:00Z"],
        ),
    ],
)
def test_a_way_to_buy_with_what_it_needs(folder, purchase, added):
    write_choice(planned(TEXT, option(purchase)))
    lines = "".join(f"          {line}\n" for line in added)
    assert Path("cluster.yaml").read_text() == MOVED.replace(
        "count: 4\n", f"count: 4\n        capacity:\n{lines}"
    )


def test_a_reservation_for_later_ends_that_much_later(folder):
    start = datetime(2026, 12, 7, tzinfo=UTC)
    write_choice(planned(TEXT, option("on-demand-reservation", earliest=start)))
    assert "end_date: 2026-12-08T00:00:00Z\n" in Path("cluster.yaml").read_text()


def test_what_says_it_already_is_not_written_again(folder):
    plan = planned(MOVED)
    Path("cluster.yaml").chmod(0o400)
    before = Path("cluster.yaml").stat()
    written = write_choice(plan)
    assert (written.changes, written.warnings) == ((), ())
    assert Path("cluster.yaml").stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    "raw",
    [
        TEXT.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.replace("Ours", "Unsre \N{GREEK SMALL LETTER PI}").encode(),
        TEXT.rstrip().encode(),
    ],
    ids=["crlf", "bom", "unicode", "no-end"],
)
def test_bytes_around_the_values_stay(folder, raw):
    write_choice(planned(raw))
    end = b"\r\n" if b"\r\n" in raw else b"\n"
    expected = raw.replace(b'"us-east-2"', b'"us-west-2"').replace(
        b"containers" + end, b"containers" + end + b"    availability_zone_id: usw2-az4" + end
    )
    assert Path("cluster.yaml").read_bytes() == expected


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_permissions_stay(folder, mode):
    plan = planned(TEXT)
    Path("cluster.yaml").chmod(mode)
    write_choice(plan)
    assert stat.S_IMODE(Path("cluster.yaml").stat().st_mode) == mode


def test_a_symbolic_link_stays_one(folder):
    (folder / "real").mkdir()
    target = folder / "real" / "ours.yaml"
    target.touch()
    Path("cluster.yaml").symlink_to(target)
    write_choice(planned(TEXT))
    assert Path("cluster.yaml").is_symlink()
    assert target.read_text() == MOVED


def test_another_region_is_another_cluster_and_that_is_said(folder):
    (warning,) = write_choice(planned(TEXT)).warnings
    assert "if pretrain is deployed already, its stacks and its data stay in us-east-2" in warning


@pytest.mark.parametrize(
    ("text", "purchase", "says"),
    [
        (TEXT, "spot", True),
        (TEXT, "on-demand", False),
        (TEXT.replace("count: 4", "count: 4\n        capacity: {type: spot}"), "spot", False),
    ],
)
def test_nodes_that_become_spot_can_be_taken_back_and_that_is_said(folder, text, purchase, says):
    done = write_choice(planned(text, option(purchase)))
    warning = "the nodes of train are Spot instances now, which can be taken back with two"
    assert any(warning in text for text in done.warnings) == says


def test_another_zone_replaces_and_that_is_said(folder):
    text = MOVED.replace("usw2-az4", "usw2-az2")
    (warning,) = write_choice(planned(text)).warnings
    assert "another zone replaces its subnets, nodes and file systems" in warning


def test_the_zone_that_was_meant_already_replaces_nothing(folder):
    text = MOVED.replace("    availability_zone_id: usw2-az4\n", "")
    meant = read_cluster(text, "c").config
    written = write_choice(planned(text, option(zone=compute_zone_id(meant))))
    assert written.warnings == ()
    assert len(written.changes) == 1


def test_a_file_that_was_changed_meanwhile_is_left_alone(folder):
    plan = planned(TEXT)
    Path("cluster.yaml").write_text(TEXT + "# mine\n")
    assert "was changed while AWS was asked; plan again" in refused(plan)


def test_a_file_that_is_gone_is_not_made(folder):
    plan = planned(TEXT)
    Path("cluster.yaml").unlink()
    with pytest.raises(CannotWriteError, match="is no ordinary file"):
        write_choice(plan)
    assert not list(folder.iterdir())


def test_the_best_is_written_only_when_it_can_be_had(folder):
    doubtful = option(doubts=("x",))
    assert "no option can be had for certain" in refused(planned(TEXT, doubtful))
    assert write_choice(planned(TEXT, doubtful), 1).option == 1


def test_another_option_is_chosen_by_its_number(folder):
    plan = planned(TEXT, option(), option("spot", zone="usw2-az1"))
    assert write_choice(plan, 2).option == 2
    assert "type: spot" in Path("cluster.yaml").read_text()
    again = planned(TEXT, option())
    assert "--choose 2 is none of the 1 options" in refused(again, 2)


def test_what_cannot_be_had_is_not_written(folder):
    never = option(obstacles=("not offered",))
    assert "option 1 cannot be had: not offered" in refused(planned(TEXT, never), 1)
    nowhere = option(zone=None, doubts=("the Region gave no answer",))
    assert "cannot be had: the Region gave no answer" in refused(planned(TEXT, nowhere), 1)


def test_what_lacks_a_quota_can_be_chosen(folder):
    use = QuotaUse(quota_code="L", name="N", limit=1, used=0, needed=quota().needed)
    later = option(obstacles=("vCPUs",), remediable=True, quotas=(use,))
    assert write_choice(planned(TEXT, later), 1).option == 1


def test_a_block_has_no_id_before_it_is_bought(folder):
    text = refused(planned(TEXT, option("capacity-block")))
    assert "has an id only when it is bought" in text
    assert text.endswith(
        """; write by hand:
region: us-west-2
network.availability_zone_id: usw2-az4
compute.node_groups[0].capacity.type: capacity-block
compute.node_groups[0].capacity.capacity_reservation_id: <the id that the command prints>
compute.node_groups[0].capacity.start: 2026-12-02T11:30:00Z
compute.node_groups[0].capacity.end: 2026-12-03T11:30:00Z"""
    )


def test_blocks_of_ultraservers_come_as_a_resource_group(folder):
    found = option("capacity-block")
    ultra = replace(found.parts[0].block, ultraserver_type="u-trn2x64")
    parts = (replace(found.parts[0], block=ultra),)
    text = refused(planned(TEXT, replace(found, parts=parts)))
    assert "capacity_reservation_resource_group_arn: <a resource group" in text
    assert "capacity_reservation_id" not in text


def test_a_reservation_without_an_end_is_not_written(folder):
    text = refused(planned(TEXT, option("on-demand-reservation", hours=None)))
    assert "say with --hours" in text


EXISTING = (ROOT / "examples/imported-vpc.yaml").read_text()


def test_ids_do_not_move_to_another_region(folder):
    text = refused(planned(EXISTING, option(region="us-east-2", zone="use2-az1")))
    assert "network.existing.vpc_id is vpc-0123456789abcdef0, and 3 more" in text
    assert "does not exist in us-east-2" in text
    assert text.count("\nreplace network.existing.") == 4
    assert "\nreplace network.existing.vpc_id: vpc-0123456789abcdef0\n" in text


def test_a_subnet_does_not_move_to_another_zone(folder):
    text = refused(planned(EXISTING, option(zone="usw2-az1")))
    assert "the compute subnet of the existing VPC is in usw2-az4, not in usw2-az1" in text


def test_a_reservation_in_the_zone_of_its_subnet_needs_no_other_zone(folder):
    plan = planned(EXISTING, option("on-demand-reservation"))
    wanted = file_changes(plan.file.cluster, plan.options[0], NOW, bought=True)
    place = "compute.node_groups[0].capacity"
    assert lines_by_hand(plan.file, wanted) == [
        f"{place}.type: on-demand-reservation",
        f"{place}.capacity_reservation_id: <the id that the command prints>",
    ]


def test_in_the_zone_of_its_subnet_only_the_way_to_buy_changes(folder):
    write_choice(planned(EXISTING, option("spot")))
    new = Path("cluster.yaml").read_text()
    assert new == EXISTING.replace(
        "      count: 4\n", "      count: 4\n      capacity:\n        type: spot\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        "        image: {ami_id: ami-0123456789abcdef0}\n",
        "        additional_security_group_ids: [sg-0123456789abcdef0]\n",
        "        placement: {group_name: "
        "'arn:aws:ec2:us-east-2:111122223333:placement-group/mine'}\n",
    ],
)
def test_whatever_belongs_to_the_region_keeps_the_file_there(folder, line):
    text = TEXT.replace("        count: 4\n", f"        count: 4\n{line}")
    assert "does not exist in us-west-2" in refused(planned(text))


RESERVED = MOVED.replace(
    "count: 4\n",
    "count: 4\n        capacity: {type: on-demand-reservation, "
    "capacity_reservation_id: cr-0123456789abcdef0}\n",
)


def test_a_reservation_does_not_move_to_another_zone(folder):
    moved = option("on-demand-reservation", zone="usw2-az1")
    assert "the reservation of train is in usw2-az4, not in usw2-az1" in refused(
        planned(RESERVED, moved)
    )


def test_groups_that_share_their_capacity_by_an_alias_have_lines_of_their_own(folder):
    text = MOVED.replace(
        "count: 4\n",
        "count: 4\n        capacity: &ours {type: spot, max_price_usd: 20}\n"
        "    -   name: other\n        instance_type: trn1.32xlarge\n        count: 4\n"
        "        capacity: *ours\n",
    )
    found = option("on-demand")
    second = replace(found.parts[0], need=replace(found.parts[0].need, group="other"))
    both = option("on-demand", parts=(*found.parts, second))
    place = "compute.node_groups"
    assert refused(planned(text, both)).split("\n")[1:] == [
        f"{place}[0].capacity.type: on-demand",
        f"{place}[1].capacity.type: on-demand",
        f"remove {place}[0].capacity.max_price_usd",
        f"remove {place}[1].capacity.max_price_usd",
    ]


def test_a_reservation_that_the_choice_removes_holds_the_file_nowhere(folder):
    """In another zone or Region the lines to write and to remove are told, as in its own."""
    for place in ({"zone": "usw2-az1"}, {"region": "us-east-2", "zone": "use2-az3"}):
        text = refused(planned(RESERVED, option("spot", **place)))
        assert text.endswith("\nremove compute.node_groups[0].capacity.capacity_reservation_id")
        assert f"\nnetwork.availability_zone_id: {place['zone']}\n" in text


def test_a_new_error_keeps_the_file_as_it_was(folder):
    """A key of the old way to buy would stand in the way, and lines are never removed."""
    text = refused(planned(RESERVED, option("spot")))
    assert "trnkit check would find TRN210" in text
    assert "capacity_reservation_id belongs to the type" in text
    assert text.endswith(
        """; write by hand:
compute.node_groups[0].capacity.type: spot
remove compute.node_groups[0].capacity.capacity_reservation_id"""
    )
    # Its own hint ("remove it, or write the type of the reservation") would contradict these.
    assert "the type of the reservation" not in text


BLOCK = (
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z, launch: with-deployment}"
)


@pytest.mark.parametrize(
    ("was", "becomes", "written", "removed"),
    [
        (BLOCK, "spot", ["type"], ["capacity_reservation_id", "start", "end", "launch"]),
        (BLOCK, "on-demand", ["type"], ["capacity_reservation_id", "start", "end", "launch"]),
        (
            BLOCK,
            "on-demand-reservation",
            ["type", "create.end_date"],
            ["capacity_reservation_id", "start", "end", "launch"],
        ),
        (BLOCK, "capacity-block", ["capacity_reservation_id", "start", "end"], ["launch"]),
        (
            "{type: spot, max_price_usd: 20}",
            "capacity-block",
            ["type", "capacity_reservation_id", "start", "end"],
            ["max_price_usd"],
        ),
        ("{type: spot, max_price_usd: 20}", "on-demand", ["type"], ["max_price_usd"]),
        (
            "{type: on-demand-reservation, create: {unlimited: true}}",
            "capacity-block",
            ["type", "capacity_reservation_id", "start", "end"],
            ["create"],
        ),
    ],
)
def test_what_is_to_be_done_by_hand_makes_a_file_without_errors(
    folder, was, becomes, written, removed
):
    text = MOVED.replace("count: 4\n", f"count: 4\n        capacity: {was}\n")
    place = "compute.node_groups[0].capacity."
    _, *lines = refused(planned(text, option(becomes))).split("\n")
    told = [line.partition(": ") for line in lines if line.startswith(place)]
    assert [path.removeprefix(place) for path, _, _ in told] == written
    gone = [line.removeprefix(f"remove {place}") for line in lines[len(told) :]]
    assert gone == removed
    # As a person would do it.
    capacity = yaml.safe_load(text)["compute"]["node_groups"][0]["capacity"]
    capacity = {key: value for key, value in capacity.items() if key not in removed}
    for path, _, value in told:
        key, _, inner = path.removeprefix(place).partition(".")
        value = "cr-0123456789abcdef1" if value.startswith("<") else value
        capacity[key] = {inner: value} if inner else value
    mended = text.replace(was, json.dumps(capacity, default=lambda t: f"{t:%Y-%m-%dT%H:%M:%SZ}"))
    found = check_cluster(decode_cluster(mended.encode(), "c"))
    assert not [finding for finding in found if finding.severity == "error"]


def test_what_check_would_still_find_is_told_with_its_hint(folder):
    """A Region without parameters of images: what is written by hand does not mend that."""
    text = refused(planned(TEXT, option(region="ap-south-2", zone="aps2-az1")))
    assert "would find TRN" in text
    assert "then mend TRN204: compute.node_groups[0].image needs an ami_id: ap-south-2" in text
    assert "and write `ami_id:`" in text


def test_an_error_that_was_there_before_does_not_count(folder):
    """The type is not offered in the Region that the file names: that is why one plans."""
    text = TEXT.replace("us-east-2", "eu-west-1")
    plan = planned(text)
    assert any(finding.rule_id == "TRN102" for finding in plan.file.findings)
    write_choice(plan)
    after = check_cluster(decode_cluster(Path("cluster.yaml").read_bytes(), "c"))
    assert not [finding for finding in after if finding.severity == "error"]


def test_a_finding_about_the_old_place_does_not_excuse_an_error_of_the_new_one(folder):
    # Before: TRN102 as information, that no zone is given.
    plan = planned(TEXT, option(zone="usw2-az3"))
    assert "would find TRN102: network.availability_zone_id is usw2-az3, which" in refused(plan)
    # Before: the same error, of another Region.
    text, there = (
        TEXT.replace("us-east-2", "eu-west-1"),
        option(region="eu-west-2", zone="euw2-az1"),
    )
    assert "would find TRN102: no zone of eu-west-2 offers" in refused(planned(text, there))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"us-east-2"  #', '&r "us-east-2"  #', "region: is written with an anchor"),
        ('"us-east-2"  # where we began', "|-\n  us-east-2", "region: is written with"),
        ("network:\n", "network: &n\n", None),
    ],
)
def test_what_cannot_be_edited_alone_is_said_with_what_to_write(folder, old, new, reason):
    plan = planned(TEXT.replace(old, new))
    if reason is None:
        write_choice(plan)
        assert Path("cluster.yaml").read_text() == MOVED.replace(old, new)
        return
    text = refused(plan)
    assert reason in text
    assert text.endswith(
        "write by hand:\nregion: us-west-2\nnetwork.availability_zone_id: usw2-az4"
    )


def test_a_group_without_nodes_keeps_its_way_to_buy(folder):
    text = TEXT.replace(
        "        count: 4\n",
        "        count: 4\n    -   name: other\n        instance_type: trn1.32xlarge\n"
        "        count: 0\n",
    )
    write_choice(planned(text, option("spot")))
    assert Path("cluster.yaml").read_text().count("capacity:") == 1


def test_a_file_that_may_not_be_written(folder, monkeypatch):
    plan = planned(TEXT)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "it may not be written; check its permissions" in refused(plan)


def test_a_disk_that_is_full_leaves_the_file_as_it_was(folder, monkeypatch):
    plan = planned(TEXT)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "chmod", full)
    assert "cluster.yaml cannot be written: No space left on device" in refused(plan)
    assert [path.name for path in folder.iterdir()] == ["cluster.yaml"]


# Keys of another way to buy are in the file, or the type is not sold so.
KEEPS = {
    "on-demand": ("mixed-groups", "trn1-spot", "trn2-capacity-block", "trn2u-ultraserver"),
    "spot": ("custom-type", "mixed-groups", "trn2-capacity-block", "trn2u-ultraserver"),
    "on-demand-reservation": ("trn1-spot", "trn2-capacity-block", "trn2u-ultraserver"),
}


@pytest.mark.parametrize("purchase", ["on-demand", "spot", "on-demand-reservation"])
@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda p: p.stem)
def test_in_every_example_the_way_to_buy_is_written_or_refused(folder, path, purchase):
    """In its own place; the rules of the file decide, and every line but the way stays."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    name = f"examples/{path.name}"
    config = load_cluster(name).config
    needs = [
        NodeNeed(instance_type=group.instance_type, count=group.count, group=group.name)
        for group in config.compute.node_groups
    ]
    parts = tuple(Part(need=one, purchase=purchase, offered="yes", chips=1) for one in needs)
    way = Way(name=purchase, purchases=(purchase,) * len(parts))
    zone = compute_zone_id(config)
    found = option(purchase, config.region, zone, parts=parts, way=way)
    before = path.read_text()
    plan = planned(before, found, name=name)
    if path.stem in KEEPS[purchase]:
        with pytest.raises(CannotWriteError, match="nothing was written"):
            write_choice(plan)
        assert (folder / name).read_text() == before
        return
    write_choice(plan)
    after = (folder / name).read_text()
    types = [group.capacity.type for group in load_cluster(name).config.compute.node_groups]
    assert set(types) == {purchase}
    lines = iter(after.splitlines())
    kept = [line for line in before.splitlines() if "type:" not in line and "count:" not in line]
    assert all(line in lines for line in kept)
