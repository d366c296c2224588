"""The documentation of every rule, those of the file reader included, as values to be shown.

And of the checks of an account, which are documented alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.findings import Severity, nearest
from trnkit.operations.preflight.check import CheckRule, list_checks
from trnkit.rules.listing import list_rules
from trnkit.rules.rule import ConfigRule, DocumentRule, Rule, TemplateRule
from trnkit.rules.suppressing import near_ids

if TYPE_CHECKING:
    from collections.abc import Iterable

_READER_SOURCE = "docs/config.md"

READER_RULES: tuple[Rule, ...] = (
    Rule(
        id="TRN001",
        title="An input is there and can be read",
        severity=Severity.ERROR,
        why="Nothing can be said about a file that is missing, too large, binary or not the "
        "language it should be. The exit code is 2.",
        source=_READER_SOURCE,
        good="emails: [ml@example.com]",
        bad="emails: [ml@example.com",
    ),
    Rule(
        id="TRN002",
        title="A key stands once",
        severity=Severity.ERROR,
        why="Of two equal keys YAML readers silently keep one, and rarely the one that was meant.",
        source=_READER_SOURCE,
        good="region: us-east-2",
        bad="region: us-east-2\nregion: us-west-2",
    ),
    Rule(
        id="TRN003",
        title="Every key is known",
        severity=Severity.ERROR,
        why="A mistyped key that is ignored is a setting that never takes effect.",
        source=_READER_SOURCE,
        good="network:\n  vpc_cidr: 10.0.0.0/16",
        bad="network:\n  vpc_cdir: 10.0.0.0/16",
    ),
    Rule(
        id="TRN004",
        title="Required keys are given",
        severity=Severity.ERROR,
        why="There is no safe default for what they say.",
        source=_READER_SOURCE,
        good="budget: {limit_usd: 1000, emails: [ml@example.com]}",
        bad="budget: {limit_usd: 1000}",
    ),
    Rule(
        id="TRN005",
        title="A value has the type and the range of its key",
        severity=Severity.ERROR,
        why="AWS would refuse it minutes into a deployment, or take it for something else.",
        source=_READER_SOURCE,
        good="budget: {limit_usd: 1000, emails: [ml@example.com]}",
        bad="budget: {limit_usd: a thousand, emails: [ml@example.com]}",
    ),
    Rule(
        id="TRN006",
        title="A suppression names a rule that fires, and says why",
        severity=Severity.ERROR,
        why="A suppression that hides nothing today hides something tomorrow. This holds in the "
        "cluster file, on the command line and in the metadata of templates alike. One of a "
        "template rule in a cluster file is judged at `trnkit synth`. TRN001 to TRN007 cannot be "
        "suppressed.",
        source=_READER_SOURCE,
        good="suppress:\n  - rule_id: TRN204\n    reason: another team pins the images",
        bad="suppress:\n  - rule_id: TRN299\n    reason: another team pins the images",
    ),
    Rule(
        id="TRN007",
        title="Files that are given together name different clusters",
        severity=Severity.ERROR,
        why="In one account and region the later deployment would replace the earlier cluster; "
        "elsewhere too, one CDK app holds one cluster of a name.",
        source=_READER_SOURCE,
        good="# a.yaml\nname: pretrain\n---\n# b.yaml\nname: finetune",
        bad="# a.yaml\nname: pretrain\n---\n# b.yaml\nname: pretrain",
    ),
)


def documented_rules() -> tuple[Rule, ...]:
    """Every rule, by id."""
    rooms = (*list_rules("config"), *list_rules("template"), *list_rules("document"))
    rules = (*READER_RULES, *rooms)
    return tuple(sorted(rules, key=lambda rule: rule.id))


def explained_rules() -> tuple[Rule, ...]:
    """Every rule and every check of the preflight, by id."""
    # Apart from the rules: the checks come with what asks AWS, which takes a while to load.
    checks = (check.as_rule() for check in list_checks())
    return tuple(sorted((*documented_rules(), *checks), key=lambda rule: rule.id))


def find_rule(wanted: str, known: Iterable[Rule]) -> Rule | None:
    """The rule of an id, or the check of a name; capitals do not matter.

    Args:
        wanted: What the user wrote.
        known: The rules and checks there are.
    """
    return next((rule for rule in known if wanted.lower() in _names(rule)), None)


def near_names(wanted: str, known: Iterable[Rule]) -> tuple[str, ...]:
    """The ids, else the names of checks, that may have been meant.

    Args:
        wanted: What the user wrote.
        known: The rules and checks there are.
    """
    rules = list(known)
    names = [rule.name for rule in rules if isinstance(rule, CheckRule)]
    return near_ids(wanted, [rule.id for rule in rules]) or nearest(wanted, names)


def _names(rule: Rule) -> tuple[str, ...]:
    """An id, and the name of a check, in small letters."""
    return (rule.id.lower(), *([rule.name] if isinstance(rule, CheckRule) else []))


def listed_title(rule: Rule) -> str:
    """A rule's title in the list of all, with the name by which a check is asked for."""
    return f"{rule.name}: {rule.title}" if isinstance(rule, CheckRule) else rule.title


def applies_to(rule: Rule) -> str:
    """What a rule judges, in words."""
    if isinstance(rule, CheckRule):
        return "account"
    if isinstance(rule, ConfigRule):
        return "cluster file"
    if isinstance(rule, DocumentRule):
        return "other formats"
    return "template" if isinstance(rule, TemplateRule) else "any input"


def rule_as_dict(rule: Rule) -> dict[str, Any]:
    """The documentation of a rule as plain JSON values."""
    more: dict[str, Any] = {}
    if isinstance(rule, CheckRule):
        more = {"name": rule.name, "permissions": list(rule.permissions)}
    return {
        "id": rule.id,
        "title": rule.title,
        "severity": rule.severity.value,
        "applies_to": applies_to(rule),
        "why": rule.why,
        "source": rule.source,
        "good": rule.good,
        "bad": rule.bad,
        **more,
    }
