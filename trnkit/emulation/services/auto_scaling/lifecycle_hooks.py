"""Lifecycle hooks: new instances wait until somebody completes their actions, or time is up.

Instances do not run here, so whoever deploys has to complete the action in their place. Time that
ran out is seen when Auto Scaling is next asked. Instances that end do not wait.
Sources: https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html,
https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutLifecycleHook.html
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from trnkit.emulation.services.auto_scaling.groups import answer, empty, find, refuse
from trnkit.emulation.services.model_constraints import complaint

LAUNCHING = "autoscaling:EC2_INSTANCE_LAUNCHING"
TERMINATING = "autoscaling:EC2_INSTANCE_TERMINATING"
WAITING, IN_SERVICE = "Pending:Wait", "InService"
_RESULTS = ("CONTINUE", "ABANDON")
_SHORTEST, _LONGEST = 30, 7200
_LONGEST_WAIT = 172_800
_MOST_HEARTBEATS = 100
# https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-quotas.html
_MOST_HOOKS = 50


@dataclass
class Action:
    """What one instance waits for because of one hook.

    Attributes:
        hook: moto's hook.
        token: What names the action.
        ends: When it is at its end, whatever comes, in seconds of the clock.
        deadline: When it times out, unless a heartbeat comes before.
    """

    hook: Any
    token: str
    ends: float
    deadline: float


def put_hook(backend: Any, params: Mapping[str, Any]) -> None:
    """Make or change a hook; what a change does not name stays, and moto invents nothing."""
    if wrong := complaint("autoscaling", "PutLifecycleHook", params):
        refuse(wrong)
    group_name, name = str(params["AutoScalingGroupName"]), str(params["LifecycleHookName"])
    find(backend, group_name)
    old = backend.lifecycle_hooks.get(f"{group_name}_{name}")
    wanted = {**_members(old), **{k: v for k, v in params.items() if v is not None}}
    _check(wanted)
    if old is None and len(hooks_of(backend, group_name)) >= _MOST_HOOKS:
        refuse(f"Lifecycle hook limit exceeded: {_MOST_HOOKS}", "LimitExceeded")
    hook = backend.create_lifecycle_hook(
        name,
        group_name,
        wanted["LifecycleTransition"],
        wanted.get("HeartbeatTimeout"),
        wanted.get("DefaultResult"),
    )
    hook.role_arn = wanted.get("RoleARN")
    hook.notification_target_arn = wanted.get("NotificationTargetARN")
    hook.notification_metadata = wanted.get("NotificationMetadata")
    hook.global_timeout = min(hook.heartbeat_timeout * _MOST_HEARTBEATS, _LONGEST_WAIT)


def check_hooks(specifications: Iterable[Mapping[str, Any]]) -> None:
    """Refuse the hooks of a group that does not exist yet."""
    names: set[str] = set()
    for hook in specifications:
        wrong = complaint(
            "autoscaling", "PutLifecycleHook", {**hook, "AutoScalingGroupName": "group"}
        )
        if wrong:
            refuse(wrong)
        _check(hook)
        if hook["LifecycleHookName"] in names:
            refuse(f"Lifecycle hook names must be unique: {hook['LifecycleHookName']}")
        names.add(hook["LifecycleHookName"])
    if len(names) > _MOST_HOOKS:
        refuse(f"Lifecycle hook limit exceeded: {_MOST_HOOKS}", "LimitExceeded")


def hooks_of(backend: Any, group_name: str, transition: str | None = None) -> list[Any]:
    """The hooks of a group, of one transition if it is given."""
    return [
        hook
        for hook in backend.lifecycle_hooks.values()
        if hook.auto_scaling_group_name == group_name
        and transition in (None, hook.lifecycle_transition)
    ]


def begin(group: Any, state: Any, activity: dict[str, Any]) -> None:
    """Let a new instance wait for the actions of all hooks that its group has for launches.

    Args:
        group: moto's group.
        state: moto's state of the instance in the group.
        activity: The launch, as DescribeScalingActivities tells it.
    """
    now = time.time()
    actions = {
        hook.name: Action(
            hook, str(uuid4()), now + hook.global_timeout, now + hook.heartbeat_timeout
        )
        for hook in hooks_of(group.autoscaling_backend, group.name, LAUNCHING)
    }
    if not actions:
        return
    state.actions, state.launch_activity = actions, activity
    state.lifecycle_state = WAITING
    activity |= {"StatusCode": "MidLifecycleAction", "Progress": 50}
    activity.pop("EndTime")


def settle(backend: Any) -> None:
    """Give what timed out its hook's default result."""
    now = time.time()
    overdue = [
        (group, state, action)
        for group, state in _waiting(backend)
        for action in state.actions.values()
        if now >= min(action.deadline, action.ends)
    ]
    for group, state, action in overdue:
        if state.lifecycle_state == WAITING:  # no other hook has decided already
            _end(group, state, action, action.hook.default_result, "Heartbeat Timeout")


def _members(hook: Any) -> dict[str, Any]:
    if hook is None:
        return {}
    return {
        "LifecycleTransition": hook.lifecycle_transition,
        "HeartbeatTimeout": hook.heartbeat_timeout,
        "DefaultResult": hook.default_result,
        "RoleARN": hook.role_arn,
        "NotificationTargetARN": hook.notification_target_arn,
        "NotificationMetadata": hook.notification_metadata,
    }


def _check(hook: Mapping[str, Any]) -> None:
    if hook.get("LifecycleTransition") not in (LAUNCHING, TERMINATING):
        refuse(f"Lifecycle transition must be one of {LAUNCHING}, {TERMINATING}")
    if hook.get("DefaultResult") not in (None, *_RESULTS):
        refuse(f"DefaultResult must be {' or '.join(_RESULTS)}")
    seconds = hook.get("HeartbeatTimeout")
    if seconds is not None and not _SHORTEST <= int(seconds) <= _LONGEST:
        refuse(f"HeartbeatTimeout must be between {_SHORTEST} and {_LONGEST} seconds: {seconds}")
    target = hook.get("NotificationTargetARN")
    if target and not hook.get("RoleARN"):
        refuse(f"RoleARN is required to publish to the notification target {target}")


def _waiting(backend: Any) -> Iterator[tuple[Any, Any]]:
    for group in backend.autoscaling_groups.values():
        for state in group.instance_states:
            if state.lifecycle_state == WAITING:
                yield group, state


def _active(backend: Any, params: Mapping[str, Any]) -> tuple[Any, Any, Action]:
    """Group, instance and action that a request names by token or by instance.

    Raises:
        AutoscalingClientError: There is none that waits.
    """
    group = find(backend, params.get("AutoScalingGroupName"))
    token, instance_id = params.get("LifecycleActionToken"), params.get("InstanceId")
    if not token and not instance_id:
        refuse("Either LifecycleActionToken or InstanceId must be specified")
    for its_group, state in _waiting(backend):
        action = state.actions.get(params["LifecycleHookName"])
        if its_group is group and action is not None:
            same_token = not token or action.token == token
            if same_token and (not instance_id or state.instance_id == instance_id):
                return group, state, action
    named = f"token {token}" if token else f"instance ID {instance_id}"
    return refuse(f"No active Lifecycle Action found with {named}")


def _end(group: Any, state: Any, action: Action, result: str, why: str) -> None:
    """End one action; the last that ends well brings the instance into service."""
    del state.actions[action.hook.name]
    activity, now = state.launch_activity, datetime.now(UTC)
    if result == "CONTINUE":
        if not state.actions:
            state.lifecycle_state = IN_SERVICE
            activity |= {"StatusCode": "Successful", "Progress": 100, "EndTime": now}
        return
    state.actions.clear()
    state.lifecycle_state = "Terminated"
    told = (
        "Instance failed to complete user's Lifecycle Action: Lifecycle Action with token "
        f"{action.token} was abandoned: {why}"
    )
    activity |= {"StatusCode": "Cancelled", "Progress": 100, "EndTime": now, "StatusMessage": told}
    group.instance_states = [other for other in group.instance_states if other is not state]
    group.ec2_backend.terminate_instances([state.instance_id])
    group.set_desired_capacity(group.desired_capacity)  # another one is launched in its place


def put_lifecycle_hook(self: Any) -> Any:
    """PutLifecycleHook."""
    put_hook(self.autoscaling_backend, self.params)
    return empty()


def describe_lifecycle_hooks(self: Any) -> Any:
    """DescribeLifecycleHooks."""
    group = find(self.autoscaling_backend, self.params.get("AutoScalingGroupName"))
    names = self.params.get("LifecycleHookNames")
    hooks = hooks_of(self.autoscaling_backend, group.name)
    return answer({"LifecycleHooks": [hook for hook in hooks if not names or hook.name in names]})


def delete_lifecycle_hook(self: Any) -> Any:
    """DeleteLifecycleHook; actions that wait for it end first.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DeleteLifecycleHook.html
    """
    backend, name = self.autoscaling_backend, self.params["LifecycleHookName"]
    group = find(backend, self.params.get("AutoScalingGroupName"))
    if f"{group.name}_{name}" not in backend.lifecycle_hooks:
        refuse(f"No Lifecycle Hook found with name {name}: not found")
    backend.delete_lifecycle_hook(group.name, name)
    for its_group, state in [*_waiting(backend)]:
        if its_group is group and name in state.actions:
            _end(group, state, state.actions[name], "ABANDON", "Lifecycle Hook Deleted")
    return empty()


def complete_lifecycle_action(self: Any) -> Any:
    """CompleteLifecycleAction.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CompleteLifecycleAction.html
    """
    backend, result = self.autoscaling_backend, self.params.get("LifecycleActionResult")
    settle(backend)
    if wrong := complaint("autoscaling", "CompleteLifecycleAction", self.params):
        refuse(wrong)
    if result not in _RESULTS:
        refuse(f"LifecycleActionResult must be {' or '.join(_RESULTS)}")
    group, state, action = _active(backend, self.params)
    _end(group, state, action, result, f"Lifecycle Action Completed with {result} Result")
    return empty()


def record_lifecycle_action_heartbeat(self: Any) -> Any:
    """RecordLifecycleActionHeartbeat.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_RecordLifecycleActionHeartbeat.html
    """
    settle(self.autoscaling_backend)
    if wrong := complaint("autoscaling", "RecordLifecycleActionHeartbeat", self.params):
        refuse(wrong)
    _, _, action = _active(self.autoscaling_backend, self.params)
    action.deadline = time.time() + action.hook.heartbeat_timeout
    return empty()


def install(group_class: Any, response_class: Any) -> None:
    """Add what moto lacks of hooks.

    Args:
        group_class: moto's group.
        response_class: moto's answers, whose operations otherwise see no time-out.
    """
    for operation in (
        put_lifecycle_hook,
        describe_lifecycle_hooks,
        delete_lifecycle_hook,
        complete_lifecycle_action,
        record_lifecycle_action_heartbeat,
    ):
        setattr(response_class, operation.__name__, operation)
    for name in _SEEING_TIME:
        setattr(response_class, name, _settled(getattr(response_class, name)))

    def active_instances(self: Any) -> list[Any]:
        """Those that count towards the desired capacity: also those that still wait."""
        return [s for s in self.instance_states if s.lifecycle_state in (IN_SERVICE, WAITING)]

    group_class.active_instances = active_instances


_SEEING_TIME = (
    "describe_auto_scaling_groups",
    "describe_auto_scaling_instances",
    "describe_scaling_activities",
    "set_desired_capacity",
    "update_auto_scaling_group",
    "delete_auto_scaling_group",
)


def _settled(operation: Any) -> Any:
    def seeing_time(self: Any) -> Any:
        settle(self.autoscaling_backend)
        return operation(self)

    seeing_time.__name__ = operation.__name__
    return seeing_time
