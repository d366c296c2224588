"""What the toolkit's own template rules say of the mutants, which the emulated AWS refuses."""

from __future__ import annotations

import copy
import functools
import json
from typing import TYPE_CHECKING, Any

from tests.rehearsal.mutants import MUTANTS
from tests.synthesis import ROOT
from trnkit.rules.engine import check_templates
from trnkit.rules.stack_set import StackSet, Template

if TYPE_CHECKING:
    from tests.rehearsal.mutant import Mutant

GOLDEN = ROOT / "tests" / "golden" / "templates"


def rules_against(mutant: Mutant) -> tuple[str, ...]:
    """Ids of the template rules that find a mutant and not the good template."""
    bodies = _bodies(mutant.example)
    mutated = copy.deepcopy(bodies[mutant.stack])
    mutant.change(mutated)
    return tuple(sorted(_found({**bodies, mutant.stack: mutated}) - _found_in_good(mutant.example)))


@functools.cache
def opinions() -> dict[str, tuple[str, ...]]:
    """By mutant, the rules that find it."""
    return {mutant.id: rules_against(mutant) for mutant in MUTANTS}


@functools.cache
def _bodies(example: str) -> dict[str, Any]:
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((GOLDEN / example).glob("*.json"))
    }


@functools.cache
def _found_in_good(example: str) -> frozenset[str]:
    return _found(_bodies(example))


def _found(bodies: dict[str, Any]) -> frozenset[str]:
    templates = [Template(name=name, path=name, body=body) for name, body in bodies.items()]
    return frozenset(finding.rule_id for finding in check_templates(StackSet(templates)))
