"""How EC2 refuses, for those parts of it that are ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn


def refuse(code: str, message: str) -> NoReturn:
    """Answer with one of EC2's errors.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    """
    from moto.ec2.exceptions import EC2ClientError

    raise EC2ClientError(code, message)


def missing(parameter: str) -> NoReturn:
    """Refuse a request without a parameter that it needs."""
    refuse("MissingParameter", f"The request must contain the parameter {parameter}")


def invalid(value: Any, parameter: str, why: str = "") -> NoReturn:
    """Refuse a parameter's value."""
    told = f"Value ({value}) for parameter {parameter} is invalid."
    refuse("InvalidParameterValue", f"{told} {why}".strip())


def passes(described: Mapping[str, Any], filters: Mapping[str, list[str]]) -> bool:
    """Whether something fits the filters of a Describe call.

    Args:
        described: Its values, by the names that the filters have, and ``tags``.
        filters: Values that each filter accepts.
    """
    tags: Mapping[str, str] = described.get("tags", {})
    for name, accepted in filters.items():
        if name.startswith("tag:"):
            found = [tags.get(name[4:], "")] if name[4:] in tags else []
        elif name == "tag-key":
            found = [*tags]
        elif name in described:
            found = [str(described[name])]
        else:
            refuse("InvalidParameterValue", f"The filter '{name}' is invalid")
        if not set(found) & set(accepted):
            return False
    return True


def tags_for(tag_specifications: Any, resource_type: str) -> dict[str, str]:
    """Tags that a request gives to resources of a type."""
    return {
        str(tag["Key"]): str(tag.get("Value", ""))
        for specification in tag_specifications or ()
        if specification.get("ResourceType") == resource_type
        for tag in specification.get("Tags", ())
    }


def tag_set(backend: Any, resource_id: str) -> list[dict[str, str]]:
    """Tags of an EC2 resource as Describe calls give them."""
    tags: Mapping[str, str] = backend.tags.get(resource_id, {})
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def zone_of(backend: Any, name: str | None = None, zone_id: str | None = None) -> Any:
    """Moto's zone by name or by id.

    Raises:
        EC2ClientError: The region has no such zone.
    """
    for zone in backend.describe_availability_zones():
        if (zone_id and zone.zone_id == zone_id) or (name and zone.name == name):
            return zone
    refuse("InvalidParameterValue", f"Invalid availability zone: [{name or zone_id}]")
