"""Schedules of EventBridge Scheduler."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.launch_calls import without_nothing
from trnkit.emulation.resources.resource import Clients, Made, Place, Proof, Properties

_GONE = "ResourceNotFoundException"
_LONGEST_NAME = 64
_DEFAULT_GROUP = "default"
_TOLD = (
    "Description",
    "EndDate",
    "FlexibleTimeWindow",
    "KmsKeyArn",
    "ScheduleExpression",
    "ScheduleExpressionTimezone",
    "StartDate",
    "State",
    "Target",
)


class Schedule:
    """``AWS::Scheduler::Schedule`` by CreateSchedule and UpdateSchedule.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-scheduler-schedule.html
    """

    name = "AWS::Scheduler::Schedule"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it, with a name of CloudFormation's when it has none."""
        name = str(properties.get("Name") or place.name(_LONGEST_NAME))
        scheduler = place.clients("scheduler")
        members = {**properties, "Name": name}
        scheduler.create_schedule(**request_of(scheduler, "CreateSchedule", members))
        return Made(name, {"Arn": self._arn(place, name, properties)})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change it: UpdateSchedule takes all of it anew, and forgets what it is not told."""
        scheduler = place.clients("scheduler")
        members = {**new, "Name": made.physical_id}
        scheduler.update_schedule(**request_of(scheduler, "UpdateSchedule", members))
        return Made(made.physical_id, {"Arn": self._arn(place, made.physical_id, new)})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        scheduler = place.clients("scheduler")
        ids = {"Name": physical_id, "GroupName": properties.get("GroupName", _DEFAULT_GROUP)}
        unless_gone(lambda: scheduler.delete_schedule(**ids), _GONE)

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By GetSchedule."""
        ids = {"Name": physical_id, "GroupName": properties.get("GroupName", _DEFAULT_GROUP)}
        answer = unless_gone(lambda: clients("scheduler").get_schedule(**ids), _GONE)
        if answer is None:
            return None
        return without_nothing({member: answer.get(member) for member in _TOLD})

    def _arn(self, place: Place, name: str, properties: Properties) -> str:
        group = properties.get("GroupName", _DEFAULT_GROUP)
        return place.arn("scheduler", f"schedule/{group}/{name}")


TYPES = (Schedule(),)
