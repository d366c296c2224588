"""Checkpoints of Capacity Blocks, schedules, budget actions and chat: each mistake beside the right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_cluster, judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
SOMETIMES = {"Fn::If": ["Sometimes", "a", "b"]}
GROUP = (
    "network: {{availability_zone_id: use2-az3}}\n"
    "compute: {{{boot}node_groups: [{{name: train, instance_type: {kind}, count: {count}, capacity: "
    "{{type: capacity-block, {target}, start: {start}, end: 2027-03-08T11:30:00Z{more}}}}}]}}\n"
)
ULTRA = "capacity_reservation_resource_group_arn: 'arn:aws:resource-groups:us-east-2:111122223333:group/blocks'"


def block(
    minutes: int | None, start: str = "2027-03-01T11:30:00Z", more: str = "", **keys: Any
) -> str:
    given = {
        "boot": "",
        "kind": "trn2.48xlarge",
        "count": 4,
        "target": "capacity_reservation_id: cr-0123456789abcdef0",
    } | keys
    told = "" if minutes is None else f", checkpoint_minutes: {minutes}"
    return GROUP.format(start=start, more=told + more, **given)


INLINE = {"boot": "boot: {delivery: inline}, "}
DAY = "2027-03-07T11:30:00Z"
FORECAST = "{percent: 100, notification_type: FORECASTED}"

# The group of a one-day block is emptied at 10:50, 1400 minutes after its start.
FILES = [
    ("15 minutes", "TRN440", block(15), []),
    ("none", "TRN440", block(None), []),
    ("told a minute after the start", "TRN440", block(1399, DAY), []),
    ("told at the start", "TRN440", block(1400, DAY), E),
    ("told before the start", "TRN440", block(1440, DAY), E),
    ("a margin of one's own moves it", "TRN440", block(1000, DAY, ", scale_in_margin_minutes: 600"), E),
    ("an UltraServer's block is emptied earlier", "TRN440", block(1385, DAY, kind="trn2u.48xlarge", target=ULTRA), E),
    ("the other block is not", "TRN440", block(1385, DAY), []),
    ("times that are wrong by themselves", "TRN440", block(15, "2027-03-09T11:30:00Z"), []),
    ("emptied before it starts", "TRN440", block(15, "2027-03-08T11:00:00Z"), []),
    ("bundle", "TRN441", block(15), []),
    ("user data alone", "TRN441", block(15, **INLINE), E),
    ("user data alone, not told", "TRN441", block(None, **INLINE), []),
    ("user data alone, no nodes", "TRN441", block(15, count=0, **INLINE), []),
    ("a minute", "TRN442", block(1), W),
    ("two minutes", "TRN442", block(2), []),
    ("a minute for no nodes", "TRN442", block(1, count=0), []),
    ("told", "TRN443", block(15), []),
    ("not told", "TRN443", block(None), I),
    ("no nodes, not told", "TRN443", block(None, count=0), []),
    ("user data alone cannot be told", "TRN443", block(None, **INLINE), []),
    ("on demand", "TRN443", "region: us-east-2", []),
    ("of another kind", "TRN210", "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: {checkpoint_minutes: 15}}]}", E),
    ("told", "TRN449", block(15), I),
    ("told in little time", "TRN449", block(2), I),
    ("told too late", "TRN449", block(1), []),
    ("told before there are nodes", "TRN449", block(1440, DAY), []),
    ("not told", "TRN449", block(None), []),
    ("no nodes", "TRN449", block(15, count=0), []),
    ("user data alone", "TRN449", block(15, **INLINE), []),
    ("default", "TRN444", "region: us-east-2", []),
    ("forecasts alone", "TRN444", f"budget: {{thresholds: [{FORECAST}]}}", W),
    ("forecast and spent", "TRN444", f"budget: {{thresholds: [{FORECAST}, {{percent: 80}}]}}", []),
    ("spent alone", "TRN444", "budget: {thresholds: [{percent: 80}]}", []),
    ("forecasts alone beside it", "TRN444", f"budget: {{further_budgets: [{{name: fsx, limit_usd: 9, thresholds: [{FORECAST}]}}]}}", W),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "overlay", "expected"),
    [
        pytest.param(rule, text, expected, id=f"{rule} {name}")
        for name, rule, text, expected in FILES
    ],
)
def test_cluster_files(rule, overlay, expected):
    assert severities(rule, judge_cluster(overlay)) == expected


def test_cap_09_the_message_says_both_moments_and_what_would_do():
    (found,) = of_rule("TRN440", judge_cluster(block(1440, DAY)))
    assert found.message == (
        "compute.node_groups[0].capacity.checkpoint_minutes is 1440: nodes would be told at "
        "2027-03-07T10:50:00Z, and the block begins at 2027-03-07T11:30:00Z"
    )
    assert found.hint == "write at most 1399, and leave time to work"


def test_the_moments_of_a_block_are_told():
    (found,) = of_rule("TRN449", judge_cluster(block(15)))
    assert found.message == (
        "compute.node_groups[0].capacity.checkpoint_minutes is 15: nodes of train are told to "
        "write a checkpoint at 2027-03-08T10:35:00Z, the group is emptied at 2027-03-08T10:50:00Z, "
        "EC2 terminates what still runs from 2027-03-08T11:00:00Z on"
    )
    assert "from 2027-03-01T11:30:00Z to 2027-03-08T11:30:00Z" in (found.evidence or "")


@pytest.mark.parametrize(("minutes", "sure"), [(15, "14 minutes of"), (2, "1 minute of")])
def test_how_much_of_its_time_a_checkpoint_surely_has_is_told(minutes, sure):
    (found,) = of_rule("TRN449", judge_cluster(block(minutes)))
    assert f"{sure} it are sure" in found.hint


# Templates.


def action(model: Any = "MANUAL", *subscribers: Any) -> Body:
    return {
        "Type": "AWS::Budgets::BudgetsAction",
        "Properties": {
            "BudgetName": "month",
            "ActionType": "APPLY_IAM_POLICY",
            "NotificationType": "ACTUAL",
            "ActionThreshold": {"Type": "PERCENTAGE", "Value": 100},
            "ApprovalModel": model,
            "ExecutionRoleArn": "arn:aws:iam::111122223333:role/budgets",
            "Definition": {"IamActionDefinition": {"PolicyArn": "arn:aws:iam::111122223333:policy/no", "Roles": ["r"]}},
            "Subscribers": list(subscribers),
        },
    }  # fmt: skip


SNS = {"Type": "SNS", "Address": {"Ref": "Topic"}}
EMAIL = {"Type": "EMAIL", "Address": "ml-platform@example.com"}
BARE: Body = {"Type": "AWS::SNS::Topic", "Properties": {}}
HEARD = {
    "Type": "AWS::SNS::Subscription",
    "Properties": {"TopicArn": {"Ref": "Topic"}, "Protocol": "email", "Endpoint": "a@example.com"},
}
IMPORTED = {"Type": "SNS", "Address": {"Fn::ImportValue": "alerts"}}
ACTIONS = [
    ("nobody hears", template(Topic=BARE, Action=action("MANUAL", SNS)), W),
    ("somebody does", template(Topic=BARE, Action=action("MANUAL", SNS), Heard=HEARD), []),
    ("an address too", template(Topic=BARE, Action=action("MANUAL", SNS, EMAIL)), []),
    ("automatic", template(Topic=BARE, Action=action("AUTOMATIC", SNS)), []),
    ("model not known", template(Topic=BARE, Action=action(SOMETIMES, SNS)), []),
    ("a topic of another stack", template(Action=action("MANUAL", IMPORTED)), []),
    ("one of two not known", template(Topic=BARE, Action=action("MANUAL", SNS, IMPORTED)), []),
    ("a kind not known", template(Topic=BARE, Action=action("MANUAL", {"Type": SOMETIMES, "Address": {"Ref": "Topic"}})), []),
]  # fmt: skip


def schedule(expression: Any) -> Body:
    return template(
        S=("AWS::Scheduler::Schedule", {"ScheduleExpression": expression, "FlexibleTimeWindow": {"Mode": "OFF"}, "Target": {"Arn": "a", "RoleArn": "r"}})
    )  # fmt: skip


SCHEDULES = [
    ("moment", schedule("at(2027-03-08T10:35:00)"), []),
    ("with Z", schedule("at(2027-03-08T10:35:00Z)"), E),
    ("with an offset", schedule("at(2027-03-08T10:35:00+01:00)"), E),
    ("without seconds", schedule("at(2027-03-08T10:35)"), E),
    ("with a blank", schedule("at(2027-03-08 10:35:00)"), E),
    ("no day", schedule("at(2027-02-30T10:35:00)"), E),
    ("rate", schedule("rate(5 minutes)"), []),
    ("cron", schedule("cron(35 10 8 3 ? 2027)"), []),
    ("by parameter", {"Parameters": {"At": {"Type": "String"}}, **schedule({"Ref": "At"})}, []),
    ("by parameter with a default", {"Parameters": {"At": {"Type": "String", "Default": "at(2027-03-08T10:35:00Z)"}}, **schedule({"Ref": "At"})}, W),
    ("by Sub", schedule({"Fn::Sub": "at(${Moment})"}), []),
]  # fmt: skip


def rule(expression: Any) -> Body:
    return template(R=("AWS::Events::Rule", {"ScheduleExpression": expression}))


RULES = [
    ("at", rule("at(2027-03-08T10:35:00)"), E),
    ("rate", rule("rate(5 minutes)"), []),
    ("cron", rule("cron(0 12 * * ? *)"), []),
    ("not known", rule(SOMETIMES), []),
    ("pattern", template(R=("AWS::Events::Rule", {"EventPattern": {"source": ["aws.ec2"]}})), []),
]  # fmt: skip


def chat(kind: str = "SlackChannelConfiguration", **properties: Any) -> Body:
    return template(C=(f"AWS::Chatbot::{kind}", {"ConfigurationName": "alerts", **properties}))


ADMIN = "arn:aws:iam::aws:policy/AdministratorAccess"
READ = "arn:aws:iam::aws:policy/CloudWatchReadOnlyAccess"
BY_PARTITION = {"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/ReadOnlyAccess"}
CHANNELS = [
    ("none", chat(), W),
    ("none, Teams", chat("MicrosoftTeamsChannelConfiguration"), W),
    ("administrator", chat(GuardrailPolicies=[ADMIN]), W),
    ("administrator in China", chat(GuardrailPolicies=[ADMIN.replace("aws:iam", "aws-cn:iam", 1)]), W),
    ("reads", chat(GuardrailPolicies=[READ]), []),
    ("both: the smaller one bounds", chat(GuardrailPolicies=[ADMIN, READ]), []),
    ("of the template", chat(GuardrailPolicies=[{"Ref": "Policy"}]), []),
    ("by Sub", chat(GuardrailPolicies=[BY_PARTITION]), []),
    ("not known", chat(GuardrailPolicies={"Ref": "Policies"}), []),
    ("taken away", chat(GuardrailPolicies={"Ref": "AWS::NoValue"}), W),
]  # fmt: skip


def policy(*services: str, **more: Any) -> Body:
    statement = {
        "Effect": "Allow",
        "Action": "sns:Publish",
        "Resource": {"Ref": "Topic"},
        "Principal": {"Service": list(services)},
        **more,
    }
    return {"Type": "AWS::SNS::TopicPolicy", "Properties": {"Topics": [{"Ref": "Topic"}], "PolicyDocument": {"Statement": [statement]}}}  # fmt: skip


def key(service: str, **more: Any) -> Body:
    root = {
        "Effect": "Allow",
        "Action": "kms:*",
        "Resource": "*",
        "Principal": {"AWS": "arn:aws:iam::111122223333:root"},
    }
    use = {
        "Effect": "Allow",
        "Action": ["kms:GenerateDataKey*", "kms:Decrypt"],
        "Resource": "*",
        "Principal": {"Service": service},
        **more,
    }
    return {"Type": "AWS::KMS::Key", "Properties": {"KeyPolicy": {"Statement": [root, use]}}}  # fmt: skip


def to_topic(topic: Body = BARE, target: Any = None, **resources: Body) -> Body:
    targets = [{"Id": "a", "Arn": {"Ref": "Topic"}, **(target or {})}]
    told = ("AWS::Events::Rule", {"EventPattern": {"source": ["aws.ec2"]}, "Targets": targets})
    return template(Told=told, Topic=topic, **resources)


EVENTS, BUDGETS = "events.amazonaws.com", "budgets.amazonaws.com"
SAME_ACCOUNT = {"Condition": {"StringEquals": {"aws:SourceAccount": "111122223333"}}}
ENCRYPTED: Body = {"Type": "AWS::SNS::Topic", "Properties": {"KmsMasterKeyId": {"Ref": "Key"}}}
AWS_KEY: Body = {"Type": "AWS::SNS::Topic", "Properties": {"KmsMasterKeyId": "alias/aws/sns"}}
TOPICS = [
    ("may publish", to_topic(Policy=policy(BUDGETS, EVENTS)), []),
    ("may not", to_topic(Policy=policy(BUDGETS)), E),
    ("no policy", to_topic(), E),
    ("with a role of its own", to_topic(target={"RoleArn": "arn:aws:iam::111122223333:role/r"}), []),
    ("its key, too", to_topic(ENCRYPTED, Policy=policy(EVENTS), Key=key(EVENTS)), []),
    ("the key of budgets", to_topic(ENCRYPTED, Policy=policy(EVENTS), Key=key(BUDGETS)), E),
    ("a condition that EventBridge does not meet", to_topic(ENCRYPTED, Policy=policy(EVENTS), Key=key(EVENTS, **SAME_ACCOUNT)), E),
    ("AWS's own key", to_topic(AWS_KEY, Policy=policy(EVENTS)), E),
    ("a topic of another stack", template(Told=("AWS::Events::Rule", {"Targets": [{"Id": "a", "Arn": {"Fn::ImportValue": "t"}}]})), []),
]  # fmt: skip

TEMPLATES = [
    (rule_id, *row)
    for rule_id, rows in (
        ("TRN490", ACTIONS),
        ("TRN491", SCHEDULES),
        ("TRN492", RULES),
        ("TRN493", CHANNELS),
        ("TRN494", TOPICS),
    )
    for row in rows
]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [pytest.param(r, body, expected, id=f"{r} {name}") for r, name, body, expected in TEMPLATES],
)
def test_templates(rule_id, body, expected):
    assert severities(rule_id, judge_template(body)) == expected


@pytest.mark.parametrize(
    ("kind", "properties", "service"),
    [
        ("AWS::Scheduler::Schedule", {"Target": {"Arn": "a", "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]}}}, "scheduler.amazonaws.com"),
        ("AWS::Chatbot::SlackChannelConfiguration", {"IamRoleArn": {"Fn::GetAtt": ["Role", "Arn"]}}, "chatbot.amazonaws.com"),
    ],
)  # fmt: skip
def test_a_role_must_trust_who_takes_it(kind, properties, service):
    def trusting(name: str) -> Body:
        statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": name}}
        role = ("AWS::IAM::Role", {"AssumeRolePolicyDocument": {"Statement": [statement]}})
        return template(Taker=(kind, properties), Role=role)

    assert severities("TRN860", judge_template(trusting(service))) == []
    assert severities("TRN860", judge_template(trusting("lambda.amazonaws.com"))) == E
