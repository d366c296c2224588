"""Judges the parts of one result: what ran, was it right, and how fast."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from trnkit.config.yaml_reader import clipped
from trnkit.operations.smoke.measurements import finite, largest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.catalog import BandwidthFloor
    from trnkit.operations.smoke.results import Part, SmokeResult

Status = Literal["pass", "fail", "unknown"]
Word = Literal["pass", "fail", "unknown", "left out"]

_WRONG = re.compile(r"mismatch|incorrect|golden|wrong (?:value|result)|check(?:ing)? failed", re.I)
_MIB = 1024**2
_VALUE_SHOWN = 40
CONTRADICTION = "time and bandwidths of the report cannot all be right"
_GIVEN = "given on the command line"
MOST_GBPS = 1e6
"""More than this nothing moves, whatever its type. An assumption of ours."""
_MOST_TIMES_REFERENCE = 10
"""More than this times the public number of its type was not measured. An assumption of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing that was found.

    Attributes:
        status: What it means for the verdict; what was left out decides nothing.
        subject: What it is about: a node, or all together.
        text: What, in words.
    """

    status: Word
    subject: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bandwidth:
    """A bus bandwidth that was measured.

    Attributes:
        subject: A node, or all together.
        scope: `node` or `fabric`.
        size_bytes: Size of the all-reduce.
        ranks: Ranks that were asked for.
        bus_gbps: Bus bandwidth in Gbit/s.
        floor_gbps: What it should reach; None when unknown.
    """

    subject: str
    scope: Literal["node", "fabric"]
    size_bytes: int
    ranks: int
    bus_gbps: float
    floor_gbps: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """What a bandwidth is compared with.

    Attributes:
        gbps: In Gbit/s; None when unknown.
        why: Where it is from, in words.
        interface_gbps: What one EFA interface gives; None within a node, and when unknown.
        is_given: Whether the user gave it.
        ceiling_gbps: More than this no machine of the type moves, so it was not measured.
    """

    gbps: float | None
    why: str
    interface_gbps: float | None = None
    is_given: bool = False
    ceiling_gbps: float = MOST_GBPS


def floor_for(result: SmokeResult, found: BandwidthFloor | None, given: float | None) -> Floor:
    """What a result is compared with.

    Args:
        result: The result.
        found: The catalogue's floor of its type and scope.
        given: What the user gave instead, in Gbit/s.
    """
    fabric = result.scope == "fabric"
    if found is None:
        if given is None:
            return Floor(gbps=None, why="")
        return Floor(gbps=given, why=_GIVEN, is_given=True)
    count = max(result.plan.efa_interfaces, 1) if fabric else 1
    interface = found.reference_gbps if fabric and count > 1 else None
    ceiling = _MOST_TIMES_REFERENCE * found.reference_gbps * count
    if given is not None:
        return Floor(
            gbps=given,
            why=_GIVEN,
            interface_gbps=interface,
            is_given=True,
            ceiling_gbps=ceiling,
        )
    times = f" x {count}" if fabric else ""
    why = f"{found.fraction:g} of {found.reference}{times}; the fraction is an assumption of trnkit"
    return Floor(gbps=found.gbps(count), why=why, interface_gbps=interface, ceiling_gbps=ceiling)


def judge_result(result: SmokeResult, floor: Floor) -> tuple[list[Reason], Bandwidth | None]:
    """Judge the parts of one result.

    Args:
        result: The result.
        floor: What its bandwidth is compared with.
    """
    subject = subject_of(result)
    reasons: list[Reason] = []
    bandwidth = None
    expected = result.plan.parts_of(result.scope)
    missing = [name for name in expected if name not in result.parts]
    for name, part in result.parts.items():
        how = _how_it_ended(name, part)
        if how is not None:
            reasons.append(Reason(status=how[0], subject=subject, text=how[1]))
        elif name == "sweep":
            found, bandwidth = _judge_sweep(result, part, floor)
            reasons += found
        elif name == "step":
            reasons.append(_judge_step(subject, part, result.plan.step.steps))
        else:
            more = f"; {part.message}" if part.message else ""
            text = f"{_called(name)} passed{more}"
            reasons.append(Reason(status="pass", subject=subject, text=text))
    reasons += [
        Reason(status="unknown", subject=subject, text=f"{_called(name)} did not run")
        for name in missing
    ]
    return [*reasons, *_contradiction(result, subject, reasons)], bandwidth


def _contradiction(
    result: SmokeResult, subject: str, reasons: Sequence[Reason]
) -> Iterator[Reason]:
    """What the result says of itself, where its parts do not explain it."""
    if result.status == "passed":
        return
    failed = result.status in ("failed", "hung")
    explaining = ("fail",) if failed else ("fail", "unknown")
    if not any(reason.status in explaining for reason in reasons):
        text = f"the result says {clipped(result.status)}, and none of its parts says why"
        yield Reason(status="fail" if failed else "unknown", subject=subject, text=text)


def subject_of(result: SmokeResult) -> str:
    """A node by its name, or all of them together."""
    return f"node {result.host}" if result.scope == "node" else f"across {result.plan.nodes} nodes"


def speed(gbps: float) -> str:
    """A bandwidth in words, in both units that people use."""
    return f"{gbps:.6g} Gbit/s ({gbps / 8:.4g} GB/s)"


def _how_it_ended(name: str, part: Part) -> tuple[Word, str] | None:
    """Why a part says nothing about the node but this; None when it ran through."""
    called = _called(name)
    said = part.message or "; ".join(part.output_tail[-3:])
    if part.status == "passed":
        return None
    if part.status == "skipped" and name == "check":
        return "left out", f"the node check did not run: {said}"
    if part.status == "skipped":
        return "unknown", f"{called} did not run: {said}"
    if part.status in ("hung", "interrupted", "running"):
        alive = f"; still alive: {', '.join(part.alive[:3])}" if part.alive else ""
        last = f"; its last line: {part.output_tail[-1]}" if part.output_tail else ""
        how = {
            "hung": f"hung: it did not end within {part.seconds:.0f} seconds",
            "interrupted": f"was stopped from outside after {part.seconds:.0f} seconds",
            "running": "was running when the result was written, so it ended with its node or job",
        }[part.status]
        status: Status = "unknown" if part.status == "interrupted" else "fail"
        return status, f"{called} {how}{alive}{last}"
    if name == "sweep" and _WRONG.search(said):
        return "fail", f"the sweep found a wrong result: {said}"
    return "fail", f"{called} failed: {said or 'it says nothing'}"


def _judge_sweep(
    result: SmokeResult, part: Part, floor: Floor
) -> tuple[list[Reason], Bandwidth | None]:
    subject = subject_of(result)
    plan = result.plan
    nodes = plan.nodes if result.scope == "fabric" else 1
    planned = nodes * plan.ranks_per_node
    row = largest(part.report, planned)
    if row is None:
        text = "the sweep passed, but its report holds no bandwidth"
        return [Reason(status="unknown", subject=subject, text=text)], None
    if not row.bus_gbps <= floor.ceiling_gbps:
        text = absurd(row.bus_gbps, floor.ceiling_gbps)
        return [Reason(status="unknown", subject=subject, text=text)], None
    found: list[tuple[Status, str]] = []
    if row.ranks is not None and row.ranks != planned:
        found.append(("fail", f"the sweep ran over {row.ranks} ranks, not {planned}"))
    if row.contradicts:
        found.append(("unknown", CONTRADICTION))
    if row.size_bytes < plan.sweep.maximum_bytes:
        text = (
            f"the report ends at {row.size_bytes // _MIB} MiB, not at "
            f"{plan.sweep.maximum_bytes // _MIB} MiB, so its bandwidth is not compared"
        )
        found.append(("unknown", text))
    else:
        found += _compare(row.bus_gbps, floor)
    bandwidth = Bandwidth(
        subject=subject,
        scope=result.scope,
        size_bytes=row.size_bytes,
        ranks=planned,
        bus_gbps=row.bus_gbps,
        floor_gbps=floor.gbps,
    )
    return [Reason(status=word, subject=subject, text=text) for word, text in found], bandwidth


def _compare(gbps: float, floor: Floor) -> Iterator[tuple[Status, str]]:
    """The bandwidth against the floor, and against a single EFA interface."""
    if floor.gbps is None:
        text = f"all-reduce: {speed(gbps)}; no floor is known: give one with --floor-gbps"
        yield "unknown", text
    else:
        reached = gbps >= floor.gbps
        word = "reaches" if reached else "is below"
        text = f"all-reduce: {speed(gbps)} {word} the floor of {speed(floor.gbps)}, {floor.why}"
        yield "pass" if reached else "fail", text
    if floor.interface_gbps is not None and gbps < floor.interface_gbps:
        yield (
            "unknown" if floor.is_given else "fail",
            f"that is less than one EFA interface gives ({floor.interface_gbps:g} Gbit/s), which "
            "looks like TCP in place of EFA: see `fi_info -p efa` and the rules of the security "
            "group",
        )


def _judge_step(subject: str, part: Part, steps: int) -> Reason:
    report = part.report if isinstance(part.report, dict) else {}
    losses = report.get("losses")
    if not isinstance(losses, list) or len(losses) < 2:
        text = "the training step passed, but its report holds no losses"
        return Reason(status="unknown", subject=subject, text=text)
    if len(losses) != steps:
        text = f"the training step reports {len(losses)} losses, and the plan has {steps} steps"
        return Reason(status="fail", subject=subject, text=text)
    numbers = [finite(loss) for loss in losses]
    first, last = numbers[0], numbers[-1]
    if None in numbers or first is None or last is None or last >= first:
        shown = f"{_shown(losses[0])} at first, {_shown(losses[-1])} at the end"
        text = f"the loss of the training step did not fall: {shown}"
        return Reason(status="fail", subject=subject, text=text)
    text = f"training step: the loss fell from {first:.4g} to {last:.4g} in {len(losses)} steps"
    return Reason(status="pass", subject=subject, text=text)


def absurd(gbps: float, most: float) -> str:
    """Why a bandwidth is not believed, in words.

    Args:
        gbps: What the report says, in Gbit/s.
        most: The most that is believed.
    """
    return (
        f"the report leads to {gbps:.3g} Gbit/s, which is more than {most:g} Gbit/s and so was "
        "not measured; it is not compared"
    )


def _shown(value: Any) -> str:
    """A value of a report, as far as a line has room for it."""
    number = finite(value)
    return clipped(str(value), _VALUE_SHOWN) if number is None else f"{number:.6g}"


def _called(name: str) -> str:
    return {"check": "the node check", "sweep": "the sweep", "step": "the training step"}.get(
        name, f"part {name}"
    )
