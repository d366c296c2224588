"""`trnkit cost`: formats, exit codes, assumptions, pipes, and two versions compared."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.synthesis import EXAMPLES, ROOT
from tests.trnkit.cli.conftest import MINIMAL
from tests.trnkit.layout.cost.price_list import RoundPrices
from trnkit.operations import costing

TRN1 = MINIMAL.replace("trn2.48xlarge", "trn1.32xlarge").replace("us-east-2", "us-west-2")
LARGER = TRN1.replace("count: 2", "count: 4")


REPORT = Path(__file__).with_name("cost_report.txt").read_text()


@pytest.fixture(autouse=True)
def round_prices(monkeypatch):
    """Prices that no later catalogue changes, and a table of any width."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(costing, "price_book", lambda cluster: RoundPrices())


@pytest.fixture
def files(folder):
    """A cluster, and a larger one."""
    (folder / "cluster.yaml").write_text(TRN1)
    (folder / "larger.yaml").write_text(LARGER)
    return folder


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_every_example_has_a_report_in_every_format(path, form, trnkit):
    ran = trnkit("cost", str(path), "--format", form)
    assert (ran.code, ran.err) == (0, "")
    assert "nan" not in ran.out
    assert "inf " not in ran.out


def test_the_report_says_total_parts_use_and_where_prices_are_from(trnkit, files):
    ran = trnkit("cost", "cluster.yaml")
    # 2 nodes: $43.00 an hour, $31,390.00 a month; 2 x 512 GB x $0.08 = $81.92; NAT $32.85 and its
    # address $3.65; 63 metrics x $0.30 = $18.90, 87,600 requests = $0.876;
    # 2 x 7 metrics of detailed monitoring x $0.30 = $4.20; a key, $1.00.
    assert ran.code == 0
    assert ran.out == REPORT


def test_explained_it_shows_the_arithmetic_and_source_of_each_line(trnkit, files):
    ran = trnkit("cost", "cluster.yaml", "--explain")
    assert (
        "  nodes: train: 2 x trn1.32xlarge, on demand = $31,390.00 a month\n"
        "      2 nodes x 730 hours x $21.50 an hour\n"
        "      trn1.32xlarge on-demand: round-prices, 2026-11-30\n"
    ) in ran.out


def test_json_is_one_object_with_lines_that_add_up(trnkit, files):
    ran = trnkit("cost", "cluster.yaml", "--format", "json", "--use", "nat-gb=1000")
    content = json.loads(ran.out)
    assert (ran.code, content["schema"], content["findings"][0]["severity"]) == (0, 1, "warning")
    assert content["monthly"]["low"] == pytest.approx(
        sum(line["monthly"]["low"] for line in content["lines"])
    )
    data = next(line for line in content["lines"] if line["use"] == "nat-gb")
    assert (data["quantity"], data["not_told"]) == (1000, False)
    assert data["monthly"] == {"low": 45.0, "high": 45.0}
    assert content["assumptions"]["nat_gb"] == 1000
    assert content["usd_per_chip_hour"]["nodes"] == {"low": 1.34375, "high": 1.34375}
    assert content["unknown"] == []


def test_hours_are_those_of_the_nodes(trnkit, files):
    def month(*more):
        ran = trnkit("cost", "cluster.yaml", "--format", "json", *more)
        return json.loads(ran.out)["lines"][0]["monthly"]["low"]

    assert month("--hours-per-month", "100") == pytest.approx(month() * 100 / 730)


def test_a_spot_price_can_be_told(trnkit, folder):
    spot = TRN1.replace("count: 2", "count: 2\n      capacity: {type: spot}")
    (folder / "cluster.yaml").write_text(spot)
    ran = trnkit("cost", "cluster.yaml", "--spot-price", "trn1.32xlarge=8.60")
    assert re.search(r"train: 2 x trn1\.32xlarge, Spot +\$8\.60 an hour +\$17\.20", ran.out)
    assert "1 of your own" in ran.out
    untold = trnkit("cost", "cluster.yaml")
    assert "up to $43.00" in untold.out
    assert "trn1.32xlarge spot: train: 2 x trn1.32xlarge, Spot (up to $43.00 an hour" in untold.out


def test_a_price_that_nobody_shows_is_unknown_and_the_sum_at_least(trnkit, files, monkeypatch):
    book = RoundPrices(lacking=["trn1.32xlarge on-demand"])
    monkeypatch.setattr(costing, "price_book", lambda cluster: book)
    ran = trnkit("cost", "cluster.yaml")
    assert ran.out.startswith("pretrain in us-west-2: at least $143.40 a month")
    assert "states a price):\n  trn1.32xlarge on-demand: train: 2 x" in ran.out


def test_old_prices_are_warned_of(trnkit, files, monkeypatch):
    monkeypatch.setattr(RoundPrices, "date", "2020-01-01")
    ran = trnkit("cost", "cluster.yaml")
    assert "warning: 7 prices older than 90 days: trn1.32xlarge on-demand, " in ran.out
    content = json.loads(trnkit("cost", "cluster.yaml", "--format", "json").out)
    assert "trn1.32xlarge on-demand" in content["stale_prices"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "name one cluster file, or two with --compare OLD NEW"),
        (["cluster.yaml", "--compare", "a", "b"], "name one cluster file, or two"),
        (["cluster.yaml", "--use", "nat-gbs=1"], "nat-gb"),
        (["cluster.yaml", "--use", "nat-gb"], "write --use nat-gb=5000"),
        (["cluster.yaml", "--use", "nat-gb=much"], "write --use nat-gb=5000"),
        (["cluster.yaml", "--use", "nat-gb=-1"], "write --use nat-gb=5000"),
        (["cluster.yaml", "--use", "nat-gb=nan"], "write --use nat-gb=5000"),
        (["cluster.yaml", "--use", "nat-gb=inf"], "write --use nat-gb=5000"),
        (["cluster.yaml", "--use", "nat-gb=1_0"], "write --use nat-gb=5000"),
        (["cluster.yaml", "--use", "nat-gb=٣"], "write --use nat-gb=5000"),
        (["cluster.yaml", "--spot-price", "trn1.32xlarge=1e-310"], "write --spot-price"),
        (["cluster.yaml", "--spot-price", "trn1.32xlarge=0"], "write --spot-price"),
        (["cluster.yaml", "--spot-price", "=8.60"], "write --spot-price"),
        (["cluster.yaml", "--use", "nat-gb=1", "--use", "nat-gb=2"], "told twice"),
        (["cluster.yaml", "--spot-price", "8.60"], "write --spot-price trn1.32xlarge=8.60"),
        (["cluster.yaml", "--hours-per-month", "800"], "--hours-per-month is 0 to 744, not 800"),
        (["cluster.yaml", "--hours-per-month", "nan"], "--hours-per-month is 0 to 744, not nan"),
        (["cluster.yaml", "--fail-above", "nan"], "--fail-above is an amount in US dollars"),
        (["cluster.yaml", "--fail-above", "inf"], "--fail-above is an amount in US dollars"),
        (["cluster.yaml", "--fail-above", "-1"], "--fail-above is an amount in US dollars"),
        (["--compare", "-", "-"], "standard input is one file"),
        (["cluster.yaml", "--output", "cluster.yaml"], "would replace what was judged"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(trnkit, files, arguments, complaint):
    ran = trnkit("cost", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err


def test_a_file_with_errors_has_these_and_no_number(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL.replace("count: 2", "count: many"))
    checked, ran = trnkit("check", "cluster.yaml"), trnkit("cost", "cluster.yaml")
    assert (ran.code, ran.out) == (1, checked.out)
    assert "$" not in ran.out
    content = json.loads(trnkit("cost", "cluster.yaml", "--format", "json").out)
    assert content["findings"][0]["severity"] == "error"
    assert "monthly" not in content


def test_a_file_that_cannot_be_read_is_exit_code_2(trnkit, files):
    assert trnkit("cost", "nothing.yaml").code == 2
    assert trnkit("cost", "--compare", "nothing.yaml", "cluster.yaml").code == 2


@pytest.mark.parametrize(("limit", "code"), [("31533.40", 0), ("31533.39", 1), ("0", 1)])
def test_a_month_above_the_limit_fails(trnkit, files, limit, code):
    # 31,390 + 81.92 + 32.85 + 3.65 + 18.90 + 4.20 + 0.876 + 1 = $31,533.396.
    ran = trnkit("cost", "cluster.yaml", "--fail-above", limit)
    assert ran.code == code
    word = "above" if code else "not above"
    assert f"pretrain: $31,533.40 a month, {word} $" in ran.out


def test_a_gate_does_not_open_for_what_nobody_knows(trnkit, files, monkeypatch):
    book = RoundPrices(lacking=["trn1.32xlarge on-demand"])
    monkeypatch.setattr(costing, "price_book", lambda cluster: book)
    for limit, verdict in (("100", ", above $100.00"), ("200", ", and maybe above $200.00: ")):
        one = trnkit("cost", "cluster.yaml", "--fail-above", limit)
        assert one.code == 1
        assert f"pretrain: at least $143.40 a month{verdict}" in one.out
    compare = ("cost", "--compare")
    two = trnkit(*compare, "cluster.yaml", "larger.yaml", "--fail-above", "100")
    assert two.code == 1
    assert "the increase: at least $99.60 a month, and maybe above $100.00: " in two.out
    less = trnkit(*compare, "larger.yaml", "cluster.yaml", "--fail-above", "0")
    assert less.code == 0, "less of what nobody knows costs no more"
    same = trnkit(*compare, "cluster.yaml", "cluster.yaml", "--fail-above", "0")
    assert same.code == 0, "what stays is no increase"


def test_a_comment_says_why_the_gate_is_shut(trnkit, files):
    ran = trnkit("cost", "cluster.yaml", "--format", "markdown", "--fail-above", "100")
    assert ran.code == 1
    assert "pretrain: \\$31,533.40 a month, above \\$100.00" in ran.out


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_slip_in_what_is_told_is_named(form, trnkit, files):
    slips = ("--spot-price", "trn1.32xlage=8", "--use", "home-gb=5")
    one = trnkit("cost", "cluster.yaml", *slips, "--format", form)
    two = trnkit("cost", "--compare", "cluster.yaml", "larger.yaml", *slips, "--format", form)
    assert (one.code, two.code) == (0, 0)
    for ran in (one, two):
        assert "--spot-price trn1.32xlage" in ran.out
        assert "--use home-gb" in ran.out
        assert "--spot-price trn1.32xlage" not in trnkit("cost", "cluster.yaml").out


def test_two_versions_are_compared_line_by_line(trnkit, files):
    # 2 nodes more: $43.00 an hour and $31,390.00 a month, volumes $81.92, metrics $12.60, requests
    # $0.876.
    ran = trnkit("cost", "--compare", "cluster.yaml", "larger.yaml")
    assert ran.code == 0
    assert ran.out.startswith("pretrain: +$31,489.60 a month, +$43.14 an hour (a month was ")
    assert "train: 2 x trn1.32xlarge, on demand -> train: 4 x trn1.32xlarge, on demand" in ran.out
    assert "+$31,390.00" in ran.out
    assert "NAT gateway" not in ran.out, "what stays is not told"


def test_a_file_compared_with_itself_costs_nothing_more(trnkit, files):
    ran = trnkit("cost", "--compare", "cluster.yaml", "cluster.yaml", "--fail-above", "0")
    assert ran.code == 0
    assert ran.out.startswith("pretrain: the cost does not change: $31,533.40 a month\n")
    content = json.loads(
        trnkit("cost", "--compare", "cluster.yaml", "cluster.yaml", "--format", "json").out
    )
    assert content["changes"] == []
    assert content["difference"]["monthly"] == {"least": 0, "most": 0}


@pytest.mark.parametrize(
    ("files_in_order", "limit", "code"),
    [
        (("cluster.yaml", "larger.yaml"), "31489", 1),
        (("cluster.yaml", "larger.yaml"), "31490", 0),
        (("larger.yaml", "cluster.yaml"), "0", 0),
    ],
)
def test_only_an_increase_above_the_limit_fails(trnkit, files, files_in_order, limit, code):
    ran = trnkit("cost", "--compare", *files_in_order, "--fail-above", limit)
    assert ran.code == code


def test_markdown_is_a_comment_that_shows_names_as_they_are(trnkit, folder):
    (folder / "old.yaml").write_text(TRN1)
    mounted = "  - {device_name: /dev/xvdf, size_gib: 100}\n"
    more = "count: 2\n      additional_volumes:\n      " + mounted
    (folder / "new.yaml").write_text(TRN1.replace("count: 2\n", more))
    ran = trnkit("cost", "--compare", "old.yaml", "new.yaml", "--format", "markdown")
    assert ran.code == 0
    assert ran.out.startswith("### Cost of pretrain\n\npretrain: +\\$16.00 a month")
    rows = [line for line in ran.out.splitlines() if line.startswith("|")]
    assert rows[1] == "|  |  |  | ---: | ---: |".replace("|  |  |  |", "| --- | --- | --- |")
    # 2 x 100 GB x $0.08 = $16.00 a month, / 730 = $0.0219 an hour.
    row = r"| added | node volumes | train: /dev/xvdf volume, storage | +\$0.0219 | +\$16.00 |"
    assert rows[2] == row
    assert {row.count(" | ") for row in rows} == {4}


def test_the_report_goes_to_a_file_and_the_text_to_the_log(trnkit, files):
    ran = trnkit("cost", "cluster.yaml", "--format", "markdown", "--output", "cost.md")
    assert ran.code == 0
    assert (files / "cost.md").read_text().startswith("### Cost of pretrain in us-west-2\n")
    assert ran.out == REPORT


def test_pipes_and_standard_input_are_read(files):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    command = f"{sys.executable} -m trnkit.cli.main cost --compare - <(cat larger.yaml)"
    ran = subprocess.run(
        ["bash", "-c", command],
        input=TRN1,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "train: 2 x trn1.32xlarge, on demand -> train: 4 x" in ran.stdout


def test_a_check_does_not_import_what_costs_need(files):
    code = (
        "import sys; from trnkit.cli.main import run; run(['check', 'cluster.yaml']); "
        "print([name for name in sys.modules if 'layout.cost' in name or 'costing' in name])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert ran.stdout.splitlines()[-1] == "[]"


def test_a_narrow_terminal_goes_without_unit_prices(trnkit, files, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    narrow = trnkit("cost", "cluster.yaml").out
    table = narrow.split("\n\n")[1].splitlines()
    assert max(map(len, table)) <= 80
    assert "unit price" not in narrow
    assert "$31,390.00" in narrow


def test_the_page_names_each_use_that_can_be_told():
    page = (ROOT / "docs/cost.md").read_text(encoding="utf-8")
    assert [name for name in costing.use_names() if f"`{name}`" not in page] == []


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@pytest.mark.parametrize("old", ["a page of yesterday\n", None])
def test_a_run_that_fails_leaves_the_report_of_the_one_before(trnkit, files, form, old):
    (files / "cluster.yaml").write_text(TRN1.replace("count: 2", "count: -2"))
    if old is not None:
        (files / "report").write_text(old)
    ran = trnkit("cost", "cluster.yaml", "--format", form, "--output", "report")
    assert ran.code == 1
    assert "count must be at least 0" in ran.out
    assert ran.out.endswith("\n\nnothing is written to report\n")
    assert ((files / "report").read_text() if old else (files / "report").exists()) == (
        old or False
    )


def test_json_can_say_that_there_is_no_number_and_does(trnkit, files):
    (files / "cluster.yaml").write_text(TRN1.replace("count: 2", "count: -2"))
    (files / "report").write_text("{}")
    trnkit("cost", "cluster.yaml", "--format", "json", "--output", "report")
    content = json.loads((files / "report").read_text())
    assert content["findings"][0]["severity"] == "error"
    assert "monthly" not in content


def test_a_comparison_that_fails_leaves_the_comment_of_the_one_before(trnkit, files):
    (files / "larger.yaml").write_text(TRN1.replace("count: 2", "count: -2"))
    (files / "comment.md").write_text("yesterday")
    more = ("--format", "markdown", "--output", "comment.md")
    assert trnkit("cost", "--compare", "cluster.yaml", "larger.yaml", *more).code == 1
    assert (files / "comment.md").read_text() == "yesterday"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("nat=1", "error: --use has no 'nat': did you mean nat-gb?"),
        ("s3-write=1", "error: --use has no 's3-write': did you mean s3-writes or s3-reads?"),
        ("zzz=1", "--use has no 'zzz': leave it out, and the report lists what the file needs"),
    ],
)
def test_a_use_that_there_is_not_names_the_nearest(trnkit, files, told, said):
    assert said in trnkit("cost", "cluster.yaml", "--use", told).err


def test_how_long_the_limit_lasts_is_told_in_every_form(trnkit, files):
    words = "passed after 23.3 hours at the latest when all nodes run day and night"
    # $1,000 / (2 x $21.50) = 23.26 hours.
    for form in ("text", "markdown", "html"):
        assert words in trnkit("cost", "cluster.yaml", "--format", form).out
    content = json.loads(trnkit("cost", "cluster.yaml", "--format", "json").out)
    assert content["limit"]["days"] == pytest.approx(1000 / 43 / 24)
    assert content["limit"]["days_to_enforcement"] is None
    plenty = TRN1.replace("limit_usd: 1000", "limit_usd: 90000")
    assert plenty != TRN1
    (files / "cluster.yaml").write_text(plenty)
    assert "passed after" not in trnkit("cost", "cluster.yaml").out


def test_the_moments_of_a_block_stand_below_its_fee(trnkit):
    example = str(ROOT / "examples/trn2-capacity-block.yaml")
    lines = trnkit("cost", example).out.splitlines()
    at = lines.index("paid beforehand, once:") + 2
    assert lines[at : at + 5] == [
        "    2027-03-01 11:30 UTC: the Capacity Block begins, nodes start",
        "    2027-03-08 10:35 UTC: nodes are told to write a checkpoint",
        "    2027-03-08 10:50 UTC: the group is scaled in to 0",
        "    2027-03-08 11:00 UTC: EC2 begins to terminate what still runs",
        "    2027-03-08 11:30 UTC: the Capacity Block ends",
    ]
    content = json.loads(trnkit("cost", example, "--format", "json").out)
    (nodes,) = [line for line in content["lines"] if line["component"] == "nodes"]
    assert nodes["moments"][1] == {
        "at": "2027-03-08T10:35:00Z",
        "what": "nodes are told to write a checkpoint",
    }
