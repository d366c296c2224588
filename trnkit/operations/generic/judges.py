"""`trnkit lint --generic`: what generic judges find, as findings of ours, each said once.

cfn-lint is always there; the native cloudformation-validate is asked when it is installed. Both
descend from one list of rules, so that E3002 of the one is F3002 of the other: what both say about
a place is told once, in cfn-lint's words. About instance types our catalogue knows more.
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
    from collections.abc import Callable, Mapping, Sequence

    from trnkit.findings import Finding
    from trnkit.operations.template_files import TemplateFile
    from trnkit.rules.rule import Rule

_INSTANCE_TYPES_BY_REGION = "E3628"
_QUOTED = re.compile(r"'([^']*)'")
_LONG_LIST = re.compile(r"\[('[^']*'(?:, '[^']*'){3,})\]")
_SAID_BY_OURS = {"3011": frozenset({"TRN353"})}
"""Numbers of their rules, each with the rules of ours that say the same of the same resource."""
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
        said = {_statement(finding) for finding in found}
        if self._native is not None:
            ignored = native_validate.ignored_checks(file.body)
            found += [
                finding
                for finding in self._native.judge(file, region)
                if _statement(finding) not in said and not ignored(finding)
            ]
        return [_shortened(finding) for finding in found if not _is_outdated(finding)]

    @staticmethod
    def without_repetitions(findings: Sequence[Finding]) -> list[Finding]:
        """All but what other judges say of a resource that a rule of ours says of it too.

        Args:
            findings: Ours, suppressed or not, and theirs.
        """
        ours = {(f.rule_id, f.file, f.logical_id) for f in findings if f.tool == OWN_TOOL}

        def is_repeated(finding: Finding) -> bool:
            same = _SAID_BY_OURS.get(finding.rule_id[1:], frozenset())
            return any((rule_id, finding.file, finding.logical_id) in ours for rule_id in same)

        return [f for f in findings if f.tool == OWN_TOOL or not is_repeated(f)]


def _statement(finding: Finding) -> tuple[str, str | None, int | None]:
    """What is said about which place: the number that both judges have for a rule."""
    return finding.rule_id[1:], finding.logical_id, finding.line


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
