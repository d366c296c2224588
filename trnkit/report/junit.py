"""Findings as JUnit XML, which build servers show as tests.

The form is what Jenkins' schema allows and GitLab reads: one suite a file, one case a finding, and
a case that passes for a file without findings, since an empty report counts as a broken one.
Sources: https://github.com/jenkinsci/xunit-plugin (junit-10.xsd),
https://docs.gitlab.com/ci/testing/unit_test_reports/
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree  # nosec B405 - written here, never parsed

from trnkit.findings import fails, sort_findings
from trnkit.report.words import on_one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.findings import FailOn, Finding

JunitKind = Literal["passed", "failure", "error", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JunitCase:
    """One question that a command asked, whatever came of it.

    Attributes:
        name: What was asked.
        kind: `error` is what could not be answered, `skipped` what there was no need to ask.
        message: The answer in a line.
        details: All of it.
        seconds: How long it took.
    """

    name: str
    kind: JunitKind
    message: str
    details: str
    seconds: float | None = None


_UNREADABLE_RULE = "TRN001"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write (https://www.w3.org/TR/xml/#charsets)."""


def render_junit(
    findings: Iterable[Finding], *, files: Sequence[str] = (), fail_on: FailOn = "error"
) -> str:
    """Write `<testsuites>`.

    Args:
        findings: In any order.
        files: What was judged; a file without findings gets a case that passes.
        fail_on: The least severity that is a failure; what is less is a case that passes and says
            it on its output. What was suppressed is a skipped case.
    """
    suites: dict[str, list[Finding]] = {file: [] for file in files}
    for finding in sort_findings(findings):
        suites.setdefault(finding.file or "trnkit", []).append(finding)
    root = ElementTree.Element("testsuites", {"name": "trnkit"})
    totals = [_suite(root, file, found, fail_on) for file, found in suites.items()]
    return _written(root, totals)


def render_junit_cases(cases: Sequence[JunitCase], *, file: str) -> str:
    """Write `<testsuites>` of questions, of which those that are well are told too.

    Args:
        cases: In the order to be shown.
        file: What they are about.
    """
    root = ElementTree.Element("testsuites", {"name": "trnkit"})
    name = _clean(on_one_line(file))
    suite = ElementTree.SubElement(root, "testsuite", {"name": name})
    for case in cases:
        title = _clean(on_one_line(case.name))
        entry = ElementTree.SubElement(suite, "testcase", {"name": title, "classname": name})
        if case.seconds is not None:
            entry.set("time", f"{case.seconds:.3f}")
        message = _clean(printable(case.message))
        if case.kind == "skipped":
            ElementTree.SubElement(entry, case.kind, {"message": message})
            continue
        if case.kind == "passed":
            result = ElementTree.SubElement(entry, "system-out")
        else:
            result = ElementTree.SubElement(entry, case.kind, {"type": title, "message": message})
        result.text = _clean(printable(case.details))
    kinds = [case.kind for case in cases]
    numbers = (len(cases), kinds.count("failure"), kinds.count("error"))
    keys = ("tests", "failures", "errors")
    for key, number in (*zip(keys, numbers, strict=True), ("skipped", kinds.count("skipped"))):
        suite.set(key, str(number))
    suite.set("file", name)
    return _written(root, [numbers])


def _written(root: ElementTree.Element, totals: Sequence[tuple[int, int, int]]) -> str:
    for index, name in enumerate(("tests", "failures", "errors")):
        root.set(name, str(sum(total[index] for total in totals)))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}'


def _suite(
    root: ElementTree.Element, file: str, findings: list[Finding], fail_on: FailOn
) -> tuple[int, int, int]:
    """One file; its numbers of tests, failures and errors."""
    name = _clean(on_one_line(file))
    suite = ElementTree.SubElement(root, "testsuite", {"name": name})
    if not findings:
        ElementTree.SubElement(suite, "testcase", {"name": "no findings", "classname": name})
    kinds = [_case(suite, name, finding, fail_on) for finding in findings]
    failures, errors = kinds.count("failure"), kinds.count("error")
    numbers = {
        "tests": len(suite),
        "failures": failures,
        "errors": errors,
        "skipped": kinds.count("skipped"),
    }
    for key, number in numbers.items():
        suite.set(key, str(number))
    suite.set("file", name)
    return len(suite), failures, errors


def _case(suite: ElementTree.Element, file: str, finding: Finding, fail_on: FailOn) -> str:
    """One finding; what kind of result it is."""
    place = ":".join(str(part) for part in (finding.line, finding.column) if part is not None)
    about = " ".join(filter(None, [place, finding.logical_id]))
    title = f"{finding.rule_id} {about}".strip()
    case = ElementTree.SubElement(suite, "testcase")
    case.set("name", _clean(on_one_line(title)))
    case.set("classname", file)
    message = _clean(printable(finding.message))
    kind = _kind(finding, fail_on)
    if kind == "system-out":
        ElementTree.SubElement(case, kind).text = _clean(printable(_details(finding)))
    elif finding.suppression is not None:
        ElementTree.SubElement(case, kind, {"message": message})
    else:
        result = ElementTree.SubElement(case, kind, {"type": finding.rule_id, "message": message})
        result.text = _clean(printable(_details(finding)))
    return kind


def _kind(finding: Finding, fail_on: FailOn) -> str:
    if finding.suppression is not None:
        return "skipped"
    if finding.rule_id == _UNREADABLE_RULE:
        return "error"
    return "failure" if fails([finding], fail_on=fail_on) else "system-out"


def _details(finding: Finding) -> str:
    labelled = (
        ("fix", finding.hint),
        ("fact", finding.evidence),
        ("path", finding.path),
        ("see", finding.source),
    )
    head = f"{finding.severity} {finding.rule_id}: {finding.message}"
    place = on_one_line(finding.location())
    lines = [f"{place}: {head}" if place else head]
    return "\n".join([*lines, *(f"{label}: {text}" for label, text in labelled if text)])


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)
