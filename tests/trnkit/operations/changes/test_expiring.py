"""Changes in place that delete what is there already."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.changes.comparing import change_of

ASSOCIATION = "AWS::FSx::DataRepositoryAssociation"
FILE_SYSTEM = "AWS::FSx::FileSystem"
PARAMETER = {"Ref": "Unknown"}


def ttl(enabled, name="until"):
    return {"TimeToLiveSpecification": {"AttributeName": name, "Enabled": enabled}}


def replicas(*regions):
    return {"Replicas": [{"Region": region} for region in regions]}


def link(policy, *events):
    return {"S3": {policy: {"Events": [*events]}}}


def backups(**configuration):
    settings = {"DeploymentType": "PERSISTENT_2", **configuration}
    return {"FileSystemType": "LUSTRE", "LustreConfiguration": settings}


def length(number):
    return {"GenerateSecretString": {"PasswordLength": number}}


RETENTIONS = [
    ("AWS::Kinesis::Stream", "RetentionPeriodHours", 24),
    ("AWS::SQS::Queue", "MessageRetentionPeriod", 345600),
    ("AWS::ElastiCache::CacheCluster", "NumCacheNodes", 1),
]
LESS = "destroys-data"
UNKNOWN = "cannot-be-told"


@pytest.mark.parametrize(("kind", "name", "default"), RETENTIONS)
def test_a_smaller_number_deletes_and_absent_is_the_default(tmp_path, kind, name, default):
    more = {name: default * 2}
    for old, new, verdict in (
        (more, {name: default}, LESS),
        (more, {}, LESS),
        ({name: default}, more, "safe"),
        ({}, more, "safe"),
        ({}, {name: default}, "safe"),
        (more, {name: PARAMETER}, UNKNOWN),
        ({name: PARAMETER}, more, UNKNOWN),
    ):
        assert change_of(tmp_path, kind, old, new).verdict == verdict, (old, new)


def test_a_retention_of_logs_that_is_not_known_is_not_called_safe(tmp_path):
    kind, name = "AWS::Logs::LogGroup", "RetentionInDays"
    assert change_of(tmp_path, kind, {name: 90}, {name: PARAMETER}).verdict == UNKNOWN
    assert change_of(tmp_path, kind, {name: 90}, {}).verdict == "safe"


@pytest.mark.parametrize(
    ("kind", "old", "new", "verdict"),
    [
        ("AWS::ECR::Repository", {}, {"LifecyclePolicy": {"LifecyclePolicyText": "a"}}, LESS),
        (
            "AWS::ECR::Repository",
            {"LifecyclePolicy": {"LifecyclePolicyText": "a"}},
            {"LifecyclePolicy": {"LifecyclePolicyText": "b"}},
            LESS,
        ),
        ("AWS::ECR::Repository", {"LifecyclePolicy": {"LifecyclePolicyText": "a"}}, {}, "safe"),
        ("AWS::DynamoDB::Table", {}, ttl(True), LESS),
        ("AWS::DynamoDB::Table", ttl(False), ttl(True), LESS),
        ("AWS::DynamoDB::Table", ttl(True), ttl(True, "other"), LESS),
        ("AWS::DynamoDB::Table", ttl(False), ttl(PARAMETER), LESS),
        ("AWS::DynamoDB::Table", ttl(True), ttl(False), "safe"),
        ("AWS::DynamoDB::Table", ttl(True), {}, "safe"),
        ("AWS::DynamoDB::GlobalTable", {}, ttl(True), LESS),
        ("AWS::DynamoDB::GlobalTable", replicas("a", "b"), replicas("b"), LESS),
        ("AWS::DynamoDB::GlobalTable", replicas("a", "b"), replicas("a", "c"), LESS),
        ("AWS::DynamoDB::GlobalTable", replicas("a"), replicas("a", "b"), "safe"),
        ("AWS::SecretsManager::Secret", length(20), length(30), LESS),
        ("AWS::SecretsManager::Secret", {}, length(30), LESS),
        ("AWS::SecretsManager::Secret", length(20), {"SecretString": "x"}, UNKNOWN),
        ("AWS::SecretsManager::Secret", {"Description": "a"}, {"Description": "b"}, "safe"),
        (
            ASSOCIATION,
            link("AutoExportPolicy", "NEW"),
            link("AutoExportPolicy", "NEW", "DELETED"),
            "interrupts",
        ),
        (ASSOCIATION, {}, link("AutoExportPolicy", "DELETED"), "interrupts"),
        (ASSOCIATION, {}, link("AutoImportPolicy", "DELETED"), "interrupts"),
        (ASSOCIATION, {}, link("AutoExportPolicy", PARAMETER), "interrupts"),
        (ASSOCIATION, {}, link("AutoExportPolicy", "NEW", "CHANGED"), "safe"),
        (ASSOCIATION, link("AutoExportPolicy", "NEW", "DELETED"), {}, "safe"),
        (
            FILE_SYSTEM,
            backups(AutomaticBackupRetentionDays=30),
            backups(AutomaticBackupRetentionDays=0),
            UNKNOWN,
        ),
        (
            FILE_SYSTEM,
            backups(AutomaticBackupRetentionDays=30),
            backups(AutomaticBackupRetentionDays=7),
            UNKNOWN,
        ),
        (FILE_SYSTEM, backups(AutomaticBackupRetentionDays=30), backups(), UNKNOWN),
        (FILE_SYSTEM, backups(), backups(AutomaticBackupRetentionDays=7), "safe"),
        (
            FILE_SYSTEM,
            backups(AutomaticBackupRetentionDays=7),
            backups(AutomaticBackupRetentionDays=30),
            "safe",
        ),
    ],
)
def test_what_deletes_in_place_is_not_called_safe(tmp_path, kind, old, new, verdict):
    assert change_of(tmp_path, kind, old, new).verdict == verdict


def test_the_message_names_what_goes(tmp_path):
    change = change_of(
        tmp_path, "AWS::DynamoDB::GlobalTable", replicas("us-west-2", "b"), replicas("b")
    )
    assert "the replica in us-west-2 is deleted" in change.effects[0].message
    change = change_of(tmp_path, FILE_SYSTEM, backups(AutomaticBackupRetentionDays=30), backups())
    assert change.effects[0].message.startswith("no more automatic backups are made")
