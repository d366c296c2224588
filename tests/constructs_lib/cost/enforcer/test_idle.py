"""Groups that do nothing: warned, told, scaled in one by one, and left alone when in doubt."""

from __future__ import annotations

import pytest

from tests.constructs_lib.cost.enforcer.world import BEGIN, World


@pytest.fixture
def world():
    world = World(at_usd=None, at_spend_rate_usd_per_hour=None)
    world.idle = {"train": BEGIN}
    return world


def stage(world, group="train"):
    episode = world.state.episodes.get(f"idle:{group}")
    return episode.stage if episode else "watching"


def test_an_idle_group_is_warned_and_scaled_in_and_no_other(world):
    world.pass_time(55)
    assert stage(world) == "watching"
    world.pass_time(10)
    assert stage(world) == "warned"
    assert world.sns.given[0]["Message"].startswith(
        "16 nodes of train have used no NeuronCore for 65 minutes, and 60 is the limit."
    )
    world.pass_time(90)
    assert (stage(world), world.size("train"), world.size("tune")) == ("held", 0, 4)
    assert {group for _, group in world.scaling.calls} == {"train"}


def test_a_group_of_which_nothing_is_known_is_not_idle(world):
    world.idle_known = False
    world.pass_time(300)
    assert (world.state.episodes, world.scaling.calls) == ({}, [])


def test_a_group_of_which_nothing_is_known_any_more_is_not_scaled_in(world):
    world.pass_time(130)
    world.idle_known = False
    world.pass_time(60)
    assert (world.size("train"), world.is_denied("train")) == (16, False)


def test_a_group_that_grew_lately_is_not_idle(world):
    world.scaling.groups["train"]["DesiredCapacity"] = 8
    world.pass_time(40)
    world.scaling.groups["train"]["DesiredCapacity"] = 16
    world.pass_time(60)
    assert stage(world) == "watching"
    world.pass_time(10)
    assert stage(world) == "warned"


def test_a_group_that_works_again_is_spared_even_after_launches_were_denied(world):
    world.pass_time(130)
    assert world.is_denied("train")
    assert world.size("train") == 16
    world.idle = {}
    world.pass_time()
    assert (stage(world), world.is_denied("train")) == ("watching", False)
    assert world.subjects[-1] == "idle node group train: spared"


def test_a_protected_group_may_be_idle(world):
    world.idle = {"serve": BEGIN, "block": BEGIN}
    world.pass_time(300)
    assert (world.state.episodes, world.scaling.calls, world.sns.given) == ({}, [], [])


def test_a_released_idle_group_is_left_alone_for_a_day(world):
    world.pass_time(180)
    world.run("release")
    assert world.size("train") == 16
    world.pass_time(23 * 60)
    assert stage(world) == "watching"
    world.pass_time(3 * 60)
    assert stage(world) != "watching"


def test_spending_and_idleness_hold_a_group_together_and_release_frees_it_once(world):
    world.pass_time(180)
    world.plan = World().plan
    world.spent = 1200.0
    world.pass_time(120)
    assert (world.stage, stage(world)) == ("held", "held")
    assert world.state.holds["train"].by == ["idle:train", "spend"]
    world.run("release")
    assert (world.size("train"), world.size("tune")) == (16, 4)
    assert world.state.holds == {}


def test_a_dry_run_of_idleness_touches_nothing(world):
    world.plan = World(idle_mode="dry-run", at_usd=None).plan
    world.pass_time(300)
    assert (stage(world), world.scaling.calls, world.ssm.given) == ("held", [], [])


def test_without_idle_shutdown_nothing_is_idle(world):
    world.plan = World(idle_mode=None).plan
    world.pass_time(300)
    assert world.state.episodes == {}
