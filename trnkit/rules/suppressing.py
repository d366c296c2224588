"""What suppressions share, wherever they stand: which ids they may name, and how they are idle.

One in the cluster file holds for that file (`suppress_in_cluster`); those in the metadata of a
template are in `template_metadata`, those of the command line in `trnkit.operations.suppressions`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.config.policy import PACK_NAMES, pack_of
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Finding, Severity, Suppression
from trnkit.rules.judging.wording import MOST, did_you_mean
from trnkit.rules.listing import rule_ids

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from trnkit.config import ClusterFile
    from trnkit.config.yaml_reader import Path

SUPPRESSION_RULE = "TRN006"

_ABOUT_THE_FILE = re.compile("TRN00[1-9]")
_LONGEST_ID = 20
_LOOK_ALIKES = str.maketrans("OIL", "011")


def no_such_rule(rule_id: str, further: Container[str] = ()) -> tuple[str, str] | None:
    """Why an id cannot be suppressed, and what to do; None when it can.

    Args:
        rule_id: What the user wrote.
        further: Ids that may be suppressed beside those of our rules.
    """
    if _ABOUT_THE_FILE.fullmatch(rule_id):
        hint = f"remove the suppression, and mend what {rule_id} finds"
        return "cannot be switched off, it is about the file itself", hint
    known = (*rule_ids("config"), *rule_ids("template"))
    if rule_id in known or rule_id in further or pack_of(rule_id) is not None:
        return None
    if rule_id in rule_ids("document"):
        return "judges documents of other tools alone", "remove it"
    if rule_id.lower().startswith(tuple(name.lower() for name in PACK_NAMES.values())):
        hint = "write it as the pack does: AwsSolutions-VPC7, AwsSolutions-IAM5[Resource::*]"
        return "names no rule of a pack", hint
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


def suppress_in_cluster(cluster: ClusterFile, findings: list[Finding]) -> list[Finding]:
    """Apply `suppress` of a cluster file; an entry that switches nothing off is a finding itself.

    Args:
        cluster: The file.
        findings: What the rules over it found.
    """
    kept = list(findings)
    seen: dict[str, int] = {}
    for index, entry in enumerate(cluster.config.suppress):
        path: Path = ("suppress", index)
        first = seen.setdefault(entry.rule_id, index)
        hit = [finding for finding in kept if finding.rule_id == entry.rule_id]
        if first != index:
            text = f"suppress[{index}] repeats suppress[{first}]: {entry.rule_id} is off already"
            kept.append(_idle(cluster, path, Severity.WARNING, text, "keep one of the two"))
        elif (wrong := no_such_rule(entry.rule_id)) is not None:
            text = f"suppress[{index}].rule_id {wrong[0]}: {entry.rule_id}"
            kept.append(_idle(cluster, path, Severity.ERROR, text, wrong[1]))
        elif not hit and entry.rule_id in rule_ids("config"):
            text = f"suppress[{index}] suppresses nothing: {entry.rule_id} does not fire"
            kept.append(_idle(cluster, path, Severity.WARNING, text, "remove it"))
        else:
            suppression = Suppression(kind="inSource", reason=entry.reason)
            kept = [finding for finding in kept if finding.rule_id != entry.rule_id]
            for finding in hit:
                bare = Finding(
                    rule_id=finding.rule_id,
                    severity=finding.severity,
                    message=finding.message,
                    path=format_path(path),
                )
                kept.append(cluster.place(bare.suppressed(suppression), path))
    return kept


def idle_template_suppressions(
    cluster: ClusterFile, fired: Container[str], *, packs_asked: bool = False
) -> list[Finding]:
    """Warn of entries for rules over templates that the cluster's templates do not break.

    Args:
        cluster: The file.
        fired: Ids of the rules that its templates break, those of rule packs too.
        packs_asked: Whether the packs that the file selects were asked.
    """
    first = {s.rule_id: i for i, s in reversed(tuple(enumerate(cluster.config.suppress)))}
    findings: list[Finding] = []
    for rule_id, index in first.items():
        pack = pack_of(rule_id)
        asked = packs_asked if pack else rule_id in rule_ids("template")
        if asked and rule_id not in fired:
            why = f"no template breaks {rule_id}"
            if pack and pack not in cluster.config.policy.packs:
                why = f"policy.packs does not name {pack}"
            text = f"suppress[{index}] suppresses nothing: {why}"
            path: Path = ("suppress", index)
            findings.append(_idle(cluster, path, Severity.WARNING, text, "remove it"))
    return findings


def _idle(cluster: ClusterFile, path: Path, severity: Severity, message: str, hint: str) -> Finding:
    finding = Finding(
        rule_id=SUPPRESSION_RULE,
        severity=severity,
        message=message,
        hint=hint,
        path=format_path(path),
    )
    return cluster.place(finding, path)
