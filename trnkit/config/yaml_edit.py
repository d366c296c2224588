"""Values of a YAML text changed where they stand: comments, quotes, order and line ends stay.

Only spans are replaced or inserted, and nothing is ever removed. The result is read again with the
reader of cluster files: it must hold exactly the old values and the changed ones, or there is none.
What cannot be done so (aliases, merged keys, block scalars) is refused, for the user's own hand.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from trnkit.config.yaml_reader import Path, format_path, read_yaml
from trnkit.errors import TrnkitError, UnreadableInputError

if TYPE_CHECKING:
    from collections.abc import Iterable

Change: TypeAlias = tuple[Path, str]
"""Where a value stands or shall stand, and the text that it shall be."""

# What needs no quotes, and no escapes within them.
_SIMPLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]*(:[0-9]{2}:[0-9]{2}Z)?")
_STEP = 2
_BREAK = re.compile(r"\r\n|\r|\n")
_REST_OF_LINE = re.compile(r"[ \t]*(?:[ \t]#[^\r\n]*)?(?=[\r\n]|\Z)")


class CannotEditError(TrnkitError):
    """A value cannot be changed without touching something else.

    Attributes:
        path: The value.
        reason: Why.
    """

    def __init__(self, path: Path, reason: str) -> None:
        """Keep both; the message names the value first."""
        self.path, self.reason = path, reason
        super().__init__(f"{format_path(path)}: {reason}")


def edit_yaml(text: str, changes: Iterable[Change]) -> str:
    """Give values of a YAML text another text.

    Args:
        text: The whole file, without a byte order mark; its line ends as they are.
        changes: The values, in the order in which new keys shall stand. What says the same already
            is left alone.

    Raises:
        CannotEditError: A value cannot be changed without touching something else.
        UnreadableInputError: The text is no YAML that a cluster file can be.
        ValueError: A new value is more than a name, an id or a moment in UTC.
    """
    wanted = list(changes)
    for _, value in wanted:
        if _SIMPLE.fullmatch(value) is None:
            raise ValueError(f"{value!r} would need quotes")
    expected = deepcopy(read_yaml(text, "").data)
    for path, value in wanted:
        _put(expected, path, value)
    result = text
    for path, value in wanted:
        if value_at(read_yaml(result, "").data, path) != value:
            result = _Editing(result, path, value).done()
    try:
        same = _is_same(read_yaml(result, "").data, expected)
    except UnreadableInputError:
        same = False
    if not same:
        path = wanted[0][0]
        raise CannotEditError(path, "the file is written in a way that cannot be changed in place")
    return result


def _put(data: Any, path: Path, value: str) -> None:
    for done, part in enumerate(path[:-1], start=1):
        if isinstance(part, str) and isinstance(data, dict) and data.get(part) is None:
            data[part] = {}
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            raise CannotEditError(path[:done], "is not in the file") from None
    if not isinstance(data, dict):
        raise CannotEditError(path[:-1], "holds no keys")
    data[path[-1]] = value


def value_at(data: Any, path: Path) -> Any:
    """What stands at a path of plain values; None where nothing does."""
    for part in path:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same as they were written: 1 is not true, 2.10 not 2.1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one == other and getattr(one, "text", None) == getattr(other, "text", None)


def _shared(root: Any) -> set[int]:
    """Nodes that stand in several places, by aliases."""
    seen: set[int] = set()
    shared: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            shared.add(id(node))
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            waiting += [part for entry in node.value for part in entry]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
    return shared


def _child(node: Any, part: str | int) -> tuple[Any, Any] | None:
    """The key and the value of a part of a path; an item of a list is its own key."""
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int):
        return (node, node.value[part]) if part < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        return next((entry for entry in node.value if entry[0].value == part), None)
    return None


@dataclass(frozen=True, slots=True)
class _Lines:
    """New lines of a mapping in block style, without their indentation.

    Attributes:
        column: How far they are indented.
        lines: What they say, nested keys further in.
    """

    column: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Editing:
    """One change."""

    text: str
    path: Path
    value: str

    def done(self) -> str:
        """The text with the change."""
        root = self._composed()
        shared = _shared(root)
        node = root
        for index, part in enumerate(self.path):
            if id(node) in shared:
                raise CannotEditError(self.path[:index], "is an alias, or has aliases")
            found = _child(node, part)
            if found is None:
                return self._added(node, self.path[index:])
            key, child = found
            if child.start_mark.index < key.start_mark.index:
                raise CannotEditError(self.path[: index + 1], "is an alias")
            is_last = index == len(self.path) - 1
            if not is_last and isinstance(child, yaml.ScalarNode):
                return self._filled(key, child, self.path[index + 1 :])
            node = child
        if id(node) in shared:
            raise CannotEditError(self.path, "has aliases")
        return self._replaced(node)

    def _composed(self) -> Any:
        """The nodes, with marks that count characters of this very text.

        The parser in Python has such marks, and is stricter than the reader: it takes no tab before
        a comment, so it gets a space for each tab, which moves nothing; and no anchor given twice.
        """
        try:
            return yaml.compose(self.text.replace("\t", " "), Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = "" if mark is None else f"line {mark.line + 1} of "
            problem = " ".join((getattr(error, "problem", None) or str(error)).split())
            reason = f"{line}the file is written in an unusual way ({problem})"
            raise CannotEditError(self.path, reason) from None

    def _replaced(self, node: Any) -> str:
        start, end = node.start_mark.index, node.end_mark.index
        written = self.text[start:end]
        if not isinstance(node, yaml.ScalarNode):
            raise CannotEditError(self.path, "holds no single value")
        if not written:
            return self._spliced(start, f" {self._scalar(None)}")
        if node.style in ("|", ">") or written[0] in "&!" or _BREAK.search(written):
            raise CannotEditError(self.path, "is written with an anchor, a tag or several lines")
        return self.text[:start] + self._scalar(node.style) + self.text[end:]

    def _filled(self, key: Any, empty: Any, rest: Path) -> str:
        """Keys below one that is there and has no value yet."""
        start, end = empty.start_mark.index, empty.end_mark.index
        if start != end or self._is_in_flow(key):
            raise CannotEditError(self.path[: -len(rest)], "holds no keys")
        return self._after_line(start, self._block(rest, key.start_mark.column + _STEP))

    def _added(self, node: Any, rest: Path) -> str:
        if not isinstance(node, yaml.MappingNode) or not isinstance(rest[0], str):
            raise CannotEditError(self.path[: -len(rest)], "holds no keys")
        if node.flow_style:
            return self._added_in_flow(node, rest)
        first = node.value[0][0].start_mark
        added = self._block(rest, first.column)
        sibling = self._sibling(node)
        if sibling is not None:
            return self._after_line(sibling.end_mark.index, added)
        between = self._line_end(first.index) + " " * first.column
        return self._spliced(first.index, between.join([*added.lines, ""]))

    def _sibling(self, node: Any) -> Any:
        """The value after whose line a new key can stand: the last scalar, else flow collection."""
        found = None
        for key, value in reversed(node.value):
            is_alias = value.start_mark.index < key.start_mark.index
            is_scalar = isinstance(value, yaml.ScalarNode)
            if is_scalar and value.style in ("|", ">"):
                continue
            is_block = not is_scalar and not value.flow_style
            if is_alias or is_block or not self._ends_line(value.end_mark.index):
                continue
            if is_scalar:
                return value
            found = found or value
        return found

    def _added_in_flow(self, node: Any, rest: Path) -> str:
        quote = '"' if any(key.style == '"' for key, _ in node.value) else ""  # JSON
        entry = f"{quote}{rest[-1]}{quote}: {self._scalar(quote or None)}"
        for part in reversed(rest[:-1]):
            entry = f"{quote}{part}{quote}: {{{entry}}}"
        start = node.start_mark.index
        if not node.value:
            opening = self.text.index("{", start)
            return self._spliced(opening + 1, entry)
        key, last = node.value[-1]
        if last.start_mark.index < key.start_mark.index:
            return self._spliced(node.value[0][0].start_mark.index, f"{entry}, ")
        return self._spliced(last.end_mark.index, f", {entry}")

    def _block(self, rest: Path, column: int) -> _Lines:
        lines = [f"{' ' * _STEP * depth}{part}:" for depth, part in enumerate(rest)]
        lines[-1] += f" {self._scalar(None)}"
        return _Lines(column, tuple(lines))

    def _after_line(self, index: int, added: _Lines) -> str:
        found = _BREAK.search(self.text, index)
        position = found.start() if found else len(self.text)
        before = self._line_end(index) + " " * added.column
        return self._spliced(position, "".join(before + line for line in added.lines))

    def _ends_line(self, index: int) -> bool:
        return _REST_OF_LINE.match(self.text, index) is not None

    def _line_end(self, index: int) -> str:
        found = _BREAK.search(self.text, index) or _BREAK.search(self.text)
        return found.group() if found else "\n"

    def _is_in_flow(self, key: Any) -> bool:
        before = self.text[: key.start_mark.index]
        return before.rstrip().endswith(("{", ","))

    def _spliced(self, position: int, added: str) -> str:
        return self.text[:position] + added + self.text[position:]

    def _scalar(self, style: str | None) -> str:
        return f"{style}{self.value}{style}" if style else self.value
