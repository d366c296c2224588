"""Runs the rules: finds them, calls them, and gives each violation its place and its severity."""

from __future__ import annotations

import functools
import importlib
import re
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Literal

from trnkit.catalog import only_described_types
from trnkit.config.policy import pack_of
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Finding, Severity, sort_findings
from trnkit.rules.circumstances import under, weighed
from trnkit.rules.judging.wording import MOST, did_you_mean
from trnkit.rules.reading.template_value import place_of
from trnkit.rules.reading.transforms import may_lack_resources
from trnkit.rules.rule import ConfigRule, Rule, TemplateRule
from trnkit.rules.worlds import Worlds

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from trnkit.config import ClusterFile
    from trnkit.config.yaml_reader import Path
    from trnkit.rules.circumstances import Circumstance
    from trnkit.rules.rule import Violation
    from trnkit.rules.stack_set import StackSet


_ABOUT_THE_FILE = re.compile("TRN00[1-9]")
_LONGEST_ID = 20
_DEFAULTS = "with the parameters' defaults"
_LOOK_ALIKES = str.maketrans("OIL", "011")


@functools.cache
def list_rules(room: Literal["config", "template", "document"]) -> tuple[Rule, ...]:
    """Every rule of a room, by id. Each file of its folders has a `RULE`."""
    folder = FilePath(__file__).parent / room
    names = sorted(f"{path.parent.name}.{path.stem}" for path in folder.glob("*/[!_]*.py"))
    modules = [importlib.import_module(f"trnkit.rules.{room}.{name}") for name in names]
    rules: list[Rule] = [module.RULE for module in modules]
    return tuple(sorted(rules, key=lambda rule: rule.id))


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
    return sort_findings(_suppress(cluster, findings))


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


def _suppress(cluster: ClusterFile, findings: list[Finding]) -> list[Finding]:
    """Apply `suppress`; an entry that switches nothing off is a finding itself."""
    kept = list(findings)
    seen: dict[str, int] = {}
    for index, entry in enumerate(cluster.config.suppress):
        path: Path = ("suppress", index)
        first = seen.setdefault(entry.rule_id, index)
        hit = [finding for finding in kept if finding.rule_id == entry.rule_id]
        if first != index:
            text = f"suppress[{index}] repeats suppress[{first}]: {entry.rule_id} is off already"
            kept.append(_idle(cluster, path, Severity.WARNING, text, "keep one of the two"))
        elif (wrong := _no_such_rule(entry.rule_id)) is not None:
            text = f"suppress[{index}].rule_id {wrong[0]}: {entry.rule_id}"
            kept.append(_idle(cluster, path, Severity.ERROR, text, wrong[1]))
        elif not hit and entry.rule_id in rule_ids("config"):
            text = f"suppress[{index}] suppresses nothing: {entry.rule_id} does not fire"
            kept.append(_idle(cluster, path, Severity.WARNING, text, "remove it"))
        else:
            kept = [finding for finding in kept if finding.rule_id != entry.rule_id]
            for finding in hit:
                text = f"suppressed ({entry.reason}): {finding.message}"
                kept.append(_remark(cluster, path, entry.rule_id, Severity.INFO, text, None))
    return kept


def rule_ids(room: Literal["config", "template", "document"]) -> tuple[str, ...]:
    """Ids of the rules of a room, in order."""
    return tuple(rule.id for rule in list_rules(room))


def _no_such_rule(rule_id: str) -> tuple[str, str] | None:
    """Why an id cannot be suppressed, and what to do; None when it can."""
    if _ABOUT_THE_FILE.fullmatch(rule_id):
        return "cannot be switched off, it is about the file itself", "remove it, mend the file"
    if rule_id in rule_ids("document"):
        return "judges documents of other tools, no cluster file", "remove it"
    known = (*rule_ids("config"), *rule_ids("template"))
    if rule_id in known or pack_of(rule_id) is not None:
        return None
    return "names no rule", did_you_mean(near_ids(rule_id, known), "`trnkit rules` lists them")


def near_ids(wanted: str, known: Iterable[str]) -> tuple[str, ...]:
    """The ids with the wanted number, else those with two neighbouring digits exchanged.

    All ids look alike, so likeness as for words would suggest any of them.

    Args:
        wanted: What the user wrote.
        known: The ids there are.
    """
    if len(wanted) > _LONGEST_ID:
        return ()
    rest = wanted.upper().rpartition("N")[2]
    digits = re.sub("[^0-9]", "", rest.translate(_LOOK_ALIKES))
    swapped = {
        digits[:i] + digits[i + 1] + digits[i] + digits[i + 2 :] for i in range(len(digits) - 1)
    }
    numbers = {re.sub("[^0-9]", "", rule_id): rule_id for rule_id in known}
    if digits in numbers:
        return (numbers[digits],)
    return tuple(numbers[number] for number in sorted(swapped & set(numbers)))[:MOST]


def idle_template_suppressions(cluster: ClusterFile, fired: Container[str]) -> list[Finding]:
    """Warn of entries for template rules that the cluster's templates do not break.

    Args:
        cluster: The file.
        fired: Ids of the rules that its templates break.
    """
    first = {s.rule_id: i for i, s in reversed(tuple(enumerate(cluster.config.suppress)))}
    findings: list[Finding] = []
    for rule_id in rule_ids("template"):
        if rule_id in first and rule_id not in fired:
            path = ("suppress", first[rule_id])
            text = f"suppress[{path[1]}] suppresses nothing: no template breaks {rule_id}"
            findings.append(_idle(cluster, path, Severity.WARNING, text, "remove it"))
    return findings


def _idle(cluster: ClusterFile, path: Path, severity: Severity, message: str, hint: str) -> Finding:
    return _remark(cluster, path, "TRN006", severity, message, hint)


def _remark(
    cluster: ClusterFile,
    path: Path,
    rule_id: str,
    severity: Severity,
    message: str,
    hint: str | None,
) -> Finding:
    remark = Finding(
        rule_id=rule_id, severity=severity, message=message, hint=hint, path=format_path(path)
    )
    return cluster.place(remark, path)


def check_templates(stack_set: StackSet) -> tuple[Finding, ...]:
    """Judge CloudFormation templates, several together.

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
    return sort_findings(findings)


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
