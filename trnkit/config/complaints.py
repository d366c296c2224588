"""Pydantic's complaints about a document, in the words of somebody who edits a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from trnkit.config.cluster import ClusterConfig
from trnkit.config.remedies import limit_hint, list_hint, number_hint, section_hint
from trnkit.config.yaml_reader import Path, YamlDocument, clipped, format_path
from trnkit.findings import Finding, Severity, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


def problems_of(
    document: YamlDocument, error: ValidationError, root: type[BaseModel] = ClusterConfig
) -> list[Finding]:
    """Every complaint as a finding with place and remedy.

    Args:
        document: What was validated.
        error: The complaints.
        root: The model of the whole document.
    """
    return _Complaints(document, root).findings(
        error.errors(include_url=False, include_context=True)
    )


class _Complaints:
    """Knows the document, for places, and its model, for nearest keys and examples."""

    def __init__(self, document: YamlDocument, root: type[BaseModel]) -> None:
        self._document = document
        self._root = root

    def findings(self, everything: list[ErrorDetails]) -> list[Finding]:
        misspelt = self._misspelt(everything)
        return [
            self._finding(details)
            for details in everything
            if not _follows_from_others(details) and details["loc"] not in misspelt
        ]

    def _misspelt(self, everything: list[ErrorDetails]) -> set[Path]:
        """Required keys that are missing because the file has them in another spelling."""
        missing = {details["loc"] for details in everything if details["type"] == "missing"}
        found: set[Path] = set()
        for details in everything:
            path: Path = details["loc"]
            if details["type"] == "extra_forbidden" and (close := self._near_keys(path)):
                found |= {(*path[:-1], close[0])} & missing
        return found

    def _near_keys(self, path: Path) -> tuple[str, ...]:
        section = section_at(path[:-1], self._root)
        return nearest(str(path[-1]), section.model_fields if section else ())

    def _finding(self, details: ErrorDetails) -> Finding:
        path: Path = details["loc"]
        if path not in self._document.marks and path[-1] == "[key]":
            path = path[:-1]  # Pydantic's way to say that the key itself is wrong.
        kind = details["type"]
        if kind == "extra_forbidden":
            rule_id, message, hint = self._unknown_key(path)
        elif kind == "missing":
            rule_id, message = "TRN004", f"{format_path(path)} is required and missing"
            hint = f"add `{path[-1]}:`{self._example(path)}"
        else:
            rule_id, message, hint = self._wrong_value(path, details)
        mark = self._document.locate(path)
        return Finding(
            rule_id=rule_id,
            severity=Severity.ERROR,
            message=message,
            hint=hint,
            path=format_path(path),
            file=self._document.file,
            line=mark.line,
            column=mark.column,
        )

    def _unknown_key(self, path: Path) -> tuple[str, str, str]:
        section, key = section_at(path[:-1], self._root), str(path[-1])
        known = list(section.model_fields) if section else []
        close = self._near_keys(path)
        whole = "the cluster file" if self._root is ClusterConfig else "the file"
        where = format_path(path[:-1]) or whole
        hint = f"did you mean {' or '.join(close)}?" if close else f"{where} takes {_few(known)}"
        return "TRN003", f"{where} has no key '{clipped(key)}'", hint

    def _wrong_value(self, path: Path, details: ErrorDetails) -> tuple[str, str, str]:
        """Pydantic's complaint in our words: what, got, allowed."""
        got: Any = details["input"]
        context: Mapping[str, Any] = details.get("ctx") or {}
        kind, name = details["type"], format_path(path)
        shown = _shown(got)
        if got is None:
            return (
                "TRN005",
                f"{name} has no value",
                f"write one{self._example(path)}, or remove the line",
            )
        if kind == "literal_error":
            expected = str(context["expected"]).replace("'", "")
            close = nearest(str(got), expected.replace(" or ", ", ").split(", "), count=1)
            hint = f"did you mean {close[0]}?" if close else "use one of these"
            hint = hint if " or " in expected else f"write {expected}"
            return "TRN005", f"{name} must be {expected}, got {shown}", hint
        if kind == "shape":
            written = "" if isinstance(got, dict) else f", got {shown}"
            return "TRN005", f"{name} {details['msg']}{written}", self._like(path)
        if kind in _KINDS:
            return (
                "TRN005",
                f"{name} must be {_KINDS[kind]}, got {shown}",
                self._kind_hint(path, kind, got),
            )
        if kind in _LIMITS:
            key, words = _LIMITS[kind]
            limit = _plain(context[key])
            message = f"{name} must be {words} {limit}, got {shown}"
            return "TRN005", message, limit_hint(kind, limit)
        return "TRN005", *self._wrong_size(path, details, shown)

    def _wrong_size(self, path: Path, details: ErrorDetails, shown: str) -> tuple[str, str]:
        context: Mapping[str, Any] = details.get("ctx") or {}
        kind, name = details["type"], format_path(path)
        if kind == "string_too_short":
            least = context["min_length"]
            return f"{name} must have at least {least} characters, got {shown}", "write more"
        if kind == "too_long" and not isinstance(details["input"], dict | list | tuple):
            most = context["max_length"]
            return f"{name} must have at most {most} characters, got {shown}", "shorten it"
        if kind == "too_short":
            return f"{name} must have at least one entry", f"add one{self._example(path)}"
        if kind == "too_long":
            most = context["max_length"]
            return f"{name} must have at most {most} entries, got {shown}", "remove some"
        message = details["msg"].replace("Input should", "should").replace("Value should", "should")
        return f"{name} {message[0].lower()}{message[1:]}, got {shown}", self._like(path)

    def _kind_hint(self, path: Path, kind: str, got: Any) -> str:
        key = next(str(part) for part in reversed(path) if isinstance(part, str))
        if kind in ("model_type", "dict_type"):
            return section_hint(key, got)
        if kind in ("tuple_type", "list_type"):
            return list_hint(key, got)
        if "bool" in kind:
            return "write true or false"
        if kind == "string_type":
            if isinstance(got, bool):
                return f'put it in quotes: "{str(got).lower()}"'
            return f"write one text{self._example(path)}"
        return number_hint(key, got, whole=kind == "int_type")

    def _like(self, path: Path) -> str:
        """A value that would do, where the model knows one."""
        example = self._example_value(path)
        return "docs/config.md describes it" if example is None else f"write one like {example}"

    def _example(self, path: Path) -> str:
        example = self._example_value(path)
        return "" if example is None else f", for example {example}"

    def _example_value(self, path: Path) -> str | None:
        """The model's example of a key, as one would write it; for an entry of a list its first."""
        keys = [part for part in path if isinstance(part, str)]
        section = section_at(tuple(keys[:-1]), self._root) if keys else None
        field = section.model_fields.get(keys[-1]) if section else None
        extra = field.json_schema_extra if field else None
        examples = extra.get("examples") if isinstance(extra, dict) else None
        if not isinstance(examples, list) or not examples:
            return None
        example: Any = examples[0]
        if not isinstance(example, list | tuple):
            return str(example)
        entries = [str(entry) for entry in example]
        return entries[0] if isinstance(path[-1], int) else f"[{', '.join(entries)}]"


def _follows_from_others(details: ErrorDetails) -> bool:
    """Pydantic also calls a list too short when its entries are wrong; that one says nothing."""
    return details["type"] == "too_short" and bool(details["input"])


def _few(known: list[str]) -> str:
    shown = ", ".join(known[:8])
    return f"{shown}, ... (docs/config.md)" if len(known) > 8 else shown or "no keys"


_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "model_type": "a section of `key: value` lines",
    "dict_type": "a section of `key: value` lines",
    "tuple_type": "a list (lines beginning with a dash)",
    "list_type": "a list (lines beginning with a dash)",
}


_LIMITS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}


def _plain(limit: float) -> str:
    return str(int(limit)) if limit == int(limit) else str(limit)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a section"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    text = str(value).lower() if isinstance(value, bool) else getattr(value, "text", None)
    text = repr(value) if text is None else text
    return text if len(text) <= 60 else f"{text[:57]}..."


def section_at(path: Path, root: type[BaseModel] = ClusterConfig) -> type[BaseModel] | None:
    """The model that describes the section at `path`, or None."""
    model: Any = root
    for part in path:
        if isinstance(part, int):
            continue
        field = getattr(model, "model_fields", {}).get(part)
        model = _model_in(field.annotation) if field else None
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        if (found := _model_in(part)) is not None:
            return found
    return None
