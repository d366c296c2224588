"""What a role may do, by its statements."""

from __future__ import annotations

import pytest

from trnkit.operations.rehearsal.permissions import Role

OBJECT = "arn:aws:s3:::assets/key.zip"


def statement(effect="Allow", **elements):
    return {"Effect": effect, "Action": "s3:GetObject", "Resource": OBJECT} | elements


@pytest.mark.parametrize(
    ("statements", "may"),
    [
        ([], False),
        ([statement()], True),
        ([statement(Action=["s3:GetObject*", "s3:List*"], Resource="arn:aws:s3:::assets/*")], True),
        ([statement(Action="S3:getobject")], True),
        ([statement(Action="s3:Get?bject")], True),
        ([statement(Action="*", Resource="*")], True),
        ([statement(Resource="arn:aws:s3:::assets")], False),
        ([statement(Resource="arn:aws:s3:::assets/KEY.zip")], False),
        ([statement(Resource="arn:aws:s3:::assets/[k]ey.zip")], False),
        ([statement(Action="s3:PutObject")], False),
        ([statement(), statement("Deny", Action="s3:*", Resource="*")], False),
        ([statement(), statement("Deny", Action="s3:PutObject")], True),
        ([{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}], True),
        ([{"Effect": "Allow", "NotAction": "s3:*", "Resource": "*"}], False),
        ([{"Effect": "Deny", "Action": "*", "NotResource": OBJECT}, statement()], True),
    ],
)
def test_a_permission_needs_an_allowance_and_no_denial(statements, may):
    role = Role(name="nodes", statements=tuple(statements))
    assert role.may("s3:GetObject", OBJECT) is may


TAGGED = {"StringEquals": {"aws:ResourceTag/trnkit-cluster": "pretrain"}}
KEYS = {"ForAllValues:StringEquals": {"aws:TagKeys": ["state"]}}
TAG = "aws:ResourceTag/trnkit-cluster"


@pytest.mark.parametrize(
    ("condition", "known", "may"),
    [
        (TAGGED, None, True),
        (TAGGED, {TAG: ["pretrain"]}, True),
        (TAGGED, {TAG: ["other"]}, False),
        (TAGGED, {"aws:ResourceTag/Name": ["pretrain"]}, False),
        (TAGGED | KEYS, {TAG: ["pretrain"], "aws:TagKeys": ["state"]}, True),
        (TAGGED | KEYS, {TAG: ["pretrain"], "aws:TagKeys": ["state", "Name"]}, False),
        ({"StringLike": {TAG: ["pre*"]}}, {TAG: ["pretrain"]}, True),
        ({"StringEquals": {TAG: ["pre*"]}}, {TAG: ["pretrain"]}, False),
        ({"Bool": {"aws:SecureTransport": "true"}}, {TAG: ["pretrain"]}, True),
    ],
)
def test_a_condition_counts_as_far_as_its_keys_are_known(condition, known, may):
    role = Role(name="nodes", statements=(statement(Condition=condition),))
    assert role.may("s3:GetObject", OBJECT, known) is may


def test_a_denial_under_a_condition_that_does_not_hold_is_none():
    denial = statement("Deny", Condition=TAGGED)
    role = Role(name="nodes", statements=(statement(), denial))
    assert not role.may("s3:GetObject", OBJECT)
    assert role.may("s3:GetObject", OBJECT, {TAG: ["other"]})
