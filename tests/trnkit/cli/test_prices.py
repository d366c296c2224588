"""`trnkit prices list` and `show`."""

import json

import pytest

from tests.synthesis import ROOT

AGREEMENT = str(ROOT / "examples" / "prices" / "agreement.yaml")


def test_every_item_is_listed_with_unit_price_and_date(trnkit):
    ran = trnkit("prices", "list")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].split() == ["ITEM", "UNIT", "USD", "REGIONS", "DATE", "SERVICE"]
    assert any(line.split()[:3] == ["nat-gateway-hour", "hour", "0.045"] for line in lines)
    unknown = next(line for line in lines if line.startswith("trn2.48xlarge on-demand"))
    assert "unknown" in unknown


@pytest.mark.parametrize(
    ("pattern", "keys"),
    [
        ("nat-gateway", {"nat-gateway-hour", "nat-gateway-data"}),
        ("eks-*-hour", {"eks-control-plane-hour", "eks-control-plane-extended-hour"}),
        ("trn1n.*", {"trn1n.32xlarge on-demand"}),
        ("zzz", set()),
    ],
)
def test_a_pattern_chooses_keys(trnkit, pattern, keys):
    told = json.loads(trnkit("prices", "list", "--item", pattern, "--format", "json").out)
    assert {one["key"] for one in told["prices"]} == keys


def test_a_pattern_without_a_key_says_so(trnkit):
    assert "no item has such a key" in trnkit("prices", "list", "--item", "zzz").out


def test_a_file_of_prices_counts_first(trnkit):
    ran = trnkit("prices", "list", "--region", "us-east-2", "--file", AGREEMENT, "--format", "json")
    prices = {one["key"]: one["price"] for one in json.loads(ran.out)["prices"]}
    assert prices["trn2.48xlarge on-demand"]["low"] == 38.5
    assert prices["trn1.32xlarge on-demand"]["discount_percent"] == 12
    assert prices["nat-gateway-hour"]["discount_percent"] == 0


def test_a_type_that_only_the_file_knows_is_listed(trnkit, tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text(
        "version: 1\ndate: 2026-11-30\nsource: x\n"
        "prices: [{instance_type: m9z.large, purchase: spot, usd_per_hour: 0.02}]\n"
    )
    ran = trnkit("prices", "show", "m9z.large", "--region", "us-east-2", "--file", str(path))
    assert (ran.code, "0.02 USD" in ran.out) == (0, True)


def test_a_price_is_shown_with_source_address_and_question(trnkit):
    ran = trnkit("prices", "show", "ebs-gp3-storage", "--region", "us-east-1")
    assert ran.code == 0
    assert "GB-month: gp3 volumes" in ran.out
    assert "in us-east-1" in ran.out
    assert "https://" in ran.out
    assert "by trnkit prices refresh: AmazonEC2, EBS:VolumeUsage.gp3" in ran.out


def test_a_type_is_shown_as_each_purchase(trnkit):
    ran = trnkit("prices", "show", "trn1.32xlarge", "--region", "us-east-2")
    assert "trn1.32xlarge on-demand  (Amazon EC2)" in ran.out
    assert "trn1.32xlarge capacity-block  (Amazon EC2)" in ran.out


def test_what_nobody_knows_is_said_to_be_unknown(trnkit):
    ran = trnkit("prices", "show", "trn2.48xlarge on-demand", "--region", "us-east-2")
    assert (ran.code, "unknown: no source shows a price" in ran.out) == (0, True)


def test_a_disagreement_of_sources_is_told(trnkit):
    told = json.loads(trnkit("prices", "list", "--format", "json").out)["prices"]
    keys = [one["key"] for one in told if any(p["disagreements"] for p in one["shipped"])]
    assert keys
    assert "sources disagree" in trnkit("prices", "show", keys[0]).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "ebs-gp3-storag"), "did you mean ebs-gp3-storage"),
        (("show", "efa"), "AWS does not bill efa"),
        (("show", "zzzzzz"), "trnkit prices list has them all"),
        (("show", "ebs-gp3-storage", "--region", "Ohio"), "is no Region"),
        (("list", "--region", "Ohio"), "is no Region"),
        (("list", "--file", "missing.yaml"), "there is no such file"),
        (("list", "--file", "/dev/zero"), "not a regular file"),
        (("list", "--file", "."), "this is a folder"),
    ],
)
def test_what_is_asked_wrongly_is_exit_code_2(trnkit, arguments, words):
    ran = trnkit("prices", *arguments)
    assert ran.code == 2
    assert words in ran.err


def test_a_file_that_is_wrong_is_exit_code_1_with_its_place(trnkit, tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text("version: 1\ndate: 2026-11-30\nsource: x\nprices: [{item: zzz, usd: 0}]\n")
    ran = trnkit("prices", "list", "--file", str(path))
    assert ran.code == 1
    assert "prices.yaml:4" in ran.err


def test_old_prices_are_noted_with_what_to_do(trnkit, tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text(
        "version: 1\ndate: 2020-01-01\nsource: an old offer\n"
        "prices: [{item: nat-gateway-hour, usd: 0.03}]\n"
    )
    arguments = ("prices", "list", "--region", "us-east-2", "--item", "nat-gateway-hour")
    ran = trnkit(*arguments, "--file", str(path))
    assert ran.code == 0
    assert "from an old offer: last compared on 2020-01-01" in ran.out
    told = json.loads(trnkit(*arguments, "--file", str(path), "--format", "json").out)
    assert len(told["notes"]) == 1
