"""Random cluster files, made from the model itself, so that a new key is covered when it appears.

What a type alone cannot tell (text, and sizes that AWS offers) is in `WORDS` and `SIZES`, by path;
`test_cluster_properties.py` fails when a key of text has no entry.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel

from trnkit.catalog import instance_type_names, region_names, zone_ids_offering
from trnkit.config import ClusterConfig


@dataclass(frozen=True)
class Place:
    """A region, a zone of it, and the instance types offered there."""

    region: str
    zone_id: str
    instance_types: tuple[str, ...]


def _places() -> list[Place]:
    offered: dict[tuple[str, str], list[str]] = {}
    for region in region_names():
        for name in instance_type_names():
            for zone in zone_ids_offering(name, region) or ():
                offered.setdefault((region, zone), []).append(name)
    return [Place(region, zone, tuple(names)) for (region, zone), names in offered.items()]


PLACES = _places()

_NAMES = st.from_regex(r"[a-z][a-z0-9-]{1,10}[a-z0-9]", fullmatch=True)
_EMAILS = st.integers(0, 30).map(lambda number: f"person{number}@example.com")

WORDS: dict[str, Callable[[Place], st.SearchStrategy[Any]]] = {
    "name": lambda _: _NAMES,
    "account": lambda _: st.sampled_from(["111122223333", "123456789012"]),
    "region": lambda place: st.just(place.region),
    "suppress.rule_id": lambda _: st.sampled_from(["TRN204", "TRN406", "TRN205"]),
    "suppress.reason": lambda _: st.just("a reason that is long enough"),
    "network.vpc_cidr": lambda _: st.sampled_from(
        ["10.0.0.0/16", "10.20.0.0/20", "172.16.0.0/18", "192.168.0.0/22"]
    ),
    "network.availability_zone_id": lambda place: st.just(place.zone_id),
    "compute.node_groups.name": lambda _: _NAMES,
    "compute.node_groups.instance_type": lambda place: st.sampled_from(place.instance_types),
    "compute.node_groups.image.ami_id": lambda _: st.just("ami-0123456789abcdef0"),
    "compute.node_groups.image.ssm_parameter": lambda _: st.just(
        "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"
    ),
    "storage.lustre_file_systems.name": lambda _: _NAMES,
    "storage.lustre_file_systems.file_system_type_version": lambda _: st.sampled_from(
        ["2.15", "2.15", "2.12"]
    ),
    "storage.lustre_file_systems.mount_path": lambda _: _NAMES.map(lambda name: f"/mnt/{name}"),
    "storage.lustre_file_systems.data_repository_associations.file_system_path": lambda _: (
        _NAMES.map(lambda name: f"/{name}")
    ),
    "storage.lustre_file_systems.data_repository_associations.data_repository_path": lambda _: (
        _NAMES.map(lambda name: f"s3://example-bucket/{name}")
    ),
    "budget.region": lambda _: st.just("us-east-1"),
    "budget.services": lambda _: st.just("Amazon FSx"),
    "budget.emails": lambda _: _EMAILS,
}

SIZES: dict[str, st.SearchStrategy[Any]] = {
    "compute.node_groups.count": st.sampled_from([0, 1, 2, 4, 64, 500]),
    "compute.node_groups.efa.interfaces": st.sampled_from([0, 1, 8, 16]),
    "compute.node_groups.logical_neuroncore_size": st.sampled_from([1, 2]),
    "compute.node_groups.root_volume_size_gib": st.sampled_from([512, 600, 2000]),
    "storage.lustre_file_systems.storage_capacity_gib": st.sampled_from([1200, 2400, 4800, 96000]),
    "storage.lustre_file_systems.per_unit_storage_throughput": st.sampled_from([125, 250, 1000]),
    "budget.thresholds.percent": st.integers(1, 1000),
}


def cluster_files() -> st.SearchStrategy[dict[str, Any]]:
    """A cluster file as plain values: every key may be there, most are sensible, some clash."""
    return st.sampled_from(PLACES).flatmap(lambda place: _section(ClusterConfig, place, ()))


def text_keys(model: type[BaseModel] = ClusterConfig, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every key of the model whose value is free text."""
    for name, field in model.model_fields.items():
        for kind in _leaves(field.annotation):
            here = (*path, name)
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from text_keys(kind, here)
            elif kind is str:
                yield ".".join(here)


def all_keys(model: type[BaseModel] = ClusterConfig, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every key of the model, nested ones too."""
    for name, field in model.model_fields.items():
        yield ".".join((*path, name))
        for kind in _leaves(field.annotation):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from all_keys(kind, (*path, name))


def _leaves(annotation: Any) -> Iterator[Any]:
    """The types inside unions, lists and annotations; mappings and literals are leaves."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        yield from _leaves(typing.get_args(annotation)[0])
    elif origin in (typing.Union, types.UnionType, tuple):
        for part in typing.get_args(annotation):
            if part not in (type(None), Ellipsis):
                yield from _leaves(part)
    else:
        yield annotation


def _section(model: type[BaseModel], place: Place, path: tuple[str, ...]) -> Any:
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        bounds = {
            key: getattr(item, key)
            for item in field.metadata
            for key in ("ge", "gt", "le", "min_length", "max_length")
            if getattr(item, key, None) is not None
        }
        strategy = _value(field.annotation, place, (*path, name), bounds)
        (required if field.is_required() else optional)[name] = strategy
    return st.fixed_dictionaries(required, optional=optional)


def _value(annotation: Any, place: Place, path: tuple[str, ...], bounds: dict[str, Any]) -> Any:
    key = ".".join(path)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _value(arguments[0], place, path, bounds)
    if origin in (typing.Union, types.UnionType):
        (inner,) = (part for part in arguments if part is not type(None))
        return _value(inner, place, path, bounds)
    if origin is tuple:
        fewest = bounds.get("min_length", 0)
        return st.lists(
            _value(arguments[0], place, path, {}), min_size=fewest, max_size=max(fewest, 3)
        )
    if key in SIZES:
        return SIZES[key]
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin is dict:
        return st.dictionaries(_NAMES, _NAMES, max_size=3)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _section(annotation, place, path)
    if annotation is bool:
        return st.booleans()
    if annotation in (int, float):
        low = int(bounds.get("ge", bounds.get("gt", 0) + 1))
        return st.integers(low, int(min(bounds.get("le", 100_000), 100_000)))
    return WORDS[key](place)


_WRONG = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**13),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
)


@st.composite
def spoilt_cluster_files(draw: st.DrawFn) -> dict[str, Any]:
    """A cluster file with one value replaced, one key renamed or one removed."""
    data = draw(cluster_files())
    spots: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            spots.append((node, key))
            if isinstance(value, dict | list):
                collect(value)

    collect(data)
    container, key = draw(st.sampled_from(spots))
    how = draw(st.sampled_from(["replace", "rename", "remove"]))
    if how == "replace" or isinstance(container, list):
        container[key] = draw(_WRONG)
    elif how == "rename":
        container[draw(st.text(max_size=12))] = container.pop(key)
    else:
        del container[key]
    return data
