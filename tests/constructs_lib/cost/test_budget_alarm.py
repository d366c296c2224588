"""BudgetAlarm: an alert that arrives."""

from __future__ import annotations

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns

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
        ("a.b", "{c}$d", "user:a.b${c}$d"),
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
        pytest.param(
            {"notifications": [BudgetNotification(80, amount=900)]}, "got 2 of them", id="both"
        ),
        pytest.param({"notifications": [BudgetNotification()]}, "got 0 of them", id="neither"),
        pytest.param({"notifications": [BudgetNotification(0.05)]}, "0.1 to 1e", id="too-small"),
        pytest.param(
            {"time_unit": "DAILY", "notifications": [BudgetNotification(80, "FORECASTED")]},
            "DAILY budget takes no FORECASTED",
            id="daily-forecast",
        ),
        pytest.param(
            {"notifications": [BudgetNotification(80, emails=tuple(addresses(11)))]},
            "1 to 10 addresses, got 11",
            id="BUD-04 of one notification",
        ),
        pytest.param({"delivery": "topic", "emails": []}, "nobody hears", id="BUD-07 topic"),
        pytest.param({"delivery": "topic", "emails": EMAILS * 2}, "twice", id="topic-twice"),
        pytest.param(
            {
                "delivery": "topic",
                "notifications": [BudgetNotification(80, emails=("b@example.com",))],
            },
            "has no addresses of its own",
            id="topic-own",
        ),
        pytest.param({"limit_usd": 0}, "must be 0.01 to 1000000000, got 0", id="BUD-14 zero"),
        pytest.param({"limit_usd": -5}, "must be 0.01 to 1000000000, got -5", id="BUD-14 negative"),
        pytest.param(
            {"limit_usd": float("nan")}, "must be a number 0.01 to 1000000000, got nan", id="nan"
        ),
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


def test_amounts_and_addresses_of_one_notification(make, budget):
    make(notifications=[BudgetNotification(amount=750.5, emails=("b@example.com",))])
    (alert,) = budget()["NotificationsWithSubscribers"]
    assert alert["Notification"] == {
        "ComparisonOperator": "GREATER_THAN",
        "NotificationType": "ACTUAL",
        "Threshold": 750.5,
        "ThresholdType": "ABSOLUTE_VALUE",
    }
    assert next(s["Address"] for s in alert["Subscribers"]) == "b@example.com"


def test_accounts_are_filtered_by_id(make, budget):
    make(linked_accounts=["123456789012"], services=["Amazon FSx"])
    assert budget()["Budget"]["CostFilters"] == {
        "Service": ["Amazon FSx"],
        "LinkedAccount": ["123456789012"],
    }


def test_bud_14_the_accounts_own_currency(make, budget):
    make(currency="CNY")
    assert budget()["Budget"]["BudgetLimit"]["Unit"] == "CNY"


def test_by_topic_the_addresses_are_subscriptions(make, budget, resources):
    make(delivery="topic", emails=addresses(12))
    for alert in budget()["NotificationsWithSubscribers"]:
        assert [s["SubscriptionType"] for s in alert["Subscribers"]] == ["SNS"]
    subscriptions = resources("AWS::SNS::Subscription").values()
    assert sorted(s["Properties"]["Endpoint"] for s in subscriptions) == sorted(addresses(12))
    (topic_id,) = resources("AWS::SNS::Topic")
    assert {s["Properties"]["TopicArn"]["Ref"] for s in subscriptions} == {topic_id}


def test_bud_05_06_a_topic_and_key_of_the_app_let_budgets_in(make, stack, resources):
    key = kms.Key(stack, "Mine")
    topic = sns.Topic(stack, "Alerts", master_key=key)
    make(topic=topic, key=key, emails=[])
    assert len(resources("AWS::SNS::Topic")) == 1
    assert len(resources("AWS::KMS::Key")) == 1
    services = {"Service": "budgets.amazonaws.com"}
    for kind, document in (
        ("AWS::SNS::TopicPolicy", "PolicyDocument"),
        ("AWS::KMS::Key", "KeyPolicy"),
    ):
        found = [s for s in statements(resources, kind, document) if s["Principal"] == services]
        assert len(found) == 1
    (created,) = resources("AWS::Budgets::Budget").values()
    assert created["DependsOn"] == list(resources("AWS::SNS::TopicPolicy"))


def test_bud_06_a_key_of_ones_own_for_the_new_topic(make, stack, resources):
    key = kms.Key(stack, "Mine")
    alarm = make(key=key)
    assert alarm.key is key
    (key_id,) = resources("AWS::KMS::Key")
    (topic,) = resources("AWS::SNS::Topic").values()
    assert topic["Properties"]["KmsMasterKeyId"] == {"Fn::GetAtt": [key_id, "Arn"]}


def test_an_imported_topic_and_key_are_left_alone(make, stack, resources, budget):
    arn = "arn:aws:sns:us-east-1:111122223333:alerts"
    key = kms.Key.from_key_arn(stack, "Key", "arn:aws:kms:us-east-1:111122223333:key/0123abcd")
    make(topic=sns.Topic.from_topic_arn(stack, "Alerts", arn), key=key, emails=[])
    assert {r["Type"] for r in resources().values()} == {"AWS::Budgets::Budget"}
    for alert in budget()["NotificationsWithSubscribers"]:
        assert alert["Subscribers"] == [{"SubscriptionType": "SNS", "Address": arn}]


def test_several_budgets_on_one_topic_are_let_in_once(make, stack, resources):
    first = make()
    BudgetAlarm(stack, "Second", limit_usd=5, topic=first.topic, key=first.key)
    for kind, document, sid in (
        ("AWS::SNS::TopicPolicy", "PolicyDocument", "BudgetsMayPublish"),
        ("AWS::KMS::Key", "KeyPolicy", "BudgetsMayEncrypt"),
    ):
        sids = [s.get("Sid") for s in statements(resources, kind, document)]
        assert sids.count(sid) == 1
