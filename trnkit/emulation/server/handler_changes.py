"""How the functions of MiniStack's resource types are changed: by others around them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from trnkit.emulation.resources.resource import Properties

Handler = dict[str, Any]
Result = tuple[str, dict[str, Any]]
Apply = Callable[[str, Properties, Properties], None]
"""Brings what a service holds of a physical id from old properties to new ones."""
Check = Callable[[Properties], None]
"""Raises `Refused` when AWS would not take the properties."""


def then(handler: dict[str, Any], apply: Apply) -> None:
    """After creation and change also do ``apply``; a creation that it refuses is undone."""
    create, update, delete = handler["create"], handler["update"], handler["delete"]

    @functools.wraps(create)
    def created(logical_id: str, properties: Properties, *rest: Any) -> Result:
        physical_id, attributes = create(logical_id, properties, *rest)
        try:
            apply(physical_id, properties, {})
        except Exception:
            delete(physical_id, properties)
            raise
        return physical_id, attributes

    @functools.wraps(update)
    def updated(physical_id: str, old: Properties, new: Properties, *rest: Any) -> Result:
        now, attributes = update(physical_id, old, new, *rest)
        apply(now, new, old)
        return now, attributes

    handler["create"], handler["update"] = created, updated


def before_creation(handler: dict[str, Any], check: Check) -> None:
    """Before creation ask ``check``, which raises."""
    create = handler["create"]

    @functools.wraps(create)
    def created(logical_id: str, properties: Properties, *rest: Any) -> Result:
        check(properties)
        return create(logical_id, properties, *rest)

    handler["create"] = created


def with_properties(
    handler: dict[str, Any], shaped: Callable[[Properties], dict[str, Any]]
) -> None:
    """Give MiniStack's functions the properties as ``shaped`` makes them."""
    create, update = handler["create"], handler["update"]

    @functools.wraps(create)
    def created(logical_id: str, properties: Properties, *rest: Any) -> Result:
        return create(logical_id, shaped(properties), *rest)

    @functools.wraps(update)
    def updated(physical_id: str, old: Properties, new: Properties, *rest: Any) -> Result:
        return update(physical_id, shaped(old), shaped(new), *rest)

    handler["create"], handler["update"] = created, updated


def before(handler: dict[str, Any], check: Check) -> None:
    """Before creation and change ask ``check``, which raises."""
    create, update = handler["create"], handler["update"]

    @functools.wraps(create)
    def created(logical_id: str, properties: Properties, *rest: Any) -> Result:
        check(properties)
        return create(logical_id, properties, *rest)

    @functools.wraps(update)
    def updated(physical_id: str, old: Properties, new: Properties, *rest: Any) -> Result:
        check(new)
        return update(physical_id, old, new, *rest)

    handler["create"], handler["update"] = created, updated
