from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.trnkit.emulation.golden_resources import resolved, resources_of
from tests.trnkit.emulation.moto_place import group_of, moto_place, subnet_of
from trnkit.emulation.resources.efs import AccessPoint, FileSystem, MountTarget
from trnkit.emulation.resources.resource import Made, Place, Refused
from trnkit.emulation.services.efs import efs_extension

SYSTEM = FileSystem()
TARGET = MountTarget()
POINT = AccessPoint()


@pytest.fixture
def place() -> Iterator[Place]:
    efs_extension.install()
    with moto_place() as found:
        yield found


def told(place: Place, kind: Any, made: Made, written: dict[str, Any]) -> dict[str, Any]:
    answer = kind.read(place.clients, made.physical_id, written)
    assert answer is not None
    return {name: answer[name] for name in written if name in answer}


@pytest.mark.parametrize("properties", resources_of("AWS::EFS::FileSystem"))
def test_every_file_system_of_the_examples_is_read_back_as_written(place, properties):
    made = SYSTEM.create(place, properties)
    assert told(place, SYSTEM, made, properties) == properties
    assert made.attributes["Arn"].endswith(f":file-system/{made.physical_id}")


def test_policies_change_in_place(place):
    old = {
        "ThroughputMode": "elastic",
        "BackupPolicy": {"Status": "ENABLED"},
        "LifecyclePolicies": [{"TransitionToIA": "AFTER_30_DAYS"}],
        "FileSystemTags": [{"Key": "a", "Value": "1"}],
        "FileSystemPolicy": {"Version": "2012-10-17", "Statement": []},
    }
    made = SYSTEM.create(place, old)
    assert told(place, SYSTEM, made, old) == old
    new = {
        "ThroughputMode": "provisioned",
        "ProvisionedThroughputInMibps": "64",
        "BackupPolicy": {"Status": "DISABLED"},
        "FileSystemProtection": {"ReplicationOverwriteProtection": "DISABLED"},
        "FileSystemTags": [{"Key": "b", "Value": "2"}],
    }
    assert SYSTEM.update(place, made, old, new) == made
    assert told(place, SYSTEM, made, new) == new
    answer = SYSTEM.read(place.clients, made.physical_id, {})
    assert answer is not None
    assert "LifecyclePolicies" not in answer
    assert "FileSystemPolicy" not in answer


def test_throughput_that_the_template_no_longer_has_is_bursting(place):
    old = {"ThroughputMode": "provisioned", "ProvisionedThroughputInMibps": 64}
    made = SYSTEM.create(place, old)
    SYSTEM.update(place, made, old, {})
    (system,) = place.clients("efs").describe_file_systems()["FileSystems"]
    assert system["ThroughputMode"] == "bursting"
    assert "ProvisionedThroughputInMibps" not in system


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"ThroughputMode": "provisioned"}, "ProvisionedThroughputInMibps is required"),
        ({"ThroughputMode": "bursting", "ProvisionedThroughputInMibps": 9}, "only supported"),
        ({"ThroughputMode": "elastic", "PerformanceMode": "maxIO"}, "generalPurpose"),
        ({"PerformanceMode": "maxIO", "AvailabilityZoneName": "us-east-2a"}, "One Zone"),
        ({"PerformanceMode": "fast"}, "enum value set"),
        ({"KmsKeyId": "alias/a"}, "encrypted"),
        (
            {
                "LifecyclePolicies": [
                    {
                        "TransitionToIA": "AFTER_7_DAYS",
                        "TransitionToPrimaryStorageClass": "AFTER_1_ACCESS",
                    }
                ]
            },
            "one transition",
        ),
        ({"LifecyclePolicies": [{"TransitionToArchive": "AFTER_90_DAYS"}]}, "elastic"),
    ],
)
def test_refuses_file_systems_and_leaves_none(place, properties, words):
    with pytest.raises(ClientError, match=words):
        SYSTEM.create(place, properties)
    assert place.clients("efs").describe_file_systems()["FileSystems"] == []


def test_replication_is_not_emulated(place):
    with pytest.raises(Refused, match="replication"):
        SYSTEM.create(place, {"ReplicationConfiguration": {"Destinations": []}})


def test_a_file_system_with_a_mount_target_stays(place):
    made = SYSTEM.create(place, {})
    vpc, subnet = subnet_of(place)
    target = _target(place, vpc, subnet, made)
    mounted = TARGET.create(place, target)
    with pytest.raises(ClientError, match="mount targets"):
        SYSTEM.delete(place, made.physical_id, {})
    TARGET.delete(place, mounted.physical_id, target)
    TARGET.delete(place, mounted.physical_id, target)
    SYSTEM.delete(place, made.physical_id, {})
    SYSTEM.delete(place, made.physical_id, {})
    assert TARGET.read(place.clients, mounted.physical_id, target) is None
    assert SYSTEM.read(place.clients, made.physical_id, {}) is None
    assert place.clients("ec2").describe_network_interfaces()["NetworkInterfaces"] == []


def _target(place: Place, vpc: str, subnet: str, system: Made) -> dict[str, Any]:
    groups = [group_of(place, vpc)]
    return {"FileSystemId": system.physical_id, "SubnetId": subnet, "SecurityGroups": groups}


def _give_ipv6(place, vpc, subnet):
    ec2 = place.clients("ec2")
    block = ec2.associate_vpc_cidr_block(VpcId=vpc, AmazonProvidedIpv6CidrBlock=True)
    whole = block["Ipv6CidrBlockAssociation"]["Ipv6CidrBlock"]
    ec2.associate_subnet_cidr_block(SubnetId=subnet, Ipv6CidrBlock=whole.replace("/56", "/64"))


@pytest.mark.parametrize("properties", resources_of("AWS::EFS::MountTarget"))
def test_every_mount_target_of_the_examples_is_read_back_as_written(place, properties):
    system = SYSTEM.create(place, {})
    vpc, subnet = subnet_of(place)
    if properties.get("IpAddressType") == "DUAL_STACK":
        _give_ipv6(place, vpc, subnet)
    real = _target(place, vpc, subnet, system)
    written = resolved(properties, lambda _: "replaced") | real
    assert set(written) == set(properties)
    made = TARGET.create(place, written)
    assert told(place, TARGET, made, written) == written
    assert made.attributes["IpAddress"].startswith("10.0.")
    changed = written | {"SecurityGroups": [group_of(place, vpc), group_of(place, vpc)]}
    assert TARGET.update(place, made, written, changed) == made
    assert told(place, TARGET, made, changed) == changed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"FileSystemId": "fs-0123456789abcdef0"}, "does not exist"),
        ({"SubnetId": "subnet-0123456789abcdef0"}, "subnet ID"),
        ({"SecurityGroups": ["sg-0123456789abcdef0"]}, "SecurityGroup ID"),
        ({"SecurityGroups": [f"sg-0123456789abcde{n}0" for n in range(6)]}, "up to 5"),
        ({"IpAddress": "192.0.2.7"}, "address range"),
        ({"IpAddressType": "DUAL_STACK"}, "no IPv6 CIDR block"),
    ],
)
def test_refuses_mount_targets_and_leaves_none(place, change, words):
    system = SYSTEM.create(place, {})
    vpc, subnet = subnet_of(place)
    with pytest.raises(ClientError, match=words):
        TARGET.create(place, _target(place, vpc, subnet, system) | change)
    answer = place.clients("efs").describe_mount_targets(FileSystemId=system.physical_id)
    assert answer["MountTargets"] == []


def test_one_zone_has_one_mount_target_in_that_zone(place):
    system = SYSTEM.create(place, {"AvailabilityZoneName": "us-east-2b"})
    ec2 = place.clients("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{n}.0/24", AvailabilityZone=zone)["Subnet"]
        for n, zone in enumerate(("us-east-2a", "us-east-2b", "us-east-2b"))
    ]
    first, second, third = (_target(place, vpc, one["SubnetId"], system) for one in subnets)
    with pytest.raises(ClientError, match="Availability Zone"):
        TARGET.create(place, first)
    TARGET.create(place, second)
    with pytest.raises(ClientError, match="already exists"):
        TARGET.create(place, third)


def test_an_access_point_is_read_back_as_written(place):
    system = SYSTEM.create(place, {})
    written = {
        "FileSystemId": system.physical_id,
        "PosixUser": {"Uid": "1000", "Gid": "1000"},
        "RootDirectory": {
            "Path": "/home",
            "CreationInfo": {"OwnerUid": "1000", "OwnerGid": "1000", "Permissions": "755"},
        },
        "AccessPointTags": [{"Key": "a", "Value": "1"}],
    }
    made = POINT.create(place, written)
    assert told(place, POINT, made, written) == written
    changed = written | {"AccessPointTags": [{"Key": "b", "Value": "2"}]}
    assert POINT.update(place, made, written, changed) == made
    assert told(place, POINT, made, changed) == changed
    POINT.delete(place, made.physical_id, written)
    POINT.delete(place, made.physical_id, written)
    assert POINT.read(place.clients, made.physical_id, written) is None


def test_refuses_an_access_point_of_no_file_system(place):
    with pytest.raises(ClientError, match="does not exist"):
        POINT.create(place, {"FileSystemId": "fs-0123456789abcdef0"})
