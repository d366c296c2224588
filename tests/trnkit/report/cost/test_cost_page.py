"""The page about cost: what it says, that it is one file, and that names stay text."""

from __future__ import annotations

from datetime import date
from xml.etree import ElementTree

import pytest
import yaml

from tests.trnkit.layout.cost.other_machines import P5, TRN2, OtherPrices, a_comparison, a_price
from tests.trnkit.report.cost.reports import CLAIM, a_line, a_report, an_unknown_line
from tests.trnkit.report.pages.reading import HOSTILE, TAGS, balanced, well_formed
from trnkit.config import read_cluster
from trnkit.findings import Finding, Severity
from trnkit.layout.cost import cluster_cost
from trnkit.layout.cost.alternatives import GroupWork
from trnkit.layout.cost.lines import Money
from trnkit.layout.cost.month import cost_month
from trnkit.report.cost.page import cost_page
from trnkit.report.cost.section import cost_section

BLOCK = {
    "type": "capacity-block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "start": "2027-03-01T11:30:00Z",
    "end": "2027-03-08T11:30:00Z",
}


def words_of(shown):
    """All words of some markup, in their order."""
    root = ElementTree.fromstring(f"<body>{shown}</body>")
    return " ".join(" ".join(root.itertext()).split())


def table_of(shown, caption):
    """Rows of a table as texts."""
    root = ElementTree.fromstring(f"<body>{shown}</body>")
    for table in root.iter("table"):
        if table.findtext("caption/span") == caption:
            return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")][1:]
    raise AssertionError(f"no table {caption!r}")


def a_month(count=4):
    data = {
        "version": 1,
        "name": "pretrain",
        "region": "us-east-2",
        "compute": {
            "node_groups": [
                {
                    "name": "train",
                    "instance_type": "trn2.48xlarge",
                    "count": count,
                    "capacity": BLOCK,
                }
            ]
        },
        "budget": {"limit_usd": 100_000, "emails": ["ml@example.com"]},
    }
    cluster = read_cluster(yaml.safe_dump(data), "cluster.yaml").config
    book = OtherPrices(a_price("trn2.48xlarge capacity-block", 35.0))
    return cost_month(cluster_cost(cluster, book), cluster, date(2027, 3, 1))


def test_the_figures_that_matter_stand_first():
    said = words_of(cost_section(a_report()))
    assert "An hour, all nodes running $240.00" in said
    assert "A month of 730 hours $40,320.00" in said
    assert "Paid beforehand, once $40,320.00" in said
    assert "A chip hour, nodes alone $3.00 of 80; $3.00 with everything" in said
    # 240 / 19,200 TFLOP/s x 1,000
    assert "1,000 effective TFLOP-hours $12.50" in said


def test_components_have_their_sums_and_shares():
    lines = (
        a_line(monthly=Money(300.0, 300.0), hourly=Money(3.0, 3.0)),
        a_line("keys/key", "keys", monthly=Money(100.0, 100.0), hourly=Money(1.0, 1.0)),
        an_unknown_line(),
    )
    rows = table_of(cost_section(a_report(*lines)), "Cost by component")
    assert rows == [
        ["aNodes", "$3.00", "$300.00", "75.0 %"],
        ["bLustre", "unknown", "unknown", "unknown"],
        ["cKeys", "$1.00", "$100.00", "25.0 %"],
        ["All", "at least $4.00", "at least $400.00", ""],
    ]


def test_what_is_unknown_has_a_section_of_its_own():
    said = words_of(cost_section(a_report(a_line(), an_unknown_line())))
    assert "fsx: 4,800 GB: no source shows a price of fsx-lustre-persistent-2-ssd-250" in said
    assert "p4d.24xlarge, On-Demand: no source shows a price" in said


def test_use_that_nobody_told_is_said():
    line = a_line(
        "data transfer/nat",
        "data transfer",
        name="data through the NAT gateway",
        use="nat_gb",
        not_told=True,
    )
    said = words_of(cost_section(a_report(a_line(), line)))
    assert "so none is counted: data through the NAT gateway" in said


def test_nothing_unknown_is_said_too():
    comparison = a_comparison(machines=(TRN2,), prices=[_on_demand(), _block()])
    said = words_of(cost_section(a_report(comparison=comparison)))
    assert "Nothing: every price and every amount is known." in said


def _on_demand():
    return a_price("trn2.48xlarge on-demand", 80.0)


def _block():
    return a_price("trn2.48xlarge capacity-block", 48.0)


def test_prices_show_their_source_their_day_and_their_age():
    old = a_price("p5.48xlarge on-demand", 80.0, 90.0, date="2026-08-01", basis="other regions")
    comparison = a_comparison(prices=(old,))
    rows = table_of(cost_section(a_report(comparison=comparison)), "Prices and their sources")
    assert rows == [
        [
            "trn2.48xlarge capacity-block",
            "$48.00",
            "hour",
            "us-east-2",
            "[2]",
            "2026-11-30",
        ],
        [
            "p5.48xlarge on-demand",
            "$80.00 to $90.00",
            "hour",
            "other Regions, none is shown for us-east-2",
            "[2]",
            "2026-08-01, stale",
        ],
    ]


def test_a_price_keeps_all_its_digits():
    price = a_price("cloudwatch-put-metric-requests", 0.00001, unit="request")
    rows = table_of(cost_section(a_report(a_line(price=price))), "Prices and their sources")
    assert rows[0][:3] == ["cloudwatch-put-metric-requests", "$0.00001", "request"]


def test_a_price_is_called_stale_only_on_a_day_that_is_told():
    old = a_price("p5.48xlarge on-demand", 80.0, date="2020-01-01")
    page = cost_page(a_report(comparison=a_comparison(prices=(old,)), today=None), "1.0")
    assert "stale" not in page


def test_alternatives_stand_in_a_picture_and_in_tables():
    shown = cost_section(a_report())
    rows = table_of(
        shown, "Instances and US dollars an hour for the same work (in brackets: in parts)"
    )
    assert rows[0] == ["As the file has it", "5", "$240.00", "1", "5", "$240.00"]
    assert ["p5.48xlarge, On-Demand", "6", "$480.00", "2", "13 (12.5)", "$1,040.00"] in rows
    unknown = ["p4d.24xlarge, On-Demand", "20", "unknown", "unknown", "25", "unknown"]
    assert unknown in rows
    units = table_of(shown, "US dollars for a unit")
    assert units[0] == ["As the file has it", "", "$3.00", "$5.00", "$12.50", "40 %", "see below"]
    assert [
        "p5.48xlarge, On-Demand",
        "$80.00",
        "$10.00",
        "$10.00",
        "$25.00",
        "40 %",
        "us-east-2",
    ] in units
    bars = [
        ["".join(part.itertext()) for part in item.iter("span")]
        for item in ElementTree.fromstring(f"<b>{shown}</b>").iter("li")
        if item.find("svg") is not None
    ]
    assert bars[0] == ["As the file has it", "$240.00 an hour"]
    assert ["p5.48xlarge, On-Demand", "$480.00 an hour · 6 instances"] in bars
    assert ["p4d.24xlarge, On-Demand", "price unknown · 20 instances"] in bars


def test_the_assumption_stands_above_the_comparison_and_says_that_it_is_one():
    said = words_of(cost_section(a_report()))
    assumption = "assumed to reach the same 40 % of its dense BF16 peak"
    assert said.index(assumption) < said.index("As the file has it")
    assert "not how fast a model trains" in said


def test_a_cluster_without_work_says_so_and_draws_nothing():
    comparison = a_comparison(GroupWork("odd", "trn9.48xlarge", 3), node_hours={})
    said = words_of(cost_section(a_report(comparison=comparison)))
    assert "there is no work to compare" in said
    assert "odd (trn9.48xlarge)" in said
    assert "What it would take" not in said
    assert "1,000 effective" not in said


def test_a_page_without_alternatives_has_no_word_of_them():
    said = words_of(cost_section(a_report(comparison=None)))
    assert "The same work elsewhere" not in said
    assert "By component" in said


def test_a_claim_stands_with_its_source_what_prices_give_and_when_both_agree():
    root = ElementTree.fromstring(cost_section(a_report(claims=[CLAIM])))
    (entry,) = (part for part in root.iter("dl") if part.get("class") == "claims")
    assert ["".join(part.itertext()) for part in entry] == [
        "30 to 40 % better price performance than P5",
        "The page names no model. [2] (2026-11-30)",
        "Prices have moved since.",
        "trn2.48xlarge with p5.48xlarge, both Capacity Block: a dollar buys 1 to 1.5 times the "
        "peak; a unit of it costs 0 % to 33 % less; claim and prices agree if the use of "
        "trn2.48xlarge's peak is 0.87 to 1.4 times that of p5.48xlarge's",
    ]


def test_every_number_of_a_source_leads_to_its_title():
    root = ElementTree.fromstring(cost_section(a_report(claims=[CLAIM])))
    titles = {f"#{node.get('id')}": node.text for node in root.iter("li") if node.get("id")}
    links = {node.get("href"): node.text for node in root.iter("a")}
    assert titles == {
        "#cost-source-1": "Neuron guide",
        "#cost-source-2": "Capacity Block price list",
    }
    assert links == {"#cost-source-1": "[1]", "#cost-source-2": "[2]"}


def test_days_of_a_block_are_drawn_and_told():
    shown = cost_section(a_report(month=a_month()))
    assert table_of(shown, "What happens in the month")[0] == [
        "1",
        "2027-03-01 11:30",
        "train",
        "the Capacity Block begins, nodes start",
    ]
    days = table_of(shown, "What a day costs in 2027-03")
    assert [row[0] for row in days] == ["1", "2 to 7", "8", "9 to 31"]
    assert [row[2] for row in days] == ["$1,750.00", "$3,360.00", "$1,610.00", "$0"]
    assert "Day by day in 2027-03" in words_of(shown)


def test_days_that_are_all_alike_are_one_sentence():
    report = a_report(a_line(monthly=Money(730.0, 730.0)))
    assert "all days cost the same: $24.00" in words_of(cost_section(report))


def test_findings_are_told_worst_first():
    findings = (
        Finding(rule_id="TRN002", severity=Severity.INFO, message="small", file="a.yaml", line=3),
        Finding(rule_id="TRN001", severity=Severity.ERROR, message="big", hint="mend it"),
    )
    rows = table_of(cost_section(a_report(findings=findings)), "Findings: 1 error, 1 remark")
    assert [row[0] for row in rows] == ["TRN001", "TRN002"]
    assert rows[0][3:] == ["big", "mend it"]
    assert rows[1][2] == "a.yaml:3"


def test_an_empty_cluster_is_a_page_too():
    page = cost_page(a_report(a_line(hourly=Money(0, 0), monthly=Money(0, 0)), chips=0), "1.0")
    assert balanced(page)
    no_lines = a_report(comparison=None, chips=None)
    object.__setattr__(no_lines.cost, "lines", ())
    assert "Line by line" not in cost_page(no_lines, "1.0")


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_becomes_markup_wherever_it_comes_from(name):
    price = a_price(name, 1.0, source=(name,), unit=name)
    line = a_line(price=price, name=name, formula=name, assumption=name)
    machine = TRN2.__class__(
        **{
            field: getattr(P5, field)
            for field in P5.__slots__
            if field not in ("accelerator", "source")
        },
        accelerator=name,
        source=(name,),
    )
    comparison = a_comparison(GroupWork(name, "p5.48xlarge", 1), machines=(machine,), node_hours={})
    finding = Finding(
        rule_id=name, severity=Severity.ERROR, message=name, hint=name, file=name, line=1
    )
    report = a_report(
        line,
        an_unknown_line(name=name),
        cluster=name,
        file=name,
        comparison=comparison,
        claims=[CLAIM],
        findings=(finding,),
        sources={name: name},
        month=a_month(),
    )
    page = cost_page(report, name)
    assert set(balanced(page)) <= TAGS
    root = ElementTree.fromstring(page.partition("\n")[2])
    assert {node.tag for node in root.iter()} <= TAGS
    assert not [key for node in root.iter() for key in node.attrib if key.startswith("on")]
    assert page.encode("utf-8")


def test_forty_groups_with_long_names_are_all_there():
    lines = [a_line(f"nodes/{number}", name=f"{'long-' * 30}{number}") for number in range(40)]
    groups = [GroupWork(f"{'long-' * 30}{n}", "trn2.48xlarge", 1) for n in range(40)]
    hours = {group.name: Money(48.0, 48.0) for group in groups}
    report = a_report(*lines, comparison=a_comparison(*groups, node_hours=hours))
    rows = table_of(cost_section(report), "Everything that is billed")
    assert len(rows) == 40
    assert "40 groups: 40 x trn2.48xlarge" in words_of(cost_section(report))


def test_the_same_report_is_the_same_bytes():
    first, second = (
        cost_page(a_report(a_line(), an_unknown_line(), claims=[CLAIM], month=a_month()), "1.0")
        for _ in range(2)
    )
    assert first == second


def test_the_section_stands_in_any_page():
    (section,) = well_formed(cost_section(a_report(month=a_month(), claims=[CLAIM])))
    assert section.tag == "div"
    assert {node.tag for node in section.iter()} <= TAGS - {"html", "head", "body", "h1", "style"}
