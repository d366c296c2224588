from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.trnkit.emulation.golden_resources import resolved, resources_of
from tests.trnkit.emulation.moto_place import moto_place
from trnkit.emulation.resources.resource import Place
from trnkit.emulation.resources.schedules import Schedule
from trnkit.emulation.services import roles as roles_module
from trnkit.emulation.services.roles import Roles
from trnkit.emulation.services.scheduler import schedule_refusals

SCHEDULE = Schedule()


@pytest.fixture
def place() -> Iterator[Place]:
    schedule_refusals.install()
    with moto_place("us-east-2") as found:
        yield found


def once(moment: str = "2027-03-08T10:35:00", **more: Any) -> dict[str, Any]:
    return {
        "ScheduleExpression": f"at({moment})",
        "ScheduleExpressionTimezone": "UTC",
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "Target": {
            "Arn": "arn:aws:scheduler:::aws-sdk:ssm:sendCommand",
            "RoleArn": "arn:aws:iam::111122223333:role/drain",
            "Input": "{}",
            "RetryPolicy": {"MaximumEventAgeInSeconds": 900, "MaximumRetryAttempts": 185},
        },
        **more,
    }


def told(place: Place, name: str, properties: dict[str, Any]) -> dict[str, Any]:
    found = SCHEDULE.read(place.clients, name, properties)
    assert found is not None
    return found


def test_a_schedule_is_told_as_it_was_made_with_a_name_of_cloudformations(place: Place) -> None:
    properties = once(Description="drain")
    made = SCHEDULE.create(place, properties)
    assert made.physical_id.startswith("stack-Logical-")
    assert made.attributes["Arn"].endswith(f":schedule/default/{made.physical_id}")
    assert properties.items() <= told(place, made.physical_id, properties).items()


def test_a_schedule_is_changed_as_a_whole(place: Place) -> None:
    old, new = once(Description="drain"), once("2027-04-08T10:35:00")
    made = SCHEDULE.create(place, old)
    assert SCHEDULE.update(place, made, old, new).physical_id == made.physical_id
    found = told(place, made.physical_id, new)
    assert found["ScheduleExpression"] == "at(2027-04-08T10:35:00)"
    assert "Description" not in found


def test_a_schedule_that_is_gone_is_deleted_again(place: Place) -> None:
    made = SCHEDULE.create(place, once())
    SCHEDULE.delete(place, made.physical_id, once())
    assert SCHEDULE.read(place.clients, made.physical_id, once()) is None
    SCHEDULE.delete(place, made.physical_id, once())


@pytest.mark.parametrize("properties", resources_of("AWS::Scheduler::Schedule"))
def test_every_schedule_of_the_examples_is_read_back_as_written(
    place: Place, properties: dict[str, Any]
) -> None:
    written = resolved(properties, lambda _: "arn:aws:iam::111122223333:role/drain")
    made = SCHEDULE.create(place, written)
    found = told(place, made.physical_id, written)
    assert {name: found[name] for name in written} == written


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ScheduleExpression": "at(2027-03-08T10:35:00Z)"}, "Invalid Schedule Expression at"),
        ({"ScheduleExpression": "at(2027-02-30T10:35:00)"}, "Invalid Schedule Expression at"),
        ({"ScheduleExpression": "cron(0 9 * * *)"}, "Invalid Schedule Expression cron"),
        ({"ScheduleExpression": "rate(0 minutes)"}, "Invalid Schedule Expression rate"),
        ({"ScheduleExpressionTimezone": "Europe/Atlantis"}, "Europe/Atlantis is not valid"),
    ],
)
def test_expressions_that_aws_cannot_read(place: Place, change: dict[str, Any], said: str) -> None:
    with pytest.raises(ClientError, match="ValidationException") as refused:
        SCHEDULE.create(place, once() | change)
    assert said in str(refused.value)
    made = SCHEDULE.create(place, once())
    with pytest.raises(ClientError):
        SCHEDULE.update(place, made, once(), once() | change)


@pytest.mark.parametrize("expression", ["cron(0 9 * * ? *)", "rate(5 minutes)", "rate(1 day)"])
def test_expressions_that_aws_reads(place: Place, expression: str) -> None:
    asked = once() | {"ScheduleExpression": expression}
    made = SCHEDULE.create(place, asked)
    told = SCHEDULE.read(place.clients, made.physical_id, asked)
    assert told is not None
    assert told["ScheduleExpression"] == expression


def test_a_role_that_scheduler_cannot_assume_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str, str]] = []

    def let_assume(account: str, arn: str, service: str) -> bool:
        asked.append((account, arn, service))
        return False

    nothing = Roles(let_assume=let_assume, attach=lambda *_: False, detach=lambda *_: None)
    monkeypatch.setattr(roles_module, "_held", [nothing])
    with pytest.raises(ClientError, match="must allow AWS EventBridge Scheduler to assume"):
        SCHEDULE.create(place, once())
    role = once()["Target"]["RoleArn"]
    assert asked == [("111122223333", role, "scheduler.amazonaws.com")]
