"""Tables, as DynamoDB tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import all_named, named
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags

_PLAIN = ("AttributeDefinitions", "DeletionProtectionEnabled", "KeySchema", "TableName")
_LISTED = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes", "StreamSpecification")
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")
_ON = frozenset({"ENABLED", "ENABLING"})


class Table:
    """``AWS::DynamoDB::Table`` by DescribeTable and the calls for backups, expiry and tags."""

    name = "AWS::DynamoDB::Table"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Keys, billing, encryption, recovery, expiry and tags."""
        service = clients("dynamodb")
        answer = unless_gone(lambda: service.describe_table(TableName=physical_id))
        if answer is None:
            return None
        table = answer["Table"]
        told = all_named(table, {name: name for name in (*_PLAIN, *_LISTED)})
        told["TableClass"] = table.get("TableClassSummary", {}).get("TableClass")
        told["BillingMode"] = table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
        told["ProvisionedThroughput"] = named(
            table.get("ProvisionedThroughput", {}), {name: name for name in _UNITS}
        )
        told["SSESpecification"] = _encryption(table.get("SSEDescription") or {})
        told["PointInTimeRecoverySpecification"] = _recovery(service, physical_id)
        told["TimeToLiveSpecification"] = _expiry(service, physical_id)
        tags = service.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
        return told | {"Tags": own_tags(tags)}


def _encryption(told: Mapping[str, Any]) -> dict[str, Any] | None:
    """None: a key that DynamoDB owns, of which it tells nothing."""
    if not told:
        return None
    read: dict[str, Any] = {"SSEEnabled": told.get("Status") in _ON}
    return read | named(told, {"SSEType": "SSEType", "KMSMasterKeyArn": "KMSMasterKeyId"})


def _recovery(service: Any, name: str) -> dict[str, Any]:
    answer = service.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    recovery = answer.get("PointInTimeRecoveryDescription", {})
    days = {"RecoveryPeriodInDays": "RecoveryPeriodInDays"}
    on = recovery.get("PointInTimeRecoveryStatus") in _ON
    return {"PointInTimeRecoveryEnabled": on} | named(recovery, days)


def _expiry(service: Any, name: str) -> dict[str, Any]:
    told = service.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    attribute = named(told, {"AttributeName": "AttributeName"})
    return attribute | {"Enabled": told.get("TimeToLiveStatus") in _ON}


READERS = (Table(),)
