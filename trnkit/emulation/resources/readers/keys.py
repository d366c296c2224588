"""Keys and their aliases, as KMS tells them."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import (
    all_named,
    capitalized,
    document,
    named,
)
from trnkit.emulation.resources.resource import Clients, Proof, Properties


class Key:
    """``AWS::KMS::Key`` by DescribeKey, GetKeyPolicy and GetKeyRotationStatus."""

    name = "AWS::KMS::Key"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """None also for a key that waits for its deletion: CloudFormation has deleted it."""
        kms = clients("kms")
        answer = unless_gone(lambda: kms.describe_key(KeyId=physical_id))
        if answer is None or answer["KeyMetadata"]["KeyState"] == "PendingDeletion":
            return None
        key = answer["KeyMetadata"]
        names = ("Description", "Enabled", "KeySpec", "KeyUsage", "MultiRegion", "Origin")
        told = all_named(key, {name: name for name in names})
        policy = kms.get_key_policy(KeyId=physical_id, PolicyName="default")
        told["KeyPolicy"] = document(policy["Policy"])
        if key["KeySpec"] == "SYMMETRIC_DEFAULT":
            rotation = kms.get_key_rotation_status(KeyId=physical_id)
            told["EnableKeyRotation"] = rotation["KeyRotationEnabled"]
            told |= named(rotation, {"RotationPeriodInDays": "RotationPeriodInDays"})
        pages = kms.get_paginator("list_resource_tags").paginate(KeyId=physical_id)
        tags = [tag for page in pages for tag in page.get("Tags", ())]
        return told | {"Tags": capitalized(tags, "TagKey", "TagValue")}


class Alias:
    """``AWS::KMS::Alias`` by ListAliases and DescribeKey."""

    name = "AWS::KMS::Alias"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its key, by id or by ARN as the template names it."""
        kms = clients("kms")
        pages = kms.get_paginator("list_aliases").paginate()
        aliases = [alias for page in pages for alias in page["Aliases"]]
        for alias in aliases:
            if alias["AliasName"] == physical_id and alias.get("TargetKeyId"):
                key = kms.describe_key(KeyId=alias["TargetKeyId"])["KeyMetadata"]
                by_arn = str(properties.get("TargetKeyId", "")).startswith("arn:")
                target = key["Arn"] if by_arn else key["KeyId"]
                return {"AliasName": alias["AliasName"], "TargetKeyId": target}
        return None


READERS = (Key(), Alias())
