"""The toolkit's own rules and the emulated AWS judge the same mutants, each by itself."""

from __future__ import annotations

import pytest

from tests.rehearsal.mutants import MUTANTS
from tests.rehearsal.second_opinion import opinions


def test_every_mutant_has_an_opinion() -> None:
    assert list(opinions()) == [mutant.id for mutant in MUTANTS]


@pytest.mark.parametrize(
    ("mutant", "rule"),
    [
        ("interface-on-a-card-that-is-not-there", "TRN252"),
        ("capacity-between-the-steps", "TRN351"),
        ("servers-that-cannot-reach-each-other", "TRN354"),
        ("capacity-block-bought-on-demand", "TRN260"),
        ("budget-of-a-tag-without-its-prefix", "TRN452"),
    ],
)
def test_both_find_what_both_know(mutant: str, rule: str) -> None:
    assert rule in opinions()[mutant]


@pytest.mark.parametrize(
    "mutant", ["capacity-that-shrinks", "bucket-that-exists-already", "group-in-no-subnet"]
)
def test_what_needs_the_state_of_the_account_only_a_deployment_finds(mutant: str) -> None:
    assert opinions()[mutant] == ()
