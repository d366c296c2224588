"""Two templates as text, compared as `trnkit diff` compares two files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from trnkit.operations.changes.comparison import compare_stacks
from trnkit.operations.changes.inputs import read_stacks, recognise, together
from trnkit.operations.changes.pairs import Side
from trnkit.operations.changes.stacks import Stack
from trnkit.operations.template_files import TemplateFile, read_template
from trnkit.rules.stack_set import Template

if TYPE_CHECKING:
    from pathlib import Path

    from trnkit.operations.changes.comparison import Comparison
    from trnkit.report.change_results import Change


def compare(tmp_path: Path, old: str, new: str) -> Comparison:
    """Two templates, `Resources` and what follows, as YAML."""
    sides = []
    for name, text in (("old", old), ("new", new)):
        path = tmp_path / f"{name}.yaml"
        path.write_text(f"AWSTemplateFormatVersion: '2010-09-09'\n{text}")
        sides.append(read_stacks(recognise(str(path))))
    return compare_stacks(*sides, are_single=True)


def resource(kind: str, properties: dict[str, Any], **attributes: Any) -> str:
    """A template with one resource, `It`."""
    body = {"Type": kind, "Properties": properties, **attributes}
    return yaml.safe_dump({"Resources": {"It": body}})


def change_of(tmp_path: Path, kind: str, old: dict[str, Any], new: dict[str, Any], **more: Any):
    """The single change of one resource whose properties differ; None when there is none."""
    found = compare(tmp_path, resource(kind, old, **more), resource(kind, new, **more))
    assert len(found.changes) <= 1, found.changes
    return found.changes[0] if found.changes else None


def stacks(tmp_path: Path, **bodies: dict[str, Any]) -> list[Stack]:
    """Stacks by name, that know each other's exports."""
    made = []
    for name, body in bodies.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(body, indent=1))
        file: TemplateFile = read_template(str(path))
        side = Side.of(Template(name=name, path=file.path, body=file.body))
        made.append(Stack(name=name, side=side, file=file, shown_file=file.path))
    return together(made)


def by_id(found: Comparison) -> dict[str | None, Change]:
    """Changes by logical id."""
    return {change.logical_id: change for change in found.changes}
