"""YAML text in, plain values with their places out, and none of YAML 1.1's surprises.

Built on PyYAML's event stream (an iterative parser), so that neither deep nesting nor aliases that
multiply can exhaust the machine, and so that every key and value keeps its line and column.

What differs from `yaml.safe_load`, each because it has bitten people:

- Only `true` and `false` are booleans: `no`, `yes`, `on` and `off` stay text (as in YAML 1.2).
- A number keeps the way it was written (`2.10`, `012345678901`), for fields that are text.
- Dates, times, octal, hexadecimal and `1_000` are text.
- A key that stands twice is reported, with both lines, instead of dropping the first value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from trnkit.errors import UnreadableInputError
from trnkit.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

Path: TypeAlias = tuple[str | int, ...]

MAX_DEPTH = 40
MAX_VALUES = 20_000
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT = re.compile(r"[-+]?[0-9]{1,30}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_NULLS = {"", "~", "null", "Null", "NULL"}
_BOOLEANS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}


class WrittenInt(int):
    """An integer that remembers how the file spelled it."""

    text: str


class WrittenFloat(float):
    """A float that remembers how the file spelled it (`2.10` is not `2.1` in a version)."""

    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file; both count from 1."""

    line: int
    column: int


@dataclass(slots=True)
class YamlDocument:
    """What a YAML file says and where it says it.

    Attributes:
        data: Plain dicts, lists and scalars.
        marks: Path of each value -> the place of its key (of its own beginning, for list items).
        findings: Keys given twice; the last one's value is in `data`.
    """

    file: str
    data: Any = None
    marks: dict[Path, Mark] = field(default_factory=dict[Path, Mark])
    findings: list[Finding] = field(default_factory=list[Finding])

    def locate(self, path: Path) -> Mark:
        """The place of `path`, or of the nearest parent that is in the file."""
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path, Mark(1, 1))


def read_yaml(text: str, file: str) -> YamlDocument:
    """Read one YAML document.

    Args:
        text: The whole file.
        file: Its name, for messages.

    Raises:
        UnreadableInputError: Not YAML, more than one document, tags, recursion, or too large.
    """
    document = YamlDocument(file)
    _Builder(document, _events(text, file)).build()
    return document


def read_yaml_documents(
    text: str, file: str, *, most_values: int = MAX_VALUES, most_depth: int = MAX_DEPTH
) -> tuple[YamlDocument, ...]:
    """Read every YAML document of a text, as Kubernetes manifests put several into one file.

    Args:
        text: The whole file.
        file: Its name, for messages.
        most_values: How many values all documents may hold together.
        most_depth: How deep they may be nested.

    Returns:
        One for each document, with places in the file; an empty document has None for its data.

    Raises:
        UnreadableInputError: Not YAML, tags, recursion, or too large.
    """
    limits = _Limits(most_values, most_depth, "lint its parts")
    return _Builder(YamlDocument(file), _events(text, file), limits).build_each()


def unreadable(
    file: str, message: str, hint: str, mark: Mark | None = None
) -> UnreadableInputError:
    """The error for input about whose content nothing can be said (rule TRN001)."""
    return UnreadableInputError(
        Finding(
            rule_id="TRN001",
            severity=Severity.ERROR,
            message=message,
            hint=hint,
            file=file,
            line=mark.line if mark else None,
            column=mark.column if mark else None,
        )
    )


def _events(text: str, file: str) -> Iterator[Any]:
    """PyYAML's events, its errors turned into ours."""
    try:
        yield from yaml.parse(text, Loader=_LOADER)
    except yaml.reader.ReaderError as error:
        # Its first occurrence: the error's own position counts bytes or characters by parser.
        code = _code(error)
        raise _forbidden_character(text, file, code, max(text.find(chr(code)), 0)) from None
    except UnicodeEncodeError as error:
        raise _forbidden_character(text, file, ord(text[error.start]), error.start) from None
    except yaml.MarkedYAMLError as error:
        where = error.problem_mark or error.context_mark
        if "expected ':'" in (error.problem or ""):
            where = error.context_mark or where  # The line without a colon, not the one after it.
        mark = Mark(where.line + 1, where.column + 1) if where else Mark(1, 1)
        raise unreadable(
            file, *_explain(text, mark, error.problem or "cannot be parsed"), mark
        ) from None


def _code(error: yaml.reader.ReaderError) -> int:
    character = error.character
    return character if isinstance(character, int) else ord(character)


def _forbidden_character(text: str, file: str, code: int, position: int) -> UnreadableInputError:
    return unreadable(
        file,
        f"the file holds the character U+{code:04X}, which YAML does not allow",
        "save it as plain UTF-8 text",
        mark_at(text, position),
    )


def mark_at(text: str, position: int) -> Mark:
    """The place of the character at `position`, which counts from 0."""
    before = text[:position]
    return Mark(before.count("\n") + 1, position - before.rfind("\n"))


def _explain(text: str, mark: Mark, problem: str) -> tuple[str, str]:
    """A message and a hint in the words of somebody who edits a file, not of a scanner."""
    lines = text.split("\n")
    around = lines[max(0, mark.line - 2) : mark.line]
    if any("\t" in line[: len(line) - len(line.lstrip())] for line in around):
        return "a tab is used for indentation, which YAML does not allow", "indent with spaces"
    if "mapping values are not allowed" in problem:
        return "a colon stands where none can be", "quote the value, or check the indentation"
    if "simple key" in problem or "expected ':'" in problem:
        return "a line is neither `key: value` nor a list item", "add the missing colon or value"
    if "nesting depth" in problem:
        return f"nested deeper than {MAX_DEPTH} levels", "flatten it"
    return f"not valid YAML: {problem}", "check quotes, brackets and indentation on this line"


@dataclass(frozen=True, slots=True)
class _Limits:
    """How much a file may hold, and what to do with one that holds more."""

    values: int = MAX_VALUES
    depth: int = MAX_DEPTH
    too_many: str = "split it: one cluster a file"


class _Builder:
    """Turns events into values, keeping places and limits."""

    def __init__(
        self, document: YamlDocument, events: Iterator[Any], limits: _Limits = _Limits()
    ) -> None:
        self._document = document
        self._events = events
        self._limits = limits
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open_anchors: set[str] = set()
        self._values = 0

    def build(self) -> None:
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if self._document.marks:
                    raise self._refuse(
                        event, "a second YAML document begins here", "one cluster a file"
                    )
                self._build_one(event)

    def build_each(self) -> tuple[YamlDocument, ...]:
        documents: list[YamlDocument] = []
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._document = YamlDocument(self._document.file)
                self._anchors.clear()  # An anchor ends with its document.
                self._build_one(event)
                documents.append(self._document)
        return tuple(documents)

    def _build_one(self, start: Any) -> None:
        self._document.marks[()] = Mark(start.start_mark.line + 1, 1)
        self._document.data = self._value(next(self._events), ())

    def _refuse(self, event: Any, message: str, hint: str) -> UnreadableInputError:
        return unreadable(self._document.file, message, hint, self._mark(event))

    @staticmethod
    def _mark(event: Any) -> Mark:
        return Mark(event.start_mark.line + 1, event.start_mark.column + 1)

    def _count(self, event: Any, values: int = 1) -> None:
        self._values += values
        most = self._limits.values
        if self._values > most:
            text = f"the file holds more than {most} values (aliases count each time)"
            raise self._refuse(event, text, self._limits.too_many)

    def _value(self, event: Any, path: Path) -> Any:
        self._count(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        self._check_tag(event)
        if isinstance(event, yaml.ScalarEvent):
            value: Any = _scalar(event)
            self._remember(event, value, 1)
            return value
        deepest = self._limits.depth
        if len(path) >= deepest:
            raise self._refuse(event, f"nested deeper than {deepest} levels", "flatten it")
        before = self._values
        if event.anchor:
            self._open_anchors.add(event.anchor)
        is_map = isinstance(event, yaml.MappingStartEvent)
        value = self._mapping(path) if is_map else self._sequence(path)
        self._open_anchors.discard(event.anchor or "")
        self._remember(event, value, self._values - before)
        return value

    def _check_tag(self, event: Any) -> None:
        if event.tag and event.tag not in ("!", "tag:yaml.org,2002:str"):
            tag = clipped(event.tag)
            raise self._refuse(event, f"the tag {tag} is not allowed here", "write a plain value")

    def _remember(self, event: Any, value: Any, size: int) -> None:
        if event.anchor:
            self._anchors[event.anchor] = (value, size)

    def _alias(self, event: Any) -> Any:
        if event.anchor in self._open_anchors:
            name = clipped(event.anchor)
            raise self._refuse(event, f"the alias *{name} contains itself", "write it out")
        if event.anchor not in self._anchors:
            name = clipped(event.anchor)
            raise self._refuse(event, f"the alias *{name} has no anchor", "define it above")
        value, size = self._anchors[event.anchor]
        self._count(event, size)
        return value

    def _sequence(self, path: Path) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            here = (*path, len(items))
            self._document.marks[here] = self._mark(event)
            items.append(self._value(event, here))
        return items

    def _mapping(self, path: Path) -> dict[str, Any]:
        values: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        merged_at: dict[str, Mark] = {}
        first_at: dict[str, Mark] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise self._refuse(event, "a key is not plain text", "write `key: value`")
            self._check_tag(event)
            self._remember(event, event.value, 1)
            here = (*path, event.value)
            if event.value == "<<" and event.implicit[0]:
                added = self._merge(event, path)
                merged |= added
                merged_at |= dict.fromkeys(added, self._mark(event))
                continue
            if event.value in values:
                self._twice(event, here, first_at[event.value])
            first_at.setdefault(event.value, self._mark(event))
            self._document.marks[here] = self._mark(event)
            values[event.value] = self._value(next(self._events), here)
        for key, mark in merged_at.items():
            if key not in values:
                self._document.marks[(*path, key)] = mark
        return {key: value for key, value in merged.items() if key not in values} | values

    def _merge(self, event: Any, path: Path) -> dict[str, Any]:
        value = self._value(next(self._events), (*path, "<<"))
        sources = value if isinstance(value, list) else [value]
        if not all(isinstance(source, dict) for source in sources):
            raise self._refuse(event, "<< takes a mapping or a list of mappings", "name an anchor")
        merged: dict[str, Any] = {}
        for source in reversed(sources):
            merged |= source
        return merged

    def _twice(self, event: Any, path: Path, first: Mark) -> None:
        again, key = self._mark(event), clipped(event.value)
        self._document.findings.append(
            Finding(
                rule_id="TRN002",
                severity=Severity.ERROR,
                message=f"the key '{key}' stands twice, first on line {first.line}",
                hint="keep one of them",
                path=format_path(path),
                file=self._document.file,
                line=again.line,
                column=again.column,
            )
        )


def _scalar(event: Any) -> Any:
    text: str = event.value
    if not event.implicit[0] or event.style not in (None, ""):
        return text
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INT.fullmatch(text):
        whole = WrittenInt(text)
        whole.text = text
        return whole
    if _FLOAT.fullmatch(text):
        number = WrittenFloat(text)
        number.text = text
        return number
    return text


def format_path(path: Path) -> str:
    """`("compute", "node_groups", 0, "count")` as `compute.node_groups[0].count`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            key = clipped(part)
            text += f".{key}" if text else key
    return text


def clipped(text: str, most: int = 60) -> str:
    """What a message shows of the user's text: its beginning, control characters escaped."""
    shown = text if text.isprintable() else repr(text)[1:-1]
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."
