"""All mutants."""

from __future__ import annotations

from dataclasses import replace

from tests.rehearsal import (
    mutants_cost,
    mutants_guard,
    mutants_hooks,
    mutants_identity,
    mutants_network,
    mutants_nodes,
    mutants_storage,
    mutants_template,
)
from tests.rehearsal.mutant import CREATE, UPDATE, Mutant


def _in_turn(mutants: tuple[Mutant, ...]) -> tuple[Mutant, ...]:
    """Every other one by a creation, the others by an update.

    Of what is refused by the same code in both, which saves half of the time.
    """
    return tuple(
        mutant if len(mutant.by) == 1 else replace(mutant, by=(CREATE, UPDATE)[number % 2])
        for number, mutant in enumerate(mutants)
    )


BY_TOPIC: dict[str, tuple[Mutant, ...]] = {
    "Network": mutants_network.MUTANTS,
    "Nodes": _in_turn((*mutants_nodes.MUTANTS, *mutants_hooks.MUTANTS)),
    "Storage": mutants_storage.MUTANTS,
    "Cost": mutants_cost.MUTANTS,
    "Guard of spending": _in_turn(mutants_guard.MUTANTS),
    "Identity": mutants_identity.MUTANTS,
    "Templates as such": _in_turn(mutants_template.MUTANTS),
}

MUTANTS = tuple(mutant for mutants in BY_TOPIC.values() for mutant in mutants)
