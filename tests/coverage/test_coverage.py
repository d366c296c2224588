"""The coverage table tells the truth: its rules and tests exist, and nothing is left open."""

from __future__ import annotations

import ast
import functools
import re

import pytest

from tests.coverage.mistakes import BY_SUBJECT, MISTAKES
from tests.synthesis import ROOT
from trnkit.operations.explaining import documented_rules

IDS = {rule.id for rule in documented_rules()}
BY_PREFIX = {"EFA": 14, "NET": 11, "CAP": 12, "FSX": 14, "BUD": 12, "AMI": 13, "HOST": 17, "CDK": 6}


def test_every_kind_is_there_once():
    ids = [mistake.id for mistake in MISTAKES]
    assert len(set(ids)) == len(ids) == sum(BY_PREFIX.values()) == 99
    for listed in BY_SUBJECT.values():
        assert [m.id for m in listed] == sorted(m.id for m in listed)
    counted = {prefix: sum(i.startswith(f"{prefix}-") for i in ids) for prefix in BY_PREFIX}
    assert counted == BY_PREFIX


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.id)
def test_a_kind_is_found_or_prevented(mistake):
    assert mistake.rules or mistake.tests
    assert set(mistake.rules) <= IDS
    assert list(mistake.rules) == sorted(mistake.rules)
    assert not mistake.what.endswith(".")
    assert not mistake.note or mistake.note.endswith(".")
    for name in mistake.tests:
        file, _, function = name.partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
        assert function in {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}, name


@functools.cache
def text_of_tests() -> str:
    """The text of all tests that may have a kind's number; this folder's table has them all."""
    table = {"hosts.py", "mistakes.py", "nodes.py", "storage_and_cost.py"}
    return "\n".join(
        path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if path.name not in table
    )


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.id)
def test_its_right_value_is_a_test_that_has_its_number(mistake):
    as_function = mistake.id.lower().replace("-", "_")
    text = text_of_tests()
    numbered = re.search(rf"{mistake.id}\b|\btest_\w*{as_function}(?!\d)", text)
    several = re.search(rf"\btest_{mistake.id[:3].lower()}_(\d\d_)*{mistake.id[-2:]}_", text)
    assert numbered or several
