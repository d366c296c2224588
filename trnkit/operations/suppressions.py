"""Suppressions of template rules, which only templates can show to be idle."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from trnkit.rules.cloud_assembly import read_assembly, read_template
from trnkit.rules.engine import check_templates
from trnkit.rules.stack_set import StackSet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trnkit.config import ClusterFile
    from trnkit.findings import Finding


def idle_suppressions(clusters: Sequence[ClusterFile], assembly: Path) -> list[Finding]:
    """Warn of suppressed template rules that the cluster's templates do not break.

    Args:
        clusters: The cluster files.
        assembly: Where they were synthesized to, each as a stage of its name.
    """
    findings: list[Finding] = []
    if not any(cluster.config.suppress for cluster in clusters):
        return findings
    stacks = sorted(read_assembly(assembly), key=lambda stack: stack.id.partition("/")[0])
    fired = {
        stage: {
            found.rule_id
            for found in check_templates(
                StackSet(read_template(stack.template, stack.template.parent) for stack in group)
            )
        }
        for stage, group in groupby(stacks, key=lambda stack: stack.id.partition("/")[0])
    }
    for cluster in clusters:
        findings += idle_template_suppressions(cluster, fired.get(cluster.config.name, set()))
    return findings
