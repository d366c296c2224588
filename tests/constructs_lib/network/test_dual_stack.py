"""IPv6 beside IPv4: private subnets, a way out and none in, and addresses only where asked for."""

from __future__ import annotations

import pytest
from aws_cdk import App, Environment, Stack, assertions

from constructs_lib.network import ClusterVpc, EfaSecurityGroup, InterfaceEndpoints
from tests.synthesis import cdk_context
from trnkit.errors import ConstructError
from trnkit.layout.ipv6 import (
    COMPUTE_SUBNET,
    ENDPOINT_SUBNET,
    STORAGE_SUBNET,
    SUBNETS_OF_A_VPC,
    control_plane_subnet,
)

ZONE = "use2-az3"
EVERYTHING = {
    "create_endpoint_subnet": True,
    "control_plane_zone_ids": ["use2-az1", "use2-az2"],
}


def template(**options):
    app = App(context=cdk_context(), builtin_cloud_formation_validation=False)
    stack = Stack(app, "Test", env=Environment(region="us-east-2"))
    options = {"ip_address_type": "dualstack"} | options
    ClusterVpc(stack, "Vpc", availability_zone_id=ZONE, **options)
    return assertions.Template.from_stack(stack).to_json()["Resources"]


def of(resources, kind):
    return {key: r for key, r in resources.items() if r["Type"] == f"AWS::EC2::{kind}"}


def only(resources, kind):
    (found,) = of(resources, kind).items()
    return found


def place(subnet):
    """Which part of the VPC's block a subnet takes."""
    index, parts = subnet["Properties"]["Ipv6CidrBlock"]["Fn::Select"]
    block, count, bits = parts["Fn::Cidr"]
    first, blocks = block["Fn::Select"]
    assert (first, blocks["Fn::GetAtt"][1], count, bits) == (0, "Ipv6CidrBlocks", 256, "64")
    return index


def test_private_subnets_have_a_part_each_and_the_public_one_has_none():
    subnets = of(template(**EVERYTHING), "Subnet")
    public = [key for key, r in subnets.items() if "Ipv6CidrBlock" not in r["Properties"]]
    assert len(public) == 1
    assert "PublicSubnet" in public[0]
    private = [r for key, r in subnets.items() if key not in public]
    assert sorted(map(place, private)) == [1, 2, 3, 17, 18]


def test_no_subnet_gives_addresses_by_itself():
    for subnet in of(template(**EVERYTHING), "Subnet").values():
        assert subnet["Properties"].get("AssignIpv6AddressOnCreation", False) is False


def test_every_subnet_waits_for_the_block():
    resources = template(**EVERYTHING)
    key, block = only(resources, "VPCCidrBlock")
    assert block["Properties"]["AmazonProvidedIpv6CidrBlock"] is True
    for subnet in of(resources, "Subnet").values():
        if "Ipv6CidrBlock" in subnet["Properties"]:
            assert key in subnet["DependsOn"]


def test_ipv6_goes_out_through_an_egress_only_gateway_alone():
    resources = template()
    gateway, _ = only(resources, "EgressOnlyInternetGateway")
    private, _ = next(
        (k, r) for k, r in of(resources, "RouteTable").items() if "PrivateRouteTable" in k
    )
    (route,) = (
        r["Properties"]
        for r in of(resources, "Route").values()
        if "DestinationIpv6CidrBlock" in r["Properties"]
    )
    assert route == {
        "DestinationIpv6CidrBlock": "::/0",
        "EgressOnlyInternetGatewayId": {"Fn::GetAtt": [gateway, "Id"]},
        "RouteTableId": {"Ref": private},
    }


def test_an_isolated_vpc_has_no_way_out_by_ipv6_either():
    resources = template(nat_gateway=False)
    assert not of(resources, "EgressOnlyInternetGateway")
    assert not of(resources, "Route")
    assert all("Ipv6CidrBlock" in r["Properties"] for r in of(resources, "Subnet").values())


def test_the_s3_endpoint_takes_both_once_all_its_subnets_do():
    """EC2 refuses a dual-stack gateway endpoint while one of its subnets is IPv4 alone."""
    resources = template(**EVERYTHING)
    _, endpoint = only(resources, "VPCEndpoint")
    assert endpoint["Properties"]["IpAddressType"] == "dualstack"
    private = {k for k, r in of(resources, "Subnet").items() if "Ipv6CidrBlock" in r["Properties"]}
    assert set(endpoint["DependsOn"]) == private


def test_switching_it_on_replaces_nothing():
    """What changes are properties that CloudFormation changes in place."""
    in_place = {"Ipv6CidrBlock", "AssignIpv6AddressOnCreation", "IpAddressType"}
    before, after = template(ip_address_type="ipv4", **EVERYTHING), template(**EVERYTHING)
    assert set(after) > set(before)
    for key, resource in before.items():
        old, new = resource.get("Properties", {}), after[key].get("Properties", {})
        changed = {name for name in new if new[name] != old.get(name)}
        assert changed <= in_place, key
        assert {name: new[name] for name in old} == old


@pytest.mark.parametrize("option", [{"create_endpoint_subnet": True}, EVERYTHING])
def test_a_further_subnet_moves_none_of_the_others(option):
    before, after = of(template(), "Subnet"), of(template(**option), "Subnet")
    assert {key: after[key] for key in before} == before


def test_no_two_subnets_take_the_same_part():
    places = [STORAGE_SUBNET, COMPUTE_SUBNET, ENDPOINT_SUBNET]
    places += [control_plane_subnet(number) for number in range(1, 9)]
    assert len(set(places)) == len(places)
    assert all(0 <= number < SUBNETS_OF_A_VPC for number in places)


@pytest.mark.parametrize("kind", ["dual-stack", "ipv6", True, None])
def test_there_are_two_kinds(kind):
    with pytest.raises(ConstructError, match="ip_address_type must be ipv4 or dualstack"):
        template(ip_address_type=kind)


def test_net_02_the_group_lets_the_same_ports_out_by_both_and_nothing_in(stack, vpc, resources):
    EfaSecurityGroup(stack, "Efa", vpc=vpc, ip_address_type="dualstack")
    (group,) = resources("AWS::EC2::SecurityGroup").values()
    rules = group["Properties"]["SecurityGroupEgress"]
    assert {(r.get("CidrIp", r.get("CidrIpv6")), r["FromPort"], r["ToPort"]) for r in rules} == {
        *(("0.0.0.0/0", port, port) for port in (80, 443)),
        *(("::/0", port, port) for port in (80, 443)),
    }
    assert "SecurityGroupIngress" not in group["Properties"]
    for kind in ("Ingress", "Egress"):
        (rule,) = resources(f"AWS::EC2::SecurityGroup{kind}").values()
        assert rule["Properties"]["IpProtocol"] == "-1"


def test_endpoints_are_dual_stack_where_that_is_asked_for(stack, vpc, subnet, security_group):
    InterfaceEndpoints(
        stack,
        "Endpoints",
        vpc=vpc,
        subnet=subnet,
        services=["sts", "ssm"],
        clients=[security_group],
        dualstack_services=["sts"],
    )
    resources = assertions.Template.from_stack(stack).to_json()["Resources"]
    made = {
        r["Properties"]["ServiceName"].rpartition(".")[2]: r["Properties"]
        for r in of(resources, "VPCEndpoint").values()
    }
    assert made["sts"]["IpAddressType"] == "dualstack"
    assert made["sts"]["DnsOptions"] == {"DnsRecordIpType": "dualstack"}
    assert not {"IpAddressType", "DnsOptions"} & set(made["ssm"])


@pytest.mark.parametrize("services", [["kms"], "sts", ["sts", "kms"]])
def test_only_services_that_are_made_can_be_dual_stack(
    services, stack, vpc, subnet, security_group
):
    with pytest.raises(ConstructError, match="dualstack_services must be"):
        InterfaceEndpoints(
            stack,
            "Endpoints",
            vpc=vpc,
            subnet=subnet,
            services=["sts"],
            clients=[security_group],
            dualstack_services=services,
        )
