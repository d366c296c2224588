"""The stages, one after the other: what is done when, to whom, and what people read of it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.constructs_lib.cost.enforcer.world import BEGIN, SIZES, World

OURS = ("train", "tune")
OTHERS = ("serve", "block")


@pytest.fixture
def world():
    world = World()
    world.spent = 1200.0
    return world


def stages(world, polls):
    found = [world.stage]
    for _ in range(polls):
        world.pass_time()
        if world.stage != found[-1]:
            found.append(world.stage)
    return found


def test_the_stages_come_in_their_order_and_none_is_left_out(world):
    order = ["watching", "warned", "launches-denied", "checkpoint-told", "held"]
    assert stages(world, 20) == order
    assert {name: world.size(name) for name in SIZES} == {**SIZES, "train": 0, "tune": 0}
    assert all(world.is_denied(name) for name in OURS)


def test_a_warning_says_why_what_when_and_how_to_call_it_off(world):
    world.pass_time()
    (message,) = world.sns.given
    assert message["Subject"] == (
        "[pretrain] spending: nodes will be stopped, not before 2026-11-06T19:05:00Z"
    )
    assert message["Message"] == (
        "$1,200.00 is spent in 2026-11, and $1,000.00 is the limit.\n"
        "Not before 2026-11-06T19:05:00Z:\n"
        "1. launches are denied in: train, tune;\n"
        "2. their nodes are told to write a checkpoint within 10 minutes;\n"
        "3. these groups are scaled in to zero, and stay so until they are released.\n"
        "Left alone (protected, or a Capacity Block): serve, block.\n"
        "Storage, file systems and data are never touched.\n"
        "To call it off: trnkit guard call-off FILE, FILE being the cluster file."
    )


def test_nothing_is_done_in_the_grace_time(world):
    world.pass_time(60)
    assert (world.stage, world.scaling.calls, world.ssm.given) == ("warned", [], [])
    world.pass_time()
    assert world.scaling.calls == [("suspend", "train"), ("suspend", "tune")]


def test_the_grace_time_begins_when_the_warning_is_out(world):
    world.sns.broken = True
    world.pass_time(180)
    assert (world.stage, world.scaling.calls) == ("warned", [])
    assert world.errors
    world.sns.broken = False
    world.pass_time(60)
    assert (world.stage, world.scaling.calls) == ("warned", [])
    world.pass_time(5)
    assert world.stage == "launches-denied"


def test_nodes_are_told_to_write_a_checkpoint_and_have_their_time(world):
    world.pass_time(70)
    assert len(world.ssm.given) == 2
    told = world.ssm.given[0]
    assert told["Targets"] == [
        {"Key": "tag:trnkit-cluster", "Values": ["pretrain"]},
        {"Key": "tag:trnkit-node-group", "Values": ["train"]},
    ]
    assert told["Parameters"]["commands"] == [
        "/opt/trnkit/current/trn-drain/trn-drain --deadline 2026-11-06T19:20:00Z "
        "--reason 'trnkit guard'"
    ]
    world.pass_time(5)
    assert world.size("train") == 16
    world.pass_time(5)
    assert world.size("train") == 0


def test_without_time_for_a_checkpoint_nodes_are_not_told():
    world = World(checkpoint_minutes=0)
    world.spent = 1200.0
    world.pass_time(80)
    assert (world.stage, world.ssm.given) == ("held", [])


def test_protected_groups_and_paid_blocks_are_never_touched(world):
    world.pass_time(120)
    world.run("release")
    world.pass_time(30)
    assert {group for _, group in world.scaling.calls} == set(OURS)


def test_each_message_is_sent_once(world):
    world.pass_time(24 * 60)
    assert world.subjects == [
        "spending: nodes will be stopped, not before 2026-11-06T19:05:00Z",
        "spending: launches denied",
        "spending: nodes told to write a checkpoint by 2026-11-06T19:20:00Z",
        "spending: scaled in to zero",
        "spending: held",
    ]


def test_the_same_run_twice_changes_nothing_more(world):
    for _ in range(20):
        world.pass_time()
        calls, sent, text = len(world.scaling.calls), len(world.sns.given), world.table.text
        stage = world.stage
        world.run()
        if stage == world.stage:
            assert len(world.sns.given) == sent
        if stage in ("warned", "held", "watching"):
            now = (len(world.scaling.calls), len(world.sns.given), world.table.text)
            assert now == (calls, sent, text)


def test_release_restores_the_sizes_that_were_and_says_so(world):
    world.scaling.groups["train"]["MinSize"] = 2
    world.pass_time(120)
    answer = world.run("release", by="bo")
    assert (answer.done, answer.text) == (True, "released: spending")
    assert {name: world.size(name) for name in SIZES} == SIZES
    assert world.scaling.groups["train"]["MinSize"] == 2
    assert not any(world.is_denied(name) for name in SIZES)
    text = world.sns.given[-1]["Message"]
    assert text.startswith("bo has released it.\ntrain: launches as before, desired 16 as before")
    assert "For spending (month) nothing begins again before 2026-12-01T00:00:00Z" in text
    assert world.stage == "watching"


def test_what_was_released_does_not_begin_again_in_the_month(world):
    world.pass_time(120)
    world.run("release")
    world.pass_time(24 * 60)
    assert (world.stage, world.size("train")) == ("watching", 16)


def test_what_was_released_begins_again_when_it_has_grown_by_a_quarter_of_the_limit(world):
    world.pass_time(120)
    world.run("release")
    world.spent = 1449.0
    world.pass_time()
    assert world.stage == "watching"
    world.spent = 1450.0
    world.pass_time()
    assert world.stage == "warned"


def test_what_was_released_begins_again_in_the_next_month(world):
    world.pass_time(120)
    world.run("release")
    world.now = BEGIN + timedelta(days=26)
    world.pass_time()
    assert world.stage == "warned"


def test_what_was_released_is_judged_anew_by_another_limit(world):
    world.pass_time(120)
    world.run("release")
    world.plan = World(at_usd=1100.0).plan
    world.pass_time()
    assert world.stage == "warned"


def test_a_released_rate_stays_released_when_the_nodes_come_back():
    world = World()
    world.rate = 720.0
    world.pass_time(120)
    assert world.stage == "held"
    world.rate = 5.0
    world.run("release")
    world.pass_time(30)
    world.rate = 720.0
    world.pass_time(120)
    assert world.stage == "watching"
    world.rate = 900.0
    world.pass_time()
    assert world.stage == "warned"


def test_a_released_rate_does_not_allow_the_months_limit():
    world = World()
    world.rate = 720.0
    world.pass_time(120)
    world.run("release")
    world.spent = 1000.0
    world.pass_time()
    assert world.stage == "warned"


def test_a_warning_is_called_off(world):
    world.pass_time(30)
    answer = world.run("call-off", by="bo")
    assert (answer.done, answer.text, world.stage) == (True, "called off: spending", "watching")
    world.pass_time(24 * 60)
    assert (world.scaling.calls, world.stage) == ([], "watching")


def test_what_has_begun_cannot_be_called_off(world):
    world.pass_time(65)
    answer = world.run("call-off")
    assert not answer.done
    assert answer.text == "there is no warning to call off; it has begun: use release"
    assert world.stage != "watching"


@pytest.mark.parametrize(
    ("action", "text"),
    [
        ("approve", "nothing waits for approval"),
        ("call-off", "there is no warning to call off"),
        ("release", "nothing is held"),
    ],
)
def test_a_command_without_an_object_is_refused_and_changes_nothing(action, text):
    world = World()
    world.pass_time()
    assert world.run(action) == (False, text)
    assert (world.scaling.calls, world.sns.given, world.stage) == ([], [], "watching")


def test_in_approval_mode_nothing_is_done_before_somebody_approves():
    world = World(mode="approval")
    world.spent = 1200.0
    world.pass_time(24 * 60)
    assert (world.stage, world.scaling.calls) == ("awaiting-approval", [])
    assert world.subjects[-1] == "spending: waits for approval"
    assert world.run("approve", by="bo").done
    assert world.stage == "launches-denied"
    world.pass_time(20)
    assert (world.stage, world.size("train")) == ("held", 0)


def test_an_early_approval_does_not_end_the_grace_time():
    world = World(mode="approval")
    world.spent = 1200.0
    world.pass_time(10)
    world.run("approve", by="bo")
    assert world.sns.given[-1]["Message"] == (
        "bo has approved. The stages begin at 2026-11-06T19:05:00Z."
    )
    assert not world.run("approve", by="cy").done
    world.pass_time(50)
    assert world.scaling.calls == []
    world.pass_time(5)
    assert world.stage == "launches-denied"


def test_a_dry_run_goes_through_every_stage_and_calls_nothing_that_writes():
    world = World(mode="dry-run")
    world.spent = 1200.0
    order = ["watching", "warned", "launches-denied", "checkpoint-told", "held"]
    assert stages(world, 30) == order
    assert (world.scaling.calls, world.ssm.given, world.state.holds) == ([], [], {})
    assert world.subjects[0].startswith("dry run, spending: nodes would be stopped at")
    assert world.subjects[-1] == "spending: would be held"
    assert all("DRY RUN" in message["Message"] for message in world.sns.given)
    assert world.run("stop-now").done
    assert world.run("release").done
    assert (world.scaling.calls, world.ssm.given) == ([], [])


def test_stop_now_waits_for_nothing_but_the_checkpoint():
    world = World()
    world.pass_time()
    answer = world.run("stop-now", by="bo")
    assert answer == (True, "stopping: train, tune")
    assert world.stage == "checkpoint-told"
    assert [call for call, _ in world.scaling.calls] == ["suspend", "suspend"]
    world.pass_time(10)
    assert (world.stage, world.size("train"), world.size("serve")) == ("held", 0, 2)


def test_stop_now_ends_a_grace_time_and_needs_no_approval():
    world = World(mode="approval")
    world.spent = 1200.0
    world.pass_time()
    assert world.run("stop-now").done
    assert world.stage == "checkpoint-told"


def test_stop_now_works_without_a_watchdog():
    world = World()
    world.watching = False
    world.run("stop-now")
    world.pass_time(15)
    assert world.stage == "held"


def test_a_warning_without_a_cause_any_more_is_withdrawn():
    world = World()
    world.rate = 720.0
    world.pass_time(30)
    world.rate = 300.0
    world.pass_time()
    assert world.stage == "watching"
    assert world.subjects[-1] == "spending: warning withdrawn"
    world.rate = 720.0
    world.pass_time()
    assert world.stage == "warned"


def test_denied_launches_stay_denied_when_the_cause_ends_and_nodes_run_on():
    world = World()
    world.rate = 720.0
    world.pass_time(65)
    world.rate = 300.0
    world.pass_time(120)
    assert (world.stage, world.size("train")) == ("launches-denied", 16)
    assert world.is_denied("train")
    assert world.subjects[-1] == "spending: cause has ended"
    world.rate = 720.0
    world.pass_time(20)
    assert (world.stage, world.size("train")) == ("held", 0)


def test_nodes_are_told_anew_when_a_cause_comes_back_after_their_time():
    world = World()
    world.rate = 720.0
    world.pass_time(70)
    world.rate = 300.0
    world.pass_time(120)
    called_off = [given["Parameters"]["commands"][0] for given in world.ssm.given[2:]]
    assert called_off == ["/opt/trnkit/current/trn-drain/trn-drain --cancel"] * 2
    world.rate = 720.0
    world.pass_time(5)
    assert len(world.ssm.given) == 6
    assert "--deadline" in world.ssm.given[-1]["Parameters"]["commands"][0]
    assert world.size("train") == 16


def test_nodes_that_were_told_and_are_released_are_told_to_go_on(world):
    world.pass_time(70)
    world.run("release")
    commands = [given["Parameters"]["commands"][0] for given in world.ssm.given]
    assert [command.split()[1] for command in commands] == ["--deadline"] * 2 + ["--cancel"] * 2
    assert world.state.holds == {}


def test_nodes_that_cannot_be_told_to_go_on_are_released_all_the_same(world):
    world.pass_time(70)
    world.ssm.broken = True
    world.run("release")
    assert (world.state.holds, world.is_denied("train")) == ({}, False)
    assert "run on each: trn-drain --cancel" in world.sns.given[-1]["Message"]


def test_a_new_month_releases_nothing_that_is_held(world):
    world.pass_time(120)
    world.spent, world.now = 1.0, BEGIN + timedelta(days=26)
    world.pass_time(60)
    assert (world.stage, world.size("train")) == ("held", 0)
    assert world.run("release").done
    assert world.size("train") == 16


def test_a_new_month_withdraws_a_warning(world):
    world.now = BEGIN + timedelta(days=24, hours=5, minutes=40)
    world.pass_time()
    assert world.stage == "warned"
    world.spent = 0.5
    world.pass_time(20)
    assert (world.stage, world.scaling.calls) == ("watching", [])


def test_all_that_was_decided_and_done_is_in_the_audit_trail(world):
    world.pass_time(120)
    world.run("release", by="bo")
    told = [(entry["what"], entry.get("group")) for entry in world.table.entries]
    assert told == [
        ("warned", None),
        ("stages begin", None),
        ("deny", "train"),
        ("deny", "tune"),
        ("checkpoint", "train"),
        ("checkpoint", "tune"),
        ("scale-in", "train"),
        ("scale-in", "tune"),
        ("held", None),
        ("release", None),
        ("allow", "train"),
        ("allow", "tune"),
    ]
    assert {entry["mode"] for entry in world.table.entries} == {"automatic"}
    assert world.table.entries[-3]["by"] == "bo"
    assert world.table.entries[-1]["before"]["desired"] == 4
