"""Gateways of keys, buckets, file systems and snapshots against moto, where moto has them."""

from __future__ import annotations

import json

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.stub import Stubber
from moto import mock_aws

from trnkit.aws.ec2 import Ec2Gateway
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.image_builder import ImageBuilderGateway
from trnkit.aws.kms import KmsGateway
from trnkit.aws.s3 import S3Gateway
from trnkit.aws.session import AwsSession

REGION = "us-east-2"
ROLE = "arn:aws:iam::123456789012:role/nodes"


@pytest.fixture(autouse=True)
def moto():
    with mock_aws():
        yield


@pytest.fixture
def kms():
    return boto3.client("kms", region_name=REGION)


def make_bucket(name, region=REGION):
    s3 = boto3.client("s3", region_name=region)
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": region})
    return s3


def test_a_key_by_id_by_arn_and_by_alias(kms):
    made = kms.create_key(KeyUsage="ENCRYPT_DECRYPT")["KeyMetadata"]
    kms.create_alias(AliasName="alias/volumes", TargetKeyId=made["KeyId"])
    gateway = KmsGateway(AwsSession(), REGION)
    alias = made["Arn"].replace(f"key/{made['KeyId']}", "alias/volumes")
    for name in (made["KeyId"], made["Arn"], alias):
        found = gateway.key(name)
        assert (found.key_id, found.state, found.is_aws_managed) == (
            made["KeyId"],
            "Enabled",
            False,
        )
        assert (found.usage, found.spec) == ("ENCRYPT_DECRYPT", "SYMMETRIC_DEFAULT")


def test_a_key_on_its_way_out_and_one_that_is_for_signatures(kms):
    gone = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.schedule_key_deletion(KeyId=gone, PendingWindowInDays=7)
    signing = kms.create_key(KeyUsage="SIGN_VERIFY", KeySpec="RSA_2048")["KeyMetadata"]["KeyId"]
    gateway = KmsGateway(AwsSession(), REGION)
    assert gateway.key(gone).state == "PendingDeletion"
    assert gateway.key(gone).deletion_date is not None
    assert (gateway.key(signing).usage, gateway.key(signing).spec) == ("SIGN_VERIFY", "RSA_2048")


def test_a_key_that_is_not_there_is_not_found_and_its_account_is_not_told():
    arn = f"arn:aws:kms:{REGION}:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
    with pytest.raises(AwsFailure) as caught:
        KmsGateway(AwsSession(), REGION).key(arn)
    assert caught.value.kind is FailureKind.NOT_FOUND
    assert "123456789012" not in str(caught.value)


def test_policy_and_grants_of_a_key(kms):
    policy = {"Version": "2012-10-17", "Statement": []}
    key_id = kms.create_key(Policy=json.dumps(policy))["KeyMetadata"]["KeyId"]
    kms.create_grant(KeyId=key_id, GranteePrincipal=ROLE, Operations=["Decrypt", "CreateGrant"])
    gateway = KmsGateway(AwsSession(), REGION)
    assert json.loads(gateway.policy(key_id)) == policy
    (grant,) = gateway.grants(key_id, ROLE)
    assert (grant.operations, grant.is_constrained) == ({"Decrypt", "CreateGrant"}, False)


def test_grants_that_hold_for_some_contexts_only(kms):
    key_id = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.create_grant(
        KeyId=key_id,
        GranteePrincipal=ROLE,
        Operations=["Decrypt"],
        Constraints={"EncryptionContextSubset": {"department": "x"}},
    )
    (grant,) = KmsGateway(AwsSession(), REGION).grants(key_id, ROLE)
    assert grant.is_constrained


@pytest.mark.parametrize("home", [REGION, "us-west-2"])
def test_a_bucket_is_found_wherever_it_is(home):
    make_bucket("our-corpus", home)
    assert S3Gateway(AwsSession(), REGION).head("our-corpus").region == home


def test_a_bucket_that_is_not_there():
    with pytest.raises(AwsFailure) as caught:
        S3Gateway(AwsSession(), REGION).head("nobody-has-this")
    assert (caught.value.kind, caught.value.code) == (FailureKind.NOT_FOUND, "404")


class Empty:
    """The body of an answer to a HEAD request."""

    def stream(self):
        return iter(())


def s3_that_answers(answer, monkeypatch):
    """A session whose S3 gets these answers off the wire: status and headers, by host."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    hosts = []

    def send(request, **_):
        hosts.append(request.url.split("/")[2])
        status, headers = answer(hosts[-1])
        return AWSResponse(request.url, status, HTTPHeaders.from_dict(headers), Empty())

    session = AwsSession()
    client = session.client("s3", REGION)
    client.meta.events.register_first("before-send.s3", send)
    return session, hosts


@pytest.mark.parametrize("status", [301, 400])
def test_a_bucket_of_another_region_is_followed_there(status, monkeypatch):
    def answer(host):
        there = {"x-amz-bucket-region": "us-west-2"}
        return (200 if "us-west-2" in host else status), there

    session, hosts = s3_that_answers(answer, monkeypatch)
    assert S3Gateway(session, REGION).head("our-corpus").region == "us-west-2"
    assert hosts[0] == "our-corpus.s3.us-east-2.amazonaws.com"
    assert hosts[-1] == "our-corpus.s3.us-west-2.amazonaws.com"


def test_a_forbidden_bucket_tells_its_region(monkeypatch):
    answers = (403, {"x-amz-bucket-region": "eu-north-1"})
    session, _ = s3_that_answers(lambda host: answers, monkeypatch)
    with pytest.raises(AwsFailure) as caught:
        S3Gateway(session, REGION).head("our-corpus")
    assert (caught.value.kind, caught.value.code) == (FailureKind.DENIED, "403")
    assert (caught.value.home, caught.value.permission) == ("eu-north-1", "s3:ListBucket")


def test_the_policy_of_a_bucket_and_none():
    s3 = make_bucket("our-corpus")
    gateway = S3Gateway(AwsSession(), REGION)
    assert gateway.policy("our-corpus") is None
    policy = {"Version": "2012-10-17", "Statement": []}
    s3.put_bucket_policy(Bucket="our-corpus", Policy=json.dumps(policy))
    assert json.loads(gateway.policy("our-corpus")) == policy
    with pytest.raises(AwsFailure) as caught:
        gateway.policy("nobody-has-this")
    assert caught.value.kind is FailureKind.NOT_FOUND


@pytest.mark.parametrize(
    ("default", "bucket_key", "told"),
    [
        ({"SSEAlgorithm": "AES256"}, False, ("AES256", None, False, False)),
        ({"SSEAlgorithm": "aws:kms"}, True, ("aws:kms", None, True, True)),
        (
            {"SSEAlgorithm": "aws:kms:dsse", "KMSMasterKeyID": "alias/corpus"},
            False,
            ("aws:kms:dsse", "alias/corpus", True, False),
        ),
    ],
)
def test_what_encrypts_new_objects(default, bucket_key, told):
    s3 = make_bucket("our-corpus")
    rule = {"ApplyServerSideEncryptionByDefault": default, "BucketKeyEnabled": bucket_key}
    s3.put_bucket_encryption(
        Bucket="our-corpus", ServerSideEncryptionConfiguration={"Rules": [rule]}
    )
    found = S3Gateway(AwsSession(), REGION).encryption("our-corpus")
    assert (found.algorithm, found.kms_key, found.is_kms, found.has_bucket_key) == told


@pytest.fixture
def stubbed():
    """A session with one client, and what answers it; moto has no such operation, or no values."""

    def make(service):
        client = boto3.client(service, region_name=REGION)
        session = AwsSession()
        session.client = lambda service, region: client
        return session, Stubber(client)

    return make


@pytest.mark.parametrize("told", ["alias/aws/ebs", None])
def test_the_default_key_of_volumes(told, stubbed):
    session, answers = stubbed("ec2")
    answers.add_response("get_ebs_default_kms_key_id", {"KmsKeyId": told} if told else {}, {})
    with answers:
        assert Ec2Gateway(session, REGION).default_volume_key() == told


def test_the_key_of_a_snapshot_and_none(stubbed):
    ec2 = boto3.client("ec2", region_name=REGION)
    key = "arn:aws:kms:us-east-2:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"

    def snapshot(**more):
        volume = ec2.create_volume(AvailabilityZone="us-east-2a", Size=8, **more)["VolumeId"]
        return ec2.create_snapshot(VolumeId=volume)["SnapshotId"]

    gateway = Ec2Gateway(AwsSession(), REGION)
    assert gateway.snapshot_key(snapshot()) is None
    with pytest.raises(AwsFailure) as caught:
        gateway.snapshot_key("snap-0123456789abcdef0")
    assert caught.value.kind is FailureKind.NOT_FOUND
    session, answers = stubbed("ec2")
    with answers:
        told = {"Snapshots": [{"SnapshotId": "snap-0123456789abcdef0", "KmsKeyId": key}]}
        asked = {"SnapshotIds": ["snap-0123456789abcdef0"]}
        answers.add_response("describe_snapshots", told, asked)
        found = Ec2Gateway(session, REGION).snapshot_key("snap-0123456789abcdef0")
    assert found == key


def test_names_of_image_builder_are_looked_for_on_every_page(stubbed):
    session, answers = stubbed("imagebuilder")
    filters = [{"name": "name", "values": ["Ours"]}]
    with answers:
        first = {"imagePipelineList": [{"name": "ours-2"}], "nextToken": "n"}
        answers.add_response("list_image_pipelines", first, {"filters": filters})
        second = {"imagePipelineList": [{"name": "ours"}]}
        asked = {"filters": filters, "nextToken": "n"}
        answers.add_response("list_image_pipelines", second, asked)
        gateway = ImageBuilderGateway(session, REGION)
        assert gateway.is_taken("pipeline", "Ours")
        answers.assert_no_pending_responses()
