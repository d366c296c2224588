"""CostAnomalyMonitor: alerts on unusual cost, to whom they can go."""

from __future__ import annotations

import json

import pytest
from aws_cdk import Tags
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns

from constructs_lib.cost import BudgetAlarm, CostAnomalyMonitor, CostTag
from trnkit.errors import ConstructError

EMAILS = ["ml-platform@example.com"]
TAG = CostTag("team", "ml")
ARN = "arn:aws:ce::111122223333:anomalymonitor/0123abcd-0000-4000-8000-000000000000"


@pytest.fixture
def make(stack):
    def monitor(construct_id="Anomalies", **options):
        options = {"watch": TAG, "threshold_usd": 100, "emails": EMAILS} | options
        return CostAnomalyMonitor(stack, construct_id, **options)

    return monitor


@pytest.fixture
def subscription(resources):
    def properties():
        (created,) = resources("AWS::CE::AnomalySubscription").values()
        return created["Properties"]

    return properties


@pytest.mark.parametrize(("key", "value"), [("team", "ml"), ('a"b', "c\\d $e"), ("é", "x: y")])
def test_a_tag_is_watched_by_its_plain_key(make, resources, key, value):
    make(watch=CostTag(key, value))
    (created,) = resources("AWS::CE::AnomalyMonitor").values()
    properties = created["Properties"]
    assert properties["MonitorType"] == "CUSTOM"
    assert "MonitorDimension" not in properties
    specification = json.loads(properties["MonitorSpecification"])
    assert specification == {"Tags": {"Key": key, "Values": [value]}}


def test_what_replaces_a_monitor_changes_its_name(stack, make, resources):
    make("One")
    make("Two", watch=CostTag("team", "other"))
    make("Three", watch="services")
    names = [r["Properties"]["MonitorName"] for r in resources("AWS::CE::AnomalyMonitor").values()]
    assert sorted(names) == ["AWS services", "team=ml", "team=other"]


def test_tags_of_the_app_never_replace_the_monitor(stack, make, resources):
    Tags.of(stack).add("owner", "somebody")
    make()
    for kind in ("AWS::CE::AnomalyMonitor", "AWS::CE::AnomalySubscription"):
        (created,) = resources(kind).values()
        assert "ResourceTags" not in created["Properties"]


def test_an_existing_monitor_is_not_made_again(make, resources, subscription):
    assert make(watch=ARN).monitor_arn == ARN
    assert not resources("AWS::CE::AnomalyMonitor")
    assert subscription()["MonitorArnList"] == [ARN]


def at_least(key, value):
    return {
        "Dimensions": {"Key": key, "MatchOptions": ["GREATER_THAN_OR_EQUAL"], "Values": [value]}
    }


DOLLARS, PERCENT = "ANOMALY_TOTAL_IMPACT_ABSOLUTE", "ANOMALY_TOTAL_IMPACT_PERCENTAGE"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"threshold_usd": 100}, at_least(DOLLARS, "100")),
        ({"threshold_usd": 1e10}, at_least(DOLLARS, "10000000000")),
        ({"threshold_usd": 0.5}, at_least(DOLLARS, "0.5")),
        ({"threshold_usd": None, "threshold_percent": 12.25}, at_least(PERCENT, "12.25")),
        (
            {"threshold_usd": 7, "threshold_percent": 40},
            {"And": [at_least(DOLLARS, "7"), at_least(PERCENT, "40")]},
        ),
    ],
)
def test_thresholds(make, subscription, options, expected):
    make(**options)
    assert json.loads(subscription()["ThresholdExpression"]) == expected
    assert "Threshold" not in subscription()


@pytest.mark.parametrize("frequency", ["DAILY", "WEEKLY"])
def test_summaries_go_to_addresses(make, subscription, frequency):
    make(frequency=frequency)
    assert subscription()["Frequency"] == frequency
    assert subscription()["Subscribers"] == [{"Type": "EMAIL", "Address": EMAILS[0]}]


def test_each_anomaly_at_once_goes_to_a_topic_that_lets_it_in(stack, make, resources, subscription):
    alarm = BudgetAlarm(stack, "Alarm", limit_usd=5, emails=EMAILS)
    make(frequency="IMMEDIATE", emails=[], topic=alarm.topic, key=alarm.key)
    (topic_id,) = resources("AWS::SNS::Topic")
    assert subscription()["Subscribers"] == [{"Type": "SNS", "Address": {"Ref": topic_id}}]
    for kind, document, actions in (
        ("AWS::SNS::TopicPolicy", "PolicyDocument", "sns:Publish"),
        ("AWS::KMS::Key", "KeyPolicy", ["kms:Decrypt", "kms:GenerateDataKey*"]),
    ):
        (created,) = resources(kind).values()
        (granted,) = (
            s
            for s in created["Properties"][document]["Statement"]
            if s["Principal"] == {"Service": "costalerts.amazonaws.com"}
        )
        assert granted["Action"] == actions
        own = {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
        assert granted["Condition"] == {"StringEquals": own}
    (created,) = resources("AWS::CE::AnomalySubscription").values()
    assert created["DependsOn"] == list(resources("AWS::SNS::TopicPolicy"))


def test_a_topic_and_key_of_others_are_left_alone(stack, make, resources):
    topic = sns.Topic.from_topic_arn(stack, "T", "arn:aws:sns:us-east-1:111122223333:alerts")
    key = kms.Key.from_key_arn(stack, "K", "arn:aws:kms:us-east-1:111122223333:key/0123abcd")
    make(frequency="IMMEDIATE", emails=[], topic=topic, key=key)
    kinds = {r["Type"] for r in resources().values()}
    assert kinds == {"AWS::CE::AnomalyMonitor", "AWS::CE::AnomalySubscription"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold_usd": None}, "threshold_usd, threshold_percent or both"),
        ({"threshold_usd": 0}, "threshold_usd must be more than 0"),
        ({"threshold_percent": -1}, "threshold_percent must be more than 0"),
        ({"threshold_usd": float("nan")}, "got nan"),
        ({"threshold_usd": 1e11}, "must be 10000000000 or less"),
        ({"emails": []}, "DAILY goes to addresses, and to no topic"),
        ({"emails": EMAILS * 2}, "an address twice"),
        ({"emails": ["a/b@example.com"]}, "does not take the address a/b@example.com"),
        ({"frequency": "IMMEDIATE"}, "IMMEDIATE goes to a topic, and to no address"),
        ({"watch": "everything"}, "watch must be"),
    ],
)
def test_what_cost_explorer_refuses_is_refused_before_anything_is_made(
    stack, make, options, message
):
    with pytest.raises(ConstructError, match=message):
        make(**options)
    assert not stack.node.find_child("Anomalies").node.children


def test_summaries_take_no_topic(stack, make):
    with pytest.raises(ConstructError, match="to no topic"):
        make(topic=sns.Topic(stack, "T"))
