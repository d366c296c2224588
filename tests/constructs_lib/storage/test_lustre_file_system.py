"""LustreFileSystem: what FSx accepts, in the order it works, kept when the stack goes."""

from __future__ import annotations

import pytest
from aws_cdk import RemovalPolicy

from constructs_lib.storage import LustreFileSystem
from trnkit.errors import ConstructError

PORTS = {(988, 988), (1018, 1023)}


@pytest.fixture
def make(stack, vpc, subnet):
    def file_system(**options):
        options = {"storage_capacity_gib": 4800} | options
        return LustreFileSystem(stack, "Lustre", vpc=vpc, subnet=subnet, **options)

    return file_system


@pytest.fixture
def created(resources):
    def only():
        (file_system,) = resources("AWS::FSx::FileSystem").values()
        return file_system

    return only


def test_fsx_03_16_throughput_and_version_are_always_written(make, created):
    make()
    properties = created()["Properties"]
    assert properties["LustreConfiguration"]["PerUnitStorageThroughput"] == 125
    assert properties["FileSystemTypeVersion"] == "2.15"


def test_scratch_has_no_throughput(make, created):
    make(deployment_type="SCRATCH_2", storage_capacity_gib=1200)
    assert "PerUnitStorageThroughput" not in created()["Properties"]["LustreConfiguration"]


def test_fsx_04_08_no_old_style_s3_keys_and_no_backup_key_by_default(make, created):
    make()
    configuration = created()["Properties"]["LustreConfiguration"]
    forbidden = {"ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize"}
    assert not forbidden & set(configuration)
    assert "AutomaticBackupRetentionDays" not in configuration
    assert "CopyTagsToBackups" not in configuration


def test_fsx_17_backups_carry_the_tags(make, created):
    make(automatic_backup_retention_days=7)
    configuration = created()["Properties"]["LustreConfiguration"]
    assert configuration["AutomaticBackupRetentionDays"] == 7
    assert configuration["CopyTagsToBackups"] is True


def test_fsx_14_exactly_one_subnet(make, created):
    make()
    assert created()["Properties"]["SubnetIds"] == ["subnet-0123456789abcdef0"]


def test_fsx_10_data_group_and_its_own_rules_are_kept_together(make, security_group, resources):
    make().allow_clients("Nodes", security_group)
    everything = resources()
    for logical_id, resource in everything.items():
        kept = "Nodes" not in logical_id
        policies = (resource.get("DeletionPolicy"), resource.get("UpdateReplacePolicy"))
        assert policies == (("RetainExceptOnCreate", "Retain") if kept else (None, None)), (
            logical_id
        )


def test_removal_policy_can_be_chosen(make, created):
    make(removal_policy=RemovalPolicy.DESTROY)
    assert created()["DeletionPolicy"] == "Delete"


def rules_between(resources, kind, own, peer_key, peer):
    return {
        (r["Properties"]["FromPort"], r["Properties"]["ToPort"])
        for r in resources.values()
        if r["Type"] == kind
        and r["Properties"]["GroupId"] == own
        and r["Properties"][peer_key] == peer
        and r["Properties"]["IpProtocol"] == "tcp"
    }


def test_fsx_09_ports_among_servers_and_clients_both_ways(make, security_group, resources):
    make().allow_clients("Nodes", security_group)
    everything = resources()
    (group_id,) = (k for k, r in everything.items() if r["Type"] == "AWS::EC2::SecurityGroup")
    servers = {"Fn::GetAtt": [group_id, "GroupId"]}
    clients = "sg-0123456789abcdef0"
    for source, target in ((servers, servers), (clients, servers), (servers, clients)):
        out = rules_between(
            everything,
            "AWS::EC2::SecurityGroupEgress",
            source,
            "DestinationSecurityGroupId",
            target,
        )
        into = rules_between(
            everything, "AWS::EC2::SecurityGroupIngress", target, "SourceSecurityGroupId", source
        )
        assert out == PORTS
        assert into == PORTS


def test_fsx_09_every_rule_exists_before_the_file_system(make, security_group, resources):
    make().allow_clients("Nodes", security_group)
    everything = resources()
    rules = {
        k
        for k, r in everything.items()
        if r["Type"].startswith("AWS::EC2::SecurityGroup") and "GroupId" in r["Properties"]
    }
    (file_system,) = (r for r in everything.values() if r["Type"] == "AWS::FSx::FileSystem")
    assert len(rules) == 12
    assert set(file_system["DependsOn"]) == rules


@pytest.mark.parametrize(
    ("deployment_type", "capacity", "valid"),
    [
        ("PERSISTENT_2", 1200, True),
        ("PERSISTENT_2", 2400, True),
        ("PERSISTENT_2", 3600, False),
        ("PERSISTENT_2", 4800, True),
        ("PERSISTENT_2", 7200, True),
        ("PERSISTENT_2", 96000, True),
        ("PERSISTENT_2", 1000, False),
        ("PERSISTENT_2", 3599, False),
        ("PERSISTENT_2", 0, False),
        ("PERSISTENT_2", -1200, False),
        ("SCRATCH_2", 1200, True),
        ("SCRATCH_2", 3600, False),
        ("SCRATCH_2", 4800, True),
    ],
)
def test_fsx_01_15_capacity(make, deployment_type, capacity, valid):
    options = {"deployment_type": deployment_type, "storage_capacity_gib": capacity}
    if valid:
        make(**options)
        return
    with pytest.raises(ConstructError, match=f"got {capacity}"):
        make(**options)


def test_fsx_01_the_nearest_sizes_are_named(make):
    with pytest.raises(ConstructError, match="take 2400 or 4800"):
        make(storage_capacity_gib=3600)


@pytest.mark.parametrize("throughput", [12, 40, 50, 100, 124, 200, 300, 2000, 0])
def test_fsx_02_throughput_of_another_type(make, throughput):
    with pytest.raises(ConstructError, match="must be 125, 250, 500 or 1000"):
        make(per_unit_storage_throughput=throughput)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            {"deployment_type": "SCRATCH_2", "per_unit_storage_throughput": 125},
            "must be left out for SCRATCH_2",
            id="FSX-02 scratch",
        ),
        pytest.param({"deployment_type": "PERSISTENT_3"}, "got 'PERSISTENT_3'", id="typo"),
        pytest.param({"file_system_type_version": "2.10"}, "got '2.10'", id="FSX-16"),
        pytest.param({"file_system_type_version": "2.1"}, "got '2.1'", id="version"),
        pytest.param(
            {"deployment_type": "SCRATCH_2", "automatic_backup_retention_days": 1},
            "scratch file systems have no backups",
            id="scratch-backup",
        ),
        pytest.param({"automatic_backup_retention_days": 91}, "1 to 90, got 91", id="retention"),
    ],
)
def test_fails_when_fsx_would_refuse(stack, make, options, message):
    with pytest.raises(ConstructError, match=message):
        make(**options)
    left = stack.node.find_child("Lustre").node.children
    assert not left, "a failed construct must not leave half of itself"
