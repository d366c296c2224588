"""Settings of buckets that MiniStack's S3 keeps, and its ``AWS::S3::Bucket`` does not give to it.

Those are encryption, lifecycle, ownership, tags, and the suspension of versions. They go through
the same functions as a call of S3's API, so that S3's refusals count here too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Properties, Refused, own_tags


def apply(bucket: str, new: Properties, old: Properties) -> None:
    """Bring a bucket's settings to what its template says.

    Raises:
        Refused: S3 does not take a setting.
    """
    s3 = module("ministack.services.s3")
    for name, (operation, member, shaped) in _SETTINGS.items():
        function = _snake(operation)
        if new.get(name):
            body = _body(operation, {"Bucket": bucket, member: shaped(new[name])})
            status, _, answer = getattr(s3, f"_{_FUNCTIONS.get(function, function)}")(bucket, body)
            if status >= 400:
                raise Refused(f"{name}: {answer!r}", code="InvalidRequest", service="S3")
        elif old.get(name):
            _removed(s3, name, bucket)


def _removed(s3: Any, name: str, bucket: str) -> None:
    """What a bucket is without a setting; versions once begun are only suspended."""
    if name == "VersioningConfiguration":
        s3._bucket_versioning[bucket] = "Suspended"
    else:
        getattr(s3, _WITHOUT[name])(bucket)


def _encryption(given: Mapping[str, Any]) -> dict[str, Any]:
    rules: list[dict[str, Any]] = []
    for rule in given["ServerSideEncryptionConfiguration"]:
        shaped: dict[str, Any] = {}
        if "ServerSideEncryptionByDefault" in rule:
            shaped["ApplyServerSideEncryptionByDefault"] = dict(
                rule["ServerSideEncryptionByDefault"]
            )
        if "BucketKeyEnabled" in rule:
            shaped["BucketKeyEnabled"] = _is_true(rule["BucketKeyEnabled"])
        rules.append(shaped)
    return {"Rules": rules}


def _lifecycle(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"Rules": [_lifecycle_rule(rule) for rule in given["Rules"]]}


def _lifecycle_rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    shaped: dict[str, Any] = {"Status": rule["Status"], "Filter": _lifecycle_filter(rule)}
    if rule.get("Id"):
        shaped["ID"] = rule["Id"]
    expiration: dict[str, Any] = {}
    if "ExpirationInDays" in rule:
        expiration["Days"] = int(rule["ExpirationInDays"])
    if "ExpirationDate" in rule:
        expiration["Date"] = rule["ExpirationDate"]
    if "ExpiredObjectDeleteMarker" in rule:
        expiration["ExpiredObjectDeleteMarker"] = _is_true(rule["ExpiredObjectDeleteMarker"])
    if expiration:
        shaped["Expiration"] = expiration
    for name, days in (("Transitions", "Days"), ("NoncurrentVersionTransitions", "NoncurrentDays")):
        if name in rule:
            shaped[name] = [_transition(move, days) for move in rule[name]]
    for name in ("NoncurrentVersionExpiration", "AbortIncompleteMultipartUpload"):
        if name in rule:
            shaped[name] = {key: int(value) for key, value in rule[name].items()}
    return shaped


def _transition(move: Mapping[str, Any], days: str) -> dict[str, Any]:
    shaped: dict[str, Any] = {"StorageClass": move["StorageClass"]}
    if "TransitionInDays" in move:
        shaped[days] = int(move["TransitionInDays"])
    if "TransitionDate" in move:
        shaped["Date"] = move["TransitionDate"]
    if "NewerNoncurrentVersions" in move:
        shaped["NewerNoncurrentVersions"] = int(move["NewerNoncurrentVersions"])
    return shaped


def _lifecycle_filter(rule: Mapping[str, Any]) -> dict[str, Any]:
    """What the API has for a template's prefix, tags and sizes: one of them, or all under And."""
    parts: dict[str, Any] = {}
    if rule.get("Prefix"):
        parts["Prefix"] = rule["Prefix"]
    for name in ("ObjectSizeGreaterThan", "ObjectSizeLessThan"):
        if name in rule:
            parts[name] = int(rule[name])
    tags = [dict(tag) for tag in rule.get("TagFilters") or ()]
    if len(parts) + len(tags) > 1:
        return {"And": parts | ({"Tags": tags} if tags else {})}
    if tags:
        return {"Tag": tags[0]}
    return parts or {"Prefix": ""}


def _ownership(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"Rules": [dict(rule) for rule in given["Rules"]]}


def _versioning(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"Status": given["Status"]}


def _tags(given: Any) -> dict[str, Any]:
    return {"TagSet": own_tags(given)}


_SETTINGS: dict[str, tuple[str, str, Callable[[Any], dict[str, Any]]]] = {
    "BucketEncryption": (
        "PutBucketEncryption",
        "ServerSideEncryptionConfiguration",
        _encryption,
    ),
    "LifecycleConfiguration": (
        "PutBucketLifecycleConfiguration",
        "LifecycleConfiguration",
        _lifecycle,
    ),
    "OwnershipControls": ("PutBucketOwnershipControls", "OwnershipControls", _ownership),
    "Tags": ("PutBucketTagging", "Tagging", _tags),
    "VersioningConfiguration": ("PutBucketVersioning", "VersioningConfiguration", _versioning),
}
_FUNCTIONS = {"put_bucket_lifecycle_configuration": "put_bucket_lifecycle"}
_WITHOUT = {
    "BucketEncryption": "_delete_bucket_encryption",
    "LifecycleConfiguration": "_delete_bucket_lifecycle",
    "OwnershipControls": "_delete_bucket_ownership_controls",
    "Tags": "_delete_bucket_tagging",
}


def _snake(operation: str) -> str:
    return str(module("botocore").xform_name(operation))


@functools.cache
def _model() -> Any:
    loader = module("botocore.loaders").Loader()
    described = loader.load_service_model("s3", "service-2")
    return module("botocore.model").ServiceModel(described, "s3")


def _body(operation: str, parameters: dict[str, Any]) -> bytes:
    """The XML that a client would send."""
    serializer = module("botocore.serialize").create_serializer("rest-xml")
    sent = serializer.serialize_to_request(parameters, _model().operation_model(operation))
    body = sent["body"]
    return body.encode() if isinstance(body, str) else bytes(body)


def _is_true(value: Any) -> bool:
    """A boolean of a template, which may be text."""
    return str(value).lower() == "true"
