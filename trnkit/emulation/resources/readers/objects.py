"""Buckets and their policies, as S3 tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import document, named
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags


class Bucket:
    """``AWS::S3::Bucket`` by a call for each of its settings."""

    name = "AWS::S3::Bucket"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Encryption, lifecycle, ownership, public access, versions and tags."""
        s3 = clients("s3")
        if unless_gone(lambda: s3.head_bucket(Bucket=physical_id)) is None:
            return None
        told: dict[str, Any] = {"BucketName": physical_id}
        for name, operation, member, shaped in _SETTINGS:
            answer = (
                unless_gone(lambda asked=operation: getattr(s3, asked)(Bucket=physical_id)) or {}
            )
            told[name] = shaped(answer) if answer.get(member) else None
        return told


class BucketPolicy:
    """``AWS::S3::BucketPolicy`` by GetBucketPolicy."""

    name = "AWS::S3::BucketPolicy"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """The policy of its bucket."""
        bucket = properties["Bucket"]
        answer = unless_gone(lambda: clients("s3").get_bucket_policy(Bucket=bucket))
        if answer is None:
            return None
        return {"Bucket": bucket, "PolicyDocument": document(answer["Policy"])}


def _encryption(answer: Mapping[str, Any]) -> dict[str, Any]:
    rules: list[dict[str, Any]] = []
    for rule in answer["ServerSideEncryptionConfiguration"]["Rules"]:
        default = rule.get("ApplyServerSideEncryptionByDefault", {})
        by_default = {"SSEAlgorithm": "SSEAlgorithm", "KMSMasterKeyID": "KMSMasterKeyID"}
        told: dict[str, Any] = {"ServerSideEncryptionByDefault": named(default, by_default)}
        rules.append(told | named(rule, {"BucketKeyEnabled": "BucketKeyEnabled"}))
    return {"ServerSideEncryptionConfiguration": rules}


def _ownership(answer: Mapping[str, Any]) -> dict[str, Any]:
    rules = answer["OwnershipControls"]["Rules"]
    return {"Rules": [named(rule, {"ObjectOwnership": "ObjectOwnership"}) for rule in rules]}


def _public_access(answer: Mapping[str, Any]) -> dict[str, Any]:
    return dict(answer["PublicAccessBlockConfiguration"])


def _versioning(answer: Mapping[str, Any]) -> dict[str, Any]:
    return named(answer, {"Status": "Status"})


def _tags(answer: Mapping[str, Any]) -> list[dict[str, str]]:
    return own_tags(answer["TagSet"])


def _lifecycle(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"Rules": [_lifecycle_rule(rule) for rule in answer["Rules"]]}


def _lifecycle_rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    told = named(
        rule,
        {
            "AbortIncompleteMultipartUpload": "AbortIncompleteMultipartUpload",
            "ID": "Id",
            "NoncurrentVersionExpiration": "NoncurrentVersionExpiration",
            "Prefix": "Prefix",
            "Status": "Status",
        },
    )
    told |= named(
        rule.get("Expiration", {}),
        {
            "Date": "ExpirationDate",
            "Days": "ExpirationInDays",
            "ExpiredObjectDeleteMarker": "ExpiredObjectDeleteMarker",
        },
    )
    moves = {"Date": "TransitionDate", "Days": "TransitionInDays", "StorageClass": "StorageClass"}
    if rule.get("Transitions"):
        told["Transitions"] = [named(move, moves) for move in rule["Transitions"]]
    old = {
        "NewerNoncurrentVersions": "NewerNoncurrentVersions",
        "NoncurrentDays": "TransitionInDays",
        "StorageClass": "StorageClass",
    }
    if rule.get("NoncurrentVersionTransitions"):
        told["NoncurrentVersionTransitions"] = [
            named(move, old) for move in rule["NoncurrentVersionTransitions"]
        ]
    return told | _lifecycle_filter(rule.get("Filter", {}))


def _lifecycle_filter(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """A rule's filter, whose parts are the rule's own properties in a template."""
    parts = dict(chosen.get("And") or chosen)
    tags = list(parts.get("Tags", ())) + ([parts["Tag"]] if "Tag" in parts else [])
    names = ("ObjectSizeGreaterThan", "ObjectSizeLessThan")
    told = named(parts, {name: name for name in names})
    # A rule for all objects has an empty prefix; its template need not say so.
    if parts.get("Prefix"):
        told["Prefix"] = parts["Prefix"]
    return told | ({"TagFilters": tags} if tags else {})


_SETTINGS = (
    (
        "BucketEncryption",
        "get_bucket_encryption",
        "ServerSideEncryptionConfiguration",
        _encryption,
    ),
    ("LifecycleConfiguration", "get_bucket_lifecycle_configuration", "Rules", _lifecycle),
    ("OwnershipControls", "get_bucket_ownership_controls", "OwnershipControls", _ownership),
    (
        "PublicAccessBlockConfiguration",
        "get_public_access_block",
        "PublicAccessBlockConfiguration",
        _public_access,
    ),
    ("VersioningConfiguration", "get_bucket_versioning", "Status", _versioning),
    ("Tags", "get_bucket_tagging", "TagSet", _tags),
)

READERS = (Bucket(), BucketPolicy())
