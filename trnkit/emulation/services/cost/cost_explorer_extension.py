"""Cost Anomaly Detection on moto's Cost Explorer, which has none of it.

Sources:
https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_AnomalyMonitor.html
https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_AnomalySubscription.html
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from moto.core.responses import ActionResult

from trnkit.emulation.services.backends import ce_backend
from trnkit.emulation.services.json_refusal import refuse
from trnkit.emulation.services.model_constraints import check_request

# https://docs.aws.amazon.com/cost-management/latest/userguide/management-limits.html
MOST_MONITORS = 500
MOST_SUBSCRIPTIONS = 100

_INVALID = "ValidationException"
_MOST_VALUES = 10
_HIGHEST_THRESHOLD = 10_000_000_000

Record = dict[str, Any]
Answer = Callable[[Any, Record], Record]


def install() -> None:
    """Extend moto's Cost Explorer; to be called before its first request."""
    from moto.ce.responses import CostExplorerResponse
    from moto.core.utils import camelcase_to_underscores

    for operation, answer in _OPERATIONS.items():
        name = camelcase_to_underscores(operation)
        setattr(CostExplorerResponse, name, _method(operation, answer))


def _method(operation: str, answer: Answer) -> Callable[[Any], ActionResult]:
    def method(self: Any) -> ActionResult:
        request = json.loads(self.body)
        check_request("ce", operation, request)
        return ActionResult(answer(self.ce_backend, request))

    return method


def _monitors(backend: Any) -> dict[str, Record]:
    """Monitors by ARN; moto's reset clears them with the rest."""
    return backend.__dict__.setdefault("anomaly_monitors", {})


def seed_monitor(arn: str) -> None:
    """Let a monitor over the account's services exist that somebody made before.

    Args:
        arn: Its ARN.
    """
    _monitors(ce_backend())[arn] = {
        "MonitorArn": arn,
        "MonitorName": arn.rpartition("/")[2],
        "MonitorType": "DIMENSIONAL",
        "MonitorDimension": "SERVICE",
        "CreationDate": _today(),
    }


def _subscriptions(backend: Any) -> dict[str, Record]:
    return backend.__dict__.setdefault("anomaly_subscriptions", {})


def _arn(backend: Any, kind: str) -> str:
    return f"arn:{backend.partition}:ce::{backend.account_id}:{kind}/{uuid.uuid4()}"


def _today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")


def _create_monitor(backend: Any, request: Record) -> Record:
    monitor: Record = dict(request["AnomalyMonitor"])
    _refuse_monitor(monitor)
    present = _monitors(backend).values()
    if _is_of_services(monitor) and any(_is_of_services(one) for one in present):
        # AWS's words:
        # https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/2515
        refuse(_INVALID, "Limit exceeded on dimensional spend monitor creation")
    if sum(not _is_of_services(one) for one in present) >= MOST_MONITORS:
        refuse("LimitExceededException", "Limit exceeded on spend monitor creation")
    arn = _arn(backend, "anomalymonitor")
    made = {"MonitorArn": arn, "CreationDate": _today(), "LastUpdatedDate": _today()}
    _monitors(backend)[arn] = monitor | made
    backend.tag_resource(arn, request.get("ResourceTags") or [])
    return {"MonitorArn": arn}


def _is_of_services(monitor: Mapping[str, Any]) -> bool:
    return monitor.get("MonitorDimension") == "SERVICE"


def _refuse_monitor(monitor: Mapping[str, Any]) -> None:
    dimension, scope = monitor.get("MonitorDimension"), monitor.get("MonitorSpecification")
    if monitor["MonitorType"] == "CUSTOM":
        if dimension:
            refuse(_INVALID, "MonitorDimension cannot be given for a CUSTOM monitor")
        if not scope:
            refuse(_INVALID, "MonitorSpecification is required for a CUSTOM monitor")
        _refuse_scope(scope)
        return
    if not dimension:
        refuse(_INVALID, "MonitorDimension is required for a DIMENSIONAL monitor")
    member = {"TAG": "Tags", "COST_CATEGORY": "CostCategories"}.get(dimension)
    if member is None and scope:
        refuse(_INVALID, f"MonitorSpecification cannot be given for the dimension {dimension}")
    if member is not None and list(scope or ()) != [member]:
        refuse(_INVALID, f"MonitorSpecification must have {member} for the dimension {dimension}")


def _refuse_scope(scope: Mapping[str, Any]) -> None:
    """What a custom monitor watches: accounts, values of one tag, or one cost category."""
    kinds = [name for name in ("Dimensions", "Tags", "CostCategories") if scope.get(name)]
    if len(kinds) != 1 or len(scope) != 1:
        refuse(_INVALID, "MonitorSpecification must have one of Dimensions, Tags, CostCategories")
    chosen = scope[kinds[0]]
    if kinds == ["Dimensions"] and chosen.get("Key") != "LINKED_ACCOUNT":
        refuse(_INVALID, "The only dimension of a CUSTOM monitor is LINKED_ACCOUNT")
    most = 1 if kinds == ["CostCategories"] else _MOST_VALUES
    values = chosen.get("Values") or []
    if not chosen.get("Key") or not 1 <= len(values) <= most:
        refuse(_INVALID, f"MonitorSpecification must have a key and 1 to {most} values")


def _monitor(backend: Any, arn: str) -> Record:
    found = _monitors(backend).get(arn)
    if found is None:
        refuse("UnknownMonitorException", f"No anomaly monitor found with ARN {arn}")
    return found


def _get_monitors(backend: Any, request: Record) -> Record:
    wanted = request.get("MonitorArnList")
    found = [_monitor(backend, arn) for arn in wanted] if wanted else _monitors(backend).values()
    return {"AnomalyMonitors": [*found]}


def _update_monitor(backend: Any, request: Record) -> Record:
    found = _monitor(backend, request["MonitorArn"])
    if request.get("MonitorName") is not None:
        found["MonitorName"] = request["MonitorName"]
    found["LastUpdatedDate"] = _today()
    return {"MonitorArn": request["MonitorArn"]}


def _delete_monitor(backend: Any, request: Record) -> Record:
    _monitor(backend, request["MonitorArn"])
    del _monitors(backend)[request["MonitorArn"]]
    return {}


def _create_subscription(backend: Any, request: Record) -> Record:
    given: Record = dict(request["AnomalySubscription"])
    _refuse_subscription(backend, given)
    if len(_subscriptions(backend)) >= MOST_SUBSCRIPTIONS:
        refuse("LimitExceededException", "Limit exceeded on spend subscription creation")
    arn = _arn(backend, "anomalysubscription")
    made = {"SubscriptionArn": arn, "AccountId": backend.account_id}
    _subscriptions(backend)[arn] = _confirmed(given) | made
    backend.tag_resource(arn, request.get("ResourceTags") or [])
    return {"SubscriptionArn": arn}


def _confirmed(given: Record) -> Record:
    subscribers = [{**one, "Status": "CONFIRMED"} for one in given["Subscribers"]]
    return given | {"Subscribers": subscribers}


def _refuse_subscription(backend: Any, given: Mapping[str, Any]) -> None:
    if not given["MonitorArnList"]:
        refuse(_INVALID, "MonitorArnList must not be empty")
    for arn in given["MonitorArnList"]:
        _monitor(backend, arn)
    _refuse_subscribers(given["Subscribers"], given["Frequency"])
    threshold, expression = given.get("Threshold"), given.get("ThresholdExpression")
    if threshold is None and expression is None:
        # AWS's words: https://github.com/hashicorp/terraform-provider-aws/issues/36853
        refuse(_INVALID, "Threshold and ThresholdExpression cannot both be null")
    if threshold is not None and expression is not None:
        refuse(_INVALID, "Threshold and ThresholdExpression cannot both be given")
    if expression is not None:
        _refuse_expression(expression)


def _refuse_subscribers(subscribers: list[Mapping[str, Any]], frequency: str) -> None:
    # "either over email (for DAILY and WEEKLY frequencies) or SNS (for IMMEDIATE frequency)"
    wanted = "SNS" if frequency == "IMMEDIATE" else "EMAIL"
    if not subscribers:
        refuse(_INVALID, "Subscribers must not be empty")
    for one in subscribers:
        if one.get("Type") != wanted:
            refuse(_INVALID, f"Frequency {frequency} supports only subscribers of type {wanted}")
        if str(one.get("Address", "")).startswith("arn:") != (wanted == "SNS"):
            refuse(_INVALID, f"{one.get('Address')} is no address of type {wanted}")


_IMPACTS = frozenset({"ANOMALY_TOTAL_IMPACT_ABSOLUTE", "ANOMALY_TOTAL_IMPACT_PERCENTAGE"})


def _refuse_expression(expression: Mapping[str, Any]) -> None:
    for one in _leaves(expression):
        if one.get("Key") not in _IMPACTS:
            refuse(_INVALID, f"ThresholdExpression does not support the dimension {one.get('Key')}")
        if one.get("MatchOptions") != ["GREATER_THAN_OR_EQUAL"]:
            refuse(_INVALID, "ThresholdExpression needs the match option GREATER_THAN_OR_EQUAL")
        values = one.get("Values") or []
        if len(values) != 1 or not _is_threshold(values[0]):
            refuse(_INVALID, f"A threshold is a number between 0 and {_HIGHEST_THRESHOLD}")


def _leaves(expression: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if list(expression) == ["Dimensions"]:
        yield expression["Dimensions"]
        return
    nested = [name for name in ("And", "Or") if name in expression]
    if len(nested) != 1 or len(expression) != 1:
        refuse(_INVALID, "ThresholdExpression supports Dimensions, And and Or")
    for one in expression[nested[0]]:
        yield from _leaves(one)


def _is_threshold(text: str) -> bool:
    try:
        return 0 <= float(text) <= _HIGHEST_THRESHOLD
    except ValueError:
        return False


def _subscription(backend: Any, arn: str) -> Record:
    found = _subscriptions(backend).get(arn)
    if found is None:
        refuse("UnknownSubscriptionException", f"No anomaly subscription found with ARN {arn}")
    return found


def _get_subscriptions(backend: Any, request: Record) -> Record:
    wanted, monitor = request.get("SubscriptionArnList"), request.get("MonitorArn")
    every = _subscriptions(backend).values()
    found = [_subscription(backend, arn) for arn in wanted] if wanted else [*every]
    if monitor:
        found = [one for one in found if monitor in one["MonitorArnList"]]
    return {"AnomalySubscriptions": found}


def _update_subscription(backend: Any, request: Record) -> Record:
    arn = request["SubscriptionArn"]
    found = _subscription(backend, arn)
    asked = {k: v for k, v in request.items() if k != "SubscriptionArn" and v is not None}
    thresholds = {"Threshold", "ThresholdExpression"}
    kept = {k: v for k, v in found.items() if k not in thresholds or not thresholds & set(asked)}
    wanted = kept | asked
    _refuse_subscription(backend, wanted)
    _subscriptions(backend)[arn] = _confirmed(wanted)
    return {"SubscriptionArn": arn}


def _delete_subscription(backend: Any, request: Record) -> Record:
    _subscription(backend, request["SubscriptionArn"])
    del _subscriptions(backend)[request["SubscriptionArn"]]
    return {}


_OPERATIONS: Mapping[str, Answer] = {
    "CreateAnomalyMonitor": _create_monitor,
    "GetAnomalyMonitors": _get_monitors,
    "UpdateAnomalyMonitor": _update_monitor,
    "DeleteAnomalyMonitor": _delete_monitor,
    "CreateAnomalySubscription": _create_subscription,
    "GetAnomalySubscriptions": _get_subscriptions,
    "UpdateAnomalySubscription": _update_subscription,
    "DeleteAnomalySubscription": _delete_subscription,
}
