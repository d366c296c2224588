"""Budgets, topics and tags that AWS refuses or that count nothing, each beside the nearest right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    budget,
    email,
    group,
    lustre,
    nodes,
    notification,
    sns,
    subnet,
    template,
)

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
SOMETIMES = {"Fn::If": ["Sometimes", 1, 2]}
NOTHING = {"Ref": "AWS::NoValue"}
TOPIC = {"Ref": "Topic"}


def one(**definition: Any) -> Body:
    return template(Budget=budget(**definition))


PLANNED = {"1767225600": {"Amount": 100, "Unit": "USD"}}
LIMITS = [
    ("a limit", one(), []),
    ("none", one(BudgetLimit=NOTHING), E),
    ("none of usage", one(BudgetLimit=NOTHING, BudgetType="USAGE"), E),
    ("none of savings plans", one(BudgetLimit=NOTHING, BudgetType="SAVINGS_PLANS_UTILIZATION"), []),
    ("planned", one(BudgetLimit=NOTHING, PlannedBudgetLimits=PLANNED), []),
    ("planned, a year", one(BudgetLimit=NOTHING, PlannedBudgetLimits=PLANNED, TimeUnit="ANNUALLY"), E),
    ("both", one(PlannedBudgetLimits=PLANNED), E),
    ("adjusted", one(BudgetLimit=NOTHING, AutoAdjustData={"AutoAdjustType": "FORECAST"}), []),
    ("not known", one(BudgetLimit={"Fn::If": ["Own", {"Amount": 1, "Unit": "USD"}, NOTHING]}), []),
    ("kind not known", one(BudgetLimit=NOTHING, BudgetType=SOMETIMES), []),
]  # fmt: skip


def lasting(start: Any, end: Any) -> Body:
    return one(TimePeriod={"Start": start, "End": end})


PERIODS = [
    *[(unit, one(TimeUnit=unit), verdict) for unit, verdict in [("DAILY", []), ("MONTHLY", []), ("ANNUALLY", []), ("CUSTOM", []), ("monthly", E), ("HOURLY", W)]],
    ("unit not known", one(TimeUnit=SOMETIMES), []),
    ("seconds", lasting("1767225600", "1798761600"), []),
    ("seconds, backwards", lasting("1798761600", 1767225600), E),
    ("days", lasting("2026-01-01", "2026-12-31"), []),
    ("days, backwards", lasting("2026-12-31", "2026-01-01"), E),
    ("the console's form, backwards", lasting("12/31/26 00:00 UTC", "01/01/26 00:00 UTC"), E),
    ("two forms", lasting("2026-01-01T00:00:00Z", "1735689600"), E),
    ("the same moment", lasting("2026-01-01", "2026-01-01"), E),
    ("no end", lasting("2026-01-01", NOTHING), []),
    ("not known", lasting(SOMETIMES, "2026-01-01"), []),
    ("in words", lasting("later", "earlier"), []),
]  # fmt: skip


def told(*subscribers: Body, **more: Body) -> Body:
    return template(Budget=budget(notification(*subscribers)), **more)


ARN = "arn:aws:sns:us-east-1:111122223333:alerts"
ADDRESSES = [
    ("an address", told(email(1)), []),
    ("no address", told({**email(1), "Address": "ml-platform"}), E),
    ("no address, the culprit second", told(email(1), {**email(1), "Address": "@example.com"}), E),
    ("address not known", told({**email(1), "Address": SOMETIMES}), []),
    ("a topic", told(sns(TOPIC), Topic=("AWS::SNS::Topic", {})), []),
    ("a topic's ARN by attribute", told(sns({"Fn::GetAtt": ["Topic", "TopicArn"]}), Topic=("AWS::SNS::Topic", {})), []),
    ("a topic's name by attribute", told(sns({"Fn::GetAtt": ["Topic", "TopicName"]}), Topic=("AWS::SNS::Topic", {})), E),
    ("a topic's ARN", told(sns(ARN)), []),
    ("a topic's name", told(sns("alerts")), E),
    ("an address as a topic", told(sns("a@example.com")), E),
    ("a topic's ARN put together", told(sns({"Fn::Sub": "arn:aws:sns:us-east-1:${AWS::AccountId}:alerts"})), []),
]  # fmt: skip

FILTERS = [
    *[(name, one(CostFilters={name: ["x"]}), verdict) for name, verdict in [("LinkedAccount", []), ("AZ", []), ("Region", []), ("LINKED_ACCOUNT", E), ("linkedaccount", E), ("Cluster", W)]],
    ("one of two", one(CostFilters={"Region": ["us-east-2"], "USAGE_TYPE": ["x"]}), E),
    ("not known", one(CostFilters=SOMETIMES), []),
]  # fmt: skip

CW, BUDGETS = "cloudwatch.amazonaws.com", "budgets.amazonaws.com"
OWNER = {"Effect": "Allow", "Action": "kms:*", "Resource": "*", "Principal": {"AWS": "arn:aws:iam::111122223333:root"}}  # fmt: skip
BY_DEFAULT = {
    "Effect": "Allow",
    "Principal": {"AWS": "*"},
    "Action": ["SNS:Publish", "SNS:Subscribe"],
    "Resource": TOPIC,
    "Condition": {"StringEquals": {"AWS:SourceOwner": "111122223333"}},
}


def use(action: Any, *services: str) -> Body:
    return {"Effect": "Allow", "Action": action, "Resource": "*", "Principal": {"Service": list(services)}}  # fmt: skip


def alarmed(*statements: Any, key: Any = NOTHING, on_key: Any = (), action: Any = TOPIC, **more: Any) -> Body:  # fmt: skip
    policy = ("AWS::SNS::TopicPolicy", {"Topics": [TOPIC], "PolicyDocument": {"Statement": list(statements)}})  # fmt: skip
    return template(
        Alarm=("AWS::CloudWatch::Alarm", {"AlarmActions": [action]}),
        Topic=("AWS::SNS::Topic", {"KmsMasterKeyId": key}),
        Key=("AWS::KMS::Key", {"KeyPolicy": {"Statement": [OWNER, *on_key]}}),
        **({"Policy": policy} if statements else {}),
        **more,
    )


KEY = {"Ref": "Key"}
USE = ["kms:GenerateDataKey*", "kms:Decrypt"]
ALARMS = [
    ("no policy", alarmed(), []),
    ("SNS's own policy", alarmed(BY_DEFAULT), []),
    ("for both", alarmed(use("sns:Publish", BUDGETS, CW)), []),
    ("for both, in two statements", alarmed(use("sns:Publish", BUDGETS), use("sns:Publish", CW)), []),
    ("for budgets alone", alarmed(use("sns:Publish", BUDGETS)), E),
    ("for budgets alone, and no alarm", alarmed(use("sns:Publish", BUDGETS), action="arn:aws:sns:us-east-1:111122223333:other"), []),
    ("for budgets, and for the account", alarmed(use("sns:Publish", BUDGETS), {**OWNER, "Action": "sns:Publish"}), []),
    ("policy not known", alarmed(SOMETIMES), []),
    ("AWS's key", alarmed(key="alias/aws/sns"), E),
    ("a key for both", alarmed(key=KEY, on_key=[use(USE, BUDGETS, CW)]), []),
    ("a key for budgets alone", alarmed(key=KEY, on_key=[use(USE, BUDGETS)]), E),
    ("a key elsewhere", alarmed(key="alias/mine"), []),
    ("a composite alarm", template(**{**alarmed(use("sns:Publish", BUDGETS))["Resources"], "Alarm": ("AWS::CloudWatch::CompositeAlarm", {"OKActions": [TOPIC]})}), E),
]  # fmt: skip


def named(name: Any, **more: Any) -> Body:
    return template(Topic=("AWS::SNS::Topic", {"TopicName": name, **more}))


NAMES = [
    *[(name, named(name), verdict) for name, verdict in [("ml-alerts", []), ("ml_alerts", []), ("ml.alerts", E), ("ml alerts", E), ("ml.fifo", E)]],
    ("in order", named("ml.fifo", FifoTopic=True), []),
    ("in order, not so named", named("ml", FifoTopic="true"), E),
    ("in order, with a dot", named("m.l.fifo", FifoTopic=True), E),
    ("not known", named({"Fn::Sub": "${AWS::StackName}.x"}), []),
    ("order not known", named("ml.fifo", FifoTopic=SOMETIMES), []),
]  # fmt: skip


def by(protocol: Any, inline: bool = False) -> Body:
    entry = {"Protocol": protocol, "Endpoint": "a@example.com"}
    if inline:
        return template(Topic=("AWS::SNS::Topic", {"Subscription": [{"Protocol": "sms", "Endpoint": "x"}, entry]}))  # fmt: skip
    return template(S=("AWS::SNS::Subscription", {"TopicArn": ARN, **entry}))


PROTOCOLS = [
    *[(name, by(name), verdict) for name, verdict in [("email", []), ("email-json", []), ("sqs", []), ("firehose", []), ("Email", E), ("mail", W), ("slack", W)]],
    ("in the topic, the culprit second", by("HTTPS", inline=True), E),
    ("not known", by(SOMETIMES), []),
]  # fmt: skip

TEAM = ("team", "ml")
FILTER = {"CostFilters": {"TagKeyValue": ["user:team$ml"]}}


def expression(found: Any) -> Body:
    return {"FilterExpression": found, "Metrics": ["UnblendedCost"]}


def tags(*pairs: tuple[str, Any]) -> list[Body]:
    return [{"Key": key, "Value": value} for key, value in pairs]


def specified(**kinds: Any) -> list[Body]:
    return [{"ResourceType": kind.replace("_", "-"), "Tags": tags(*pairs)} for kind, pairs in kinds.items()]  # fmt: skip


ALL = {"instance": [TEAM], "volume": [TEAM], "network_interface": [TEAM]}


def counted(definition: Body = FILTER, specifications: Any = None, **more: Any) -> Body:
    listed = specified(**ALL) if specifications is None else specifications
    return template(
        Budget=budget(**definition), Nodes=nodes("trn1.32xlarge", TagSpecifications=listed), **more
    )


def taggable(*pairs: tuple[str, Any]) -> Body:
    return lustre({"DeploymentType": "SCRATCH_2"}, Tags=tags(*pairs))


OWN = {"Tags": {"Key": "team", "Values": ["ml"]}}
COVERAGE = [
    ("BUD-11 all", counted(), []),
    ("BUD-11 volumes lack it", counted(specifications=specified(**{**ALL, "volume": [("Name", "x")]})), W),
    ("BUD-11 volumes have another value", counted(specifications=specified(**{**ALL, "volume": [("team", "x")]})), W),
    ("BUD-11 no volumes at all", counted(specifications=specified(instance=[TEAM], network_interface=[TEAM])), W),
    ("BUD-11 interfaces lack it", counted(specifications=specified(instance=[TEAM], volume=[TEAM])), I),
    ("BUD-11 both lack it", counted(specifications=specified(instance=[TEAM])), [*W, *I]),
    ("BUD-11 in an expression", counted(expression(OWN), specified(instance=[TEAM], network_interface=[TEAM])), W),
    ("BUD-11 instances lack it too", counted(specifications=specified(instance=[("Name", "x")])), []),
    ("BUD-11 another budget counts all", counted(specifications=specified(instance=[TEAM]), Whole=budget()), []),
    ("BUD-11 not known", counted(specifications=[*specified(instance=[TEAM], network_interface=[TEAM]), {"ResourceType": "volume", "Tags": SOMETIMES}]), []),
    ("BUD-11 kind not known", counted(specifications=[*specified(instance=[TEAM], network_interface=[TEAM]), {"ResourceType": SOMETIMES, "Tags": tags(TEAM)}]), []),
    ("BUD-11 by the group alone", counted(specifications=specified(instance=[("Name", "x")]), Group=group(["subnet-1"], Tags=[{"Key": "team", "Value": "ml", "PropagateAtLaunch": True}])), [*W, *I]),
    ("BUD-11 file system too", counted(Fsx=taggable(TEAM)), []),
    ("BUD-11 file system lacks it", counted(Fsx=taggable()), I),
    ("BUD-11 file system, not known", counted(Fsx=taggable(("team", SOMETIMES))), []),
]  # fmt: skip

PROJECT = {"Tags": {"Key": "Project", "Values": ["llm"]}}
WITHOUT = specified(instance=[("Name", "x")])
EXPRESSIONS = [
    ("BUD-01 nodes carry it", counted(expression(OWN)), []),
    ("BUD-01 nodes do not", counted(expression(PROJECT), WITHOUT), W),
    ("BUD-01 one of two values", counted(expression({"Tags": {"Key": "team", "Values": ["x", "ml"]}})), []),
    ("BUD-01 narrowed", counted(expression({"And": [{"Dimensions": {"Key": "REGION", "Values": ["us-east-2"]}}, PROJECT]}), WITHOUT), W),
    ("BUD-01 or else", counted(expression({"Or": [{"Dimensions": {"Key": "REGION", "Values": ["us-east-2"]}}, PROJECT]}), WITHOUT), []),
    ("BUD-01 either of two", counted(expression({"Or": [OWN, PROJECT]})), []),
    ("BUD-01 none of it", counted(expression({"Not": PROJECT}), WITHOUT), []),
    ("BUD-01 without a value", counted(expression({"Tags": {"Key": "Project", "Values": [""], "MatchOptions": ["ABSENT"]}}), WITHOUT), []),
    ("BUD-01 not known", counted(expression(SOMETIMES), WITHOUT), []),
    ("BUD-01 sign swallowed", template(Budget=budget(CostFilters={"TagKeyValue": [{"Fn::Sub": "user:Project${Name}"}]})), W),
    ("BUD-01 sign kept", template(Budget=budget(CostFilters={"TagKeyValue": [{"Fn::Sub": "user:Project$${Name}"}]})), []),
    ("BUD-01 sign kept by a literal", template(Budget=budget(CostFilters={"TagKeyValue": [{"Fn::Sub": "user:Project$${AWS::StackName}"}]})), []),
    ("BUD-01 sign in the parameter, who knows", template(Budget=budget(CostFilters={"TagKeyValue": [{"Fn::Sub": "user:${KeyAndValue}"}]})), []),
    ("BUD-01 joined", template(Budget=budget(CostFilters={"TagKeyValue": [{"Fn::Join": ["$", ["user:Project", {"Ref": "Name"}]]}]})), []),
]  # fmt: skip


def narrow(arn: Any) -> Body:
    """A topic that admits Budgets under a condition on the caller's ARN."""
    condition = {"ArnLike": {"aws:SourceArn": arn}}
    statement = {**use("sns:Publish", BUDGETS), "Condition": condition}
    return told(sns(TOPIC), Topic=("AWS::SNS::Topic", {}), Policy=("AWS::SNS::TopicPolicy", {"Topics": [TOPIC], "PolicyDocument": {"Statement": [statement]}}))  # fmt: skip


NARROW = [
    *[(f"BUD-05 {arn}", narrow(arn), verdict) for arn, verdict in [("arn:aws:budgets::111122223333:*", []), ("arn:aws:budgets:*:111122223333:*", []), ("arn:*:budgets::*", []), ("*", []), ("arn:aws:budgets:us-east-1:111122223333:*", E), ("arn:aws:sns:us-east-1:111122223333:alerts", E)]],
    ("BUD-05 one of two", narrow(["arn:aws:budgets:us-east-1:111122223333:*", "arn:aws:budgets::111122223333:*"]), []),
    ("BUD-05 put together", narrow({"Fn::Sub": "arn:aws:budgets::${AWS::AccountId}:*"}), []),
    ("BUD-05 Region put in", narrow({"Fn::Sub": "arn:aws:budgets:${AWS::Region}:${AWS::AccountId}:*"}), []),
]  # fmt: skip


def watching(specification: str) -> Body:
    return template(M=("AWS::CE::AnomalyMonitor", {"MonitorName": "m", "MonitorType": "CUSTOM", "MonitorSpecification": specification}))  # fmt: skip


MONITORS = [
    ("accounts", watching('{"Dimensions": {"Key": "LINKED_ACCOUNT", "Values": ["111122223333"]}}'), []),
    ("a service", watching('{"Dimensions": {"Key": "SERVICE", "Values": ["Amazon FSx"]}}'), E),
    ("a tag", watching('{"Tags": {"Key": "team", "Values": ["ml"]}}'), []),
]  # fmt: skip

PLACES = [
    ("BUD-13 by the zone", template(S=subnet(AvailabilityZoneId="aps2-az1"), Budget=budget()), E),
    ("BUD-13 by another zone", template(S=subnet(AvailabilityZoneId="use2-az1"), Budget=budget()), []),
]  # fmt: skip

TABLES: list[tuple[str, list[tuple[str, Body, list[str]]]]] = [
    ("TRN452", EXPRESSIONS),
    ("TRN453", NARROW),
    ("TRN456", PLACES),
    ("TRN460", MONITORS),
    ("TRN471", LIMITS),
    ("TRN472", PERIODS),
    ("TRN473", ADDRESSES),
    ("TRN474", FILTERS),
    ("TRN475", ALARMS),
    ("TRN476", NAMES),
    ("TRN477", PROTOCOLS),
    ("TRN478", COVERAGE),
]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [
        pytest.param(rule_id, body, expected, id=f"{rule_id} {name}")
        for rule_id, cases in TABLES
        for name, body, expected in cases
    ],
)
def test_template(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


def nodes_of(group: Body, **launch: object) -> Body:
    data = {"InstanceType": "trn1.2xlarge", **launch}
    return template(
        Budget=budget(CostFilters={"TagKeyValue": ["user:team$ml"]}),
        Nodes=("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": data}),
        Group=(
            "AWS::AutoScaling::AutoScalingGroup",
            {"LaunchTemplate": {"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"}, **group},
        ),
    )


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        pytest.param({}, ["info"], id="BUD-11 no tag at all"),
        pytest.param(
            {"Tags": [{"Key": "team", "Value": "ml", "PropagateAtLaunch": False}]},
            ["info"],
            id="BUD-11 kept by the group",
        ),
        pytest.param(
            {"Tags": [{"Key": "team", "Value": "ml", "PropagateAtLaunch": True}]},
            [],
            id="handed on",
        ),
    ],
)
def test_tags_that_only_the_stack_can_give(group: Body, expected: list[str]):
    assert severities("TRN452", judge_template(nodes_of(group))) == expected


NAMED = {"LaunchTemplate": {"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"}}
CONFIGS = [{"LaunchTemplateSpecification": NAMED["LaunchTemplate"]}]
NAME = [{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "x"}]}]


def batched(tags: Any) -> Body:
    computing = {"Type": "EC2", "Subnets": ["subnet-1"], "Tags": tags, **NAMED}
    return {"Type": "AWS::Batch::ComputeEnvironment", "Properties": {"ComputeResources": computing}}


def fleet(kind: str) -> Body:
    specified = [{"ResourceType": kind, "Tags": [{"Key": "team", "Value": "ml"}]}]
    properties = {"LaunchTemplateConfigs": CONFIGS, "TagSpecifications": specified}
    return {"Type": "AWS::EC2::EC2Fleet", "Properties": properties}


def single(**more: Any) -> Body:
    tags = [{"Key": "team", "Value": "ml"}]
    return {"Type": "AWS::EC2::Instance", "Properties": {**NAMED, "Tags": tags, **more}}


@pytest.mark.parametrize(
    ("starter", "uncounted", "parts"),
    [
        pytest.param(batched({"team": "ml"}), [], [], id="AWS Batch"),
        pytest.param(batched({"team": "x"}), W, [], id="AWS Batch, another"),
        pytest.param(batched({"team": SOMETIMES}), [], [], id="AWS Batch, not known"),
        pytest.param(fleet("instance"), [], [*W, *I], id="EC2 Fleet"),
        pytest.param(fleet("fleet"), W, [], id="EC2 Fleet, of itself"),
        pytest.param(single(), [], [*W, *I], id="instance"),
        pytest.param(
            single(PropagateTagsToVolumeOnCreation=True), [], I, id="instance, volumes too"
        ),
    ],
)
def test_tags_of_what_starts_the_nodes(starter: Body, uncounted: list[str], parts: list[str]):
    body = nodes_of({}, TagSpecifications=NAME)
    body["Resources"]["Group"] = starter
    found = judge_template(body)
    assert severities("TRN452", found) == uncounted
    assert severities("TRN478", found) == parts


def test_the_hint_for_a_swallowed_sign_can_be_copied():
    filters = {"TagKeyValue": [{"Fn::Sub": "user:Project${Name}"}]}
    (found,) = of_rule("TRN452", judge_template(template(Budget=budget(CostFilters=filters))))
    assert found.hint == "write a second one: user:Project$${Name}"


def test_the_hint_for_a_filter_names_its_other_spelling():
    (found,) = of_rule("TRN474", judge_template(one(CostFilters={"LINKED_ACCOUNT": ["x"]})))
    assert found.hint == "did you mean LinkedAccount?"
    assert found.path == "/Resources/Budget/Properties/Budget/CostFilters/LINKED_ACCOUNT"
