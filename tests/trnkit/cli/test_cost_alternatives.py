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


def test_a_month_can_be_chosen(trnkit, files):
    ran = trnkit("cost", "cluster.yaml", "--format", "html", "--month", "2028-02")
    assert "Day by day in 2028-02" in ran.out
    assert "In the 29 days of 2028-02" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mfu", "h100=0.4"), "--mfu h100 is no kind that is compared"),
        (("--mfu", "trn1=40"), "shares above 0 and up to 1"),
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
def test_the_examples_of_the_documentation_are_what_the_command_says(trnkit, more):
    example = "examples/trn2-capacity-block.yaml"
    page = (ROOT / "docs" / "cost-comparison.md").read_text(encoding="utf-8")
    shown = page.partition(f"$ trnkit cost {example} --alternatives{more}\n")[2]
    quoted = [line for line in shown.partition("```")[0].splitlines() if line != "..."]
    ran = trnkit("cost", str(ROOT / example), "--alternatives", *more.split())
    said = iter(ran.out.splitlines())
    assert len(quoted) > 8
    assert [line for line in quoted if line not in said] == [], "in this order"
