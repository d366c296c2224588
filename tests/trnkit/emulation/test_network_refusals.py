"""What EC2 refuses of networks, asked directly and not by a template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.trnkit.emulation.moto_place import moto_place
from trnkit.emulation.resources.resource import Place
from trnkit.emulation.services.ec2 import network_refusals, subnets


@pytest.fixture
def ec2() -> Iterator[Any]:
    with moto_place() as place:
        subnets.install()
        network_refusals.install()
        yield place.clients("ec2")


@pytest.fixture
def vpc(ec2: Any) -> str:
    return ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]


def refused(code: str, call: Any, **asked: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**asked)
    assert caught.value.response["Error"]["Code"] == code
    return caught.value.response["Error"]["Message"]


@pytest.mark.parametrize("block", ["10.0.0.0/15", "10.0.0.0/29"])
def test_subnets_of_a_size_that_there_is_not(ec2: Any, vpc: str, block: str) -> None:
    said = refused("InvalidSubnet.Range", ec2.create_subnet, VpcId=vpc, CidrBlock=block)
    assert said == f"The CIDR '{block}' is invalid."


def test_subnets_of_the_largest_and_the_smallest_size(ec2: Any) -> None:
    for block, size in (("10.0.0.0/16", "10.0.0.0/16"), ("10.1.0.0/16", "10.1.0.0/28")):
        vpc = ec2.create_vpc(CidrBlock=block)["Vpc"]["VpcId"]
        made = ec2.create_subnet(VpcId=vpc, CidrBlock=size, AvailabilityZoneId="use2-az1")
        assert made["Subnet"]["CidrBlock"] == size


def test_a_zone_of_another_region(ec2: Any, vpc: str) -> None:
    said = refused(
        "InvalidParameterValue",
        ec2.create_subnet,
        VpcId=vpc,
        CidrBlock="10.0.0.0/24",
        AvailabilityZoneId="usw2-az1",
    )
    assert "use2-az1, use2-az2, use2-az3" in said


def test_a_subnet_has_one_route_table_and_may_be_given_it_again(ec2: Any, vpc: str) -> None:
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    one, other = (ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"] for _ in range(2))
    first = ec2.associate_route_table(SubnetId=subnet, RouteTableId=one)
    assert ec2.associate_route_table(SubnetId=subnet, RouteTableId=one) | first
    call = ec2.associate_route_table
    refused("Resource.AlreadyAssociated", call, SubnetId=subnet, RouteTableId=other)


@pytest.mark.parametrize("ports", [(1023, 1018), (-1, 80), (80, 65536)])
def test_ports_out_of_order(ec2: Any, vpc: str, ports: tuple[int, int]) -> None:
    group = ec2.create_security_group(GroupName="g", Description="g", VpcId=vpc)["GroupId"]
    rule = {"IpProtocol": "tcp", "FromPort": ports[0], "ToPort": ports[1]}
    asked = [rule | {"IpRanges": [{"CidrIp": "10.0.0.0/8"}]}]
    for call in (ec2.authorize_security_group_ingress, ec2.authorize_security_group_egress):
        said = refused("InvalidParameterValue", call, GroupId=group, IpPermissions=asked)
        assert said == f"Invalid TCP port range ({ports[0]}-{ports[1]})"


def test_icmp_has_types_and_codes_for_ports(ec2: Any, vpc: str) -> None:
    group = ec2.create_security_group(GroupName="g", Description="g", VpcId=vpc)["GroupId"]
    rule = {"IpProtocol": "icmp", "FromPort": 252, "ToPort": 86}
    asked = [rule | {"IpRanges": [{"CidrIp": "255.255.255.255/32"}]}]
    assert ec2.authorize_security_group_egress(GroupId=group, IpPermissions=asked)["Return"]


def test_private_names_need_the_dns_of_the_vpc(ec2: Any, vpc: str) -> None:
    asked = {
        "VpcId": vpc,
        "ServiceName": "com.amazonaws.us-east-2.ssm",
        "VpcEndpointType": "Interface",
        "PrivateDnsEnabled": True,
    }
    refused("InvalidParameter", ec2.create_vpc_endpoint, **asked)
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    assert ec2.create_vpc_endpoint(**asked)["VpcEndpoint"]["VpcId"] == vpc


def test_the_interface_of_a_nat_gateway_goes_with_it(ec2: Any, vpc: str) -> None:
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    gateway = ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private")["NatGateway"]
    assert ec2.describe_network_interfaces()["NetworkInterfaces"]
    ec2.delete_nat_gateway(NatGatewayId=gateway["NatGatewayId"])
    assert not ec2.describe_network_interfaces()["NetworkInterfaces"]


def test_a_group_that_fails_half_way_leaves_nothing() -> None:
    from trnkit.emulation.resources.security_groups import SecurityGroup

    with moto_place() as place:
        vpc = place.clients("ec2").create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        before = groups_of(place)
        rules = [
            {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": f"192.0.2.{n}/32"}
            for n in range(61)
        ]
        wanted = {"GroupDescription": "g", "VpcId": vpc, "SecurityGroupEgress": rules}
        with pytest.raises(ClientError, match="RulesPerSecurityGroupLimitExceeded"):
            SecurityGroup().create(place, wanted)
        assert groups_of(place) == before
        few = {**wanted, "SecurityGroupEgress": rules[:2]}
        made = SecurityGroup().create(place, few)
        before = groups_of(place)
        with pytest.raises(ClientError, match="RulesPerSecurityGroupLimitExceeded"):
            SecurityGroup().update(place, made, few, wanted)
        assert groups_of(place) == before


def groups_of(place: Place) -> Any:
    return [
        (group["GroupId"], len(group["IpPermissionsEgress"]))
        for group in place.clients("ec2").describe_security_groups()["SecurityGroups"]
    ]
