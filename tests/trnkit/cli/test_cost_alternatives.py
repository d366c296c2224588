"""`trnkit cost --alternatives` and its page."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from tests.synthesis import EXAMPLES, ROOT
from tests.trnkit.cli.conftest import MINIMAL
from tests.trnkit.report.pages.reading import TAGS, balanced

TRN1 = MINIMAL.replace("trn2.48xlarge", "trn1.32xlarge").replace("us-east-2", "us-west-2")


@pytest.fixture
def files(folder):
    (folder / "cluster.yaml").write_text(TRN1)
    return folder


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_has_a_page_of_one_file(path, trnkit):
    ran = trnkit("cost", str(path), "--format", "html")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("<!DOCTYPE html>\n")
    assert set(balanced(ran.out)) <= TAGS
    root = ElementTree.fromstring(ran.out.partition("\n")[2])
    assert {node.tag for node in root.iter()} <= TAGS
    links = [node.get("href") for node in root.iter("a")]
    assert all(link.startswith("#cost-source-") for link in links)
    assert not [node for node in root.iter() if node.get("src")]
    assert "nan" not in "".join(root.itertext()).split()


def test_the_page_goes_to_a_file_and_the_text_to_the_log(trnkit, files):
    ran = trnkit("cost", "cluster.yaml", "--format", "html", "--output", "cost.html")
    assert ran.code == 0
    assert ran.out.startswith("pretrain in us-west-2: ")
    page = (files / "cost.html").read_text(encoding="utf-8")
    assert "<title>What pretrain costs</title>" in page
    assert "The same work elsewhere" in page


def test_two_runs_write_the_same_bytes(trnkit, files):
    first, second = (trnkit("cost", "cluster.yaml", "--format", "html").out for _ in range(2))
    assert first == second


def test_without_the_option_nothing_is_compared(trnkit, files):
    assert "same compute" not in trnkit("cost", "cluster.yaml").out
    assert "alternatives" not in json.loads(trnkit("cost", "cluster.yaml", "--format", "json").out)


def test_text_and_json_have_the_comparison_when_it_is_asked_for(trnkit, files):
    text = trnkit("cost", "cluster.yaml", "--alternatives")
    assert text.code == 0
    assert "as the file has it" in text.out
    ran = trnkit("cost", "cluster.yaml", "--alternatives", "--format", "json")
    content = json.loads(ran.out)["alternatives"]
    assert content["work"]["accelerators"] == 32
    kinds = {way["instance_type"] for way in content["ways"]}
    assert {"trn2.48xlarge", "p5.48xlarge", "p6-b300.48xlarge"} <= kinds
    own = content["own"]["usd_per_hour"]
    # 2 nodes at the catalogue's 21.50.
    assert own == {"low": 43.0, "high": 43.0}
    (same,) = (
        way
        for way in content["ways"]
        if (way["instance_type"], way["purchase"]) == ("trn1.32xlarge", "on-demand")
    )
    assert same["times_the_cluster"] == {"low": 1.0, "high": 1.0}


def test_a_told_use_and_a_told_spot_price_count(trnkit, files):
    told = ("--mfu", "trn1=0.2,p5=0.4", "--spot-price", "p5.48xlarge=10", "--format", "json")
    content = json.loads(trnkit("cost", "cluster.yaml", *told).out)["alternatives"]
    assert content["utilisation"]["told"] == {"trn1": 0.2, "p5": 0.4}
    (spot,) = (way for way in content["ways"] if way["purchase"] == "spot")
    assert spot["price"]["source"] == ["--spot-price"]
    # 2 x 3,040 x 0.2 / (8 x 989 x 0.4)
    assert spot["same_compute"]["exact"] == pytest.approx(1_216 / 3_164.8)
    assert spot["same_compute"]["usd_per_hour"] == {"low": 10.0, "high": 10.0}


OWN = """\
version: 1
date: 2026-11-30
source: Annex B
discount: {percent: 12}
prices:
  - {instance_type: trn2.48xlarge, purchase: capacity-block, usd_per_hour: 20}
list_prices:
  read: 2026-11-30
  regions: [us-west-2]
  prices:
    - {instance_type: p5.48xlarge, purchase: on-demand, region: us-west-2, usd_per_hour: 50}
"""


def test_it_is_said_which_prices_are_agreed_and_claims_are_put_beside_list_prices(trnkit, files):
    before = json.loads(trnkit("cost", "cluster.yaml", "--alternatives", "--format", "json").out)
    (files / "own.yaml").write_text(OWN)
    text = (files / "cluster.yaml").read_text()
    named = text.replace("budget:", "budget:\n  prices_file: own.yaml", 1)
    assert named != text
    (files / "cluster.yaml").write_text(named)
    spot = ("--spot-price", "p4d.24xlarge=9")
    ran = trnkit("cost", "cluster.yaml", "--alternatives", *spot)
    whence = {
        name: next(line for line in reversed(ran.out.splitlines()) if line.strip().startswith(name))
        for name in (
            "trn2.48xlarge, Capacity",
            "p5.48xlarge, On",
            "p4d.24xlarge, On",
            "p4d.24xlarge, S",
        )
    }
    assert "your price file, 2026-11-30" in whence["trn2.48xlarge, Capacity"]
    assert "AWS Price List in your file less 12 %, 2026-11-30" in whence["p5.48xlarge, On"]
    assert "us-west-2 less 12 %, 2026-11-30" in whence["p4d.24xlarge, On"]
    assert "--spot-price" in whence["p4d.24xlarge, S"]
    after = json.loads(
        trnkit("cost", "cluster.yaml", "--alternatives", "--format", "json", *spot).out
    )
    assert after["alternatives"]["claims"] == before["alternatives"]["claims"]
    page = trnkit("cost", "cluster.yaml", "--format", "html").out
    assert "from cluster.yaml and list prices less 12 % (Annex B), and prices of your own." in page


def test_a_month_can_be_chosen(trnkit, files):
    ran = trnkit("cost", "cluster.yaml", "--format", "html", "--month", "2028-02")
    assert "Day by day in 2028-02" in ran.out
    assert "In the 29 days of 2028-02" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mfu", "h100=0.4"), "--mfu h100 is no kind that is compared"),
        (("--mfu", "trn1=40"), "shares from 0.001 to 1"),
        (("--format", "html", "--month", "March"), "--month 'March' is no month: write 2027-03"),
        (("--format", "html", "--month", "2027-13"), "--month '2027-13' is no month"),
        (("--month", "2027-03"), "--month is what --format html shows"),
        (("--format", "markdown", "--alternatives"), "--format markdown has no alternatives"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(trnkit, files, arguments, message):
    ran = trnkit("cost", "cluster.yaml", *arguments)
    assert ran.code == 2
    assert message in ran.err


@pytest.mark.parametrize("more", [("--alternatives",), ("--format", "html"), ("--mfu", "p5=0.4")])
def test_two_versions_have_no_alternatives(trnkit, files, more):
    ran = trnkit("cost", "--compare", "cluster.yaml", "cluster.yaml", *more)
    assert ran.code == 2
    assert "--compare is about two versions of a file" in ran.err


def test_a_file_with_errors_makes_no_page(trnkit, files):
    (files / "cluster.yaml").write_text(TRN1.replace("count: 2", "count: -2"))
    ran = trnkit("cost", "cluster.yaml", "--format", "html")
    assert ran.code == 1
    assert "<html" not in ran.out


def test_a_page_never_replaces_the_cluster_file(trnkit, files):
    ran = trnkit("cost", "cluster.yaml", "--format", "html", "--output", "cluster.yaml")
    assert ran.code == 2
    assert (files / "cluster.yaml").read_text() == TRN1


def test_a_file_of_hostile_name_stays_text(trnkit, files):
    name = "<img src=x onerror=alert(1)>&.yaml"
    (files / name).write_text(TRN1)
    page = trnkit("cost", name, "--format", "html").out
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;&amp;.yaml" in page


@pytest.mark.parametrize("more", ["", " --explain"])
def test_the_examples_of_the_documentation_are_what_the_command_says(trnkit, more, monkeypatch):
    monkeypatch.chdir(ROOT)  # A longer name of the file makes wider columns.
    monkeypatch.delenv("COLUMNS", raising=False)  # Several processes of tests have one.
    example = "examples/trn2-capacity-block.yaml"
    page = (ROOT / "docs" / "cost-comparison.md").read_text(encoding="utf-8")
    shown = page.partition(f"$ trnkit cost {example} --alternatives{more}\n")[2]
    quoted = [line for line in shown.partition("```")[0].splitlines() if line != "..."]
    ran = trnkit("cost", example, "--alternatives", *more.split())
    said = iter(ran.out.splitlines())
    assert len(quoted) > 8
    assert [line for line in quoted if line not in said] == [], "in this order"


def test_a_spot_price_that_only_the_comparison_shows_is_not_told_for_nothing(trnkit, files):
    spot = ("--spot-price", "p5.48xlarge=16", "--spot-price", "p5.48xlarg=16")
    told = "told, and nothing of the file needs it: "
    alone = trnkit("cost", "cluster.yaml", *spot).out
    assert f"{told}--spot-price p5.48xlarge, --spot-price p5.48xlarg\n" in alone
    compared = trnkit("cost", "cluster.yaml", "--alternatives", *spot).out
    assert f"{told}--spot-price p5.48xlarg\n" in compared
    content = trnkit("cost", "cluster.yaml", "--alternatives", "--format", "json", *spot).out
    assert json.loads(content)["told_for_nothing"] == ["--spot-price p5.48xlarg"]


def test_what_the_region_does_not_sell_is_marked_in_its_row(trnkit, files):
    out = trnkit("cost", "cluster.yaml", "--alternatives").out
    rows = [line for line in out.splitlines() if "Capacity Block" in line and "  " in line.strip()]
    marked = {line.strip().split("  ")[0] for line in rows if "(not in us-west-2)" in line}
    assert "trn2.48xlarge, Capacity Block (not in us-west-2)" in marked
    assert not any(name.startswith(("p5.48xlarge", "trn1.32xlarge")) for name in marked)
    page = trnkit("cost", "cluster.yaml", "--format", "html").out
    # In the picture and in two tables.
    assert page.count(">trn2.48xlarge, Capacity Block (not in us-west-2)<") == 3
    content = json.loads(trnkit("cost", "cluster.yaml", "--alternatives", "--format", "json").out)
    sold = {
        (way["instance_type"], way["purchase"]): way["sold_in_region"]
        for way in content["alternatives"]["ways"]
    }
    assert sold["trn2.48xlarge", "capacity-block"] is False
    assert sold["trn1.32xlarge", "capacity-block"] is True
