"""Resource types that hold data of their user, and what policies keep it.

Sources:
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-updatereplacepolicy.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.rules.reading.template_value import attribute_of, properties_of

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource

Fate = Literal["kept", "in a snapshot", "lost", "unknown"]

_PAGES = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-"
DELETION_PAGE = f"{_PAGES}deletionpolicy.html"
REPLACEMENT_PAGE = f"{_PAGES}updatereplacepolicy.html"

HOLDS: dict[str, str] = {
    "AWS::Backup::BackupVault": "backups",
    "AWS::CloudTrail::EventDataStore": "events",
    "AWS::CodeCommit::Repository": "repository",
    "AWS::Cognito::UserPool": "users",
    "AWS::DocDB::DBCluster": "database",
    "AWS::DocDB::DBInstance": "database",
    "AWS::DynamoDB::GlobalTable": "items",
    "AWS::DynamoDB::Table": "items",
    "AWS::EC2::Volume": "volume's data",
    "AWS::ECR::Repository": "images",
    "AWS::EFS::FileSystem": "files",
    "AWS::EMR::Cluster": "files in HDFS",
    "AWS::ElastiCache::CacheCluster": "cache",
    "AWS::ElastiCache::ReplicationGroup": "cache",
    "AWS::Elasticsearch::Domain": "indexes",
    "AWS::FSx::FileSystem": "files",
    "AWS::FSx::Snapshot": "snapshot",
    "AWS::FSx::StorageVirtualMachine": "files",
    "AWS::FSx::Volume": "files",
    "AWS::KMS::Key": "key",
    "AWS::KMS::ReplicaKey": "key",
    "AWS::Kinesis::Stream": "records",
    "AWS::Logs::LogGroup": "logs",
    "AWS::MSK::Cluster": "records",
    "AWS::MemoryDB::Cluster": "data",
    "AWS::Neptune::DBCluster": "database",
    "AWS::Neptune::DBInstance": "database",
    "AWS::OpenSearchService::Domain": "indexes",
    "AWS::QLDB::Ledger": "ledger",
    "AWS::RDS::DBCluster": "database",
    "AWS::RDS::DBInstance": "database",
    "AWS::Redshift::Cluster": "database",
    "AWS::S3::Bucket": "objects",
    "AWS::S3Express::DirectoryBucket": "objects",
    "AWS::S3Tables::Table": "table",
    "AWS::S3Tables::TableBucket": "tables",
    "AWS::S3Vectors::VectorBucket": "vectors",
    "AWS::SDB::Domain": "items",
    "AWS::SQS::Queue": "messages",
    "AWS::SecretsManager::Secret": "secret",
    "AWS::Timestream::Table": "records",
}
"""Resource type -> what is in it."""

KEYS = frozenset({"AWS::KMS::Key", "AWS::KMS::ReplicaKey"})
"""Types that are no data themselves: while a key stays, what it encrypts can be read."""

_SNAPSHOTS = frozenset(
    {
        "AWS::DocDB::DBCluster",
        "AWS::EC2::Volume",
        "AWS::ElastiCache::CacheCluster",
        "AWS::ElastiCache::ReplicationGroup",
        "AWS::Neptune::DBCluster",
        "AWS::RDS::DBCluster",
        "AWS::RDS::DBInstance",
        "AWS::Redshift::Cluster",
    }
)
"""Types that take the policy `Snapshot`."""

DELETES_ONLY_WHAT_IS_EMPTY = frozenset(
    {"AWS::S3::Bucket", "AWS::S3Express::DirectoryBucket", "AWS::ECR::Repository"}
)
"""Types whose deletion fails while something is in them."""


@dataclass(frozen=True, slots=True)
class Policies:
    """What CloudFormation does with a resource that a stack gives up.

    Attributes:
        deletion: When it leaves the template or the stack is deleted.
        replacement: When another is made in its place.
    """

    deletion: Fate
    replacement: Fate


def policies_of(resource: Resource) -> Policies:
    """The policies of a resource, with the defaults of its type."""
    by_default: Fate = "lost"
    if resource.type == "AWS::RDS::DBCluster":
        by_default = "in a snapshot"
    if resource.type == "AWS::RDS::DBInstance":
        alone = properties_of(resource)["DBClusterIdentifier"].is_absent
        by_default = "in a snapshot" if alone else "lost"
    return Policies(
        deletion=_fate(resource, "DeletionPolicy", by_default),
        replacement=_fate(resource, "UpdateReplacePolicy", "lost"),
    )


def _fate(resource: Resource, attribute: str, by_default: Fate) -> Fate:
    value = attribute_of(resource, attribute)
    if value.is_absent:
        return by_default
    word = value.text()
    if word is None:
        return "unknown"
    if word in ("Retain", "RetainExceptOnCreate"):
        return "kept"
    return "in a snapshot" if word == "Snapshot" and resource.type in _SNAPSHOTS else "lost"


def empties_itself(resource: Resource) -> bool:
    """Whether something deletes what is in a bucket or repository before it is deleted."""
    properties = properties_of(resource)
    if resource.type == "AWS::ECR::Repository":
        return properties["EmptyOnDelete"].boolean() is True
    tags = properties["Tags"].entries() or ()
    return any(
        tag["Key"].text() == "aws-cdk:auto-delete-objects" and tag["Value"].text() == "true"
        for tag in tags
    )
