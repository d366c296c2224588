"""Intrinsic functions over lists and mappings: selections, look-ups, blocks of addresses."""

from __future__ import annotations

import ipaddress
import itertools
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading.known_values import UNKNOWN, Reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trnkit.rules.stack_set import Template

_ABSENT = object()
_INDEX = re.compile("[0-9]{1,9}")
_MOST_BLOCKS = 256
_MOST_NODES = 10_000
_DEEPEST = 40
_OF_REGIONS = {"Ref": "AWS::Region"}


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _find_in_map(template: Template, argument: Any, depth: int) -> Any:
    """The value of a key; where the Region alone is not known, what is the same in all of them."""
    keys = argument if isinstance(argument, list) else []
    if len(keys) not in (3, 4):
        return UNKNOWN
    entries: Any = template.body.get("Mappings")
    found: list[Any] = [entries]
    is_sure = True
    for key in keys[:3]:
        name = template.text(key, depth)
        if name is not None:
            found = [_mapping(value).get(name, _ABSENT) for value in found]
        elif key == _OF_REGIONS:
            found = [each for value in found for each in _mapping(value).values()]
            is_sure = False
        else:
            return UNKNOWN
    default = _mapping(keys[3]).get("DefaultValue", _ABSENT) if len(keys) == 4 else _ABSENT
    if default is not _ABSENT and (found == [_ABSENT] or not is_sure):
        found = [value for value in found if value is not _ABSENT] if not is_sure else []
        found.append(template.resolve(default, depth))
    first = found[0] if found else _ABSENT
    same = first is not _ABSENT and all(value == first for value in found)
    return template.resolve(first, depth) if same else UNKNOWN


def _select(template: Template, argument: Any, depth: int) -> Any:
    if not isinstance(argument, list) or len(argument) != 2:
        return UNKNOWN
    index, values = template.text(argument[0], depth), template.resolve(argument[1], depth)
    if not isinstance(values, list) or index is None or not _INDEX.fullmatch(index):
        return UNKNOWN
    chosen = values[int(index)] if int(index) < len(values) else UNKNOWN
    chosen = template.resolve(chosen, depth)
    return UNKNOWN if chosen is None else chosen


def _split(template: Template, argument: Any, depth: int) -> Any:
    if not isinstance(argument, list) or len(argument) != 2:
        return UNKNOWN
    separator, text = template.text(argument[0], depth), template.text(argument[1], depth)
    if not separator or text is None or not template.stack_set.affords(len(text)):
        return UNKNOWN
    return text.split(separator)


def _length(template: Template, argument: Any, depth: int) -> Any:
    values = template.resolve(argument, depth)
    if not isinstance(values, list):
        return UNKNOWN
    items = cast("list[Any]", values)
    # What `Fn::If` may leave out is not counted.
    unsure = any("Fn::If" in _mapping(template.chosen(item)) for item in items)
    left = [item for item in items if template.chosen(item) != {"Ref": "AWS::NoValue"}]
    return UNKNOWN if unsure else len(left)


def _to_json_string(template: Template, argument: Any, depth: int) -> Any:
    value = _plain(template, argument, depth, itertools.count())
    if value is UNKNOWN:
        return UNKNOWN
    text = json.dumps(value, separators=(",", ":"))
    return text if template.stack_set.affords(len(text)) else UNKNOWN


def _plain(template: Template, raw: Any, depth: int, nodes: Iterator[int]) -> Any:
    """A value with all that is in it resolved; UNKNOWN when any of it is not plain."""
    value = template.resolve(raw, depth)
    if isinstance(value, Reference) or depth > _DEEPEST or next(nodes) > _MOST_NODES:
        return UNKNOWN
    if isinstance(value, Mapping):
        found: dict[str, Any] = {}
        for key, item in cast("Mapping[Any, Any]", value).items():
            found[str(key)] = _plain(template, item, depth + 1, nodes)
            if found[str(key)] is UNKNOWN:
                return UNKNOWN
        return {key: item for key, item in found.items() if item is not None}
    if isinstance(value, list):
        items: list[Any] = []
        for item in cast("list[Any]", value):
            items.append(_plain(template, item, depth + 1, nodes))
            if items[-1] is UNKNOWN:
                return UNKNOWN
        return [item for item in items if item is not None]
    return value


def _cidr(template: Template, argument: Any, depth: int) -> Any:
    """The first blocks of a block; `Fn::Cidr: [block, count, host bits]`."""
    if not isinstance(argument, list) or len(argument) not in (2, 3):
        return UNKNOWN
    texts = [template.text(part, depth) for part in cast("list[Any]", argument)]
    block, number, bits = (*texts, None) if len(texts) == 2 else texts
    if block is None or not number or not _INDEX.fullmatch(number):
        return UNKNOWN
    if len(argument) == 3 and not (bits and _INDEX.fullmatch(bits)):
        return UNKNOWN
    try:
        network = ipaddress.ip_network(block, strict=False)
    except ValueError:
        return UNKNOWN
    longest = network.max_prefixlen
    prefix = longest - int(bits or (8 if longest == 32 else 64))
    count = int(number)
    if not network.prefixlen <= prefix <= longest or not 0 < count <= _MOST_BLOCKS:
        return UNKNOWN
    blocks = list(itertools.islice(network.subnets(new_prefix=prefix), count))
    return [str(found) for found in blocks] if len(blocks) == count else UNKNOWN


FUNCTIONS: dict[str, Callable[[Template, Any, int], Any]] = {
    "Fn::FindInMap": _find_in_map,
    "Fn::Select": _select,
    "Fn::Split": _split,
    "Fn::Length": _length,
    "Fn::ToJsonString": _to_json_string,
    "Fn::Cidr": _cidr,
}
