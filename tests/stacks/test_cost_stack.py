"""The cost stack: several budgets, what a change of addresses does, anomaly detection."""

from __future__ import annotations

import json
import shlex

import botocore.session
import pytest
from botocore.validate import validate_parameters

from tests.synthesis import ROOT, example_assembly
from trnkit.config import read_cluster

BUDGET, SUBSCRIPTION = "AWS::Budgets::Budget", "AWS::SNS::Subscription"
TOPIC = "arn:aws:sns:us-west-2:111122223333:cost-alerts"


def cluster(budget):
    return read_cluster(
        "name: pretrain\nregion: us-east-2\n"
        "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 4}]}\n"
        f"budget: {{limit_usd: 5000, {budget}}}\n",
        "cluster.yaml",
    ).config


@pytest.fixture
def cost(synthesize):
    def resources(budget, kind=BUDGET):
        return synthesize(cluster(budget)).resources("Cost", kind)

    return resources


@pytest.fixture
def several():
    return example_assembly(ROOT / "examples" / "several-budgets.yaml")


def subscribers(budget):
    return [
        (s["SubscriptionType"], s["Address"])
        for alert in budget["Properties"]["NotificationsWithSubscribers"]
        for s in alert["Subscribers"]
    ]


def test_by_topic_other_addresses_leave_every_budget_alone(cost):
    """`NotificationsWithSubscribers` cannot change in place: the same text is the same budget."""
    further = "further_budgets: [{name: storage, limit_usd: 9, services: [Amazon FSx]}]"
    before = cost(f"delivery: topic, emails: [a@example.com], {further}")
    after = cost(f"delivery: topic, emails: [b@example.com, c@example.com], {further}")
    assert len(before) == 2
    assert before == after
    assert {kind for budget in before.values() for kind, _ in subscribers(budget)} == {"SNS"}


def test_direct_other_addresses_replace_the_budget_and_nothing_clashes(cost):
    ((before_id, before),) = cost("emails: [a@example.com]").items()
    ((after_id, after),) = cost("emails: [b@example.com]").items()
    assert before_id == after_id
    key = "NotificationsWithSubscribers"
    assert before["Properties"].pop(key) != after["Properties"].pop(key)
    assert before == after, "no other property changes"
    assert "BudgetName" not in before["Properties"]["Budget"], "AWS makes the name up"


@pytest.mark.parametrize("delivery", ["direct", "topic"])
def test_other_thresholds_replace_the_budget_and_nothing_clashes(cost, delivery):
    addresses = f"delivery: {delivery}, emails: [a@example.com]"
    before = cost(f"{addresses}, thresholds: [{{percent: 80}}]")
    after = cost(f"{addresses}, thresholds: [{{percent: 80}}, {{percent: 90}}]")
    assert before.keys() == after.keys()
    assert before != after
    for budget in (*before.values(), *after.values()):
        assert "BudgetName" not in budget["Properties"]["Budget"]


def test_no_budget_of_any_example_has_a_name(assembly):
    for budget in assembly.resources("Cost", BUDGET).values():
        assert "BudgetName" not in budget["Properties"]["Budget"]


def test_one_subscriber_more_leaves_the_others_confirmed(cost):
    kept = "delivery: topic, emails: [a@example.com, c@example.com]"
    before = cost(kept, SUBSCRIPTION)
    hook = "topic_subscribers: ['https://alerts.example.com/budget']"
    addresses = "emails: [b@example.com, c@example.com, a@example.com]"
    after = cost(f"delivery: topic, {addresses}, {hook}", SUBSCRIPTION)
    assert before.items() <= after.items()
    assert sorted(s["Properties"]["Protocol"] for s in after.values()) == [
        *("email", "email", "email", "https")
    ]


def test_the_order_of_further_budgets_does_not_matter_to_them(cost):
    one = "{name: storage, limit_usd: 9, services: [Amazon FSx]}"
    two = "{name: everything, limit_usd: 90, scope: account}"
    emails = "emails: [a@example.com]"
    there = cost(f"{emails}, further_budgets: [{one}, {two}]")
    back = cost(f"{emails}, further_budgets: [{two}, {one}]")
    assert len(there) == 3
    assert there == back
    alone = cost(f"{emails}, further_budgets: [{one}]")
    assert alone.items() <= there.items()


def test_further_budgets_filter_as_they_say(cost):
    budgets = cost(
        "emails: [a@example.com], further_budgets: ["
        "{name: storage, limit_usd: 9, services: [Amazon FSx]},"
        "{name: everything, limit_usd: 90, scope: account},"
        "{name: team, limit_usd: 8, scope: tag, tag: {key: 'cost centre', value: a.b}},"
        "{name: members, limit_usd: 7, scope: account, linked_accounts: ['123456789012']}]"
    )
    filters = {
        budget["Properties"]["Budget"]["BudgetLimit"]["Amount"]: budget["Properties"]["Budget"].get(
            "CostFilters"
        )
        for budget in budgets.values()
    }
    cluster_tag = "user:trnkit-cluster$pretrain"
    assert filters == {
        5000: {"TagKeyValue": [cluster_tag]},
        9: {"TagKeyValue": [cluster_tag], "Service": ["Amazon FSx"]},
        90: None,
        8: {"TagKeyValue": ["user:cost centre$a.b"]},
        7: {"LinkedAccount": ["123456789012"]},
    }


def test_one_topic_serves_all_budgets(several):
    assert len(several.resources("Cost", "AWS::SNS::Topic")) == 1
    assert len(several.resources("Cost", "AWS::KMS::Key")) == 1
    assert len(several.resources("Cost", BUDGET)) == 4
    statements = several.only("Cost", "AWS::SNS::TopicPolicy")["PolicyDocument"]["Statement"]
    assert [s["Sid"] for s in statements] == [
        *("AllowPublishThroughSSLOnly", "BudgetsMayPublish", "CostAlertsMayPublish")
    ]


def test_bud_10_the_same_threshold_with_other_recipients_is_one_notification(cost):
    (budget,) = cost(
        "emails: [a@example.com], thresholds: [{percent: 80}, {amount_usd: 80}, "
        "{percent: 80, emails: [b@example.com, A@example.com]}]"
    ).values()
    alerts = budget["Properties"]["NotificationsWithSubscribers"]
    found = [
        (
            alert["Notification"]["ThresholdType"],
            [s["Address"] for s in alert["Subscribers"] if s["SubscriptionType"] == "EMAIL"],
        )
        for alert in alerts
    ]
    assert found == [
        ("PERCENTAGE", ["a@example.com", "b@example.com"]),
        ("ABSOLUTE_VALUE", ["a@example.com"]),
    ]


def test_a_budget_per_day_has_no_forecast_by_default(cost):
    (budget,) = cost("time_unit: DAILY, emails: [a@example.com]").values()
    kinds = [
        alert["Notification"]["NotificationType"]
        for alert in budget["Properties"]["NotificationsWithSubscribers"]
    ]
    assert kinds == ["ACTUAL", "ACTUAL", "ACTUAL"]


def test_bud_14_another_currency_when_it_is_confirmed(cost):
    (budget,) = cost("currency: CNY, currency_confirmed: true, emails: [a@example.com]").values()
    assert budget["Properties"]["Budget"]["BudgetLimit"] == {"Amount": 5000, "Unit": "CNY"}


def test_an_existing_topic_is_used_as_it_is(synthesize):
    built = synthesize(cluster(f"delivery: topic, emails: [a@example.com], topic_arn: '{TOPIC}'"))
    kinds = {r["Type"] for r in built.templates["Cost"]["Resources"].values()}
    assert kinds == {BUDGET, SUBSCRIPTION}
    (budget,) = built.resources("Cost", BUDGET).values()
    assert set(subscribers(budget)) == {("SNS", TOPIC)}
    assert built.only("Cost", SUBSCRIPTION) == {
        "TopicArn": TOPIC,
        "Region": "us-west-2",
        "Protocol": "email",
        "Endpoint": "a@example.com",
    }


def test_an_address_that_is_written_twice_hears_once(cost):
    assert len(cost("delivery: topic, emails: [a@example.com, A@example.com]", SUBSCRIPTION)) == 1
    (budget,) = cost("emails: [a@example.com, a@example.com]").values()
    assert subscribers(budget).count(("EMAIL", "a@example.com")) == 4


def test_by_topic_somebody_is_told_to_confirm(several, default_assembly):
    said = several.templates["Cost"]["Outputs"]["ConfirmSubscriptions"]["Value"]
    assert said.startswith("2 of the topic's subscribers are e-mail addresses")
    assert "ConfirmSubscriptions" not in default_assembly.templates["Cost"]["Outputs"]


def test_the_command_for_the_payer_account_names_each_tag_that_a_budget_counts(cost, synthesize):
    further = (
        "further_budgets: [{name: team, limit_usd: 9, scope: tag, tag: {key: cost centre, "
        "value: ml}}, {name: fsx, limit_usd: 9, services: [Amazon FSx]}]"
    )
    built = synthesize(cluster(f"emails: [a@example.com], {further}"))
    output = built.templates["Cost"]["Outputs"]["ActivateCostTagCommand"]
    assert "payer account" in output["Description"]
    assert shlex.split(output["Value"]) == [
        *("aws", "ce", "update-cost-allocation-tags-status", "--region", "us-east-1"),
        "--cost-allocation-tags-status",
        *("TagKey=trnkit-cluster,Status=Active", "TagKey=cost centre,Status=Active"),
    ]


def test_budgets_over_the_account_need_no_command(synthesize):
    built = synthesize(cluster("emails: [a@example.com], scope: account"))
    assert list(built.templates["Cost"]["Outputs"]) == ["AlertTopicArn"]


SLACK = "slack: {workspace_id: T0123ABCD, channel_id: C0123ABCD}"
TEAMS = (
    "teams: {tenant_id: 01234567-89ab-4000-8000-0123456789ab, "
    "team_id: 11234567-89ab-4000-8000-0123456789ab, channel_id: '19:abc" + "@thread.tacv2'}"
)


def test_alerts_of_all_budgets_are_shown_in_both_channels(synthesize):
    further = "further_budgets: [{name: fsx, limit_usd: 9, services: [Amazon FSx]}]"
    chat = f"chat: {{{SLACK}, {TEAMS}}}"
    built = synthesize(cluster(f"emails: [a@example.com], {further}, {chat}"))
    (topic,) = built.resources("Cost", "AWS::SNS::Topic")
    for kind in ("SlackChannelConfiguration", "MicrosoftTeamsChannelConfiguration"):
        made = built.only("Cost", f"AWS::Chatbot::{kind}")
        assert made["SnsTopicArns"] == [{"Ref": topic}]
        assert made["ConfigurationName"].startswith("pretrain-")
    without = synthesize(cluster(f"emails: [a@example.com], {further}"))
    assert built.resources("Cost", BUDGET) == without.resources("Cost", BUDGET)


def test_a_topic_that_exists_is_shown_in_chat(synthesize):
    built = synthesize(cluster(f"emails: [a@example.com], topic_arn: '{TOPIC}', chat: {{{SLACK}}}"))
    made = built.only("Cost", "AWS::Chatbot::SlackChannelConfiguration")
    assert made["SnsTopicArns"] == [TOPIC]


@pytest.mark.parametrize(
    ("monitor", "expected"),
    [
        (
            "monitor: cluster",
            {
                "MonitorName": "trnkit-cluster=pretrain",
                "MonitorType": "CUSTOM",
                "MonitorSpecification": '{"Tags": {"Key": "trnkit-cluster", '
                '"Values": ["pretrain"]}}',
            },
        ),
        (
            "monitor: services",
            {
                "MonitorName": "AWS services",
                "MonitorType": "DIMENSIONAL",
                "MonitorDimension": "SERVICE",
            },
        ),
    ],
)
def test_a_monitor_watches_what_it_is_called(cost, monitor, expected):
    text = f"emails: [a@example.com], anomaly_detection: {{threshold_usd: 100, {monitor}}}"
    (found,) = cost(text, "AWS::CE::AnomalyMonitor").values()
    assert found["Properties"] == expected


def test_an_existing_monitor_is_subscribed_to(synthesize):
    arn = "arn:aws:ce::111122223333:anomalymonitor/0123abcd-0000-4000-8000-000000000000"
    built = synthesize(
        cluster(
            "emails: [a@example.com], anomaly_detection: {threshold_percent: 40, "
            f"monitor: existing, monitor_arn: '{arn}', emails: [finops@example.com]}}"
        )
    )
    assert not built.resources("Cost", "AWS::CE::AnomalyMonitor")
    found = built.only("Cost", "AWS::CE::AnomalySubscription")
    assert found["MonitorArnList"] == [arn]
    assert found["Subscribers"] == [{"Type": "EMAIL", "Address": "finops@example.com"}]
    assert "costalerts" not in json.dumps(built.templates["Cost"]), "no topic, no permission"


def test_the_cost_explorer_api_knows_every_key(several):
    model = botocore.session.get_session().get_service_model("ce")
    monitor = several.only("Cost", "AWS::CE::AnomalyMonitor")
    subscription = several.only("Cost", "AWS::CE::AnomalySubscription")
    sent = {
        "AnomalyMonitor": monitor
        | {"MonitorSpecification": json.loads(monitor["MonitorSpecification"])},
        "AnomalySubscription": subscription
        | {
            "ThresholdExpression": json.loads(subscription["ThresholdExpression"]),
            "MonitorArnList": ["arn:aws:ce::111122223333:anomalymonitor/0123abcd"],
            "Subscribers": [{"Type": "SNS", "Address": TOPIC}],
        },
    }
    for name, properties in sent.items():
        shape = model.operation_model(f"Create{name}").input_shape
        validate_parameters({name: properties}, shape)
        frequencies = model.shape_for("AnomalySubscriptionFrequency").enum
    assert subscription["Frequency"] in frequencies
