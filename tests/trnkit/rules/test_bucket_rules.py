"""Buckets that S3 refuses, and policies that allow nothing, each beside the nearest that is right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, severities
from tests.trnkit.rules.templates import Body, template

E = ["error"]
SOMETIMES = {"Fn::If": ["Sometimes", 1, 2]}
NOTHING = {"Ref": "AWS::NoValue"}
A, B = {"Ref": "A"}, {"Ref": "B"}


def lifecycle(*moves: tuple[str, Any], noncurrent: bool = False, **more: Any) -> Body:
    key = "NoncurrentVersionTransitions" if noncurrent else "Transitions"
    listed = [{"StorageClass": kind, "TransitionInDays": days} for kind, days in moves]
    rules = [{"Status": "Enabled", key: listed, **more}]
    return template(B=("AWS::S3::Bucket", {"LifecycleConfiguration": {"Rules": rules}}))


IA, GLACIER, DEEP = "STANDARD_IA", "GLACIER", "DEEP_ARCHIVE"
LIFECYCLES = [
    ("IA after 30", lifecycle((IA, 30)), []),
    ("IA after 29", lifecycle((IA, 29)), E),
    ("IA after 7 as text", lifecycle(("ONEZONE_IA", "7")), E),
    ("old versions to IA after 7", lifecycle((IA, 7), noncurrent=True), E),
    ("tiering at once", lifecycle(("INTELLIGENT_TIERING", 0)), []),
    ("archived at once", lifecycle(("GLACIER_IR", 0)), []),
    ("in order", lifecycle((IA, 30), (GLACIER, 90), (DEEP, 365)), []),
    ("in order, written backwards", lifecycle((DEEP, 365), (IA, 30)), []),
    ("out of order", lifecycle((IA, 60), (GLACIER, 30)), E),
    ("out of order, the culprit third", lifecycle((IA, 30), (GLACIER, 90), (DEEP, 80)), E),
    ("expires later", lifecycle((IA, 30), ExpirationInDays=31), []),
    ("expires on the day", lifecycle((IA, 30), ExpirationInDays=30), E),
    ("expires before", lifecycle((GLACIER, 30), ExpirationInDays=7), E),
    ("old versions expire before", lifecycle((GLACIER, 30), noncurrent=True, NoncurrentVersionExpiration={"NoncurrentDays": 7}), E),
    ("old versions expire, current ones move", lifecycle((GLACIER, 30), NoncurrentVersionExpiration={"NoncurrentDays": 7}), []),
    ("single transition", lifecycle(Transition={"StorageClass": IA, "TransitionInDays": 1}), E),
    ("by date", lifecycle(Transition={"StorageClass": IA, "TransitionDate": "2027-01-01T00:00:00Z"}), []),
    ("days not known", lifecycle((IA, SOMETIMES), ExpirationInDays=SOMETIMES), []),
]  # fmt: skip


def encrypted(algorithm: Any, key: Any = NOTHING) -> Body:
    default = {"SSEAlgorithm": algorithm, "KMSMasterKeyID": key}
    rules = [{"ServerSideEncryptionByDefault": default}]
    return template(B=("AWS::S3::Bucket", {"BucketEncryption": {"ServerSideEncryptionConfiguration": rules}}))  # fmt: skip


ENCRYPTIONS = [
    ("S3's", encrypted("AES256"), []),
    ("S3's and a key", encrypted("AES256", "alias/mine"), E),
    ("a key", encrypted("aws:kms", "alias/mine"), []),
    ("twice a key", encrypted("aws:kms:dsse", "alias/mine"), []),
    ("perhaps a key", encrypted("AES256", {"Fn::If": ["Own", "alias/mine", NOTHING]}), []),
]  # fmt: skip


def about(resource: Any, own: Any = A, **named: Any) -> Body:
    statement = {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": resource}
    policy = {"Bucket": own, "PolicyDocument": {"Statement": [statement]}}
    return template(
        A=("AWS::S3::Bucket", named),
        B=("AWS::S3::Bucket", {}),
        P=("AWS::S3::BucketPolicy", policy),
    )


def arn(name: str) -> Body:
    return {"Fn::GetAtt": [name, "Arn"]}


def joined(*pieces: Any) -> Body:
    return {"Fn::Join": ["", list(pieces)]}


BY_REF = joined("arn:", {"Ref": "AWS::Partition"}, ":s3:::", B, "/*")
POLICIES = [
    ("its own", about([arn("A"), joined(arn("A"), "/*")]), []),
    ("another's", about(arn("B")), E),
    ("its own and another's, the culprit second", about([arn("A"), arn("B")]), E),
    ("another's objects, joined", about(joined(arn("B"), "/*")), E),
    ("another's objects, by reference", about(BY_REF), E),
    ("another's, substituted", about({"Fn::Sub": "arn:${AWS::Partition}:s3:::${B}/*"}), E),
    ("its own, substituted", about({"Fn::Sub": ["arn:aws:s3:::${Name}/*", {"Name": A}]}), []),
    ("everything", about("*"), []),
    ("by name", about("arn:aws:s3:::data/*", "data"), []),
    ("by another name", about("arn:aws:s3:::date/*", "data"), E),
    ("by the resource's name", about("arn:aws:s3:::data/*", BucketName="data"), []),
    ("not the resource's name", about("arn:aws:s3:::date/*", BucketName="data"), E),
    ("the resource's name not known", about("arn:aws:s3:::data/*", BucketName=SOMETIMES), []),
    ("not a name that CloudFormation makes", about("arn:aws:s3:::data/*"), E),
    ("perhaps a name that CloudFormation makes", about("arn:aws:s3:::stack-a-1q2w3e4r5t6y/*"), []),
    ("a pattern", about("arn:aws:s3:::dat*/*", "data"), []),
    ("its account in the name", about({"Fn::Sub": "arn:aws:s3:::data-${AWS::AccountId}/*"}, "data"), []),
    ("half of a name", about(joined("arn:aws:s3:::", B, "-logs/*")), []),
    ("not known", about(SOMETIMES), []),
    ("imported", about({"Fn::ImportValue": "data-arn"}), []),
]  # fmt: skip


def allowed(actions: Any, resources: Any, kind: str = "AWS::IAM::Policy") -> Body:
    document = {"Statement": [{"Effect": "Allow", "Action": actions, "Resource": resources}]}
    return template(
        A=("AWS::S3::Bucket", {}),
        P=(kind, {"PolicyName": "p", "RoleName": "r", "PolicyDocument": document}),
    )


GET, LIST = "s3:GetObject", "s3:ListBucket"
OBJECTS_OF_A = {"Fn::Sub": "${A.Arn}/*"}


def in_turn(*grants: tuple[Any, Any]) -> Body:
    """A policy with a statement for each pair of actions and resources."""
    body = allowed(GET, arn("A"))
    document = body["Resources"]["P"]["Properties"]["PolicyDocument"]
    document["Statement"] = [
        {"Effect": "Allow", "Action": actions, "Resource": resources}
        for actions, resources in grants
    ]
    return body


LEVELS = [
    ("HOST-11 both, one statement each", in_turn(([GET, LIST], arn("A")), ([GET, LIST], OBJECTS_OF_A)), []),
    ("HOST-11 both, by a wildcard", in_turn((GET, arn("A")), ("s3:Get*", OBJECTS_OF_A)), []),
    ("HOST-11 both, of whatever", in_turn((GET, arn("A")), (GET, "*")), []),
    ("HOST-11 objects of another bucket", in_turn((GET, arn("A")), (GET, "arn:aws:s3:::another/*")), E),
    ("HOST-11 bucket twice", in_turn((GET, arn("A")), (GET, arn("A"))), [*E, *E]),
    ("HOST-11 other actions on the objects", in_turn((GET, arn("A")), ("s3:PutObject", OBJECTS_OF_A)), E),
    ("HOST-11 bucket's ARN, substituted", allowed(GET, {"Fn::Sub": "${A.Arn}"}), E),
    ("HOST-11 bucket's name, substituted", allowed(GET, {"Fn::Sub": "arn:${AWS::Partition}:s3:::${A}"}), E),
    ("HOST-11 bucket's name, joined", allowed([GET], joined("arn:aws:s3:::", A)), E),
    ("HOST-11 objects, joined", allowed(LIST, joined("arn:", {"Ref": "AWS::Partition"}, ":s3:::", A, "/*")), E),
    ("HOST-11 objects below a prefix", allowed(GET, {"Fn::Sub": "arn:aws:s3:::${A}/runs/*"}), []),
    ("HOST-11 both", allowed([GET, LIST], [arn("A"), {"Fn::Sub": "${A.Arn}/*"}]), []),
    ("HOST-11 a name with the account", allowed(GET, {"Fn::Sub": "arn:aws:s3:::ckpt-${AWS::AccountId}-${AWS::Region}"}), E),
    ("HOST-11 a name that may hold a path", allowed(GET, {"Fn::Sub": "arn:aws:s3:::${Where}"}), []),
    ("HOST-11 a list of them", allowed(GET, {"Ref": "Arns"}), []),
    ("HOST-11 a policy of a role by itself", allowed(GET, arn("A"), "AWS::IAM::RolePolicy"), E),
    ("HOST-11 of a group", template(A=("AWS::S3::Bucket", {}), G=("AWS::IAM::Group", {"Policies": [{"PolicyName": "p", "PolicyDocument": allowed(GET, arn("A"))["Resources"]["P"]["Properties"]["PolicyDocument"]}]})), E),
]  # fmt: skip

TABLES: list[tuple[str, list[tuple[str, Body, list[str]]]]] = [
    ("TRN370", LEVELS),
    ("TRN377", LIFECYCLES),
    ("TRN378", ENCRYPTIONS),
    ("TRN379", POLICIES),
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
