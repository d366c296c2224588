"""Functions, who may call them, and what becomes of calls that fail, as Lambda tells them."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import all_named, document
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags

_FUNCTION = (
    "Architectures",
    "DeadLetterConfig",
    "Description",
    "EphemeralStorage",
    "FunctionName",
    "Handler",
    "KmsKeyArn",
    "MemorySize",
    "PackageType",
    "Role",
    "Runtime",
    "Timeout",
    "TracingConfig",
)
_INVOKE = ("DestinationConfig", "MaximumEventAgeInSeconds", "MaximumRetryAttempts")
_CONDITIONS = {
    ("ArnLike", "AWS:SourceArn"): "SourceArn",
    ("StringEquals", "AWS:SourceAccount"): "SourceAccount",
    ("StringEquals", "aws:PrincipalOrgID"): "PrincipalOrgID",
    ("StringEquals", "lambda:EventSourceToken"): "EventSourceToken",
    ("StringEquals", "lambda:FunctionUrlAuthType"): "FunctionUrlAuthType",
}
"""Condition of a statement of a function's policy, and the property of the permission it is of."""


class Function:
    """``AWS::Lambda::Function`` by GetFunction, ListTags, and S3 for its code."""

    name = "AWS::Lambda::Function"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its configuration; its code is the template's object when it has that object's sum."""
        service = clients("lambda")
        answer = unless_gone(lambda: service.get_function(FunctionName=physical_id))
        if answer is None:
            return None
        held = answer["Configuration"]
        told = all_named(held, {name: name for name in _FUNCTION})
        told["Environment"] = {"Variables": held.get("Environment", {}).get("Variables", {})}
        told["LoggingConfig"] = held.get("LoggingConfig")
        told["Layers"] = [layer["Arn"] for layer in held.get("Layers") or ()]
        tags = service.list_tags(Resource=held["FunctionArn"]).get("Tags", {})
        told["Tags"] = own_tags(tags)
        concurrency = answer.get("Concurrency", {})
        told["ReservedConcurrentExecutions"] = concurrency.get("ReservedConcurrentExecutions")
        return told | _code(clients, properties.get("Code") or {}, held)


def _code(clients: Clients, given: Mapping[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """Where the code came from: Lambda tells its sum, and S3 what has that sum."""
    place = {name: given.get(f"S3{name}") for name in ("Bucket", "Key")}
    if not all(place.values()):
        return {}
    answer = unless_gone(lambda: clients("s3").get_object(**place))
    body = answer["Body"].read() if answer else b""
    same = base64.b64encode(hashlib.sha256(body).digest()).decode() == held["CodeSha256"]
    return {"Code": dict(given) if same else {"CodeSha256": held["CodeSha256"]}}


class Permission:
    """``AWS::Lambda::Permission`` by GetPolicy: the statement that bears its id."""

    name = "AWS::Lambda::Permission"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Who may do what with which function, and from where."""
        function = properties["FunctionName"]
        answer = unless_gone(lambda: clients("lambda").get_policy(FunctionName=function))
        statements = document(answer["Policy"])["Statement"] if answer else ()
        found = [one for one in statements if one["Sid"] == physical_id]
        if not found:
            return None
        (statement,) = found
        arn, principal = str(statement["Resource"]), statement["Principal"]
        named = function in (arn, arn.rpartition(":")[2])
        told = {
            "Action": statement["Action"],
            "FunctionName": function if named else arn,
            "Principal": _principal(principal),
        }
        for operator, keys in (statement.get("Condition") or {}).items():
            for key, value in keys.items():
                told[_CONDITIONS.get((operator, key), f"{operator} {key}")] = value
        wanted = set(_CONDITIONS.values()) & set(properties)
        return dict.fromkeys(wanted) | told


def _principal(principal: Any) -> Any:
    if not isinstance(principal, Mapping):
        return principal
    values = list(principal.values())
    return values[0] if len(values) == 1 else json.dumps(principal)


class EventInvokeConfig:
    """``AWS::Lambda::EventInvokeConfig`` by GetFunctionEventInvokeConfig."""

    name = "AWS::Lambda::EventInvokeConfig"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its retries and where what fails goes."""
        ids = {name: properties[name] for name in ("FunctionName", "Qualifier")}
        service = clients("lambda")
        answer = unless_gone(lambda: service.get_function_event_invoke_config(**ids))
        if answer is None:
            return None
        return all_named(answer, {name: name for name in _INVOKE}) | ids


READERS = (Function(), Permission(), EventInvokeConfig())
