"""What AWS documents and MiniStack's resource types do otherwise."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.trnkit.emulation.stacks import ACCOUNT, REGION, Stack
from trnkit.emulation.borrowed import errors
from trnkit.emulation.process import EmulatedAws, emulated_aws

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NUMBERS = itertools.count()
TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "ec2.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}
OPEN = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:Get*", "Resource": "*"}],
}

TABLE = {
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}


@pytest.fixture(scope="module")
def aws() -> Iterator[EmulatedAws]:
    with emulated_aws(ACCOUNT) as running:
        yield running


@pytest.fixture
def stack(aws: EmulatedAws) -> Iterator[Callable[[dict[str, Any]], Stack]]:
    made: list[Stack] = []

    def make(resources: dict[str, Any]) -> Stack:
        made.append(Stack(aws, f"r{next(NUMBERS)}", resources))
        return made[-1]

    yield make
    for one in made:
        one.remove()


def of(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Type": kind, "Properties": properties}


@pytest.mark.parametrize(
    ("kind", "properties"),
    [
        ("AWS::DynamoDB::Table", {"TableName": "taken"} | TABLE),
        ("AWS::ECR::Repository", {"RepositoryName": "taken"}),
        ("AWS::IAM::ManagedPolicy", {"ManagedPolicyName": "taken", "PolicyDocument": OPEN}),
        ("AWS::IAM::Role", {"RoleName": "taken", "AssumeRolePolicyDocument": TRUST}),
        ("AWS::Logs::LogGroup", {"LogGroupName": "taken"}),
        ("AWS::SNS::Topic", {"TopicName": "taken"}),
    ],
)
def test_a_name_that_was_retained_is_taken(stack, kind, properties):
    first = stack({"Thing": of(kind, **properties) | {"DeletionPolicy": "Retain"}})
    assert first.status == "CREATE_COMPLETE", first.reasons()
    first.delete()
    assert first.status == "DELETE_COMPLETE"
    second = stack({"Thing": of(kind, **properties)})
    assert second.status == "ROLLBACK_COMPLETE"
    assert f"Resource of type '{kind}' with identifier 'taken' already exists." in second.reasons()


def test_an_alias_is_taken(stack):
    owner = {
        "Effect": "Allow",
        "Principal": {"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}},
        "Action": "kms:*",
        "Resource": "*",
    }
    key = of("AWS::KMS::Key", KeyPolicy={"Version": "2012-10-17", "Statement": [owner]})
    alias = of("AWS::KMS::Alias", AliasName="alias/taken", TargetKeyId={"Ref": "Key"})
    first = stack({"Key": key, "Alias": alias})
    assert first.status == "CREATE_COMPLETE", first.reasons()
    assert "already exists" in stack({"Key": key, "Alias": alias}).reasons()


def test_a_retained_log_group_without_a_name_is_not_written_over(aws):
    resources = {"Group": of("AWS::Logs::LogGroup") | {"DeletionPolicy": "Retain"}}
    first = Stack(aws, "logs-again", resources)
    name = first.id_of("Group")
    first.clients("logs").create_log_stream(logGroupName=name, logStreamName="one")
    first.delete()
    again = Stack(aws, "logs-again", resources)
    assert again.id_of("Group") != name
    assert again.id_of("Group").startswith("logs-again-Group-")
    kept = again.clients("logs").describe_log_streams(logGroupName=name)["logStreams"]
    assert [stream["logStreamName"] for stream in kept] == ["one"]


def test_a_retained_table_without_a_name_is_not_written_over(aws):
    resources = {"Table": of("AWS::DynamoDB::Table", **TABLE) | {"DeletionPolicy": "Retain"}}
    first = Stack(aws, "table-again", resources)
    name = first.id_of("Table")
    dynamodb = first.clients("dynamodb")
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "kept"}})
    first.delete()
    again = Stack(aws, "table-again", resources)
    assert again.id_of("Table") != name
    assert again.id_of("Table").startswith("table-again-Table-")
    assert dynamodb.scan(TableName=name)["Items"] == [{"pk": {"S": "kept"}}]


def test_a_table_keeps_its_items_when_its_settings_change_and_not_when_its_keys_do(stack):
    expiry = {"AttributeName": "expires", "Enabled": True}
    recovery = {"PointInTimeRecoveryEnabled": True}
    given = {"TimeToLiveSpecification": expiry, "PointInTimeRecoverySpecification": recovery}
    made = stack({"Table": of("AWS::DynamoDB::Table", **TABLE, **given)})
    name = made.id_of("Table")
    dynamodb = made.clients("dynamodb")
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "kept"}})
    made.proved()
    made.update({"Table": of("AWS::DynamoDB::Table", **TABLE)})
    assert (made.status, made.id_of("Table")) == ("UPDATE_COMPLETE", name)
    told = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert told["TimeToLiveStatus"] == "DISABLED"
    told = dynamodb.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    assert told["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED"
    assert dynamodb.scan(TableName=name)["Count"] == 1
    other = TABLE | {
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    }
    made.update({"Table": of("AWS::DynamoDB::Table", **other)})
    assert made.status == "UPDATE_COMPLETE", made.reasons()
    assert made.id_of("Table") != name
    assert name not in dynamodb.list_tables()["TableNames"]


def test_a_profile_wants_a_role_that_exists(stack):
    refused = stack({"Profile": of("AWS::IAM::InstanceProfile", Roles=["nobody"])})
    assert refused.status == "ROLLBACK_COMPLETE"
    assert "The role with name nobody cannot be found." in refused.reasons()


def test_a_role_wants_policies_that_exist(stack):
    arn = f"arn:aws:iam::{ACCOUNT}:policy/nothing"
    role = of("AWS::IAM::Role", AssumeRolePolicyDocument=TRUST, ManagedPolicyArns=[arn])
    refused = stack({"Role": role})
    assert refused.status == "ROLLBACK_COMPLETE"
    assert f"Policy {arn} does not exist or is not attachable." in refused.reasons()


def test_the_reference_to_a_profile_is_its_name(stack):
    made = stack(
        {
            "Role": of("AWS::IAM::Role", AssumeRolePolicyDocument=TRUST),
            "Profile": of("AWS::IAM::InstanceProfile", Roles=[{"Ref": "Role"}]),
            "Name": of("AWS::SSM::Parameter", Type="String", Value={"Ref": "Profile"}, Name="/p"),
        }
    )
    told = made.clients("ssm").get_parameter(Name="/p")["Parameter"]["Value"]
    iam = made.clients("iam")
    assert iam.get_instance_profile(InstanceProfileName=told)["InstanceProfile"]["Roles"]
    made.delete()
    assert made.status == "DELETE_COMPLETE", made.reasons()
    of_service, _ = errors()
    with pytest.raises(of_service, match="NoSuchEntity"):
        iam.get_instance_profile(InstanceProfileName=told)


def test_a_bucket_with_objects_is_not_deleted(stack):
    made = stack({"Bucket": of("AWS::S3::Bucket")})
    bucket, s3 = made.id_of("Bucket"), made.clients("s3")
    s3.put_object(Bucket=bucket, Key="step-1", Body=b"weights")
    made.delete()
    assert made.status == "DELETE_FAILED"
    assert "The bucket you tried to delete is not empty" in made.reasons()
    assert s3.get_object(Bucket=bucket, Key="step-1")["Body"].read() == b"weights"


def test_a_setting_that_s3_refuses_leaves_no_bucket(stack):
    rule = {"Id": "x", "Status": "Enabled", "ExpirationInDays": 0}
    name = "refused-setting"
    made = stack(
        {"Bucket": of("AWS::S3::Bucket", BucketName=name, LifecycleConfiguration={"Rules": [rule]})}
    )
    assert made.status == "ROLLBACK_COMPLETE"
    assert "must be a positive integer" in made.reasons()
    names = [bucket["Name"] for bucket in made.clients("s3").list_buckets()["Buckets"]]
    assert name not in names


def test_an_upload_without_a_key_takes_the_managed_one(stack):
    made = stack({"Bucket": of("AWS::S3::Bucket")})
    s3, bucket = made.clients("s3"), made.id_of("Bucket")
    s3.put_object(Bucket=bucket, Key="a", Body=b"", ServerSideEncryption="aws:kms")
    told = s3.head_object(Bucket=bucket, Key="a")
    assert told["ServerSideEncryption"] == "aws:kms"
    assert told["SSEKMSKeyId"] == f"arn:aws:kms:{REGION}:{ACCOUNT}:alias/aws/s3"


def test_versions_once_begun_are_suspended(stack):
    made = stack({"B": of("AWS::S3::Bucket", VersioningConfiguration={"Status": "Enabled"})})
    made.update({"B": of("AWS::S3::Bucket", Tags=[{"Key": "a", "Value": "b"}])})
    assert made.status == "UPDATE_COMPLETE", made.reasons()
    told = made.clients("s3").get_bucket_versioning(Bucket=made.id_of("B"))
    assert told["Status"] == "Suspended"


def test_a_subscription_by_mail_waits(stack):
    line = {"Protocol": "email", "Endpoint": "ops@example.com"}
    made = stack(
        {
            "Topic": of("AWS::SNS::Topic"),
            "Mail": of("AWS::SNS::Subscription", TopicArn={"Ref": "Topic"}, **line),
        }
    )
    sns = made.clients("sns")
    told = sns.get_subscription_attributes(SubscriptionArn=made.id_of("Mail"))["Attributes"]
    assert told["PendingConfirmation"] == "true"
    topic = sns.get_topic_attributes(TopicArn=made.id_of("Topic"))["Attributes"]
    assert (topic["SubscriptionsPending"], topic["SubscriptionsConfirmed"]) == ("1", "0")


def test_a_subscription_wants_a_topic_that_exists(stack):
    arn = f"arn:aws:sns:{REGION}:{ACCOUNT}:nothing"
    line = {"Protocol": "email", "Endpoint": "ops@example.com", "TopicArn": arn}
    refused = stack({"Mail": of("AWS::SNS::Subscription", **line)})
    assert refused.status == "ROLLBACK_COMPLETE"
    assert "Topic does not exist" in refused.reasons()


def test_a_topic_displays_nothing_unless_told(stack):
    made = stack({"Topic": of("AWS::SNS::Topic")})
    told = made.clients("sns").get_topic_attributes(TopicArn=made.id_of("Topic"))["Attributes"]
    assert told["DisplayName"] == ""


def test_json_of_templates_is_kept_as_such(stack):
    text = json.dumps(OPEN)
    made = stack(
        {"M": of("AWS::IAM::ManagedPolicy", ManagedPolicyName="text", PolicyDocument=text)}
    )
    assert made.status == "CREATE_COMPLETE", made.reasons()
    made.proved()
