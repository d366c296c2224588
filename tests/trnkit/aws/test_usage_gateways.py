"""Gateways of what quotas count, against moto, and pages of answers that moto does not have."""

from __future__ import annotations

import boto3
import pytest
from moto import mock_aws

from tests.trnkit.operations.preflight.fake_account import FakeAccount, Refusal
from trnkit.aws.autoscaling import AutoScalingGateway
from trnkit.aws.ec2_network import Ec2NetworkGateway
from trnkit.aws.ec2_network_rules import Ec2NetworkRulesGateway
from trnkit.aws.ec2_usage import Ec2UsageGateway
from trnkit.aws.ec2_vpc import Ec2VpcGateway
from trnkit.aws.efs import EfsGateway
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.fsx import FsxGateway
from trnkit.aws.session import AwsSession

REGION, ACCOUNT = "us-east-2", "123456789012"
TAGS = [{"Key": "trnkit-cluster", "Value": "pretrain"}]
FILE_SYSTEM = "fs-0123456789abcdef0"


@pytest.fixture
def moto():
    with mock_aws():
        yield


@pytest.fixture
def client(moto):
    return boto3.client("ec2", region_name=REGION)


@pytest.fixture
def usage(moto):
    return Ec2UsageGateway(AwsSession(), REGION)


@pytest.fixture
def rules(moto):
    return Ec2NetworkRulesGateway(AwsSession(), REGION)


@pytest.fixture
def vpcs(moto):
    return Ec2VpcGateway(AwsSession(), REGION).vpcs


def tagged(kind):
    return [{"ResourceType": kind, "Tags": TAGS}]


def test_vpcs_with_owner_and_tags(client, vpcs):
    made = client.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=tagged("vpc"))["Vpc"]
    found = {vpc.resource_id: vpc for vpc in vpcs()}
    assert len(found) == 2  # The default VPC too.
    vpc = found[made["VpcId"]]
    assert (vpc.owner, vpc.vpc_id, vpc.tags) == (
        ACCOUNT,
        made["VpcId"],
        {"trnkit-cluster": "pretrain"},
    )


def test_addresses(client, usage):
    allocated = client.allocate_address(Domain="vpc", TagSpecifications=tagged("elastic-ip"))
    (address,) = usage.addresses()
    assert address.allocation_id == allocated["AllocationId"]
    assert address.is_ordinary
    assert address.tags == {"trnkit-cluster": "pretrain"}


def test_nat_gateways_and_the_subnets_of_their_zone(client, usage):
    subnets = client.describe_subnets()["Subnets"]
    here = next(subnet for subnet in subnets if subnet["AvailabilityZoneId"] == "use2-az1")
    made = client.create_nat_gateway(SubnetId=here["SubnetId"], ConnectivityType="private")
    (gateway,) = usage.nat_gateways()
    assert gateway.nat_gateway_id == made["NatGateway"]["NatGatewayId"]
    assert gateway.subnet_id in Ec2NetworkGateway(AwsSession(), REGION).subnet_ids("use2-az1")
    assert len(subnets) > len(Ec2NetworkGateway(AwsSession(), REGION).subnet_ids("use2-az1"))


def test_network_interfaces_of_one_zone(client, rules):
    made = {}
    for subnet in client.describe_subnets()["Subnets"]:
        asked = {"SubnetId": subnet["SubnetId"], "TagSpecifications": tagged("network-interface")}
        told = client.create_network_interface(**asked)["NetworkInterface"]
        made[subnet["AvailabilityZone"]] = told["NetworkInterfaceId"]
    (interface,) = rules.owned_interfaces("us-east-2b")
    assert interface.resource_id == made["us-east-2b"]
    assert (interface.owner, interface.kind) == (ACCOUNT, "interface")
    assert interface.tags == {"trnkit-cluster": "pretrain"}


def test_security_groups_with_those_of_ec2(client, rules, vpcs):
    (vpc,) = vpcs()
    client.create_security_group(GroupName="nodes", Description="x", VpcId=vpc.vpc_id)
    assert {(group.vpc_id, group.owner) for group in rules.owned_security_groups()} == {
        (vpc.vpc_id, ACCOUNT)
    }
    assert len(rules.owned_security_groups()) == 2


def test_endpoints_of_every_kind(client):
    (vpc,) = client.describe_vpcs()["Vpcs"]
    for kind, service in [("Gateway", "s3"), ("Interface", "ecr.api")]:
        client.create_vpc_endpoint(
            VpcId=vpc["VpcId"],
            VpcEndpointType=kind,
            ServiceName=f"com.amazonaws.{REGION}.{service}",
            TagSpecifications=tagged("vpc-endpoint"),
        )
    found = Ec2NetworkGateway(AwsSession(), REGION).counted_endpoints()
    assert sorted(endpoint.kind for endpoint in found) == ["Gateway", "Interface"]
    assert {endpoint.vpc_id for endpoint in found} == {vpc["VpcId"]}
    assert {endpoint.state for endpoint in found} == {"available"}
    assert all(endpoint.tags == {"trnkit-cluster": "pretrain"} for endpoint in found)


def test_volumes_of_a_type_up_to_a_number(client, usage):
    for size, kind in [(10, "gp3"), (20, "gp3"), (30, "gp2")]:
        client.create_volume(
            AvailabilityZone="us-east-2a",
            Size=size,
            VolumeType=kind,
            TagSpecifications=tagged("volume"),
        )
    found = usage.volumes("gp3", most=2)
    assert sorted(volume.size_gib for volume in found) == [10, 20]
    assert {volume.tags["trnkit-cluster"] for volume in found} == {"pretrain"}
    assert usage.volumes("gp3", most=1) is None
    assert usage.volumes("io2", most=1) == ()


def test_file_systems_of_fsx(client):
    subnet = client.describe_subnets()["Subnets"][0]["SubnetId"]
    fsx = boto3.client("fsx", region_name=REGION)
    made = fsx.create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=1200,
        StorageType="SSD",
        SubnetIds=[subnet],
        Tags=TAGS,
        LustreConfiguration={"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125},
    )["FileSystem"]
    gateway = FsxGateway(AwsSession(), REGION)
    (found,) = gateway.file_systems()
    assert (found.file_system_id, found.kind) == (made["FileSystemId"], "LUSTRE")
    assert (found.deployment_type, found.storage_type) == ("PERSISTENT_2", "SSD")
    assert (found.capacity_gib, found.throughput_per_tib) == (1200, 125)
    assert found.subnet_ids == (subnet,)
    assert found.tags == {"trnkit-cluster": "pretrain"}
    assert gateway.file_system(made["FileSystemId"]) == found


WHOLE = {
    "FileSystemId": FILE_SYSTEM,
    "FileSystemType": "LUSTRE",
    "Lifecycle": "AVAILABLE",
    "StorageType": "INTELLIGENT_TIERING",
    "VpcId": "vpc-0123456789abcdef0",
    "SubnetIds": ["subnet-0123456789abcdef0"],
    "NetworkInterfaceIds": ["eni-0123456789abcdef0", "eni-0123456789abcdef1"],
    "DNSName": f"{FILE_SYSTEM}.fsx.us-east-2.amazonaws.com",
    "KmsKeyId": "arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
    "FileSystemTypeVersion": "2.15",
    "Tags": TAGS,
    "LustreConfiguration": {
        "DeploymentType": "PERSISTENT_2",
        "MountName": "abcdefgh",
        "EfaEnabled": True,
        "ThroughputCapacity": 8000,
        "DataReadCacheConfiguration": {"SizingMode": "USER_PROVISIONED", "SizeGiB": 32_000},
    },
}


def test_all_that_fsx_says_of_a_file_system():
    session = FakeAccount({"DescribeFileSystems": {"FileSystems": [WHOLE]}})
    (found,) = FsxGateway(session, REGION).file_systems()
    assert (found.lifecycle, found.lustre_version, found.efa_enabled) == ("AVAILABLE", "2.15", True)
    assert (found.capacity_gib, found.throughput_per_tib) == (None, None)
    assert found.throughput_capacity_mbps == 8000
    assert (found.read_cache_mode, found.read_cache_gib) == ("USER_PROVISIONED", 32_000)
    assert (found.vpc_id, found.mount_name) == ("vpc-0123456789abcdef0", "abcdefgh")
    assert found.dns_name == f"{FILE_SYSTEM}.fsx.us-east-2.amazonaws.com"
    assert len(found.network_interface_ids) == 2
    assert found.has_kms_key


def test_a_file_system_of_another_kind_has_nothing_of_lustre():
    told = {"FileSystemId": FILE_SYSTEM, "FileSystemType": "OPENZFS", "StorageCapacity": 64}
    session = FakeAccount({"DescribeFileSystems": {"FileSystems": [told]}})
    (found,) = FsxGateway(session, REGION).file_systems()
    assert (found.kind, found.capacity_gib) == ("OPENZFS", 64)
    assert (found.deployment_type, found.mount_name, found.tags) == (None, None, {})
    assert not found.has_kms_key


def test_pages_of_file_systems_are_all_read():
    pages = {None: {"FileSystems": [WHOLE], "NextToken": "n"}, "n": {"FileSystems": [WHOLE]}}
    session = FakeAccount({"DescribeFileSystems": lambda told, _: pages[told.get("NextToken")]})
    assert len(FsxGateway(session, REGION).file_systems()) == 2


def test_a_file_system_that_is_not_there():
    refused = Refusal("FileSystemNotFound", "File system does not exist.")
    gateway = FsxGateway(FakeAccount({"DescribeFileSystems": refused}), REGION)
    with pytest.raises(AwsFailure) as caught:
        gateway.file_system(FILE_SYSTEM)
    assert caught.value.kind is FailureKind.NOT_FOUND
    assert FILE_SYSTEM in str(caught.value)
    empty = FsxGateway(FakeAccount({"DescribeFileSystems": {"FileSystems": []}}), REGION)
    assert empty.file_system(FILE_SYSTEM) is None


def test_file_systems_of_efs(moto):
    efs = boto3.client("efs", region_name=REGION)
    made = efs.create_file_system(CreationToken="x", Tags=TAGS)["FileSystemId"]
    (found,) = EfsGateway(AwsSession(), REGION).file_systems()
    assert (found.file_system_id, found.tags) == (made, {"trnkit-cluster": "pretrain"})


def test_auto_scaling_groups_by_tag(client):
    scaling = boto3.client("autoscaling", region_name=REGION)
    template = client.create_launch_template(
        LaunchTemplateName="nodes",
        LaunchTemplateData={"ImageId": "ami-12c6146b", "InstanceType": "trn1.2xlarge"},
    )["LaunchTemplate"]["LaunchTemplateId"]
    for name, owner in [("own", "pretrain"), ("other", "another")]:
        scaling.create_auto_scaling_group(
            AutoScalingGroupName=name,
            MinSize=0,
            MaxSize=1,
            DesiredCapacity=0,
            AvailabilityZones=["us-east-2a"],
            LaunchTemplate={"LaunchTemplateId": template},
            Tags=[{"Key": "trnkit-cluster", "Value": owner, "PropagateAtLaunch": True}],
        )
    gateway = AutoScalingGateway(AwsSession(), REGION)
    assert gateway.group_names("trnkit-cluster", "pretrain") == ("own",)


def test_limits_of_auto_scaling():
    told = {"MaxNumberOfAutoScalingGroups": 500, "NumberOfAutoScalingGroups": 7}
    gateway = AutoScalingGateway(FakeAccount({"DescribeAccountLimits": told}), REGION)
    assert (gateway.limits().groups, gateway.limits().most_groups) == (7, 500)
