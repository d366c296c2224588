"""The bandwidth in nccom-test's report, in the documented format and in broken ones."""

import json
from pathlib import Path

import pytest

from trnkit.operations.smoke.measurements import Measured, largest

DOCUMENTED = json.loads((Path(__file__).parent / "fixtures" / "documented_report.json").read_text())
GIB = 1024**3


def row(size=GIB, **changes):
    """One row of an all-reduce over 64 ranks at 312.5 GB/s, with exact numbers."""
    factor = 2 * 63 / 64
    values = {
        "size(B)": size,
        "count(elems)": size // 4,
        "type": "fp32",
        "algbw(GB/s)": 312.5 / factor,
        "busbw(GB/s)": 312.5,
        "time:avg(us)": factor * size / 312.5e3,
    }
    return {**values, **changes}


def test_the_documented_report_of_an_all_gather_is_no_all_reduce():
    found = largest(DOCUMENTED, 32)
    assert (found.size_bytes, found.ranks) == (524288, None)
    assert found.contradicts  # its bus bandwidth is half of what an all-reduce would have


def test_the_same_report_without_a_plan_is_taken_at_its_word():
    found = largest(DOCUMENTED, None)
    assert (found.bus_gbps, found.ranks, found.contradicts) == (175.8, None, False)


def test_the_largest_size_counts_wherever_it_stands():
    report = {"results": [row(), row(1024, **{"busbw(GB/s)": 1.0})]}
    assert largest(report, 64) == Measured(size_bytes=GIB, bus_gbps=2500.0, ranks=64)


def test_aws_example_of_two_instances_whose_unit_was_2_to_the_30():
    """1 GiB over 64 ranks in 41806 us; the table says 23.92 and 47.09 GB/s, meaning GiB."""
    old = {"size(B)": GIB, "algbw(GB/s)": 23.92, "busbw(GB/s)": 47.09, "time(us)": 41806}
    found = largest({"results": [old]}, 64)
    assert found.bus_gbps == 404.5
    assert (found.ranks, found.contradicts) == (None, False)


@pytest.mark.parametrize("ranks", [2, 4, 32, 64, 127, 128, 2048, 65536])
def test_how_many_ranks_took_part_shows_in_the_two_bandwidths(ranks):
    factor = 2 * (ranks - 1) / ranks
    report = {"results": [row(**{"algbw(GB/s)": 100 / 3, "busbw(GB/s)": factor * 100 / 3})]}
    assert largest(report, 64).ranks == ranks


def test_rounded_bandwidths_tell_no_ranks():
    report = {"results": [row(**{"algbw(GB/s)": 158.73, "busbw(GB/s)": 312.51})]}
    assert largest(report, 64).ranks is None


def test_time_and_bandwidth_that_cannot_both_be_right():
    assert largest({"results": [row(**{"busbw(GB/s)": 900.0})]}, 64).contradicts


@pytest.mark.parametrize(
    "report",
    [
        None,
        [],
        "text",
        {},
        {"results": None},
        {"results": []},
        {"results": ["x", 7, None]},
        {"results": [{"size(B)": "1024"}]},
        {"results": [{"size(B)": True, "busbw(GB/s)": 1.0}]},
        {"results": [{"size(B)": 1024}]},
        {"results": [{"size(B)": 1024, "busbw(GB/s)": float("nan")}]},
        {"results": [{"size(B)": 1024, "busbw(GB/s)": 0}]},
        {"results": [{"size(B)": float("inf"), "busbw(GB/s)": 1.0}]},
        {"results": [{"size(B)": 10**400, "busbw(GB/s)": 1.0}]},
        {"results": [{"size(B)": 1024, "time:avg(us)": 5e-324}]},
    ],
)
def test_what_holds_no_bandwidth(report):
    assert largest(report, 64) is None


@pytest.mark.parametrize("size", [1e-300, 0.5, 0, -1, "8", None, 10**400])
def test_what_is_no_size_is_no_row(size):
    assert largest({"results": [row(**{"size(B)": size})]}, 64) is None


@pytest.mark.parametrize("key", ["busbw(GB/s)", "algbw(GB/s)", "time:avg(us)"])
@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0, -1, "400", True, 10**400])
def test_a_row_with_a_number_that_is_none_cannot_be_right(key, value):
    assert largest({"results": [row(**{key: value})]}, 64).contradicts


def test_a_time_that_no_all_reduce_takes_cannot_be_right():
    assert largest({"results": [row(**{"time:avg(us)": 5e-324})]}, 64).contradicts


def test_a_bandwidth_beyond_all_numbers_is_infinite():
    told = {"size(B)": GIB, "busbw(GB/s)": 1.7e308}
    assert largest({"results": [told]}, 64).bus_gbps == float("inf")
