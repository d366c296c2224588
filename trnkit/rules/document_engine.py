"""Runs the rules over documents of other tools and gives each violation its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import clipped, format_path
from trnkit.findings import Finding, sort_findings
from trnkit.rules.listing import list_rules
from trnkit.rules.rule import DocumentRule

if TYPE_CHECKING:
    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.rule import Violation

_LONGEST = 600
"""Names of the user's, which a message quotes, may be of any length."""


def check_documents(documents: DocumentSet) -> tuple[Finding, ...]:
    """Judge documents of other tools, several together.

    Returns:
        All findings, with file, line, column and a YAML path. Documents without any Trainium or
        Inferentia type or resource have none.
    """
    findings: list[Finding] = []
    for rule in list_rules("document"):
        if isinstance(rule, DocumentRule):
            findings += [_finding(rule, found) for found in rule.check(documents)]
    return sort_findings(findings)


def _finding(rule: DocumentRule, violation: Violation) -> Finding:
    value = violation.value
    finding = Finding(
        rule_id=rule.id,
        severity=violation.severity or rule.severity,
        message=clipped(violation.message, _LONGEST),
        hint=None if violation.hint is None else clipped(violation.hint, _LONGEST),
        path=None if value is None else format_path(value.path) or None,
        evidence=violation.evidence,
        source=rule.source,
    )
    if value is None:
        return finding
    mark = value.mark
    return finding.at(file=value.document.file, line=mark.line, column=mark.column)
