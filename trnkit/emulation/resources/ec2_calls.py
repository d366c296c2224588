"""What the resource types of EC2 have in common: tags, and ids that are not there."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.resource import Clients, Place, Properties, own_tags


def described(clients: Clients, what: str, **ids: Any) -> dict[str, Any] | None:
    """The one thing that a describe call of EC2 tells.

    Args:
        clients: boto3's clients.
        what: The plural in the operation, such as ``vpcs`` for DescribeVpcs.
        ids: The parameter that names the thing.
    """
    client = clients("ec2")
    answer = unless_gone(lambda: getattr(client, f"describe_{what}")(**ids))
    if answer is None:
        return None
    (things,) = [v for k, v in answer.items() if isinstance(v, list) and k != "ResponseMetadata"]
    live = [thing for thing in things if thing.get("State") not in {"deleted", "deleting"}]
    return live[0] if live else None


def tagged(kind: str, properties: Properties) -> dict[str, Any]:
    """The parameter that gives tags to what a call makes."""
    tags = own_tags(properties.get("Tags"))
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags}]} if tags else {}


def retag(place: Place, resource_id: str, old: Any, new: Any) -> None:
    """Bring the tags of a thing from the old template's to the new one's.

    Args:
        place: Where it is.
        resource_id: The thing.
        old: The tags of the old template.
        new: The tags of the new one.
    """
    client = place.clients("ec2")
    wanted = own_tags(new)
    keys = {tag["Key"] for tag in wanted}
    gone = [{"Key": tag["Key"]} for tag in own_tags(old) if tag["Key"] not in keys]
    if gone:
        client.delete_tags(Resources=[resource_id], Tags=gone)
    if wanted:
        client.create_tags(Resources=[resource_id], Tags=wanted)


def told(thing: dict[str, Any], *names: str) -> dict[str, Any]:
    """Those of the named members that an answer has, and its tags."""
    kept = {name: thing[name] for name in names if name in thing}
    return kept | {"Tags": own_tags(thing.get("Tags"))}
