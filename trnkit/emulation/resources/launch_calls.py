"""What the resource types of launching have in common: things that are gone, moments, tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from trnkit.emulation.resources.resource import Place, own_tags


def unless_gone(call: Callable[[], Any], *told: str) -> Any:
    """What a call gives, None when AWS says that the thing does not exist.

    Args:
        call: The call.
        told: Parts of code or message that say so.
    """
    refused = import_module("botocore.exceptions").ClientError
    try:
        return call()
    except refused as error:
        if any(part in str(error) for part in told):
            return None
        raise


def same_moment(answer: datetime | None, written: Any) -> str | None:
    """A moment as a template writes it.

    Args:
        answer: What the service tells.
        written: What the template says; a moment can be written in several ways, and stays as it
            is written when it is the one that the service tells.
    """
    parse_timestamp = import_module("botocore.utils").parse_timestamp
    if answer is None:
        return None
    if written is not None:
        try:
            meant = parse_timestamp(written)
        except ValueError:
            meant = None
        if meant and _utc(meant) == _utc(answer):
            return str(written)
    return f"{_utc(answer):%Y-%m-%dT%H:%M:%SZ}"


def _utc(moment: datetime) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def tag_specifications(resource_type: str, tags: Any) -> list[dict[str, Any]] | None:
    """Tags as ``TagSpecifications``, None without any."""
    own = own_tags(tags)
    return [{"ResourceType": resource_type, "Tags": own}] if own else None


def tags_of(specifications: Any, resource_type: str) -> list[dict[str, str]]:
    """Tags that a template's ``TagSpecifications`` give to a resource itself."""
    return [
        tag
        for specification in specifications or ()
        if specification.get("ResourceType") == resource_type
        for tag in own_tags(specification.get("Tags"))
    ]


def retag(
    place: Place, resource_id: str, old: list[dict[str, str]], new: list[dict[str, str]]
) -> None:
    """Bring the tags of an EC2 resource from those of the old template to the new one's."""
    ec2 = place.clients("ec2")
    kept = {tag["Key"] for tag in new}
    gone = [{"Key": tag["Key"]} for tag in old if tag["Key"] not in kept]
    if gone:
        ec2.delete_tags(Resources=[resource_id], Tags=gone)
    if new:
        ec2.create_tags(Resources=[resource_id], Tags=new)


def without_nothing(told: Mapping[str, Any]) -> dict[str, Any]:
    """Those values that a service really told."""
    return {name: value for name, value in told.items() if value not in (None, "", [], {})}
