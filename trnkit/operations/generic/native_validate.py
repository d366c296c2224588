"""cloudformation-validate as a judge, the validator that the CDK runs at synth, when it is there.

Its remarks are left out: they name every property whose change would replace a resource, and every
resource without tags. So are its warnings of strings where a number or a boolean is expected, which
CloudFormation takes: whoever writes YAML by hand has many.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trnkit.findings import Finding, Severity
from trnkit.operations.generic.failures import BUGS, failure
from trnkit.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.operations.template_files import TemplateFile

TOOL = "cloudformation-validate"

_MODULE = "cloudformation_validate"
_DOCUMENTATION = "https://github.com/aws-cloudformation/cloudformation-validate"
_SEVERITIES = {"FATAL": Severity.ERROR, "ERROR": Severity.ERROR, "WARN": Severity.WARNING}
_TAKEN_ALL_THE_SAME = "W9003"
_STEP = re.compile(r"[^.\[\]]+")


def load() -> NativeValidate | None:
    """The judge; None when it is not installed."""
    try:
        # Without type information, and not among the packages that trnkit needs.
        module: Any = importlib.import_module(_MODULE)
    except ImportError:
        return None
    return NativeValidate(module)


class NativeValidate:
    """Its engine, made once for all templates."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._engine = module.CompositeEngine()
        self.rules = {rule.id: _documentation(rule) for rule in self._engine.list_rules()}

    def judge(self, file: TemplateFile, region: str | None) -> list[Finding]:
        """Its errors and warnings; that it failed is a finding too.

        Args:
            file: The template.
            region: Its region, where known.
        """
        module = self._module
        options: dict[str, Any] = {"severity_level": module.Severity.WARN}
        if region is not None:
            overrides = module.PseudoParameterOverrides(region=region)
            options["pseudo_parameter_overrides"] = overrides
        config = module.ValidateConfig(**options)
        try:
            report: Any = self._engine.validate_template(file.text.encode(), config)
        except (*BUGS, module.ValidationError) as error:
            return [failure(file, TOOL, _DOCUMENTATION, error)]
        return [
            _finding(file, diagnostic)
            for diagnostic in report.diagnostics
            if diagnostic.severity.name in _SEVERITIES
            and str(diagnostic.rule_id) != _TAKEN_ALL_THE_SAME
        ]


def ignored_checks(body: Mapping[str, Any]) -> Callable[[Finding], bool]:
    """Whether the template's metadata tells cfn-lint to ignore what a finding says.

    Args:
        body: The template.
    """
    everywhere = _ignored(body)
    entries = _resources(body)

    def is_ignored(finding: Finding) -> bool:
        own = _ignored(entries.get(finding.logical_id or ""))
        same = {f"{letter}{finding.rule_id[1:]}" for letter in (finding.rule_id[0], "E")}
        return any(rule_id.startswith(check) for rule_id in same for check in (*everywhere, *own))

    return is_ignored


def _resources(body: Mapping[str, Any]) -> Mapping[str, Any]:
    resources = body.get("Resources")
    return resources if isinstance(resources, Mapping) else {}


def _ignored(owner: Any) -> tuple[str, ...]:
    value = owner
    for key in ("Metadata", "cfn-lint", "config", "ignore_checks"):
        value = value.get(key) if isinstance(value, Mapping) else None
    return tuple(c for c in value if isinstance(c, str) and c) if isinstance(value, list) else ()


def _documentation(rule: Any) -> Rule:
    return Rule(
        id=str(rule.id),
        title=str(rule.description),
        severity=_SEVERITIES.get(rule.severity.name, Severity.INFO),
        why=str(rule.description),
        source=_DOCUMENTATION,
        good="",
        bad="",
    )


def _finding(file: TemplateFile, diagnostic: Any) -> Finding:
    entity: Any = diagnostic.entity
    logical_id: str | None = None
    # It calls an output with an unknown condition a resource.
    if entity is not None and str(entity.logical_id) in _resources(file.body):
        logical_id = str(entity.logical_id) if entity.entity_type.name == "RESOURCE" else None
    steps = _STEP.findall(diagnostic.property_path or "")
    path = ["Resources", logical_id, *steps] if logical_id is not None else steps
    return Finding(
        rule_id=str(diagnostic.rule_id),
        severity=_SEVERITIES[diagnostic.severity.name],
        message=str(diagnostic.message),
        hint=diagnostic.suggested_fix,
        path="/".join(["", *path]) if path else None,
        logical_id=logical_id,
        file=file.path,
        line=diagnostic.start_line or None,
        column=(diagnostic.start_column or None) if diagnostic.start_line else None,
        source=_DOCUMENTATION,
        tool=TOOL,
    )
