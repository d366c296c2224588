"""`--fail-on`, `--explain`, `--output` and the formats, of check and lint."""

from __future__ import annotations

import json
import os
from xml.etree import ElementTree

import pytest

from tests.trnkit.cli.conftest import MINIMAL, TEMPLATE
from tests.trnkit.cli.test_strict import SUPPRESSING, WARNED
from trnkit.operations.explaining import documented_rules


@pytest.fixture
def files(folder):
    """A template and a cluster file with an error, and both with warnings at most."""
    (folder / "error.yaml").write_text(TEMPLATE)
    (folder / "warning.yaml").write_text(WARNED)
    (folder / "cluster.yaml").write_text(MINIMAL + SUPPRESSING)
    (folder / "wrong.yaml").write_text(MINIMAL.replace("count: 2", "count: -2"))
    return folder


@pytest.mark.parametrize(
    ("verb", "file", "codes"),
    [
        ("lint", "error.yaml", {"error": 1, "warning": 1, "info": 1, "never": 0}),
        ("lint", "warning.yaml", {"error": 0, "warning": 1, "info": 1, "never": 0}),
        ("check", "wrong.yaml", {"error": 1, "warning": 1, "info": 1, "never": 0}),
        ("check", "cluster.yaml", {"error": 0, "warning": 1, "info": 1, "never": 0}),
        ("lint", "missing.yaml", {"error": 2, "never": 2}),
        ("check", "missing.yaml", {"error": 2, "never": 2}),
    ],
)
def test_the_least_severity_that_fails_is_the_users_choice(trnkit, files, verb, file, codes):
    for severity, code in codes.items():
        assert trnkit(verb, file, "--fail-on", severity).code == code, severity
        assert trnkit(verb, file, f"--fail-on={severity}", "--explain").code == code, severity


@pytest.mark.parametrize("verb", ["check", "lint"])
def test_strict_is_fail_on_warning(trnkit, files, verb):
    file = "cluster.yaml" if verb == "check" else "warning.yaml"
    assert trnkit(verb, file, "--strict") == trnkit(verb, file, "--fail-on", "warning")
    assert trnkit(verb, file, "--strict", "--fail-on", "warning").code == 1
    ran = trnkit(verb, file, "--strict", "--fail-on", "never")
    assert (ran.code, ran.out) == (2, "")
    assert "--strict means --fail-on warning, not never" in ran.err


@pytest.mark.parametrize("verb", ["check", "lint"])
def test_a_severity_there_is_not_is_wrong_usage(trnkit, files, verb):
    ran = trnkit(verb, "cluster.yaml", "--fail-on", "fatal")
    assert (ran.code, ran.out) == (2, "")
    assert "'fatal' is not one of" in ran.err


def test_each_rule_is_explained_once(trnkit, files):
    rules = {rule.id: rule for rule in documented_rules()}
    (files / "again.yaml").write_text(TEMPLATE)
    ran = trnkit("lint", "error.yaml", "again.yaml", "--explain")
    assert ran.out.count("    why   ") == len({w for w in ran.out.split() if w in rules})
    why = " ".join(rules["TRN252"].why.split())
    assert " ".join(ran.out.split()).count(why) == 1
    assert "    good  " in ran.out
    assert "    why   " not in trnkit("lint", "error.yaml").out


def test_json_has_the_explanations_beside_the_findings(trnkit, files):
    content = json.loads(trnkit("lint", "error.yaml", "--explain", "--format", "json").out)
    assert {r["id"] for r in content["rules"]} == {f["rule_id"] for f in content["findings"]}
    assert all(r["why"] and r["source"] and r["good"] for r in content["rules"])
    assert "rules" not in json.loads(trnkit("lint", "error.yaml", "--format", "json").out)


@pytest.mark.parametrize("verb", ["check", "lint"])
def test_junit_has_a_suite_for_each_file(trnkit, files, verb):
    names = ("error.yaml", "warning.yaml") if verb == "lint" else ("wrong.yaml", "cluster.yaml")
    ran = trnkit(verb, *names, "--format", "junit")
    root = ElementTree.fromstring(ran.out)
    assert (ran.code, ran.err) == (1, "")
    assert {suite.get("name") for suite in root} == set(names)
    assert int(root.get("failures")) > 0


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit"])
@pytest.mark.parametrize("verb", ["check", "lint"])
def test_a_report_goes_to_a_file_and_the_text_to_the_log(trnkit, files, verb, form):
    file = "error.yaml" if verb == "lint" else "wrong.yaml"
    shown = trnkit(verb, file, "--format", form)
    ran = trnkit(verb, file, "--format", form, "--output", "report")
    assert ran.code == shown.code == 1
    assert (files / "report").read_text() == shown.out
    assert ran.out == trnkit(verb, file).out
    assert not list(files.glob(".report*")), "nothing temporary is left"
    again = trnkit(verb, file, "--format", form, "--output", "report")
    assert again == ran, "an old report is replaced"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("error.yaml", "would replace what was judged"),
        ("./link.yaml", "would replace what was judged"),
        ("", "an empty name is no file"),
        (".", "is a folder"),
        ("nowhere/report", "cannot be written: No such file or directory"),
        ("nul\0", "cannot be used"),
        ("pipe", "cannot be written: it is no ordinary file"),
        ("circle", "cannot be written: it is no ordinary file"),
    ],
)
def test_an_output_that_cannot_be_is_refused(trnkit, files, output, words):
    (files / "link.yaml").symlink_to("error.yaml")
    os.mkfifo(files / "pipe")
    (files / "circle").symlink_to("circle")
    before = sorted(files.iterdir())
    ran = trnkit("lint", "error.yaml", "--output", output)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert sorted(files.iterdir()) == before
    assert (files / "error.yaml").read_text() == TEMPLATE


def test_several_files_have_a_heading_each(trnkit, files):
    lines = trnkit("lint", "error.yaml", "warning.yaml").out.splitlines()
    assert lines[0].startswith("error.yaml: ")
    assert any(line.startswith("warning.yaml: no errors, ") for line in lines)
    assert trnkit("lint", "error.yaml").out.startswith("error.yaml:10:13 ")


@pytest.mark.parametrize("verb", ["check", "lint"])
def test_a_pattern_is_expanded_when_the_shell_did_not(trnkit, files, verb):
    ran = trnkit(verb, "e*.yaml" if verb == "lint" else "wr?ng.yaml", "--format", "json")
    content = json.loads(ran.out)
    key, name = ("templates", "error.yaml") if verb == "lint" else ("files", "wrong.yaml")
    assert (ran.code, content[key]) == (1, [name])


@pytest.mark.parametrize("verb", ["check", "lint"])
def test_a_pattern_that_matches_nothing_is_a_finding(trnkit, files, verb):
    ran = trnkit(verb, "stakcs/*.yaml", "--format", "json")
    (finding,) = json.loads(ran.out)["findings"]
    assert (ran.code, finding["rule_id"], finding["file"]) == (2, "TRN001", "stakcs/*.yaml")
    assert finding["message"] == "the pattern matches no file"
