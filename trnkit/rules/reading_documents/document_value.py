"""A value somewhere in a document, with the way to it.

What is not of the kind asked for reads as None, and so does a placeholder that something fills in
later (`${CLUSTER}`, `{{ .Values.type }}`, `<region>`): a rule says nothing about it and never
raises.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from trnkit.config.yaml_reader import Mark, Path, YamlDocument

_PLACEHOLDER = re.compile(r"\$[{(]|\{\{|<[^<>]*>|^\$[A-Za-z_]+$|%[A-Z_]+%|@[A-Z_]+@")
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
# ParallelCluster, eksctl and Kubernetes read YAML 1.1, in which these are booleans; PyYAML, Go's
# YAML and ours agree on the rest.
_TRUE = {"true", "yes", "on"}
_FALSE = {"false", "no", "off"}
_LONGEST = 200_000


@dataclass(eq=False, slots=True)
class Document:
    """One YAML document of a file.

    Attributes:
        file: The file as the user named it.
        yaml: Its values and where they stand.
        region: The Region it is for, when somebody said so.
    """

    file: str
    yaml: YamlDocument
    region: str | None = None

    @property
    def root(self) -> DocumentValue:
        """The whole document."""
        return DocumentValue(self, (), self.yaml.data)


@dataclass(frozen=True, slots=True)
class DocumentValue:
    """A value and where it stands.

    Attributes:
        document: The document it belongs to.
        path: The way to it.
        raw: As the document has it; None when absent.
    """

    document: Document
    path: Path
    raw: Any = field(repr=False)

    def __getitem__(self, key: str | int) -> DocumentValue:
        """The value of a key or a place in a list; absent below anything that has none."""
        return DocumentValue(self.document, (*self.path, key), _below(self.raw, key))

    def at(self, *keys: str) -> DocumentValue:
        """The value below several keys."""
        value = self
        for key in keys:
            value = value[key]
        return value

    def nothing(self) -> DocumentValue:
        """An absent value at this place, for what a format has no key for."""
        return DocumentValue(self.document, self.path, None)

    @property
    def is_absent(self) -> bool:
        """Whether it is not there, or says nothing."""
        return self.raw is None

    @property
    def is_placeholder(self) -> bool:
        """Whether something fills it in later."""
        return isinstance(self.raw, str) and _PLACEHOLDER.search(self.raw[:_LONGEST]) is not None

    @property
    def mark(self) -> Mark:
        """Where it stands, or its nearest parent that the file has."""
        return self.document.yaml.locate(self.path)

    def mapping(self) -> dict[str, Any] | None:
        """Its keys and values; None when it is anything but a mapping."""
        return cast("dict[str, Any]", self.raw) if isinstance(self.raw, dict) else None

    def items(self) -> tuple[DocumentValue, ...]:
        """The items of a list; none of anything else."""
        if not isinstance(self.raw, list):
            return ()
        return tuple(self[index] for index in range(len(cast("list[Any]", self.raw))))

    def fields(self) -> tuple[DocumentValue, ...]:
        """The values of a mapping."""
        return tuple(self[key] for key in self.mapping() or ())

    def text(self) -> str | None:
        """A plain value as the file spells it."""
        if isinstance(self.raw, str):
            return None if self.is_placeholder else self.raw
        if isinstance(self.raw, bool):
            return str(self.raw).lower()
        if isinstance(self.raw, int | float):
            return str(getattr(self.raw, "text", self.raw))
        return None

    def integer(self) -> int | None:
        """A whole number, also one in quotes."""
        text = self.text()
        return int(text) if text is not None and _INTEGER.fullmatch(text) else None

    def boolean(self) -> bool | None:
        """A boolean, in the spellings of YAML 1.1."""
        text = (self.text() or "").lower()
        return True if text in _TRUE else False if text in _FALSE else None

    def texts(self) -> tuple[DocumentValue, ...]:
        """The items of a list that are known texts."""
        return tuple(item for item in self.items() if item.text() is not None)


def _below(raw: Any, key: str | int) -> Any:
    if isinstance(raw, dict) and isinstance(key, str):
        return cast("dict[str, Any]", raw).get(key)
    if isinstance(raw, list) and isinstance(key, int):
        items = cast("list[Any]", raw)
        return items[key] if key < len(items) else None
    return None
