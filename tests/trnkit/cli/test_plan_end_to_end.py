"""`trnkit plan` from the command line to clients of boto3, whose answers have AWS's shapes."""

from __future__ import annotations

import json

import pytest

from tests.trnkit.operations.planning.market_answers import REGIONS, answers, zone_id
from tests.trnkit.operations.preflight.fake_account import DENIED, THROTTLED, FakeAccount, Refusal
from trnkit.aws import session as session_module

WAYS = ("capacity-block", "on-demand", "on-demand-reservation", "spot")
CLUSTER = """\
version: 1
name: sweep            # ours
region: us-east-2
compute:
  node_groups:
    - name: train
      instance_type: trn1.32xlarge
      count: 2         # nodes
storage:
  lustre_file_systems:
    - {name: fsx, storage_capacity_gib: 4800}
budget: {limit_usd: 1000, scope: account, emails: [ml@example.com]}
"""


@pytest.fixture
def account(monkeypatch, folder):
    """Let the command find an account that answers as told."""
    (folder / "cluster.yaml").write_text(CLUSTER)

    def say(**changes):
        made = FakeAccount(answers() | changes)
        monkeypatch.setattr(session_module, "AwsSession", lambda **_: made)
        return made

    return say


def plan(trnkit, *arguments):
    """The plan of four instances of a type, as JSON."""
    wants = ("--instance-type", "trn1.32xlarge", "--count", "4", "--hours", "24")
    ran = trnkit("plan", *wants, "--format", "json", *arguments)
    return ran, json.loads(ran.out)


def only(said, way, zone):
    """The one option of a way and a zone."""
    (found,) = [o for o in said["options"] if (o["way"], o["zone_id"]) == (way, zone)]
    return found


def test_ten_regions_and_every_way(account, trnkit):
    made = account()
    ran, said = plan(trnkit, "--regions", ",".join(REGIONS))
    assert (ran.code, said["unanswered"], ran.err) == (0, [], "")
    assert {option["region"] for option in said["options"]} == set(REGIONS)
    zone = zone_id("us-east-2", 1)
    bought = only(said, "on-demand", zone)
    (part,) = bought["parts"]
    assert (bought["verdict"], bought["offered"], bought["quota_room"]) == ("can", "yes", "yes")
    assert (part["usd_per_node_hour"], bought["usd_whole"]) == (20.5, 20.5 * 4 * 24)
    assert bought["quotas"][0] == {
        "quota_code": "L-2C3B7624",
        "name": "Running On-Demand Trn instances",
        "limit": 1024.0,
        "used": 128,
        "needed": 512,
        "room": "yes",
    }
    spare = only(said, "spot", zone)
    assert (spare["verdict"], spare["quota_room"]) == ("cannot", "no")
    assert spare["parts"][0]["placement_score"] == 3
    assert spare["parts"][0]["spot"]["current_usd"] == 2.15
    assert spare["commands"][0].endswith("--quota-code L-6B0D517C --desired-value 512")
    block = only(said, "capacity-block", zone_id("us-east-2", 3))
    assert (block["usd_whole"], block["quota_room"]) == (915.07, "not needed")
    assert only(said, "on-demand", zone_id("us-east-2", 2))["verdict"] == "cannot"
    # The cheapest of what can be had: a block, in the first Region by name.
    best = said["options"][0]
    assert (best["way"], best["region"]) == ("capacity-block", "ap-south-1")
    assert all(name.startswith(("Describe", "Get", "List")) for _, name, _ in made.asked)


@pytest.mark.parametrize("refusal", [DENIED, THROTTLED], ids=["denied", "throttled"])
@pytest.mark.parametrize(
    ("operation", "ways"),
    [
        ("DescribeInstanceTypeOfferings", ("on-demand", "on-demand-reservation", "spot")),
        ("GetServiceQuota", ("on-demand", "on-demand-reservation", "spot")),
        ("DescribeInstances", ("on-demand", "on-demand-reservation", "spot")),
        ("DescribeCapacityBlockOfferings", ("capacity-block",)),
        ("DescribeAvailabilityZones", WAYS),
        ("DescribeSpotPriceHistory", ()),
        ("GetSpotPlacementScores", ()),
    ],
)
def test_a_question_without_an_answer_is_unknown_and_said_once(
    account, trnkit, operation, ways, refusal
):
    account(**{operation: refusal})
    ran, said = plan(trnkit, "--regions", "us-east-2,us-west-2")
    (lost,) = said["unanswered"]
    assert lost["operation"] == operation
    assert (lost["permission"] is not None) is (refusal is DENIED)
    doubts = [
        (option["way"], option["zone_id"], text)
        for option in said["options"]
        for text in option["doubts"]
    ]
    # Answered: zones that offer the type, and of which there is no Spot price.
    unsold = [doubt for doubt in doubts if doubt[2].startswith("EC2 tells no Spot price")]
    assert {way for way, _, _ in set(doubts) - set(unsold)} == set(ways)
    assert zone_id("us-east-2", 1) not in {zone for _, zone, _ in unsold}
    assert {way for way, _, _ in unsold} <= {"spot"}
    can = {option["way"] for option in said["options"] if option["verdict"] == "can"}
    assert can.isdisjoint(ways)
    assert ran.code == int(not can)


def test_without_the_price_list_the_catalogue_tells_a_price_or_nobody_does(account, trnkit):
    account(GetProducts=DENIED)
    ran, said = plan(trnkit, "--regions", "us-east-2,sa-east-1", "--purchase", "on-demand")
    known = only(said, "on-demand", zone_id("us-east-2", 1))
    assert known["parts"][0]["usd_per_node_hour"] == 21.5
    assert known["parts"][0]["price_source"] != "AWS Price List"
    lacking = only(said, "on-demand", zone_id("sa-east-1", 1))
    assert (lacking["usd_whole"], lacking["verdict"]) == (None, "can")
    (lost,) = said["unanswered"]
    assert (lost["operation"], lost["permission"], ran.code) == (
        "GetProducts",
        "pricing:GetProducts",
        0,
    )


def test_an_account_that_cannot_be_asked_at_all(account, trnkit):
    account(**dict.fromkeys(answers(), Refusal("ExpiredTokenException", status=403)))
    ran, said = plan(trnkit, "--regions", "us-east-2")
    assert ran.code == 3
    assert "AWS could not be asked" in said["failure"]


def test_a_file_is_planned_and_written(account, trnkit, folder):
    account()
    ran = trnkit("plan", "cluster.yaml", "--regions", "us-east-2", "--format", "json")
    said = json.loads(ran.out)
    assert (ran.code, said["request"]["services"]) == (0, ["fsx"])
    assert {option["way"] for option in said["options"]} == {"on-demand"}

    def real_zones(told, region):
        zone = {"ZoneId": "usw2-az4", "ZoneName": "us-west-2a", "State": "available"}
        return {"AvailabilityZones": [zone]}

    def real_offerings(told, region):
        entry = {
            "InstanceType": "trn1.32xlarge",
            "LocationType": told["LocationType"],
            "Location": "usw2-az4",
        }
        return {"InstanceTypeOfferings": [entry]}

    account(DescribeAvailabilityZones=real_zones, DescribeInstanceTypeOfferings=real_offerings)
    ran = trnkit("plan", "cluster.yaml", "--regions", "us-west-2", "--write")
    assert ran.code == 0, ran.out + ran.err
    assert (folder / "cluster.yaml").read_text() == CLUSTER.replace(
        "region: us-east-2\n",
        "region: us-west-2\nnetwork:\n  availability_zone_id: usw2-az4\n",
    )


def test_the_default_regions_are_those_that_have_the_type(account, trnkit):
    account()
    ran, said = plan(trnkit)
    assert ran.code == 0
    assert {"us-east-1", "us-east-2", "us-west-2"} <= set(said["request"]["regions"])
