"""Turns the CDK's validation report into findings: our plug-in's, the CDK's own, and anybody's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trnkit.findings import OWN_TOOL, Finding, Severity, Suppression, sort_findings

if TYPE_CHECKING:
    from pathlib import Path

REPORT_NAME = "validation-report.json"

_SEVERITIES = {
    "fatal": Severity.ERROR,
    "error": Severity.ERROR,
    "warning": Severity.WARNING,
    "info": Severity.INFO,
}


def read_validation_report(directory: Path) -> list[Finding]:
    """The findings of `validation-report.json` in an assembly; none when there is no report."""
    try:
        report = json.loads((directory / REPORT_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    findings: list[Finding] = []
    plugins: list[dict[str, Any]] = report.get("pluginReports", [])
    for plugin in plugins:
        violations: list[dict[str, Any]] = plugin.get("violations", [])
        for violation in violations:
            constructs: list[dict[str, Any]] = violation.get("violatingConstructs") or [{}]
            findings += [_finding(plugin, violation, construct) for construct in constructs]
    return list(sort_findings(findings))


def _finding(
    plugin: dict[str, Any], violation: dict[str, Any], construct: dict[str, Any]
) -> Finding:
    resource: dict[str, Any] = construct.get("cloudFormationResource") or {}
    metadata: dict[str, Any] = violation.get("ruleMetadata") or {}
    path = metadata.get("path")  # our plug-in's, about the template and none of its resources
    logical_id = None if path else resource.get("logicalId")
    places: list[str] = resource.get("propertyPaths") or []
    message = str(violation.get("description", "")).strip()
    return Finding(
        rule_id=str(violation.get("ruleName")),
        severity=_severity(plugin, violation),
        message=message or "no reason given",
        hint=violation.get("suggestedFix"),
        path=path or _pointer(logical_id, places[0] if places else ""),
        logical_id=logical_id,
        file=resource.get("templatePath"),
        evidence=_evidence(plugin, construct, metadata),
        source=metadata.get("source"),
        tool=str(plugin.get("pluginName") or "a plug-in"),
        suppression=_suppression(metadata),
    )


def _suppression(metadata: dict[str, Any]) -> Suppression | None:
    kind = metadata.get("suppression")
    if kind not in ("inSource", "external"):
        return None
    return Suppression(kind=kind, reason=str(metadata.get("reason")))


def _severity(plugin: dict[str, Any], violation: dict[str, Any]) -> Severity:
    named = str(violation.get("severity", "")).lower()
    failing = plugin.get("conclusion") == "failure"
    return _SEVERITIES.get(named, Severity.ERROR if failing else Severity.WARNING)


def _pointer(logical_id: str | None, place: str) -> str | None:
    """`/Resources/Sg/Properties/VpcId` from `Properties.VpcId` or `Properties/VpcId`."""
    if logical_id is None:
        return None
    if place.startswith("/Resources/"):
        return place
    parts = [part for part in place.replace("/", ".").split(".") if part]
    return "/".join(["", "Resources", logical_id, *parts])


def _evidence(
    plugin: dict[str, Any], construct: dict[str, Any], metadata: dict[str, Any]
) -> str | None:
    if metadata.get("evidence"):
        return str(metadata["evidence"])
    if str(plugin.get("pluginName")) == OWN_TOOL:
        return None
    path = construct.get("constructPath")
    name = str(plugin.get("pluginName", "a plug-in"))
    return f"{name}, construct {path}" if path else name
