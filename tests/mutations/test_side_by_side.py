"""docs/side-by-side.md is what the rules say now; of the other judges, what is cheap to ask."""

from __future__ import annotations

import functools
import json
import re
from importlib.metadata import version

import pytest

from benchmarks.judges.comparison import our_column
from benchmarks.judges.corpus import mistakes
from benchmarks.judges.judge import new, rules_of, serious
from benchmarks.judges.linters import cfn_lint_says
from benchmarks.judges.page import (
    COMMAND,
    MISSED,
    PAGE,
    RIGHT,
    SECTIONS,
    UNEXPLAINED,
    our_cell,
)
from scripts.doc_pages.markdown import wrap
from tests.mutations.sweep import bodies_of, region_of
from tests.synthesis import ROOT

AGAIN = f"docs/side-by-side.md is out of date; make it with: {COMMAND}"


@functools.cache
def wrong():
    return list(mistakes())


@functools.cache
def rows():
    """The rows of the page's tables of wrong templates: subject, then the cells."""
    found, origin, subject = [], None, None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            origin = next((key for key, title in SECTIONS.items() if line == f"## {title}"), None)
        elif line.startswith("### "):
            subject = line.removeprefix("### ")
        elif origin and line.startswith("| ") and not line.startswith(("| ---", "| Wrong")):
            found.append((origin, subject, *line.strip("| ").split(" | ")))
    return found


def numbers():
    """By judge, the numbers of the page's first table of counts."""
    section = PAGE.read_text(encoding="utf-8").partition("## Found and missed\n\n")[2]
    lines = section.partition("\n\n")[0].splitlines()[2:]
    cells = [line.strip("| ").split(" | ") for line in lines]
    return {name: tuple(map(int, counts)) for name, *counts in cells}


def test_every_wrong_template_has_a_row():
    told = [(origin, subject, name, where) for origin, subject, name, where, *_ in rows()]
    made = [(one.origin, one.subject, one.id, f"{one.example}, {one.stack}") for one in wrong()]
    assert told == made, AGAIN


def test_the_page_names_the_rules_that_find_each():
    column = our_column(wrong())
    told = {(row[0], row[2]): row[4] for row in rows()}
    found = {(one.origin, one.id): our_cell(column, number) for number, one in enumerate(wrong())}
    assert {key: cell for key, cell in told.items() if found[key] != cell} == {}, AGAIN
    assert [said for said in column.right if said.severity == "error"] == []


def test_the_counts_are_those_of_the_rows():
    judges = list(numbers())
    for number, judge in enumerate(judges):
        cells = [row[4 + number] for row in rows()]
        found = sum(not cell.startswith(MISSED) for cell in cells)
        assert numbers()[judge][:2] == (found, len(cells) - found), judge
    assert len(rows()[0]) == 4 + len(judges)


def test_what_is_said_of_right_templates_is_explained():
    text = PAGE.read_text(encoding="utf-8")
    assert "E3628" in text
    assert UNEXPLAINED not in text, "say why it stands in benchmarks/judges/explanations.py"


def test_the_readme_has_the_pages_numbers():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for origin in SECTIONS:
        chosen = [row[4:] for row in rows() if row[0] == origin]
        first, *rest = (
            f"{judge} {sum(not row[number].startswith(MISSED) for row in chosen)}"
            for number, judge in enumerate(numbers())
        )
        told = ", ".join([first.replace(" ", " finds "), *rest])
        assert re.search(rf"of {len(chosen)} [a-zA-Z ,]* {told}[;.]", readme), AGAIN


@pytest.mark.parametrize(
    "package", ["cfn-lint", "cloudformation-validate", "aws-cdk-lib", "cdk-nag"]
)
def test_the_page_is_of_the_judges_in_the_lock(package):
    text = PAGE.read_text(encoding="utf-8")
    told = re.search(
        rf"\| (?:{package} \| |.* \| {package} ){re.escape(version(package))} \|", text
    )
    assert told, AGAIN


def test_cfn_lint_says_of_a_sample_what_the_page_says():
    column = list(numbers()).index("cfn-lint")
    told = [row[4 + column] for row in rows()]
    found = [number for number, cell in enumerate(told) if cell != MISSED]
    missed = [number for number, cell in enumerate(told) if cell == MISSED]
    sample = [*found[:: len(found) // 3][:3], *missed[:: len(missed) // 2][:2]]
    assert len(sample) == 5
    for number in sample:
        assert (", ".join(by_cfn_lint(wrong()[number])) or MISSED) == told[number], AGAIN


def by_cfn_lint(mistake):
    region = region_of(mistake.example, mistake.stack)
    right = bodies_of(mistake.example)[mistake.stack]
    before, after = (cfn_lint_says(json.dumps(body), region) for body in (right, mistake.body))
    return rules_of(serious(new(after, before)))


def test_the_page_says_whose_the_right_templates_are_and_how_it_counts():
    page = PAGE.read_text(encoding="utf-8")
    assert f"|\n\n{wrap(RIGHT)}\n\n| Subject |" in page, AGAIN
    assert "this project's own examples" in RIGHT
