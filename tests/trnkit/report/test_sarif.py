"""SARIF logs: valid, one run a tool, suppressions with their reasons."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from tests.trnkit.report.sarif_schema import LOG
from trnkit.findings import Finding, Severity, Suppression
from trnkit.operations.explaining import documented_rules
from trnkit.report.sarif import render_sarif
from trnkit.rules import Rule

OURS = Finding(
    rule_id="TRN251",
    severity=Severity.ERROR,
    message="Nodes: 8 interfaces",
    hint="give it 16",
    path="/Resources/Nodes/Properties",
    logical_id="Nodes",
    file="t.yaml",
    line=3,
    column=5,
    evidence="the catalogue",
)
THEIRS = replace(OURS, rule_id="E3002", tool="cfn-lint", hint=None, evidence=None)
WIDE = Finding(rule_id="TRN006", severity=Severity.WARNING, message="--suppress TRN353 is idle")
DOCUMENTED = Rule(
    id="E3002", title="valid properties", severity=Severity.ERROR, why="none else is taken",
    source="https://example.com/rules", good="", bad="",
)  # fmt: skip


def log(*findings, directory, **options):
    text = render_sarif(
        findings,
        rules={rule.id: rule for rule in documented_rules()},
        version="1.2.3",
        directory=directory,
        other_rules={"cfn-lint": {"E3002": DOCUMENTED}},
        **options,
    )
    content = json.loads(text)
    jsonschema.validate(content, LOG, format_checker=jsonschema.FormatChecker())
    return content


NAMES = ["t.yaml", "a b/ü.yaml", "../up.yaml", "/x/y.yaml", "new\nline.yaml", "\x1b[2J.yaml",
         os.fsdecode(b"\xff.yaml"), "%41.yaml", "a:b.yaml", "<stdin>", "nul\0.yaml"]  # fmt: skip


@pytest.mark.parametrize("file", NAMES, ids=ascii)
def test_a_log_is_valid_whatever_the_file_is_called(tmp_path, file):
    content = log(replace(OURS, file=file), directory=tmp_path)
    (result,) = content["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii()
    assert not set(uri) & set(" \n\x1b<>\0")


@pytest.mark.parametrize("findings", [(), (WIDE,), (OURS, THEIRS, WIDE)], ids=len)
@pytest.mark.parametrize("executed", [True, False])
def test_a_log_is_valid_whatever_was_found(tmp_path, findings, executed):
    assert log(*findings, directory=tmp_path, executed=executed)["version"] == "2.1.0"


def test_every_documented_rule_makes_a_valid_entry(tmp_path):
    findings = [replace(OURS, rule_id=rule.id) for rule in documented_rules()]
    content = log(*findings, directory=tmp_path)
    entries = content["runs"][0]["tool"]["driver"]["rules"]
    assert len(entries) == len(documented_rules())
    assert all(entry["help"]["text"] for entry in entries)


def test_each_tool_has_a_run_with_its_rules(tmp_path):
    ours, theirs = log(OURS, THEIRS, directory=tmp_path)["runs"]
    assert ours["tool"]["driver"]["name"] == "trnkit"
    assert [r["ruleId"] for r in ours["results"]] == ["TRN251"]
    driver = theirs["tool"]["driver"]
    assert (driver["name"], "version" in driver) == ("cfn-lint", False)
    assert driver["rules"][0]["helpUri"] == "https://example.com/rules"
    assert [(r["ruleId"], r["ruleIndex"]) for r in theirs["results"]] == [("E3002", 0)]


def test_a_tool_that_was_asked_has_a_run_also_without_results(tmp_path):
    ours, theirs = log(OURS, directory=tmp_path)["runs"]
    assert [len(ours["results"]), len(theirs["results"])] == [1, 0]
    assert theirs["tool"]["driver"] == {"name": "cfn-lint", "rules": []}


def test_the_fact_is_in_the_text_too_since_code_hosts_show_no_properties(tmp_path):
    (result,) = log(OURS, directory=tmp_path)["runs"][0]["results"]
    assert result["message"]["text"].endswith("\n\nfact: the catalogue")
    assert result["properties"] == {"evidence": "the catalogue"}


def test_a_tool_that_was_not_asked_has_none(tmp_path):
    text = render_sarif([OURS], rules={}, version="1", directory=tmp_path)
    assert [run["tool"]["driver"]["name"] for run in json.loads(text)["runs"]] == ["trnkit"]


@pytest.mark.parametrize("kind", ["inSource", "external"])
def test_what_was_suppressed_is_a_note_with_its_justification(tmp_path, kind):
    suppression = Suppression(kind=kind, reason="agreed with the owners")
    (result,) = log(OURS.suppressed(suppression), directory=tmp_path)["runs"][0]["results"]
    assert result["level"] == "note"
    assert result["suppressions"] == [{"kind": kind, "justification": "agreed with the owners"}]


def test_the_schema_here_would_refuse_what_the_published_one_refuses():
    def refused(change):
        content = json.loads(render_sarif([OURS], rules={}, version="1", directory=Path("/")))
        change(content["runs"][0]["results"][0])
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(content, LOG)

    refused(lambda result: result.update(level="info"))
    refused(lambda result: result.pop("message"))
    refused(lambda result: result.update(suppressions=[{"justification": "no kind"}]))
    refused(lambda result: result.update(severity="high"))
    refused(lambda result: result["locations"][0]["physicalLocation"]["region"].update(startLine=0))
