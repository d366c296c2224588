"""Values of templates as a reader sees them in a report: short, and of long texts what differs."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import clipped
from trnkit.operations.changes.differences import Difference, lines_of
from trnkit.operations.changes.normal_form import (
    Call,
    Form,
    OutputReference,
    Reference,
    Text,
    children,
)

if TYPE_CHECKING:
    from trnkit.operations.changes.registry import Path

_LONGEST = 90
_MANY_LINES = 3


def shown_path(path: Path) -> str:
    """`NetworkInterfaces[0].Groups`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def shown_pair(difference: Difference) -> tuple[str | None, str | None]:
    """Both sides of a difference; of texts with many lines the first line that differs."""
    old, new = difference.old, difference.new
    before, after = lines_of(old), lines_of(new)
    if len(before) > _MANY_LINES and len(after) > _MANY_LINES:
        gone, come = differing_lines(difference)
        return _line(gone), _line(come)
    return _shown(old), _shown(new)


def differing_lines(difference: Difference) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """The lines of a text that are on one side only, with their numbers from 1."""
    before, after = lines_of(difference.old), lines_of(difference.new)
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    gone: list[tuple[int, str]] = []
    come: list[tuple[int, str]] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            gone += [(number + 1, before[number]) for number in range(a, b)]
            come += [(number + 1, after[number]) for number in range(c, d)]
    return gone, come


def _line(lines: list[tuple[int, str]]) -> str:
    if not lines:
        return "(no such line)"
    number, text = lines[0]
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    return f"line {number}: {clipped(text.strip(), _LONGEST)}{more}"


def _shown(form: Form) -> str | None:
    return None if form is None else clipped(as_text(form), _LONGEST)


def as_text(form: Form, depth: int = 0) -> str:
    """A value in one line; nested values beyond the third level as dots."""
    if isinstance(form, str):
        return form if depth == 0 else json.dumps(form, ensure_ascii=False)
    if isinstance(form, Reference):
        return f"{form.logical_id}.{form.attribute}" if form.attribute else form.logical_id
    if isinstance(form, OutputReference):
        return f"output {form.output} of {form.stack}"
    if depth > 3:
        return "..."
    if isinstance(form, Text):
        return "".join(
            part if isinstance(part, str) else f"${{{as_text(part, depth + 1)}}}"
            for part in form.parts
        )
    if isinstance(form, Call):
        if form.argument is None:
            return form.name
        if form.name == "Parameter":
            return f"parameter {form.argument}"
        return f"{form.name.removeprefix('Fn::')}({as_text(form.argument, depth + 1)})"
    if isinstance(form, dict):
        inside = ", ".join(f"{key}: {as_text(v, depth + 1)}" for key, v in children(form))
        return f"{{{inside}}}"
    if isinstance(form, list):
        return f"[{', '.join(as_text(item, depth + 1) for item in form)}]"
    return "(nested too deeply)"
