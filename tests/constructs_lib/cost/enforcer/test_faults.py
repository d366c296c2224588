"""What goes wrong: groups gone or changed, throttling, a deaf topic, clocks, two at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from spend_guard.enforcement_run import Run, Surroundings
from spend_guard.enforcement_store import BusyError

from tests.constructs_lib.cost.enforcer.world import World


@pytest.fixture
def world():
    world = World()
    world.spent = 1200.0
    return world


def asg(world, group="train"):
    return world.scaling.groups[group]


@pytest.mark.parametrize("operation", ["suspend", "update"])
def test_a_throttled_group_is_tried_again_and_the_other_goes_on(world, operation):
    world.scaling.broken = {(operation, "train")}
    world.pass_time(120)
    assert (world.size("train"), world.size("tune")) == (16, 0)
    assert any("Rate exceeded" in error for error in world.errors)
    failing = [m for m in world.sns.given if "it is tried again: train" in m["Message"]]
    assert len(failing) == 1
    world.scaling.broken = set()
    world.pass_time(20)
    assert (world.size("train"), world.stage, world.errors) == (0, "held", [])


def test_no_step_of_a_group_is_skipped_because_another_group_is_further(world):
    world.scaling.broken = {("suspend", "train")}
    world.pass_time(240)
    world.scaling.broken = set()
    world.pass_time(5)
    assert (world.is_denied("train"), world.size("train")) == (True, 16)
    world.pass_time(5)
    assert world.ssm.given[-1]["Targets"][1]["Values"] == ["train"]
    assert world.size("train") == 16


def test_nodes_that_cannot_be_told_are_scaled_in_after_three_tries(world):
    world.ssm.broken = True
    world.pass_time(75)
    assert world.size("train") == 16
    world.pass_time(15)
    assert world.stage == "held"
    assert "train: nodes not told of the checkpoint" in world.subjects


def test_auto_scaling_that_does_not_answer_stops_nothing_for_good(world):
    world.pass_time(60)
    world.scaling.broken = {"describe"}
    world.pass_time(30)
    assert (world.stage, world.scaling.calls) == ("launches-denied", [])
    assert world.errors
    assert world.subjects.count("train: not readable") == 1
    world.scaling.broken = set()
    world.pass_time(30)
    assert world.stage == "held"


def test_a_group_that_vanished_is_left_alone(world):
    world.pass_time(30)
    del world.scaling.groups["tune"]
    world.pass_time(90)
    assert world.stage == "held"
    assert ("suspend", "tune") not in world.scaling.calls
    assert world.subjects.count("tune: left alone") == 1


def test_a_held_group_that_vanished_is_released_all_the_same(world):
    world.pass_time(120)
    del world.scaling.groups["tune"]
    assert world.run("release").done
    assert (world.size("train"), world.state.holds) == (16, {})
    assert "it is gone now and was not touched; it had 4 nodes" in world.sns.given[-1]["Message"]


def test_a_group_that_comes_back_after_a_replacement_is_held_too(world):
    kept = world.scaling.groups.pop("tune")
    world.pass_time(120)
    assert world.stage == "held"
    world.scaling.groups["tune"] = kept
    world.pass_time(20)
    assert (world.stage, world.size("tune")) == ("held", 0)


@pytest.mark.parametrize("minutes", [70, 120])
def test_a_group_that_is_replaced_goes_through_the_stages_again(world, minutes):
    world.pass_time(minutes)
    asg(world).update(
        AutoScalingGroupName="asg-train2", DesiredCapacity=12, MaxSize=12, SuspendedProcesses=[]
    )
    world.scaling.calls.clear()
    world.pass_time(5)
    assert world.scaling.calls[0] == ("suspend", "train2")
    assert (world.is_denied("train"), world.size("train")) == (True, 12)
    world.pass_time(25)
    assert (world.stage, world.size("train"), world.size("tune")) == ("held", 0, 0)
    assert world.subjects.count("train: replaced while held") == 1
    assert world.run("release").done
    assert (world.size("train"), world.is_denied("train"), world.state.holds) == (12, False, {})


def test_a_group_that_was_replaced_before_the_release_is_left_as_it_is(world):
    world.pass_time(120)
    asg(world).update(AutoScalingGroupName="asg-train2", DesiredCapacity=12)
    world.scaling.calls.clear()
    assert world.run("release").done
    assert world.state.holds == {}
    assert {group for _, group in world.scaling.calls} == {"tune"}
    assert "it is replaced by asg-train2 now and was not touched; it had 16 nodes" in "".join(
        message["Message"] for message in world.sns.given
    )


def test_a_group_without_the_clusters_tag_is_not_touched(world):
    asg(world)["Tags"][0]["Value"] = "another"
    world.pass_time(120)
    assert {group for _, group in world.scaling.calls} == {"tune"}


def test_two_groups_with_the_same_tags_are_both_left_alone(world):
    world.scaling.groups["twin"] = {**asg(world), "AutoScalingGroupName": "asg-twin"}
    world.pass_time(120)
    assert {group for _, group in world.scaling.calls} == {"tune"}
    assert "several Auto Scaling groups carry its tags" in "".join(
        message["Message"] for message in world.sns.given
    )


def test_sizes_that_people_change_before_scaling_in_are_those_that_come_back(world):
    world.pass_time(70)
    asg(world)["DesiredCapacity"] = 5
    world.pass_time(60)
    assert (world.stage, world.size("train")) == ("held", 0)
    world.run("release")
    assert world.size("train") == 5


def test_a_size_that_people_set_while_held_is_left_as_it_is(world):
    world.pass_time(120)
    asg(world)["DesiredCapacity"] = 3
    world.pass_time(60)
    assert world.size("train") == 3
    assert world.subjects.count("train: changed by hand while held") == 1
    world.run("release")
    assert (world.size("train"), world.is_denied("train"), world.size("tune")) == (3, False, 4)
    assert "somebody has set its size to 3" in world.sns.given[-1]["Message"]


def test_a_smaller_largest_size_is_respected_when_released(world):
    world.pass_time(120)
    asg(world)["MaxSize"] = 8
    world.run("release")
    assert world.size("train") == 8
    assert "at most 8 nodes are allowed now, and 16 ran" in world.sns.given[-1]["Message"]


def test_launches_that_were_suspended_before_stay_suspended(world):
    asg(world)["SuspendedProcesses"] = [{"ProcessName": "Launch"}]
    world.pass_time(120)
    world.run("release")
    assert (world.is_denied("train"), world.is_denied("tune")) == (True, False)


def test_a_release_that_fails_in_part_is_tried_again_until_it_is_done(world):
    world.pass_time(120)
    world.scaling.broken = {("resume", "train")}
    world.run("release")
    assert (world.size("tune"), world.is_denied("tune")) == (4, False)
    assert world.is_denied("train")
    world.pass_time(15)
    assert world.subjects.count("train: not released yet") == 1
    world.scaling.broken = set()
    world.pass_time(5)
    assert (world.size("train"), world.is_denied("train"), world.state.holds) == (16, False, {})


def poll_with(world, polls, running):
    """Polls at which the watchdog sees nodes of `train` although its size is zero."""
    world.watching = False
    for _ in range(polls):
        world.now += timedelta(minutes=5)
        world.watching = True
        world.see()
        world.watching = False
        groups = dict(world.observation.groups)
        groups["train"] = type(groups["train"])(running=running)
        world.observation = type(world.observation)(world.now, "2026-11", 1200.0, 40.0, 0, groups)
        world.run()


def test_nodes_that_run_on_are_said_once(world):
    world.pass_time(90)
    poll_with(world, 10, running=2)
    assert world.subjects.count("train: nodes still run") == 1
    (said,) = [m["Message"] for m in world.sns.given if "nodes still run" in m["Subject"]]
    assert said.startswith("2 nodes of train run on although the group is scaled in to zero: nothi")


@pytest.mark.parametrize(
    ("group", "why"),
    [
        (
            {"Instances": [{"LifecycleState": "InService", "ProtectedFromScaleIn": True}] * 2},
            "2 protected from scale-in",
        ),
        ({"Instances": [{"LifecycleState": "Standby"}]}, "1 in standby"),
        ({"Instances": [{"LifecycleState": "Terminating:Wait"}]}, "1 held by a lifecycle hook"),
        ({"WarmPoolSize": 3}, "3 in its warm pool"),
        (
            {
                "Instances": [{"LifecycleState": "InService"}],
                "SuspendedProcesses": [{"ProcessName": "Launch"}, {"ProcessName": "Terminate"}],
            },
            "the process Terminate is suspended",
        ),
    ],
)
def test_what_keeps_nodes_of_an_empty_group_is_said(world, group, why):
    world.pass_time(90)
    asg(world).update(group)
    poll_with(world, 10, running=2)
    (said,) = [m["Message"] for m in world.sns.given if "nodes still run" in m["Subject"]]
    assert f"scaled in to zero: {why}. They cost money" in said


def test_a_stale_observation_begins_no_stage_and_is_said_once(world):
    world.pass_time(60)
    world.watching = False
    world.pass_time(24 * 60)
    # What was seen last was young enough for two stages, and for no third one.
    assert (world.stage, world.size("train")) == ("checkpoint-told", 16)
    assert world.subjects.count("watchdog is not heard") == 1
    world.watching = True
    told = len(world.ssm.given)
    world.pass_time(5)
    assert (world.size("train"), len(world.ssm.given)) == (16, told + 2)
    world.pass_time(10)
    assert world.stage == "held"


def test_no_warning_comes_of_what_the_month_before_has_cost(world):
    world.now = datetime(2026, 11, 30, 23, 58, tzinfo=UTC)
    world.see()
    world.watching = False
    world.now += timedelta(minutes=4)
    world.run()
    assert (world.stage, world.sns.given) == ("watching", [])


def test_no_warning_comes_of_an_old_observation(world):
    world.see()
    world.watching = False
    world.now += timedelta(minutes=16)
    world.run()
    assert world.stage == "watching"


def test_without_any_observation_people_hear_of_it_after_three_polls(world):
    world.watching = False
    world.pass_time(15)
    assert world.subjects == []
    world.pass_time(10)
    assert world.subjects == ["watchdog is not heard"]


def test_a_clock_that_runs_ahead_ends_no_grace_time(world):
    world.pass_time(10)
    world.see()
    world.now += timedelta(hours=3)
    world.run()
    assert (world.stage, world.scaling.calls) == ("warned", [])


def test_an_observation_from_the_future_begins_nothing(world):
    world.see()
    world.now -= timedelta(minutes=30)
    world.run()
    assert world.stage == "watching"


def test_a_clock_that_goes_back_does_no_harm(world):
    world.pass_time(30)
    world.now -= timedelta(minutes=20)
    world.see()
    world.run()
    assert (world.stage, world.scaling.calls) == ("warned", [])


def test_a_poll_leaves_it_to_the_one_that_is_under_way(world):
    world.table.owner = "another"
    world.see()
    with pytest.raises(BusyError):
        world.run()
    assert (world.table.owner, world.table.text) == ("another", None)


def test_a_person_waits_for_the_run_that_is_under_way(world):
    world.pass_time(30)
    world.table.owner = "another"

    def wait(_):
        world.table.owner = None

    around = Surroundings(world.plan, world.table, world.client, "topic", lambda: world.now, wait)
    from spend_guard.enforcement_commands import Command

    answer = Run(around, "mine", Command("call-off", "ana")).go()
    assert answer is not None
    assert answer.done


def test_a_run_that_dies_before_it_acts_is_repeated_and_remembers_the_sizes(world, monkeypatch):
    world.pass_time(75)

    class Killed(BaseException):
        pass

    def die(**_):
        update(**_)
        raise Killed

    update = world.scaling.update_auto_scaling_group
    monkeypatch.setattr(world.scaling, "update_auto_scaling_group", die)
    world.now += timedelta(minutes=5)
    world.see()
    with pytest.raises(Killed):
        world.run()
    monkeypatch.undo()
    assert world.size("train") == 0
    world.pass_time(15)
    assert world.stage == "held"
    world.run("release")
    assert world.size("train") == 16


def test_what_is_not_sent_is_sent_later_in_its_order(world):
    world.pass_time(60)
    world.sns.broken = True
    world.pass_time(20)
    assert len(world.state.outbox) >= 2
    world.sns.broken = False
    world.pass_time(30)
    assert world.state.outbox == []
    assert world.subjects[1:3] == [
        "spending: launches denied",
        "spending: nodes told to write a checkpoint by 2026-11-06T19:20:00Z",
    ]


def test_subjects_are_such_as_sns_takes():
    world = World(cluster="p" * 60)
    for group in world.scaling.groups.values():
        group["Tags"][0]["Value"] = "p" * 60
    world.spent = 1200.0
    world.pass_time(120)
    world.run("release")
    assert len(world.sns.given) > 4
    for message in world.sns.given:
        assert message["Subject"].isascii()
        assert len(message["Subject"]) < 100
        assert "\n" not in message["Subject"]


@pytest.mark.parametrize("mode", ["dry-run", None])
def test_a_plan_that_is_changed_while_held_leaves_it_held_until_released(world, mode):
    world.pass_time(120)
    world.plan = World(mode=mode).plan
    world.pass_time(60)
    assert world.size("train") == 0
    assert world.run("release").done
    assert world.size("train") == 16


def test_a_dry_run_that_becomes_real_begins_with_a_new_warning():
    world = World(mode="dry-run")
    world.spent = 1200.0
    world.pass_time(120)
    world.plan = World().plan
    world.pass_time(10)
    assert (world.stage, world.scaling.calls) == ("warned", [])
    world.pass_time(50)
    assert world.scaling.calls == []


def test_a_group_that_becomes_protected_is_not_touched_any_more(world):
    world.pass_time(65)
    world.plan = World(protected_node_groups=("serve", "train")).plan
    world.pass_time(60)
    assert (world.size("train"), world.size("tune"), world.stage) == (16, 0, "held")
    world.run("release")
    assert not world.is_denied("train")


def test_with_every_group_protected_nothing_is_warned_of(world):
    world.plan = World(protected_node_groups=("serve", "train", "tune")).plan
    world.pass_time(120)
    assert (world.sns.given, world.run("stop-now").done) == ([], False)
