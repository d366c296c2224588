"""cfn-lint, and AWS's cloudformation-validate."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, Literal

from cfnlint.api import lint
from cfnlint.config import ManualArgs
from cloudformation_validate import (
    CompositeEngine,
    PseudoParameterOverrides,
    Severity,
    ValidateConfig,
)

from benchmarks.judges.judge import Said, Verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.judges.corpus import TemplateFile

_CFN_LINT: Final[dict[str, Literal["error", "warning", "info"]]] = {
    "error": "error",
    "warning": "warning",
    "informational": "info",
}
_VALIDATE: Final[dict[Severity, Literal["error", "warning", "info"]]] = {
    Severity.FATAL: "error",
    Severity.ERROR: "error",
    Severity.WARN: "warning",
    Severity.INFO: "info",
    Severity.DEBUG: "info",
}


class CfnLint:
    """cfn-lint, told the Region."""

    at_a_time = 20
    name = "cfn-lint"

    @property
    def version(self) -> str:
        """Of the package."""
        return version("cfn-lint")

    def judge(self, files: Sequence[TemplateFile]) -> Verdicts:
        """Judge templates."""
        return {
            file.name: cfn_lint_says(file.path.read_text(encoding="utf-8"), file.region)
            for file in files
        }


def cfn_lint_says(text: str, region: str) -> frozenset[Said]:
    """What cfn-lint says of one template.

    Args:
        text: The template.
        region: Where it would be deployed.
    """
    matches = lint(text, config=ManualArgs(regions=[region]))  # type: ignore[arg-type]
    return frozenset(
        Said(match.rule.id, _CFN_LINT[match.rule.severity], _pointer(match)) for match in matches
    )


def _pointer(match: Any) -> str:
    return "/".join(str(part) for part in getattr(match, "path", None) or ())


class CloudFormationValidate:
    """The engine of the CDK's validator by itself, told the Region."""

    at_a_time = 1000
    name = "cloudformation-validate"

    @property
    def version(self) -> str:
        """Of the package."""
        return version("cloudformation-validate")

    def judge(self, files: Sequence[TemplateFile]) -> Verdicts:
        """Judge templates."""
        engine = CompositeEngine()
        return {file.name: self._said(engine, file) for file in files}

    @staticmethod
    def _said(engine: CompositeEngine, file: TemplateFile) -> frozenset[Said]:
        there = PseudoParameterOverrides(region=file.region)
        report = engine.validate_template(
            file.path.read_bytes(), ValidateConfig(pseudo_parameter_overrides=there)
        )
        return frozenset(
            Said(
                found.rule_id,
                _VALIDATE[found.severity],
                f"{found.entity.logical_id if found.entity else ''}/{found.property_path or ''}",
            )
            for found in report.diagnostics
        )
