"""A kind of mistake that people made with Trainium clusters, and what finds or prevents it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """One kind.

    Attributes:
        id: Its number, by which tests name it too (`test_efa_02_...`).
        what: What goes wrong, in a line.
        rules: Ids of the rules that find it.
        tests: Tests that pin the right value, or that it cannot happen: `file::function`.
        note: What is left, or why it has no rule.
    """

    id: str
    what: str
    rules: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    note: str = ""
