"""The table that both functions share: its keys, and how a state is read and replaced.

| `pk` | `sk` | what |
| --- | --- | --- |
| `ledger#<month>` | `<instance id>#<launch time>` | an interval in which an instance ran |
| `guard` | `observation` | the latest observation, JSON in `body` |
| `guard` | `enforcement` | the enforcer's state, JSON in `body`, with `version` |
| `guard` | `first-seen` | when the watchdog first ran, in `at` |
| `guard` | `carried` | the month up to which running intervals are carried over, in `upto` |
| `audit` | `<time>#<n>` | what was decided and done |
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from .asking import error_code
from .moments import iso
from .observation import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator

GUARD = "guard"
OBSERVATION = "observation"
ENFORCEMENT = "enforcement"
FIRST_SEEN = "first-seen"
CARRIED = "carried"
AUDIT = "audit"

TABLE_VARIABLE = "TRNKIT_TABLE"
"""Environment variable with the table's name."""

Item = dict[str, dict[str, str]]


def ledger_key(month: str) -> str:
    """Partition key of a month's intervals."""
    return f"ledger#{month}"


def texts(item: Item) -> dict[str, str]:
    """The texts and numbers of an item, as text."""
    return {name: next(iter(value.values())) for name, value in item.items()}


@dataclass(frozen=True)
class GuardTable:
    """The table, through DynamoDB's low-level client.

    Attributes:
        dynamodb: The client.
        name: The table's name.
    """

    dynamodb: Any
    name: str

    @classmethod
    def of_environment(cls, dynamodb: Any) -> GuardTable:
        """The table that the environment names."""
        return cls(dynamodb, os.environ[TABLE_VARIABLE])

    def read(self, pk: str, sk: str) -> dict[str, str] | None:
        """An item as texts, as it is now; None: there is none."""
        answer = self.dynamodb.get_item(
            TableName=self.name, Key={"pk": {"S": pk}, "sk": {"S": sk}}, ConsistentRead=True
        )
        return texts(answer["Item"]) if "Item" in answer else None

    def query(self, pk: str, sk_begins: str = "") -> Iterator[dict[str, str]]:
        """Items of a partition, as they are now, a page after the other."""
        condition = "pk = :pk"
        values = {":pk": {"S": pk}}
        if sk_begins:
            condition += " AND begins_with(sk, :sk)"
            values[":sk"] = {"S": sk_begins}
        start: dict[str, Any] = {}
        while True:
            answer = self.dynamodb.query(
                TableName=self.name,
                KeyConditionExpression=condition,
                ExpressionAttributeValues=values,
                ConsistentRead=True,
                **start,
            )
            yield from (texts(item) for item in answer["Items"])
            if not answer.get("LastEvaluatedKey"):
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def put(
        self,
        item: dict[str, str],
        condition: str,
        *,
        numbers: dict[str, int] | None = None,
        **values: str,
    ) -> bool:
        """Write an item under a condition; False: it did not hold.

        Args:
            item: Its attributes that are texts.
            condition: DynamoDB's expression, with `:name` for each of `values`.
            numbers: Its attributes that are numbers.
            values: What the expression names.
        """
        given = {f":{name}": {"S": value} for name, value in values.items()}
        return self.holds(
            self.dynamodb.put_item,
            Item={name: {"S": value} for name, value in item.items()}
            | {name: {"N": str(value)} for name, value in (numbers or {}).items()},
            ConditionExpression=condition,
            **({"ExpressionAttributeValues": given} if given else {}),
        )

    def update(self, pk: str, sk: str, change: str, condition: str, **values: str) -> bool:
        """Change an item under a condition; False: it did not hold. Arguments as of `put`."""
        given = {f":{name}": {"S": value} for name, value in values.items()}
        return self.holds(
            self.dynamodb.update_item,
            Key={"pk": {"S": pk}, "sk": {"S": sk}},
            UpdateExpression=change,
            ConditionExpression=condition,
            **({"ExpressionAttributeValues": given} if given else {}),
        )

    def holds(self, call: Any, **arguments: Any) -> bool:
        """Whether a conditional write was made, or its condition did not hold."""
        try:
            call(TableName=self.name, **arguments)
        except ClientError as error:
            if error_code(error) != "ConditionalCheckFailedException":
                raise
            return False
        return True

    def latest_observation(self) -> Observation | None:
        """What the watchdog last saw; None: nothing yet.

        Raises:
            ValueError: What stands there is no observation.
        """
        item = self.read(GUARD, OBSERVATION)
        return Observation.from_json(item["body"]) if item else None

    def put_observation(self, seen: Observation) -> bool:
        """Write an observation unless a newer one is there."""
        at = iso(seen.at)
        return self.put(
            {"pk": GUARD, "sk": OBSERVATION, "observed": at, "body": seen.to_json()},
            "attribute_not_exists(pk) OR observed < :at",
            at=at,
        )
