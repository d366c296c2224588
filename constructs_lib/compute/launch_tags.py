"""Tags that CDK collects for a construct, as the `TagSpecifications` of EC2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsii
from aws_cdk import IStableAnyProducer, Lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aws_cdk import TagManager


def tag_specifications(tags: TagManager, resource_types: Sequence[str]) -> Any:
    """Tag specifications filled in at synthesis, when all tags of all parents are known.

    Args:
        tags: Where `Tags.of(...)` collects.
        resource_types: What to tag, e.g. `instance`.
    """

    def specifications() -> list[dict[str, Any]] | None:
        values = [{"key": k, "value": v} for k, v in tags.tag_values().items()]
        kinds = [{"resourceType": kind, "tags": values} for kind in resource_types]
        return kinds if values else None

    return Lazy.any(_Producer(specifications))


@jsii.implements(IStableAnyProducer)
class _Producer:
    """Hands a Python function to CDK, which accepts only objects with a `produce` method."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function

    def produce(self) -> Any:
        return self._function()
