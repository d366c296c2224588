"""Runs the rules: finds them, calls them, and gives each violation its place and its severity."""

from __future__ import annotations

import functools
import importlib
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Literal

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Finding, Severity, nearest, sort_findings
from trnkit.rules.rule import ConfigRule, Rule, TemplateRule

if TYPE_CHECKING:
    from trnkit.config import ClusterFile
    from trnkit.config.yaml_reader import Path
    from trnkit.rules.rule import Violation
    from trnkit.rules.stack_set import StackSet


@functools.cache
def list_rules(room: Literal["config", "template"]) -> tuple[Rule, ...]:
    """Every rule of a room, by id. Each file of its folder has a `RULE`."""
    folder = FilePath(__file__).parent / room
    names = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    modules = [importlib.import_module(f"trnkit.rules.{room}.{name}") for name in names]
    rules: list[Rule] = [module.RULE for module in modules]
    return tuple(sorted(rules, key=lambda rule: rule.id))


def check_cluster(cluster: ClusterFile) -> tuple[Finding, ...]:
    """Judge a cluster file.

    Returns:
        All findings, with line and column. A suppressed finding stays in the list as information
        that says what was suppressed and why.
    """
    findings: list[Finding] = []
    for rule in list_rules("config"):
        if isinstance(rule, ConfigRule):
            for violation in rule.check(cluster.config):
                finding = _finding(rule, violation, format_path(violation.path))
                findings.append(cluster.place(finding, violation.path))
    return sort_findings(_suppress(cluster, findings))


def _finding(rule: Rule, violation: Violation, path: str | None) -> Finding:
    return Finding(
        rule_id=rule.id,
        severity=violation.severity or rule.severity,
        message=violation.message,
        hint=violation.hint,
        path=path or None,
        evidence=violation.evidence,
        source=rule.source,
    )


def _suppress(cluster: ClusterFile, findings: list[Finding]) -> list[Finding]:
    """Apply `suppress`; an entry that names no rule, or that suppresses nothing, is a finding."""
    if not cluster.config.suppress:
        return findings
    known = [rule.id for room in ("config", "template") for rule in list_rules(room)]
    kept = list(findings)
    for index, entry in enumerate(cluster.config.suppress):
        path: Path = ("suppress", index)
        hit = [finding for finding in kept if finding.rule_id == entry.rule_id]
        kept = [finding for finding in kept if finding.rule_id != entry.rule_id]
        for finding in hit:
            text = f"suppressed ({entry.reason}): {finding.message}"
            kept.append(_remark(cluster, path, entry.rule_id, Severity.INFO, text, None))
        if entry.rule_id not in known:
            close = nearest(entry.rule_id, known)
            hint = f"did you mean {' or '.join(close)}?" if close else "see docs/rules.md"
            text = f"suppress[{index}].rule_id names no rule: {entry.rule_id}"
            kept.append(_remark(cluster, path, "TRN006", Severity.ERROR, text, hint))
        elif not hit and entry.rule_id in {rule.id for rule in list_rules("config")}:
            text = f"suppress[{index}] suppresses nothing: {entry.rule_id} does not fire"
            kept.append(_remark(cluster, path, "TRN006", Severity.WARNING, text, "remove it"))
    return kept


def _remark(
    cluster: ClusterFile,
    path: Path,
    rule_id: str,
    severity: Severity,
    message: str,
    hint: str | None,
) -> Finding:
    remark = Finding(
        rule_id=rule_id, severity=severity, message=message, hint=hint, path=format_path(path)
    )
    return cluster.place(remark, path)


def check_templates(stack_set: StackSet) -> tuple[Finding, ...]:
    """Judge CloudFormation templates, several together.

    Returns:
        All findings, with file and logical id and a JSON pointer as path; line and column are for
        whoever parsed the file to add. What rests on the default of a parameter, which a deployment
        may override, is a warning at most.
    """
    findings = _judge(stack_set)
    assumed = stack_set.with_defaults()
    if assumed is not None:
        certain = {(finding.rule_id, finding.file, finding.path) for finding in findings}
        findings += [
            _assumed(finding)
            for finding in _judge(assumed)
            if (finding.rule_id, finding.file, finding.path) not in certain
        ]
    return sort_findings(findings)


def _judge(stack_set: StackSet) -> list[Finding]:
    findings: list[Finding] = []
    for rule in list_rules("template"):
        if isinstance(rule, TemplateRule):
            findings += [_template_finding(rule, found) for found in rule.check(stack_set)]
    return findings


def _assumed(finding: Finding) -> Finding:
    """A finding that holds as long as nobody passes other parameters."""
    severity = max(finding.severity, Severity.WARNING, key=lambda severity: severity.rank)
    message = f"{finding.message} (with the parameters' defaults)"
    return replace(finding, severity=severity, message=message)


def _template_finding(rule: Rule, violation: Violation) -> Finding:
    finding = _finding(rule, violation, None)
    resource = violation.resource
    if resource is None:
        return finding
    pointer = "/".join(["", "Resources", resource.logical_id, *map(str, violation.path)])
    return Finding(
        rule_id=finding.rule_id,
        severity=finding.severity,
        message=finding.message,
        hint=finding.hint,
        path=pointer,
        logical_id=resource.logical_id,
        file=resource.template.path,
        evidence=finding.evidence,
        source=finding.source,
    )
