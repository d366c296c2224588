"""Judges templates under what a deployment may choose: parameters, and with them conditions.

A rule is run with nothing chosen first. What it asks for meanwhile is noted (`Recorder`); if that
is nothing, what it finds is certain. Otherwise it is run once for each way to choose what it asked
for, each time in a world of its own, until it asks for nothing more. Rules share worlds.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from dataclasses import dataclass, replace
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
        """What a rule finds in each world that matters to it; a single one when none does.

        With more worlds than are affordable it is what the rule finds with nothing chosen: what
        holds in the worlds that were reached need not hold in the others.
        """
        waiting: deque[World] = deque([{}])
        found: list[Leaf] = []
        first: Leaf | None = None
        runs = 0
        while waiting:
            world, completes = waiting.popleft(), runs >= self._most_runs
            if completes:
                world = self._completed(world)
            if first is not None and not self._affords(world):
                return (self._certain(rule, first, found),)
            stack_set = self._set(world, completes=completes)
            if stack_set is None:
                continue
            runs += 1
            with stack_set.recorder.recording() as consulted:
                findings = tuple(self._judge(rule, stack_set))
            leaf = Leaf(dict(stack_set.world), stack_set, findings)
            first = first or leaf
            if consulted:
                room = max(1, self._most_runs - runs - len(waiting))
                waiting += ({**world, **more} for more in ways_to_choose(consulted, room))
            else:
                found.append(leaf)
        return tuple(found)

    def _certain(self, rule: TemplateRule, first: Leaf, others: Sequence[Leaf]) -> Leaf:
        """What is found with nothing chosen, less what other worlds belie, the likeliest too."""
        told = [set(leaf.findings) for leaf in others]
        likeliest = self._set(self._completed({}), completes=True)
        if likeliest is not None:
            told.append(set(self._judge(rule, likeliest)))
        kept = tuple(found for found in first.findings if all(found in there for there in told))
        return replace(first, findings=kept)

    def _completed(self, world: World) -> World:
        """A world in which the first value is chosen of all that was not."""
        every = (v for template in self._root.templates for v in template.variables.values())
        return {variable: variable.values[0] for variable in every} | world

    def _affords(self, world: World) -> bool:
        return frozenset(world.items()) in self._sets or len(self._sets) < self._most_sets

    def _set(self, world: World, *, completes: bool) -> StackSet | None:
        """The templates in a world; None when it cannot be."""
        if not world and not completes:
            return self._root
        key = frozenset(world.items())
        if key not in self._sets:
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
