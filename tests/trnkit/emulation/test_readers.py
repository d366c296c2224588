"""What MiniStack's resource types make, read back through the services' API."""

from __future__ import annotations

import copy
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.trnkit.emulation.service_resources import (
    CALLED,
    IDENTITY,
    KEYS,
    MESSAGES,
    OBJECTS,
    OTHERS,
    TAGS,
    policy,
)
from tests.trnkit.emulation.stacks import ACCOUNT, READERS, Stack
from trnkit.emulation.process import EmulatedAws, emulated_aws
from trnkit.emulation.resources import readers
from trnkit.emulation.resources.resource import Proof
from trnkit.operations.rehearsal.proof import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def aws() -> Iterator[EmulatedAws]:
    with emulated_aws(ACCOUNT) as running:
        yield running


@pytest.fixture
def stack(aws: EmulatedAws) -> Iterator[Callable[[dict[str, Any]], Stack]]:
    made: list[Stack] = []

    def make(resources: dict[str, Any]) -> Stack:
        made.append(Stack(aws, f"s{next(NUMBERS)}", resources))
        return made[-1]

    yield make
    for one in made:
        one.remove()


def test_every_reader_asks_a_service():
    assert all(READERS[kind.name] is kind for kind in readers.READERS)
    assert {kind.proof for kind in readers.READERS} == {Proof.SERVICE}


@pytest.mark.parametrize(
    "resources",
    [IDENTITY, KEYS, MESSAGES, OBJECTS, OTHERS, CALLED],
    ids=["iam", "kms", "sns", "s3", "others", "called"],
)
def test_all_that_a_template_says_is_told_by_the_service(stack, resources):
    made = stack(resources)
    assert made.status == "CREATE_COMPLETE", made.reasons()
    for resource in made.proved():
        wanted = dict(resources[resource.logical_id].get("Properties", {}))
        # Code that stands in the template is nowhere else.
        told = [name for name in wanted if name != "Code"]
        assert set(resource.not_told) == set(wanted) - set(told)
        assert set(resource.equal) >= set(told)
    made.delete()
    assert made.status == "DELETE_COMPLETE"


def changed(resources: dict[str, Any], logical_id: str, **properties: Any) -> dict[str, Any]:
    """The same resources, one of them with other properties; None takes one away."""
    others = copy.deepcopy(resources)
    own = others[logical_id]["Properties"] | properties
    others[logical_id]["Properties"] = {k: v for k, v in own.items() if v is not None}
    return others


@pytest.mark.parametrize(
    ("resources", "logical_id", "properties"),
    [
        (IDENTITY, "Role", {"PermissionsBoundary": None, "Description": "else", "Tags": None}),
        (IDENTITY, "Policy", {"PolicyName": "renamed", "PolicyDocument": policy("ec2:Run*")}),
        (IDENTITY, "Managed", {"PolicyDocument": policy("ec2:*")}),
        (KEYS, "Key", {"EnableKeyRotation": "false"}),
        (KEYS, "Key", {"Enabled": "false", "Description": "off"}),
        (MESSAGES, "Topic", {"KmsMasterKeyId": None, "DisplayName": "Else"}),
        (MESSAGES, "Filtered", {"RawMessageDelivery": "false", "FilterPolicy": {"kind": ["x"]}}),
        (OBJECTS, "Bucket", {"LifecycleConfiguration": None, "Tags": [TAGS[0] | {"Value": "x"}]}),
        (OBJECTS, "Bucket", {"VersioningConfiguration": {"Status": "Suspended"}}),
        (OTHERS, "Group", {"RetentionInDays": 60, "Tags": None}),
        (OTHERS, "Unnamed", {"RetentionInDays": 60}),
        (OTHERS, "Parameter", {"Value": "ami-1", "Description": "next"}),
        (OTHERS, "Repository", {"ImageTagMutability": "MUTABLE", "LifecyclePolicy": None}),
    ],
)
def test_a_change_arrives_and_keeps_what_is_there(stack, resources, logical_id, properties):
    made = stack(resources)
    assert made.status == "CREATE_COMPLETE", made.reasons()
    before = made.id_of(logical_id)
    made.update(changed(resources, logical_id, **properties))
    assert made.status == "UPDATE_COMPLETE", made.reasons()
    made.proved()
    assert made.id_of(logical_id) == before
    reader = READERS[resources[logical_id]["Type"]]
    told = reader.read(made.clients, before, made.properties_of(logical_id))
    gone = [name for name, value in properties.items() if value is None]
    assert [name for name in gone if told.get(name) not in (None, [])] == []
    made.delete()
    assert made.status == "DELETE_COMPLETE", made.reasons()


@pytest.mark.parametrize(
    ("resources", "logical_id", "service", "operation", "parameters", "path"),
    [
        (
            IDENTITY,
            "Role",
            "iam",
            "put_role_policy",
            lambda i: {"RoleName": i, "PolicyName": "own", "PolicyDocument": json.dumps(policy())},
            "Policies[0].PolicyDocument.Statement[0].Action[0]",
        ),
        (
            IDENTITY,
            "Role",
            "iam",
            "delete_role_permissions_boundary",
            lambda i: {"RoleName": i},
            "PermissionsBoundary",
        ),
        (
            KEYS,
            "Key",
            "kms",
            "disable_key_rotation",
            lambda i: {"KeyId": i},
            "EnableKeyRotation",
        ),
        (
            MESSAGES,
            "Topic",
            "sns",
            "set_topic_attributes",
            lambda i: {
                "TopicArn": i,
                "AttributeName": "KmsMasterKeyId",
                "AttributeValue": "alias/aws/sns",
            },
            "KmsMasterKeyId",
        ),
        (
            OBJECTS,
            "Bucket",
            "s3",
            "delete_bucket_encryption",
            lambda i: {"Bucket": i},
            "BucketEncryption.ServerSideEncryptionConfiguration[0].ServerSideEncryptionByDefault.SSEAlgorithm",
        ),
        (
            OBJECTS,
            "Bucket",
            "s3",
            "delete_bucket_lifecycle",
            lambda i: {"Bucket": i},
            "LifecycleConfiguration",
        ),
        (
            OBJECTS,
            "Bucket",
            "s3",
            "delete_bucket_tagging",
            lambda i: {"Bucket": i},
            "Tags",
        ),
        (
            CALLED,
            "Queue",
            "sqs",
            "set_queue_attributes",
            lambda i: {"QueueUrl": i, "Attributes": {"VisibilityTimeout": "30"}},
            "VisibilityTimeout",
        ),
        (
            CALLED,
            "Function",
            "lambda",
            "update_function_configuration",
            lambda i: {"FunctionName": i, "Timeout": 3},
            "Timeout",
        ),
        (CALLED, "Rule", "events", "disable_rule", lambda i: {"Name": i}, "State"),
        (
            CALLED,
            "Alarm",
            "cloudwatch",
            "disable_alarm_actions",
            lambda i: {"AlarmNames": [i]},
            "ActionsEnabled",
        ),
        (
            CALLED,
            "Table",
            "dynamodb",
            "update_continuous_backups",
            lambda i: {
                "TableName": i,
                "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False},
            },
            "PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled",
        ),
        (
            OTHERS,
            "Group",
            "logs",
            "delete_retention_policy",
            lambda i: {"logGroupName": i},
            "RetentionInDays",
        ),
        (
            OTHERS,
            "Parameter",
            "ssm",
            "put_parameter",
            lambda i: {"Name": i, "Value": "ami-2", "Overwrite": True},
            "Value",
        ),
        (
            OTHERS,
            "Repository",
            "ecr",
            "delete_repository_policy",
            lambda i: {"repositoryName": i},
            "RepositoryPolicyText",
        ),
    ],
)
def test_a_change_by_hand_is_seen(
    stack, resources, logical_id, service, operation, parameters, path
):
    made = stack(resources)
    physical_id = made.id_of(logical_id)
    getattr(made.clients(service), operation)(**parameters(physical_id))
    proof = made.proof_of(logical_id)
    assert proof.outcome is Outcome.DIFFERS
    assert path in [difference.path for difference in proof.differences]
    made.delete()
    assert made.status == "DELETE_COMPLETE", made.reasons()


@pytest.mark.parametrize(
    ("resources", "logical_id", "service", "operation", "key"),
    [
        (KEYS, "Key", "kms", "schedule_key_deletion", "KeyId"),
        (KEYS, "ById", "kms", "delete_alias", "AliasName"),
        (MESSAGES, "Plain", "sns", "delete_topic", "TopicArn"),
        (MESSAGES, "Mail", "sns", "unsubscribe", "SubscriptionArn"),
        (OBJECTS, "BucketPolicy", "s3", "delete_bucket_policy", "Bucket"),
        (OTHERS, "Group", "logs", "delete_log_group", "logGroupName"),
        (OTHERS, "Parameter", "ssm", "delete_parameter", "Name"),
        (OTHERS, "Repository", "ecr", "delete_repository", "repositoryName"),
    ],
)
def test_what_was_deleted_by_hand_is_missing(stack, resources, logical_id, service, operation, key):
    made = stack(resources)
    getattr(made.clients(service), operation)(**{key: made.id_of(logical_id)})
    assert made.proof_of(logical_id).outcome is Outcome.MISSING
    made.delete()
