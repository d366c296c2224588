"""Puts templates before judges, and counts what each finds, misses, and says of right ones."""

from __future__ import annotations

import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.judges import ours
from benchmarks.judges.corpus import write_right, write_wrong
from benchmarks.judges.judge import new, rules_of, serious
from tests.synthesis import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.judges.corpus import Mistake, TemplateFile
    from benchmarks.judges.judge import Judge, Said, Verdicts

_PROCESSES = 2


@dataclass(frozen=True, kw_only=True)
class Column:
    """One judge's answers.

    Attributes:
        name: Of the judge.
        version: Of the judge.
        found: By mistake, in their order: the rules that find it, none when it is missed.
        informed: The same of rules that only inform.
        right: What it says of the right templates, worse than information.
    """

    name: str
    version: str
    found: tuple[tuple[str, ...], ...]
    informed: tuple[tuple[str, ...], ...]
    right: tuple[Said, ...]


def our_column(mistakes: Iterable[Mistake]) -> Column:
    """What the toolkit's own rules find."""
    right = {path.stem: ours.said_of(path.stem, {}) for path in EXAMPLES}
    said = [
        new(ours.said_of(one.example, {one.stack: one.body}), right[one.example])
        for one in mistakes
    ]
    return _column(ours.NAME, ours.VERSION, said, right.values())


def columns_of_others(judges: Sequence[Judge], mistakes: list[Mistake]) -> tuple[Column, ...]:
    """What other judges find; each gets the same files.

    Args:
        judges: All but the toolkit itself.
        mistakes: The wrong templates.
    """
    with tempfile.TemporaryDirectory(prefix="trnkit-judges-") as folder:
        right = write_right(Path(folder))
        wrong = write_wrong(Path(folder), mistakes)
        verdicts = _ask(judges, [*right.values(), *wrong])
    columns: list[Column] = []
    for judge in judges:
        told = verdicts[judge.name]
        said = [
            new(told[file.name], told[right[mistake.example, mistake.stack].name])
            for mistake, file in zip(mistakes, wrong, strict=True)
        ]
        of_right = [told[file.name] for file in right.values()]
        columns.append(_column(judge.name, judge.version, said, of_right))
    return tuple(columns)


def _column(
    name: str,
    version: str,
    said: Sequence[tuple[Said, ...]],
    of_right: Iterable[Iterable[Said]],
) -> Column:
    return Column(
        name=name,
        version=version,
        found=tuple(rules_of(serious(one)) for one in said),
        informed=tuple(rules_of({*one} - {*serious(one)}) for one in said),
        right=serious(one for told in of_right for one in told),
    )


def _ask(judges: Sequence[Judge], files: list[TemplateFile]) -> dict[str, Verdicts]:
    verdicts: dict[str, Verdicts] = {judge.name: {} for judge in judges}
    begin = time.perf_counter()
    with ProcessPoolExecutor(max_workers=_PROCESSES) as pool:
        asked = {
            pool.submit(judge.judge, files[first : first + judge.at_a_time]): judge.name
            for judge in judges
            for first in range(0, len(files), judge.at_a_time)
        }
        for answered in as_completed(asked):
            verdicts[asked[answered]] |= answered.result()
            done = ", ".join(f"{name} {len(told)}" for name, told in verdicts.items())
            seconds = time.perf_counter() - begin
            print(f"{seconds:5.0f} s of {len(files)}: {done}", file=sys.stderr)
    for name, told in verdicts.items():
        assert told.keys() == {file.name for file in files}, f"{name} has not judged everything"
    return verdicts
