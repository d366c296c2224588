"""What an update does, for a person at a terminal and for a program."""

from __future__ import annotations

from dataclasses import fields
from itertools import groupby
from typing import TYPE_CHECKING, Any

from trnkit.report.change_results import Verdict
from trnkit.report.words import columns, count_of, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trnkit.report.change_results import Change, ChangeReport, Effect, KeyChange, PropertyChange

_STYLES = {
    Verdict.DESTROYS_DATA: "1;31",
    Verdict.CANNOT_BE_TOLD: "1;35",
    Verdict.REFUSED: "1;31",
    Verdict.REPLACES_NODES: "1;33",
    Verdict.REPLACES: "33",
    Verdict.INTERRUPTS: "33",
    Verdict.SAFE: "32",
}
_ABSENT = "(absent)"
_PROPERTIES = 8
_KEYS = 40
_NAMES = 3
_FOLLOWS = "follows what it refers to"
_BRIEF = 12
"""More changes that a line says all of than this are counted by type, not listed."""


def render_changes(report: ChangeReport, *, color: bool = False) -> str:
    """Write a report: keys of the cluster file, changes from the worst down, notes, a summary.

    Args:
        report: What was found.
        color: Whether to use ANSI colours.
    """
    blocks = []
    if report.keys:
        blocks.append(_keys(report))
    for verdict, group in groupby(report.changes, key=lambda change: change.verdict):
        blocks.append(_group(verdict, list(group), color))
    blocks += [f"note  {printable(note)}" for note in report.notes]
    blocks.append(summarize_changes(report))
    return "\n\n".join(blocks)


def summarize_changes(report: ChangeReport) -> str:
    """The last line: `1 destroys data, 2 safe: old.yaml -> new.yaml`."""
    names = f"{printable(report.old)} -> {printable(report.new)}"
    counts = report.counts()
    if not counts:
        return f"no changes: {names}"
    return f"{', '.join(f'{n} {verdict.words}' for verdict, n in counts.items())}: {names}"


def plain_changes(report: ChangeReport) -> dict[str, Any]:
    """The report as plain JSON values, for the keys of the JSON object."""
    return {
        "old": report.old,
        "new": report.new,
        "inputs": report.inputs,
        "worst": report.worst.value if report.worst else None,
        "counts": {verdict.value: number for verdict, number in report.counts().items()},
        "changes": [_plain_change(change) for change in report.changes],
        "cluster_file": [_plain(key) for key in report.keys],
        "notes": list(report.notes),
    }


def _plain_change(change: Change) -> dict[str, Any]:
    return {
        "verdict": change.verdict.value,
        **_plain(change),
        "effects": [_plain(effect) for effect in change.effects],
        "properties": [_plain(item) for item in change.properties],
    }


def _plain(value: Change | Effect | KeyChange | PropertyChange) -> dict[str, Any]:
    plain = {field.name: getattr(value, field.name) for field in fields(value)}
    return {k: v.value if isinstance(v, Verdict) else v for k, v in plain.items()}


def _keys(report: ChangeReport) -> str:
    shown = report.keys[:_KEYS]
    rows = [
        (f"{key.file}:{key.line}" if key.line else key.file, key.path, _arrow(key.old, key.new))
        for key in shown
    ]
    lines = ["keys of the cluster file", columns([_printable(row) for row in rows], indent="  ")]
    if len(report.keys) > len(shown):
        lines.append(f"  and {len(report.keys) - len(shown)} more")
    return "\n".join(lines)


def _printable(row: Iterable[str]) -> tuple[str, ...]:
    return tuple(printable(cell) for cell in row)


def _arrow(old: str | None, new: str | None) -> str:
    return f"{_ABSENT if old is None else old} -> {_ABSENT if new is None else new}"


def _group(verdict: Verdict, changes: list[Change], color: bool) -> str:
    title = f"\x1b[{_STYLES[verdict]}m{verdict.words}\x1b[0m" if color else verdict.words
    lines = [title]
    brief = [change for change in changes if _is_brief(change)]
    for change in changes:
        if change not in brief:
            lines += _change(change)
    if len(brief) <= _BRIEF:
        rows = [(c.kind, _name(c), c.stack, _in_a_line(c)) for c in brief]
        lines += [columns([_printable(row) for row in rows], indent="  ")] if rows else []
    else:
        lines += _by_type(brief)
    return "\n".join(lines)


def _is_brief(change: Change) -> bool:
    """Whether a line says all: safe, one effect, and no advice."""
    return change.verdict is Verdict.SAFE and not any(e.hint for e in change.effects)


def _in_a_line(change: Change) -> str:
    names = dict.fromkeys(item.path.partition("[")[0] for item in change.properties)
    shown = ", ".join([*names][:_NAMES]) + (", ..." if len(names) > _NAMES else "")
    messages = "; ".join(effect.message for effect in change.effects)
    return f"{shown}: {messages}" if shown else messages


def _by_type(changes: list[Change]) -> Iterator[str]:
    def key(change: Change) -> tuple[str, str, str]:
        return change.stack, change.kind, change.type or "stack"

    rows: list[tuple[str, str, str]] = []
    for (stack, kind, type_), group in groupby(sorted(changes, key=key), key=key):
        rows.append((kind, count_of(len(list(group)), type_.rpartition("::")[2]), stack))
    yield columns([_printable(row) for row in rows], indent="  ")


def _name(change: Change) -> str:
    if change.logical_id is None:
        return "the stack"
    return f"{change.logical_id} ({(change.type or '').rpartition('::')[2]})"


def _change(change: Change) -> Iterator[str]:
    place = change.file or ""
    if change.file and change.line:
        place = f"{change.file}:{change.line}:{change.column}"
    where = f"{place}  " if place else ""
    what = f"{change.logical_id}  {change.type}" if change.logical_id else "the stack"
    yield f"  {printable(f'{where}{what}  in {change.stack}')}  ({change.kind})"
    ordered = sorted(change.properties, key=lambda item: (not item.replaces, item.verdict.rank))
    for item in ordered[:_PROPERTIES]:
        values = _FOLLOWS if item.indirect else _arrow(item.old, item.new)
        mark = "  (makes a new one)" if item.replaces else ""
        yield f"    {printable(f'{item.path}: {values}')}{mark}"
    if len(change.properties) > _PROPERTIES:
        yield f"    and {len(change.properties) - _PROPERTIES} more values"
    for effect in change.effects:
        mark = "" if effect.verdict is change.verdict else f"{effect.verdict.words}: "
        yield f"    why   {printable(mark + effect.message)}"
        if effect.hint:
            yield f"    do    {printable(effect.hint)}"
        if effect.source and effect.verdict is change.verdict:
            yield f"    see   {printable(effect.source)}"
