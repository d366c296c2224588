"""Policies of topics and keys that do, or do not, let a service alert through them."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, severities
from tests.trnkit.rules.templates import Body, budget, notification, sns, template

E: list[str] = ["error"]
TOPIC, OTHER, KEY = {"Ref": "Topic"}, {"Ref": "Other"}, {"Fn::GetAtt": ["Key", "Arn"]}
BUDGETS, WATCH = {"Service": "budgets.amazonaws.com"}, {"Service": "cloudwatch.amazonaws.com"}
ACCOUNT, REGION = {"Ref": "AWS::AccountId"}, {"Ref": "AWS::Region"}
EVERYBODY = {"AWS": "*"}
SOMETIMES = {"Fn::If": ["Sometimes", "a", "b"]}
Row = tuple[str, tuple[Body, ...], list[str]]


def allow(
    principal: Any = BUDGETS, action: Any = "sns:Publish", resource: Any = TOPIC, **more: Any
) -> Body:
    return {
        "Effect": "Allow",
        "Principal": principal,
        "Action": action,
        "Resource": resource,
        **more,
    }


def deny(
    principal: Any = "*", action: Any = "sns:Publish", resource: Any = TOPIC, **more: Any
) -> Body:
    return {**allow(principal, action, resource, **more), "Effect": "Deny"}


def when(operator: str, key: str, value: Any) -> Body:
    return {"Condition": {operator: {key: value}}}


def arn(name: str, service: str = "sns") -> str:
    return f"arn:aws:{service}:us-east-2:111122223333:{name}"


ANYTHING = ["SNS:GetTopicAttributes", "SNS:Publish", "SNS:Subscribe"]
SNS_DEFAULT = allow(EVERYBODY, ANYTHING, **when("StringEquals", "AWS:SourceOwner", ACCOUNT))
SAME_ACCOUNT = when("StringEquals", "aws:SourceAccount", ACCOUNT)
OF_BUDGETS = {"Fn::Sub": "arn:${AWS::Partition}:budgets::${AWS::AccountId}:*"}
JOINED = {"Fn::Join": ["", ["arn:aws:sns:", REGION, ":", ACCOUNT, ":other"]]}
NOT_TLS = when("Bool", "aws:SecureTransport", "false")

TOPICS: list[Row] = [
    ("nothing", (), E),
    ("right", (allow(),), []),
    ("right, from the account", (allow(**SAME_ACCOUNT),), []),
    ("right, from its budgets", (allow(**when("ArnLike", "aws:SourceArn", OF_BUDGETS)),), []),
    ("right, from its budgets, by literal", (allow(**when("ArnLike", "aws:SourceArn", "arn:aws:budgets::111122223333:*")),), []),
    ("right, from any source", (allow(**when("ArnLike", "aws:SourceArn", "arn:aws:*:*:111122223333:*")),), []),
    ("right, from anything", (allow(**when("StringLike", "aws:SourceArn", "*")),), []),
    ("right, both conditions", (allow(Condition={"StringEquals": {"aws:SourceAccount": ACCOUNT}, "ArnLike": {"aws:SourceArn": OF_BUDGETS}}),), []),
    ("right, over TLS", (allow(**when("Bool", "aws:SecureTransport", "true")),), []),
    ("right, in lists", (allow({"Service": ["cloudwatch.amazonaws.com", "budgets.amazonaws.com"]}, ["sns:Subscribe", "sns:Publish"], [TOPIC, OTHER]),), []),
    ("right, among others", (SNS_DEFAULT, allow(WATCH), allow()), []),
    ("right, on everything", (allow(resource="*"),), []),
    ("right, by its ARN", (allow(resource=arn("alerts-Topic-ABCDEFGHIJKL")),), []),
    ("right, by a pattern", (allow(resource=arn("alerts-*")),), []),
    ("right, action not known", (allow(action=SOMETIMES),), []),
    ("right, anything but", ({**{k: v for k, v in allow().items() if k != "Action"}, "NotAction": "sns:DeleteTopic"},), []),
    ("right, any principal but", ({**{k: v for k, v in allow().items() if k != "Principal"}, "NotPrincipal": WATCH},), []),
    ("right, any resource but", ({**{k: v for k, v in allow().items() if k != "Resource"}, "NotResource": "x"},), []),
    ("right, everybody", (allow("*"),), []),
    ("right, everybody of an account", (allow(EVERYBODY, **SAME_ACCOUNT),), []),
    ("right, perhaps everybody", (allow({"AWS": SOMETIMES}),), []),
    ("right, if it has an owner", (allow(EVERYBODY, **when("StringEqualsIfExists", "aws:SourceOwner", ACCOUNT)),), []),
    ("right, unless of another owner", (allow(EVERYBODY, **when("StringNotEquals", "aws:SourceOwner", "x")),), []),
    ("right, effect not known", ({**allow(), "Effect": SOMETIMES},), []),
    ("right, condition not known", (allow(Condition=SOMETIMES),), []),
    ("BUD-05 SNS's default", (SNS_DEFAULT,), E),
    ("BUD-05 SNS's default, lower case", (allow(EVERYBODY, ANYTHING, **when("StringEquals", "aws:sourceowner", ACCOUNT)),), E),
    ("BUD-05 the organization's", (allow("*", **when("StringEquals", "aws:PrincipalOrgID", "o-1")),), E),
    ("BUD-05 another topic of the template", (allow(resource=OTHER),), E),
    ("BUD-05 another topic by ARN", (allow(resource=arn("other")),), E),
    ("BUD-05 another topic by Join", (allow(resource=JOINED),), E),
    ("BUD-05 another topic by Sub", (allow(resource={"Fn::Sub": "arn:aws:sns:${AWS::Region}:${AWS::AccountId}:other"}),), E),
    ("BUD-05 a queue", (allow(resource=arn("queue", "sqs")),), E),
    ("BUD-05 another topic, or not known", (allow(resource=[OTHER, SOMETIMES]),), []),
    ("BUD-05 another service's ARNs", (allow(**when("ArnLike", "aws:SourceArn", "arn:aws:s3:::example-bucket")),), E),
    ("BUD-05 another service's ARNs, by Sub", (allow(**when("ArnLike", "aws:SourceArn", {"Fn::Sub": "arn:aws:cloudwatch:${AWS::Region}:1:*"})),), E),
    ("BUD-05 of several ARNs", (allow(**when("ArnLike", "aws:SourceArn", ["arn:aws:s3:::example-bucket", OF_BUDGETS])),), []),
    ("BUD-05 another service by name", (allow("*", **when("StringEquals", "aws:PrincipalServiceName", "s3.amazonaws.com")),), E),
    ("BUD-05 an account only", (allow({"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}}),), E),
    ("BUD-05 this account only", (allow({"AWS": ACCOUNT}),), E),
    ("BUD-05 denied to everybody", (allow(), deny()), E),
    ("BUD-05 all denied to all", (allow(), deny(EVERYBODY, "sns:*", "*")), E),
    ("BUD-05 denied to the service", (allow(), deny(BUDGETS)), E),
    ("BUD-05 denied without TLS", (allow(), deny(**NOT_TLS)), []),
    ("BUD-05 denied to others", (allow(), deny(WATCH)), []),
    ("BUD-05 another action denied", (allow(), deny(action="sns:DeleteTopic")), []),
    ("BUD-05 another topic denied", (allow(), deny(resource=OTHER)), []),
    ("BUD-05 denied to all but", (allow(), {"Effect": "Deny", "NotPrincipal": BUDGETS, "Action": "sns:*", "Resource": "*"}), []),
    ("BUD-05 denied but", (allow(), {"Effect": "Deny", "Principal": "*", "NotAction": "sns:Publish", "Resource": "*"}), []),
    ("BUD-05 denied, perhaps", (allow(), {**deny(), "Effect": SOMETIMES}), []),
]  # fmt: skip


def with_policy(*statements: Any, **topic: Any) -> Body:
    policy = {"Topics": [TOPIC], "PolicyDocument": {"Statement": list(statements)}}
    return template(
        Topic=("AWS::SNS::Topic", topic),
        Other=("AWS::SNS::Topic", {}),
        Policy=("AWS::SNS::TopicPolicy", policy),
        Budget=budget(notification(sns(TOPIC))),
    )


@pytest.mark.parametrize(
    ("statements", "expected"), [(s, e) for _, s, e in TOPICS], ids=[n for n, *_ in TOPICS]
)
def test_a_topics_policy(statements: tuple[Body, ...], expected: list[str]):
    assert severities("TRN453", judge_template(with_policy(*statements))) == expected


NAMED = [("alerts", []), ("alert*", []), ("other", E), ("oth*", E)]


@pytest.mark.parametrize(("name", "expected"), NAMED)
def test_a_topic_with_a_name(name: str, expected: list[str]):
    body = with_policy(allow(resource=arn(name)), TopicName="alerts")
    assert severities("TRN453", judge_template(body)) == expected


USE = ["kms:GenerateDataKey*", "kms:Decrypt"]


def use(principal: Any = BUDGETS, action: Any = USE, **more: Any) -> Body:
    return allow(principal, action, "*", **more)


def via(*services: Any) -> Body:
    return when("StringLike", "kms:ViaService", list(services))


KEYS: list[Row] = [
    ("right", (use(),), []),
    ("right, via SNS", (use("*", **via("sns.us-east-2.amazonaws.com")),), []),
    ("right, via SNS anywhere", (use("*", **via("sns.*.amazonaws.com")),), []),
    ("right, via SNS by Sub", (use("*", **via({"Fn::Sub": "sns.${AWS::Region}.amazonaws.com"})),), []),
    ("right, via any", (use("*", **via("*.us-east-2.amazonaws.com")),), []),
    ("right, via either", (use("*", **via("s3.us-east-2.amazonaws.com", "sns.us-east-2.amazonaws.com")),), []),
    ("right, via one not known", (use("*", **via(SOMETIMES)),), []),
    ("right, unless via", (use("*", **when("StringNotEquals", "kms:ViaService", "s3.us-east-2.amazonaws.com")),), []),
    ("right, two statements", (use(action="kms:Decrypt"), use(action="kms:GenerateDataKey")), []),
    ("BUD-06 via S3", (use("*", **via("s3.us-east-2.amazonaws.com")),), E),
    ("BUD-06 via S3 by Sub", (use("*", **via({"Fn::Sub": "s3.${AWS::Region}.amazonaws.com"})),), E),
    ("BUD-06 another key", (allow(BUDGETS, USE, {"Fn::GetAtt": ["Second", "Arn"]}),), E),
    ("BUD-06 half denied", (use(), deny("*", "kms:Decrypt", "*")), E),
    ("BUD-06 deletion denied", (use(), deny("*", "kms:ScheduleKeyDeletion", "*")), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("statements", "expected"), [(s, e) for _, s, e in KEYS], ids=[n for n, *_ in KEYS]
)
def test_a_keys_policy(statements: tuple[Body, ...], expected: list[str]):
    body = with_policy(allow(), KmsMasterKeyId=KEY)
    body["Resources"] |= template(
        Key=("AWS::KMS::Key", {"KeyPolicy": {"Statement": list(statements)}}),
        Second=("AWS::KMS::Key", {"KeyPolicy": {"Statement": []}}),
    )["Resources"]
    assert severities("TRN454", judge_template(body)) == expected
