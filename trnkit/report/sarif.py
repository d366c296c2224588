"""Findings as SARIF 2.1.0, which code hosts show beside the lines of a change.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from trnkit.findings import OWN_TOOL, Severity, sort_findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trnkit.findings import Finding
    from trnkit.rules.rule import Rule

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render_sarif(
    findings: Iterable[Finding],
    *,
    rules: Mapping[str, Rule],
    version: str,
    directory: Path,
    executed: bool = True,
    other_rules: Mapping[str, Mapping[str, Rule]] | None = None,
) -> str:
    """Write a SARIF log: a run of ours, and one for each other tool that was asked.

    A run without results is what tells a code host that the findings of the run before are mended.

    Args:
        findings: In any order.
        rules: Documentation by rule id; only rules that have findings are written, and a finding
            of a rule that is not in it (CDK's own) gets a bare entry.
        version: Of trnkit.
        directory: What artifact locations are relative to.
        executed: False when some input could not be read.
        other_rules: The same for the rules of other tools, by tool: of each that was asked.
    """
    ordered = sort_findings(findings)
    asked = {*(finding.tool for finding in ordered), *(other_rules or {})}
    others = sorted(asked - {OWN_TOOL})
    runs: list[dict[str, Any]] = []
    for tool in (OWN_TOOL, *others):
        driver: dict[str, Any] = {"name": tool}
        documented = rules
        if tool == OWN_TOOL:
            driver["version"] = version
        else:
            documented = (other_rules or {}).get(tool, {})
        found = [finding for finding in ordered if finding.tool == tool]
        runs.append(_run(driver, found, documented, directory, executed))
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": runs}, indent=2)


def _run(
    driver: dict[str, Any],
    findings: list[Finding],
    rules: Mapping[str, Rule],
    directory: Path,
    executed: bool,
) -> dict[str, Any]:
    ids = sorted({finding.rule_id for finding in findings})
    places = {rule_id: index for index, rule_id in enumerate(ids)}
    driver["rules"] = [_rule(rule_id, rules.get(rule_id)) for rule_id in ids]
    return {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": executed}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, places, directory) for finding in findings],
    }


def _rule(rule_id: str, rule: Rule | None) -> dict[str, Any]:
    if rule is None:
        return {"id": rule_id}
    entry: dict[str, Any] = {
        "id": rule_id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }
    # Code hosts show it beside the finding.
    help_text = f"{rule.why}\n\nGood:\n\n{rule.good}" if rule.good else rule.why
    entry["help"] = {"text": help_text}
    return entry | ({"helpUri": rule.source} if rule.source.startswith("https://") else {})


def _result(finding: Finding, places: Mapping[str, int], directory: Path) -> dict[str, Any]:
    text = f"{finding.message}; {finding.hint}" if finding.hint else finding.message
    if finding.evidence:
        # Code hosts show no properties.
        text = f"{text}\n\nfact: {finding.evidence}"
    result: dict[str, Any] = {
        "ruleId": finding.rule_id,
        "ruleIndex": places[finding.rule_id],
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
    }
    location = _location(finding, directory)
    if location:
        result["locations"] = [location]
    if finding.suppression is not None:
        kind, reason = finding.suppression.kind, finding.suppression.reason
        result["suppressions"] = [{"kind": kind, "justification": reason}]
    if finding.evidence:
        result["properties"] = {"evidence": finding.evidence}
    return result


def _location(finding: Finding, directory: Path) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if finding.file is not None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file, directory)}}
        if finding.line is not None:
            column = {} if finding.column is None else {"startColumn": finding.column}
            physical["region"] = {"startLine": finding.line, **column}
        location["physicalLocation"] = physical
    if finding.path is not None:
        logical = {"fullyQualifiedName": finding.path}
        if finding.logical_id is not None:
            logical |= {"name": finding.logical_id, "kind": "resource"}
        location["logicalLocations"] = [logical]
    return location


def _uri(file: str, directory: Path) -> str:
    """Relative with forward slashes inside `directory`, else a `file:` address."""
    absolute = _real(Path(directory, file))
    try:
        relative = absolute.relative_to(_real(directory))
    except ValueError:
        return absolute.as_uri()
    return quote(relative.as_posix().encode("utf-8", "surrogateescape"))


def _real(path: Path) -> Path:
    """The path without links; one that can be no path as it is, since a finding is about it."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path
