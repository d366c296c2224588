"""Resources of EC2, as far as it matters whose they are and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedResource:
    """Something that one account owns.

    Attributes:
        resource_id: Its id.
        owner: The account; None when EC2 does not say.
        vpc_id: The VPC that it is in, or is.
        kind: Which kind, where there are several, for example an interface's `efa-only`.
        tags: Its tags.
    """

    resource_id: str
    owner: str | None
    vpc_id: str | None
    kind: str | None
    tags: Mapping[str, str]


def owned_resource(told: dict[str, Any], key: str, *, kind: str | None = None) -> OwnedResource:
    """A resource as EC2 describes it.

    Args:
        told: EC2's description.
        key: The key of its id.
        kind: The key of its kind, where there are several.
    """
    return OwnedResource(
        resource_id=told[key],
        owner=told.get("OwnerId"),
        vpc_id=told.get("VpcId"),
        kind=told.get(kind) if kind else None,
        tags=tags_of(told),
    )


def tags_of(told: dict[str, Any]) -> dict[str, str]:
    """The tags of a description; network interfaces alone have a `TagSet`."""
    return {tag["Key"]: tag["Value"] for tag in told.get("Tags", told.get("TagSet", ()))}
