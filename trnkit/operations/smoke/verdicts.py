"""The verdict on all results of a test together: pass, fail or unknown, with the reasons in words.

One thing that failed makes it fail; where nothing failed, one thing that nobody knows makes it
unknown. A test that says nothing is not passed.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.catalog import find_bandwidth_floor
from trnkit.errors import UsageError
from trnkit.operations.smoke.measurements import largest
from trnkit.operations.smoke.part_judgement import (
    CONTRADICTION,
    MOST_GBPS,
    Bandwidth,
    Floor,
    Reason,
    absurd,
    floor_for,
    judge_result,
    speed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.operations.smoke.part_judgement import Status
    from trnkit.operations.smoke.results import ReadResults, RunPlan, SmokeResult

_ORDER = ("fail", "unknown", "left out", "pass")
OUTLIER_FRACTION = 0.8
"""A node below this part of its peers' median holds all of them up. An assumption of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """Floors that the user gave, in Gbit/s; None: the catalogue's.

    Attributes:
        last: Of the run across nodes; of the node where there is none.
        node: Within a node.
    """

    last: float | None = None
    node: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the results say.

    Attributes:
        status: pass, fail or unknown.
        plan: What was tested; None when there is no result of `trn-smoke`.
        hosts: Nodes that gave a result.
        reasons: Everything that was found, failures first.
        bandwidths: What was measured.
    """

    status: Status
    plan: RunPlan | None
    hosts: tuple[str, ...]
    reasons: tuple[Reason, ...]
    bandwidths: tuple[Bandwidth, ...]


def judge(read: ReadResults, floors: Floors) -> Verdict:
    """Judge results.

    Args:
        read: What was read.
        floors: Floors that the user gave.

    Raises:
        UsageError: The results are of several node groups, or a floor is no number.
    """
    for given in (floors.last, floors.node):
        if given is not None and not math.isfinite(given):
            raise UsageError(f"{given} is no floor: give a number of Gbit/s")
    plan = _one_plan(read.results)
    reasons = [
        Reason(status="unknown", subject=file, text=why) for file, why in read.problems.items()
    ]
    bandwidths: list[Bandwidth] = []
    for result in read.results:
        found, bandwidth = judge_result(result, _floor_of(result, floors))
        reasons += found
        bandwidths += [bandwidth] if bandwidth else []
    for file, report in read.reports.items():
        reasons.append(_judge_report(file, report, floors))
    hosts = tuple(result.host for result in read.results if result.scope == "node")
    if plan is not None:
        reasons += _absent(plan, hosts, read.results)
    reasons += _outliers(bandwidths)
    reasons.sort(key=lambda reason: _ORDER.index(reason.status))
    return Verdict(
        status=_decided(reasons),
        plan=plan,
        hosts=hosts,
        reasons=tuple(reasons),
        bandwidths=tuple(bandwidths),
    )


def _decided(reasons: Iterable[Reason]) -> Status:
    """The worst; what was left out decides nothing, and nothing is unknown."""
    found = {reason.status for reason in reasons}
    if "fail" in found:
        return "fail"
    return "pass" if "pass" in found and "unknown" not in found else "unknown"


def _one_plan(results: Sequence[SmokeResult]) -> RunPlan | None:
    plans = {(r.plan.cluster, r.plan.node_group, r.plan.nodes): r.plan for r in results}
    if len(plans) > 1:
        shown = " and ".join(
            f"{nodes} of {cluster}/{group}" for cluster, group, nodes in list(plans)[:3]
        )
        raise UsageError(f"the results are of several tests ({shown}): name those of one")
    return next(iter(plans.values()), None)


def _floor_of(result: SmokeResult, floors: Floors) -> Floor:
    known = find_bandwidth_floor(result.plan.instance_type, result.scope)
    if result.scope == "fabric":
        return floor_for(result, known, floors.last)
    alone = not result.plan.across_nodes
    return floor_for(result, known, floors.node or (floors.last if alone else None))


def _judge_report(file: str, report: Any, floors: Floors) -> Reason:
    """nccom-test's own report, which does not say where it ran."""
    row = largest(report, None)
    if row is None:
        return Reason(status="unknown", subject=file, text="the report holds no bandwidth")
    if not row.bus_gbps <= MOST_GBPS:
        return Reason(status="unknown", subject=file, text=absurd(row.bus_gbps, MOST_GBPS))
    if row.contradicts:
        return Reason(status="unknown", subject=file, text=CONTRADICTION)
    given = floors.last or floors.node
    measured = f"all-reduce: {speed(row.bus_gbps)}"
    if given is None:
        text = f"{measured}; the report does not say of which nodes: give --floor-gbps"
        return Reason(status="unknown", subject=file, text=text)
    reached = row.bus_gbps >= given
    text = f"{measured} {'reaches' if reached else 'is below'} the floor of {speed(given)}"
    return Reason(status="pass" if reached else "fail", subject=file, text=text)


def _absent(
    plan: RunPlan, hosts: Sequence[str], results: Iterable[SmokeResult]
) -> Iterable[Reason]:
    """Nodes, and the run across them, of which there is no result."""
    subject = f"node group {plan.node_group}"
    if len(hosts) < plan.nodes:
        there = f": {', '.join(hosts[:3])}{' and more' if len(hosts) > 3 else ''}" if hosts else ""
        text = f"{len(hosts)} of {plan.nodes} nodes gave a result of their own{there}"
        yield Reason(status="fail", subject=subject, text=text)
    if plan.across_nodes and not any(result.scope == "fabric" for result in results):
        text = "there is no result of the run across nodes"
        yield Reason(status="unknown", subject=subject, text=text)


def _outliers(bandwidths: Iterable[Bandwidth]) -> Iterable[Reason]:
    """Nodes that are slower than their peers, whatever the floor is."""
    nodes = [found for found in bandwidths if found.scope == "node"]
    if len({(found.size_bytes, found.ranks) for found in nodes}) != 1:
        return
    for number, found in enumerate(nodes):
        peers = [other.bus_gbps for other in nodes[:number] + nodes[number + 1 :]]
        if not peers:
            return
        median = statistics.median(peers)
        if found.bus_gbps < OUTLIER_FRACTION * median:
            part = 100 * found.bus_gbps / median
            text = (
                f"is an outlier: {speed(found.bus_gbps)}, {part:.0f} % of the median of the other "
                f"{len(peers)}, {speed(median)}"
            )
            yield Reason(status="fail", subject=found.subject, text=text)
