"""Objections made into violations: the place in the user's terms, then what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.rules.rule import Violation

if TYPE_CHECKING:
    from trnkit.config.yaml_reader import Path
    from trnkit.findings import Severity
    from trnkit.layout.lustre_judgement import Objection
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.reading_documents.document_value import DocumentValue


def at_path(path: Path, found: Objection, severity: Severity | None = None) -> Violation:
    """What is wrong at a place of the cluster file."""
    return Violation(
        message=f"{format_path(path)} {found.text}",
        hint=found.hint,
        path=path,
        evidence=found.evidence,
        severity=severity,
    )


def at_value(value: TemplateValue, found: Objection, severity: Severity | None = None) -> Violation:
    """What is wrong with a value of a template."""
    return Violation(
        message=f"{value.resource.logical_id}: {value.path[-1]} {found.text}",
        hint=found.hint,
        resource=value.resource,
        path=value.path,
        evidence=found.evidence,
        severity=severity,
    )


def in_document(
    name: str, value: DocumentValue, found: Objection, severity: Severity | None = None
) -> Violation:
    """What is wrong with a value of a document.

    Args:
        name: What it belongs to, as in `node group train`.
        value: The value.
        found: What is wrong.
        severity: Only when it differs from the rule's.
    """
    return Violation(
        message=f"{name}: {found.text}",
        hint=found.hint,
        value=value,
        evidence=found.evidence,
        severity=severity,
    )
