"""Runs cdk-nag's rule packs at synth, for each cluster those that its file selects."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any, Final

import jsii
from aws_cdk import (
    Acknowledgment,
    IPolicyValidationContext,
    IPolicyValidationPlugin,
    PolicyValidationPluginReport,
    PolicyViolation,
    Validations,
)
from constructs import IConstruct

from constructs_lib.arguments import choices
from constructs_lib.policy.nag_acknowledgements import REMEDIES
from trnkit.config import PACK_NAMES, RulePack

_CLASSES: Final[dict[RulePack, str]] = {
    "aws-solutions": "AwsSolutionsChecks",
    "hipaa-security": "HIPAASecurityChecks",
    "nist-800-53-r4": "NIST80053R4Checks",
    "nist-800-53-r5": "NIST80053R5Checks",
    "pci-dss-321": "PCIDSS321Checks",
}


def add_rule_packs(
    scope: IConstruct, packs: Sequence[RulePack], reasons: Mapping[str, str] | None = None
) -> None:
    """Let rule packs of cdk-nag judge a construct and what is below it, at every synth.

    cdk-nag's own way, `Validations.of(...).add_plugins(pack)`, judges the whole app wherever it is
    added. What a pack calls an error makes the synth fail.

    Args:
        scope: A stage, stack or construct.
        packs: Names of the packs, as the key `policy.packs` of a cluster file has them.
        reasons: Rule of a pack, such as `AwsSolutions-VPC7` -> why it does not apply. One without
            a part in brackets is for all findings of its rule.

    Raises:
        ConstructError: There is no such pack, or one is named twice.

    Example:
        >>> from aws_cdk import App, Stage
        >>> from constructs_lib.policy import add_rule_packs
        >>> add_rule_packs(Stage(App(), "Cluster"), ["nist-800-53-r5"])
    """
    choices("packs", packs, list(_CLASSES))
    for pack in packs:
        Validations.of(scope).add_plugins(_RulePackPlugin(scope, pack, reasons or {}))


@jsii.implements(IPolicyValidationPlugin)
class _RulePackPlugin:
    """One pack over one construct."""

    def __init__(self, scope: IConstruct, pack: RulePack, reasons: Mapping[str, str]) -> None:
        # Imported here because a quarter of a second is for those to pay who select a pack.
        nag: Any = importlib.import_module("cdk_nag")
        self._pack = getattr(nag, _CLASSES[pack])()
        self._scope = scope
        self._name = PACK_NAMES[pack]
        self._reasons = reasons

    @property
    def name(self) -> str:
        """The pack's name, with which acknowledgements begin."""
        return self._name

    @property
    def version(self) -> str:
        """Version of cdk-nag."""
        return metadata.version("cdk-nag")

    @property
    def rule_ids(self) -> list[str] | None:
        """Not known: a pack does not list its rules."""
        return None

    def validate(self, context: IPolicyValidationContext) -> PolicyValidationPluginReport:
        """Judge the construct; CDK calls it.

        Args:
            context: Not looked at: a pack judges constructs, not templates.
        """
        report: Any = self._pack.validate_scope(self._scope)
        found: list[Any] = list(report.violations)
        for violation in found:
            rule = violation.rule_name.partition("[")[0]
            reason = self._reasons.get(violation.rule_name) or self._reasons.get(rule)
            if reason:
                Validations.of(self._scope).acknowledge(
                    Acknowledgment(id=f"{self._name}::{violation.rule_name}", reason=reason)
                )
        return PolicyValidationPluginReport(
            success=report.success, violations=[_with_remedy(violation) for violation in found]
        )


def _with_remedy(violation: Any) -> PolicyViolation:
    """A pack says what is wrong, and not what to do."""
    rule = violation.rule_name.partition("[")[0]
    own = REMEDIES.get(rule.rpartition("-")[2])
    suppress = f"name {rule} in suppress, with the reason why it does not apply"
    return PolicyViolation(
        rule_name=violation.rule_name,
        description=violation.description,
        severity=violation.severity,
        violating_resources=violation.violating_resources,
        fix=f"{own}, or {suppress}" if own else f"see docs/policy-packs.md, or {suppress}",
    )
