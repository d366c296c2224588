"""Any value of our examples' templates, changed: it is reported, and never raises."""

from __future__ import annotations

import copy
import json
import random

import pytest

from tests.synthesis import ROOT
from trnkit.operations.changes.comparison import compare_stacks
from trnkit.operations.changes.inputs import together
from trnkit.operations.changes.pairs import Side
from trnkit.operations.changes.stacks import Stack
from trnkit.operations.template_files import TemplateFile
from trnkit.rules.stack_set import Template

TEMPLATES = sorted((ROOT / "tests" / "golden" / "templates").glob("*/*.json"))
STRANGE = [
    None,
    3,
    "x",
    [],
    {},
    [[]],
    {"Ref": "Nothing"},
    {"Fn::GetAtt": 3},
    {"Fn::Sub": [3]},
    -1.5,
]


def side(body):
    file = TemplateFile(path="t.json", body=body)
    template = Template(name="t", path="t.json", body=body)
    return together([Stack(name="t", side=Side.of(template), file=file, shown_file="t.json")])


def places(value, way=()):
    """The ways to all values, but for conditions of order that are no change."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if key == "DependsOn":
            continue
        if isinstance(inner, dict | list) and inner:
            yield (*way, key), inner
            yield from places(inner, (*way, key))
        else:
            yield (*way, key), inner


def put(body, way, value):
    *before, last = way
    node = body
    for part in before:
        node = node[part]
    node[last] = value


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_changed_value_is_a_change(path):
    body = json.loads(path.read_text())
    chosen = random.Random(path.stem)
    leaves = [
        (way, value)
        for way, value in places({k: body[k] for k in ("Resources", "Outputs") if k in body})
        if isinstance(value, str | int | bool) and way[-1] != "Description"
    ]
    for way, value in chosen.sample(leaves, min(20, len(leaves))):
        new = copy.deepcopy(body)
        put(new, way, f"{value}-other")
        assert compare_stacks(side(body), side(new), are_single=True).changes, way


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_strange_values_anywhere_end_in_a_report(path):
    body = json.loads(path.read_text())
    chosen = random.Random(path.parent.name)
    ways = [way for way, _ in places(body)]
    for way in chosen.sample(ways, min(20, len(ways))):
        new = copy.deepcopy(body)
        put(new, way, chosen.choice(STRANGE))
        for old, other in ((body, new), (new, body)):
            compare_stacks(side(old), side(other), are_single=True)
        assert compare_stacks(side(new), side(new), are_single=True).changes == (), way
