"""Reads nccom-test's report: the bus bandwidth at the largest size, and over how many ranks.

The report says GB/s, which was 2**30 bytes in older versions and is 10**9 in newer ones (compare
size and time in the examples of AWS's guide). So the bandwidth is worked out from size and time,
and what the report says is used only where it has no time.

Sources:
    https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/nccom-test.html
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

_SIZE, _ALGORITHM, _BUS = "size(B)", "algbw(GB/s)", "busbw(GB/s)"
_TIMES = ("time:avg(us)", "time(us)", "time:p50(us)")
_NUMBERS = (_BUS, _ALGORITHM, *_TIMES)
_BITS = 8
_EXACT = 1e-9
_SHORTEST_MICROSECONDS = 1e-3
# 2**30 / 10**9 is 1.074; more than that apart, the numbers of a row contradict each other.
_UNIT_SLACK = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One row of a report.

    Attributes:
        size_bytes: Size of the operation.
        bus_gbps: Bus bandwidth in Gbit/s (10**9 bits).
        ranks: Ranks that took part, as the report's two bandwidths tell; None: they do not tell.
        contradicts: Whether time and bandwidths of the row cannot all be right.
    """

    size_bytes: int
    bus_gbps: float
    ranks: int | None
    contradicts: bool = False


def largest(report: Any, planned_ranks: int | None) -> Measured | None:
    """The row of the largest size; None when the report has no usable row.

    Args:
        report: nccom-test's report, as JSON values.
        planned_ranks: Ranks that were asked for; None when nobody knows.
    """
    rows = cast("Any", report).get("results") if isinstance(report, dict) else None
    # A size of part of a byte is none.
    usable = [row for row in rows or () if isinstance(row, dict) and _size(row) >= 1]
    if not usable:
        return None
    return _measured(max(usable, key=_size), planned_ranks)


def _size(row: dict[str, Any]) -> float:
    return _number(row, _SIZE) or 0


def _measured(row: dict[str, Any], planned_ranks: int | None) -> Measured | None:
    size = int(row[_SIZE])
    told = _number(row, _BUS)
    time = next((value for key in _TIMES if (value := _number(row, key))), None)
    ranks = _ranks(row, planned_ranks)
    # Infinity, zero or a word where a number belongs: what stands beside it is not believed either.
    odd = any(row.get(key) is not None and _number(row, key) is None for key in _NUMBERS)
    if time and ranks and time > _SHORTEST_MICROSECONDS:
        worked_out = _factor(ranks) * size / (time * 1e-6) / 1e9
        off = told is not None and not 1 / _UNIT_SLACK <= told / worked_out <= _UNIT_SLACK
        return Measured(
            size_bytes=size,
            bus_gbps=round(worked_out * _BITS, 1),
            ranks=_ranks(row, None),
            contradicts=off or odd,
        )
    if told is None:
        return None
    return Measured(
        size_bytes=size,
        bus_gbps=round(told * _BITS, 1),
        ranks=_ranks(row, None),
        contradicts=odd or (time is not None and time <= _SHORTEST_MICROSECONDS),
    )


def _ranks(row: dict[str, Any], otherwise: int | None) -> int | None:
    """An all-reduce over r ranks has a bus bandwidth of 2(r-1)/r times the algorithm's."""
    bus, algorithm = _number(row, _BUS), _number(row, _ALGORITHM)
    if bus is None or algorithm is None or not 1 - _EXACT <= bus / algorithm < 2:
        return otherwise
    ratio = bus / algorithm
    ranks = round(2 / (2 - ratio))
    # Numbers that were rounded for people do not tell; those of the report are exact.
    return ranks if math.isclose(_factor(ranks), ratio, abs_tol=_EXACT) else otherwise


def _factor(ranks: int) -> float:
    return 2 * (ranks - 1) / ranks


def _number(row: dict[str, Any], key: str) -> float | None:
    """A finite number above zero."""
    number = finite(row.get(key))
    return number if number is not None and number > 0 else None


def finite(value: Any) -> float | None:
    """A value as a number; None when it is none, or one that no calculation stands.

    Args:
        value: A JSON value.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # JSON has whole numbers of any length
        return None
    return number if math.isfinite(number) else None
