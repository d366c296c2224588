"""Finds CloudFormation templates on disk and parses them, keeping where each key stands.

Parsing is cfn-lint's: JSON and YAML, short intrinsics (`!Ref`), marks on keys. What cannot be a
template is told apart from what is one and broken, so that a folder may hold other files too.
"""

from __future__ import annotations

import functools
import importlib
import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trnkit.config.input_bytes import read_bytes
from trnkit.config.yaml_reader import Mark, unreadable
from trnkit.operations.places import SHOWN_INPUT

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 10_000_000
_MOST_KEYS = 2_000
"""Of one mapping. CloudFormation takes 500 resources; the parser compares each key with each."""
_SUFFIXES = {".json", ".yaml", ".yml", ".template"}
_SKIPPED_FOLDERS = {"node_modules", "__pycache__"}
# Blanks of one line only: with line breaks, a run of them would be scanned once from each.
_BLANKS = r"[^\S\n]*"
_RESOURCES = re.compile(rf"""(?:^|[{{,]){_BLANKS}["']?Resources["']?\s*:""", re.MULTILINE)
_NODE_GROUPS = re.compile(rf"^{_BLANKS}node_groups:", re.MULTILINE)
_SNIFFED = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateFile:
    """A parsed template.

    Attributes:
        path: The file as the user named it.
        body: The parsed template; its keys carry cfn-lint's marks.
        text: What was parsed.
    """

    path: str
    body: dict[str, Any]
    text: str = ""

    def locate(self, pointer: str) -> Mark | None:
        """The place of the deepest key of a JSON pointer that the file has."""
        node: Any = self.body
        mark: Mark | None = None
        for part in pointer.split("/")[1:]:
            node, found = _step(node, part)
            if found is None:
                return mark
            start = getattr(found, "start_mark", None) or getattr(node, "start_mark", None)
            mark = Mark(start.line + 1, start.column + 1) if start else mark
        return mark


class NotATemplateError(Exception):
    """The file was read, and is no CloudFormation template.

    Attributes:
        text: What it is, when it is text at all.
    """

    def __init__(self, reason: str, text: str | None = None) -> None:
        """Keep the text; the message is the reason."""
        self.text = text
        super().__init__(reason)


def template_paths(folder: Path) -> Iterator[Path]:
    """Files below a folder that may be templates, by their ending, in a stable order."""
    for directory, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS
        )
        for name in sorted(files):
            if Path(name).suffix.lower() in _SUFFIXES and not name.startswith("."):
                yield Path(directory, name)


def read_template(path: str, *, standard_input: bytes | None = None) -> TemplateFile:
    """Read and parse one template.

    Args:
        path: The file.
        standard_input: What was read from standard input, in place of a file.

    Raises:
        UnreadableInputError: It cannot be read, or is a template that cannot be parsed.
        NotATemplateError: It is something else.
    """
    file = SHOWN_INPUT if standard_input is not None else path
    raw = standard_input
    if raw is None:
        missing = "check the path"
        raw = read_bytes(path, file, most=MAX_BYTES, folder="name a file in it", missing=missing)
    text = _decode_text(raw, file)
    if not _RESOURCES.search(text):
        raise NotATemplateError(_what_it_is(text), text)
    body = _parse(text, file)
    if not _is_template(body):
        raise NotATemplateError("its `Resources` are not CloudFormation's", text)
    return TemplateFile(path=file, body=body, text=text)


def _step(node: Any, part: str) -> tuple[Any, Any]:
    """One step down: the value, and what carries its mark; `(None, None)` where it ends."""
    if isinstance(node, dict):
        for key, value in node.items():  # pyright: ignore[reportUnknownVariableType]
            if str(key) == part:  # pyright: ignore[reportUnknownArgumentType]
                return value, key  # pyright: ignore[reportUnknownVariableType]
    elif isinstance(node, list) and part.isdecimal() and int(part) < len(node):  # pyright: ignore[reportUnknownArgumentType]
        return node[int(part)], node[int(part)]  # pyright: ignore[reportUnknownVariableType]
    return None, None


def _decode_text(raw: bytes, file: str) -> str:
    if not raw.strip():
        raise NotATemplateError("the file is empty")
    if len(raw) > MAX_BYTES:
        if not _RESOURCES.search(raw[:_SNIFFED].decode("utf-8", "replace")):
            raise NotATemplateError(f"it is larger than {MAX_BYTES:,} bytes")
        raise unreadable(
            file,
            f"larger than {MAX_BYTES:,} bytes; CloudFormation itself takes at most 1 MB",
            "lint the templates it is made of",
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotATemplateError("it is not UTF-8 text") from None
    if "\0" in text:
        raise NotATemplateError("it is a binary file")
    return text


def _what_it_is(text: str) -> str:
    if _NODE_GROUPS.search(text):
        return "it looks like a cluster file, which `trnkit check` judges"
    return "it has no `Resources`"


@functools.cache
def _decoder() -> Any:
    """The parser, which refuses mappings beyond measure.

    Imported here because it takes half a second, which only a template needs to pay. It has no
    type information.
    """
    parsing: Any = importlib.import_module("cfnlint.decode.cfn_yaml")
    tag = "tag:yaml.org,2002:map"
    construct: Any = parsing.CfnFullLoader.yaml_constructors[tag]

    def construct_bounded(loader: Any, node: Any) -> Any:
        if len(node.value) > _MOST_KEYS:
            place, message = node.start_mark, f"a mapping of more than {_MOST_KEYS:,} keys"
            match = parsing.build_match(loader.filename, message, place.line, place.column, "")
            raise parsing.CfnParseError(loader.filename, [match])
        return construct(loader, node)

    parsing.CfnFullLoader.add_constructor(tag, construct_bounded)
    return importlib.import_module("cfnlint.decode.decode")


def _parse(text: str, file: str) -> Any:
    logging.getLogger("cfnlint").setLevel(logging.CRITICAL)
    template, matches = _decoder().decode_str(text)
    if template is not None and not matches:
        return template
    match = matches[-1]
    # Where there is no memory left, the parser has no words either.
    said = str(match.message).strip() or "it cannot be parsed, perhaps for want of memory"
    message = said.splitlines()[0].removeprefix("Template could not be parsed: ")
    line = getattr(match, "linenumber", None)
    if re.search(r"\(line \d+\)$", message):
        message = message.rpartition(" (line")[0]
    raise unreadable(
        file,
        f"not a valid template: {message[0].lower()}{message[1:]}",
        "correct the file's syntax",
        Mark(line, getattr(match, "columnnumber", None) or 1) if line else None,
    )


def _is_template(body: Any) -> bool:
    """Resources whose types have CloudFormation's shape; the type of some may be left out."""
    resources: Any = body.get("Resources") if isinstance(body, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    if not isinstance(resources, dict):
        return False
    if "AWSTemplateFormatVersion" in body:
        return True
    types = [r.get("Type") for r in resources.values() if isinstance(r, dict)]  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    return any(isinstance(kind, str) and "::" in kind for kind in types)  # pyright: ignore[reportUnknownVariableType]
