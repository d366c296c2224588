"""The templates that every judge gets: those of the examples, and the same with one mistake."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tests.mutations.kinds import BY_SUBJECT
from tests.mutations.sweep import bodies_of, region_of, wrong_templates
from tests.rehearsal.mutants import BY_TOPIC
from tests.synthesis import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Origin = Literal["mutations", "refusals"]
"""The folder `tests/mutations`, or the changes that the emulated AWS refuses."""


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A template of an example with one mistake.

    Attributes:
        origin: Where the mistake is from.
        subject: What it is about.
        id: What is wrong, in a few words.
        example: The example whose template it is.
        stack: The stack whose template it is.
        body: The template with the mistake.
    """

    origin: Origin
    subject: str
    id: str
    example: str
    stack: str
    body: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class TemplateFile:
    """A template that lies in a file for a judge.

    Attributes:
        name: Unique among all of them.
        path: The file.
        region: The Region where it would be deployed.
    """

    name: str
    path: Path
    region: str


def mistakes() -> Iterator[Mistake]:
    """Every mistake, in the first example where it can be made."""
    for subject, kinds in BY_SUBJECT.items():
        for kind in kinds:
            example, body = next(wrong_templates(kind))
            yield Mistake(
                origin="mutations",
                subject=subject,
                id=kind.id,
                example=example,
                stack=kind.stack,
                body=body,
            )
    for subject, mutants in BY_TOPIC.items():
        for mutant in mutants:
            body = copy.deepcopy(bodies_of(mutant.example)[mutant.stack])
            mutant.change(body)
            yield Mistake(
                origin="refusals",
                subject=subject,
                id=mutant.id.replace("-", " "),
                example=mutant.example,
                stack=mutant.stack,
                body=body,
            )


def write_right(folder: Path) -> dict[tuple[str, str], TemplateFile]:
    """Write the templates of the examples.

    Args:
        folder: An empty one.

    Returns:
        The files, by example and stack.
    """
    return {
        (path.stem, stack): _write(
            folder, f"right-{path.stem}-{stack}", body, region_of(path.stem, stack)
        )
        for path in EXAMPLES
        for stack, body in bodies_of(path.stem).items()
    }


def write_wrong(folder: Path, wrong: list[Mistake]) -> list[TemplateFile]:
    """Write the templates with mistakes.

    Args:
        folder: An empty one.
        wrong: The mistakes.

    Returns:
        The files, in the order of the mistakes.
    """
    return [
        _write(folder, f"wrong-{number}", mistake.body, region_of(mistake.example, mistake.stack))
        for number, mistake in enumerate(wrong)
    ]


def _write(folder: Path, name: str, body: dict[str, Any], region: str) -> TemplateFile:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(body, indent=1), encoding="utf-8")
    return TemplateFile(name=name, path=path, region=region)
