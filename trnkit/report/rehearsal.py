"""A rehearsal for a person: what was proved, how far, and what nobody can prove here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.report.words import columns, count_of, printable

if TYPE_CHECKING:
    from trnkit.report.rehearsal_results import Fact, Rehearsal, TypeProof

_INDENT = "  "
_MARKS = {True: "ok  ", False: "FAIL"}
_SHOWN = 12


def fact_lines(fact: Fact) -> list[str]:
    """A fact, its mark before it, its details below it where they say what went wrong."""
    lines = [f"{_INDENT}{_MARKS[fact.holds]}  {printable(fact.text)}"]
    shown = fact.details[:_SHOWN]
    lines += [f"{_INDENT}      {printable(detail)}" for detail in shown]
    if len(fact.details) > _SHOWN:
        lines.append(f"{_INDENT}      and {len(fact.details) - _SHOWN} more")
    return lines


def summary_of(rehearsal: Rehearsal, not_provable: tuple[str, ...]) -> str:
    """What stands at the end of the report.

    Args:
        rehearsal: What was found.
        not_provable: What only a real account can tell.
    """
    service = [proof for proof in rehearsal.types if proof.by == "service state"]
    schema = [proof for proof in rehearsal.types if proof.by != "service state"]
    lines = ["", f"proved by the state of services ({count_of(len(service), 'resource type')})"]
    lines.append(columns([_row(proof) for proof in service], indent=_INDENT) if service else "")
    if schema:
        lines += ["", "checked against the registry's schema only"]
        lines += [f"{_INDENT}{proof.type} x{proof.resources}" for proof in schema]
    if rehearsal.assumed:
        lines += ["", "taken to exist in your account, and made here first"]
        lines += [f"{_INDENT}{printable(line)}" for line in rehearsal.assumed]
    lines += ["", "what no emulator can tell"]
    lines += [f"{_INDENT}{line}" for line in not_provable]
    failed = sum(not fact.holds for step in rehearsal.steps for fact in step.facts)
    seconds = sum(step.seconds for step in rehearsal.steps)
    memory = f", {rehearsal.memory_mib} MiB" if rehearsal.memory_mib else ""
    verdict = (
        f"{rehearsal.cluster}: every step came out as it must"
        if rehearsal.succeeded
        else f"{rehearsal.cluster}: {count_of(failed, 'thing')} did not come out as wanted"
    )
    return "\n".join([*lines, "", f"{verdict} ({seconds:.0f} s{memory})"])


def _row(proof: TypeProof) -> tuple[str, str]:
    told = (
        f"{count_of(proof.resources, 'resource')}, {count_of(proof.properties, 'property')} equal"
    )
    if proof.not_told:
        told += f"; not told by the service: {', '.join(proof.not_told)}"
    return proof.type.removeprefix("AWS::"), told


def as_json(rehearsal: Rehearsal, not_provable: tuple[str, ...]) -> dict[str, Any]:
    """The same as one object, for programs."""
    return {
        "file": rehearsal.file,
        "cluster": rehearsal.cluster,
        "succeeded": rehearsal.succeeded,
        "account": rehearsal.account,
        "regions": list(rehearsal.regions),
        "start_seconds": round(rehearsal.start_seconds, 2),
        "memory_mib": rehearsal.memory_mib,
        "steps": [
            {
                "name": step.name,
                "succeeded": step.succeeded,
                "seconds": round(step.seconds, 2),
                "facts": [
                    {"holds": fact.holds, "text": fact.text, "details": list(fact.details)}
                    for fact in step.facts
                ],
            }
            for step in rehearsal.steps
        ],
        "resource_types": [
            {
                "type": proof.type,
                "resources": proof.resources,
                "proved_by": proof.by,
                "properties_equal": proof.properties,
                "properties_not_told": list(proof.not_told),
            }
            for proof in rehearsal.types
        ],
        "assumed": list(rehearsal.assumed),
        "not_provable": list(not_provable),
    }
