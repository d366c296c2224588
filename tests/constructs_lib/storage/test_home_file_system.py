"""HomeFileSystem: encrypted, kept, reachable from its clients through NFS and from nowhere else."""

from __future__ import annotations

import pytest
from aws_cdk import aws_kms as kms

from constructs_lib.storage import HomeFileSystem
from trnkit.errors import ConstructError

KEY = "arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"


@pytest.fixture
def make(stack, vpc, subnet):
    return lambda **arguments: HomeFileSystem(stack, "Home", vpc=vpc, subnet=subnet, **arguments)


@pytest.fixture
def only(resources):
    def properties_of(kind):
        (resource,) = resources(kind).values()
        return resource["Properties"]

    return properties_of


def test_encrypted_elastic_backed_up_and_without_a_policy(make, only):
    make()
    assert only("AWS::EFS::FileSystem") == {
        "Encrypted": True,
        "PerformanceMode": "generalPurpose",
        "ThroughputMode": "elastic",
        "BackupPolicy": {"Status": "ENABLED"},
        "LifecyclePolicies": [
            {"TransitionToIA": "AFTER_30_DAYS"},
            {"TransitionToPrimaryStorageClass": "AFTER_1_ACCESS"},
        ],
        "FileSystemTags": [{"Key": "Name", "Value": "Test/Home"}],
    }


def test_what_can_be_chosen(make, stack, only):
    make(kms_key=kms.Key.from_key_arn(stack, "Key", KEY), backup=False, transition_to_ia_days=None)
    found = only("AWS::EFS::FileSystem")
    assert found["KmsKeyId"] == KEY
    assert found["BackupPolicy"] == {"Status": "DISABLED"}
    assert "LifecyclePolicies" not in found


def test_tls_can_be_required(make, only):
    make(encryption_in_transit="required")
    through, refused = only("AWS::EFS::FileSystem")["FileSystemPolicy"]["Statement"]
    assert through["Effect"] == "Allow"
    assert through["Condition"] == {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}}
    assert refused["Effect"] == "Deny"
    assert refused["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_one_mount_target_behind_a_group_of_its_own(make, resources):
    make()
    everything = resources()
    (target,) = (r for r in everything.values() if r["Type"] == "AWS::EFS::MountTarget")
    (group,) = (k for k, r in everything.items() if r["Type"] == "AWS::EC2::SecurityGroup")
    assert target["Properties"]["SubnetId"] == "subnet-0123456789abcdef0"
    assert target["Properties"]["SecurityGroups"] == [{"Fn::GetAtt": [group, "GroupId"]}]


def test_fsx_10_file_system_target_and_group_are_kept_together(make, security_group, resources):
    make().allow_clients("Nodes", security_group)
    for logical_id, resource in resources().items():
        kept = (None, None) if "Nodes" in logical_id else ("RetainExceptOnCreate", "Retain")
        assert (resource.get("DeletionPolicy"), resource.get("UpdateReplacePolicy")) == kept


def test_clients_reach_nfs_by_reference_and_nothing_else(make, security_group, resources):
    make().allow_clients("Nodes", security_group)
    everything = resources()
    (own,) = (k for k, r in everything.items() if r["Type"] == "AWS::EC2::SecurityGroup")
    (egress,) = (
        r["Properties"] for r in everything.values() if r["Type"] == "AWS::EC2::SecurityGroupEgress"
    )
    (ingress,) = (
        r["Properties"]
        for r in everything.values()
        if r["Type"] == "AWS::EC2::SecurityGroupIngress"
    )
    servers, clients = {"Fn::GetAtt": [own, "GroupId"]}, "sg-0123456789abcdef0"
    assert (egress["GroupId"], egress["DestinationSecurityGroupId"]) == (clients, servers)
    assert (ingress["GroupId"], ingress["SourceSecurityGroupId"]) == (servers, clients)
    for rule in (egress, ingress):
        assert (rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) == ("tcp", 2049, 2049)
    (closed,) = everything[own]["Properties"]["SecurityGroupEgress"]
    assert closed["CidrIp"] == "255.255.255.255/32"
    assert "SecurityGroupIngress" not in everything[own]["Properties"]


def test_the_mount_target_waits_for_the_rules(make, security_group, resources):
    make().allow_clients("Nodes", security_group)
    everything = resources()
    (target,) = (r for r in everything.values() if r["Type"] == "AWS::EFS::MountTarget")
    assert set(target["DependsOn"]) == {k for k in everything if "NodesTo" in k}


@pytest.mark.parametrize("days", [0, 1, 31, 365, -7])
def test_days_that_efs_does_not_have(stack, make, days):
    with pytest.raises(ConstructError, match=f"7, 14, 30, 60 or 90, got {days}"):
        make(transition_to_ia_days=days)
    assert not stack.node.find_child("Home").node.children


@pytest.mark.parametrize(("kind", "expected"), [("ipv4", None), ("dualstack", "DUAL_STACK")])
def test_the_mount_target_has_ipv6_when_asked(make, only, kind, expected):
    make(ip_address_type=kind)
    assert only("AWS::EFS::MountTarget").get("IpAddressType") == expected


def test_there_are_two_kinds_of_mount_targets(make):
    with pytest.raises(ConstructError, match="ip_address_type must be ipv4 or dualstack"):
        make(ip_address_type="DUAL_STACK")
