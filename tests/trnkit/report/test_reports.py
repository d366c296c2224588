from __future__ import annotations

import json
from pathlib import Path

import pytest

from trnkit.findings import Finding, Severity
from trnkit.operations.explaining import documented_rules
from trnkit.report.json_report import render_json
from trnkit.report.sarif import render_sarif
from trnkit.report.text import render_text, summarize
from trnkit.report.words import columns, count_of, printable

ERROR = Finding(
    rule_id="TRN003",
    severity=Severity.ERROR,
    message="compute has no key 'nod'",
    hint="did you mean node_groups?",
    path="compute.nod",
    file="a/b.yaml",
    line=2,
    column=3,
    evidence="it says so",
    source="https://example.com",
)
REMARK = Finding(
    rule_id="TRN406", severity=Severity.INFO, message="activate the tag", file="z.yaml"
)
TEMPLATE = Finding(
    rule_id="W3030",
    severity=Severity.WARNING,
    message="no such strategy",
    logical_id="Group",
    path="/Resources/Group",
    file="t.json",
)


def test_text_has_place_line_caret_and_remedy():
    text = render_text([REMARK, ERROR], sources={"a/b.yaml": ["compute:", "  nod: 1"]})
    assert text == (
        "a/b.yaml: 1 error\n"
        "a/b.yaml:2:3  error    TRN003  compute has no key 'nod'\n"
        "     2 |   nod: 1\n"
        "       |   ^\n"
        "    fix   did you mean node_groups?\n"
        "    fact  it says so\n"
        "    see   https://example.com\n"
        "\n"
        "z.yaml: no errors, 1 remark\n"
        "z.yaml  info     TRN406  activate the tag"
    )


def test_a_resource_is_named_where_the_message_does_not():
    assert render_text([TEMPLATE]).startswith("t.json Group  warning  W3030  no such")
    assert render_text([]) == ""


def alike(number, line, **other):
    values = {
        "rule_id": "TRN252",
        "severity": Severity.ERROR,
        "message": f"Template: card {number} is wrong",
        "hint": "correct it",
        "source": "https://example.com",
        "logical_id": "Template",
        "path": f"/Resources/Template/Properties/Cards/{number}",
        "file": "t.json",
        "line": line,
        "column": None if line is None else 5,
    }
    return Finding(**{**values, **other})


def test_many_findings_of_a_kind_are_one_block():
    text = render_text([alike(number, 10 + number) for number in range(15)])
    assert text == (
        "t.json:10:5  error    TRN252  Template: card 0 is wrong\n"
        "    and 14 more of this kind at 11:5, 12:5, 13:5, 14:5, 15:5, 16:5, ...\n"
        "    fix   correct it\n"
        "    see   https://example.com"
    )


def test_where_no_line_is_known_the_path_says_which():
    text = render_text([alike(number, None) for number in range(3)])
    assert "    and 2 more of this kind at Cards/1, Cards/2\n" in text


def test_different_messages_of_a_kind_are_all_told_above_one_remedy():
    other = alike(3, 12, message="Template: the first card is missing")
    text = render_text([alike(0, 10), alike(1, 11), other])
    assert text.count("TRN252") == 3
    assert text.count("correct it") == text.count("https://example.com") == 1


@pytest.mark.parametrize(
    "difference",
    [{"hint": "other"}, {"source": None}, {"logical_id": "Other"}, {"rule_id": "TRN251"},
     {"evidence": "a fact"}, {"severity": Severity.WARNING}, {"file": "u.json"}],
)  # fmt: skip
def test_what_differs_in_more_than_its_words_keeps_its_own_block(difference):
    text = render_text([alike(0, 10), alike(1, 11), alike(2, 12, **difference)])
    assert text.count("    fix   ") == 2


def test_findings_about_a_cluster_file_are_not_put_together():
    found = [ERROR.at(file="a", line=line, column=1) for line in range(1, 6)]
    assert render_text(found).count("did you mean node_groups?") == 5


def test_json_and_sarif_keep_every_finding_of_a_kind(tmp_path):
    found = [alike(number, 10 + number) for number in range(15)]
    assert len(json.loads(render_json(found))["findings"]) == 15
    assert len(sarif(found, tmp_path)["runs"][0]["results"]) == 15


def test_colour_is_only_there_when_asked_for():
    assert "\x1b" not in render_text([ERROR])
    assert "\x1b[1;31merror  \x1b[0m" in render_text([ERROR], color=True)


def test_a_long_line_is_cut_around_the_caret():
    line = "x" * 500 + "HERE" + "y" * 500
    finding = ERROR.at(file="f", line=1, column=501)
    excerpt = render_text([finding], sources={"f": [line]}).splitlines()[1:3]
    assert len(excerpt[0]) < 120
    assert excerpt[0][excerpt[1].index("^") :].startswith("HERE")


@pytest.mark.parametrize("line", [0, 3, None])
def test_a_line_that_the_file_has_not_is_not_shown(line):
    text = render_text([ERROR.at(file="f", line=line, column=1)], sources={"f": ["a", ""]})
    assert " | " not in text


def test_the_summary_counts_by_severity_and_names_the_file():
    assert summarize([ERROR, ERROR, TEMPLATE], ["c.yaml"]) == "2 errors, 1 warning in 3 files"
    assert summarize([], ["c.yaml"]) == "no findings in c.yaml"
    assert summarize([REMARK], ["z.yaml"]) == "no errors, 1 remark in z.yaml"


def test_json_is_ascii_and_keeps_absent_values_as_null():
    finding = Finding(rule_id="TRN001", severity=Severity.ERROR, message="größe")
    text = render_json([finding], {"files": ["x"]})
    assert text.isascii()
    content = json.loads(text)
    assert content["findings"][0]["line"] is None
    assert content["findings"][0]["message"] == "größe"
    assert content["summary"] == {"error": 1, "warning": 0, "info": 0}
    assert content["files"] == ["x"]


def sarif(findings, directory, **options):
    rules = {rule.id: rule for rule in documented_rules()}
    text = render_sarif(findings, rules=rules, version="1.2.3", directory=directory, **options)
    return json.loads(text)


def test_sarif_has_the_required_structure(tmp_path):
    log = sarif([ERROR, REMARK, TEMPLATE], tmp_path)
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("trnkit", "1.2.3")
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == ["TRN003", "TRN406", "W3030"]
    for result in run["results"]:
        assert set(result) >= {"ruleId", "ruleIndex", "level", "message", "locations"}
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert isinstance(result["message"]["text"], str)
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_sarif_has_regions_only_where_a_line_is_known(tmp_path):
    error, remark = sarif([ERROR, REMARK], tmp_path)["runs"][0]["results"]
    place = error["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a/b.yaml"}
    assert place["region"] == {"startLine": 2, "startColumn": 3}
    assert "region" not in remark["locations"][0]["physicalLocation"]


def test_sarif_names_the_resource_and_describes_the_rule(tmp_path):
    run = sarif([TEMPLATE, ERROR], tmp_path)["runs"][0]
    template = next(r for r in run["results"] if r["ruleId"] == "W3030")
    assert template["locations"][0]["logicalLocations"] == [
        {"fullyQualifiedName": "/Resources/Group", "name": "Group", "kind": "resource"}
    ]
    described = run["tool"]["driver"]["rules"][0]
    assert described["shortDescription"]["text"]
    assert described["defaultConfiguration"] == {"level": "error"}


def test_sarif_of_a_file_elsewhere_is_a_file_address(tmp_path):
    outside = ERROR.at(file=str(tmp_path.parent / "x.yaml"), line=None, column=None)
    result = sarif([outside], tmp_path)["runs"][0]["results"][0]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == (Path(tmp_path.parent).resolve() / "x.yaml").as_uri()


def test_sarif_without_findings_and_without_places(tmp_path):
    assert sarif([], tmp_path)["runs"][0]["results"] == []
    bare = Finding(rule_id="TRN001", severity=Severity.ERROR, message="x")
    assert "locations" not in sarif([bare], tmp_path)["runs"][0]["results"][0]


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(1, "Policy", "1 Policy"), (2, "Policy", "2 Policies"), (0, "file", "0 files"),
     (2, "Egress", "2 Egresses"), (3, "Key", "3 Keys")],
)  # fmt: skip
def test_counting_in_english(number, noun, text):
    assert count_of(number, noun) == text


def test_control_characters_are_shown_as_escapes():
    assert printable("a\x1b[2J\tb\x7f") == "a\\x1b[2J    b\\x7f"


def test_no_line_of_a_message_or_a_name_passes_for_a_finding():
    forged = "x\nt.json  error    TRN999  forged"
    finding = Finding(rule_id="TRN007", severity=Severity.ERROR, message=forged, file=forged)
    text = render_text([finding, REMARK])
    assert not any(line.startswith("t.json") for line in text.splitlines())
    assert summarize([], [forged]) == "no findings in x\\nt.json  error    TRN999  forged"


def test_a_rule_is_explained_below_its_first_finding_and_nowhere_else():
    rules = {rule.id: rule for rule in documented_rules()}
    again = ERROR.at(file="a/b.yaml", line=9, column=1)
    lines = render_text([ERROR, again], explained={"TRN003": rules["TRN003"]}).splitlines()
    where = lines.index("    bad   network:")
    assert lines[where : where + 4] == [
        "    bad   network:",
        "            vpc_cdir: 10.0.0.0/16",
        "    good  network:",
        "            vpc_cidr: 10.0.0.0/16",
    ]
    assert lines.count("    bad   network:") == 1
    assert where < lines.index("a/b.yaml:9:1  error    TRN003  compute has no key 'nod'")
    (why,) = [line for line in lines if line.startswith("    why   ")]
    assert why == "    why   A mistyped key that is ignored is a setting that never takes effect."


def test_headings_and_carets_are_coloured_on_a_terminal():
    text = render_text([REMARK, ERROR], sources={"a/b.yaml": ["", "  nod: 1"]}, color=True)
    assert text.startswith("\x1b[1ma/b.yaml: 1 error\x1b[0m\n")
    assert "       |   \x1b[1;31m^\x1b[0m\n" in text
    assert "    \x1b[2mfix \x1b[0m  did you mean node_groups?" in text


def test_columns_are_aligned_and_have_no_trailing_blanks():
    assert columns([("a", "bb"), ("ccc", "")], indent="  ") == "  a    bb\n  ccc"
