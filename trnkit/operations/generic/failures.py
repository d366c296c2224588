"""A judge that fails on a template: a finding about the judge, since the others go on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Finding, Severity

if TYPE_CHECKING:
    from trnkit.operations.template_files import TemplateFile

_PROCESSING_ERROR = "E0002"
_LONGEST = 200

BUGS: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    re.error,
)
"""What a hostile template makes a judge raise, beside the errors it has of its own."""


def failure(file: TemplateFile, tool: str, source: str, error: Exception) -> Finding:
    """The finding that a judge could not judge.

    Args:
        file: The template.
        tool: The judge.
        source: Its documentation.
        error: What it raised.
    """
    reason = " ".join(str(error).split())[:_LONGEST]
    return Finding(
        rule_id=_PROCESSING_ERROR,
        severity=Severity.WARNING,
        message=f"{tool} could not judge this template: {type(error).__name__}: {reason}",
        file=file.path,
        source=source,
        tool=tool,
    )
