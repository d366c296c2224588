"""Suppressions that stand in the metadata of a template, or of one of its resources.

    Metadata:
      trnkit:
        suppress:
          - rule_id: TRN251
            reason: half of the links are left to storage traffic

At the top level an entry holds for the whole template, in a resource for that resource. What was
written is judged too: an entry that is none, names no rule or switches nothing off is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.config.cluster import LEAST_REASON
from trnkit.findings import Finding, Severity, Suppression, nearest
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.listing import rule_ids
from trnkit.rules.suppressing import SUPPRESSION_RULE, no_such_rule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from trnkit.rules.stack_set import Template

_OWN_KEY = "trnkit"
_LIST = "suppress"
_ENTRY_KEYS = ("rule_id", "reason")
_OTHERS_ID = re.compile("[A-Z][0-9]{4}")
"""Ids as cfn-lint and cloudformation-validate have them; whether one exists only they know."""
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the metadata of a template.

    Attributes:
        file: The template.
        logical_id: The resource; None for the template's own metadata.
        path: Below `Metadata`.
    """

    file: str
    logical_id: str | None
    path: tuple[str | int, ...] = ()

    def below(self, *parts: str | int) -> _Place:
        return _Place(self.file, self.logical_id, (*self.path, *parts))

    @property
    def words(self) -> str:
        """`Nodes: Metadata.trnkit.suppress[0]`."""
        steps = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in self.path)
        return f"{f'{self.logical_id}: ' if self.logical_id else ''}Metadata{steps}"

    @property
    def pointer(self) -> str:
        resource = ("Resources", self.logical_id) if self.logical_id else ()
        return "/".join(["", *resource, "Metadata", *map(str, self.path)])

    def wrong(self, text: str, hint: str, severity: Severity = Severity.ERROR) -> Finding:
        return Finding(
            rule_id=SUPPRESSION_RULE,
            severity=severity,
            message=f"{self.words} {text}",
            hint=hint,
            path=self.pointer,
            logical_id=self.logical_id,
            file=self.file,
        )


@dataclass(frozen=True, slots=True)
class _Entry:
    place: _Place
    rule_id: str
    reason: str


class _Judged:
    """Findings by what an entry can name, since a template may have many of both."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = list(findings)
        self._places: dict[tuple[str | None, str, str | None], list[int]] = {}
        for index, finding in enumerate(self.findings):
            file, rule_id = finding.file, finding.rule_id
            for owner in {None, finding.logical_id}:
                self._places.setdefault((file, rule_id, owner), []).append(index)

    def suppress(self, entry: _Entry) -> bool:
        """Suppress what an entry covers; whether there was anything."""
        suppression = Suppression(kind="inSource", reason=entry.reason)
        about = (entry.place.file, entry.rule_id, entry.place.logical_id)
        hit = [i for i in self._places.get(about, ()) if self.findings[i].suppression is None]
        for index in hit:
            self.findings[index] = self.findings[index].suppressed(suppression)
        return bool(hit)


def suppress_in_templates(
    templates: Iterable[Template],
    findings: Iterable[Finding],
    others: Collection[str] | None = None,
) -> list[Finding]:
    """Apply the suppressions in the metadata of templates.

    Args:
        templates: The templates that were judged together.
        findings: What was found in them.
        others: Ids of the rules of other judges whose findings are among these. None when no other
            judge was asked: then nothing is said about entries that name rules of theirs.

    Returns:
        All findings, the suppressed ones as information, and those about the entries themselves.
    """
    judged = _Judged(findings)
    complaints: list[Finding] = []
    for template in templates:
        entries = list(_entries(template, complaints))
        # What a resource says about itself comes first, so that a wider entry may prove idle.
        for entry in sorted(entries, key=lambda entry: entry.place.logical_id is None):
            complaint = _apply(entry, judged, others)
            complaints += [] if complaint is None else [complaint]
    return [*judged.findings, *complaints]


def _apply(entry: _Entry, judged: _Judged, others: Collection[str] | None) -> Finding | None:
    """Apply an entry; what is wrong with it, if anything is."""
    rule_id, place = entry.rule_id, entry.place
    if others is None and _OTHERS_ID.fullmatch(rule_id):
        return None
    if (wrong := no_such_rule(rule_id, others or ())) is not None:
        return place.below("rule_id").wrong(f"{wrong[0]}: {_shown(rule_id)}", wrong[1])
    if judged.suppress(entry):
        return None
    idle = "it judges cluster files" if rule_id in rule_ids("config") else "it does not fire here"
    text = f"suppresses nothing: {rule_id}, {idle}"
    return place.wrong(text, "remove it", Severity.WARNING)


def _entries(template: Template, complaints: list[Finding]) -> Iterator[_Entry]:
    yield from _read(template.body, _Place(template.path, None), complaints)
    for logical_id, resource in template.resources.items():
        yield from _read(resource.body, _Place(template.path, str(logical_id)), complaints)


def _read(owner: Mapping[str, Any], place: _Place, complaints: list[Finding]) -> Iterator[_Entry]:
    metadata = owner.get("Metadata")
    if not isinstance(metadata, Mapping) or _OWN_KEY not in metadata:
        return
    place = place.below(_OWN_KEY)
    own = metadata[_OWN_KEY]
    if not isinstance(own, Mapping):
        hint = "write `suppress:` and its list below it"
        complaints.append(place.wrong(f"must be a mapping, got {_shown(own)}", hint))
        return
    complaints += _unknown_keys(own, (_LIST,), place)
    if _LIST not in own:
        return
    place, listed = place.below(_LIST), own[_LIST]
    if not isinstance(listed, list):
        hint = "write a list of `rule_id` and `reason`"
        complaints.append(place.wrong(f"must be a list, got {_shown(listed)}", hint))
        return
    seen: set[str] = set()
    for index, value in enumerate(listed):
        entry = _entry(value, place.below(index), complaints)
        if entry is None:
            continue
        if entry.rule_id in seen:
            text = f"repeats an entry: {_shown(entry.rule_id)} is off already"
            wrong = entry.place.wrong(text, "keep one of the two", Severity.WARNING)
            complaints.append(wrong)
            continue
        seen.add(entry.rule_id)
        yield entry


def _entry(value: Any, place: _Place, complaints: list[Finding]) -> _Entry | None:
    """The entry, when it is one; else what is wrong with it is among the complaints."""
    if not isinstance(value, Mapping):
        hint = "write `rule_id` and `reason`"
        complaints.append(place.wrong(f"must be a mapping, got {_shown(value)}", hint))
        return None
    complaints += _unknown_keys(value, _ENTRY_KEYS, place)
    rule_id, reason = value.get("rule_id"), value.get("reason")
    if not isinstance(rule_id, str) or not rule_id.strip():
        text = f"must be the id of a rule, got {_shown(rule_id)}"
        complaints.append(place.below("rule_id").wrong(text, "`trnkit rules` lists them"))
        return None
    if not isinstance(reason, str) or len(reason.strip()) < LEAST_REASON:
        text = f"must be text of at least {LEAST_REASON} characters, got {_shown(reason)}"
        complaints.append(place.below("reason").wrong(text, "say why the rule does not apply"))
        return None
    return _Entry(place, str(rule_id), " ".join(reason.split()))


def _unknown_keys(
    mapping: Mapping[Any, Any], known: tuple[str, ...], place: _Place
) -> Iterator[Finding]:
    for key in mapping:
        if key not in known:
            close = nearest(str(key), known, count=1)
            hint = did_you_mean(close, "remove it")
            yield place.below(str(key)).wrong(f"is no key of a suppression: {_shown(key)}", hint)


def _shown(value: Any) -> str:
    """A value as the user wrote it, or its kind when that would be long."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = repr(str(value)) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
