"""Auto Scaling groups that launch as their template says, and tell why they could not.

A group is refused when its launch template could never launch; want of capacity shows as failed
activities, and the group then has fewer instances than desired.
Sources: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html,
https://docs.aws.amazon.com/autoscaling/ec2/userguide/ts-as-instancelaunchfailure.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trnkit.emulation.resources.auto_scaling_parts import METRICS
from trnkit.emulation.services.auto_scaling import lifecycle_hooks
from trnkit.emulation.services.auto_scaling.auto_scaling_launches import (
    activities_of,
    install_launches,
    specifications,
    wanted_launch,
)
from trnkit.emulation.services.auto_scaling.groups import answer, empty, find, refuse

# What moto takes in and forgets, or can't change: parameter and attribute of the group.
_KEPT = {
    "CapacityRebalance": "capacity_rebalance",
    "CapacityReservationSpecification": "capacity_reservation_specification",
    "AvailabilityZoneDistribution": "availability_zone_distribution",
    "AvailabilityZoneIds": "availability_zone_ids",
    "AvailabilityZoneImpairmentPolicy": "availability_zone_impairment_policy",
    "Context": "context",
    "DefaultCooldown": "default_cooldown",
    "DefaultInstanceWarmup": "default_instance_warmup",
    "DeletionProtection": "deletion_protection",
    "DesiredCapacityType": "desired_capacity_type",
    "HealthCheckGracePeriod": "health_check_grace_period",
    "HealthCheckType": "health_check_type",
    "InstanceLifecyclePolicy": "instance_lifecycle_policy",
    "InstanceMaintenancePolicy": "instance_maintenance_policy",
    "MaxInstanceLifetime": "max_instance_lifetime",
    "NewInstancesProtectedFromScaleIn": "new_instances_protected_from_scale_in",
    "PlacementGroup": "placement_group",
    "ServiceLinkedRoleARN": "service_linked_role_arn",
    "TerminationPolicies": "termination_policies",
    "TrafficSources": "traffic_sources",
}
_HEALTH_CHECKS = {"EC2", "ELB", "EBS", "VPC_LATTICE"}
_TERMINATIONS = {
    "Default",
    "OldestInstance",
    "NewestInstance",
    "OldestLaunchConfiguration",
    "OldestLaunchTemplate",
    "ClosestToNextInstanceHour",
    "AllocationStrategy",
}


def create(backend: Any, params: Mapping[str, Any]) -> Any:
    """Make a group, then let it launch."""
    name = params["AutoScalingGroupName"]
    if name in backend.autoscaling_groups:
        refuse(
            "AutoScalingGroup by this name already exists - A group with the name "
            f"{name} already exists",
            "AlreadyExists",
        )
    _check_sizes(params.get("MinSize"), params.get("MaxSize"), params.get("DesiredCapacity"))
    _check_values(params)
    zones = _zones(backend, params)
    _check_template(backend, params, params)
    hooks = params.get("LifecycleHookSpecificationList") or ()
    lifecycle_hooks.check_hooks(hooks)
    group = backend.create_auto_scaling_group(
        name=name,
        availability_zones=zones,
        # Launches once everything is known of it.
        desired_capacity=0,
        max_size=params.get("MaxSize"),
        min_size=params.get("MinSize"),
        instance_id=params.get("InstanceId"),
        launch_config_name=params.get("LaunchConfigurationName"),
        launch_template=params.get("LaunchTemplate") or {},
        mixed_instances_policy=params.get("MixedInstancesPolicy"),
        vpc_zone_identifier=params.get("VPCZoneIdentifier"),
        default_cooldown=params.get("DefaultCooldown"),
        health_check_period=params.get("HealthCheckGracePeriod"),
        health_check_type=params.get("HealthCheckType"),
        load_balancers=params.get("LoadBalancerNames") or [],
        target_group_arns=params.get("TargetGroupARNs") or [],
        placement_group=params.get("PlacementGroup"),
        termination_policies=params.get("TerminationPolicies") or [],
        tags=params.get("Tags") or [],
    )
    # Source: https://docs.aws.amazon.com/autoscaling/ec2/userguide/health-check-grace-period.html
    group.health_check_grace_period = 0
    _keep(group, params)
    for hook in hooks:
        lifecycle_hooks.put_hook(backend, {**hook, "AutoScalingGroupName": name})
    group.set_desired_capacity(params.get("DesiredCapacity"))
    return group


def update(backend: Any, params: Mapping[str, Any]) -> None:
    """Change a group, then let it launch or end instances.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_UpdateAutoScalingGroup.html
    """
    group = find(backend, params.get("AutoScalingGroupName"))
    least = _given(params, "MinSize", group.min_size)
    most = _given(params, "MaxSize", group.max_size)
    _check_sizes(least, most, params.get("DesiredCapacity"))
    _check_values(params)
    places = any(
        params.get(name)
        for name in ("AvailabilityZones", "AvailabilityZoneIds", "VPCZoneIdentifier")
    )
    zones = _zones(backend, params) if places else []
    if params.get("LaunchTemplate") or params.get("MixedInstancesPolicy"):
        subnets = {"VPCZoneIdentifier": group.vpc_zone_identifier}
        _check_template(backend, params, {**subnets, **params})
        group.mixed_instances_policy = params.get("MixedInstancesPolicy")
        group._set_launch_configuration(
            None, params.get("LaunchTemplate"), params.get("MixedInstancesPolicy")
        )
    if places:
        group._set_azs_and_vpcs(zones, params.get("VPCZoneIdentifier"), update=True)
    group.min_size, group.max_size = int(least), int(most)
    _keep(group, params)
    desired = _given(params, "DesiredCapacity", group.desired_capacity)
    group.set_desired_capacity(min(max(int(desired), group.min_size), group.max_size))


def delete(backend: Any, name: str, *, force: bool) -> None:
    """Delete a group, its hooks and its scheduled actions.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DeleteAutoScalingGroup.html
    """
    group = find(backend, name)
    if group.instance_states and not force:
        refuse(
            "You cannot delete an AutoScalingGroup while there are instances or pending Spot "
            "instance request(s) still in the group.",
            "ResourceInUse",
        )
    for state in group.instance_states:
        state.protected_from_scale_in = False
    backend.delete_auto_scaling_group(name)
    for kept in (backend.lifecycle_hooks, backend.scheduled_actions):
        for key in [k for k, v in kept.items() if v.auto_scaling_group_name == name]:
            del kept[key]


def _given(params: Mapping[str, Any], name: str, otherwise: Any) -> Any:
    return otherwise if params.get(name) is None else params[name]


def _keep(group: Any, params: Mapping[str, Any]) -> None:
    for parameter, attribute in _KEPT.items():
        if params.get(parameter) is not None:
            setattr(group, attribute, params[parameter])
    group.availability_zones = sorted(set(group.availability_zones))


def _check_sizes(least: Any, most: Any, desired: Any) -> None:
    if int(least) > int(most):
        refuse(f"Max bound, {most}, must be greater than or equal to min bound, {least}")
    if desired is not None and not int(least) <= int(desired) <= int(most):
        refuse(
            f"Desired capacity:{desired} must be between the specified min size:{least} and max "
            f"size:{most}"
        )


def _check_values(params: Mapping[str, Any]) -> None:
    health = params.get("HealthCheckType")
    if health and not set(str(health).split(",")) <= _HEALTH_CHECKS:
        refuse(f"Health check type {health} is not valid. Valid types are: {_HEALTH_CHECKS}")
    for policy in params.get("TerminationPolicies") or ():
        if policy not in _TERMINATIONS and not str(policy).startswith("arn:"):
            refuse(f"Invalid termination policy: {policy}")
    lifetime = params.get("MaxInstanceLifetime")
    if lifetime and not 86400 <= int(lifetime) <= 31536000:
        # https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-max-instance-lifetime.html
        refuse("Maximum instance lifetime must be 0 or between 86400 and 31536000 seconds")


def _zones(backend: Any, params: Mapping[str, Any]) -> list[str]:
    """Names of the zones that a request gives by name or id; its subnets exist."""
    known = {zone.zone_id: zone.name for zone in backend.ec2_backend.describe_availability_zones()}
    named = [*(params.get("AvailabilityZones") or ())]
    for zone_id in params.get("AvailabilityZoneIds") or ():
        if zone_id not in known:
            refuse(f"Invalid Availability Zone ID: {zone_id}")
        named.append(known[zone_id])
    for zone in named:
        if zone not in known.values():
            refuse(f"Invalid availability zone: {zone}")
    for subnet_id in (params.get("VPCZoneIdentifier") or "").split(","):
        if subnet_id and not _has_subnet(backend, subnet_id):
            refuse(f"The subnet ID '{subnet_id}' does not exist")
    return named


def _has_subnet(backend: Any, subnet_id: str) -> bool:
    from moto.ec2.exceptions import EC2ClientError

    try:
        backend.ec2_backend.get_subnet(subnet_id)
    except EC2ClientError:
        return False
    return True


def _check_template(backend: Any, params: Mapping[str, Any], places: Mapping[str, Any]) -> None:
    """Refuse a template with which no launch would ever succeed."""
    from moto.ec2.exceptions import EC2ClientError

    from trnkit.emulation.services.ec2.launch_refusals import check_request

    subnets = [s for s in (places.get("VPCZoneIdentifier") or "").split(",") if s] or [None]
    for specification in specifications(params):
        for subnet_id in subnets:
            try:
                launch = wanted_launch(backend.ec2_backend, specification, params, subnet_id)
                if launch.asked.get("NetworkInterfaces") and launch.asked.get("SecurityGroupIds"):
                    refuse(
                        "Invalid launch template: When a network interface is provided, the "
                        "security groups must be a part of it.",
                        "InvalidQueryParameter",
                    )
                if not specification.by_attributes:
                    check_request(launch)
            except EC2ClientError as error:
                refuse(f"You must use a valid fully-formed launch template. {error.message}")


def _create_auto_scaling_group(self: Any) -> Any:
    create(self.autoscaling_backend, self.params)
    return empty()


def _update_auto_scaling_group(self: Any) -> Any:
    update(self.autoscaling_backend, self.params)
    return empty()


def _delete_auto_scaling_group(self: Any) -> Any:
    force = bool(self.params.get("ForceDelete"))
    delete(self.autoscaling_backend, self.params["AutoScalingGroupName"], force=force)
    return empty()


def _set_desired_capacity(self: Any) -> Any:
    group = find(self.autoscaling_backend, self.params["AutoScalingGroupName"])
    wanted = int(self.params["DesiredCapacity"])
    for bound, too_far in (("min", wanted < group.min_size), ("max", wanted > group.max_size)):
        if too_far:
            side = "below" if bound == "min" else "above"
            limit = group.min_size if bound == "min" else group.max_size
            refuse(
                f"New SetDesiredCapacity value {wanted} is {side} {bound} value {limit} for "
                "the AutoScalingGroup."
            )
    group.set_desired_capacity(wanted)
    return empty()


def _warm_pool(operation: Any) -> Any:
    def checked(self: Any) -> Any:
        # moto ends with an IndexError.
        find(self.autoscaling_backend, self.params.get("AutoScalingGroupName"))
        return operation(self)

    checked.__name__ = operation.__name__
    return checked


def _enable_metrics_collection(self: Any) -> Any:
    group = find(self.autoscaling_backend, self.params["AutoScalingGroupName"])
    wanted = self.params.get("Metrics") or METRICS
    if self.params.get("Granularity") != "1Minute" or not set(wanted) <= set(METRICS):
        refuse("The only valid granularity is 1Minute, with metrics of Auto Scaling groups")
    group.metrics = [m for m in METRICS if m in {*group.metrics, *wanted}]
    return empty()


def _disable_metrics_collection(self: Any) -> Any:
    group = find(self.autoscaling_backend, self.params["AutoScalingGroupName"])
    gone = self.params.get("Metrics") or METRICS
    group.metrics = [m for m in group.metrics if m not in gone]
    return empty()


def _describe_scaling_activities(self: Any) -> Any:
    name, ids = self.params.get("AutoScalingGroupName"), self.params.get("ActivityIds")
    activities = [
        activity
        for activity in reversed(activities_of(self.autoscaling_backend))
        if (not name or activity["AutoScalingGroupName"] == name)
        and (not ids or activity["ActivityId"] in ids)
    ]
    return answer({"Activities": activities[: self.params.get("MaxRecords") or 100]})


def install() -> None:
    """Put moto's Auto Scaling right."""
    from moto.autoscaling.models import FakeAutoScalingGroup
    from moto.autoscaling.responses import AutoScalingResponse
    from moto.core import errors

    response: Any = AutoScalingResponse
    if not install_launches():
        return
    # Every service has it, so that none of the models names it.
    errors.COMMON_ERROR_CODES.append("InvalidQueryParameter")
    for operation in (
        _create_auto_scaling_group,
        _update_auto_scaling_group,
        _delete_auto_scaling_group,
        _set_desired_capacity,
        _enable_metrics_collection,
        _disable_metrics_collection,
        _describe_scaling_activities,
    ):
        setattr(response, operation.__name__.removeprefix("_"), operation)
    for name in ("put_warm_pool", "describe_warm_pool", "delete_warm_pool"):
        setattr(response, name, _warm_pool(getattr(response, name)))
    lifecycle_hooks.install(FakeAutoScalingGroup, response)
