"""S3Mountpoint: the least a role needs to mount a bucket or a part of it."""

from __future__ import annotations

import json
import re

import pytest
from aws_cdk import App, Stack
from aws_cdk import aws_iam as iam

from constructs_lib.compute import NodeBoot, NodeRole, S3Mount, S3Mountpoint
from trnkit.errors import ConstructError

KEY = "arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
BUCKET = "arn:aws:s3:::our-corpus"


def below(objects):
    return f"{BUCKET}/{objects}"


@pytest.fixture
def make(stack):
    def mountpoint(**keys):
        plain = {"bucket_name": "our-corpus", "mount_path": "/data/corpus"}
        return S3Mountpoint(stack, "Corpus", **(plain | keys))

    return mountpoint


@pytest.fixture
def granted(make, stack, resources):
    def statements(**keys):
        make(**keys).grant(NodeRole(stack, "NodeRole").role)
        (policy,) = resources("AWS::IAM::Policy").values()
        return policy["Properties"]["PolicyDocument"]["Statement"]

    return statements


def test_reading_a_whole_bucket(granted):
    assert granted() == [
        {"Action": "s3:ListBucket", "Effect": "Allow", "Resource": BUCKET},
        {"Action": "s3:GetObject", "Effect": "Allow", "Resource": below("*")},
    ]


@pytest.mark.parametrize("prefix", ["tokenized/v2", "tokenized/v2/"])
def test_reading_a_part_of_it(granted, prefix):
    assert granted(prefix=prefix) == [
        {
            "Action": "s3:ListBucket",
            "Condition": {"StringLike": {"s3:prefix": "tokenized/v2/*"}},
            "Effect": "Allow",
            "Resource": BUCKET,
        },
        {"Action": "s3:GetObject", "Effect": "Allow", "Resource": below("tokenized/v2/*")},
    ]


def test_writing_never_deletes(granted):
    _, on_objects = granted(read_only=False, prefix="runs")
    assert set(on_objects["Action"]) == {"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"}
    assert on_objects["Resource"] == below("runs/*")


@pytest.mark.parametrize(
    ("read_only", "actions"),
    [(True, "kms:Decrypt"), (False, ["kms:Decrypt", "kms:GenerateDataKey"])],
)
def test_a_key_is_used_through_s3_only(granted, read_only, actions):
    *_, on_key = granted(read_only=read_only, kms_key_arn=KEY)
    through = {"Fn::Join": ["", ["s3.us-east-2.", {"Ref": "AWS::URLSuffix"}]]}
    assert on_key == {
        "Action": actions,
        "Condition": {"StringEquals": {"kms:ViaService": through}},
        "Effect": "Allow",
        "Resource": KEY,
    }


def test_nothing_else_is_made(make, stack, resources):
    role = iam.Role.from_role_arn(stack, "Role", "arn:aws:iam::111122223333:role/Nodes")
    make().grant(role)
    assert {found["Type"] for found in resources().values()} == {"AWS::IAM::Policy"}


def test_the_mount_is_for_the_nodes(make):
    mount = make(prefix="raw", read_only=False).mount
    assert mount == S3Mount(
        bucket_name="our-corpus",
        mount_path="/data/corpus",
        region="us-east-2",
        prefix="raw",
        read_only=False,
    )


def test_a_stack_without_a_region_names_its_own_at_deployment():
    stack = Stack(App(), "Anywhere")
    mount = S3Mountpoint(stack, "Corpus", bucket_name="our-corpus", mount_path="/data/corpus").mount
    text = json.dumps(stack.resolve(NodeBoot(s3_mounts=(mount,)).render()))
    assert '{"Ref": "AWS::Region"}' in text


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"bucket_name": "s3://our-corpus"}, "bucket_name is s3://our-corpus"),
        ({"mount_path": "/usr"}, "which the system uses itself"),
        ({"prefix": "/raw"}, "prefix must be folders of keys"),
        ({"read_only": None}, "read_only must be True or False"),
        ({"kms_key_arn": "alias/ours"}, "kms_key_arn must be the ARN of a KMS key"),
    ],
)
def test_wrong_arguments_are_refused(make, keys, words):
    with pytest.raises(ConstructError, match=re.escape(words)):
        make(**keys)
