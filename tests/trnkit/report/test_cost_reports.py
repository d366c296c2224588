"""How a cost is said: money, differences, the report of an example, many lines, strange names."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tests.synthesis import ROOT
from tests.trnkit.layout.cost.cluster_texts import a_cluster, a_group, cost_of
from tests.trnkit.layout.cost.price_list import RoundPrices
from trnkit.catalog.price_book import UnitPrice
from trnkit.config import load_cluster
from trnkit.layout.cost.billing import price_words, usd_exactly
from trnkit.layout.cost.comparing import Difference, compare_costs
from trnkit.layout.cost.lines import Money, total
from trnkit.report.cost_comparison import comparison_lines
from trnkit.report.cost_markdown import comparison_markdown, cost_markdown
from trnkit.report.cost_text import cost_lines, over_limit
from trnkit.report.cost_words import money, more, share, usd

TODAY = date(2026, 12, 1)
BLOCK = Path(__file__).with_name("cost_of_block.txt").read_text()


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0.0, "$0"),
        (1234.5, "$1,234.50"),
        (0.0557, "$0.0557"),
        (0.00002, "<$0.0001"),
        (-3.0, "-$3.00"),
        (-0.25, "-$0.2500"),
    ],
)
def test_dollars_have_the_digits_that_they_need(amount, text):
    assert usd(amount) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (Money(21.5, 21.5), "$21.50"),
        (Money(1.0, 2.0), "$1.00 to $2.00"),
        (Money(0.0, 3.0), "up to $3.00"),
        (Money(21.5, None), "at least $21.50"),
        (Money(0.0, None), "unknown"),
        (Money(0.0, 0.0), "$0"),
    ],
)
def test_what_is_not_known_is_never_a_zero(amount, text):
    assert money(amount) == text


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (Difference(21.5, 21.5), "+$21.50"),
        (Difference(-3.0, -3.0), "-$3.00"),
        (Difference(-1.0, 2.0), "-$1.00 to +$2.00"),
        (Difference(0.0, 0.0), "$0"),
        (Difference(0.00001, 0.00001), "+<$0.0001"),
        (Difference(None, None), "unknown"),
        (Difference(-3.0, None), "at least -$3.00"),
        (Difference(None, -3.0), "at most -$3.00"),
        (Difference(None, 3.0), "at most +$3.00"),
        (Difference(0.0, None), "unknown"),
        (Difference(None, 0.0), "unknown"),
    ],
)
def test_a_difference_has_a_sign(difference, text):
    assert more(difference) == text


def test_a_sum_with_an_unknown_part_has_no_upper_end():
    assert total([Money(1.0, 2.0), Money(3.0, 3.0)]) == Money(4.0, 5.0)
    assert total([Money(1.0, 2.0), Money(0.0, None)]) == Money(1.0, None)
    assert total([]) == Money(0.0, 0.0)


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (Money(1, 1), Money(2, 2), "50.0 %"),
        (Money(1, 1), Money(10_000, 10_000), "<0.1 %"),
        (Money(0, 0), Money(5, 5), ""),
        (Money(0, 0), Money(0, 0), ""),
        (Money(5, 5), Money(5, 5), "100.0 %"),
        (Money(1, 2), Money(3, 4), "50.0 %"),
        (Money(0, None), Money(5, None), ""),
        (Money(1, 8), Money(5, None), ""),
    ],
)
def test_a_share_is_of_what_is_known(part, whole, text):
    assert share(part, whole) == text


def test_nothing_is_a_share_of_what_nobody_knows():
    cost = cost_of(a_cluster(), RoundPrices(lacking=["trn1.32xlarge on-demand"]))
    assert "%" not in "\n".join(cost_lines(cost, TODAY))
    assert "%" not in cost_markdown(cost, TODAY)
    assert "%" in cost_markdown(cost_of(a_cluster()), TODAY)


def test_around_nodes_of_unknown_price_a_chip_hour_is_unknown():
    book = RoundPrices(lacking=["trn1.32xlarge on-demand"])
    known, unknown = cost_of(a_cluster()), cost_of(a_cluster(), book)
    assert "per chip-hour (64 chips): unknown" in cost_lines(unknown, TODAY)
    said = "\n".join(comparison_lines(compare_costs(unknown, known), TODAY))
    # $86.00 for 4 nodes and $0.33 beside them, for 64 chips.
    assert "per chip-hour with everything: unknown before, $1.35 after" in said


def test_a_narrow_terminal_gets_the_words_of_a_comparison_last():
    compared = compare_costs(cost_of(a_cluster(a_group(count=2))), cost_of(a_cluster()))
    wide = comparison_lines(compared, TODAY, width=200)
    assert wide == comparison_lines(compared, TODAY)
    narrow = comparison_lines(compared, TODAY, width=80)
    row = next(line for line in narrow if line.startswith("changed"))
    # 2 nodes x $21.50 x 730 h.
    assert row.split("  ")[1:3] == [
        "+$31,390.00",
        "nodes: train: 2 x trn1.32xlarge, on demand -> train: 4 x trn1.32xlarge, on demand",
    ]
    assert not any("+$43.00" in line for line in narrow), "hours are left out"


def test_another_name_is_said():
    old = cost_of(a_cluster())
    new = replace(old, cluster="elsewhere")
    said = "the cluster's name changes from pretrain to elsewhere"
    assert said in comparison_lines(compare_costs(old, new), TODAY)
    assert said not in comparison_lines(compare_costs(old, old), TODAY)


@pytest.mark.parametrize(
    ("least", "most", "verdict"),
    [
        (5.0, 5.0, "x: $5.00 a month, not above $10.00"),
        (5.0, 10.5, "x: $10.50 a month, above $10.00"),
        (12.0, None, "x: at least $12.00 a month, above $10.00"),
        (5.0, None, "x: at least $5.00 a month, and maybe above $10.00: "),
        (None, None, "x: nobody knows how much, and maybe above $10.00: "),
    ],
)
def test_a_limit_is_not_held_by_what_nobody_knows(least, most, verdict):
    assert over_limit(least, most, 10.0, "x").startswith(verdict)


@pytest.mark.parametrize(
    ("usd_each", "text"),
    [(21.5, "$21.50"), (0.145, "$0.145"), (4e-07, "$0.0000004"), (1234.0, "$1,234.00")],
)
def test_a_unit_price_has_all_its_digits(usd_each, text):
    assert usd_exactly(usd_each) == text


def test_a_price_says_its_unit_and_both_ends():
    price = UnitPrice(
        item="x", unit="hour", low=1.5, high=2, basis="other regions", source=("s",), date="2026"
    )
    assert price_words(price) == "$1.50 to $2.00 an hour"
    assert price_words(None) == "a price that nobody shows"


def test_the_report_of_an_example():
    cluster = load_cluster(str(ROOT / "examples/trn2-capacity-block.yaml")).config
    assert "\n".join(cost_lines(cost_of(cluster), TODAY)) + "\n" == BLOCK


def test_many_lines_of_a_component_are_told_together_unless_they_are_explained():
    groups = [a_group(f"group-{number}", count=1) for number in range(40)]
    cost = cost_of(a_cluster(*groups))
    short, long = cost_lines(cost, TODAY), cost_lines(cost, TODAY, explain=True)
    # 29 x $21.50 = $623.50.
    assert any("29 further lines (--explain shows them)" in line for line in short)
    assert any("$623.50" in line for line in short)
    assert not any("group-39: 1 x trn1.32xlarge" in line for line in short)
    assert any("group-39: 1 x trn1.32xlarge" in line for line in long)


def test_names_cannot_break_out_of_a_table_or_mention_anybody():
    cost = cost_of(a_cluster())
    line = cost.lines[0].__class__
    strange = line(
        **{
            **{name: getattr(cost.lines[0], name) for name in line.__dataclass_fields__},
            "key": "nodes/other",
            "name": "a|b <img> [x](http://example.com)\n# head \x1b[31m",
        }
    )
    other = cost.__class__(
        cluster=cost.cluster,
        region=cost.region,
        assumptions=cost.assumptions,
        lines=(*cost.lines, strange),
        chips=cost.chips,
    )
    text = comparison_markdown(compare_costs(cost, other), TODAY)
    row = next(line for line in text.splitlines() if line.startswith("| added"))
    assert row.count("|") - row.count("\\|") == 6
    assert "<img" not in row.replace("\\<img", "")
    assert "\x1b" not in text
    told = "\n".join(comparison_lines(compare_costs(cost, other), TODAY))
    assert "\x1b" not in told
    assert "\n# head" not in told


def test_markdown_of_one_file_is_a_row_a_component():
    system = [{"name": "fsx", "storage_capacity_gib": 1200, "per_unit_storage_throughput": 250}]
    cost = cost_of(a_cluster(storage={"lustre_file_systems": system}))
    text = cost_markdown(cost, TODAY)
    assert "| nodes | \\$86.00 | \\$62,780.00 |  |" in text
    assert "| lustre | unknown | unknown |  |" in text
    assert "Unknown, and not in the sums: fsx-lustre-persistent-2-ssd-250" in text


def test_a_comment_about_many_groups_is_not_too_long_for_a_code_host():
    old = cost_of(a_cluster(*[a_group(f"group-{number}", count=1) for number in range(40)]))
    new = cost_of(a_cluster(*[a_group(f"group-{number}", count=2) for number in range(40)]))
    text = comparison_markdown(compare_costs(old, new), TODAY)
    assert len(text) < 20_000
    # A line for the node, its volume, three of its metrics: 200 changes.
    assert "|  |  | 140 further changes, which the text report tells |  |  |" in text
    assert text.count("\n| changed |") == 60
    # 40 x $21.50 x 730 h = $627,800.00 and what is beside the nodes.
    assert "+\\$629,7" in text.split("|  | total |")[1]


def test_prices_of_other_regions_are_said_to_be_so():
    cost = cost_of(a_cluster(a_group(instance_type="trn1.2xlarge")))
    told = "\n".join(cost_lines(cost, TODAY, explain=True))
    assert "trn1.2xlarge on-demand: round-prices, 2026-11-30 (of other Regions)" in told
    assert "1 of other Regions" in told


def test_an_explanation_says_what_was_taken_off_and_what_nobody_told():
    prices = {"nat-gateway-hour": 12.0}
    cost = cost_of(a_cluster())
    lines = tuple(
        replace(line, price=replace(line.price, discount_percent=prices[line.item]))
        if line.price and line.item in prices
        else line
        for line in cost.lines
    )
    told = cost_lines(replace(cost, lines=lines), TODAY, explain=True)
    assert "      nat-gateway-hour: round-prices, 2026-11-30, less 12 %" in told
    assert "      kms-key-month: round-prices, 2026-11-30" in told
    at = told.index("  network: NAT gateway: data")
    assert told[at + 1] == "      nobody told how much: counted as none"
    assert not any(" = $0 a month" in line for line in told)


def test_a_region_that_changes_is_said():
    old, new = cost_of(a_cluster()), cost_of(a_cluster(region="us-east-1"))
    said = "the Region changes from us-west-2 to us-east-1"
    assert said in comparison_lines(compare_costs(old, new), TODAY)
    assert said not in comparison_lines(compare_costs(old, old), TODAY)


def test_prices_that_are_not_known_at_all_are_said_to_be():
    nothing = RoundPrices(lacking=["trn1.32xlarge on-demand", *_items()])
    lines = cost_lines(cost_of(a_cluster(), nothing), TODAY)
    assert lines[-1] == "prices: none is known"
    assert lines[0].startswith("pretrain in us-west-2: unknown a month")


def _items():
    return [line.item for line in cost_of(a_cluster()).lines]


def test_what_may_cost_more_is_never_told_as_a_saving():
    dear = a_group(instance_type="trn2.48xlarge", count=8)
    book = RoundPrices(lacking=["trn2.48xlarge on-demand"])
    compared = compare_costs(cost_of(a_cluster(), book), cost_of(a_cluster(dear), book))
    assert compared.monthly.least < 0
    first = comparison_lines(compared, TODAY)[0]
    said = "pretrain: nobody knows how much more or less a month is, with 1 change of unknown price"
    assert first.startswith(f"{said} (a month was $63,")
    assert "-$" not in first
    comment = comparison_markdown(compared, TODAY).split("\n\n")[1]
    assert comment.startswith(said)
    assert "-" not in comment
    line = over_limit(compared.monthly.least, compared.monthly.most, 5000, "pretrain, the increase")
    assert line.startswith("pretrain, the increase: nobody knows how much, and maybe above $5,000")
