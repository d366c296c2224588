"""CheckpointBucket: versioned, closed, kept, tidied up, and permissions at the right level."""

from __future__ import annotations

import pytest
from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms

from constructs_lib.compute import NodeRole
from constructs_lib.storage import CheckpointBucket, CheckpointLifecycle
from trnkit.errors import ConstructError

KEY = "arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"


@pytest.fixture
def make(stack):
    return lambda **arguments: CheckpointBucket(stack, "Checkpoints", **arguments)


@pytest.fixture
def only(resources):
    def properties_of(kind):
        (resource,) = resources(kind).values()
        return resource["Properties"]

    return properties_of


def test_versioned_closed_and_encrypted(make, only):
    make()
    found = only("AWS::S3::Bucket")
    assert found["VersioningConfiguration"] == {"Status": "Enabled"}
    assert found["PublicAccessBlockConfiguration"] == {
        "BlockPublicAcls": True,
        "BlockPublicPolicy": True,
        "IgnorePublicAcls": True,
        "RestrictPublicBuckets": True,
    }
    assert found["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]
    (encryption,) = found["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert encryption == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    assert "BucketName" not in found


def test_a_key_of_ones_own(make, stack, only):
    make(kms_key=kms.Key.from_key_arn(stack, "Key", KEY))
    (encryption,) = only("AWS::S3::Bucket")["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert encryption == {
        "BucketKeyEnabled": True,
        "ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY},
    }


def test_requests_without_tls_are_refused_on_bucket_and_objects(make, only):
    make()
    (statement,) = only("AWS::S3::BucketPolicy")["PolicyDocument"]["Statement"]
    assert statement["Effect"] == "Deny"
    assert statement["Principal"] == {"AWS": "*"}
    assert statement["Action"] == "s3:*"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    bucket, objects = statement["Resource"]
    assert objects == {"Fn::Join": ["", [bucket, "/*"]]}


def test_fsx_10_bucket_and_policy_are_kept_together(make, resources):
    make()
    for resource in resources().values():
        assert resource["DeletionPolicy"] == "RetainExceptOnCreate"
        assert resource["UpdateReplacePolicy"] == "Retain"


def test_removal_policy_can_be_chosen(make, resources):
    make(removal_policy=RemovalPolicy.DESTROY)
    assert {r["DeletionPolicy"] for r in resources().values()} == {"Delete"}


def test_what_is_left_over_goes(make, only):
    make(abort_incomplete_multipart_upload_days=3, noncurrent_version_expiration_days=14)
    (rule,) = only("AWS::S3::Bucket")["LifecycleConfiguration"]["Rules"]
    assert rule == {
        "Id": "Housekeeping",
        "Status": "Enabled",
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 3},
        "NoncurrentVersionExpiration": {"NoncurrentDays": 14},
        "ExpiredObjectDeleteMarker": True,
    }


def test_what_becomes_of_old_checkpoints(make, only):
    make(
        lifecycle=[
            CheckpointLifecycle("runs/", expiration_days=90),
            CheckpointLifecycle("kept/", transition_days=0, transition_storage_class="GLACIER_IR"),
        ]
    )
    _, runs, kept = only("AWS::S3::Bucket")["LifecycleConfiguration"]["Rules"]
    assert runs == {
        "Id": "Lifecycle0",
        "Status": "Enabled",
        "Prefix": "runs/",
        "ExpirationInDays": 90,
    }
    assert kept["Prefix"] == "kept/"
    assert kept["Transitions"] == [{"StorageClass": "GLACIER_IR", "TransitionInDays": 0}]
    assert "ExpirationInDays" not in kept


def statements(only):
    return only("AWS::IAM::Policy")["PolicyDocument"]["Statement"]


def test_host_11_each_action_stands_beside_its_kind_of_arn(make, stack, only):
    bucket = make()
    bucket.grant_read_write(NodeRole(stack, "NodeRole").role)
    on_bucket, on_objects = statements(only)
    arn = stack.resolve(bucket.bucket_arn)
    assert on_bucket["Resource"] == arn
    assert set(on_bucket["Action"]) == {
        "s3:GetBucketLocation",
        "s3:ListBucket",
        "s3:ListBucketMultipartUploads",
    }
    assert on_objects["Resource"] == {"Fn::Join": ["", [arn, "/*"]]}
    assert set(on_objects["Action"]) == {
        "s3:GetObject",
        "s3:PutObject",
        "s3:DeleteObject",
        "s3:AbortMultipartUpload",
        "s3:ListMultipartUploadParts",
    }


def test_with_a_key_the_role_may_use_that_key_alone(make, stack, only):
    bucket = make(kms_key=kms.Key.from_key_arn(stack, "Key", KEY))
    bucket.grant_read_write(NodeRole(stack, "NodeRole").role)
    *_, on_key = statements(only)
    assert on_key["Resource"] == KEY
    assert set(on_key["Action"]) == {"kms:Decrypt", "kms:GenerateDataKey"}


def test_a_role_that_exists_gets_a_policy_too(make, stack, only):
    role = iam.Role.from_role_arn(stack, "Theirs", "arn:aws:iam::111122223333:role/nodes")
    make().grant_read_write(role)
    assert len(statements(only)) == 2
    assert only("AWS::IAM::Policy")["Roles"] == ["nodes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"abort_incomplete_multipart_upload_days": 0}, "must be 1 or more, got 0"),
        ({"noncurrent_version_expiration_days": -1}, "must be 1 or more, got -1"),
        ({"lifecycle": [CheckpointLifecycle("runs/")]}, "must have expiration_days or"),
        (
            {"lifecycle": [CheckpointLifecycle("runs/", 9), CheckpointLifecycle("runs/", 8)]},
            "name each prefix once, got 'runs/' twice",
        ),
        (
            {"lifecycle": [CheckpointLifecycle("runs/", 30, 30)]},
            "must be more than its transition_days 30, got 30",
        ),
    ],
)
def test_fails_before_anything_is_made(stack, make, arguments, message):
    with pytest.raises(ConstructError, match=message):
        make(**arguments)
    assert not stack.node.find_child("Checkpoints").node.children
