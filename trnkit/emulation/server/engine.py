"""MiniStack's CloudFormation engine, with our resource types in it.

The only module that knows MiniStack's private names, so that the engine can be replaced; a test
makes, changes, reads and deletes every type through it. See docs/decisions.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable
from typing import Any

from trnkit.emulation.borrowed import errors, module
from trnkit.emulation.clients import clients_of
from trnkit.emulation.resources import registry_schema
from trnkit.emulation.resources.registry_schema import UnknownType
from trnkit.emulation.resources.resource import (
    Clients,
    Made,
    Place,
    Properties,
    Refused,
    ResourceType,
)
from trnkit.emulation.resources.schema_only import SchemaOnly

Handler = dict[str, Any]
_ENGINE = "ministack.services.cloudformation"


def install(types: Iterable[ResourceType]) -> None:
    """Put resource types into the engine; a type it has itself is replaced.

    Types that neither it nor we know are made by their schema alone. Types that the registry of the
    region does not know either are refused by the engine.
    """
    changesets, drift = module(f"{_ENGINE}.changesets"), module(f"{_ENGINE}.drift")
    provisioners = module(f"{_ENGINE}.provisioners")

    handlers = _Handlers(provisioners._RESOURCE_HANDLERS)
    for kind in types:
        handlers[kind.name] = _handler(kind)
        reader = _Reader(kind)
        drift._DRIFT_READERS[kind.name] = (reader, reader.told)
    provisioners._RESOURCE_HANDLERS = handlers
    changesets._RESOURCE_HANDLERS = handlers
    always, sometimes = "_REPLACING_PROPERTIES", "_CONDITIONALLY_REPLACING_PROPERTIES"
    for number, table in enumerate((always, sometimes)):
        own = getattr(provisioners, table)
        setattr(provisioners, table, _Replacing(own, handlers.ours, number))


class _Handlers(dict[str, Handler]):
    """The engine's table, to which a type is added by its schema when it is first asked for."""

    def __init__(self, engines_own: dict[str, Handler]) -> None:
        super().__init__({name: _checked(name, handler) for name, handler in engines_own.items()})
        self.ours: set[str] = set()

    def __setitem__(self, name: str, handler: Handler) -> None:
        self.ours.add(name)
        super().__setitem__(name, handler)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or self._added(name)

    def get(self, name: str, default: Any = None) -> Any:
        if name in self:
            return self[name]
        return default

    def _added(self, name: object) -> bool:
        # The engine's own types (macros, hooks) exist in the registry, but nothing would run them.
        if not isinstance(name, str) or not name.startswith("AWS::"):
            return False
        if name.startswith("AWS::CloudFormation::"):
            return False
        try:
            registry_schema.schema_of(name, _region())
        except UnknownType:
            return False
        kind = SchemaOnly(name)
        self[name] = _handler(kind)
        return True


def _handler(kind: ResourceType) -> Handler:
    def create(logical_id: str, properties: Any, stack_name: str) -> tuple[str, dict[str, Any]]:
        place = _place(stack_name, logical_id)
        given = _given(kind.name, properties)
        registry_schema.check(kind.name, place.region, given)
        made = _told(kind, lambda: kind.create(place, given))
        return made.physical_id, dict(made.attributes)

    def update(
        physical_id: str, old: Any, new: Any, stack_name: str, logical_id: str
    ) -> tuple[str, dict[str, Any]]:
        place = _place(stack_name, logical_id)
        old, new = _given(kind.name, old), _given(kind.name, new)
        registry_schema.check(kind.name, place.region, new)
        if registry_schema.replaces(kind.name, place.region, old, new):
            made = _told(kind, lambda: kind.create(place, new))
        else:
            made = _told(kind, lambda: kind.update(place, Made(physical_id), old, new))
        return made.physical_id, dict(made.attributes)

    def delete(physical_id: str, properties: Any, logical_id: str | None = None) -> None:
        _told(kind, lambda: kind.delete(_place("", logical_id or ""), physical_id, properties))

    return {
        "create": create,
        "update": update,
        "update_with_logical_id": True,
        "delete": delete,
        "delete_with_logical_id": True,
    }


def _checked(name: str, handler: Handler) -> Handler:
    """A type of the engine's own, with its properties checked against the schema first."""
    if name.startswith(("AWS::CloudFormation::", "Custom::")) or "create" not in handler:
        return handler
    checked = dict(handler)
    make: Callable[..., Any] = handler["create"]
    change: Callable[..., Any] | None = handler.get("update")

    @functools.wraps(make)
    def create(logical_id: str, properties: Any, *rest: Any) -> Any:
        _check_if_known(name, properties)
        return make(logical_id, properties, *rest)

    checked["create"] = create
    if change is not None:

        @functools.wraps(change)
        def update(physical_id: str, old: Any, new: Any, *rest: Any) -> Any:
            _check_if_known(name, new)
            return change(physical_id, old, new, *rest)

        checked["update"] = update
    return checked


def _check_if_known(name: str, properties: Any) -> None:
    try:
        registry_schema.check(name, _region(), _given(name, properties))
    except UnknownType as error:
        raise Refused(f"{name} does not exist in {_region()}") from error


def _told(kind: ResourceType, call: Callable[[], Any]) -> Any:
    """What a call gives; a service's error in the words that a stack's event has for it."""
    of_service, of_parameters = errors()
    service = kind.name.split("::")[1]
    try:
        return call()
    except of_service as error:
        told = getattr(error, "response", {}).get("Error", {})
        raise Refused(
            str(told.get("Message", error)), code=str(told.get("Code", "")), service=service
        ) from error
    except of_parameters as error:
        raise Refused(str(error), code="ValidationException", service=service) from error


def _given(name: str, properties: Properties) -> Properties:
    """Properties without the tags that the engine adds, which the schemas do not allow."""
    provisioners = module(f"{_ENGINE}.provisioners")

    key, _ = provisioners._STACK_TAG_PROPERTY.get(name, ("Tags", "list"))
    tags = properties.get(key)
    kept: Any = None
    if isinstance(tags, dict):
        kept = {k: v for k, v in tags.items() if not str(k).startswith("aws:")}
    elif isinstance(tags, list):
        kept = [tag for tag in tags if not _is_engines(tag)]
    others = {k: v for k, v in properties.items() if k != key or kept is None}
    return others | ({key: kept} if kept else {})


def _is_engines(tag: Any) -> bool:
    return isinstance(tag, dict) and str(tag.get("Key", "")).startswith("aws:")


class _Replacing(dict[str, Any]):
    """Which properties replace a resource, always or sometimes: the engine's table.

    For our types the schema says it, which is read when the first change set asks.
    """

    def __init__(self, engines_own: dict[str, Any], ours: set[str], number: int) -> None:
        super().__init__(engines_own)
        self._ours = ours
        self._number = number

    def get(self, name: str, default: Any = None) -> Any:
        if name in self._ours:
            with contextlib.suppress(UnknownType):
                return _replacing(name, _region())[self._number]
        return super().get(name, default)


@functools.cache
def _replacing(name: str, region: str) -> tuple[frozenset[str], frozenset[str]]:
    schema = registry_schema.schema_of(name, region)
    paths = registry_schema.pointers(schema, "createOnlyProperties")
    always = frozenset(path[0] for path in paths if len(path) == 1)
    return always, frozenset(path[0] for path in paths) - always


class _Reader:
    """What drift detection asks for the properties of a resource.

    The engine reads first and then compares the properties that are in ``told``: those that the
    service told of this resource.
    """

    def __init__(self, kind: ResourceType) -> None:
        self._kind = kind
        self.told: set[str] = set()

    def __call__(self, physical_id: str, properties: Properties) -> dict[str, Any] | None:
        answer = self._kind.read(_clients(), physical_id, properties)
        self.told.clear()
        self.told.update(answer or ())
        return answer


def _region() -> str:
    return str(module("ministack.core.responses").get_region())


def _account() -> str:
    return str(module("ministack.core.responses").get_account_id())


@functools.cache
def _clients_in(region: str) -> Clients:
    return clients_of(None, region)


def _clients() -> Clients:
    return _clients_in(_region())


def _place(stack_name: str, logical_id: str) -> Place:
    return Place(_account(), _region(), stack_name, logical_id, _clients())
