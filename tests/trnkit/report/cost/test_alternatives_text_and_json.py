"""The comparison at a terminal and for a program."""

from __future__ import annotations

import json
import re

import pytest

from tests.trnkit.layout.cost.other_machines import P5, TRN2, a_comparison, a_machine
from tests.trnkit.report.cost.reports import CLAIM
from trnkit.layout.cost.alternatives import GroupWork
from trnkit.layout.cost.claims import ClaimPair, Span, check_claims
from trnkit.layout.cost.lines import UNKNOWN
from trnkit.layout.cost.machines import Utilisation
from trnkit.report.cost.alternatives_json import alternatives_json
from trnkit.report.cost.alternatives_text import alternatives_lines
from trnkit.report.cost.alternatives_words import number, pair_words, remarks, use_words


def test_tables_at_a_terminal_are_aligned_and_say_what_is_unknown():
    lines = alternatives_lines(a_comparison())
    at = next(at for at, line in enumerate(lines) if "same compute" in line)
    table = lines[at : at + 8]
    assert [re.split(" {2,}", line.strip()) for line in table] == [
        ["same compute", "$ an hour", "times", "same memory", "$ for memory"],
        ["as the file has it", "5", "$240.00", "1", "5", "$240.00"],
        ["trn2.48xlarge, Capacity Block", "5", "$240.00", "1", "5", "$240.00"],
        [
            "p5.48xlarge, Capacity Block",
            "6",
            "$240.00 to $360.00",
            "1 to 1.5",
            "13 (12.5)",
            "$520.00 to $780.00",
        ],
        ["p5.48xlarge, On-Demand", "6", "$480.00", "2", "13 (12.5)", "$1,040.00"],
        ["p4d.24xlarge, Capacity Block", "20", "unknown", "unknown", "25", "unknown"],
        ["p4d.24xlarge, On-Demand", "20", "unknown", "unknown", "25", "unknown"],
        ["trn2.48xlarge, On-Demand", "5", "unknown", "unknown", "5", "unknown"],
    ]
    assert len({len(line) for line in table}) == 1, "numbers stand on the right"
    at = next(at for at, line in enumerate(lines) if "instance-hour" in line)
    rates = [re.split(" {2,}", line.strip()) for line in lines[at : at + 5]]
    assert rates[1] == ["as the file has it", "$3.00", "$5.00", "$12.50", "the file"]
    assert rates[4] == [
        "p5.48xlarge, On-Demand",
        "$80.00",
        "$10.00",
        "$10.00",
        "$25.00",
        "us-east-2, 2026-11-30",
    ]


@pytest.mark.parametrize("width", [100, 80])
def test_a_narrow_terminal_goes_without_columns_and_says_which(width):
    lines = alternatives_lines(a_comparison(), width=width)
    tables = [line for line in lines if re.search("xlarge |Block  |Demand  ", line[:40])]
    assert len(tables) > 10
    assert max(map(len, tables)) <= width
    text = "\n".join(lines)
    assert f"in {width} columns" in text
    assert "$ an hour" in text
    assert "1,000 effective" in text


def test_the_assumption_and_what_it_cannot_say_stand_above_the_tables():
    text = " ".join("\n".join(alternatives_lines(a_comparison())).split())
    assert text.index("assumed to reach the same 40 %") < text.index("same compute")
    assert text.index("not how fast a model trains") < text.index("same compute")


def test_claims_are_told_when_somebody_wants_the_reasons():
    claims = check_claims([CLAIM], a_comparison())
    short = "\n".join(alternatives_lines(a_comparison(), claims))
    whole = " ".join(" ".join(alternatives_lines(a_comparison(), claims, explain=True)).split())
    assert "differ from this: 1; --explain tells why" in short
    assert "Prices have moved since." not in short
    assert "Prices have moved since." in whole
    assert "a dollar buys 1 to 1.5 times" in whole
    assert "(block-prices, looked at 2026-11-30)" in whole


def test_a_cluster_without_work_has_a_line_and_no_table():
    comparison = a_comparison(GroupWork("odd", "trn9.48xlarge", 1), node_hours={})
    text = "\n".join(alternatives_lines(comparison))
    assert "nothing to compare" in text
    assert "odd (trn9.48xlarge)" in text
    assert "same compute" not in text


def test_no_line_of_a_name_escapes_to_the_terminal():
    name = "train\x1b[2J\nerror: false"
    lines = alternatives_lines(
        a_comparison(GroupWork(name, "trn2.48xlarge", 5), node_hours={name: UNKNOWN})
    )
    assert not any("\x1b" in line or "\n" in line for line in lines)


def test_a_program_gets_every_figure_as_a_number():
    claims = check_claims([CLAIM], a_comparison())
    content = json.loads(json.dumps(alternatives_json(a_comparison(), claims)))
    assert content["own"]["usd_per_effective_tflop_hour"]["high"] == pytest.approx(0.0125)
    assert content["work"]["peak_tflops"] == 48_000
    assert content["utilisation"] == {"default": 0.4, "told": {}, "is_assumption": True}
    by_name = {(way["instance_type"], way["purchase"]): way for way in content["ways"]}
    way = by_name["p5.48xlarge", "on-demand"]
    assert way["same_compute"] == {
        "instances": 6,
        "exact": pytest.approx(6.0),
        "usd_per_hour": {"low": 480.0, "high": 480.0},
    }
    assert way["same_memory"]["instances"] == 13
    assert way["usd_per_effective_tflop_hour"]["low"] == pytest.approx(0.025)
    assert way["times_the_cluster"] == {"low": 2.0, "high": 2.0}
    assert (way["price"]["date"], way["price"]["basis"]) == ("2026-11-30", "region")
    unknown = by_name["p4d.24xlarge", "on-demand"]
    assert unknown["price"] is None
    assert unknown["usd_per_peak_tflop_hour"]["high"] is None
    assert unknown["times_the_cluster"] is None
    assert content["spot_not_told"] == ["trn2.48xlarge", "p5.48xlarge", "p4d.24xlarge"]
    assert content["claims"][0]["pairs"][0]["times_the_peak"]["high"] == pytest.approx(1.5)


def test_remarks_name_what_the_tables_do_not_show():
    machine = a_machine(
        "p9.48xlarge", not_sold=("spot",), disputed=("dense bf16 tflops: 1 here, 2 there",)
    )
    comparison = a_comparison(
        GroupWork("train", "trn2.48xlarge", 65),
        GroupWork("odd", "trn9.48xlarge", 1),
        machines=(TRN2, P5, machine),
    )
    assert remarks(comparison) == [
        "Not compared, because their compute or memory is not known: odd (trn9.48xlarge)",
        "No source shows a price: p9.48xlarge, Capacity Block; p9.48xlarge, On-Demand; "
        "trn2.48xlarge, On-Demand",
        "More instances than one Capacity Block holds, so several blocks: trn2.48xlarge, "
        "Capacity Block; p5.48xlarge, Capacity Block; p9.48xlarge, Capacity Block",
        "Sources differ on p9.48xlarge, dense bf16 tflops: 1 here, 2 there",
        "AWS does not sell: p9.48xlarge, Spot",
        "Spot prices change by the minute and are in no list. Give yours (--spot-price, or "
        "budget.prices_file) to compare: trn2.48xlarge, p5.48xlarge",
    ]


def test_what_was_told_of_the_use_is_said_in_place_of_the_assumption():
    told = Utilisation(told=(("trn2", 0.35), ("p5", 0.4)))
    assert use_words(told) == (
        "Assumed share of the dense BF16 peak that is reached: trn2 35 %, p5 40 %; every other "
        "kind 40 %."
    )


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (2.0, 2.0, "a dollar buys 2 times the peak; a unit of it costs 50 % less"),
        (1.25, 2.0, "a dollar buys 1.25 to 2 times the peak; a unit of it costs 20 % to 50 % less"),
        (
            0.5,
            0.8,
            "a dollar buys 0.5 to 0.8 times the peak; a unit of it costs 25 % to 100 % more",
        ),
        (0.8, 1.25, "a unit of it costs from 25 % more to 20 % less"),
    ],
)
def test_a_ratio_is_also_said_as_a_difference_of_cost(low, high, said):
    pair = ClaimPair(
        subject="a", other="b", purchase="spot", times_the_peak=Span(low, high), agreeing_use=None
    )
    assert said in pair_words(pair)


@pytest.mark.parametrize(
    ("value", "said"),
    [(10_672.0, "10,672"), (1.3333, "1.33"), (96, "96"), (100.0, "100"), (0.0, "0"), (2.5, "2.5")],
)
def test_numbers_have_no_zeros_after_the_point(value, said):
    assert number(value) == said
