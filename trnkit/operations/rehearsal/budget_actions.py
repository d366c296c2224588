"""Spend has passed the threshold of a budget's action: it must be done as it was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.operations.rehearsal.permissions import role_named, trusts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.emulation.resources.resource import Clients
    from trnkit.operations.rehearsal.stage import Stage

_PENDING, _DONE = "PENDING", "EXECUTION_SUCCESS"


def prove_actions(stage: Stage, clients: Clients, budget: str) -> None:
    """Approve what waits for approval, and look whether the roles have the policy.

    With the next period, which begins without spend, AWS takes it back; so does the emulated one.
    """
    service = clients("budgets")
    place = {"AccountId": stage.aws.account, "BudgetName": budget}
    for action in service.describe_budget_actions_for_budget(**place)["Actions"]:
        ids = place | {"ActionId": action["ActionId"]}
        waited = action["Status"] == _PENDING
        if waited:
            service.execute_budget_action(**ids, ExecutionType="APPROVE_BUDGET_ACTION")
        after = service.describe_budget_action(**ids)["Action"]
        definition = action["Definition"].get("IamActionDefinition", {})
        problems = [
            *_standing(action, after),
            *_barred(clients, stage.aws.account, action, definition),
            *_without(clients, definition),
        ]
        named = ", ".join(definition.get("Roles", ())) or "nobody"
        approved = "waits for approval and then" if waited else "at once"
        stage.tell(
            not problems,
            f"budget {budget}: the action {approved} denies launches to {named}"
            if not problems
            else f"budget {budget}: its action does not come to its end",
            *problems,
        )


def _standing(action: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    wanted = _PENDING if action["ApprovalModel"] == "MANUAL" else _DONE
    found = [] if action["Status"] == wanted else [f"it is {action['Status']}, not {wanted}"]
    return found + ([] if after["Status"] == _DONE else [f"in the end it is {after['Status']}"])


def _barred(
    clients: Clients, account: str, action: Mapping[str, Any], definition: Mapping[str, Any]
) -> list[str]:
    """What Budgets lacks to do it with the action's role.

    Source: https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-controls.html
    """
    arn = action["ExecutionRoleArn"]
    found = (
        []
        if trusts(clients, arn, "budgets.amazonaws.com")
        else [f"budgets.amazonaws.com may not assume {arn}"]
    )
    role = role_named(clients, arn)
    known = {"iam:PolicyARN": [str(definition.get("PolicyArn"))]}
    for name in definition.get("Roles", ()):
        for verb in ("Attach", "Detach"):
            what = f"iam:{verb}RolePolicy"
            if not role.may(what, f"arn:aws:iam::{account}:role/{name}", known):
                found.append(f"{role.name} may not {what} of {name}")
    return found


def _without(clients: Clients, definition: Mapping[str, Any]) -> list[str]:
    pages = clients("iam").get_paginator("list_attached_role_policies")
    found: list[str] = []
    for name in definition.get("Roles", ()):
        attached = [
            policy["PolicyArn"]
            for page in pages.paginate(RoleName=name)
            for policy in page["AttachedPolicies"]
        ]
        if definition["PolicyArn"] not in attached:
            found.append(f"{name} has not got {definition['PolicyArn']}")
    return found
