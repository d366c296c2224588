"""What the toolkit's own template rules say, over all templates of a cluster at once."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.judges.judge import Said
from tests.mutations.sweep import bodies_of, judge
from trnkit import __version__

NAME: Final = "trnkit"
VERSION: Final = __version__


def said_of(example: str, changed: dict[str, Any]) -> frozenset[Said]:
    """What they say of an example.

    Args:
        example: Its name.
        changed: Templates that stand for its own, by stack.
    """
    findings = judge(example, {**bodies_of(example), **changed})
    return frozenset(
        Said(found.rule_id, found.severity.value, f"{found.file}/{found.path}")
        for found in findings
    )
