"""`trnkit lint --generic`: what generic judges find, as findings of ours, each said once.

cfn-lint is always there; the native cloudformation-validate is asked when it is installed. Both
descend from one list of rules, so that E3002 of the one is F3002 of the other, but for some that
`_SAME_MEANING` lists: what both say about a place is told once, in cfn-lint's words. About instance
types our catalogue knows more.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.findings import OWN_TOOL, nearest
from trnkit.operations.generic import cfn_lint, native_validate
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from trnkit.findings import Finding
    from trnkit.operations.template_files import TemplateFile
    from trnkit.rules.rule import Rule

_INSTANCE_TYPES_BY_REGION = "E3628"
_QUOTED = re.compile(r"'([^']*)'")
_LONG_LIST = re.compile(r"\[('[^']*'(?:, '[^']*'){3,})\]")
_SAME_MEANING = {
    "E8002": frozenset({"E3015"}),
    "E8007": frozenset({"E8004", "E8005", "E8006"}),
    "E9004": frozenset({"E1010", "E1019", "E1021"}),
    "F0005": frozenset({"E1001"}),
    "F0006": frozenset({"E3001"}),
    "F0013": frozenset({"E1028"}),
    "F0017": frozenset({"E7001"}),
    "F0018": frozenset({"E3036"}),
    "F1012": frozenset({"E1011"}),
    "F1018": frozenset({"E1019", "E1021"}),
    "F1020": frozenset({"E1010", "E1019", "E1021"}),
    "F2003": frozenset({"E2001"}),
    "F2012": frozenset({"E2015"}),
    "F3016": frozenset({"E3035"}),
}
"""Rules of the native judge, each with those of cfn-lint that say it under another number."""
_SAID_OF_RESOURCE = {"3011": "TRN353"}
"""Numbers of their rules, each with the rule of ours that says the same of the same resource."""
_SAID_OF_PLACE = {"E3035": "TRN353", "E3036": "TRN353", "F0018": "TRN353", "F3016": "TRN353"}
"""Rules of theirs, each with the rule of ours that says the same of the same attribute."""
_SLOW_SECONDS = 3.0
_MOST = 3


class GenericJudges:
    """Asks the judges one template at a time, and says so when it takes long."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._cfn_lint = cfn_lint.CfnLint()
        self._native = native_validate.load()
        self._progress = progress
        self._told = time.monotonic()
        self._done = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader must know: a judge that was not there."""
        if self._native is not None:
            return ()
        return ("cloudformation-validate is not installed, so cfn-lint judged alone",)

    @property
    def rules(self) -> Mapping[str, Mapping[str, Rule]]:
        """Documentation of their rules, by tool and id."""
        rules = {cfn_lint.TOOL: self._cfn_lint.rules}
        return rules if self._native is None else rules | {native_validate.TOOL: self._native.rules}

    @property
    def rule_ids(self) -> frozenset[str]:
        """Ids of all their rules."""
        return frozenset(rule_id for rules in self.rules.values() for rule_id in rules)

    def judge(self, file: TemplateFile, region: str | None) -> list[Finding]:
        """What they find in a template.

        Args:
            file: The template.
            region: Its region, where known.
        """
        if time.monotonic() - self._told > _SLOW_SECONDS:
            self._told = time.monotonic()
            self._progress(
                f"generic judges: {count_of(self._done, 'template')} done, at {file.path}"
            )
        self._done += 1
        found = self._cfn_lint.judge(file, region)
        if self._native is not None:
            said: dict[str | None, list[Finding]] = {}
            for finding in found:
                said.setdefault(finding.logical_id, []).append(finding)
            ignored = native_validate.ignored_checks(file.body)
            found += [
                finding
                for finding in self._native.judge(file, region)
                if not ignored(finding)
                and not any(_says_again(finding, one) for one in said.get(finding.logical_id, ()))
            ]
        return [_shortened(finding) for finding in found if not _is_outdated(finding)]

    @staticmethod
    def without_repetitions(
        findings: Sequence[Finding], *, switched_off: Container[str] = ()
    ) -> list[Finding]:
        """All but what other judges say that a rule of ours says of the same too.

        Args:
            findings: Ours, suppressed or not, and theirs.
            switched_off: Rules of ours that the command line suppresses.
        """
        ours = [finding for finding in findings if finding.tool == OWN_TOOL]

        def is_told(finding: Finding) -> bool:
            return finding.suppression is None and finding.rule_id not in switched_off

        resources = {(f.rule_id, f.file, f.logical_id) for f in ours}
        # A suppression of ours is no reason to be silent about a template that is refused.
        places = {(f.rule_id, f.file, f.path) for f in ours if is_told(f)}

        def is_repeated(finding: Finding) -> bool:
            of_resource = _SAID_OF_RESOURCE.get(finding.rule_id[1:])
            if (of_resource, finding.file, finding.logical_id) in resources:
                return True
            of_place = _SAID_OF_PLACE.get(finding.rule_id)
            return (of_place, finding.file, finding.path) in places

        return [f for f in findings if f.tool == OWN_TOOL or not is_repeated(f)]


def _says_again(finding: Finding, said: Finding) -> bool:
    """Whether the native judge says of a resource what cfn-lint said of it.

    A number that both have for a rule and a line settle it. Otherwise the native judge may name a
    place around cfn-lint's (of a reference the property, or the whole resource): then it must name
    what cfn-lint names first.
    """
    same_number = finding.rule_id[1:] == said.rule_id[1:]
    if same_number and finding.line == said.line:
        return True
    if not same_number and said.rule_id not in _SAME_MEANING.get(finding.rule_id, ()):
        return False
    around, place = f"{finding.path or ''}/", f"{said.path or ''}/"
    if place == around and finding.path is not None:
        return True
    named = _names(said)[:1]
    return place.startswith(around) and bool(named) and named[0] in _names(finding)


def _names(finding: Finding) -> list[str]:
    """What a message names in quotes: `Y` of '${Y}', of '${Y.Arn}' and of 'Y'."""
    return [name.strip("${}").partition(".")[0] for name in _QUOTED.findall(finding.message)]


def _is_outdated(finding: Finding) -> bool:
    """Whether an instance type is said not to be offered about which our catalogue knows better.

    Where ours is not offered, our own rules say.
    """
    named = _QUOTED.search(finding.message)
    rule_id = finding.rule_id
    return (
        rule_id == _INSTANCE_TYPES_BY_REGION
        and named is not None
        and find_instance_type(named[1]) is not None
    )


def _shortened(finding: Finding) -> Finding:
    """The finding without a list of everything that would have been right."""
    named = _QUOTED.search(finding.message)

    def shorten(listed: re.Match[str]) -> str:
        allowed: Sequence[str] = _QUOTED.findall(listed[1])
        close = nearest(named[1], allowed, count=_MOST) if named else ()
        shown = close or allowed[:_MOST]
        return f"{len(allowed)} values such as {', '.join(map(repr, shown))}"

    message = _LONG_LIST.sub(shorten, finding.message)
    return replace(finding, message=" ".join(message.split()))
