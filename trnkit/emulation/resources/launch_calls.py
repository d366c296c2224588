"""What the resource types of launching have in common: things that are gone, moments, tags."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from trnkit.emulation.resources.resource import own_tags


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


def without_nothing(told: Mapping[str, Any]) -> dict[str, Any]:
    """Those values that a service really told."""
    return {name: value for name, value in told.items() if value not in (None, "", [], {})}
