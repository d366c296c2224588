"""Auto Scaling groups."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.auto_scaling_parts import (
    METRICS,
    LifecycleHook,
    ScheduledAction,
    WarmPool,
)
from trnkit.emulation.resources.launch_calls import without_nothing
from trnkit.emulation.resources.resource import (
    Clients,
    Made,
    Place,
    Proof,
    Properties,
    Refused,
)

# Properties that the API calls as the template does.
_SAME = (
    "AvailabilityZoneDistribution",
    "AvailabilityZoneIds",
    "AvailabilityZoneImpairmentPolicy",
    "AvailabilityZones",
    "CapacityRebalance",
    "CapacityReservationSpecification",
    "Context",
    "DefaultInstanceWarmup",
    "DeletionProtection",
    "DesiredCapacityType",
    "HealthCheckGracePeriod",
    "HealthCheckType",
    "InstanceLifecyclePolicy",
    "InstanceMaintenancePolicy",
    "LaunchConfigurationName",
    "LaunchTemplate",
    "MaxInstanceLifetime",
    "MixedInstancesPolicy",
    "NewInstancesProtectedFromScaleIn",
    "PlacementGroup",
    "ServiceLinkedRoleARN",
    "SkipZonalShiftValidation",
    "TerminationPolicies",
)
_SIZES = ("MinSize", "MaxSize", "DesiredCapacity")
# What a property becomes when a template does not say it any more.
_DEFAULTS = {
    "CapacityRebalance": False,
    "DefaultCooldown": 300,
    "HealthCheckGracePeriod": 0,
    "HealthCheckType": "EC2",
    "MaxInstanceLifetime": 0,
    "NewInstancesProtectedFromScaleIn": False,
    "TerminationPolicies": ["Default"],
}
_NOT_EMULATED = (
    "LoadBalancerNames",
    "NotificationConfiguration",
    "NotificationConfigurations",
    "TargetGroupARNs",
    "TrafficSources",
)


class AutoScalingGroup:
    """``AWS::AutoScaling::AutoScalingGroup`` by CreateAutoScalingGroup.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-autoscaling-autoscalinggroup.html
    """

    name = "AWS::AutoScaling::AutoScalingGroup"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it; it launches at once."""
        _refuse_unknown(properties)
        client = place.clients("autoscaling")
        name = properties.get("AutoScalingGroupName") or place.name(255)
        members = {"AutoScalingGroupName": name, **_members(properties)}
        members |= {size: properties.get(size) for size in _SIZES}
        members["InstanceId"] = properties.get("InstanceId")
        members["LifecycleHookSpecificationList"] = properties.get("LifecycleHookSpecificationList")
        members["Tags"] = _tags(name, properties.get("Tags"))
        client.create_auto_scaling_group(**request_of(client, "CreateAutoScalingGroup", members))
        try:
            _collect(client, name, properties.get("MetricsCollection"))
        except Exception:
            client.delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)
            raise
        return Made(name, {"AutoScalingGroupARN": _group(client, name)["AutoScalingGroupARN"]})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change it.

        Of the sizes only what the template changes is sent, so that a scheduled action's sizes
        survive: what ``IgnoreUnmodifiedGroupSizeProperties`` asks for.
        """
        _refuse_unknown(new)
        client = place.clients("autoscaling")
        before, wanted = _members(old), _members(new)
        members: dict[str, Any] = {"AutoScalingGroupName": made.physical_id}
        for name in {*before, *wanted}:
            if before.get(name) != wanted.get(name):
                members[name] = wanted.get(name, _DEFAULTS.get(name))
        members |= {size: new.get(size) for size in _SIZES if old.get(size) != new.get(size)}
        client.update_auto_scaling_group(**request_of(client, "UpdateAutoScalingGroup", members))
        _retag(client, made.physical_id, old.get("Tags"), new.get("Tags"))
        if old.get("MetricsCollection") != new.get("MetricsCollection"):
            client.disable_metrics_collection(AutoScalingGroupName=made.physical_id)
            _collect(client, made.physical_id, new.get("MetricsCollection"))
        _change_hooks(client, made.physical_id, old, new)
        return made

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it with its instances."""
        client = place.clients("autoscaling")
        unless_gone(
            lambda: client.delete_auto_scaling_group(
                AutoScalingGroupName=physical_id, ForceDelete=True
            ),
            "not found",
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeAutoScalingGroups."""
        client = clients("autoscaling")
        group = _group(client, physical_id)
        if group is None:
            return None
        told = {name: group.get(name) for name in _SAME}
        told |= {size: str(group[size]) for size in _SIZES}
        told["AutoScalingGroupName"] = group["AutoScalingGroupName"]
        told["Cooldown"] = str(group["DefaultCooldown"])
        told["VPCZoneIdentifier"] = [s for s in group.get("VPCZoneIdentifier", "").split(",") if s]
        told["LaunchTemplate"] = _template(group.get("LaunchTemplate"), properties)
        told["Tags"] = [
            {name: tag[name] for name in ("Key", "Value", "PropagateAtLaunch")}
            for tag in group.get("Tags", ())
            if not tag["Key"].startswith("aws:")
        ]
        told["MetricsCollection"] = _collected(group, properties.get("MetricsCollection"))
        if properties.get("LifecycleHookSpecificationList"):
            told["LifecycleHookSpecificationList"] = _hooks(client, physical_id)
        return without_nothing(told)


def _refuse_unknown(properties: Properties) -> None:
    for name in _NOT_EMULATED:
        if properties.get(name):
            raise Refused(f"{name} of an Auto Scaling group is not emulated")


def _members(properties: Properties) -> dict[str, Any]:
    """Members that CreateAutoScalingGroup and UpdateAutoScalingGroup share, without sizes."""
    members = {name: properties.get(name) for name in _SAME}
    members["DefaultCooldown"] = properties.get("Cooldown")
    members["VPCZoneIdentifier"] = ",".join(properties.get("VPCZoneIdentifier") or ()) or None
    return {name: value for name, value in members.items() if value is not None}


def _tags(name: str, tags: Any) -> list[dict[str, Any]] | None:
    return [
        {
            "ResourceId": name,
            "ResourceType": "auto-scaling-group",
            "Key": tag["Key"],
            "Value": tag["Value"],
            "PropagateAtLaunch": tag.get("PropagateAtLaunch", True),
        }
        for tag in tags or ()
    ] or None


def _retag(client: Any, name: str, old: Any, new: Any) -> None:
    kept = {tag["Key"] for tag in new or ()}
    gone = [tag for tag in _tags(name, old) or () if tag["Key"] not in kept]
    if gone:
        client.delete_tags(**request_of(client, "DeleteTags", {"Tags": gone}))
    if new and new != old:
        wanted = {"Tags": _tags(name, new)}
        client.create_or_update_tags(**request_of(client, "CreateOrUpdateTags", wanted))


def _collect(client: Any, name: str, collections: Any) -> None:
    for collection in collections or ():
        members = {
            "AutoScalingGroupName": name,
            "Granularity": collection["Granularity"],
            "Metrics": collection.get("Metrics"),
        }
        client.enable_metrics_collection(**request_of(client, "EnableMetricsCollection", members))


def _collected(group: dict[str, Any], written: Any) -> list[dict[str, Any]]:
    """Enabled metrics; a template without any metrics means all of them."""
    enabled = {metric["Metric"] for metric in group.get("EnabledMetrics", ())}
    if not enabled:
        return []
    everything = set(METRICS)
    for collection in written or ():
        named = collection.get("Metrics")
        if len(written) == 1 and enabled == set(named or everything):
            return [dict(collection)]
    metrics = sorted(enabled) if enabled != everything else []
    return [without_nothing({"Granularity": "1Minute", "Metrics": metrics})]


def _change_hooks(client: Any, group: str, old: Properties, new: Properties) -> None:
    before, wanted = (
        {hook["LifecycleHookName"]: hook for hook in p.get("LifecycleHookSpecificationList") or ()}
        for p in (old, new)
    )
    for name in before.keys() - wanted.keys():
        client.delete_lifecycle_hook(AutoScalingGroupName=group, LifecycleHookName=name)
    for name, hook in wanted.items():
        if before.get(name) != hook:
            members = {"AutoScalingGroupName": group, **hook}
            client.put_lifecycle_hook(**request_of(client, "PutLifecycleHook", members))


def _hooks(client: Any, group: str) -> list[dict[str, Any]]:
    answer = client.describe_lifecycle_hooks(AutoScalingGroupName=group)
    left_out = ("AutoScalingGroupName", "GlobalTimeout")
    return [
        {name: value for name, value in hook.items() if name not in left_out}
        for hook in answer["LifecycleHooks"]
    ]


def _template(told: Any, properties: Properties) -> dict[str, Any] | None:
    """A launch template by its id, or by its name where the template does so."""
    if not told:
        return None
    by_name = "LaunchTemplateName" in (properties.get("LaunchTemplate") or {})
    left_out = "LaunchTemplateId" if by_name else "LaunchTemplateName"
    return {name: value for name, value in told.items() if name != left_out}


def _group(client: Any, name: str) -> Any:
    groups = client.describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"]
    return groups[0] if groups else None


TYPES = (AutoScalingGroup(), ScheduledAction(), LifecycleHook(), WarmPool())
