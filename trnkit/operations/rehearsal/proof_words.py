"""What a proof found, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.emulation.resources.resource import Proof
from trnkit.report.rehearsal_results import TypeProof

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.rehearsal.proof import Outcome, ProofOfStacks, ResourceProof

_SHOWN = 120


def complaints(proof: ProofOfStacks) -> tuple[str, ...]:
    """What is not as its template says, a line for each."""
    return tuple(_complaints(proof))


def _complaints(proof: ProofOfStacks) -> Iterator[str]:
    for stack in proof.fallen:
        yield f"{stack.name} ({stack.region}) is in {stack.status}"
    if not proof.resources:
        yield "no stack has any resource"
    for resource in proof.failures:
        yield _complaint(resource)


def _complaint(resource: ResourceProof) -> str:
    where = f"{resource.stack}/{resource.logical_id} ({resource.type_name})"
    parts = [
        f"{one.path}: {_short(one.expected)} in the template, {_short(one.found)} in the service"
        for one in resource.differences
    ]
    parts += [f"{place} refers to nothing" for place in resource.unresolved]
    parts += [resource.reason] if resource.reason else []
    return f"{where} {resource.outcome.value}: {'; '.join(parts)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def type_proofs(proof: ProofOfStacks, proved: Outcome) -> tuple[TypeProof, ...]:
    """How far each resource type was proved.

    Args:
        proof: The proof.
        proved: The outcome that stands for a service's answer.
    """
    counts = proof.by_type()
    found: list[TypeProof] = []
    for name, count in counts.items():
        of_type = [resource for resource in proof.resources if resource.type_name == name]
        told = {part for resource in of_type for part in resource.not_told}
        by_service = any(resource.outcome is proved for resource in of_type)
        found.append(
            TypeProof(
                type=name,
                resources=count.resources,
                properties=count.equal,
                not_told=tuple(sorted(told)) if by_service else (),
                by=(Proof.SERVICE if by_service else Proof.SCHEMA).value,
            )
        )
    return tuple(found)
