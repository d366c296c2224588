"""`trnkit rehearse`: the real `cdk deploy` against an emulated AWS, and proof of what it made."""

from __future__ import annotations

from trnkit.operations.rehearsal.results import (
    NOT_PROVABLE,
    STEPS,
    Fact,
    Progress,
    Rehearsal,
    StepResult,
    TypeProof,
)

__all__ = [
    "NOT_PROVABLE",
    "STEPS",
    "Fact",
    "Progress",
    "Rehearsal",
    "StepResult",
    "TypeProof",
]
