"""The enforcer's part of the table: its state behind a lease, the observation, the audit trail.

The lease lets one run at a time change anything; it ends by itself when a run dies. The version is
checked beside it, so that a run which lost its lease cannot write over what came later.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import ClientError

from .asking import error_code
from .enforcement_state import State
from .table import AUDIT, ENFORCEMENT, GUARD, GuardTable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from .observation import Observation

LEASE_SECONDS = 150
"""Longer than the function may run."""
_KEY = {"pk": {"S": GUARD}, "sk": {"S": ENFORCEMENT}}
_REFUSED = "ConditionalCheckFailedException"
_MOST_ENTRIES = 200


class BusyError(Exception):
    """Another run has the lease."""


class LostLeaseError(Exception):
    """Another run has written since."""


class Kept(NamedTuple):
    """The state, and the version that it has in the table; 0: it was never written."""

    state: State
    version: int


class Store:
    """One table, through the client of DynamoDB."""

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    def look(self) -> Kept:
        """The state, for who only looks."""
        answer = self._client.get_item(TableName=self._table, Key=_KEY, ConsistentRead=True)
        return _kept(answer.get("Item", {}))

    def take(self, owner: str, now: datetime) -> Kept:
        """Take the lease, and read the state.

        Raises:
            BusyError: Another run has it.
        """
        seconds = now.timestamp()
        try:
            answer = self._client.update_item(
                TableName=self._table,
                Key=_KEY,
                UpdateExpression="SET lease_owner = :owner, lease_until = :until",
                ConditionExpression="attribute_not_exists(lease_until) OR lease_until < :now",
                ExpressionAttributeValues={
                    ":owner": {"S": owner},
                    ":until": {"N": f"{seconds + LEASE_SECONDS:.3f}"},
                    ":now": {"N": f"{seconds:.3f}"},
                },
                ReturnValues="ALL_NEW",
            )
        except ClientError as error:
            if error_code(error) == _REFUSED:
                raise BusyError("another run is under way") from error
            raise
        return _kept(answer["Attributes"])

    def save(self, kept: Kept, owner: str) -> Kept:
        """Write a state over the version that it was made from.

        Raises:
            LostLeaseError: Another run has the lease, or has written since.
        """
        condition = "lease_owner = :owner AND version = :version"
        if kept.version == 0:
            condition = "lease_owner = :owner AND attribute_not_exists(version)"
        values = {
            ":owner": {"S": owner},
            ":body": {"S": kept.state.as_json()},
            ":next": {"N": str(kept.version + 1)},
        }
        if kept.version:
            values[":version"] = {"N": str(kept.version)}
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_KEY,
                UpdateExpression="SET body = :body, version = :next",
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
            )
        except ClientError as error:
            if error_code(error) == _REFUSED:
                raise LostLeaseError("another run has written since") from error
            raise
        return Kept(kept.state, kept.version + 1)

    def give_back(self, owner: str) -> None:
        """Give the lease back; who has lost it has none to give."""
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_KEY,
                UpdateExpression="REMOVE lease_owner, lease_until",
                ConditionExpression="lease_owner = :owner",
                ExpressionAttributeValues={":owner": {"S": owner}},
            )
        except ClientError as error:
            if error_code(error) != _REFUSED:
                raise

    def observation(self) -> Observation | None:
        """What the watchdog saw last."""
        return GuardTable(self._client, self._table).latest_observation()

    def remember(self, at: datetime, number: int, entry: dict[str, Any]) -> None:
        """Add an entry to the audit trail; entries are never changed.

        Args:
            at: When.
            number: Tells entries of one time apart.
            entry: What is remembered.
        """
        key = f"{at.isoformat(timespec='microseconds')}#{number:08d}"
        item = {"pk": {"S": AUDIT}, "sk": {"S": key}, "body": {"S": json.dumps(entry)}}
        self._client.put_item(TableName=self._table, Item=item)

    def trail(self, most: int) -> list[dict[str, Any]]:
        """The last entries of the audit trail, the latest first."""
        answer = self._client.query(
            TableName=self._table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": AUDIT}},
            ScanIndexForward=False,
            Limit=min(most, _MOST_ENTRIES),
        )
        return list(_entries(answer["Items"]))


def _entries(items: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    for item in items:
        yield {"at": item["sk"]["S"].partition("#")[0], **json.loads(item["body"]["S"])}


def _kept(item: dict[str, Any]) -> Kept:
    body = item.get("body", {}).get("S")
    return Kept(State.read(body), int(item.get("version", {}).get("N", 0)))
