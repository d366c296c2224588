"""Schedules that tell nodes something: EventBridge Scheduler may, and nodes are meant."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trnkit.operations.rehearsal.permissions import RESOURCE_TAG, Role, role_named, trusts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.emulation.resources.resource import Clients
    from trnkit.operations.rehearsal.stage import Stage

SCHEDULE = "AWS::Scheduler::Schedule"
_COMMAND = "arn:aws:scheduler:::aws-sdk:ssm:sendCommand"
_ASSUMED_BY = "scheduler.amazonaws.com"
_TAG = "tag:"
_SSM_TAG = "ssm:resourceTag/"


def prove_schedules(stage: Stage) -> None:
    """Look at every schedule that sends a command to nodes.

    Whether an instance bears the tags is judged by those that Auto Scaling gives to each one that
    it launches: at the time of the proof a group may have none.
    """
    for stack in stage.inventory().values():
        clients = stage.aws.clients(stack["region"])
        for resource in stack["resources"].values():
            if resource["type"] == SCHEDULE:
                group = resource["properties"].get("GroupName", "default")
                ids = {"Name": resource["physical_id"], "GroupName": group}
                schedule = clients("scheduler").get_schedule(**ids)
                if schedule["Target"]["Arn"] == _COMMAND:
                    _prove(stage, clients, stack["region"], schedule)


def _prove(stage: Stage, clients: Clients, region: str, schedule: Mapping[str, Any]) -> None:
    target, name = schedule["Target"], schedule["Name"]
    command = json.loads(target["Input"])
    role = role_named(clients, target["RoleArn"])
    problems = (
        []
        if trusts(clients, target["RoleArn"], _ASSUMED_BY)
        else [f"{_ASSUMED_BY} may not assume {role.name}"]
    )
    tags = {
        one["Key"].removeprefix(_TAG): [str(value) for value in one["Values"]]
        for one in command.get("Targets", ())
        if one["Key"].startswith(_TAG)
    }
    problems += _denied(role, f"arn:aws:ssm:{region}::document/{command['DocumentName']}", {})
    instance = f"arn:aws:ec2:{region}:{stage.aws.account}:instance/i-0123456789abcdef0"
    problems += _denied(role, instance, tags)
    meant = _groups_with(clients, tags)
    if not meant:
        problems.append(f"no Auto Scaling group gives its instances the tags {tags}")
    moment = schedule["ScheduleExpression"].removeprefix("at(").removesuffix(")")
    past = _is_past(moment)
    if past:
        problems.append(f"{moment} has passed")
    stage.tell(
        not problems,
        f"the schedule {name} sends {command['DocumentName']} to the nodes of "
        f"{', '.join(meant)}: {schedule['ScheduleExpression']}, and {role.name} may"
        if not problems
        else f"the schedule {name} does not reach the nodes",
        *problems,
    )


def _denied(role: Role, resource: str, tags: Mapping[str, list[str]]) -> list[str]:
    known = {f"{RESOURCE_TAG}{key}": values for key, values in tags.items()}
    known |= {f"{_SSM_TAG}{key}": values for key, values in tags.items()}
    allowed = role.may("ssm:SendCommand", resource, known)
    return [] if allowed else [f"{role.name} may not ssm:SendCommand to {resource}"]


def _groups_with(clients: Clients, tags: Mapping[str, list[str]]) -> list[str]:
    """The groups whose instances bear a value of each tag."""
    pages = clients("autoscaling").get_paginator("describe_auto_scaling_groups").paginate()
    found: list[str] = []
    for group in (group for page in pages for group in page["AutoScalingGroups"]):
        own = {tag["Key"]: tag["Value"] for tag in group["Tags"] if tag["PropagateAtLaunch"]}
        if tags and all(own.get(key) in values for key, values in tags.items()):
            found.append(group["AutoScalingGroupName"])
    return found


def _is_past(moment: str) -> bool:
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return False  # It comes again and again.
    return at.replace(tzinfo=UTC) < datetime.now(UTC)
