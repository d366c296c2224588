"""What AWS refuses since the new one is made while the old one is there."""

from __future__ import annotations

import pytest
import yaml

from tests.trnkit.operations.changes.comparing import by_id, change_of, compare, resource
from trnkit.operations.changes.collisions import _JUDGES, _SINGLES
from trnkit.operations.changes.registry import find_schema

NAT = {"SubnetId": "subnet-1", "AllocationId": "eipalloc-1"}
PRIVATE_NAT = {"SubnetId": "subnet-1", "ConnectivityType": "private"}
GATEWAY = {"VpcId": "vpc-1", "InternetGatewayId": "igw-1"}
VPN = {"VpcId": "vpc-1", "VpnGatewayId": "vgw-1"}
INSTANCE = {"ImageId": "ami-1", "SubnetId": "subnet-1"}
ADDRESS = {"PrivateIpAddress": "10.0.0.5"}
INTERFACE = {"NetworkInterfaces": [{"DeviceIndex": "0", "NetworkInterfaceId": "eni-1"}]}
ATTACHED = {"VolumeId": "vol-1", "InstanceId": "i-1", "Device": "/dev/sdh"}
ENDPOINT = {
    "VpcId": "vpc-1",
    "ServiceName": "com.amazonaws.us-east-2.logs",
    "VpcEndpointType": "Interface",
    "PrivateDnsEnabled": True,
    "DnsOptions": {"PrivateDnsPreference": "ALL_DOMAINS"},
}
OTHER_DNS = {"DnsOptions": {"PrivateDnsPreference": "VERIFIED_DOMAINS_ONLY"}}
SUBNET = {"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/24", "AvailabilityZone": "a"}


@pytest.mark.parametrize(
    ("kind", "old", "changed", "refused"),
    [
        ("NatGateway", NAT, {"SubnetId": "subnet-2"}, "is associated already"),
        ("NatGateway", NAT, {"SubnetId": "subnet-2", "AllocationId": "eipalloc-2"}, None),
        ("NatGateway", PRIVATE_NAT, {"SubnetId": "subnet-2"}, None),
        ("NatGateway", PRIVATE_NAT | ADDRESS, {"ConnectivityType": "public"}, "is in use"),
        ("VPCGatewayAttachment", GATEWAY, {"VpcId": "vpc-2"}, "gateway that is attached already"),
        ("VPCGatewayAttachment", GATEWAY, {"VpcId": "v", "InternetGatewayId": "igw-2"}, None),
        ("VPCGatewayAttachment", GATEWAY, {"InternetGatewayId": "igw-2"}, None),
        ("VPCGatewayAttachment", VPN, {"VpcId": "vpc-2"}, "virtual private gateway"),
        ("Instance", INSTANCE | ADDRESS, {"ImageId": "ami-2"}, "is in use"),
        ("Instance", INSTANCE | ADDRESS, {"SubnetId": "subnet-2"}, None),
        ("Instance", INSTANCE, {"ImageId": "ami-2"}, None),
        ("Instance", INTERFACE | {"ImageId": "a"}, {"ImageId": "b"}, "another instance has"),
        ("NetworkInterface", ADDRESS | {"SubnetId": "s"}, {"InterfaceType": "efa"}, "is in use"),
        ("VolumeAttachment", ATTACHED, {"Device": "/dev/sdi"}, "attached already"),
        ("VolumeAttachment", ATTACHED, {"VolumeId": "vol-2"}, "attached already"),
        ("VolumeAttachment", ATTACHED, {"VolumeId": "vol-2", "InstanceId": "i-2"}, None),
        ("VPCEndpoint", ENDPOINT, OTHER_DNS, "private DNS for one service"),
        ("VPCEndpoint", ENDPOINT, {"VpcId": "vpc-2"}, None),
        ("VPCEndpoint", ENDPOINT | {"PrivateDnsEnabled": False}, OTHER_DNS, None),
        ("Subnet", SUBNET, {"AvailabilityZone": "b"}, "two subnets with one block"),
        ("Subnet", SUBNET, {"AvailabilityZone": "b", "CidrBlock": "10.0.1.0/24"}, None),
    ],
)
def test_a_replacement_that_cannot_stand_beside_the_old_one(tmp_path, kind, old, changed, refused):
    change = change_of(tmp_path, f"AWS::EC2::{kind}", old, old | changed)
    found = [effect for effect in change.effects if effect.verdict == "refused"]
    assert [refused in effect.message for effect in found] == ([True] if refused else [])
    for effect in found:
        assert effect.hint
        assert effect.source.startswith("https://docs.aws.amazon.com/")


def test_every_property_that_collides_is_one_of_its_type():
    for kind, singles in _SINGLES.items():
        schema = find_schema(kind, None)
        for single in singles:
            for name in (*single.shared, *single.kept, *single.given):
                assert schema.has_property(name), (kind, name)
    assert all(find_schema(kind, None) for kind in _JUDGES)


NETWORK = {
    "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "Igw": {"Type": "AWS::EC2::InternetGateway"},
    "Attached": {
        "Type": "AWS::EC2::VPCGatewayAttachment",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "InternetGatewayId": {"Ref": "Igw"}},
    },
    "Subnet": {
        "Type": "AWS::EC2::Subnet",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/24"},
    },
    "Ip": {"Type": "AWS::EC2::EIP", "Properties": {"Domain": "vpc"}},
    "Nat": {
        "Type": "AWS::EC2::NatGateway",
        "Properties": {
            "SubnetId": {"Ref": "Subnet"},
            "AllocationId": {"Fn::GetAtt": ["Ip", "AllocationId"]},
        },
    },
}


def test_what_follows_a_vpc_that_is_replaced_collides_too(tmp_path):
    old = yaml.safe_dump({"Resources": NETWORK})
    found = by_id(compare(tmp_path, old, old.replace("10.0.0.0/16", "10.0.0.0/20")))
    assert found["Vpc"].verdict == "replaces"
    assert found["Attached"].verdict == "refused"
    assert found["Nat"].verdict == "refused"
    assert found["Subnet"].verdict == "replaces", "in another VPC the block is free"


def test_an_address_that_is_replaced_is_another_address(tmp_path):
    old = yaml.safe_dump({"Resources": NETWORK})
    new = old.replace("Domain: vpc", "{Domain: vpc, NetworkBorderGroup: us-east-2}")
    found = by_id(compare(tmp_path, old, new))
    assert (found["Ip"].kind, found["Nat"].kind) == ("replaced", "replaced")
    assert found["Nat"].verdict == "replaces"


@pytest.mark.parametrize(
    ("volume", "verdict"),
    [
        ({}, "refused"),
        ({"MultiAttachEnabled": False}, "refused"),
        ({"MultiAttachEnabled": True}, None),
        ({"MultiAttachEnabled": {"Ref": "AWS::Region"}}, "cannot-be-told"),
        (None, "cannot-be-told"),
    ],
)
def test_a_volume_follows_an_instance_only_where_it_may_have_several(tmp_path, volume, verdict):
    body = {
        "Node": {"Type": "AWS::EC2::Instance", "Properties": {"ImageId": "ami-1"}},
        "Attached": {
            "Type": "AWS::EC2::VolumeAttachment",
            "Properties": {"InstanceId": {"Ref": "Node"}, "VolumeId": "vol-1", "Device": "/dev/h"},
        },
    }
    if volume is not None:
        body["Disk"] = {"Type": "AWS::EC2::Volume", "Properties": {"Size": 1} | volume}
        body["Attached"]["Properties"]["VolumeId"] = {"Ref": "Disk"}
    old = yaml.safe_dump({"Resources": body})
    change = by_id(compare(tmp_path, old, old.replace("ami-1", "ami-2")))["Attached"]
    told = {e.verdict for e in change.effects if "makes the new attachment" in e.message}
    assert (change.kind, told) == ("replaced", {verdict} if verdict else set())


ROUTE = {"RouteTableId": "rtb-1", "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "igw-1"}
RULE = {"GroupId": "sg-1", "IpProtocol": "tcp", "CidrIp": "10.0.0.0/8", "Description": "a"}
TABLES = {
    "VpcId": "vpc-1",
    "ServiceName": "com.amazonaws.us-east-2.s3",
    "RouteTableIds": ["rtb-1", "rtb-2"],
}
MOUNT = {"FileSystemId": "fs-1", "SubnetId": "subnet-1", "SecurityGroups": ["sg-1"]}


@pytest.mark.parametrize(
    ("kind", "old", "changed", "verdict"),
    [
        ("EC2::Route", ROUTE, {"GatewayId": None, "NatGatewayId": "nat-1"}, "refused"),
        ("EC2::Route", ROUTE, {"DestinationCidrBlock": "10.0.0.0/8"}, "safe"),
        ("EC2::SecurityGroupIngress", RULE, {"Description": "b"}, "refused"),
        ("EC2::SecurityGroupIngress", RULE, {"CidrIp": "10.1.0.0/16"}, "safe"),
        ("EC2::VPCEndpoint", TABLES, {"RouteTableIds": ["rtb-2", "rtb-3"]}, "refused"),
        ("EC2::VPCEndpoint", TABLES, {"RouteTableIds": ["rtb-3"]}, "safe"),
        ("EC2::VPCEndpoint", ENDPOINT, {"SubnetIds": ["subnet-9"]}, "refused"),
        ("EC2::VPCGatewayAttachment", GATEWAY, {"InternetGatewayId": "igw-2"}, "refused"),
        ("EC2::VPCGatewayAttachment", GATEWAY, {"InternetGatewayId": None} | VPN, "safe"),
        ("EC2::NatGateway", NAT, {"SubnetId": "subnet-2"}, "refused"),
        ("EFS::MountTarget", MOUNT, {"SecurityGroups": ["sg-2"]}, "refused"),
        ("EFS::MountTarget", MOUNT, {"SubnetId": "subnet-2"}, "safe"),
        ("IAM::Role", {"RoleName": "node", "Path": "/a/"}, {"Path": "/b/"}, "refused"),
        ("IAM::InstanceProfile", {"InstanceProfileName": "a"}, {"Roles": ["b"]}, "refused"),
    ],
)
def test_one_under_another_id_collides_with_the_one_that_goes(
    tmp_path, kind, old, changed, verdict
):
    kind = f"AWS::{kind}"
    new = {name: value for name, value in (old | changed).items() if value is not None}
    text = resource(kind, new).replace("  It:", "  That:")
    found = by_id(compare(tmp_path, resource(kind, old), text))
    assert (found["It"].kind, found["That"].kind) == ("removed", "added")
    assert found["That"].verdict == verdict


def test_one_that_moves_with_what_it_refers_to_does_not_collide(tmp_path):
    body = {
        "First": {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": "vpc-1"}},
        "Route": {
            "Type": "AWS::EC2::Route",
            "Properties": ROUTE | {"RouteTableId": {"Ref": "First"}},
        },
    }
    old = yaml.safe_dump({"Resources": body})
    found = by_id(compare(tmp_path, old, old.replace("First", "Other").replace("Route:", "New:")))
    assert found["Route"].verdict == "replaces"
