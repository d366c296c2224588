"""Alarms, events and budget actions that notify or stop nobody, each beside the nearest right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, template

E, W = ["error"], ["warning"]
NOTHING = {"Ref": "AWS::NoValue"}
SOMETIMES = {"Fn::If": ["Sometimes", "a", "b"]}
REGION = {"Ref": "AWS::Region"}


def resource(kind: str, **properties: Any) -> Body:
    return {"Type": kind, "Properties": properties}


def alarm(**properties: Any) -> Body:
    base = {"Namespace": "AWS/FSx", "MetricName": "FreeDataStorageCapacity", "Threshold": 1}
    return template(Alarm=resource("AWS::CloudWatch::Alarm", **{**base, **properties}))


def topic_in(region: Any) -> Any:
    return f"arn:aws:sns:{region}:111122223333:alerts"


TOPICS = [
    ("its own", alarm(AlarmActions=[topic_in("us-east-2")]), []),
    ("another", alarm(AlarmActions=[topic_in("us-east-1")]), E),
    ("another, when it is over", alarm(OKActions=[topic_in("us-east-1")]), E),
    ("two others", alarm(AlarmActions=[topic_in("us-east-1")], InsufficientDataActions=[topic_in("us-east-1")]), E + E),
    ("joined", alarm(AlarmActions=[{"Fn::Sub": "arn:aws:sns:us-east-1:111122223333:alerts"}]), E),
    ("the stack's", alarm(AlarmActions=[{"Fn::Sub": "arn:aws:sns:${AWS::Region}:111122223333:alerts"}]), []),
    ("imported", alarm(AlarmActions=[{"Fn::ImportValue": "topic"}]), []),
    ("of the template", template(Alarm=resource("AWS::CloudWatch::Alarm", AlarmActions=[{"Ref": "Topic"}]), Topic=resource("AWS::SNS::Topic")), []),
    ("not a topic", alarm(AlarmActions=["arn:aws:automate:us-east-1:ec2:stop"]), []),
    ("a function", alarm(AlarmActions=["arn:aws:lambda:us-east-1:111122223333:function:f"]), []),
    ("of alarms", template(Both=resource("AWS::CloudWatch::CompositeAlarm", AlarmActions=[topic_in("us-east-1")])), E),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"), [row[1:] for row in TOPICS], ids=[r[0] for r in TOPICS]
)
def test_an_alarm_notifies_a_topic_of_its_region(body: Body, expected: list[str]):
    assert severities("TRN480", judge_template(body, region="us-east-2")) == expected


def test_where_the_region_is_not_known_no_topic_is_elsewhere():
    body = alarm(AlarmActions=[topic_in("us-east-1")])
    assert of_rule("TRN480", judge_template(body)) == []


def action(definition: Any, kind: Any = "APPLY_IAM_POLICY", **more: Body) -> Body:
    made = resource("AWS::Budgets::BudgetsAction", ActionType=kind, Definition=definition)
    return template(Action=made, **more)


def policy_on(**targets: Any) -> Body:
    return {
        "IamActionDefinition": {"PolicyArn": "arn:aws:iam::111122223333:policy/deny", **targets}
    }


SSM = {
    "SsmActionDefinition": {
        "Region": "us-east-2",
        "Subtype": "STOP_EC2_INSTANCES",
        "InstanceIds": ["i-1"],
    }
}
LINKED = resource("AWS::IAM::ServiceLinkedRole", AWSServiceName="autoscaling.amazonaws.com")
ROLES = [
    ("people", action(policy_on(Roles=["ml-engineers"])), []),
    ("of Auto Scaling", action(policy_on(Roles=["ml-engineers", "AWSServiceRoleForAutoScaling"])), E),
    ("made here", action(policy_on(Roles=[{"Ref": "Linked"}]), Linked=LINKED), E),
    ("a role", action(policy_on(Roles=[{"Ref": "Role"}]), Role=resource("AWS::IAM::Role")), []),
    ("a parameter", action(policy_on(Roles={"Ref": "Roles"})), []),
    ("no list", action(policy_on(Roles=SOMETIMES)), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"), [row[1:] for row in ROLES], ids=[r[0] for r in ROLES]
)
def test_a_budget_action_reaches_roles_that_take_a_policy(body: Body, expected: list[str]):
    assert severities("TRN481", judge_template(body)) == expected


DEFINITIONS = [
    ("of its type", action(policy_on(Roles=["a"])), []),
    ("users", action(policy_on(Users=["a"])), []),
    ("nobody", action(policy_on()), E),
    ("nobody, by lists", action(policy_on(Roles=[], Groups=[NOTHING])), E),
    ("perhaps somebody", action(policy_on(Roles={"Ref": "Roles"})), []),
    ("of instances", action(SSM, "RUN_SSM_DOCUMENTS"), []),
    ("of another type", action(SSM), E),
    ("of another type, with both", action({**SSM, **policy_on(Roles=["a"])}), []),
    ("of accounts", action({"ScpActionDefinition": {"PolicyId": "p-1", "TargetIds": ["1"]}}, "APPLY_SCP_POLICY"), []),
    ("of accounts, wrong", action(policy_on(Roles=["a"]), "APPLY_SCP_POLICY"), E),
    ("not known which", action(SSM, SOMETIMES), []),
    ("not known", action({"Fn::If": ["Sometimes", SSM, policy_on()]}), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"), [row[1:] for row in DEFINITIONS], ids=[r[0] for r in DEFINITIONS]
)
def test_a_budget_action_has_the_definition_of_its_type(body: Body, expected: list[str]):
    assert severities("TRN482", judge_template(body)) == expected


FUNCTION = resource("AWS::Lambda::Function", Runtime="python3.13")
NAMED = resource("AWS::Lambda::Function", FunctionName="watchdog")
ARN = {"Fn::GetAtt": ["Function", "Arn"]}


def event(arn: Any, **target: Any) -> Body:
    targets = [{"Id": "one", "Arn": arn, **target}]
    return resource("AWS::Events::Rule", ScheduleExpression="rate(1 day)", Targets=targets)


def permission(function: Any, principal: Any = "events.amazonaws.com") -> Body:
    return resource("AWS::Lambda::Permission", FunctionName=function, Principal=principal)


FUNCTIONS = [
    ("admitted", template(Rule=event(ARN), Function=FUNCTION, P=permission(ARN)), []),
    ("admitted by name", template(Rule=event(ARN), Function=FUNCTION, P=permission({"Ref": "Function"})), []),
    ("admitted by its own name", template(Rule=event(ARN), Function=NAMED, P=permission("arn:aws:lambda:us-east-2:111122223333:function:watchdog")), []),
    ("not admitted", template(Rule=event(ARN), Function=FUNCTION), E),
    ("not admitted, short", template(Rule=event({"Fn::Sub": "${Function.Arn}"}), Function=FUNCTION), E),
    ("another service", template(Rule=event(ARN), Function=FUNCTION, P=permission(ARN, "sns.amazonaws.com")), E),
    ("another function", template(Rule=event(ARN), Function=FUNCTION, Other=FUNCTION, P=permission({"Ref": "Other"})), E),
    ("not known which service", template(Rule=event(ARN), Function=FUNCTION, P=permission(ARN, {"Ref": "Service"})), []),
    ("not known which function", template(Rule=event(ARN), Function=FUNCTION, P=permission({"Ref": "Name"})), []),
    ("elsewhere", template(Rule=event({"Fn::ImportValue": "function"})), []),
    ("by a role", template(Rule=event(ARN, RoleArn="arn:aws:iam::111122223333:role/r"), Function=FUNCTION), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"), [row[1:] for row in FUNCTIONS], ids=[r[0] for r in FUNCTIONS]
)
def test_a_function_lets_in_who_runs_it(body: Body, expected: list[str]):
    assert severities("TRN483", judge_template(body)) == expected


def test_the_permission_of_a_function_may_stand_in_another_template():
    maker = template(Function=FUNCTION)
    maker["Outputs"] = {"Arn": {"Value": ARN, "Export": {"Name": "function"}}}
    rule = template(Rule=event({"Fn::ImportValue": "function"}))
    admits = template(P=permission({"Fn::ImportValue": "function"}))
    assert severities("TRN483", judge_template(maker, rule)) == E
    assert severities("TRN483", judge_template(maker, rule, admits)) == []


TOPIC = {"Ref": "Topic"}


def said(principal: Any, **more: Any) -> Body:
    statement = {
        "Effect": "Allow",
        "Action": "sns:Publish",
        "Resource": TOPIC,
        "Principal": principal,
        **more,
    }
    return resource(
        "AWS::SNS::TopicPolicy", Topics=[TOPIC], PolicyDocument={"Statement": [statement]}
    )


def key(*services: str) -> Body:
    statement = {
        "Effect": "Allow",
        "Action": "kms:*",
        "Resource": "*",
        "Principal": {"Service": list(services)},
    }
    return resource("AWS::KMS::Key", KeyPolicy={"Statement": [statement]})


PLAIN, CLOSED, OWN = (
    resource("AWS::SNS::Topic", **p)
    for p in ({}, {"KmsMasterKeyId": "alias/aws/sns"}, {"KmsMasterKeyId": {"Ref": "Key"}})
)
EVENTS, BUDGETS = {"Service": "events.amazonaws.com"}, {"Service": "budgets.amazonaws.com"}
OF_ACCOUNT = {
    "StringEquals": {"aws:SourceAccount": "111122223333"},
    "ArnLike": {"aws:SourceArn": "arn:aws:events:us-east-2:111122223333:rule/*"},
}
OWNER = {"StringEquals": {"AWS:SourceOwner": "111122223333"}}
LET_IN = [
    ("let in", template(Rule=event(TOPIC), Topic=PLAIN, P=said(EVENTS)), []),
    ("let in from the account", template(Rule=event(TOPIC), Topic=PLAIN, P=said(EVENTS, Condition=OF_ACCOUNT)), []),
    ("budgets alone", template(Rule=event(TOPIC), Topic=PLAIN, P=said(BUDGETS)), E),
    ("no policy", template(Rule=event(TOPIC), Topic=PLAIN), E),
    ("the owner alone", template(Rule=event(TOPIC), Topic=PLAIN, P=said("*", Condition=OWNER)), E),
    ("not known", template(Rule=event(TOPIC), Topic=PLAIN, P=said({"Service": {"Ref": "Who"}})), []),
    ("by a role", template(Rule=event(TOPIC, RoleArn="arn:aws:iam::111122223333:role/r"), Topic=PLAIN), []),
    ("key of SNS", template(Rule=event(TOPIC), Topic=CLOSED, P=said(EVENTS)), E),
    ("own key", template(Rule=event(TOPIC), Topic=OWN, P=said(EVENTS), Key=key("events.amazonaws.com")), []),
    ("key of budgets", template(Rule=event(TOPIC), Topic=OWN, P=said(EVENTS), Key=key("budgets.amazonaws.com")), E),
    ("neither", template(Rule=event(TOPIC), Topic=OWN, P=said(BUDGETS), Key=key("budgets.amazonaws.com")), E + E),
    ("elsewhere", template(Rule=event("arn:aws:sns:us-east-2:111122223333:alerts")), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"), [row[1:] for row in LET_IN], ids=[r[0] for r in LET_IN]
)
def test_a_topic_lets_in_who_notifies_it(body: Body, expected: list[str]):
    assert severities("TRN494", judge_template(body)) == expected


EXPRESSIONS: list[tuple[Any, list[str]]] = [
    ("at(2027-03-08T10:45:00)", []),
    ("2027-03-08T10:45:00", E),
    ("rate(5 minutes)", []),
    ("rate(1 hour)", []),
    ("rate(0 minutes)", E),
    ("rate(30 seconds)", E),
    ("rate(1.5 hours)", E),
    ("cron(0 18 ? * FRI *)", []),
    ("cron(0 18 ? * FRI)", E),
    ("0 18 * * 5", E),
    ({"Ref": "Expression"}, []),
    ({"Fn::Sub": "at(${Moment})"}, []),
    (NOTHING, []),
]


@pytest.mark.parametrize(
    ("expression", "expected"), EXPRESSIONS, ids=[str(e[0]) for e in EXPRESSIONS]
)
def test_a_schedule_comes_again_as_scheduler_reads_it(expression: Any, expected: list[str]):
    body = template(S=resource("AWS::Scheduler::Schedule", ScheduleExpression=expression))
    assert severities("TRN485", judge_template(body)) == expected


def silence(**properties: Any) -> Body:
    base = {
        "Namespace": "AWS/Lambda",
        "MetricName": "Invocations",
        "Statistic": "Sum",
        "ComparisonOperator": "LessThanThreshold",
        "Threshold": 1,
        "TreatMissingData": "notBreaching",
    }
    return alarm(**{**base, **properties})


SILENCES = [
    ("not breaching", silence(), W),
    ("missing", silence(TreatMissingData=NOTHING), W),
    ("ignored", silence(TreatMissingData="ignore"), W),
    ("breaching", silence(TreatMissingData="breaching"), []),
    ("somebody hears of missing data", silence(TreatMissingData=NOTHING, InsufficientDataActions=["arn"]), []),
    ("not known", silence(TreatMissingData=SOMETIMES), []),
    ("at most zero", silence(ComparisonOperator="LessThanOrEqualToThreshold", Threshold=0), W),
    ("at most one", silence(ComparisonOperator="LessThanOrEqualToThreshold", Threshold=1), []),
    ("few", silence(Threshold=5), []),
    ("many", silence(ComparisonOperator="GreaterThanThreshold"), []),
    ("errors", silence(MetricName="Errors"), []),
    ("another service", silence(Namespace="AWS/SQS"), []),
    ("of several", silence(MetricName=NOTHING, Namespace=NOTHING, Metrics=[{"Id": "a", "Expression": "FILL(b, 0)"}]), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"), [row[1:] for row in SILENCES], ids=[r[0] for r in SILENCES]
)
def test_silence_of_a_function_is_an_alarm(body: Body, expected: list[str]):
    assert severities("TRN486", judge_template(body)) == expected


def test_the_role_of_a_schedule_trusts_scheduler():
    def trusting(service: str) -> Body:
        statement = {
            "Effect": "Allow",
            "Action": "sts:AssumeRole",
            "Principal": {"Service": service},
        }
        role = resource("AWS::IAM::Role", AssumeRolePolicyDocument={"Statement": [statement]})
        target = {
            "Arn": "arn:aws:scheduler:::aws-sdk:ssm:sendCommand",
            "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
        }
        return template(S=resource("AWS::Scheduler::Schedule", Target=target), Role=role)

    assert severities("TRN860", judge_template(trusting("scheduler.amazonaws.com"))) == []
    assert severities("TRN860", judge_template(trusting("events.amazonaws.com"))) == E
