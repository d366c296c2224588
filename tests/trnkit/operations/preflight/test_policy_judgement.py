"""Policies in all their spellings: yes, no, or nobody can tell."""

from __future__ import annotations

import json

import pytest

from trnkit.operations.preflight.policy_judgement import (
    PolicyRequest,
    Requester,
    ServiceRequester,
    Verdict,
    judge_policy,
)

ACCOUNT = "111122223333"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/nodes"
KEY = f"arn:aws:kms:us-east-2:{ACCOUNT}:key/1"


WORDS = {Verdict.ALLOWED: True, Verdict.UNKNOWN: None, Verdict.DENIED: False}
VERDICTS = {word: verdict for verdict, word in WORDS.items()}


def allows(document, asked, *, otherwise=False):
    return WORDS[judge_policy(document, asked, otherwise=VERDICTS[otherwise]).verdict]


def denies(document, asked):
    """What a policy denies of what all else allows."""
    word = allows(document, asked, otherwise=True)
    return None if word is None else not word


def request(role=ROLE, *, own=False, action="kms:Decrypt", resource=KEY, **context):
    named = {name.replace("__", ":"): value for name, value in context.items()}
    requester = Requester(account=ACCOUNT, role=role, has_own_policy=own)
    return PolicyRequest(requester=requester, action=action, resource=resource, context=named)


def policy(**changes):
    statement = {"Effect": "Allow", "Principal": {"AWS": ROLE}, "Action": "kms:*", "Resource": "*"}
    return json.dumps({"Statement": statement | changes})


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, True),
        ({"Principal": "*"}, True),
        ({"Principal": {"AWS": "*"}}, True),
        ({"Principal": {"AWS": ["arn:aws:iam::123456789012:root", ROLE]}}, True),
        ({"Principal": {"AWS": f"{ROLE}-other"}}, False),
        ({"Principal": {"AWS": ROLE.replace(ACCOUNT, "123456789012")}}, False),
        # A role that was deleted and made anew is another one.
        ({"Principal": {"AWS": "AROAEXAMPLEEXAMPLE123"}}, False),
        ({"Principal": {"AWS": []}}, False),
        ({"Principal": {"Service": "ec2.amazonaws.com"}}, False),
        ({"Principal": {"Federated": "x"}}, False),
        ({"Principal": None}, None),
        ({"Effect": "Deny"}, False),
        ({"Effect": None}, False),
        ({"Action": "kms:Decrypt"}, True),
        ({"Action": "KMS:decrypt"}, True),
        ({"Action": ["kms:Encrypt", "kms:De*"]}, True),
        ({"Action": "kms:Decryp?"}, True),
        ({"Action": "*"}, True),
        ({"Action": "kms:Encrypt"}, False),
        ({"Action": "s3:*"}, False),
        ({"Resource": KEY}, True),
        ({"Resource": KEY.replace("key/1", "key/*")}, True),
        ({"Resource": KEY.replace("key/1", "key/2")}, False),
        ({"Condition": {}}, True),
        ({"Condition": []}, True),
        ({"Condition": ["x"]}, None),
        ({"Condition": {"Bool": "x"}}, None),
    ],
)
def test_statements(changes, verdict):
    assert allows(policy(**changes), request()) is verdict


@pytest.mark.parametrize(
    ("document", "verdict"),
    [
        ('{"Statement": []}', False),
        ("{}", False),
        ("", None),
        ("no json", None),
        ("[]", None),
        ('"x"', None),
        ('{"Statement": ["x"]}', None),
    ],
)
def test_documents(document, verdict):
    assert allows(document, request()) is verdict
    assert denies(document, request()) is verdict


def spelled(key, value, **instead_of):
    statement = {"Effect": "Allow", "Principal": {"AWS": ROLE}, "Action": "kms:*", "Resource": "*"}
    del statement[instead_of["without"]]
    return json.dumps({"Statement": [statement | {key: value}]})


@pytest.mark.parametrize(
    ("key", "value", "without", "verdict"),
    [
        ("NotAction", "kms:Encrypt", "Action", True),
        ("NotAction", ["kms:Encrypt", "kms:Decrypt"], "Action", False),
        ("NotResource", KEY, "Resource", False),
        ("NotResource", f"{KEY}2", "Resource", True),
        ("NotPrincipal", {"AWS": ROLE}, "Principal", None),
        # KMS takes such statements, and they have no effect; nobody says so of other services.
        ("Sid", "x", "Resource", None),
        ("Sid", "x", "Action", None),
    ],
)
def test_what_is_said_the_other_way_round(key, value, without, verdict):
    assert allows(spelled(key, value, without=without), request()) is verdict


@pytest.mark.parametrize(
    ("operator", "wanted", "verdict"),
    [
        ("StringEquals", "ec2.example", True),
        ("StringEquals", ["s3.example", "ec2.example"], True),
        ("StringEquals", "s3.example", False),
        ("StringEquals", "EC2.example", False),
        ("StringEqualsIgnoreCase", "EC2.example", True),
        ("StringLike", "ec2.*", True),
        ("StringLike", "s3.*", False),
        ("StringNotEquals", "ec2.example", False),
        ("StringNotEquals", "s3.example", True),
        ("StringNotLike", "ec2.*", False),
        ("StringEqualsIfExists", "ec2.example", True),
        ("ForAnyValue:StringEquals", "ec2.example", True),
        ("ForAllValues:StringEquals", "ec2.example", None),
        ("StringEquals", "${aws:PrincipalTag/x}", None),
        ("DateLessThan", "2027-01-01", None),
        ("Null", "true", None),
    ],
)
def test_conditions_with_a_value_that_is_known(operator, wanted, verdict):
    document = policy(Condition={operator: {"kms:ViaService": wanted}})
    assert allows(document, request(kms__viaservice="ec2.example")) is verdict
    # Of what the request has nobody knows anything then, unless the condition is none of it.
    assert allows(document, request()) is None


@pytest.mark.parametrize(
    ("wanted", "verdict"), [("true", True), (True, True), ("false", False), (False, False)]
)
def test_yes_and_no_in_either_spelling(wanted, verdict):
    document = policy(Condition={"Bool": {"aws:SecureTransport": wanted}})
    assert allows(document, request(aws__securetransport="true")) is verdict


@pytest.mark.parametrize(("least", "verdict"), [("1.2", False), ("1.3", True), ("x", False)])
def test_numbers(least, verdict):
    document = policy(Effect="Deny", Condition={"NumericLessThan": {"s3:TlsVersion": least}})
    assert denies(document, request(s3__tlsversion="1.2")) is verdict


@pytest.mark.parametrize(("least", "verdict"), [("1.2", False), ("1.3", None), ("x", False)])
def test_a_number_of_which_only_the_least_is_known(least, verdict):
    document = policy(Effect="Deny", Condition={"NumericLessThan": {"s3:TlsVersion": least}})
    assert denies(document, request(s3__tlsversion="1.2*")) is verdict


def test_all_conditions_must_hold():
    both = {"StringEquals": {"aws:a": "1", "aws:b": "2"}}
    assert allows(policy(Condition=both), request(aws__a="1", aws__b="2")) is True
    assert allows(policy(Condition=both), request(aws__a="1", aws__b="3")) is False
    # One that certainly fails is enough, whatever the other is.
    assert allows(policy(Condition=both), request(aws__b="3")) is False
    assert allows(policy(Condition=both), request(aws__a="1")) is None


ROOT = f"arn:aws:iam::{ACCOUNT}:root"


@pytest.mark.parametrize("root", [ROOT, ACCOUNT])
def test_an_account_leaves_it_to_its_policies_which_not_every_role_has(root):
    document = policy(Principal={"AWS": root})
    assert allows(document, request(own=True)) is True
    assert allows(document, request(own=False)) is False
    assert denies(policy(Principal={"AWS": root}, Effect="Deny"), request(own=False)) is True


def test_roles_that_have_no_name_yet():
    named = policy()
    assert allows(named, request(None, own=True)) is None
    assert allows(named, request(f"arn:aws:iam::{ACCOUNT}:role/no*", own=True)) is None
    assert allows(named, request(f"arn:aws:iam::{ACCOUNT}:role/other*", own=True)) is False
    assert allows(policy(Principal={"AWS": ROOT}), request(None, own=True)) is True


ALLOW = {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}
DENY = ALLOW | {"Effect": "Deny"}
PERHAPS = {"Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-example"}}}


@pytest.mark.parametrize(
    ("statements", "otherwise", "verdict"),
    [
        ([ALLOW, DENY], False, False),
        ([DENY, ALLOW], False, False),
        ([ALLOW, DENY | PERHAPS], False, None),
        ([ALLOW | PERHAPS], False, None),
        ([ALLOW | PERHAPS, ALLOW], False, True),
        ([ALLOW | PERHAPS, DENY], False, False),
        ([DENY | PERHAPS], False, False),
        # What a grant allows, no denial lets through.
        ([], True, True),
        ([ALLOW | PERHAPS], True, True),
        ([DENY], True, False),
        ([DENY | PERHAPS], True, None),
        ([], None, None),
        ([ALLOW], None, True),
        ([DENY], None, False),
    ],
)
def test_denials_go_before_everything(statements, otherwise, verdict):
    document = json.dumps({"Statement": statements})
    assert allows(document, request(), otherwise=otherwise) is verdict


@pytest.mark.parametrize(
    ("operator", "verdict"),
    [
        ("StringEquals", False),
        ("ArnLike", False),
        ("Bool", False),
        ("ForAnyValue:StringEquals", False),
        ("StringNotEquals", True),
        ("ArnNotLike", True),
        ("StringEqualsIfExists", True),
        ("StringNotEqualsIfExists", True),
        ("ForAnyValue:StringNotEquals", False),
        ("ForAllValues:StringEquals", None),
        ("Null", None),
    ],
)
def test_a_key_that_the_request_certainly_does_not_have(operator, verdict):
    document = policy(Condition={operator: {"aws:SourceOwner": "x"}})
    assert allows(document, request(aws__sourceowner=None)) is verdict


SOURCE = f"arn:aws:*:*:{ACCOUNT}:*"


@pytest.mark.parametrize(
    ("operator", "wanted", "verdict"),
    [
        ("ArnLike", f"arn:aws:*:*:{ACCOUNT}:*", True),
        ("ArnLike", f"arn:aws:budgets::{ACCOUNT}:*", None),
        # The parts of an ARN are compared one by one.
        ("ArnLike", "arn:aws:budgets::123456789012:*", False),
        ("ArnNotLike", "arn:aws:budgets::123456789012:*", True),
        ("ArnLike", "arn:aws:*", True),
        ("ArnLike", "arn:aws:budgets::${aws:PrincipalAccount}:*", None),
        ("ArnLike", "arn:aws-cn:budgets::${aws:PrincipalAccount}:*", False),
        # No part of a text is any sign for these.
        ("StringEquals", SOURCE, None),
        ("StringEquals", "arn:aws:x", False),
        ("StringLike", "arn:aws:*", True),
        ("StringNotLike", "arn:aws:*", False),
        ("StringNotLike", "arn:aws:s3:*", None),
    ],
)
def test_a_value_that_is_known_in_part(operator, wanted, verdict):
    document = policy(Condition={operator: {"aws:SourceArn": wanted}})
    assert allows(document, request(aws__sourcearn=SOURCE)) is verdict


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        ([ALLOW], ""),
        ([], "no statement allows it"),
        ([ALLOW, DENY], "statement number 2 denies it"),
        ([ALLOW, DENY | {"Sid": "NoKeys"}], "statement NoKeys denies it"),
        ([ALLOW | PERHAPS], "statement number 1 may allow it"),
        ([ALLOW, DENY | PERHAPS], "statement number 2 may deny it"),
        # What is denied for certain is not doubtful, wherever it stands.
        ([DENY | PERHAPS, DENY], "statement number 2 denies it"),
    ],
)
def test_the_statement_that_decides_is_named(statements, words):
    assert judge_policy(json.dumps({"Statement": statements}), request()).because == words


@pytest.mark.parametrize(
    ("principal", "verdict"),
    [
        ("*", True),
        ({"AWS": "*"}, True),
        ({"Service": "budgets.amazonaws.com"}, True),
        ({"Service": ["events.amazonaws.com", "budgets.amazonaws.com"]}, True),
        ({"Service": "events.amazonaws.com"}, False),
        ({"AWS": ROOT}, False),
        (None, None),
    ],
)
def test_a_service_that_asks_in_its_own_name(principal, verdict):
    asked = PolicyRequest(
        requester=ServiceRequester(principal="budgets.amazonaws.com"),
        action="kms:Decrypt",
        resource=KEY,
    )
    assert allows(policy(Principal=principal), asked) is verdict
