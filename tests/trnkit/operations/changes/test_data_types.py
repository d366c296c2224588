"""Types that hold data: which they are, and what is said of those that may."""

from __future__ import annotations

import importlib

import pytest

from tests.trnkit.operations.changes.comparing import by_id, change_of, compare, resource, stacks
from trnkit.operations.changes.comparison import compare_stacks
from trnkit.operations.changes.data_types import HOLDS, may_hold
from trnkit.operations.changes.node_types import CAPACITY, DEPENDED_ON, NODES

NOTHING = "Resources:\n  Other: {Type: 'AWS::SNS::Topic'}\n"
PREFIX = "AWS::"
HOLDING = [
    "ACMPCA::CertificateAuthority",
    "APS::Workspace",
    "AmazonMQ::Broker",
    "Backup::LogicallyAirGappedBackupVault",
    "Cassandra::Keyspace",
    "Cassandra::Table",
    "CodeArtifact::Domain",
    "CodeArtifact::Repository",
    "DSQL::Cluster",
    "DocDBElastic::Cluster",
    "ECR::PublicRepository",
    "ElastiCache::ServerlessCache",
    "Events::Archive",
    "HealthLake::FHIRDatastore",
    "Kendra::Index",
    "KinesisVideo::Stream",
    "Lightsail::Bucket",
    "Lightsail::Database",
    "Lightsail::Disk",
    "Lightsail::Instance",
    "Logs::LogStream",
    "MSK::Cluster",
    "MSK::ServerlessCluster",
    "NeptuneGraph::Graph",
    "Omics::AnnotationStore",
    "Omics::ReferenceStore",
    "Omics::SequenceStore",
    "Omics::VariantStore",
    "OpenSearchServerless::Collection",
    "RDS::DBShardGroup",
    "RDS::GlobalCluster",
    "RedshiftServerless::Namespace",
    "S3Outposts::Bucket",
    "S3Vectors::Index",
    "S3Vectors::VectorBucket",
    "SageMaker::Domain",
    "SageMaker::FeatureGroup",
    "SageMaker::MlflowTrackingServer",
    "SageMaker::ModelPackageGroup",
    "SageMaker::NotebookInstance",
    "SageMaker::Space",
    "Timestream::Database",
    "Timestream::InfluxDBInstance",
    "Timestream::Table",
    "WorkSpaces::Workspace",
]


@pytest.mark.parametrize("name", HOLDING)
def test_data_is_lost_with_its_type_however_it_goes(tmp_path, name):
    old = resource(PREFIX + name, {"Same": "a"})
    removed = by_id(compare(tmp_path, old, NOTHING))["It"]
    assert (removed.verdict, removed.effects[0].data) == ("destroys-data", "lost")
    (moved,) = compare(tmp_path, old, old.replace("It:", "That:")).changes
    assert (moved.kind, moved.verdict) == ("moved", "destroys-data")


@pytest.mark.parametrize(
    ("kind", "property_name"),
    [
        ("AWS::Cassandra::Table", "TableName"),
        ("AWS::Lightsail::Disk", "AvailabilityZone"),
        ("AWS::SageMaker::NotebookInstance", "SubnetId"),
        ("AWS::MSK::ServerlessCluster", "ClusterName"),
    ],
)
def test_data_is_lost_with_its_type_when_it_is_replaced(tmp_path, kind, property_name):
    change = change_of(tmp_path, kind, {property_name: "a"}, {property_name: "b"})
    assert (change.kind, change.verdict) == ("replaced", "destroys-data")


@pytest.mark.parametrize(
    ("kind", "property_name"),
    [
        ("AWS::Personalize::Dataset", "DatasetType"),
        ("AWS::Location::GeofenceCollection", "KmsKeyId"),
    ],
)
def test_what_is_called_like_a_store_and_goes_cannot_be_told(tmp_path, kind, property_name):
    old = resource(kind, {property_name: "a"})
    assert by_id(compare(tmp_path, old, NOTHING))["It"].verdict == "cannot-be-told"
    (moved,) = compare(tmp_path, old, old.replace("It:", "That:")).changes
    assert moved.verdict == "cannot-be-told"
    change = change_of(tmp_path, kind, {property_name: "a"}, {property_name: "b"})
    assert (change.kind, change.verdict) == ("replaced", "cannot-be-told")


@pytest.mark.parametrize("kind", ["AWS::Glue::Table", "MongoDB::Atlas::Cluster"])
def test_a_stack_that_moves_with_what_may_hold_data_cannot_be_told(tmp_path, kind):
    body = {"Resources": {"It": {"Type": kind}, "Topic": {"Type": "AWS::SNS::Topic"}}}
    topic = {"Resources": {"Other": {"Type": "AWS::SNS::Topic"}}}
    old, new = stacks(tmp_path, old=body, b=topic), stacks(tmp_path, new=body, b=topic)
    (change,) = compare_stacks(old, new).changes
    assert (change.kind, change.verdict) == ("moved", "cannot-be-told")


def test_what_only_routes_or_secures_is_not_called_a_store():
    assert not [kind for kind in {*NODES, *CAPACITY, *DEPENDED_ON} if may_hold(kind)]
    assert not may_hold("AWS::EC2::RouteTable")


def test_the_tables_have_no_type_twice_and_only_types_that_exist():
    manager = importlib.import_module("cfnlint.schema").PROVIDER_SCHEMA_MANAGER
    known = {*manager.get_resource_types("us-east-1")}
    assert not {PREFIX + name for name in HOLDING} - HOLDS.keys()
    assert not HOLDS.keys() - known
    assert not HOLDS.keys() & {*NODES, *CAPACITY, *DEPENDED_ON}
