"""JUnit XML: what Jenkins' schema allows, whatever is in the findings."""

from __future__ import annotations

import os
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from trnkit.findings import Finding, Severity, Suppression
from trnkit.report.junit import render_junit

ERROR = Finding(
    rule_id="TRN251",
    severity=Severity.ERROR,
    message="Nodes: 8 interfaces",
    hint="give it 16",
    path="/Resources/Nodes",
    logical_id="Nodes",
    file="a.yaml",
    line=3,
    column=5,
    evidence="the catalogue",
    source="https://example.com",
)
WARNING = replace(ERROR, rule_id="TRN252", severity=Severity.WARNING)
REMARK = replace(ERROR, rule_id="TRN268", severity=Severity.INFO)
UNREADABLE = replace(ERROR, rule_id="TRN001", file="b.yaml", line=None, column=None)
SUPPRESSED = replace(ERROR, rule_id="TRN253").suppressed(
    Suppression(kind="inSource", reason="agreed with the owners")
)

# junit-10.xsd of https://github.com/jenkinsci/xunit-plugin: element -> required attributes, other
# attributes, children. What our reports have no use for is left out.
SCHEMA = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"skipped", "time", "timestamp", "hostname", "id", "package", "file"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name"},
        {"time", "classname", "group"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
}


def read(*findings, **options):
    """The report, parsed and held against the schema."""
    text = render_junit(findings, **options)
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        required, optional, children = SCHEMA[element.tag]
        assert required <= set(element.attrib) <= required | optional, element.tag
        assert {child.tag for child in element} <= children, element.tag
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.get("tests")) == len(cases) > 0
        for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(plural)) == len(suite.findall(f"testcase/{tag}"))
    for plural in ("tests", "failures", "errors"):
        assert int(root.get(plural)) == sum(int(suite.get(plural)) for suite in root)
    return root


def results(root):
    """Suite, case, and what became of it."""
    return [
        (suite.get("name"), case.get("name"), case[0].tag if len(case) else "passed")
        for suite in root
        for case in suite
    ]


def test_one_suite_a_file_and_one_case_a_finding():
    root = read(ERROR, WARNING, REMARK, UNREADABLE, SUPPRESSED, files=["a.yaml", "clean.yaml"])
    assert results(root) == [
        ("a.yaml", "TRN251 3:5 Nodes", "failure"),
        ("a.yaml", "TRN252 3:5 Nodes", "system-out"),
        ("a.yaml", "TRN253 3:5 Nodes", "skipped"),
        ("a.yaml", "TRN268 3:5 Nodes", "system-out"),
        ("clean.yaml", "no findings", "passed"),
        ("b.yaml", "TRN001 Nodes", "error"),
    ]


@pytest.mark.parametrize(
    ("fail_on", "failing"),
    [("error", ["TRN251"]), ("warning", ["TRN251", "TRN252"]),
     ("info", ["TRN251", "TRN252", "TRN268"]), ("never", [])],
)  # fmt: skip
def test_a_failure_is_what_makes_the_command_fail(fail_on, failing):
    root = read(ERROR, WARNING, REMARK, SUPPRESSED, fail_on=fail_on)
    assert [f.get("type") for f in root.iter("failure")] == failing


def test_a_failure_says_everything():
    (failure,) = read(ERROR).iter("failure")
    assert (failure.get("type"), failure.get("message")) == ("TRN251", "Nodes: 8 interfaces")
    assert failure.text == (
        "a.yaml:3:5: error TRN251: Nodes: 8 interfaces\n"
        "fix: give it 16\n"
        "fact: the catalogue\n"
        "path: /Resources/Nodes\n"
        "see: https://example.com"
    )


def test_what_was_suppressed_is_skipped_with_the_reason():
    (skipped,) = read(SUPPRESSED).iter("skipped")
    assert skipped.get("message").startswith("suppressed (agreed with the owners): ")


def test_a_finding_about_no_file_has_a_suite_too():
    bare = Finding(rule_id="TRN006", severity=Severity.ERROR, message="names no rule")
    assert results(read(bare)) == [("trnkit", "TRN006", "failure")]


@pytest.mark.parametrize(
    "text",
    ["<script>&\"'", "]]>", "\x1b[2J\x00\x07", "\ufffe\uffff", os.fsdecode(b"\xff"), "a\nb\r\nc",
     "\x85\u2028", "x" * 100_000, "&#0;", "ü 漢 😀"],
    ids=ascii,
)  # fmt: skip
def test_hostile_text_is_escaped_or_replaced(text):
    finding = replace(ERROR, message=text, hint=text, file=text, logical_id=text, evidence=text)
    root = read(finding, files=[text])
    (suite,) = root
    (failure,) = suite.iter("failure")
    assert "\x1b" not in suite.get("name")
    assert "\n" not in suite.get("name")
    if text.isprintable():
        assert failure.get("message") == suite.get("name") == text
