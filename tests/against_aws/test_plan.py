"""`trnkit plan` as people run it: ten Regions, and what becomes of one that does not answer."""

from __future__ import annotations

import pytest

from tests.against_aws.command import SECRETS, CommandLine
from tests.aws_server.faults import Fault, Rule
from tests.aws_server.market import TEN_REGIONS, list_price
from tests.aws_server.server import operations_of
from tests.synthesis import ROOT
from tests.trnkit.operations.preflight.fake_account import ACCOUNT
from trnkit.aws.permissions import read_operations

READS = {(operation.service, operation.name) for operation in read_operations()}
REGIONS = ("--regions", ",".join(TEN_REGIONS))
FOUR = ("--instance-type", "trn1.32xlarge", "--count", "4", "--hours", "168", *REGIONS)
OFFERING = {"us-east-1", "us-east-2", "us-west-2", "ap-south-1", "ap-southeast-2", "ap-southeast-4"}
"""Where moto, which has it from AWS, offers trn1.32xlarge."""


@pytest.fixture(scope="module")
def quiet(server, tmp_path_factory):
    """The plan of ten Regions on a day when everything is answered, and what was asked for it."""
    trnkit = CommandLine(server.endpoint, tmp_path_factory.mktemp("home"))
    with server.wrong() as calls:
        done = trnkit("plan", *FOUR, "--format", "json")
    assert not server.problems, "\n".join(server.problems)
    return done, tuple(calls)


def had(told):
    return {option["region"] for option in told["options"] if option["verdict"] == "can"}


def answers(told, region):
    """What is said of a Region, without its place among the others, and without commands.

    A command to reserve holds the minute of the plan.
    """
    return [
        {key: value for key, value in option.items() if key not in ("rank", "commands")}
        for option in told["options"]
        if option["region"] == region
    ]


def test_ten_regions_are_planned_and_the_cheapest_comes_first(quiet):
    done, _ = quiet
    told = done.json()
    assert done.code == 0
    assert done.stderr == ""
    assert had(told) == OFFERING
    assert {option["region"] for option in told["options"]} == set(TEN_REGIONS)
    best = told["options"][0]
    assert (best["region"], best["way"]) == ("us-east-1", "spot")
    (part,) = next(o for o in told["options"] if o["way"] == "on-demand")["parts"]
    assert part["usd_per_node_hour"] == list_price("trn1.32xlarge", "us-east-1")
    assert told["unanswered"] == []


def test_nothing_but_declared_reads_is_called_and_nothing_is_bought(quiet):
    _, calls = quiet
    asked = operations_of(calls)
    assert asked <= READS
    assert {name for _, name in asked} >= {
        "DescribeCapacityBlockOfferings",
        "DescribeSpotPriceHistory",
        "GetProducts",
        "GetServiceQuota",
        "GetSpotPlacementScores",
    }


def test_every_region_is_asked_and_where_the_type_is_not_offered_little_is(quiet):
    _, calls = quiet
    asked = {region: set() for region in TEN_REGIONS}
    for call in calls:
        asked[call.question.region].add(call.question.operation)
    for region in TEN_REGIONS:
        assert "DescribeInstanceTypeOfferings" in asked[region]
        assert ("DescribeSpotPriceHistory" in asked[region]) == (region in OFFERING)


def test_who_asks_is_not_told(quiet):
    done, _ = quiet
    for word in (*SECRETS, ACCOUNT, "arn:aws:"):
        assert word not in done.stdout


def test_regions_that_hang_are_off_or_denied_cost_themselves_and_not_the_others(quiet, aws, trnkit):
    wrong = (
        Rule(fault=Fault.HANG, region="us-west-2"),
        Rule(fault=Fault.REGION_OFF, region="ap-southeast-4"),
        Rule(fault=Fault.DENIED, region="ap-south-1", service="ec2"),
        Rule(fault=Fault.CAPTIVE_PORTAL, region="sa-east-1"),
    )
    with aws.wrong(*wrong) as calls:
        done = trnkit("plan", *FOUR, "--timeout", "12", "--format", "json")
    assert done.code == 0
    assert done.stderr == ""
    assert 12 <= done.seconds < 12 + 12
    # What hangs is remembered when the client is gone, which may be a moment after this.
    assert {call.fault for call in calls} >= {rule.fault for rule in wrong[1:]}
    assert [asked for asked in aws.begun if asked.region == "us-west-2"]
    told, before = done.json(), quiet[0].json()
    assert had(told) == OFFERING - {"us-west-2", "ap-southeast-4", "ap-south-1"}
    for region in ("us-east-1", "us-east-2", "ap-southeast-2", "eu-west-1"):
        assert answers(told, region) == answers(before, region)
    silent = {region: one["message"] for one in told["unanswered"] for region in one["regions"]}
    assert "in time" in silent["us-west-2"] or "the time is over" in silent["us-west-2"]
    assert "enable-region --region-name ap-southeast-4" in silent["ap-southeast-4"]
    assert "is not allowed (UnauthorizedOperation: User: (an ARN)" in silent["ap-south-1"]
    assert "the reply is not AWS's" in silent["sa-east-1"]


def test_under_throttling_the_plan_is_the_same(quiet, aws, trnkit):
    with aws.wrong(Rule(fault=Fault.THROTTLED, every=9)) as calls:
        done = trnkit("plan", *FOUR, "--format", "json")
    assert sum(call.fault is Fault.THROTTLED for call in calls) >= 5
    assert done.code == 0
    told, before = done.json(), quiet[0].json()
    for region in TEN_REGIONS:
        assert answers(told, region) == answers(before, region)


def test_an_account_that_cannot_be_asked_is_exit_code_3(aws, trnkit):
    with aws.wrong(Rule(fault=Fault.EXPIRED)):
        done = trnkit("plan", *FOUR, "--format", "json")
    assert done.code == 3
    assert "sign in again" in done.json()["failure"]
    assert "Traceback" not in done.stdout + done.stderr


def test_the_choice_is_written_into_the_file(aws, trnkit, tmp_path):
    text = (ROOT / "examples" / "trn1-oregon.yaml").read_text(encoding="utf-8")
    file = tmp_path / "cluster.yaml"
    file.write_text(text, encoding="utf-8")
    done = trnkit("plan", str(file), "--regions", "us-east-1,us-west-2", "--write")
    assert done.code == 0, done.stdout + done.stderr
    assert "region: us-east-1" in file.read_text(encoding="utf-8")
    assert operations_of(aws.calls) <= READS
