"""Judges templates under what a deployment may choose: parameters, and with them conditions.

A rule is run with nothing chosen first. What it asks for meanwhile is noted (`Recorder`); if that
is nothing, what it finds is certain. Otherwise it is run once for each way to choose what it asked
for, each time in a world of its own, until it asks for nothing more. Rules share worlds.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.rules.reading.conditions import breaks_a_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trnkit.findings import Finding
    from trnkit.rules.reading.choices import Value, Variable
    from trnkit.rules.rule import TemplateRule
    from trnkit.rules.stack_set import StackSet

World = dict["Variable", "Value"]

_MOST_RUNS = 32
"""Of one rule. With more ways to choose, each is varied alone, then two together."""
_MOST_SETS = 96
_RESOURCES_IN_ALL = 10_000
"""What is judged again and again must not be large."""
_FEWEST = 4


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """What a rule finds in a world in which it asks for nothing that is not chosen.

    Attributes:
        world: What is chosen.
        stack_set: The templates in this world.
        findings: What the rule finds.
    """

    world: World
    stack_set: StackSet
    findings: tuple[Finding, ...]


class Worlds:
    """The worlds in which the templates of a set are judged."""

    def __init__(
        self, stack_set: StackSet, judge: Callable[[TemplateRule, StackSet], list[Finding]]
    ) -> None:
        """Begin with the world in which nothing is chosen."""
        self._root = stack_set
        self._judge = judge
        size = max(1, sum(len(template.resources) for template in stack_set.templates))
        affordable = max(_FEWEST, _RESOURCES_IN_ALL // size)
        self._most_runs = min(_MOST_RUNS, affordable)
        self._most_sets = min(_MOST_SETS, 2 * affordable)
        self._sets: dict[object, StackSet | None] = {}

    def leaves(self, rule: TemplateRule) -> tuple[Leaf, ...]:
        """What a rule finds in each world that matters to it; a single one when none does."""
        waiting: deque[World] = deque([{}])
        found: list[Leaf] = []
        runs = 0
        while waiting:
            world = waiting.popleft()
            stack_set = self._set(world, completes=runs >= self._most_runs)
            if stack_set is None:
                continue
            runs += 1
            with stack_set.recorder.recording() as consulted:
                findings = tuple(self._judge(rule, stack_set))
            if consulted:
                room = max(1, self._most_runs - runs - len(waiting))
                waiting += ({**world, **more} for more in ways_to_choose(consulted, room))
            else:
                found.append(Leaf(dict(stack_set.world), stack_set, findings))
        return tuple(found)

    def _set(self, world: World, *, completes: bool) -> StackSet | None:
        """The templates in a world; None when it cannot be, or is one too many."""
        if not world and not completes:
            return self._root
        if completes:
            every = (v for template in self._root.templates for v in template.variables.values())
            world = {variable: variable.values[0] for variable in every} | world
        key = frozenset(world.items())
        if key not in self._sets:
            if len(self._sets) >= self._most_sets:
                return None
            stack_set = self._root.in_world(world, completes=completes)
            refused = any(breaks_a_rule(template) for template in stack_set.templates)
            self._sets[key] = None if refused else stack_set
        return self._sets[key]


def ways_to_choose(variables: set[Variable], most: int) -> Iterator[World]:
    """Ways to choose values: all of them, or when these are too many, those near the defaults.

    Args:
        variables: What is chosen.
        most: How many ways to make at most.
    """
    ordered = sorted(variables, key=lambda variable: (variable.template, variable.name))
    ways = _all_ways(ordered)
    if math.prod(len(variable.values) for variable in ordered) > most:
        ways = _near_the_defaults(ordered)
    return itertools.islice(ways, most)


def _all_ways(variables: Sequence[Variable]) -> Iterator[World]:
    for values in itertools.product(*(variable.values for variable in variables)):
        yield dict(zip(variables, values, strict=True))


def _near_the_defaults(variables: Sequence[Variable]) -> Iterator[World]:
    """The first values of all; then one value other than the first, then two."""
    first = {variable: variable.values[0] for variable in variables}
    yield first
    for varied in (1, 2):
        for some in itertools.combinations(variables, varied):
            for values in itertools.product(*(variable.values[1:] for variable in some)):
                yield first | dict(zip(some, values, strict=True))
