"""`trnkit prices refresh` against an AWS over the network."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from tests.aws_server.faults import Fault, Rule
from tests.aws_server.server import operations_of
from trnkit.aws.permissions import read_operations
from trnkit.config.prices_file import load_prices_file
from trnkit.layout.price_book import book_of

READS = {(operation.service, operation.name) for operation in read_operations()}
REGION = ("--region", "us-east-2")
BY_HAND = """\
# Ours, with our comments.
version: 1
date: 2026-11-30
source: "Enterprise agreement"   # annex B
region: us-east-2
prices:
  - {item: ebs-gp3-storage, usd: 0.07}
discount: {percent: 10}
"""


def refresh(trnkit, output, *more):
    return trnkit("prices", "refresh", "--output", str(output), "--format", "json", *more)


def by_item(told):
    return {(one["item"], one["region"]): one for one in told["prices"]}


def test_the_list_is_read_page_by_page_and_becomes_a_file_that_a_cluster_can_name(
    aws, trnkit, tmp_path
):
    output = tmp_path / "prices.yaml"
    done = refresh(trnkit, output, *REGION)
    assert done.code == 0, done.stdout[-2000:] + done.stderr
    told = done.json()
    assert told["complete"]
    assert told["written"]
    assert operations_of(aws.calls) == {("pricing", "GetProducts")} <= READS
    prices = by_item(told)
    gp3 = prices["ebs-gp3-storage", "us-east-2"]
    assert (gp3["usd"], gp3["taken"]) == (0.09, True)
    assert prices["ebs-gp3-throughput", "us-east-2"]["usd"] == 0.04
    assert prices["trn1.32xlarge on-demand", "us-east-2"]["outcome"] in ("changed", "same")
    assert prices["nat-gateway-data", "us-east-2"]["outcome"] == "odd"
    assert prices["efs-archive-read", "us-east-2"]["outcome"] == "not listed"
    assert prices["s3-get-requests", "us-east-2"]["outcome"] == "several prices"
    assert "pcs-node-hour" in told["not_refreshed"]
    file = load_prices_file(output)
    assert file.list_prices.read == datetime.now(UTC).date().isoformat()
    assert file.list_prices.regions == ("us-east-2",)
    assert book_of(file).service("ebs-gp3-storage", "us-east-2").low == 0.09
    assert {entry.key for entry in file.list_prices.prices} == {
        one["item"] for one in told["prices"] if one["taken"]
    }


def test_the_same_answers_are_the_same_bytes(trnkit, tmp_path):
    output = tmp_path / "prices.yaml"
    refresh(trnkit, output, *REGION)
    first = output.read_bytes()
    again = refresh(trnkit, output, *REGION)
    assert (again.code, again.json()["written"]) == (0, False)
    assert output.read_bytes() == first


def test_what_people_wrote_stays_letter_by_letter(trnkit, tmp_path):
    output = tmp_path / "prices.yaml"
    output.write_text(BY_HAND)
    assert refresh(trnkit, output, *REGION).code == 0
    assert output.read_text().startswith(BY_HAND)
    assert refresh(trnkit, output, *REGION, "--region", "eu-west-1").code == 0
    assert output.read_text().startswith(BY_HAND)
    book = book_of(load_prices_file(output))
    assert book.service("ebs-gp3-storage", "us-east-2").low == 0.07
    assert book.service("ebs-gp3-storage", "eu-west-1").low == pytest.approx(0.09 * 0.9)
    lost = refresh(trnkit, output, *REGION)
    assert lost.code == 2
    assert "add --region eu-west-1" in lost.json()["failure"]


def test_types_that_are_named_are_asked_for_and_stay_in_the_file(trnkit, tmp_path):
    output = tmp_path / "prices.yaml"
    one = refresh(trnkit, output, *REGION, "--instance-type", "p5.48xlarge")
    assert by_item(one.json())["p5.48xlarge on-demand", "us-east-2"]["outcome"] == "not listed"
    two = refresh(trnkit, output, *REGION, "--instance-type", "trn2.48xlarge")
    assert by_item(two.json())["trn2.48xlarge on-demand", "us-east-2"]["usd"] == 41.2
    three = refresh(trnkit, output, *REGION, "--instance-type", "trn1.2xlarge")
    assert ("trn2.48xlarge on-demand", "us-east-2") in by_item(three.json())


def test_a_person_is_told_what_changed_and_what_is_missing(trnkit, tmp_path):
    output = str(tmp_path / "prices.yaml")
    done = trnkit("prices", "refresh", "--region", "us-east-1", "--output", output)
    assert done.code == 0
    assert "ebs-gp3-storage" in done.stdout
    assert "+12.5 %" in done.stdout
    assert "not listed by AWS in US dollars: efs-archive-read" in done.stdout
    assert "budget: {prices_file:" in done.stdout


FAULTS = {
    "denied": (Fault.DENIED, "pricing:GetProducts"),
    "expired": (Fault.EXPIRED, "expired"),
    "half an answer": (Fault.HALF, "it is not JSON"),
    "an empty answer": (Fault.EMPTY, "not one price in US dollars"),
    "a web page": (Fault.CAPTIVE_PORTAL, "GetProducts"),
    "throttled for good": (Fault.THROTTLED, "GetProducts"),
    "cut short": (Fault.CUT_SHORT, "GetProducts"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_answer_is_exit_code_3_and_leaves_the_file_as_it_was(aws, trnkit, tmp_path, name):
    fault, words = FAULTS[name]
    output = tmp_path / "prices.yaml"
    output.write_text(BY_HAND)
    with aws.wrong(Rule(fault=fault, service="pricing")):
        done = refresh(trnkit, output, *REGION, "--timeout", "20")
    assert done.code == 3, done.stdout + done.stderr
    told = done.json()
    assert not told["complete"]
    assert words in json.dumps(told["unanswered"])
    assert output.read_text() == BY_HAND
    assert list(tmp_path.iterdir()) == [output]


def test_one_page_that_is_missing_is_no_list(aws, trnkit, tmp_path):
    output = tmp_path / "prices.yaml"
    with aws.wrong(Rule(fault=Fault.HALF, operation="GetProducts", every=9)):
        done = refresh(trnkit, output, *REGION)
    assert done.code == 3
    assert done.json()["prices"], "what was answered is told"
    assert not output.exists()


def test_throttling_now_and_then_is_waited_out(aws, trnkit, tmp_path):
    with aws.wrong(Rule(fault=Fault.THROTTLED, operation="GetProducts", every=5)):
        done = refresh(trnkit, tmp_path / "prices.yaml", *REGION)
    assert (done.code, done.json()["complete"]) == (0, True)


def test_an_aws_that_hangs_ends_with_the_time(aws, trnkit, tmp_path):
    with aws.wrong(Rule(fault=Fault.HANG, service="pricing")):
        done = refresh(trnkit, tmp_path / "prices.yaml", *REGION, "--timeout", "4")
    assert done.code == 3
    assert done.seconds < 15
    assert "--timeout" in json.dumps(done.json()["unanswered"])


def test_a_region_that_is_billed_in_yuan_has_no_price(trnkit, tmp_path):
    output = tmp_path / "prices.yaml"
    done = refresh(trnkit, output, *REGION, "--region", "cn-north-1")
    assert done.code == 3
    assert "not one price in US dollars for cn-north-1" in done.stdout
    assert not output.exists()


@pytest.mark.parametrize("text", ["prices: [", "{version: 1}", "images: []\n", "\x00"])
def test_another_file_is_not_replaced_and_aws_is_not_asked(aws, trnkit, tmp_path, text):
    output = tmp_path / "other.yaml"
    output.write_text(text)
    done = refresh(trnkit, output, *REGION)
    assert done.code == 2
    assert "is not replaced" in done.json()["failure"]
    assert output.read_text() == text
    assert aws.calls == []
