"""Actions of AWS Budgets on moto's, which has none.

An action waits in ``STANDBY``. Past its threshold it is done at once, or waits in ``PENDING`` until
somebody approves; with a new period it is taken back. Only policies of IAM are attached here: to
organizations and instances nothing happens. Sources:
https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-controls.html,
https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Action.html
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from trnkit.emulation.services.json_refusal import refuse
from trnkit.emulation.services.roles import roles

_INVALID, _GONE = "InvalidParameterException", "NotFoundException"
_ASSUMED_BY = "budgets.amazonaws.com"
_STANDBY, _PENDING = "STANDBY", "PENDING"
_DONE, _FAILED, _TAKEN_BACK = "EXECUTION_SUCCESS", "EXECUTION_FAILURE", "REVERSE_SUCCESS"
_DEFINITIONS = {
    "APPLY_IAM_POLICY": "IamActionDefinition",
    "APPLY_SCP_POLICY": "ScpActionDefinition",
    "RUN_SSM_DOCUMENTS": "SsmActionDefinition",
}
_CHANGEABLE = (
    "ActionThreshold",
    "ApprovalModel",
    "Definition",
    "ExecutionRoleArn",
    "NotificationType",
    "Subscribers",
)

Passed = Callable[[Mapping[str, Any]], bool]
"""Whether spend has passed a threshold, which an action has like a notification."""


def create(backend: Any, budget: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateBudgetAction, for a budget that exists."""
    _refuse_definition(request["ActionType"], request["Definition"])
    action = {
        "ActionId": str(uuid.uuid4()),
        "BudgetName": request["BudgetName"],
        "ActionType": request["ActionType"],
        "Status": _STANDBY,
        **{name: copy.deepcopy(request[name]) for name in _CHANGEABLE},
    }
    _of(budget)[action["ActionId"]] = action
    return _named(request, action) | {"ActionId": action["ActionId"]}


def describe(backend: Any, budget: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeBudgetAction."""
    action = _action(budget, request)
    return _named(request, action) | {"Action": copy.deepcopy(action)}


def describe_all(backend: Any, budget: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeBudgetActionsForBudget."""
    return {"Actions": [copy.deepcopy(action) for action in _of(budget).values()]}


def update(backend: Any, budget: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """UpdateBudgetAction, which leaves what it is not told."""
    action = _action(budget, request)
    old = copy.deepcopy(action)
    if "Definition" in request:
        _refuse_definition(action["ActionType"], request["Definition"])
    action |= {name: copy.deepcopy(request[name]) for name in _CHANGEABLE if name in request}
    return _named(request, action) | {"OldAction": old, "NewAction": copy.deepcopy(action)}


def delete(backend: Any, budget: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteBudgetAction; what it has attached stays."""
    action = _action(budget, request)
    del _of(budget)[action["ActionId"]]
    return _named(request, action) | {"Action": action}


def execute(backend: Any, budget: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """ExecuteBudgetAction: approve, try again, take back, or begin anew."""
    action, kind = _action(budget, request), request["ExecutionType"]
    if kind == "APPROVE_BUDGET_ACTION" and action["Status"] != _PENDING:
        refuse(_INVALID, f"The action is {action['Status']}; only a pending one is approved.")
    if kind in ("APPROVE_BUDGET_ACTION", "RETRY_BUDGET_ACTION"):
        _do(backend.account_id, action)
    elif kind == "REVERSE_BUDGET_ACTION":
        _take_back(backend.account_id, action)
        action["Status"] = _TAKEN_BACK
    else:
        _take_back(backend.account_id, action)
        action["Status"] = _STANDBY
    return _named(request, action) | {"ActionId": action["ActionId"], "ExecutionType": kind}


def spent(account: str, budget: Any, passed: Passed) -> None:
    """Spend was seen: act where a threshold is passed, and take back where it is not any more.

    Args:
        account: The account's id.
        budget: moto's budget.
        passed: Whether the spend is beyond what an action says.
    """
    for action in _of(budget).values():
        if not passed(action):
            _take_back(account, action)
            action["Status"] = _STANDBY
        elif action["Status"] == _STANDBY:
            action["Status"] = _PENDING
            if action["ApprovalModel"] == "AUTOMATIC":
                _do(account, action)


def _do(account: str, action: dict[str, Any]) -> None:
    known, policy, names = roles(), *_policy(action)
    if known is None or not known.let_assume(account, action["ExecutionRoleArn"], _ASSUMED_BY):
        action["Status"] = _FAILED
        return
    attached = [known.attach(account, name, policy) for name in names]
    action["Status"] = _DONE if all(attached) else _FAILED


def _take_back(account: str, action: Mapping[str, Any]) -> None:
    known, policy, names = roles(), *_policy(action)
    if known is None or action["Status"] != _DONE:
        return
    for name in names:
        known.detach(account, name, policy)


def _policy(action: Mapping[str, Any]) -> tuple[str, list[str]]:
    definition = action["Definition"].get("IamActionDefinition") or {}
    return str(definition.get("PolicyArn", "")), list(definition.get("Roles") or ())


def _refuse_definition(kind: str, definition: Mapping[str, Any]) -> None:
    given = [name for name in definition if definition[name]]
    if given != [_DEFINITIONS[kind]]:
        refuse(_INVALID, f"An action of type {kind} needs {_DEFINITIONS[kind]}, and no other.")


def _of(budget: Any) -> dict[str, dict[str, Any]]:
    """The actions of a budget by their id; they go with it."""
    return budget.__dict__.setdefault("actions", {})


def _action(budget: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    found = _of(budget).get(request["ActionId"])
    if found is None:
        refuse(_GONE, f"Unable to get action: {request['ActionId']} - the action doesn't exist.")
    return found


def _named(request: Mapping[str, Any], action: Mapping[str, Any]) -> dict[str, Any]:
    return {"AccountId": request["AccountId"], "BudgetName": action["BudgetName"]}


OPERATIONS: Mapping[str, Callable[[Any, Any, Mapping[str, Any]], dict[str, Any]]] = {
    "CreateBudgetAction": create,
    "DescribeBudgetAction": describe,
    "DescribeBudgetActionsForBudget": describe_all,
    "UpdateBudgetAction": update,
    "DeleteBudgetAction": delete,
    "ExecuteBudgetAction": execute,
}
