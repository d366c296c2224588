"""docs/rules.md: every rule, from the documentation that the rules carry."""

from __future__ import annotations

import difflib
import textwrap
from typing import TYPE_CHECKING

from scripts.doc_pages.markdown import bullets, code, link, page, source, table, wrap
from trnkit.operations.explaining import applies_to, documented_rules
from trnkit.rules import DocumentRule, TemplateRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.rules import Rule

_INTRO = """\
Every finding names a rule of this page. `trnkit rules` lists them in a terminal and
`trnkit rules TRN202` explains one. Ids are never reused. `TRN9xx` are the checks of an account, on
[their own page](preflight.md)."""

_GROUPS = bullets(
    [
        "`TRN0xx`: whether the file can be understood at all.",
        "`TRN1xx` network, `TRN2xx` compute, `TRN3xx` storage, `TRN4xx` cost, `TRN5xx` "
        "orchestration, `TRN6xx` observability, `TRN7xx` training and inference, `TRN8xx` stacks "
        "and their permissions.",
        "A rule judges cluster files (`trnkit check`), CloudFormation templates (at every synth "
        "and in `trnkit lint`), or documents of other tools (`trnkit lint`, see "
        "[other formats](other-formats.md)).",
        "Only an error makes a command fail, unless `--fail-on` says otherwise.",
    ]
)

_SUPPRESS = """\
A rule that does not apply is switched off with a reason, which every report repeats. In the cluster
file, for the file and, at synth, for its templates:"""

_SUPPRESSION = """\
suppress:
  - rule_id: TRN202
    reason: half of the links are left to the storage traffic on purpose
"""

_SUPPRESS_IN_TEMPLATE = """\
In a template, in the `Metadata` of one resource or of the whole template:"""

_TEMPLATE_SUPPRESSION = """\
Metadata:
  trnkit:
    suppress:
      - rule_id: TRN251
        reason: half of the links are left to the storage traffic on purpose
"""

_SUPPRESS_ELSEWHERE = """\
And with `--suppress TRN251="the reason"` of `check`, `lint` and `synth`. `TRN0xx` cannot be
switched off, and [TRN006](#trn006) tells of suppressions that are idle. [Linting](lint.md) says
more."""

_LAID_OVER = (
    "Examples for rules over the cluster file are laid over the [smallest file](config.md); those "
    "for rules over templates and other formats are whole, the bad one shown as its difference "
    "from the good one where that is shorter."
)


_SUBJECTS = {
    "0": "The file itself",
    "1": "Network",
    "2": "Compute",
    "3": "Storage",
    "4": "Cost",
    "5": "Orchestration",
    "6": "Observability",
    "7": "Training and inference",
    "8": "Stacks and permissions",
}


def render() -> str:
    """The page."""
    rules = documented_rules()
    return page(
        "# Rules",
        _INTRO,
        _GROUPS,
        _SUPPRESS,
        code(_SUPPRESSION, "yaml"),
        _SUPPRESS_IN_TEMPLATE,
        code(_TEMPLATE_SUPPRESSION, "yaml"),
        _SUPPRESS_ELSEWHERE,
        wrap(_LAID_OVER),
        "## Index",
        *(block for subject in _SUBJECTS for block in _index(subject, rules)),
        *(_rule(rule) for rule in rules),
    )


def _index(subject: str, rules: Sequence[Rule]) -> list[str]:
    """A heading and a table of the rules whose ids begin with the subject's digit."""
    rows = [
        (link(rule.id, rule.id), rule.severity.value, applies_to(rule), _capital(rule.title))
        for rule in rules
        if rule.id[3] == subject
    ]
    heading = f"### {_SUBJECTS[subject]}"
    return [heading, table(["Id", "Severity", "Judges", "What must hold"], rows)] if rows else []


def _rule(rule: Rule) -> str:
    good, bad = (textwrap.dedent(text).strip("\n") + "\n" for text in (rule.good, rule.bad))
    facts = f"{rule.severity.value.capitalize()}; judges: {applies_to(rule)}; source: "
    return "\n\n".join(
        [
            f"## {rule.id}",
            wrap(f"{_sentence(rule.title)} {rule.why}"),
            facts + _source(rule.source),
            "Good:",
            code(good, "yaml"),
            *_bad(rule, good, bad),
        ]
    )


def _bad(rule: Rule, good: str, bad: str) -> list[str]:
    if isinstance(rule, TemplateRule | DocumentRule):
        lines = list(difflib.unified_diff(good.splitlines(), bad.splitlines(), n=2, lineterm=""))[
            2:
        ]
        if len(lines) < len(bad.splitlines()):
            shown = ["..." if line.startswith("@@") else line for line in lines]
            return ["Bad, in what differs:", code("\n".join(shown), "diff")]
    return ["Bad:", code(bad, "yaml")]


def _sentence(title: str) -> str:
    text = _capital(title)
    return text if text.endswith(".") else f"{text}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _source(reference: str) -> str:
    inside = reference.removeprefix("docs/")
    return f"[{inside}]({inside})" if inside != reference else source(reference)
