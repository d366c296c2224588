"""ClusterVpc: the right zone, private nodes, S3 beside NAT."""

from __future__ import annotations

import ipaddress

import pytest

from constructs_lib.network import ClusterVpc
from trnkit.errors import ConstructError


@pytest.fixture
def network(stack):
    return ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3")


def test_every_subnet_is_in_the_zone_by_id_and_gives_no_public_address(network, resources):
    subnets = [r["Properties"] for r in resources("AWS::EC2::Subnet").values()]
    assert len(subnets) == 3
    for subnet in subnets:
        assert subnet["AvailabilityZoneId"] == "use2-az3"
        assert "AvailabilityZone" not in subnet
        assert subnet["MapPublicIpOnLaunch"] is False


def test_subnets_do_not_overlap_and_lie_in_the_vpc(network, resources):
    blocks = [
        ipaddress.IPv4Network(r["Properties"]["CidrBlock"])
        for r in resources("AWS::EC2::Subnet").values()
    ]
    assert all(block.subnet_of(ipaddress.IPv4Network("10.0.0.0/16")) for block in blocks)
    assert not any(a.overlaps(b) for a in blocks for b in blocks if a is not b)


def test_net_10_every_private_route_table_has_the_s3_gateway_endpoint(network, resources):
    everything = resources()
    tables = {
        route["Properties"]["RouteTableId"]["Ref"]
        for route in everything.values()
        if route["Type"] == "AWS::EC2::Route" and "NatGatewayId" in route["Properties"]
    }
    (endpoint,) = (r for r in everything.values() if r["Type"] == "AWS::EC2::VPCEndpoint")
    assert endpoint["Properties"]["VpcEndpointType"] == "Gateway"
    assert endpoint["Properties"]["ServiceName"] == "com.amazonaws.us-east-2.s3"
    assert {table["Ref"] for table in endpoint["Properties"]["RouteTableIds"]} == tables


def test_private_subnets_go_out_through_nat_and_public_through_the_internet_gateway(
    network, resources
):
    everything = resources()

    def subnets_of(target):
        tables = [
            r["Properties"]["RouteTableId"]["Ref"]
            for r in everything.values()
            if r["Type"] == "AWS::EC2::Route" and target in r["Properties"]
        ]
        return {
            everything[r["Properties"]["SubnetId"]["Ref"]]["Properties"]["CidrBlock"]
            for r in everything.values()
            if r["Type"] == "AWS::EC2::SubnetRouteTableAssociation"
            and r["Properties"]["RouteTableId"]["Ref"] in tables
        }

    plan = network.subnet_plan
    assert subnets_of("NatGatewayId") == {plan.compute, plan.storage}
    assert subnets_of("GatewayId") == {plan.public}


def test_nat_and_its_address_wait_for_the_internet_gateway(network, resources):
    everything = resources()
    (attachment,) = (k for k, r in everything.items() if r["Type"].endswith("GatewayAttachment"))
    (address,) = (r for r in everything.values() if r["Type"] == "AWS::EC2::EIP")
    (nat,) = (r for r in everything.values() if r["Type"] == "AWS::EC2::NatGateway")
    assert address["DependsOn"] == [attachment]
    assert everything[nat["DependsOn"][0]]["Properties"]["GatewayId"]


def test_names_resolve_in_the_vpc_as_file_systems_need(network, resources):
    (vpc,) = resources("AWS::EC2::VPC").values()
    assert vpc["Properties"]["EnableDnsSupport"] is True
    assert vpc["Properties"]["EnableDnsHostnames"] is True


def test_compute_subnet_grows_to_half_the_block_at_the_exact_address(stack):
    quarter = ClusterVpc(stack, "A", availability_zone_id="use2-az3", compute_addresses=16379)
    half = ClusterVpc(stack, "B", availability_zone_id="use2-az3", compute_addresses=16380)
    assert quarter.subnet_plan.compute == "10.0.64.0/18"
    assert half.subnet_plan.compute == "10.0.128.0/17"


def test_growing_compute_never_moves_the_file_systems(stack):
    quarter = ClusterVpc(stack, "A", availability_zone_id="use2-az3", compute_addresses=1)
    half = ClusterVpc(stack, "B", availability_zone_id="use2-az3", compute_addresses=20_000)
    assert quarter.subnet_plan.storage == half.subnet_plan.storage


def test_fails_when_the_addresses_do_not_fit(stack):
    with pytest.raises(ConstructError, match=r"at most 507 in 10\.0\.0\.0/22, got 508"):
        ClusterVpc(
            stack,
            "Vpc",
            availability_zone_id="use2-az3",
            vpc_cidr="10.0.0.0/22",
            compute_addresses=508,
        )


def test_net_07_fails_when_a_zone_name_stands_for_an_id(stack):
    with pytest.raises(ConstructError, match=r"zone id such as use2-az3 .*, got 'us-east-2c'"):
        ClusterVpc(stack, "Vpc", availability_zone_id="us-east-2c")
    assert not resources_left_behind(stack)


def resources_left_behind(stack):
    """Children of the failed construct: it must fail before it makes any."""
    return [c for c in stack.node.find_all() if hasattr(c, "cfn_resource_type")]
