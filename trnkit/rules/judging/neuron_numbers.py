"""How many Neuron devices and NeuronCores nodes have, against what pods ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, instance_type_names
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.wording import alternatives, count, from_catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.catalog import InstanceType


def judge_devices(number: int, nodes: Sequence[InstanceType]) -> tuple[Severity, Objection] | None:
    """Judge a number of Neuron devices.

    Args:
        number: How many one pod asks for.
        nodes: The types that it may run on; empty for any type.
    """
    where = nodes or _every_type()
    best = max(where, key=lambda kind: kind.chips or 0)
    if any(kind.chips is None for kind in where) or number <= (best.chips or 0):
        return None
    text = f"asks for {count(number, 'Neuron device')}; {_most(nodes, best, best.chips or 0)}"
    evidence = from_catalogue(best, count(best.chips or 0, "Neuron device"))
    return _severity(nodes), Objection(text, "ask for fewer, and start more pods", evidence)


def judge_cores(number: int, nodes: Sequence[InstanceType]) -> tuple[Severity, Objection] | None:
    """Judge a number of NeuronCores, of which trn2 has half as many unless it is told otherwise.

    Args:
        number: How many one pod asks for.
        nodes: The types that it may run on; empty for any type.
    """
    where = nodes or _every_type()
    physical = [_cores(kind, 1) for kind in where]
    logical = [_cores(kind, kind.default_logical_neuroncore_size) for kind in where]
    if None in physical or None in logical:
        return None
    most, usual = max(p or 0 for p in physical), max(c or 0 for c in logical)
    if number <= usual:
        return None
    best = where[[p or 0 for p in physical].index(most)]
    if number > most:
        text = f"asks for {count(number, 'NeuronCore')}; {_most(nodes, best, most)}"
        evidence = from_catalogue(best, count(most, "physical NeuronCore"))
        return _severity(nodes), Objection(text, "ask for fewer, and start more pods", evidence)
    if not nodes:
        return None
    size = best.default_logical_neuroncore_size
    text = (
        f"asks for {count(number, 'NeuronCore')}; {best.name} has {usual} unless its logical "
        f"NeuronCore size is 1 (the default is {size})"
    )
    hint = f"ask for at most {usual}, or set the size to 1 on the node"
    return Severity.WARNING, Objection(text, hint, from_catalogue(best, f"{usual} logical cores"))


def _severity(nodes: Sequence[InstanceType]) -> Severity:
    """Where the pod may run on any node, a type that the catalogue does not know may have more."""
    return Severity.ERROR if nodes else Severity.WARNING


def _cores(kind: InstanceType, size: int | None) -> int | None:
    if kind.chips is None or kind.neuron_cores_per_chip is None or size is None:
        return None
    return kind.chips * kind.neuron_cores_per_chip // size


def _most(nodes: Sequence[InstanceType], best: InstanceType, most: int) -> str:
    if not nodes:
        return f"no instance type of the catalogue has more than {most}"
    names = alternatives(list(dict.fromkeys(kind.name for kind in nodes)))
    return f"{names} has {most}" if len(nodes) == 1 else f"{best.name}, the largest, has {most}"


def _every_type() -> tuple[InstanceType, ...]:
    found = (find_instance_type(name) for name in instance_type_names())
    return tuple(kind for kind in found if kind is not None)
