"""Launch hooks with which nodes would never be let into service, or without being asked."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.rehearsal.mutant import Change, Mutant, put

_HOOK = {
    "LifecycleHookName": "trnkit-node-ready",
    "LifecycleTransition": "autoscaling:EC2_INSTANCE_LAUNCHING",
    "HeartbeatTimeout": 1800,
    "DefaultResult": "ABANDON",
}
_TARGET = "arn:aws:sns:us-east-2:111122223333:nodes"
_nodes = partial(
    Mutant,
    stack="Compute",
    source="https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutLifecycleHook.html",
)


def _hooks(*changes: dict[str, Any]) -> Change:
    """Give the group hooks, each with some members changed."""
    hooks = [{**_HOOK, **change} for change in changes]
    return put("AWS::AutoScaling::AutoScalingGroup", "LifecycleHookSpecificationList", hooks)


MUTANTS = (
    _nodes(
        id="hook-that-waits-for-three-hours",
        change=_hooks({"HeartbeatTimeout": 10_800}),
        says="HeartbeatTimeout must be between 30 and 7200 seconds: 10800",
    ),
    _nodes(
        id="hook-that-hardly-waits",
        change=_hooks({"HeartbeatTimeout": 10}),
        says="HeartbeatTimeout must be between 30 and 7200 seconds: 10",
    ),
    _nodes(
        id="hook-of-no-transition",
        change=_hooks({"LifecycleTransition": "EC2_INSTANCE_LAUNCHING"}),
        says="Lifecycle transition must be one of autoscaling:EC2_INSTANCE_LAUNCHING",
    ),
    _nodes(
        id="hook-with-an-unknown-result",
        change=_hooks({"DefaultResult": "TERMINATE"}),
        says="DefaultResult must be CONTINUE or ABANDON",
    ),
    _nodes(
        id="hook-that-tells-a-topic-without-a-role",
        change=_hooks({"NotificationTargetARN": _TARGET}),
        says="RoleARN is required to publish to the notification target",
    ),
    _nodes(
        id="two-hooks-of-one-name",
        change=_hooks({}, {"HeartbeatTimeout": 900}),
        by=frozenset({"create"}),
        says="Lifecycle hook names must be unique: trnkit-node-ready",
    ),
)
