"""How an Auto Scaling group launches, and what its activities tell.

Source: https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-verify-scaling-activity.html
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from trnkit.emulation.services.auto_scaling import lifecycle_hooks
from trnkit.emulation.services.auto_scaling.groups import find, refuse
from trnkit.emulation.services.backends import autoscaling_backend
from trnkit.emulation.services.ec2.launch_request import Launch, launch_of

GROUP_NAME_TAG = "aws:autoscaling:groupName"
# A group's words for what a launch calls otherwise.
# https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CapacityReservationSpecification.html
_PREFERENCES = {"capacity-reservations-first": "open"}


@dataclass(frozen=True)
class Specification:
    """A launch template of a group with what replaces some of it."""

    template: Mapping[str, Any]
    type_name: str | None = None
    by_attributes: bool = False


def specifications(params: Mapping[str, Any]) -> list[Specification]:
    """The launch templates of a group: one, or those of a mixed instances policy.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_LaunchTemplate.html
    """
    if params.get("LaunchTemplate"):
        return [Specification(params["LaunchTemplate"])]
    mixed = (params.get("MixedInstancesPolicy") or {}).get("LaunchTemplate") or {}
    shared = mixed.get("LaunchTemplateSpecification")
    if not shared:
        return []
    overrides = mixed.get("Overrides") or [{}]
    return [
        Specification(
            override.get("LaunchTemplateSpecification") or shared,
            override.get("InstanceType"),
            bool(override.get("InstanceRequirements")),
        )
        for override in overrides
    ]


def wanted_launch(
    ec2: Any, specification: Specification, params: Mapping[str, Any], subnet_id: str | None
) -> Launch:
    """The launch of one instance of a group.

    Args:
        ec2: moto's EC2 of the region.
        specification: The launch template.
        params: Parameters of the group: placement group, reservations, zones.
        subnet_id: The subnet, None for that of the template or the default one.
    """
    from trnkit.emulation.services.ec2.launch_templates import version_of

    request: dict[str, Any] = {}
    if specification.type_name:
        request["InstanceType"] = specification.type_name
    if params.get("PlacementGroup"):
        request["Placement"] = {"GroupName": params["PlacementGroup"]}
    zones = params.get("AvailabilityZones") or ()
    if not subnet_id and zones:
        request.setdefault("Placement", {})["AvailabilityZone"] = zones[0]
    wish = params.get("CapacityReservationSpecification") or {}
    preference = wish.get("CapacityReservationPreference")
    if preference and preference != "default":
        request["CapacityReservationSpecification"] = _reservation_wish(preference, wish)
    template = dict(specification.template)
    if template.get("LaunchTemplateId"):
        # moto adds the name to what a policy says.
        template.pop("LaunchTemplateName", None)
    version = version_of(ec2, template)
    return launch_of(ec2, request, version=version, given_subnet=subnet_id)


def _reservation_wish(preference: str, wish: Mapping[str, Any]) -> dict[str, Any]:
    target = wish.get("CapacityReservationTarget") or {}
    ids = target.get("CapacityReservationIds") or ()
    arns = target.get("CapacityReservationResourceGroupArns") or ()
    if ids and preference != "none":
        return {"CapacityReservationTarget": {"CapacityReservationId": ids[0]}}
    if arns and preference != "none":
        return {"CapacityReservationTarget": {"CapacityReservationResourceGroupArn": arns[0]}}
    return {"CapacityReservationPreference": _PREFERENCES.get(preference, preference)}


def activities_of(backend: Any) -> list[dict[str, Any]]:
    """Activities of an account and region's groups, oldest first; gone with moto's state."""
    return backend.__dict__.setdefault("scaling_activities", [])


def retry_launches(group_name: str, region: str, account: str | None = None) -> None:
    """Let a group try again what failed, as Auto Scaling does from time to time.

    Args:
        group_name: The group's name.
        region: The region's name.
        account: The account id; None for the emulated AWS's own.
    """
    group = autoscaling_backend(region, account).autoscaling_groups[group_name]
    group.set_desired_capacity(group.desired_capacity)


def _params_of(group: Any) -> dict[str, Any]:
    """What a launch needs to know of a group, by the names of its parameters."""
    mixed = group.mixed_instances_policy
    params: dict[str, Any] = {
        "PlacementGroup": group.placement_group,
        "AvailabilityZones": group.availability_zones,
        "CapacityReservationSpecification": getattr(
            group, "capacity_reservation_specification", None
        ),
        "MixedInstancesPolicy": mixed,
    }
    if not mixed and group.ec2_launch_template:
        params["LaunchTemplate"] = {
            "LaunchTemplateId": group.ec2_launch_template.id,
            "Version": group.launch_template_version,
        }
    return params


def _launch_one(group: Any, tags: Mapping[str, str]) -> None:
    """Launch an instance, in the zone with the fewest first.

    Raises:
        EC2ClientError: No zone could launch it.
    """
    from moto.autoscaling.models import InstanceState
    from moto.ec2.exceptions import EC2ClientError

    from trnkit.emulation.services.ec2.launching import launch

    params, ec2 = _params_of(group), group.ec2_backend
    subnets = [s for s in (group.vpc_zone_identifier or "").split(",") if s] or [None]
    there = Counter(state.instance.subnet_id for state in group.instance_states)
    refused: EC2ClientError | None = None
    for specification in specifications(params):
        for subnet_id in sorted(subnets, key=lambda s: there[s]):
            try:
                wanted = wanted_launch(ec2, specification, params, subnet_id)
                (instance,) = launch(wanted, 1, tags=tags).instances
            except EC2ClientError as error:
                refused = refused or error
                continue
            instance.autoscaling_group = group
            protected = group.new_instances_protected_from_scale_in
            state = InstanceState(instance, protected_from_scale_in=protected)
            group.instance_states.append(state)
            told = f"Launching a new EC2 instance: {instance.id}"
            activity = _tell(group, told, "Successful", instance=instance)
            lifecycle_hooks.begin(group, state, activity)
            return
    if refused is not None:
        raise refused


def _tell(
    group: Any, description: str, status: str, *, instance: Any = None, message: str | None = None
) -> dict[str, Any]:
    now = datetime.now(UTC)
    subnet = instance.subnet_id if instance else (group.vpc_zone_identifier or "").split(",")[0]
    zone = instance.placement.zone if instance else group.availability_zones[0]
    activity = {
        "ActivityId": str(uuid4()),
        "AutoScalingGroupName": group.name,
        "AutoScalingGroupARN": group.arn,
        "Description": description,
        "Cause": f"At {now:%Y-%m-%dT%H:%M:%SZ} an instance was started in response to a difference "
        "between desired and actual capacity, increasing the capacity from "
        f"{len(group.instance_states) - (1 if instance else 0)} to {group.desired_capacity}.",
        "StartTime": now,
        "EndTime": now,
        "StatusCode": status,
        "Progress": 100,
        "Details": json.dumps({"Subnet ID": subnet, "Availability Zone": zone}),
    }
    if message:
        activity["StatusMessage"] = message
    activities_of(group.autoscaling_backend).append(activity)
    return activity


def install_launches() -> bool:
    """Let moto's groups launch by their template, and tell it; False: they do already."""
    from moto.autoscaling.models import AutoScalingBackend, FakeAutoScalingGroup, InstanceState

    group_class: Any = FakeAutoScalingGroup
    if getattr(group_class, "launches_by_template", False):
        return False
    group_class.launches_by_template = True
    by_configuration = group_class.replace_autoscaling_group_instances
    of_template = group_class.launch_template.fget
    group_class.provided_launch_template_version = None

    def replace(self: Any, count_needed: int, propagated_tags: dict[str, str]) -> None:
        if self.ec2_launch_template is None:
            by_configuration(self, count_needed, propagated_tags)
            return
        _launch_all(self, count_needed, {**propagated_tags, GROUP_NAME_TAG: self.name})

    def launch_template(self: Any) -> Any:
        return None if self.mixed_instances_policy else of_template(self)

    def template_of_instance(self: Any) -> Any:
        version = getattr(self.instance, "launched_from", None)
        if version is None:
            return None
        return {
            "LaunchTemplateId": version.template.id,
            "LaunchTemplateName": version.template.name,
            "Version": str(version.number),
        }

    group_class.replace_autoscaling_group_instances = replace
    group_class.launch_template = property(launch_template)
    state_class: Any = InstanceState
    state_class.launch_template = property(template_of_instance)
    _install_scheduled_actions(AutoScalingBackend)
    return True


def _launch_all(group: Any, count: int, tags: Mapping[str, str]) -> None:
    from moto.ec2.exceptions import EC2ClientError

    for _ in range(count):
        try:
            _launch_one(group, tags)
        except EC2ClientError as error:
            told = f"{error.message.rstrip('.')}. Launching EC2 instance failed."
            _tell(
                group,
                f"Launching a new EC2 instance.  Status Reason: {told}",
                "Failed",
                message=told,
            )
            return


def _install_scheduled_actions(backend_class: Any) -> None:
    """Scheduled actions are known by group and name; moto knows one of a name for all groups."""
    make = backend_class.put_scheduled_update_group_action

    def put(self: Any, **params: Any) -> Any:
        group = find(self, params.get("name"))
        _check_action(params)
        action_name = str(params["scheduled_action_name"])
        known = dict(self.scheduled_actions)
        action = make(self, **params)
        action.scheduled_action_arn = (
            f"{group.arn.split(':autoScalingGroup:')[0]}:scheduledUpdateGroupAction:{uuid4()}:"
            f"autoScalingGroupName/{group.name}:scheduledActionName/{action_name}"
        )
        self.scheduled_actions = {**known, (group.name, action_name): action}
        return action

    def delete(self: Any, auto_scaling_group_name: str, scheduled_action_name: str) -> None:
        key = (auto_scaling_group_name, scheduled_action_name)
        if key not in self.scheduled_actions:
            refuse("Scheduled action name not found")
        del self.scheduled_actions[key]

    backend_class.put_scheduled_update_group_action = put
    backend_class.delete_scheduled_action = delete


def _check_action(params: Mapping[str, Any]) -> None:
    """Sizes in order, and a time.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutScheduledUpdateGroupAction.html
    """
    least, most, desired = (
        params.get(name) for name in ("min_size", "max_size", "desired_capacity")
    )
    if least is None and most is None and desired is None:
        refuse("At least one of MinSize, MaxSize and DesiredCapacity is required")
    if least is not None and most is not None and int(least) > int(most):
        refuse(f"Min size {least} must be less than or equal to max size {most}")
    for bound, wrong in (
        (least, desired is not None and least is not None and int(desired) < int(least)),
        (most, desired is not None and most is not None and int(desired) > int(most)),
    ):
        if wrong:
            refuse(f"Desired capacity {desired} is out of bounds ({bound})")
    start, end = params.get("start_time"), params.get("end_time")
    if start and end and start >= end:
        refuse("Given end time is before or equal to the start time")
    if not start and not params.get("recurrence"):
        refuse("Either StartTime or Recurrence must be specified")
    recurrence = params.get("recurrence")
    if recurrence and not _CRON.fullmatch(str(recurrence)):
        # https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-scheduled-scaling.html
        refuse(f"Given recurrence string: {recurrence} is invalid")


_CRON = re.compile(r"\S+( \S+){4}")
