"""Runs trnkit's template rules inside every synth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import jsii
from aws_cdk import (
    Acknowledgment,
    IPolicyValidationContext,
    IPolicyValidationPlugin,
    PolicyValidationPluginReport,
    PolicyViolatingResource,
    PolicyViolation,
    Validations,
)
from constructs import IConstruct

from trnkit import __version__
from trnkit.catalog import InstanceType, only_described_types
from trnkit.findings import Finding, Severity
from trnkit.rules import StackSet, check_templates, list_rules
from trnkit.rules.cloud_assembly import read_template

PLUGIN_NAME = "trnkit"

_STAGE_FOLDER = "assembly-"
_WHOLE_TEMPLATE = "Metadata"
"""Stands where CDK wants the logical id of a resource, and the template itself is meant."""


@jsii.implements(IPolicyValidationPlugin)
class TemplateRulesPlugin:
    """The same rules as `trnkit lint`, over the templates that a synth has just written.

    Errors make the synth fail; warnings are reported. Templates of one stage are judged together.
    What the metadata of a resource or a template suppresses is reported as information.

    Example:
        >>> from aws_cdk import App, Validations
        >>> from constructs_lib.policy import TemplateRulesPlugin
        >>> Validations.of(App()).add_plugins(TemplateRulesPlugin())
    """

    def __init__(self, described_types: Mapping[str, Sequence[InstanceType]] | None = None) -> None:
        """Judge nothing yet.

        Args:
            described_types: The instance types that the file of each cluster describes, by the name
                of its stage: then templates of a stage are judged with its own only. Those of other
                stages are judged with all that was added to this process.
        """
        self._described = dict(described_types or {})

    @property
    def name(self) -> str:
        """Shown in CDK's report."""
        return PLUGIN_NAME

    @property
    def version(self) -> str:
        """Version of the rules."""
        return __version__

    @property
    def rule_ids(self) -> list[str]:
        """Ids of all rules."""
        return [rule.id for rule in list_rules("template")]

    def validate(self, context: IPolicyValidationContext) -> PolicyValidationPluginReport:
        """Judge the templates; CDK calls it.

        Args:
            context: Holds the paths of the templates.
        """
        folders: dict[Path, list[Path]] = defaultdict(list)
        for name in context.template_paths:
            folders[Path(name).parent].append(Path(name))
        findings: list[Finding] = []
        for folder, paths in folders.items():
            stack_set = StackSet(read_template(path, folder) for path in paths)
            own = self._described.get(folder.name.removeprefix(_STAGE_FOLDER))
            with nullcontext() if own is None else only_described_types(own):
                findings += check_templates(stack_set)
        failed = any(finding.severity is Severity.ERROR for finding in findings)
        return PolicyValidationPluginReport(
            success=not failed, violations=[_violation(finding) for finding in findings]
        )


def _violation(finding: Finding) -> PolicyViolation:
    return PolicyViolation(
        rule_name=finding.rule_id,
        description=finding.message,
        severity=finding.severity.value,
        fix=finding.hint,
        rule_metadata=_metadata(finding),
        violating_resources=[
            PolicyViolatingResource(
                resource_logical_id=finding.logical_id or _WHOLE_TEMPLATE,
                template_path=finding.file,
                locations=_locations(finding),
            )
        ],
    )


def _metadata(finding: Finding) -> dict[str, str] | None:
    """What CDK has no field for; `trnkit synth` reads it back from the report."""
    metadata: dict[str, str] = {}
    if finding.suppression is not None:
        metadata |= {"suppression": finding.suppression.kind, "reason": finding.suppression.reason}
    if finding.logical_id is None and finding.path is not None:
        metadata |= {"path": finding.path}
    return metadata or None


def _locations(finding: Finding) -> list[str]:
    """CDK wants places relative to the resource: `Properties/LaunchTemplateData`."""
    parts = (finding.path or "").split("/")[3:] if finding.logical_id is not None else []
    return ["/".join(parts)] if parts else []


def acknowledge_template_rules(scope: IConstruct, reasons: Mapping[str, str]) -> None:
    """Switch template rules off below a construct.

    Args:
        scope: A stage, stack or construct.
        reasons: Rule id -> why it does not apply. Ids of other rules are left alone.
    """
    known: set[Any] = {rule.id for rule in list_rules("template")}
    for rule_id, reason in reasons.items():
        if rule_id in known:
            Validations.of(scope).acknowledge(
                Acknowledgment(id=f"{PLUGIN_NAME}::{rule_id}", reason=reason)
            )
