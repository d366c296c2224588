"""The same work elsewhere, for a program: plain JSON values. Amounts are US dollars."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.layout.cost.alternatives import Need, OwnRate, Way, WorkComparison
    from trnkit.layout.cost.claims import ClaimCheck
    from trnkit.layout.cost.lines import Money


def alternatives_json(
    comparison: WorkComparison, claims: Sequence[ClaimCheck] = ()
) -> dict[str, Any]:
    """A comparison as plain JSON values.

    Args:
        comparison: The comparison.
        claims: Public claims beside our figures.
    """
    work = comparison.own.work
    return {
        "region": comparison.region,
        "utilisation": {
            "default": comparison.utilisation.default,
            "told": dict(comparison.utilisation.told),
            "is_assumption": True,
        },
        "work": {
            "groups": [asdict(group) for group in work.counted],
            "left_out": [asdict(group) for group in work.left_out],
            "accelerators": work.accelerators,
            "peak_tflops": work.peak_tflops,
            "effective_tflops": work.effective_tflops,
            "memory_gib": work.memory_gib,
        },
        "own": _own(comparison.own),
        "ways": [_way(way, comparison.own) for way in comparison.ways],
        "not_sold": [
            {"instance_type": kind, "purchase": purchase} for kind, purchase in comparison.not_sold
        ],
        "spot_not_told": list(comparison.spot_not_told),
        "claims": [asdict(check) for check in claims],
    }


def _own(own: OwnRate) -> dict[str, Any]:
    return {
        "usd_per_hour": _money(own.nodes),
        "usd_per_accelerator_hour": _money(own.accelerator_hour),
        "usd_per_peak_tflop_hour": _money(own.peak_tflop_hour),
        "usd_per_effective_tflop_hour": _money(own.effective_tflop_hour),
    }


def _way(way: Way, own: OwnRate) -> dict[str, Any]:
    machine = way.machine
    times = own.times(way.compute_hour)
    return {
        "instance_type": machine.instance_type,
        "purchase": way.purchase,
        "accelerator": machine.accelerator,
        "accelerators": machine.accelerators,
        "bf16_tflops_per_accelerator": machine.bf16_tflops,
        "memory_gib_per_accelerator": machine.memory_gib,
        "network_gbps_per_accelerator": machine.network_per_accelerator_gbps,
        "offered": machine.offered,
        "sold_in_region": way.is_sold_here,
        "utilisation": way.utilisation,
        "price": way.price and asdict(way.price),
        "usd_per_accelerator_hour": _money(way.accelerator_hour),
        "usd_per_peak_tflop_hour": _money(way.peak_tflop_hour),
        "usd_per_effective_tflop_hour": _money(way.effective_tflop_hour),
        "same_compute": {**_need(way.for_compute), "usd_per_hour": _money(way.compute_hour)},
        "same_memory": {**_need(way.for_memory), "usd_per_hour": _money(way.memory_hour)},
        "times_the_cluster": times and _money(times),
        "disputed": list(machine.disputed),
        "source": list(machine.source),
        "date": machine.date,
    }


def _need(need: Need | None) -> dict[str, Any]:
    if need is None:
        return {"instances": None, "exact": None}
    return {"instances": need.instances, "exact": need.exact}


def _money(amount: Money) -> dict[str, float | None]:
    return {"low": amount.low, "high": amount.high}
