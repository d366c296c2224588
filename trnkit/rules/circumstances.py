"""Says under which circumstances a finding holds that does not hold in every world."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trnkit.findings import Finding, Severity
from trnkit.rules.judging.wording import MOST
from trnkit.rules.reading.choices import OTHER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.rules.reading.choices import Value, Variable
    from trnkit.rules.stack_set import StackSet
    from trnkit.rules.worlds import Leaf, World

Key = tuple[str, str | None, str | None, str]
_MOST_CONDITIONS = 100


@dataclass(frozen=True, slots=True)
class Circumstance:
    """When a finding holds.

    Attributes:
        when: In words; empty when always.
        worst: The severity it has at most: what one choice brings about is as bad as what is
            certain, what only several bring about together is not.
    """

    when: str = ""
    worst: Severity = Severity.ERROR


def weighed(leaves: Sequence[Leaf]) -> Iterator[tuple[Finding, Circumstance]]:
    """Each finding of a rule once, with its circumstances.

    Args:
        leaves: What the rule found in each world.
    """
    found: dict[Key, Finding] = {}
    holding: dict[Key, list[Leaf]] = {}
    choices = _Choices(leaves)
    for leaf in leaves:
        for key, finding in {_key(finding): finding for finding in leaf.findings}.items():
            found.setdefault(key, finding)
            holding.setdefault(key, []).append(leaf)
    left: dict[tuple[str | None, str | None], list[Key]] = {}
    told: set[tuple[str | None, str | None]] = set()
    for key, finding in found.items():
        simple = _simple(choices, holding[key], finding)
        if simple is None:
            left.setdefault((finding.file, finding.path), []).append(key)
        else:
            told.add((finding.file, finding.path))
            yield finding, Circumstance(simple.when)
    for place, keys in left.items():
        if place not in told:
            yield _at_one_place(choices, {key: holding[key] for key in keys}, found)


def _at_one_place(
    choices: _Choices, holding: dict[Key, list[Leaf]], found: dict[Key, Finding]
) -> tuple[Finding, Circumstance]:
    """One of the findings at a place that say different things in different worlds.

    Perhaps one choice alone makes something wrong with it, and others only decide what. Otherwise
    the least unlikely combination is told.
    """
    every = {leaf for held in holding.values() for leaf in held}
    union = [leaf for leaf in choices.leaves if leaf in every]
    simple = _simple(choices, union, next(found[key] for key in holding))
    ways = [
        (found[key], _combination(choices.leaves, held, found[key]))
        for key, held in holding.items()
    ]
    if simple is None:
        return min(ways, key=lambda way: way[1].worst.rank)
    explained = [key for key, held in holding.items() if any(x in held for x in simple.leaves)]
    mildest = max(explained, key=lambda key: found[key].severity.rank)
    example = f"for example {dict(zip(holding, ways, strict=True))[mildest][1].when}"
    return found[mildest], Circumstance(", ".join(filter(None, (simple.when, example))))


def under(finding: Finding, *, worst: Severity, said: str) -> Finding:
    """A finding with its circumstances in its message, and a severity that fits them."""
    if not said:
        return finding
    severity = max(finding.severity, worst, key=lambda severity: severity.rank)
    return replace(finding, severity=severity, message=f"{finding.message} ({said})")


def _key(finding: Finding) -> Key:
    return finding.rule_id, finding.file, finding.path, finding.message


@dataclass(frozen=True, slots=True)
class _Way:
    """One choice that makes a finding hold: in words, and the worlds in which it is made."""

    when: str
    leaves: frozenset[Leaf]


class _Choices:
    """What is chosen in which worlds. It is the same for all findings, and made when one asks."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self.leaves = leaves

    @functools.cached_property
    def outcomes(self) -> list[tuple[int, str, bool, frozenset[Leaf]]]:
        """Template, name and outcome of each condition, and the worlds in which it may be so."""
        found: list[tuple[int, str, bool, frozenset[Leaf]]] = []
        for template in self.leaves[0].stack_set.templates:
            conditions = template.body.get("Conditions")
            names = list(conditions)[:_MOST_CONDITIONS] if isinstance(conditions, dict) else []
            number = template.number
            for name in map(str, names):
                told = {x: x.stack_set.templates[number].condition(name) for x in self.leaves}
                for outcome in (value for value in (True, False) if value in told.values()):
                    may_be = frozenset(x for x, it in told.items() if it in (outcome, None))
                    found.append((number, name, outcome, may_be))
        return found

    @functools.cached_property
    def values(self) -> dict[Variable, list[tuple[Value, frozenset[Leaf], frozenset[Leaf]]]]:
        """By parameter, each value with the worlds that choose it, and those that may have it."""
        variables = dict.fromkeys(variable for leaf in self.leaves for variable in leaf.world)
        return {
            variable: [(value, *self._having(variable, value)) for value in variable.values]
            for variable in variables
        }

    def _having(self, variable: Variable, value: Value) -> tuple[frozenset[Leaf], frozenset[Leaf]]:
        chosen = frozenset(x for x in self.leaves if x.world.get(variable) == value)
        return chosen, chosen.union(x for x in self.leaves if variable not in x.world)


def _simple(choices: _Choices, holding: list[Leaf], finding: Finding) -> _Way | None:
    """Always, or by one choice alone; None when several choices come together."""
    held = frozenset(holding)
    if len(held) == len(choices.leaves):
        return _Way("", held)
    ways = [*_by_conditions(choices, held, finding), *_by_parameters(choices, holding, finding)]
    # One that explains every world in which the finding holds goes before one that does not.
    return max(ways, key=lambda way: len(way.leaves) == len(held), default=None)


def _by_conditions(choices: _Choices, held: frozenset[Leaf], finding: Finding) -> Iterator[_Way]:
    """Conditions of which one outcome makes the finding hold."""
    for number, name, outcome, may_be in choices.outcomes:
        if may_be <= held:
            verb = "holds" if outcome else "does not hold"
            where = _where(number, finding, choices.leaves[0].stack_set)
            yield _Way(f"when {name}{where} {verb}", may_be)


def _by_parameters(choices: _Choices, holding: list[Leaf], finding: Finding) -> Iterator[_Way]:
    """Values of a parameter each of which makes the finding hold."""
    held, stack_set = frozenset(holding), choices.leaves[0].stack_set
    for variable in dict.fromkeys(v for leaf in holding for v in leaf.world):
        sure = [
            (value, chosen)
            for value, chosen, may_have in choices.values[variable]
            if may_have <= held and chosen
        ]
        if sure:
            made = frozenset(leaf for _, chosen in sure for leaf in chosen)
            words = _chosen(variable, [value for value, _ in sure], finding, stack_set)
            yield _Way(f"when {words}", made)


def _combination(leaves: Sequence[Leaf], holding: list[Leaf], finding: Finding) -> Circumstance:
    """The fewest choices of one world that together imply the finding."""
    world: World = dict(holding[0].world)
    for variable in tuple(world):
        rest = {other: value for other, value in world.items() if other is not variable}
        if all(leaf in holding for leaf in leaves if _agrees(leaf, rest)):
            world = rest
    free = [v for v, value in world.items() if not (v.has_default and value == v.values[0])]
    stack_set = leaves[0].stack_set
    parts = [_chosen(v, [value], finding, stack_set) for v, value in world.items()]
    worst = Severity.WARNING if len(free) <= 1 else Severity.INFO
    return Circumstance(f"when {' and '.join(parts)}", worst)


def _agrees(leaf: Leaf, world: World) -> bool:
    return all(leaf.world.get(variable, value) == value for variable, value in world.items())


def _chosen(
    variable: Variable, values: Sequence[Value], finding: Finding, stack_set: StackSet
) -> str:
    """A choice in words, such as `InstanceType is trn1.2xlarge`."""
    name = f"{variable.name}{_where(variable.template, finding, stack_set)}"
    if not variable.is_parameter:
        return f"{name} {'holds' if values[0] is True else 'does not hold'}"
    texts = ["empty" if value == "" else str(value) for value in values if value is not OTHER]
    if OTHER not in values:
        more = f" or {len(texts) - MOST} others" if len(texts) > MOST else ""
        return f"{name} is {' or '.join(texts[:MOST])}{more}"
    others = [value for value in variable.values if value is not OTHER and value not in values]
    if not others:
        return f"{name} is any other"
    named = ["empty" if value == "" else str(value) for value in others[:MOST]]
    return f"{name} is not {' or '.join(named)}"


def _where(number: int, finding: Finding, stack_set: StackSet) -> str:
    """The stack whose parameter it is, when that is not the one with the finding."""
    if number < 0 or stack_set.templates[number].path == finding.file:
        return ""
    return f" of {stack_set.templates[number].name}"
