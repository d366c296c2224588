"""New instances wait for the hooks of their group, as Auto Scaling lets them."""

from __future__ import annotations

import pytest

from tests.trnkit.emulation.launch_ground import launch_ground, refusal
from trnkit.emulation.services.auto_scaling import lifecycle_hooks

HOOK = {
    "LifecycleHookName": "boot",
    "LifecycleTransition": "autoscaling:EC2_INSTANCE_LAUNCHING",
    "HeartbeatTimeout": 1800,
    "DefaultResult": "ABANDON",
}
NODES = {"AutoScalingGroupName": "nodes"}


@pytest.fixture
def ground():
    with launch_ground() as ground:
        yield ground


@pytest.fixture
def clock(monkeypatch):
    """The clock of the hooks: one number, which a test puts forward."""
    now = [1_000_000.0]
    monkeypatch.setattr(lifecycle_hooks.time, "time", lambda: now[0])
    return now


def nodes(ground, size=1, hooks=(HOOK,)):
    data = ground.data(subnet=False)
    ground.group_of(data, size=size, LifecycleHookSpecificationList=[*hooks])


def states(ground):
    (group,) = ground.scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    return {one["InstanceId"]: one["LifecycleState"] for one in group["Instances"]}


def complete(ground, result, **named):
    ground.scaling.complete_lifecycle_action(
        **NODES, LifecycleHookName="boot", LifecycleActionResult=result, **named
    )


def launches(ground):
    activities = ground.scaling.describe_scaling_activities(**NODES)["Activities"]
    return [(one["StatusCode"], one.get("StatusMessage", "")) for one in activities]


def test_an_instance_waits_until_its_action_is_completed(ground):
    nodes(ground, size=2)
    one, other = states(ground)
    assert set(states(ground).values()) == {"Pending:Wait"}
    assert launches(ground) == [("MidLifecycleAction", "")] * 2
    assert len(ground.running()) == 2  # it boots while it waits
    complete(ground, "CONTINUE", InstanceId=one)
    assert states(ground) == {one: "InService", other: "Pending:Wait"}
    assert sorted(launches(ground)) == [("MidLifecycleAction", ""), ("Successful", "")]
    told = ground.scaling.describe_auto_scaling_instances()["AutoScalingInstances"]
    assert {t["InstanceId"]: t["LifecycleState"] for t in told} == states(ground)


def test_instances_that_wait_are_counted_and_no_further_ones_are_launched(ground):
    nodes(ground, size=2)
    ground.scaling.set_desired_capacity(**NODES, DesiredCapacity=2)
    assert len(states(ground)) == 2
    ground.scaling.set_desired_capacity(**NODES, DesiredCapacity=3)
    assert len(states(ground)) == 3


def test_an_abandoned_instance_is_ended_and_another_one_waits_in_its_place(ground):
    nodes(ground)
    (first,) = states(ground)
    complete(ground, "ABANDON", InstanceId=first)
    (second,) = states(ground)
    assert second != first
    assert states(ground) == {second: "Pending:Wait"}
    assert [one["InstanceId"] for one in ground.running()] == [second]
    (waiting, _), (ended, why) = launches(ground)
    assert (waiting, ended) == ("MidLifecycleAction", "Cancelled")
    assert why.startswith("Instance failed to complete user's Lifecycle Action")
    assert why.endswith("was abandoned: Lifecycle Action Completed with ABANDON Result")


@pytest.mark.parametrize(("default", "survives"), [("ABANDON", False), ("CONTINUE", True)])
def test_time_that_runs_out_brings_the_default_result(ground, clock, default, survives):
    nodes(ground, hooks=[HOOK | {"DefaultResult": default}])
    (first,) = states(ground)
    clock[0] += 1799
    assert states(ground) == {first: "Pending:Wait"}
    clock[0] += 1
    after = states(ground)
    assert after == {first: "InService"} if survives else first not in after
    assert len(after) == 1
    if not survives:
        assert launches(ground)[1][1].endswith("was abandoned: Heartbeat Timeout")


def test_a_heartbeat_gives_the_whole_time_again_up_to_the_global_time_out(ground, clock):
    nodes(ground, hooks=[HOOK | {"HeartbeatTimeout": 30}])
    (first,) = states(ground)
    beat = {**NODES, "LifecycleHookName": "boot", "InstanceId": first}
    for _ in range(119):  # 25 s each, up to one step before 100 times 30 s
        clock[0] += 25
        ground.scaling.record_lifecycle_action_heartbeat(**beat)
        assert states(ground) == {first: "Pending:Wait"}
    clock[0] += 25
    assert refusal(lambda: ground.scaling.record_lifecycle_action_heartbeat(**beat)) == (
        "ValidationError",
        f"No active Lifecycle Action found with instance ID {first}",
    )
    assert first not in states(ground)


def test_an_instance_waits_for_every_hook_and_one_that_abandons_is_enough(ground):
    nodes(ground, hooks=[HOOK, HOOK | {"LifecycleHookName": "check"}])
    (first,) = states(ground)
    complete(ground, "CONTINUE", InstanceId=first)
    assert states(ground) == {first: "Pending:Wait"}
    ground.scaling.complete_lifecycle_action(
        **NODES,
        LifecycleHookName="check",
        LifecycleActionResult="ABANDON",
        InstanceId=first,
    )
    assert first not in states(ground)


def test_a_hook_for_the_end_of_instances_holds_no_launch(ground):
    ending = HOOK | {"LifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING"}
    nodes(ground, hooks=[ending])
    assert set(states(ground).values()) == {"InService"}


def test_instances_that_stand_before_a_hook_do_not_wait_for_it(ground):
    nodes(ground, hooks=[])
    ground.scaling.put_lifecycle_hook(**NODES, **HOOK)
    ground.scaling.set_desired_capacity(**NODES, DesiredCapacity=2)
    assert sorted(states(ground).values()) == ["InService", "Pending:Wait"]


def test_a_hook_that_is_deleted_abandons_what_waits_for_it(ground):
    nodes(ground)
    (first,) = states(ground)
    ground.scaling.delete_lifecycle_hook(**NODES, LifecycleHookName="boot")
    assert ground.scaling.describe_lifecycle_hooks(**NODES)["LifecycleHooks"] == []
    (second,) = states(ground).items()
    assert second[0] != first
    assert second[1] == "InService"


def test_a_group_is_deleted_with_what_waits_in_it(ground):
    nodes(ground, size=2)
    ground.scaling.delete_auto_scaling_group(**NODES, ForceDelete=True)
    assert ground.running() == []


def test_a_hook_is_told_with_its_defaults_and_keeps_what_a_change_does_not_name(ground):
    nodes(ground, hooks=[{k: HOOK[k] for k in ("LifecycleHookName", "LifecycleTransition")}])
    ground.scaling.put_lifecycle_hook(
        **NODES, LifecycleHookName="boot", NotificationMetadata="trnkit"
    )
    (told,) = ground.scaling.describe_lifecycle_hooks(**NODES)["LifecycleHooks"]
    assert told == {
        **NODES,
        "LifecycleHookName": "boot",
        "LifecycleTransition": "autoscaling:EC2_INSTANCE_LAUNCHING",
        "HeartbeatTimeout": 3600,
        "DefaultResult": "ABANDON",
        "GlobalTimeout": 172800,
        "NotificationMetadata": "trnkit",
    }


SNS = "arn:aws:sns:us-east-2:111122223333:nodes"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"LifecycleTransition": "autoscaling:EC2_INSTANCE_LAUNCH"}, "Lifecycle transition must"),
        ({"HeartbeatTimeout": 29}, "between 30 and 7200 seconds: 29"),
        ({"HeartbeatTimeout": 7201}, "between 30 and 7200 seconds: 7201"),
        ({"DefaultResult": "TERMINATE"}, "DefaultResult must be CONTINUE or ABANDON"),
        ({"NotificationTargetARN": SNS}, "RoleARN is required"),
        ({"LifecycleHookName": "boot done"}, "regular expression pattern"),
        ({"NotificationMetadata": "x" * 4001}, "length less than or equal to 4000"),
    ],
)
def test_a_wrong_hook_is_refused_with_its_group_and_by_itself(ground, change, says):
    wrong = HOOK | change
    code, message = refusal(lambda: nodes(ground, hooks=[wrong]))
    assert (code, says in message) == ("ValidationError", True), message
    assert ground.scaling.describe_auto_scaling_groups()["AutoScalingGroups"] == []
    ground.ec2.delete_launch_template(LaunchTemplateName="nodes")
    nodes(ground, hooks=[])
    code, message = refusal(lambda: ground.scaling.put_lifecycle_hook(**NODES, **wrong))
    assert (code, says in message) == ("ValidationError", True), message
    assert ground.scaling.describe_lifecycle_hooks(**NODES)["LifecycleHooks"] == []


def test_two_hooks_of_one_name_and_more_than_fifty_are_refused(ground):
    assert "unique" in refusal(lambda: nodes(ground, hooks=[HOOK, HOOK]))[1]
    ground.ec2.delete_launch_template(LaunchTemplateName="nodes")
    nodes(ground, size=0, hooks=[HOOK | {"LifecycleHookName": f"h{n}"} for n in range(50)])
    code, _ = refusal(lambda: ground.scaling.put_lifecycle_hook(**NODES, **HOOK))
    assert code == "LimitExceeded"


def test_what_waits_for_nothing_cannot_be_completed(ground):
    nodes(ground)
    (first,) = states(ground)
    unknown = "i-0123456789abcdef0"
    for call, says in (
        (lambda: complete(ground, "CONTINUE", InstanceId=unknown), f"instance ID {unknown}"),
        (lambda: complete(ground, "CONTINUE", LifecycleActionToken="0" * 36), "with token 000"),
        (lambda: complete(ground, "CONTINUE"), "must be specified"),
        (lambda: complete(ground, "READY", InstanceId=first), "must be CONTINUE or ABANDON"),
        (
            lambda: ground.scaling.describe_lifecycle_hooks(AutoScalingGroupName="others"),
            "AutoScalingGroup 'others' not found",
        ),
        (
            lambda: ground.scaling.delete_lifecycle_hook(**NODES, LifecycleHookName="none"),
            "not found",
        ),
    ):
        code, message = refusal(call)
        assert (code, says in message) == ("ValidationError", True), message
    assert states(ground) == {first: "Pending:Wait"}
