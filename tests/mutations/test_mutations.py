"""The rules find every kind of mistake that they claim, in every example where it can be made."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.mutations.kinds import KINDS
from tests.mutations.sweep import findings_of, sweep
from tests.synthesis import EXAMPLES
from trnkit.findings import Severity
from trnkit.rules import list_rules


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id.replace(" ", "-"))
def test_the_rule_that_claims_a_mistake_finds_it(kind):
    result = sweep(kind)
    assert result.missed == ()
    assert result.caught, "it can be made in no example"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_right_templates_have_no_error(example):
    assert [f.headline() for f in findings_of(example.stem) if f.severity is Severity.ERROR] == []


def test_there_are_kinds_enough_and_each_is_one():
    assert len(KINDS) >= 100
    assert max(Counter(kind.id for kind in KINDS).values()) == 1
    assert {kind.rule for kind in KINDS} <= {rule.id for rule in list_rules("template")}
