"""From a path to a `ClusterConfig`, with every problem of the file found at once.

A file that cannot be read is an `UnreadableInputError` (TRN001). A file that was read but does not
fit the model yields findings: TRN002 a key twice, TRN003 an unknown key, TRN004 a missing key,
TRN005 a value that does not fit. Each has file, line, column, YAML path and a remedy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from trnkit.config.cluster import ClusterConfig
from trnkit.config.input_bytes import read_bytes
from trnkit.config.remedies import limit_hint, list_hint, number_hint, section_hint
from trnkit.config.yaml_reader import (
    Path,
    YamlDocument,
    clipped,
    format_path,
    mark_at,
    read_yaml,
    unreadable,
)
from trnkit.errors import ConfigurationError
from trnkit.findings import Finding, Severity, nearest, sort_findings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path as FilePath

    from pydantic_core import ErrorDetails

MAX_BYTES = 1_000_000
_START = "trnkit init writes a commented one to start from"


@dataclass(frozen=True, slots=True)
class ClusterFile:
    """A cluster file that was read and fits the model.

    Attributes:
        config: What it asks for.
        document: Where each value stands.
    """

    config: ClusterConfig
    document: YamlDocument

    @property
    def file(self) -> str:
        """The file as the user named it."""
        return self.document.file

    def place(self, finding: Finding, path: Path) -> Finding:
        """The finding with the line and column of `path`, or of its nearest parent in the file."""
        mark = self.document.locate(path)
        return finding.at(file=self.file, line=mark.line, column=mark.column)


def load_cluster(path: str | FilePath) -> ClusterFile:
    """Read a cluster file.

    Args:
        path: The file, or a pipe that the shell opened (`<(...)`).

    Raises:
        UnreadableInputError: It is not there, too large, not UTF-8 or not YAML.
        ConfigurationError: It does not fit the model; carries every finding.
    """
    file = str(path)
    raw = read_bytes(
        file, file, most=MAX_BYTES, folder="name the cluster file in it", missing=_START
    )
    return decode_cluster(raw, file)


def read_cluster(text: str, file: str) -> ClusterFile:
    """Like `load_cluster`, for text already in memory; `file` names it in messages."""
    document = read_yaml(text, file)
    start = document.locate(())
    if document.data is None:
        raise unreadable(file, "the file is empty", _START, start)
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        raise unreadable(file, f"the file holds {kind}, not `key: value` lines", _START, start)
    findings = list(document.findings)
    config = None
    try:
        config = ClusterConfig.model_validate(document.data)
    except ValidationError as error:
        everything = error.errors(include_url=False, include_context=True)
        misspelt = _misspelt(everything)
        findings += [
            _finding(document, details)
            for details in everything
            if not _follows_from_others(details) and details["loc"] not in misspelt
        ]
    if config is None or findings:
        raise ConfigurationError(sort_findings(findings))
    return ClusterFile(config, document)


def decode_cluster(raw: bytes, file: str) -> ClusterFile:
    """Like `load_cluster`, for bytes already in memory; `file` names them in messages."""
    if len(raw) > MAX_BYTES:
        raise unreadable(file, f"larger than {MAX_BYTES:,} bytes", "name a cluster file")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # error.object is the file without its byte order mark, and UTF-8 up to error.start.
        before = error.object[: error.start].decode("utf-8")
        mark = mark_at(before, len(before))
        raise unreadable(
            file, f"line {mark.line} is not UTF-8 text", "save the file as UTF-8", mark
        ) from None
    return read_cluster(text, file)


def _follows_from_others(details: ErrorDetails) -> bool:
    """Pydantic also calls a list too short when its entries are wrong; that one says nothing."""
    return details["type"] == "too_short" and bool(details["input"])


def _misspelt(everything: list[ErrorDetails]) -> set[Path]:
    """Required keys that are missing because the file has them in another spelling."""
    missing = {details["loc"] for details in everything if details["type"] == "missing"}
    found: set[Path] = set()
    for details in everything:
        path: Path = details["loc"]
        if details["type"] == "extra_forbidden" and (close := _near_keys(path)):
            found |= {(*path[:-1], close[0])} & missing
    return found


def _near_keys(path: Path) -> tuple[str, ...]:
    section = section_at(path[:-1])
    return nearest(str(path[-1]), section.model_fields if section else ())


def _finding(document: YamlDocument, details: ErrorDetails) -> Finding:
    path: Path = details["loc"]
    if path not in document.marks and path[-1] == "[key]":
        path = path[:-1]  # Pydantic's way to say that the key itself is wrong.
    kind = details["type"]
    if kind == "extra_forbidden":
        rule_id, message, hint = _unknown_key(path)
    elif kind == "missing":
        rule_id, message = "TRN004", f"{format_path(path)} is required and missing"
        hint = f"add `{path[-1]}:`{_example(path)}"
    else:
        rule_id, message, hint = _wrong_value(path, details)
    mark = document.locate(path)
    return Finding(
        rule_id=rule_id,
        severity=Severity.ERROR,
        message=message,
        hint=hint,
        path=format_path(path),
        file=document.file,
        line=mark.line,
        column=mark.column,
    )


def _unknown_key(path: Path) -> tuple[str, str, str]:
    section, key = section_at(path[:-1]), str(path[-1])
    known = list(section.model_fields) if section else []
    close = _near_keys(path)
    where = format_path(path[:-1]) or "the cluster file"
    hint = f"did you mean {' or '.join(close)}?" if close else f"{where} takes {_few(known)}"
    return "TRN003", f"{where} has no key '{clipped(key)}'", hint


def _few(known: list[str]) -> str:
    shown = ", ".join(known[:8])
    return f"{shown}, ... (docs/config.md)" if len(known) > 8 else shown or "no keys"


def _wrong_value(path: Path, details: ErrorDetails) -> tuple[str, str, str]:
    """Pydantic's complaint in our words: what, got, allowed."""
    got: Any = details["input"]
    context: Mapping[str, Any] = details.get("ctx") or {}
    kind, name = details["type"], format_path(path)
    shown = _shown(got)
    if got is None:
        return "TRN005", f"{name} has no value", f"write one{_example(path)}, or remove the line"
    if kind == "literal_error":
        expected = str(context["expected"]).replace("'", "")
        close = nearest(str(got), expected.replace(" or ", ", ").split(", "), count=1)
        hint = f"did you mean {close[0]}?" if close else "use one of these"
        hint = hint if " or " in expected else f"write {expected}"
        return "TRN005", f"{name} must be {expected}, got {shown}", hint
    if kind == "shape":
        return "TRN005", f"{name} {details['msg']}, got {shown}", _like(path)
    if kind in _KINDS:
        return "TRN005", f"{name} must be {_KINDS[kind]}, got {shown}", _kind_hint(path, kind, got)
    if kind in _LIMITS:
        key, words = _LIMITS[kind]
        limit = _plain(context[key])
        message = f"{name} must be {words} {limit}, got {shown}"
        return "TRN005", message, limit_hint(kind, limit)
    return "TRN005", *_wrong_size(path, details, shown)


def _wrong_size(path: Path, details: ErrorDetails, shown: str) -> tuple[str, str]:
    context: Mapping[str, Any] = details.get("ctx") or {}
    kind, name = details["type"], format_path(path)
    if kind == "string_too_short":
        least = context["min_length"]
        return f"{name} must have at least {least} characters, got {shown}", "write more"
    if kind == "too_long" and not isinstance(details["input"], dict | list | tuple):
        most = context["max_length"]
        return f"{name} must have at most {most} characters, got {shown}", "shorten it"
    if kind == "too_short":
        return f"{name} must have at least one entry", f"add one{_example(path)}"
    if kind == "too_long":
        most = context["max_length"]
        return f"{name} must have at most {most} entries, got {shown}", "remove some"
    message = details["msg"].replace("Input should", "should").replace("Value should", "should")
    return f"{name} {message[0].lower()}{message[1:]}, got {shown}", _like(path)


def _kind_hint(path: Path, kind: str, got: Any) -> str:
    key = next(str(part) for part in reversed(path) if isinstance(part, str))
    if kind in ("model_type", "dict_type"):
        return section_hint(key, got)
    if kind == "tuple_type":
        return list_hint(key, got)
    if "bool" in kind:
        return "write true or false"
    if kind == "string_type":
        if isinstance(got, bool):
            return f'put it in quotes: "{str(got).lower()}"'
        return f"write one text{_example(path)}"
    return number_hint(key, got, whole=kind == "int_type")


def _like(path: Path) -> str:
    """A value that would do, where the model knows one."""
    example = _example_value(path)
    return "docs/config.md describes it" if example is None else f"write one like {example}"


_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "model_type": "a section of `key: value` lines",
    "dict_type": "a section of `key: value` lines",
    "tuple_type": "a list (lines beginning with a dash)",
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


def section_at(path: Path) -> type[BaseModel] | None:
    """The model that describes the section at `path`, or None."""
    model: Any = ClusterConfig
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


def _example(path: Path) -> str:
    example = _example_value(path)
    return "" if example is None else f", for example {example}"


def _example_value(path: Path) -> str | None:
    """The model's example of a key, as one would write it; for an entry of a list its first."""
    keys = [part for part in path if isinstance(part, str)]
    section = section_at(tuple(keys[:-1])) if keys else None
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
