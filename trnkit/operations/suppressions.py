"""Suppressions of the command line, and those of template rules in cluster files.

Both hold for more than one file, so only whoever has all findings can tell which are idle.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.config.cluster import LEAST_REASON
from trnkit.config.policy import pack_of
from trnkit.errors import UsageError
from trnkit.findings import Finding, Severity, Suppression
from trnkit.rules.cloud_assembly import read_assembly, read_template
from trnkit.rules.listing import rule_ids
from trnkit.rules.suppressing import SUPPRESSION_RULE, idle_template_suppressions, no_such_rule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from trnkit.config import ClusterFile

_OTHERS_ID = re.compile("[A-Z][0-9]{4}")


@dataclass(frozen=True, slots=True)
class GivenSuppression:
    """A rule that is switched off by the command line.

    Attributes:
        rule_id: The rule.
        reason: Why it does not apply.
    """

    rule_id: str
    reason: str


def read_suppressions(texts: object) -> tuple[GivenSuppression, ...]:
    """What `--suppress TRN251="reason"` says, and the context key `suppress` of a CDK app.

    Args:
        texts: `ID=REASON`, one or a list of them; None for none.

    Raises:
        UsageError: One has no id or no reason, or an id stands twice.
    """
    values: object = [texts] if isinstance(texts, str) else texts or []
    given: dict[str, str] = {}
    for text in values if isinstance(values, list | tuple) else [values]:
        rule_id, _, reason = str(text).partition("=")
        rule_id, reason = rule_id.strip(), " ".join(reason.split())
        if not rule_id or len(reason) < LEAST_REASON:
            raise UsageError(
                f"--suppress {text!r} must be the id of a rule and a reason of at least "
                f'{LEAST_REASON} characters: --suppress TRN251="what makes it right here"'
            )
        if rule_id in given:
            raise UsageError(f"--suppress {rule_id} is given twice: keep one of the two")
        given[rule_id] = reason
    return tuple(GivenSuppression(rule_id, reason) for rule_id, reason in given.items())


def suppress_given(
    findings: Iterable[Finding],
    given: Sequence[GivenSuppression],
    *,
    judged: Collection[str],
    elsewhere: Collection[str] = (),
    others: Collection[str] | None = None,
) -> list[Finding]:
    """Apply the suppressions of the command line.

    Args:
        findings: What was found in all files.
        given: The suppressions.
        judged: Ids of our rules that were asked.
        elsewhere: Ids of our rules that are asked at another step; about these nothing is said.
        others: Ids of the rules of other judges; None when none was asked.

    Returns:
        All findings, the suppressed ones as information, and one for each suppression that is idle.
    """
    kept = list(findings)
    for entry in given:
        if (wrong := _wrong(entry, judged, others)) is not None:
            kept.append(wrong)
            continue
        suppression = Suppression(kind="external", reason=entry.reason)
        hit = [f.rule_id == entry.rule_id and f.suppression is None for f in kept]
        if any(hit):
            pairs = zip(kept, hit, strict=True)
            kept = [f.suppressed(suppression) if is_hit else f for f, is_hit in pairs]
        elif entry.rule_id not in elsewhere and not (elsewhere and pack_of(entry.rule_id)):
            idle = _why_idle(entry.rule_id, (*judged, *(others or ())))
            kept.append(_about(entry, Severity.WARNING, f"suppresses nothing: {idle}", "remove it"))
    return kept


def _why_idle(rule_id: str, asked: Collection[str]) -> str:
    if rule_id in asked:
        return "it does not fire"
    if pack_of(rule_id) is not None:
        return "only `trnkit synth` asks it"
    return f"it judges {'cluster files' if rule_id in rule_ids('config') else 'templates'}"


def _wrong(
    entry: GivenSuppression, judged: Collection[str], others: Collection[str] | None
) -> Finding | None:
    """That no rule has the id, or none of a judge that was asked."""
    if others is None and _OTHERS_ID.fullmatch(entry.rule_id):
        text = "suppresses nothing: only other judges have such rules"
        return _about(entry, Severity.WARNING, text, "remove it, or lint with --generic")
    wrong = no_such_rule(entry.rule_id, (*judged, *(others or ())))
    return None if wrong is None else _about(entry, Severity.ERROR, *wrong)


def _about(entry: GivenSuppression, severity: Severity, text: str, hint: str) -> Finding:
    message = f"--suppress {entry.rule_id} {text}"
    return Finding(rule_id=SUPPRESSION_RULE, severity=severity, message=message, hint=hint)


def suppressed_at_synth(
    clusters: Sequence[ClusterFile], given: Sequence[GivenSuppression], assembly: Path
) -> list[Finding]:
    """What the CDK left out of its report because a rule over templates was acknowledged.

    Args:
        clusters: The cluster files.
        given: The suppressions of the command line.
        assembly: Where they were synthesized to, each as a stage of its name.

    Returns:
        The suppressed findings as information, and warnings of suppressions of template rules that
        no template breaks.
    """
    over_templates = [entry for entry in given if entry.rule_id in rule_ids("template")]
    if not over_templates and not any(cluster.config.suppress for cluster in clusters):
        return []
    judged = _judge(assembly)
    findings: list[Finding] = []
    for cluster in clusters:
        stage = cluster.config.name
        found = judged.get(stage, [])
        findings += idle_template_suppressions(cluster, {finding.rule_id for finding in found})
        reasons = {entry.rule_id: entry.reason for entry in cluster.config.suppress}
        judged[stage] = [
            finding.suppressed(Suppression(kind="inSource", reason=reasons[finding.rule_id]))
            if finding.rule_id in reasons
            else finding
            for finding in found
        ]
    every = [finding for found in judged.values() for finding in found]
    after = suppress_given(every, over_templates, judged=rule_ids("template"))
    told = [f for f in after if f.suppression is not None or f.rule_id == SUPPRESSION_RULE]
    return [*findings, *told]


def _judge(assembly: Path) -> dict[str, list[Finding]]:
    """What the template rules find, stage by stage, without what metadata suppresses.

    That is in the CDK's report already, as are findings about the metadata itself.
    """
    # Imported here because a check of cluster files does without them.
    from trnkit.rules.engine import check_templates
    from trnkit.rules.stack_set import StackSet

    stacks = sorted(read_assembly(assembly), key=lambda stack: stack.id.partition("/")[0])
    judged: dict[str, list[Finding]] = {}
    for stage, group in groupby(stacks, key=lambda stack: stack.id.partition("/")[0]):
        templates = [read_template(stack.template, stack.template.parent) for stack in group]
        judged[stage] = [
            replace(finding, file=_below(assembly, finding.file))
            for finding in check_templates(StackSet(templates))
            if finding.suppression is None and finding.rule_id != SUPPRESSION_RULE
        ]
    return judged


def _below(assembly: Path, file: str | None) -> str | None:
    """A template's path as the CDK's report has it: from the assembly, which may yet move."""
    return None if file is None else str(Path(file).relative_to(assembly))
