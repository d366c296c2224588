"""Topics, thresholds and anomaly detection in templates, each mistake beside the nearest right one."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, severities
from tests.trnkit.rules.templates import Body, budget, email, nodes, notification, sns, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
SOMETIMES = {"Fn::If": ["Sometimes", "a", "b"]}
TOPIC, ARN = {"Ref": "Topic"}, "arn:aws:ce::111122223333:anomalymonitor/0123abcd"
ALERTS, BUDGETS = "costalerts.amazonaws.com", "budgets.amazonaws.com"
Row = tuple[str, Body, list[str]]


def monitor(kind: Any = "CUSTOM", **properties: Any) -> Body:
    return {
        "Type": "AWS::CE::AnomalyMonitor",
        "Properties": {"MonitorName": "m", "MonitorType": kind, **properties},
    }


def watching(*values: str) -> str:
    return json.dumps({"Tags": {"Key": "team", "Values": list(values)}})


def only(resource: Body) -> Body:
    return template(Monitor=resource)


MONITORS: list[Row] = [
    ("custom", only(monitor(MonitorSpecification=watching("ml"))), []),
    ("custom, nothing", only(monitor()), E),
    ("custom, dimension", only(monitor(MonitorSpecification=watching("ml"), MonitorDimension="SERVICE")), E),
    ("custom, no JSON", only(monitor(MonitorSpecification="team=ml")), E),
    ("custom, ten", only(monitor(MonitorSpecification=watching(*map(str, range(10))))), []),
    ("custom, eleven", only(monitor(MonitorSpecification=watching(*map(str, range(11))))), E),
    ("custom, not known", only(monitor(MonitorSpecification=SOMETIMES)), []),
    ("custom, by Sub", only(monitor(MonitorSpecification={"Fn::Sub": '{"Tags": {"Key": "${Key}"}}'})), []),
    ("services", only(monitor("DIMENSIONAL", MonitorDimension="SERVICE")), []),
    ("services, specification", only(monitor("DIMENSIONAL", MonitorDimension="SERVICE", MonitorSpecification=watching("ml"))), E),
    ("no dimension", only(monitor("DIMENSIONAL")), E),
    ("tag", only(monitor("DIMENSIONAL", MonitorDimension="TAG", MonitorSpecification='{"Tags": {"Key": "team"}}')), []),
    ("tag, which?", only(monitor("DIMENSIONAL", MonitorDimension="TAG")), E),
    ("kind not known", only(monitor(SOMETIMES)), []),
]  # fmt: skip

SERVICES = monitor("DIMENSIONAL", MonitorDimension="SERVICE")
SERVICE_MONITORS: list[Row] = [
    ("one", template(One=SERVICES), I),
    ("two", template(One=SERVICES, Two=SERVICES), [*E, *I]),
    ("accounts", only(monitor("DIMENSIONAL", MonitorDimension="LINKED_ACCOUNT")), []),
    ("tag", only(monitor(MonitorSpecification=watching("ml"))), []),
]  # fmt: skip


def subscription(frequency: Any, *subscribers: Any, **properties: Any) -> Body:
    threshold = {} if "ThresholdExpression" in properties else {"Threshold": 100}
    return {
        "Type": "AWS::CE::AnomalySubscription",
        "Properties": {
            "SubscriptionName": "s",
            "Frequency": frequency,
            "MonitorArnList": [ARN],
            "Subscribers": list(subscribers),
            **threshold,
            **properties,
        },
    }


def mail(address: Any = "a@example.com") -> Body:
    return {"Type": "EMAIL", "Address": address}


def hears(topic: Any = "arn:aws:sns:us-east-1:111122223333:t") -> Body:
    return {"Type": "SNS", "Address": topic}


IMPACT = json.dumps({"Dimensions": {"Key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE"}})
SUBSCRIPTIONS: list[Row] = [
    ("at once", only(subscription("IMMEDIATE", hears())), []),
    ("at once, by mail", only(subscription("IMMEDIATE", mail())), E),
    ("at once, both", only(subscription("IMMEDIATE", hears(), mail())), E),
    ("daily", only(subscription("DAILY", mail())), []),
    ("daily, topic", only(subscription("DAILY", hears())), E),
    ("weekly", only(subscription("WEEKLY", mail())), []),
    ("weekly, odd address", only(subscription("WEEKLY", mail("a/b@example.com"))), E),
    ("address not known", only(subscription("WEEKLY", mail(SOMETIMES))), []),
    ("nobody", only(subscription("DAILY")), E),
    ("frequency not known", only(subscription(SOMETIMES, hears(), mail())), []),
    ("subscribers not known", only(subscription("DAILY", Subscribers=SOMETIMES)), []),
    ("expression", only(subscription("DAILY", mail(), ThresholdExpression=IMPACT)), []),
    ("expression, no JSON", only(subscription("DAILY", mail(), ThresholdExpression="100")), []),
    ("expression, words", only(subscription("DAILY", mail(), ThresholdExpression="over 100")), E),
    ("both thresholds", only(subscription("DAILY", mail(), ThresholdExpression=IMPACT, Threshold=5)), E),
    ("no threshold", only(subscription("DAILY", mail(), Threshold={"Ref": "AWS::NoValue"})), E),
]  # fmt: skip


def statement(action: Any, service: Any, effect: str = "Allow") -> Body:
    return {"Effect": effect, "Action": action, "Principal": {"Service": service}, "Resource": "*"}


def with_topic(*statements: Any, topics: Any = (TOPIC,), key: Any = None, **more: Body) -> Body:
    policy: dict[str, Body] = {}
    if statements:
        document = {"Statement": list(statements)}
        policy["Policy"] = {
            "Type": "AWS::SNS::TopicPolicy",
            "Properties": {"Topics": list(topics), "PolicyDocument": document},
        }
    properties = {} if key is None else {"KmsMasterKeyId": key}
    alerts = subscription("IMMEDIATE", hears(TOPIC))
    return template(Topic=("AWS::SNS::Topic", properties), Alerts=alerts, **policy, **more)


POLICIES: list[Row] = [
    ("BUD-05 none", with_topic(), E),
    ("BUD-05 right", with_topic(statement("sns:Publish", ALERTS)), []),
    ("BUD-05 both", with_topic(statement("sns:*", [BUDGETS, ALERTS])), []),
    ("BUD-05 budgets only", with_topic(statement("sns:Publish", BUDGETS)), E),
    ("BUD-05 other topic", with_topic(statement("sns:Publish", ALERTS), topics=["arn:x"]), E),
    ("BUD-05 not known", with_topic(SOMETIMES), []),
    ("BUD-05 no anomalies", template(Topic=("AWS::SNS::Topic", {})), []),
]  # fmt: skip


def a_key(*statements: Body) -> Body:
    document = {"Statement": list(statements)}
    return {"Type": "AWS::KMS::Key", "Properties": {"KeyPolicy": document}}


KEY = {"Fn::GetAtt": ["Key", "Arn"]}
USE = ["kms:GenerateDataKey*", "kms:Decrypt"]
KEYS: list[Row] = [
    ("BUD-06 not encrypted", with_topic(), []),
    ("BUD-06 AWS's key", with_topic(key="alias/aws/sns"), E),
    ("BUD-06 own", with_topic(key=KEY, Key=a_key(statement(USE, ALERTS))), []),
    ("BUD-06 own, budgets only", with_topic(key=KEY, Key=a_key(statement(USE, BUDGETS))), E),
    ("BUD-06 own, half", with_topic(key=KEY, Key=a_key(statement("kms:Decrypt", ALERTS))), E),
    ("BUD-06 elsewhere", with_topic(key="alias/mine"), []),
    ("BUD-06 not known", with_topic(key=SOMETIMES), []),
]  # fmt: skip


def subscribed(
    protocol: Any = "email", endpoint: Any = "a@example.com", topic: Any = TOPIC
) -> Body:
    return {
        "Type": "AWS::SNS::Subscription",
        "Properties": {"TopicArn": topic, "Protocol": protocol, "Endpoint": endpoint},
    }


def alarm(*subscribers: Any, properties: Body | None = None, **more: Body) -> Body:
    heard = budget(notification(*(subscribers or [sns(TOPIC)])))
    return template(Topic=("AWS::SNS::Topic", properties or {}), Budget=heard, **more)


def exported(value: Any, **more: Any) -> Body:
    return {**alarm(), "Outputs": {"Arn": {"Value": value, **more}}}


HEARERS: list[Row] = [
    ("BUD-07 nobody", alarm(), W),
    ("BUD-07 somebody", alarm(S=subscribed()), []),
    ("BUD-07 inline", alarm(properties={"Subscription": [{"Protocol": "email", "Endpoint": "a@example.com"}]}), []),
    ("BUD-07 inline, none", alarm(properties={"Subscription": []}), W),
    ("BUD-07 inline, not known", alarm(properties={"Subscription": SOMETIMES}), []),
    ("BUD-07 an address too", alarm(sns(TOPIC), email(1)), []),
    ("BUD-07 of another topic", alarm(S=subscribed(topic="arn:aws:sns:us-east-1:111122223333:t")), W),
    ("BUD-07 of a topic not known", alarm(S=subscribed(topic=SOMETIMES)), []),
    ("BUD-07 exported", exported(TOPIC, Export={"Name": "Arn"}), []),
    ("BUD-07 an output", exported(TOPIC), W),
    ("BUD-07 topic elsewhere", template(Budget=budget(notification(sns("arn:aws:sns:us-east-1:111122223333:t")))), []),
    ("BUD-07 two notifications", template(Topic=("AWS::SNS::Topic", {}), Budget=budget(notification(sns(TOPIC)), notification(sns(TOPIC), threshold=90))), W),
]  # fmt: skip

ENDPOINTS: list[Row] = [
    (f"{protocol} {endpoint}", alarm(S=subscribed(protocol, endpoint)), expected)
    for protocol, endpoint, expected in [
        ("email", "a@example.com", []),
        ("email", "https://alerts.example.com", E),
        ("https", "https://user:secret@alerts.example.com", []),
        ("https", "http://alerts.example.com", E),
        ("lambda", "arn:aws:lambda:us-east-2:111122223333:function:f", []),
        ("lambda", "arn:aws:sqs:us-east-2:111122223333:q", E),
        ("sqs", "arn:aws:sqs:us-east-2:111122223333:q", []),
        ("sqs", "https://sqs.us-east-2.amazonaws.com/111122223333/q", E),
        ("sms", "+4930123456", []),
        ("email", SOMETIMES, []),
        (SOMETIMES, "a@example.com", []),
    ]
]
ENDPOINTS += [("of a topic of others", template(Topic=("AWS::SNS::Topic", {}), S=subscribed("https", "x")), [])]  # fmt: skip

FORECAST = notification(NotificationType="FORECASTED")
FORECASTS: list[Row] = [
    ("daily, actual", template(Budget=budget(TimeUnit="DAILY")), []),
    ("daily, forecast", template(Budget=budget(FORECAST, TimeUnit="DAILY")), E),
    ("monthly, forecast", template(Budget=budget(FORECAST)), []),
    ("unit not known", template(Budget=budget(FORECAST, TimeUnit=SOMETIMES)), []),
]  # fmt: skip


def accounts(*ids: Any) -> Body:
    return template(Budget=budget(CostFilters={"LinkedAccount": list(ids)}))


def in_expression(*ids: Any) -> Body:
    of_accounts = {"Dimensions": {"Key": "LINKED_ACCOUNT", "Values": list(ids)}}
    return template(Budget=budget(FilterExpression=of_accounts, Metrics=["UnblendedCost"]))


ACCOUNTS: list[Row] = [
    ("an id", accounts("012345678901", 123456789012), []),
    ("zeros lost", accounts(12345678901), E),
    ("a name", accounts("sandbox"), E),
    ("not known", accounts({"Ref": "AWS::AccountId"}), []),
    ("expression", in_expression("123456789012"), []),
    ("expression, zeros lost", in_expression(12345678901), E),
]


def block(market: Any, *budgets: Body) -> Body:
    options = {} if market is None else {"InstanceMarketOptions": {"MarketType": market}}
    named = {f"Budget{n}": entry for n, entry in enumerate(budgets)}
    return template(Nodes=nodes("trn2.48xlarge", **options), **named)


TAGGED = budget(CostFilters={"TagKeyValue": ["user:team$ml"]})
FEE = [
    ("BUD-12 tag only", block("capacity-block", TAGGED), W),
    ("BUD-12 on demand", block(None, TAGGED), []),
    ("BUD-12 spot", block("spot", TAGGED), []),
    ("BUD-12 an account's budget too", block("capacity-block", TAGGED, budget()), []),
    ("BUD-12 an account's budget", block("capacity-block", budget()), []),
    ("BUD-12 service only", block("capacity-block", budget(CostFilters={"Service": ["x"]})), []),
    ("BUD-12 no budget here", block("capacity-block"), []),
    ("BUD-12 filter not known", block("capacity-block", budget(CostFilters=SOMETIMES)), []),
    ("BUD-12 market not known", block(SOMETIMES, TAGGED), []),
]

PERCENTAGES = [
    ("80", template(Budget=budget(notification(threshold=80))), []),
    ("1", template(Budget=budget(notification(threshold=1))), []),
    ("a fraction", template(Budget=budget(notification(threshold=0.8))), W),
    ("1000", template(Budget=budget(notification(threshold=1000))), []),
    ("an amount", template(Budget=budget(notification(threshold=5000))), W),
    ("absolute", template(Budget=budget(notification(threshold=5000, ThresholdType="ABSOLUTE_VALUE"))), []),
    ("scale not known", template(Budget=budget(notification(threshold=5000, ThresholdType=SOMETIMES))), []),
]  # fmt: skip

ROWS = [
    (rule_id, name, body, expected)
    for rule_id, table in {
        "TRN460": MONITORS,
        "TRN461": SERVICE_MONITORS,
        "TRN462": SUBSCRIPTIONS,
        "TRN463": POLICIES,
        "TRN464": KEYS,
        "TRN465": HEARERS,
        "TRN466": ENDPOINTS,
        "TRN467": FORECASTS,
        "TRN468": ACCOUNTS,
        "TRN469": FEE,
        "TRN470": PERCENTAGES,
    }.items()
    for name, body, expected in table
]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [(rule_id, body, expected) for rule_id, _, body, expected in ROWS],
    ids=[f"{rule_id} {name}" for rule_id, name, _, _ in ROWS],
)
def test_a_template_is_judged(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


def test_bud_14_the_currency_of_china():
    for unit, expected in (("CNY", []), ("INR", W)):
        body = template(Budget=budget(BudgetLimit={"Amount": 1, "Unit": unit}))
        assert severities("TRN455", judge_template(body)) == expected


def test_a_topic_that_another_stack_subscribes_to():
    exporting = {**alarm(), "Outputs": {"Arn": {"Value": TOPIC, "Export": {"Name": "alerts"}}}}
    importing = template(S=subscribed(topic={"Fn::ImportValue": "alerts"}))
    assert severities("TRN465", judge_template(exporting, importing)) == []
