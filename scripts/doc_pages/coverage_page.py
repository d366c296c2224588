"""docs/coverage.md: every kind of mistake that people made, and what finds or prevents it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.doc_pages.markdown import page, table, wrap
from tests.coverage.mistakes import BY_SUBJECT, MISTAKES

if TYPE_CHECKING:
    from tests.coverage.mistake import Mistake

_INTRO = """\
Each row is a kind of mistake that people made when they provisioned Trainium clusters, from public
issues, pull requests and manuals, reworded. A kind that can be decided without an account has a
rule, or cannot happen with our constructs, which a test pins; most have both. Tests carry the
number in their name or beside the case."""

_READING = """\
Rules over the cluster file speak before anything is made (`trnkit check`); rules over templates
judge any CloudFormation, ours or not (`trnkit lint`, and at every synth); rules over documents
judge Kubernetes, Karpenter, eksctl and ParallelCluster files. What only an account can tell is said
in the last column."""


def render() -> str:
    """The page."""
    with_rule = sum(bool(mistake.rules) for mistake in MISTAKES)
    rest = len(MISTAKES) - with_rule
    counts = (
        f"Of {len(MISTAKES)} kinds, {with_rule} have rules; the other {rest} are prevented by "
        "construction and pinned by a test, or were mistakes of tools."
    )
    blocks = ["# What is covered", wrap(_INTRO), wrap(counts), wrap(_READING)]
    for subject, mistakes in BY_SUBJECT.items():
        blocks += [f"## {subject}", _table(mistakes)]
    return page(*blocks)


def _table(mistakes: tuple[Mistake, ...]) -> str:
    return table(
        ["Kind", "What goes wrong", "Rules", "Right values pinned in", "What is left"],
        [
            (
                mistake.id,
                mistake.what,
                ", ".join(f"[{rule}](rules.md#{rule.lower()})" for rule in mistake.rules),
                ", ".join(dict.fromkeys(_cited(test) for test in mistake.tests)),
                mistake.note,
            )
            for mistake in mistakes
        ],
    )


def _cited(test: str) -> str:
    file = test.partition("::")[0]
    return f"[{file.rpartition('/')[2]}](../tests/{file})"
