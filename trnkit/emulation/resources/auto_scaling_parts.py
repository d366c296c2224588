"""What belongs to an Auto Scaling group: scheduled actions, lifecycle hooks, warm pools."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.launch_calls import same_moment, without_nothing
from trnkit.emulation.resources.resource import Clients, Made, Place, Proof, Properties

_GONE = ("not found", "Not Found")

METRICS = (
    "GroupMinSize",
    "GroupMaxSize",
    "GroupDesiredCapacity",
    "GroupInServiceInstances",
    "GroupPendingInstances",
    "GroupStandbyInstances",
    "GroupTerminatingInstances",
    "GroupTotalInstances",
    "GroupInServiceCapacity",
    "GroupPendingCapacity",
    "GroupStandbyCapacity",
    "GroupTerminatingCapacity",
    "GroupTotalCapacity",
    "WarmPoolDesiredCapacity",
    "WarmPoolWarmedCapacity",
    "WarmPoolPendingCapacity",
    "WarmPoolTerminatingCapacity",
    "WarmPoolTotalCapacity",
    "GroupAndWarmPoolDesiredCapacity",
    "GroupAndWarmPoolTotalCapacity",
)
"""Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_EnableMetricsCollection.html"""

_ACTION = (
    "DesiredCapacity",
    "EndTime",
    "MaxSize",
    "MinSize",
    "Recurrence",
    "StartTime",
    "TimeZone",
)


class ScheduledAction:
    """``AWS::AutoScaling::ScheduledAction`` by PutScheduledUpdateGroupAction.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-autoscaling-scheduledaction.html
    """

    name = "AWS::AutoScaling::ScheduledAction"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it; its name is always CloudFormation's."""
        name = place.name(255)
        self._put(place, name, properties)
        return Made(name, {"ScheduledActionName": name})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change it."""
        self._put(place, made.physical_id, new)
        return made

    def _put(self, place: Place, name: str, properties: Properties) -> None:
        client = place.clients("autoscaling")
        members = {member: properties.get(member) for member in _ACTION}
        members["AutoScalingGroupName"] = properties["AutoScalingGroupName"]
        members["ScheduledActionName"] = name
        client.put_scheduled_update_group_action(
            **request_of(client, "PutScheduledUpdateGroupAction", members)
        )

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        client = place.clients("autoscaling")
        unless_gone(
            lambda: client.delete_scheduled_action(
                AutoScalingGroupName=properties["AutoScalingGroupName"],
                ScheduledActionName=physical_id,
            ),
            *_GONE,
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeScheduledActions."""
        answer = clients("autoscaling").describe_scheduled_actions(
            AutoScalingGroupName=properties["AutoScalingGroupName"],
            ScheduledActionNames=[physical_id],
        )
        for action in answer["ScheduledUpdateGroupActions"]:
            told = {member: action.get(member) for member in _ACTION}
            for moment in ("StartTime", "EndTime"):
                told[moment] = same_moment(action.get(moment), properties.get(moment))
            told["AutoScalingGroupName"] = action["AutoScalingGroupName"]
            return without_nothing(told)
        return None


_HOOK = (
    "DefaultResult",
    "HeartbeatTimeout",
    "LifecycleTransition",
    "NotificationMetadata",
    "NotificationTargetARN",
    "RoleARN",
)


class LifecycleHook:
    """``AWS::AutoScaling::LifecycleHook`` by PutLifecycleHook.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-autoscaling-lifecyclehook.html
    """

    name = "AWS::AutoScaling::LifecycleHook"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it."""
        name = properties.get("LifecycleHookName") or place.name(255)
        self._put(place, name, properties)
        return Made(name)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change it."""
        self._put(place, made.physical_id, new)
        return made

    def _put(self, place: Place, name: str, properties: Properties) -> None:
        client = place.clients("autoscaling")
        members = {member: properties.get(member) for member in _HOOK}
        members["AutoScalingGroupName"] = properties["AutoScalingGroupName"]
        members["LifecycleHookName"] = name
        client.put_lifecycle_hook(**request_of(client, "PutLifecycleHook", members))

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        client = place.clients("autoscaling")
        unless_gone(
            lambda: client.delete_lifecycle_hook(
                AutoScalingGroupName=properties["AutoScalingGroupName"],
                LifecycleHookName=physical_id,
            ),
            *_GONE,
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeLifecycleHooks."""
        answer = clients("autoscaling").describe_lifecycle_hooks(
            AutoScalingGroupName=properties["AutoScalingGroupName"],
            LifecycleHookNames=[physical_id],
        )
        for hook in answer["LifecycleHooks"]:
            names = ("AutoScalingGroupName", "LifecycleHookName", *_HOOK)
            return without_nothing({name: hook.get(name) for name in names})
        return None


_POOL = ("InstanceReusePolicy", "MaxGroupPreparedCapacity", "MinSize", "PoolState")


class WarmPool:
    """``AWS::AutoScaling::WarmPool`` by PutWarmPool; no instances are warmed.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-autoscaling-warmpool.html
    """

    name = "AWS::AutoScaling::WarmPool"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it."""
        self._put(place, properties)
        return Made(properties["AutoScalingGroupName"])

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change it."""
        self._put(place, new)
        return made

    def _put(self, place: Place, properties: Properties) -> None:
        client = place.clients("autoscaling")
        members = {member: properties.get(member) for member in _POOL}
        members["AutoScalingGroupName"] = properties["AutoScalingGroupName"]
        client.put_warm_pool(**request_of(client, "PutWarmPool", members))

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        client = place.clients("autoscaling")
        unless_gone(
            lambda: client.delete_warm_pool(AutoScalingGroupName=physical_id, ForceDelete=True),
            *_GONE,
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeWarmPool."""
        client = clients("autoscaling")
        answer = unless_gone(
            lambda: client.describe_warm_pool(AutoScalingGroupName=physical_id), *_GONE
        )
        pool = (answer or {}).get("WarmPoolConfiguration")
        if not pool:
            return None
        told = {name: pool.get(name) for name in _POOL}
        return without_nothing({**told, "AutoScalingGroupName": physical_id})
