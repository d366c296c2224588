"""Runs the rules: finds them, calls them, and gives each violation its place and its severity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import only_described_types
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Finding, Severity, sort_findings
from trnkit.rules.circumstances import under, weighed
from trnkit.rules.listing import list_rules
from trnkit.rules.reading.template_value import place_of
from trnkit.rules.reading.transforms import may_lack_resources
from trnkit.rules.rule import ConfigRule, Rule, TemplateRule
from trnkit.rules.suppressing import suppress_in_cluster
from trnkit.rules.worlds import Worlds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from trnkit.config import ClusterFile
    from trnkit.rules.circumstances import Circumstance
    from trnkit.rules.rule import Violation
    from trnkit.rules.stack_set import StackSet

_DEFAULTS = "with the parameters' defaults"


def check_cluster(cluster: ClusterFile) -> tuple[Finding, ...]:
    """Judge a cluster file.

    Returns:
        All findings, with line and column. A suppressed finding stays in the list as information
        that says what was suppressed and why.
    """
    findings: list[Finding] = []
    with only_described_types(cluster.described_types):
        for rule in list_rules("config"):
            if isinstance(rule, ConfigRule):
                for violation in rule.check(cluster.config):
                    finding = _finding(rule, violation, format_path(violation.path))
                    findings.append(cluster.place(finding, violation.path))
    return sort_findings(suppress_in_cluster(cluster, findings))


def _finding(rule: Rule, violation: Violation, path: str | None) -> Finding:
    return Finding(
        rule_id=rule.id,
        severity=violation.severity or rule.severity,
        message=violation.message,
        hint=violation.hint,
        path=path or None,
        evidence=violation.evidence,
        source=rule.source,
    )


def check_templates(
    stack_set: StackSet,
    *,
    beside: Iterable[Finding] = (),
    others: Collection[str] | None = None,
) -> tuple[Finding, ...]:
    """Judge CloudFormation templates, several together.

    Suppressions in their metadata are applied, see `trnkit.rules.template_metadata`.

    Args:
        stack_set: The templates.
        beside: What other judges found in the same templates.
        others: Ids of the rules of those judges; None when none was asked.

    Returns:
        All findings, with file and logical id and a JSON pointer as path; line and column are for
        whoever parsed the file to add. What does not hold in every case says in which: under
        which condition, or with which of the values that the template allows. What rests on the
        default of a parameter, which a deployment may override, is a warning at most.
    """
    findings = [
        under(finding, worst=circumstance.worst, said=circumstance.when)
        for finding, circumstance in _judge(stack_set)
    ]
    assumed = stack_set.with_defaults()
    if assumed is not None:
        certain = {(finding.rule_id, finding.file, finding.path) for finding in findings}
        for finding, circumstance in _judge(assumed):
            if (finding.rule_id, finding.file, finding.path) not in certain:
                worst = max(Severity.WARNING, circumstance.worst, key=lambda known: known.rank)
                said = ", ".join(filter(None, (_DEFAULTS, circumstance.when)))
                findings.append(under(finding, worst=worst, said=said))
    # Imported here because a check of cluster files does without it.
    from trnkit.rules.template_metadata import suppress_in_templates

    # Two nested stacks of one template are wrong at the same place, and have the same metadata.
    found = dict.fromkeys((*findings, *beside))
    templates = {template.path: template for template in stack_set.templates}.values()
    return sort_findings(suppress_in_templates(templates, found, others))


def _judge(stack_set: StackSet) -> Iterator[tuple[Finding, Circumstance]]:
    worlds = Worlds(stack_set, _run)
    for rule in list_rules("template"):
        if isinstance(rule, TemplateRule):
            yield from weighed(worlds.leaves(rule))


def _run(rule: TemplateRule, stack_set: StackSet) -> list[Finding]:
    return [
        _template_finding(rule, found)
        for found in rule.check(stack_set)
        if not (rule.judges_absence and found.resource)
        or not may_lack_resources(found.resource.template)
    ]


def _template_finding(rule: Rule, violation: Violation) -> Finding:
    finding = _finding(rule, violation, None)
    resource = violation.resource
    if resource is None:
        return finding
    pointer = "/".join(["", *map(str, place_of(resource, violation.path))])
    return Finding(
        rule_id=finding.rule_id,
        severity=finding.severity,
        message=finding.message,
        hint=finding.hint,
        path=pointer,
        logical_id=resource.logical_id,
        file=resource.template.path,
        evidence=finding.evidence,
        source=finding.source,
    )
