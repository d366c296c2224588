"""docs/other-formats.md says which rule judges which format; wrong documents show that it does."""

from __future__ import annotations

import re

import pytest

from tests.synthesis import ROOT
from tests.trnkit.rules.documents.test_wrong_pools import WRONG as POOLS
from tests.trnkit.rules.documents.test_wrong_workloads import WRONG as WORKLOADS
from tests.trnkit.rules.judging import judge_documents
from trnkit.rules import list_rules

PAGE = (ROOT / "docs/other-formats.md").read_text()
ROWS = dict(re.findall(r"^\| (TRN[0-9]{3}) \|[^|]*\|(.*)\|$", PAGE, flags=re.MULTILINE))
FORMATS = {
    "K": "karpenter.sh/v1",
    "E": "eksctl.io/",
    "P": "HeadNode:",
    "W": "containers:",
    "S": "storage.k8s.io/",
}


def formats_of(text):
    return {key for key, mark in FORMATS.items() if mark in text}


def test_the_page_has_a_row_for_every_rule():
    assert list(ROWS) == [rule.id for rule in list_rules("document")]


@pytest.mark.parametrize("rule", ROWS)
def test_a_rule_fires_in_the_formats_that_the_page_names_and_in_no_other(rule):
    named = {key for key, cell in zip(FORMATS, ROWS[rule].split("|"), strict=True) if cell.strip()}
    fired = [
        formats_of(text)
        for name, _, _, text in [*POOLS, *WORKLOADS]
        if name == rule and rule in {finding.rule_id for finding in judge_documents(text)}
    ]
    # A document of another format beside is there for its nodes.
    assert all(found & named for found in fired), "the rule does more than the page says"
    assert named <= set().union(*fired), "the page promises more than is tried"
