"""Findings for a program: one JSON object, with the same keys for every command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trnkit.findings import Severity, sort_findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trnkit.findings import Finding

SCHEMA = 1


def render_json(findings: Iterable[Finding], extra: Mapping[str, Any] | None = None) -> str:
    """Write `{"schema": 1, "findings": [...], "summary": {...}, ...}`.

    Args:
        findings: In any order.
        extra: Further keys of the object, plain JSON values.
    """
    ordered = sort_findings(findings)
    summary = {
        severity.value: sum(finding.severity is severity for finding in ordered)
        for severity in Severity
    }
    content = {
        "schema": SCHEMA,
        "findings": [finding.as_dict() for finding in ordered],
        "summary": summary,
        **(extra or {}),
    }
    # ASCII only, so that the output is JSON whatever encoding the terminal or pipe has.
    return json.dumps(content, indent=2)
