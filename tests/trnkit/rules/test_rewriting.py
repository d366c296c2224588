"""The same template in other words has the same findings: right ones none, wrong ones theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.trnkit.rules.rewriting import REWRITERS, Body, Set
from trnkit.findings import Finding, Severity
from trnkit.rules import StackSet, Template, TemplateRule, check_templates, list_rules

GOLDEN = Path(__file__).parents[2] / "golden/templates"
EXAMPLES = {
    "trn2-pretrain": "us-east-2",
    "trn2-capacity-block": "us-east-2",
    "mixed-groups": "us-east-2",
    "imported-vpc": "us-west-2",
    "isolated-subnets": "us-east-2",
    "dual-stack": "us-west-2",
    "several-budgets": "us-west-2",
    "intelligent-tiering": "us-east-2",
}
RULES = list_rules("template")
PLAIN_TEXT = "the CDK writes its stand-ins as plain text"
LOST = {
    ("texts_by_parameters", "TRN852"): PLAIN_TEXT,
    ("texts_by_mapping", "TRN852"): PLAIN_TEXT,
    ("texts_by_mapping", "TRN865"): "its Region is none of those of the mapping",
}
"""(Rewriter, rule) that finds nothing any more, and why that is right."""


def judged(templates: Set, region: str | None) -> tuple[Finding, ...]:
    return check_templates(StackSet(Template(n, n, b, region) for n, b in templates.items()))


def example(name: str) -> Set:
    return {
        path.stem: json.loads(path.read_text()) for path in sorted((GOLDEN / name).glob("*.json"))
    }


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("rewrite", REWRITERS, ids=lambda r: r.__name__)
def test_a_right_template_stays_right(rewrite: Callable[[Set], Set], name: str):
    templates = example(name)
    after = judged(rewrite(templates), EXAMPLES[name])
    worse = [f for f in after if f.severity is not Severity.INFO]
    assert [(f.rule_id, f.message) for f in worse] == []


def region_of(text: str) -> str | None:
    named = re.match(r"# region: (\S+)", text)
    return named[1] if named else None


@pytest.mark.parametrize("judged_rule", RULES, ids=lambda r: r.id)
@pytest.mark.parametrize("rewrite", REWRITERS, ids=lambda r: r.__name__)
def test_a_wrong_template_stays_wrong(rewrite: Callable[[Set], Set], judged_rule: TemplateRule):
    bad: Body = yaml.safe_load(judged_rule.bad)
    region = region_of(judged_rule.bad)

    # Of two that do not go together, the one that comes second is told.
    any_place = rewrite.__name__ == "in_another_order"

    def severities(templates: Set) -> set[Any]:
        found = [f for f in judged(templates, region) if f.rule_id == judged_rule.id]
        return {(f.severity, None if any_place else f.logical_id) for f in found}

    before, after = severities({"stack": bad}), severities(rewrite({"stack": bad}))
    assert before
    assert (before <= after) is ((rewrite.__name__, judged_rule.id) not in LOST)
