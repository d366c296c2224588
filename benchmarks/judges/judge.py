"""What a judge is, and one thing that it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.judges.corpus import TemplateFile


@dataclass(frozen=True, order=True)
class Said:
    """One thing that a judge says of a template.

    Two of them are the same whatever line they are on and however they are worded.

    Attributes:
        rule: The judge's id for it.
        severity: What the judge calls it.
        place: The resource, and the property where the judge names one.
    """

    rule: str
    severity: Literal["error", "warning", "info"]
    place: str


Verdicts = dict[str, frozenset[Said]]
"""By the name of a template."""


def serious(said: Iterable[Said]) -> tuple[Said, ...]:
    """What is worse than information, in order."""
    return tuple(sorted(one for one in said if one.severity != "info"))


def new(of_wrong: Iterable[Said], of_right: Iterable[Said]) -> tuple[Said, ...]:
    """What is said of a template with a mistake, and not of the one without it."""
    before = {(said.rule, said.place) for said in of_right}
    return tuple(said for said in of_wrong if (said.rule, said.place) not in before)


def rules_of(said: Iterable[Said]) -> tuple[str, ...]:
    """Each rule once, in order."""
    return tuple(sorted({one.rule for one in said}))


class Judge(Protocol):
    """Anything that judges templates one by one. It is handed to another process."""

    at_a_time: int
    """How many templates it is given at once."""

    @property
    def name(self) -> str:
        """How it is called."""
        ...

    @property
    def version(self) -> str:
        """Which one it is."""
        ...

    def judge(self, files: Sequence[TemplateFile]) -> Verdicts:
        """Judge templates.

        Args:
            files: Each is judged by itself.
        """
        ...
