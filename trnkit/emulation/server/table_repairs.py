"""Where MiniStack's ``AWS::DynamoDB::Table`` does something else than AWS's, put right.

Its DynamoDB keeps and tells recovery, expiry and encryption; only the way from the template to it
loses them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Properties, Refused, random_id
from trnkit.emulation.server.handler_changes import Handler, Result, before, then

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_RECOVERY, _EXPIRY = "PointInTimeRecoverySpecification", "TimeToLiveSpecification"
_ENCRYPTION = "SSESpecification"
_INVALID = "One or more parameter values were invalid"


def install() -> None:
    """Repair it, once, before its first request."""
    handler = module("ministack.services.cloudformation.provisioners")._RESOURCE_HANDLERS[
        "AWS::DynamoDB::Table"
    ]
    _name_tables(handler)
    then(handler, _set)
    before(handler, _refuse_keys)


def _name_tables(handler: Handler) -> None:
    """A table without a name gets a new one each time, so that a retained one stays as it is.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html
    """
    create, update = handler["create"], handler["update"]

    @functools.wraps(create)
    def created(logical_id: str, properties: Properties, stack: str, *rest: Any) -> Result:
        name = f"{stack}-{logical_id}-{random_id(12, _LETTERS)}"
        return create(logical_id, {"TableName": name} | dict(properties), stack, *rest)

    @functools.wraps(update)
    def updated(
        physical_id: str, old: Properties, new: Properties, stack: str, logical_id: str = ""
    ) -> Result:
        unnamed = "TableName" not in old and "TableName" not in new
        if unnamed and old.get("KeySchema") != new.get("KeySchema"):
            return created(logical_id or physical_id, new, stack)
        same = {"TableName": physical_id} if unnamed else {}
        return update(physical_id, same | dict(old), same | dict(new), stack, logical_id)

    handler["create"], handler["update"] = created, updated


def _set(physical_id: str, new: Properties, old: Properties) -> None:
    """Give to DynamoDB what MiniStack's type drops."""
    dynamodb = module("ministack.services.dynamodb")
    recovery = new.get(_RECOVERY) or {}
    if recovery or old.get(_RECOVERY):
        on = _is_true(recovery.get("PointInTimeRecoveryEnabled"))
        given = {"PointInTimeRecoveryEnabled": on}
        _answered(dynamodb._update_continuous_backups({"TableName": physical_id, _RECOVERY: given}))
    expiry = new.get(_EXPIRY) or {}
    if expiry:
        given = {**expiry, "Enabled": _is_true(expiry.get("Enabled"))}
        _answered(dynamodb._update_ttl({"TableName": physical_id, _EXPIRY: given}))
    elif old.get(_EXPIRY):
        given = {**old[_EXPIRY], "Enabled": False}
        _answered(dynamodb._update_ttl({"TableName": physical_id, _EXPIRY: given}))
    encryption = new.get(_ENCRYPTION) or {}
    if encryption and not old:
        given = {
            **{k: v for k, v in encryption.items() if k != "SSEEnabled"},
            "Enabled": _is_true(encryption.get("SSEEnabled")),
        }
        _answered(dynamodb._update_table({"TableName": physical_id, _ENCRYPTION: given}))


def _answered(answer: tuple[int, Any, Any]) -> None:
    status, _, body = answer
    if status >= 400:
        raise Refused(str(body), code="ValidationException", service="DynamoDb")


def _is_true(value: Any) -> bool:
    """A boolean of a template, which may be text."""
    return str(value).lower() == "true"


def _refuse_keys(properties: Properties) -> None:
    """Keys that are there, and attributes that are in keys.

    Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CreateTable.html
    """
    if properties.get("ImportSourceSpecification") or properties.get("ResourcePolicy"):
        return
    schema: list[Mapping[str, Any]] = properties.get("KeySchema") or []
    kinds = [str(key["KeyType"]) for key in schema]
    if kinds not in (["HASH"], ["HASH", "RANGE"]):
        _refuse("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    defined = [str(one["AttributeName"]) for one in properties.get("AttributeDefinitions") or ()]
    used = [str(key["AttributeName"]) for key in schema]
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for index in properties.get(kind) or ():
            used += [str(key["AttributeName"]) for key in index["KeySchema"]]
    missing = [name for name in dict.fromkeys(used) if name not in defined]
    if missing:
        _refuse(
            f"{_INVALID}: Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(missing)}], AttributeDefinitions: [{', '.join(defined)}]"
        )
    if set(defined) - set(used):
        _refuse(
            f"{_INVALID}: Number of attributes in KeySchema does not exactly match number of "
            "attributes defined in AttributeDefinitions"
        )


def _refuse(message: str) -> None:
    raise Refused(message, code="ValidationException", service="DynamoDb")
