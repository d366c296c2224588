"""As much of DynamoDB as the watchdog uses, in memory: for many rows and many polls."""

from __future__ import annotations

import re
from typing import Any

from botocore.exceptions import ClientError

_WORD = re.compile(r"attribute_exists\((\w+)\)|attribute_not_exists\((\w+)\)|(\w+) ([<>=]) :(\w+)")


class QuickTable:
    """A client of DynamoDB for one table; `broken` writes from now on are throttled."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], dict[str, Any]] = {}
        self.writes = self.pages = self.broken = 0

    def get_item(self, *, Key: dict[str, Any], **_: Any) -> dict[str, Any]:
        item = self.items.get(_key(Key))
        return {"Item": dict(item)} if item else {}

    def put_item(self, *, Item: dict[str, Any], **more: Any) -> None:
        self._check(_key(Item), more)
        self.items[_key(Item)] = Item

    def update_item(self, *, Key: dict[str, Any], UpdateExpression: str, **more: Any) -> None:
        self._check(_key(Key), more)
        verb, name, *rest = UpdateExpression.split()
        item = self.items.setdefault(_key(Key), dict(Key))
        if verb == "REMOVE":
            item.pop(name, None)
        else:
            assert (verb, rest[0]) == ("SET", "=")
            item[name] = more["ExpressionAttributeValues"][rest[1]]

    def query(
        self,
        *,
        ExpressionAttributeValues: dict[str, Any],
        ExclusiveStartKey: int = 0,
        **_: Any,
    ) -> dict[str, Any]:
        self.pages += 1
        pk = ExpressionAttributeValues[":pk"]["S"]
        begins = ExpressionAttributeValues.get(":sk", {"S": ""})["S"]
        found = [
            dict(item)
            for key, item in sorted(self.items.items())
            if key[0] == pk and key[1].startswith(begins)
        ]
        until = ExclusiveStartKey + 1000
        more = {"LastEvaluatedKey": until} if until < len(found) else {}
        return {"Items": found[ExclusiveStartKey:until], **more}

    def _check(self, key: tuple[str, str], more: dict[str, Any]) -> None:
        self.writes += 1
        if self.broken:
            self.broken -= 1
            raise ClientError({"Error": {"Code": "ThrottlingException"}}, "Write")
        item = self.items.get(key, {})
        values = more.get("ExpressionAttributeValues", {})

        def truth(match: re.Match[str]) -> str:
            exists, missing, name, sign, value = match.groups()
            if exists or missing:
                return str(((exists or missing) in item) == bool(exists))
            if name not in item:
                return "False"
            mine, theirs = item[name]["S"], values[f":{value}"]["S"]
            return str({"<": mine < theirs, ">": mine > theirs, "=": mine == theirs}[sign])

        condition = _WORD.sub(truth, more["ConditionExpression"])
        words = condition.replace("AND", "and").replace("OR", "or")
        assert re.fullmatch(r"[()TrueFalsandor ]+", words), f"not understood: {words}"
        if not eval(words):
            raise ClientError({"Error": {"Code": "ConditionalCheckFailedException"}}, "Write")


def _key(item: dict[str, Any]) -> tuple[str, str]:
    return item["pk"]["S"], item["sk"]["S"]
