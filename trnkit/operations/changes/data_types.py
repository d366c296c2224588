"""Resource types that hold data of their user, and what policies keep it.

Sources:
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-updatereplacepolicy.html
"""

from __future__ import annotations

import re
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
    "AWS::ACMPCA::CertificateAuthority": "certificate authority",
    "AWS::APS::Workspace": "metrics",
    "AWS::AmazonMQ::Broker": "messages",
    "AWS::Backup::BackupVault": "backups",
    "AWS::Backup::LogicallyAirGappedBackupVault": "backups",
    "AWS::Cassandra::Keyspace": "tables",
    "AWS::Cassandra::Table": "rows",
    "AWS::CloudTrail::EventDataStore": "events",
    "AWS::CodeArtifact::Domain": "packages",
    "AWS::CodeArtifact::Repository": "packages",
    "AWS::CodeCommit::Repository": "repository",
    "AWS::Cognito::UserPool": "users",
    "AWS::DSQL::Cluster": "database",
    "AWS::DocDB::DBCluster": "database",
    "AWS::DocDB::DBInstance": "database",
    "AWS::DocDB::GlobalCluster": "database",
    "AWS::DocDBElastic::Cluster": "database",
    "AWS::DocDBElastic::ClusterSnapshot": "snapshot",
    "AWS::DynamoDB::GlobalTable": "items",
    "AWS::DynamoDB::Table": "items",
    "AWS::EC2::Volume": "volume's data",
    "AWS::ECR::PublicRepository": "images",
    "AWS::ECR::Repository": "images",
    "AWS::EFS::FileSystem": "files",
    "AWS::EMR::Cluster": "files in HDFS",
    "AWS::ElastiCache::CacheCluster": "cache",
    "AWS::ElastiCache::GlobalReplicationGroup": "cache",
    "AWS::ElastiCache::ReplicationGroup": "cache",
    "AWS::ElastiCache::ServerlessCache": "cache",
    "AWS::ElastiCache::ServerlessCacheSnapshot": "snapshot",
    "AWS::ElastiCache::Snapshot": "snapshot",
    "AWS::Elasticsearch::Domain": "indexes",
    "AWS::Events::Archive": "events",
    "AWS::FSx::Backup": "backup",
    "AWS::FSx::FileCache": "files",
    "AWS::FSx::FileSystem": "files",
    "AWS::FSx::Snapshot": "snapshot",
    "AWS::FSx::StorageVirtualMachine": "files",
    "AWS::FSx::Volume": "files",
    "AWS::HealthImaging::Datastore": "images",
    "AWS::HealthLake::FHIRDatastore": "records",
    "AWS::IoTAnalytics::Channel": "messages",
    "AWS::IoTAnalytics::Datastore": "messages",
    "AWS::KMS::Key": "key",
    "AWS::KMS::ReplicaKey": "key",
    "AWS::Kendra::Index": "index",
    "AWS::Kinesis::Stream": "records",
    "AWS::KinesisVideo::Stream": "video",
    "AWS::Lightsail::Bucket": "objects",
    "AWS::Lightsail::Database": "database",
    "AWS::Lightsail::DatabaseSnapshot": "snapshot",
    "AWS::Lightsail::Disk": "disk's data",
    "AWS::Lightsail::DiskSnapshot": "snapshot",
    "AWS::Lightsail::Instance": "disk's data",
    "AWS::Lightsail::InstanceSnapshot": "snapshot",
    "AWS::Logs::LogGroup": "logs",
    "AWS::Logs::LogStream": "logs",
    "AWS::MSK::Cluster": "records",
    "AWS::MSK::ServerlessCluster": "records",
    "AWS::MSK::Topic": "records",
    "AWS::MemoryDB::Cluster": "data",
    "AWS::MemoryDB::MultiRegionCluster": "data",
    "AWS::MemoryDB::Snapshot": "snapshot",
    "AWS::Neptune::DBCluster": "database",
    "AWS::Neptune::DBInstance": "database",
    "AWS::Neptune::GlobalCluster": "database",
    "AWS::NeptuneGraph::Graph": "graph",
    "AWS::NeptuneGraph::GraphSnapshot": "snapshot",
    "AWS::Omics::AnnotationStore": "annotations",
    "AWS::Omics::ReferenceStore": "references",
    "AWS::Omics::SequenceStore": "sequences",
    "AWS::Omics::VariantStore": "variants",
    "AWS::OpenSearchServerless::Collection": "indexes",
    "AWS::OpenSearchServerless::CollectionIndex": "index",
    "AWS::OpenSearchServerless::Index": "index",
    "AWS::OpenSearchService::Domain": "indexes",
    "AWS::QLDB::Ledger": "ledger",
    "AWS::RDS::ClusterSnapshot": "snapshot",
    "AWS::RDS::DBCluster": "database",
    "AWS::RDS::DBInstance": "database",
    "AWS::RDS::DBShardGroup": "database",
    "AWS::RDS::DBSnapshot": "snapshot",
    "AWS::RDS::GlobalCluster": "database",
    "AWS::Redshift::Cluster": "database",
    "AWS::Redshift::Snapshot": "snapshot",
    "AWS::RedshiftServerless::Namespace": "database",
    "AWS::RedshiftServerless::Snapshot": "snapshot",
    "AWS::Rekognition::Collection": "faces",
    "AWS::S3::Bucket": "objects",
    "AWS::S3Express::DirectoryBucket": "objects",
    "AWS::S3Files::FileSystem": "files",
    "AWS::S3Outposts::Bucket": "objects",
    "AWS::S3Tables::Table": "table",
    "AWS::S3Tables::TableBucket": "tables",
    "AWS::S3Vectors::Index": "vectors",
    "AWS::S3Vectors::VectorBucket": "vectors",
    "AWS::SDB::Domain": "items",
    "AWS::SES::MailManagerArchive": "messages",
    "AWS::SQS::Queue": "messages",
    "AWS::SageMaker::Domain": "home directories",
    "AWS::SageMaker::FeatureGroup": "features",
    "AWS::SageMaker::MlflowTrackingServer": "experiments",
    "AWS::SageMaker::ModelPackageGroup": "models",
    "AWS::SageMaker::NotebookInstance": "notebooks",
    "AWS::SageMaker::Space": "files",
    "AWS::SecretsManager::Secret": "secret",
    "AWS::SecurityLake::DataLake": "events",
    "AWS::Timestream::Database": "tables",
    "AWS::Timestream::InfluxDBBackup": "backup",
    "AWS::Timestream::InfluxDBCluster": "database",
    "AWS::Timestream::InfluxDBInstance": "database",
    "AWS::Timestream::Table": "records",
    "AWS::WorkSpaces::Workspace": "disk's data",
}
"""Resource type -> what is in it."""

_MAY_HOLD = re.compile(
    "(?:Archive|Backup|Bucket|Collection|DataLake|Database|Dataset|DatasetGroup|FileSystem"
    "|GlobalCluster|Graph|Index|Keyspace|KnowledgeBase|Ledger|Memory|Replica|Snapshot|[Ss]tore"
    "|Table|Vault|Volume|Workspace)$"
)
_HOLDS_NOTHING = re.compile("(?:RouteTable|PolicyTable|TrustStore|CidrCollection)$")

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


def may_hold(kind: str) -> bool:
    """Whether a type that no table has is called like one that holds data."""
    is_called_so = _MAY_HOLD.search(kind) is not None and _HOLDS_NOTHING.search(kind) is None
    return kind not in HOLDS and is_called_so


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
