"""Suppressions as a user of the command line meets them."""

from __future__ import annotations

import json

import pytest

from tests.trnkit.cli.conftest import MINIMAL, TEMPLATE

REASON = "cards are counted elsewhere"
IN_RESOURCE = TEMPLATE.replace(
    "    Properties:\n",
    "    Metadata:\n"
    "      trnkit:\n"
    "        suppress:\n"
    f"          - {{rule_id: TRN252, reason: {REASON}}}\n"
    "    Properties:\n",
)


def findings(ran, rule_id=None):
    found = json.loads(ran.out)["findings"]
    return [f for f in found if rule_id in (None, f["rule_id"])]


def test_a_rule_is_switched_off_by_the_command_line_and_stays_in_the_report(trnkit, folder):
    (folder / "t.yaml").write_text(TEMPLATE)
    ran = trnkit("lint", "t.yaml", "--format", "json", "--suppress", f"TRN252={REASON}")
    suppressed = findings(ran, "TRN252")
    assert suppressed
    for finding in suppressed:
        assert finding["severity"] == "info"
        assert finding["suppression"] == {"kind": "external", "reason": REASON}
        assert finding["message"].startswith(f"suppressed ({REASON}): ")
    assert findings(ran, "TRN006") == []


def test_when_every_error_is_suppressed_the_exit_code_is_0(trnkit, folder):
    (folder / "t.yaml").write_text(TEMPLATE)
    errors = {
        f["rule_id"]
        for f in findings(trnkit("lint", "t.yaml", "--format", "json"))
        if f["severity"] == "error"
    }
    options = [part for name in errors for part in ("--suppress", f"{name}={REASON}")]
    assert errors
    assert trnkit("lint", "t.yaml").code == 1
    assert trnkit("lint", "t.yaml", *options).code == 0
    assert trnkit("lint", "t.yaml", *options, "--fail-on", "info").code == int(
        any(
            not f["suppression"]
            for f in findings(trnkit("lint", "t.yaml", *options, "--format", "json"))
        )
    )


def test_metadata_of_a_resource_has_its_place_and_its_reason(trnkit, folder):
    (folder / "t.yaml").write_text(IN_RESOURCE)
    ran = trnkit("lint", "t.yaml", "--format", "json")
    suppressed = findings(ran, "TRN252")
    assert {f["severity"] for f in suppressed} == {"info"}
    assert {f["suppression"]["kind"] for f in suppressed} == {"inSource"}


def test_what_is_wrong_with_an_entry_is_shown_where_it_stands(trnkit, folder):
    (folder / "t.yaml").write_text(IN_RESOURCE.replace("TRN252", "TRN925"))
    (finding,) = findings(trnkit("lint", "t.yaml", "--format", "json"), "TRN006")
    assert (finding["line"], finding["column"], finding["severity"]) == (8, 14, "error")
    text = trnkit("lint", "t.yaml").out
    assert "t.yaml:8:14" in text
    assert "     8 |           - {rule_id: TRN925, reason: cards are" in text


def test_json_templates_have_lines_too(trnkit, folder):
    content = {
        "Metadata": {"trnkit": {"suppress": [{"rule_id": "TRN999", "reason": REASON}]}},
        "Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}},
    }
    (folder / "t.json").write_text(json.dumps(content, indent=1))
    (finding,) = findings(trnkit("lint", "t.json", "--format", "json"), "TRN006")
    assert (finding["line"], finding["path"]) == (6, "/Metadata/trnkit/suppress/0/rule_id")


@pytest.mark.parametrize(
    ("option", "severity", "message"),
    [
        (
            "TRN353=there is no Lustre here",
            "warning",
            "TRN353 suppresses nothing: it does not fire",
        ),
        ("TRN204=it is no cluster file", "warning", "TRN204 suppresses nothing: it judges cluster"),
        ("TRN999=there is no such rule", "error", "TRN999 names no rule"),
        ("TRN001=the file is not there", "error", "TRN001 cannot be switched off"),
    ],
)
def test_what_is_no_use_is_a_finding_of_lint(trnkit, folder, option, severity, message):
    (folder / "t.yaml").write_text(TEMPLATE)
    ran = trnkit("lint", "t.yaml", "--format", "json", "--suppress", option)
    (finding,) = findings(ran, "TRN006")
    assert (finding["severity"], finding["file"]) == (severity, None)
    assert message in finding["message"]
    assert f"--suppress {message}" in trnkit("lint", "t.yaml", "--suppress", option).out


@pytest.mark.parametrize("verb", ["check", "lint", "synth"])
@pytest.mark.parametrize("value", ["TRN252", "TRN252=", "TRN252=short", ""])
def test_a_reason_is_required(trnkit, folder, verb, value):
    (folder / "t.yaml").write_text(TEMPLATE)
    ran = trnkit(verb, "t.yaml", "--suppress", value)
    assert (ran.code, ran.out) == (2, "")
    assert "a reason of at least 10 characters" in ran.err


def test_check_takes_it_too(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL)
    fired = findings(trnkit("check", "cluster.yaml", "--format", "json"))
    assert fired
    rule_id = fired[0]["rule_id"]
    options = ("--suppress", f"{rule_id}={REASON}")
    ran = trnkit("check", "cluster.yaml", "--format", "json", *options)
    assert {f["suppression"]["kind"] for f in findings(ran, rule_id)} == {"external"}
    ran = trnkit("check", "cluster.yaml", "--suppress", f"TRN252={REASON}", "--strict")
    assert ran.code == 1
    assert "--suppress TRN252 suppresses nothing: it judges templates" in ran.out


def test_synth_stops_at_an_id_that_names_no_rule(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL)
    ran = trnkit("synth", "cluster.yaml", "--suppress", "TRN999=there is no such rule")
    assert ran.code == 1
    assert "--suppress TRN999 names no rule" in ran.out
    assert not (folder / "cdk.out").exists()


def test_synth_tells_what_no_template_breaks_once(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL)
    ran = trnkit(
        "synth", "cluster.yaml", "--no-cdk-validation", "--format", "json",
        "--suppress", "TRN353=there is no Lustre here",
    )  # fmt: skip
    (finding,) = findings(ran, "TRN006")
    assert (ran.code, finding["severity"]) == (0, "warning")
    assert finding["message"] == "--suppress TRN353 suppresses nothing: it does not fire"


def test_sarif_has_them_as_suppressions(trnkit, folder):
    (folder / "t.yaml").write_text(IN_RESOURCE)
    options = ("--format", "sarif", "--suppress", f"TRN261={REASON}")
    results = json.loads(trnkit("lint", "t.yaml", *options).out)["runs"][0]["results"]
    in_source = [r for r in results if r["ruleId"] == "TRN252"]
    assert {json.dumps(r["suppressions"]) for r in in_source} == {
        json.dumps([{"kind": "inSource", "justification": REASON}])
    }
    assert all("suppressions" not in r for r in results if r["ruleId"] == "TRN006")
