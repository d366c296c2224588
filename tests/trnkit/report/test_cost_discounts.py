"""An agreed discount is told wherever a report of costs has numbers that it made smaller."""

from __future__ import annotations

from datetime import date

import pytest

from tests.trnkit.layout.cost.cluster_texts import a_cluster, cost_of
from tests.trnkit.layout.cost.other_machines import P5, PRICES, TRN2, a_comparison, a_price
from tests.trnkit.report.cost.reports import a_line, a_report
from trnkit.catalog.agreed_discount import AgreedDiscount
from trnkit.catalog.price_book import PriceBook
from trnkit.layout.cost.comparing import compare_costs
from trnkit.report.cost.alternatives_text import alternatives_lines
from trnkit.report.cost.page import cost_page
from trnkit.report.cost_comparison import comparison_lines
from trnkit.report.cost_markdown import comparison_markdown, cost_markdown
from trnkit.report.cost_text import cost_lines
from trnkit.report.cost_words import discount_words, less_words

TODAY = date(2026, 12, 1)
LESS = a_price("trn1.32xlarge on-demand", 8.8, discount_percent=12.0, discount_source="annex <B>")
SAID = "less 12 % (annex <B>)"
STATED = a_price("trn2.48xlarge capacity-block", 20.0, basis="file")


def agreed(percent):
    """What the cluster costs with so many per cent off all but what 7 of 8 prices are of."""
    covered = AgreedDiscount(
        percent=percent, not_on=frozenset({"nat-gateway-hour"}), source="annex <B>"
    )
    return cost_of(a_cluster(), PriceBook((), covered))


def test_a_discount_is_told_with_the_words_of_its_file():
    assert less_words(LESS) == SAID
    assert less_words(a_price("x", 1.0, discount_percent=7.5)) == "less 7.5 %"
    hostile = a_price("x", 1.0, discount_percent=7.5, discount_source="a\x1b[2J\nerror: b")
    assert "\x1b" not in less_words(hostile)
    assert "\n" not in less_words(hostile)


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ([], ""),
        ([STATED], ""),
        ([LESS], f"1 of 1 price is a list price {SAID}"),
        ([LESS, STATED], f"1 of 2 prices is a list price {SAID}"),
        ([LESS, LESS, STATED], f"2 of 3 prices are list prices {SAID}"),
    ],
)
def test_it_is_said_of_how_many_prices_it_was_taken_off(prices, said):
    assert discount_words(prices) == said


def test_text_and_comment_begin_with_it():
    cost = agreed(12)
    count = len(cost.prices)
    words = f"{count - 1} of {count} prices are list prices {SAID}"
    assert cost_lines(cost, TODAY)[1] == words
    assert "less 12 % (annex \\<B\\>)" in cost_markdown(cost, TODAY).split("\n\n")[1]
    explained = [one for one in cost_lines(cost, TODAY, explain=True) if one.endswith(f", {SAID}")]
    assert len(explained) > count - 2
    assert not any("less" in line for line in cost_lines(cost_of(a_cluster()), TODAY))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (12, 12, f"with list prices {SAID}"),
        (0, 12, f"before with list prices alone, after with list prices {SAID}"),
        (12, 0, f"before with list prices {SAID}, after with list prices alone"),
        (12, 15, f"before with list prices {SAID}, after with list prices less 15 % (annex <B>)"),
    ],
)
def test_a_comparison_says_the_discount_of_either_file(before, after, said):
    old, new = (agreed(each) if each else cost_of(a_cluster()) for each in (before, after))
    compared = compare_costs(old, new)
    assert comparison_lines(compared, TODAY)[1] == said
    escaped = said.replace("<", "\\<").replace(">", "\\>")
    assert comparison_markdown(compared, TODAY).split("\n\n")[2] == escaped


def test_a_page_says_it_at_its_head_beside_the_sum_and_among_the_sources():
    page = cost_page(a_report(a_line(price=LESS), comparison=None), "1.0")
    shown = "less 12 % (annex &lt;B&gt;)"
    assert f"from cluster.yaml and list prices {shown}." in page
    assert f"credits and support: 1 of 1 price is a list price {shown}. A range" in page
    assert ">annex &lt;B&gt;</li>" in page
    assert "List prices in US dollars" not in page
    plain = cost_page(a_report(comparison=None), "1.0")
    assert "List prices in US dollars" in plain
    assert "less" not in plain


def test_a_page_says_that_prices_are_stated():
    page = cost_page(a_report(a_line(price=STATED), comparison=None), "1.0")
    assert "from cluster.yaml and list prices, and prices of your own." in page
    assert "credits and support: 1 price of your own. A range" in page


def test_other_instances_are_said_to_have_it_too():
    gpu = a_price("p5.48xlarge on-demand", 70.4, discount_percent=12.0, discount_source="annex <B>")
    words = f"Your agreement counts for other instances too, where a price says so: {SAID}"
    with_it = a_comparison(machines=(TRN2, P5), prices=(PRICES[0], gpu))
    assert words in " ".join(" ".join(alternatives_lines(with_it)).split())
    assert "agreement" not in "\n".join(alternatives_lines(a_comparison()))
