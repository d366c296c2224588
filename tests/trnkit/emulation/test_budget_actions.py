"""Actions of budgets: as the API tells them, and as spend sets them off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.trnkit.emulation.moto_place import ACCOUNT, moto_place
from trnkit.emulation.resources.budget_actions import BudgetsAction
from trnkit.emulation.resources.budgets import Budget
from trnkit.emulation.resources.resource import Made, Place
from trnkit.emulation.services import roles as roles_module
from trnkit.emulation.services.cost import budgets_extension
from trnkit.emulation.services.cost.budgets_extension import inject_spend
from trnkit.emulation.services.roles import Roles, set_roles

ACTION = BudgetsAction()
NAME = "month"
POLICY = f"arn:aws:iam::{ACCOUNT}:policy/deny"
EXECUTION = f"arn:aws:iam::{ACCOUNT}:role/denies-launches"


class Iam:
    """Roles with their policies, all of which trust Budgets but the one named."""

    def __init__(self) -> None:
        self.attached: dict[str, list[str]] = {"engineers": [], "pipelines": []}
        self.untrusting = ""

    def attach(self, account: str, role: str, policy: str) -> bool:
        if role not in self.attached:
            return False
        self.attached[role].append(policy)
        return True

    def detach(self, account: str, role: str, policy: str) -> None:
        self.attached[role].remove(policy)

    def let_assume(self, account: str, arn: str, service: str) -> bool:
        return arn != self.untrusting and service == "budgets.amazonaws.com"


@pytest.fixture
def iam(monkeypatch: pytest.MonkeyPatch) -> Iam:
    monkeypatch.setattr(roles_module, "_held", [])
    made = Iam()
    set_roles(Roles(let_assume=made.let_assume, attach=made.attach, detach=made.detach))
    return made


@pytest.fixture
def place(iam: Iam) -> Iterator[Place]:
    budgets_extension.install()
    with moto_place("us-east-1") as found:
        limit = {"Amount": 1000, "Unit": "USD"}
        budget = {"BudgetType": "COST", "TimeUnit": "MONTHLY", "BudgetLimit": limit}
        Budget().create(found, {"Budget": {"BudgetName": NAME, **budget}})
        yield found


def denial(**more: Any) -> dict[str, Any]:
    return {
        "BudgetName": NAME,
        "NotificationType": "ACTUAL",
        "ActionType": "APPLY_IAM_POLICY",
        "ActionThreshold": {"Type": "PERCENTAGE", "Value": "90"},
        "ApprovalModel": "MANUAL",
        "ExecutionRoleArn": EXECUTION,
        "Definition": {"IamActionDefinition": {"PolicyArn": POLICY, "Roles": ["engineers"]}},
        "Subscribers": [{"Type": "EMAIL", "Address": "ops@example.com"}],
        "ResourceTags": [{"Key": "team", "Value": "pretrain"}],
        **more,
    }


def ids(made: Made) -> dict[str, str]:
    return {"AccountId": ACCOUNT, "BudgetName": NAME, "ActionId": made.attributes["ActionId"]}


def status(place: Place, made: Made) -> str:
    return place.clients("budgets").describe_budget_action(**ids(made))["Action"]["Status"]


def test_an_action_is_told_as_it_was_made(place: Place) -> None:
    made = ACTION.create(place, denial())
    assert made.physical_id == f"{made.attributes['ActionId']}|{NAME}"
    found = ACTION.read(place.clients, made.physical_id, denial())
    assert found == denial(ActionThreshold={"Type": "PERCENTAGE", "Value": 90.0})


def test_an_action_is_changed_in_place_with_its_tags(place: Place) -> None:
    old = denial()
    new = denial(
        ApprovalModel="AUTOMATIC",
        ActionThreshold={"Type": "ABSOLUTE_VALUE", "Value": 950},
        ResourceTags=[{"Key": "owner", "Value": "ops"}],
    )
    made = ACTION.create(place, old)
    assert ACTION.update(place, made, old, new) == made
    assert ACTION.read(place.clients, made.physical_id, new) == new


def test_an_action_that_is_gone_is_deleted_again(place: Place) -> None:
    made = ACTION.create(place, denial())
    ACTION.delete(place, made.physical_id, denial())
    assert ACTION.read(place.clients, made.physical_id, denial()) is None
    ACTION.delete(place, made.physical_id, denial())


def test_spend_below_the_threshold_sets_nothing_off(place: Place) -> None:
    made = ACTION.create(place, denial())
    inject_spend(ACCOUNT, NAME, 900, 5000)
    assert status(place, made) == "STANDBY"


def test_a_manual_action_waits_until_it_is_approved(place: Place, iam: Iam) -> None:
    made = ACTION.create(place, denial())
    inject_spend(ACCOUNT, NAME, 901)
    assert (status(place, made), iam.attached["engineers"]) == ("PENDING", [])
    service = place.clients("budgets")
    service.execute_budget_action(**ids(made), ExecutionType="APPROVE_BUDGET_ACTION")
    assert (status(place, made), iam.attached["engineers"]) == ("EXECUTION_SUCCESS", [POLICY])
    inject_spend(ACCOUNT, NAME, 950)
    assert iam.attached["engineers"] == [POLICY]
    inject_spend(ACCOUNT, NAME, 0)
    assert (status(place, made), iam.attached["engineers"]) == ("STANDBY", [])


def test_an_automatic_action_is_done_at_once_and_taken_back_by_hand(place: Place, iam: Iam) -> None:
    made = ACTION.create(place, denial(ApprovalModel="AUTOMATIC"))
    inject_spend(ACCOUNT, NAME, 901)
    assert (status(place, made), iam.attached["engineers"]) == ("EXECUTION_SUCCESS", [POLICY])
    service = place.clients("budgets")
    service.execute_budget_action(**ids(made), ExecutionType="REVERSE_BUDGET_ACTION")
    assert (status(place, made), iam.attached["engineers"]) == ("REVERSE_SUCCESS", [])


@pytest.mark.parametrize("role", ["engineers", "nobody"])
def test_an_action_fails_when_a_role_is_not_there_or_does_not_trust(
    place: Place, iam: Iam, role: str
) -> None:
    iam.untrusting = EXECUTION if role == "engineers" else ""
    definition = {"IamActionDefinition": {"PolicyArn": POLICY, "Roles": [role]}}
    made = ACTION.create(place, denial(ApprovalModel="AUTOMATIC", Definition=definition))
    inject_spend(ACCOUNT, NAME, 901)
    assert (status(place, made), iam.attached["engineers"]) == ("EXECUTION_FAILURE", [])


def test_what_does_not_wait_is_not_approved(place: Place) -> None:
    made = ACTION.create(place, denial())
    with pytest.raises(ClientError, match="only a pending one is approved"):
        place.clients("budgets").execute_budget_action(
            **ids(made), ExecutionType="APPROVE_BUDGET_ACTION"
        )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"BudgetName": "another"}, "NotFoundException"),
        (
            {
                "Definition": {
                    "ScpActionDefinition": {"PolicyId": "p-12345678", "TargetIds": [ACCOUNT]}
                }
            },
            "InvalidParameterException",
        ),
        (
            {
                "Definition": {
                    "SsmActionDefinition": {
                        "ActionSubType": "STOP_EC2_INSTANCES",
                        "Region": "us-east-1",
                        "InstanceIds": ["i-0123456789abcdef0"],
                    }
                }
            },
            "InvalidParameterException",
        ),
    ],
)
def test_actions_that_aws_refuses(place: Place, change: dict[str, Any], code: str) -> None:
    with pytest.raises(ClientError) as refused:
        ACTION.create(place, denial(**change))
    assert refused.value.response["Error"]["Code"] == code
