"""docs/rehearsal-refusals.md: wrong templates, as the emulated AWS and `trnkit lint` judge them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.doc_pages.markdown import page, table, wrap
from tests.rehearsal.mutants import BY_TOPIC, MUTANTS
from tests.rehearsal.second_opinion import opinions

if TYPE_CHECKING:
    from tests.rehearsal.mutant import Mutant

_INTRO = """\
Each row is one change to a template of an example. The tests deploy it to the emulated AWS, which
must refuse it with AWS's error, roll back and keep nothing. The emulated AWS knows none of the
[rules](rules.md) and facts of `trnkit lint`: it is moto's and MiniStack's data, AWS's own API
models and registry schemas, and AWS's documents. So each is a second opinion on the other."""

_DIFFERENCES = """\
Where no rule is named, the deployment is the first to tell. Some of these depend on what is in the
account (ids, names, what is deployed already), some are left to the schema checkers that run beside
`trnkit lint` ([other judges](other-judges.md)), and for the rest there is no rule."""


def render() -> str:
    """The page."""
    found = sum(bool(rules) for rules in opinions().values())
    counts = (
        f"Of {len(MUTANTS)} changes `trnkit lint` finds {found} without any deployment; the other "
        f"{len(MUTANTS) - found} are refused in a rehearsal only."
    )
    blocks = ["# Wrong templates in a rehearsal", wrap(_INTRO), wrap(counts), wrap(_DIFFERENCES)]
    for topic, mutants in BY_TOPIC.items():
        blocks += [f"## {topic}", _table(mutants)]
    return page(*blocks)


def _table(mutants: tuple[Mutant, ...]) -> str:
    return table(
        ["Change", "Example", "A part of the refusal", "Rules of `trnkit lint`"],
        [
            (
                mutant.id.replace("-", " "),
                mutant.example,
                _cited(mutant),
                ", ".join(f"[{rule}](rules.md#{rule.lower()})" for rule in opinions()[mutant.id]),
            )
            for mutant in mutants
        ],
    )


def _cited(mutant: Mutant) -> str:
    shown = mutant.says if len(mutant.says) <= 60 else f"{mutant.says[:57]}..."
    return f"[{shown}]({mutant.source})" if mutant.source else f"`{shown}`"
