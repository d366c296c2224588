"""BudgetAlarm: an alert that arrives."""

from __future__ import annotations

import pytest
from aws_cdk import App, Environment, Stack

from constructs_lib.cost import BudgetAlarm, BudgetNotification, CostTag
from tests.synthesis import cdk_context
from trnkit.errors import ConstructError

EMAILS = ["ml-platform@example.com"]


@pytest.fixture
def make(stack):
    def alarm(**options):
        options = {"limit_usd": 1000, "emails": EMAILS} | options
        return BudgetAlarm(stack, "Alarm", **options)

    return alarm


@pytest.fixture
def budget(resources):
    def properties():
        (created,) = resources("AWS::Budgets::Budget").values()
        return created["Properties"]

    return properties


def addresses(n):
    return [f"person{i}@example.com" for i in range(n)]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("Project", "llm", "user:Project$llm"),
        ("a$b", "{c}$d", "user:a$b${c}$d"),
        ("team:cost centre", "x y", "user:team:cost centre$x y"),
    ],
)
def test_bud_01_the_tag_filter_is_exact(make, budget, key, value, expected):
    make(cost_tag=CostTag(key, value))
    assert budget()["Budget"]["CostFilters"] == {"TagKeyValue": [expected]}


def test_whole_account_has_no_filter(make, budget):
    make()
    assert "CostFilters" not in budget()["Budget"]


def test_bud_09_14_old_style_filters_in_dollars(make, budget):
    make(services=["Amazon FSx"], limit_usd=1234.5)
    created = budget()["Budget"]
    assert created["CostFilters"] == {"Service": ["Amazon FSx"]}
    assert created["BudgetLimit"] == {"Amount": 1234.5, "Unit": "USD"}
    assert created["BudgetType"] == "COST"
    assert "FilterExpression" not in created
    assert "BudgetName" not in created, "a named budget clashes with itself when it is replaced"


def test_bud_04_07_each_alert_reaches_addresses_and_one_topic(make, budget):
    make(
        emails=addresses(10),
        notifications=[BudgetNotification(50), BudgetNotification(90, "FORECASTED")],
    )
    alerts = budget()["NotificationsWithSubscribers"]
    assert [
        (a["Notification"]["Threshold"], a["Notification"]["NotificationType"]) for a in alerts
    ] == [
        (50, "ACTUAL"),
        (90, "FORECASTED"),
    ]
    for alert in alerts:
        kinds = [s["SubscriptionType"] for s in alert["Subscribers"]]
        assert kinds.count("EMAIL") == 10
        assert kinds.count("SNS") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"emails": addresses(11)}, "1 to 10 addresses, got 11", id="BUD-04"),
        pytest.param({"emails": []}, "1 to 10 addresses, got 0", id="BUD-07"),
        pytest.param({"emails": EMAILS * 2}, "an address twice", id="twice"),
        pytest.param(
            {"notifications": [BudgetNotification(80), BudgetNotification(80.0)]},
            "an entry twice",
            id="BUD-10",
        ),
        pytest.param({"notifications": []}, "got 0", id="no-notification"),
        pytest.param(
            {"notifications": [BudgetNotification(n) for n in range(1, 12)]},
            "1 to 10 entries, got 11",
            id="too-many",
        ),
        pytest.param({"limit_usd": 0}, "more than 0, got 0", id="BUD-14 zero"),
        pytest.param({"limit_usd": -5}, "more than 0, got -5", id="BUD-14 negative"),
        pytest.param({"limit_usd": float("nan")}, "more than 0, got nan", id="nan"),
    ],
)
def test_fails_when_no_alert_would_arrive(make, options, message):
    with pytest.raises(ConstructError, match=message):
        make(**options)


def statements(resources, kind, key):
    (created,) = resources(kind).values()
    return created["Properties"][key]["Statement"]


def test_bud_05_budgets_may_publish_from_this_account_only(make, resources):
    make()
    (allowed,) = (
        s
        for s in statements(resources, "AWS::SNS::TopicPolicy", "PolicyDocument")
        if s["Effect"] == "Allow"
    )
    assert allowed["Principal"] == {"Service": "budgets.amazonaws.com"}
    assert allowed["Action"] == "sns:Publish"
    assert allowed["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    arn = allowed["Condition"]["ArnLike"]["aws:SourceArn"]["Fn::Join"][1]
    assert arn == ["arn:aws:budgets::", {"Ref": "AWS::AccountId"}, ":*"]


def test_bud_06_the_topics_key_is_ours_and_lets_budgets_use_it(make, resources):
    make()
    (topic,) = resources("AWS::SNS::Topic").values()
    (key_id,) = resources("AWS::KMS::Key")
    assert topic["Properties"]["KmsMasterKeyId"] == {"Fn::GetAtt": [key_id, "Arn"]}
    (granted,) = (
        s
        for s in statements(resources, "AWS::KMS::Key", "KeyPolicy")
        if s["Principal"] == {"Service": "budgets.amazonaws.com"}
    )
    assert set(granted["Action"]) == {"kms:GenerateDataKey*", "kms:Decrypt"}


def test_the_policy_is_there_before_the_budget(make, resources):
    make()
    everything = resources()
    (policy,) = (k for k, r in everything.items() if r["Type"] == "AWS::SNS::TopicPolicy")
    (created,) = (r for r in everything.values() if r["Type"] == "AWS::Budgets::Budget")
    assert created["DependsOn"] == [policy]


@pytest.mark.parametrize("region", ["ap-south-2", "ap-southeast-4", "eu-north-1"])
def test_bud_13_fails_in_a_region_without_budgets(region):
    app = App(context=cdk_context(), builtin_cloud_formation_validation=False)
    stack = Stack(app, "Cost", env=Environment(region=region))
    with pytest.raises(ConstructError, match=f"{region} has no AWS::Budgets::Budget"):
        BudgetAlarm(stack, "Alarm", limit_usd=1, emails=EMAILS)
