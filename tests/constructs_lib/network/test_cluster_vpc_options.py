"""ClusterVpc with its options: isolated, in two blocks, with subnets beside the compute zone."""

from __future__ import annotations

import pytest
from aws_cdk import App, Environment, Stack, assertions

from constructs_lib.network import ClusterVpc
from tests.synthesis import cdk_context
from trnkit.errors import ConstructError

ZONE = "use2-az3"


def template(**options):
    app = App(context=cdk_context(), builtin_cloud_formation_validation=False)
    stack = Stack(app, "Test", env=Environment(region="us-east-2"))
    ClusterVpc(stack, "Vpc", availability_zone_id=ZONE, **options)
    return assertions.Template.from_stack(stack).to_json()["Resources"]


def of(resources, kind):
    return {key: r for key, r in resources.items() if r["Type"] == f"AWS::EC2::{kind}"}


def stateful(resources):
    """VPC and subnets with all their properties."""
    return {**of(resources, "VPC"), **of(resources, "Subnet")}


TOGGLES = {
    "endpoints": {"create_endpoint_subnet": True},
    "control plane": {"control_plane_zone_ids": ["use2-az1", "use2-az2"]},
    "all": {"create_endpoint_subnet": True, "control_plane_zone_ids": ["use2-az1", "use2-az3"]},
}


@pytest.mark.parametrize("options", TOGGLES.values(), ids=TOGGLES)
def test_what_is_switched_on_later_leaves_vpc_and_subnets_alone(options):
    before, after = stateful(template()), stateful(template(**options))
    assert set(after) > set(before)
    assert {key: after[key] for key in before} == before


def test_turning_nat_off_takes_the_public_subnet_alone():
    before, after = stateful(template()), stateful(template(nat_gateway=False))
    gone = set(before) - set(after)
    assert len(gone) == 1
    assert "PublicSubnet" in gone.pop()
    assert {key: before[key] for key in after} == after


def test_one_more_control_plane_zone_moves_none_of_the_others():
    two = template(control_plane_zone_ids=["use2-az2", "use2-az3"])
    three = template(control_plane_zone_ids=["use2-az1", "use2-az2", "use2-az3"])
    assert {key: three[key] for key in stateful(two)} == stateful(two)


def test_isolated_there_is_no_way_to_the_internet():
    resources = template(nat_gateway=False)
    kinds = {resource["Type"] for resource in resources.values()}
    for kind in ("NatGateway", "InternetGateway", "EIP", "VPCGatewayAttachment", "Route"):
        assert f"AWS::EC2::{kind}" not in kinds
    (endpoint,) = of(resources, "VPCEndpoint").values()
    (table,) = of(resources, "RouteTable")
    assert endpoint["Properties"]["RouteTableIds"] == [{"Ref": table}], "NET-10"


def test_isolated_subnets_are_called_so_to_other_constructs(stack):
    network = ClusterVpc(stack, "Vpc", availability_zone_id=ZONE, nat_gateway=False)
    assert [subnet.subnet_id for subnet in network.vpc.isolated_subnets] == [
        network.compute_subnet.subnet_id
    ]
    assert not network.vpc.private_subnets
    assert not network.vpc.public_subnets
    assert network.endpoint_subnet is None
    assert network.control_plane_subnets == ()


def test_net_13_control_plane_subnets_are_in_their_zones_and_private():
    resources = template(control_plane_zone_ids=["use2-az1", "use2-az2"])
    planes = {k: r["Properties"] for k, r in of(resources, "Subnet").items() if "Control" in k}
    assert [p["AvailabilityZoneId"] for p in planes.values()] == ["use2-az1", "use2-az2"]
    (private,) = (key for key in of(resources, "RouteTable") if "Private" in key)
    routed = {
        a["Properties"]["SubnetId"]["Ref"]
        for a in of(resources, "SubnetRouteTableAssociation").values()
        if a["Properties"]["RouteTableId"]["Ref"] == private
    }
    assert set(planes) < routed
    assert not any(p["MapPublicIpOnLaunch"] for p in planes.values())
    compute = [r for k, r in of(resources, "Subnet").items() if "Compute" in k]
    assert [r["Properties"]["AvailabilityZoneId"] for r in compute] == [ZONE]


def test_the_compute_subnet_waits_for_the_second_block():
    resources = template(vpc_cidr="10.0.0.0/22", secondary_cidr="100.64.0.0/16")
    (block,) = of(resources, "VPCCidrBlock")
    (compute,) = (r for k, r in of(resources, "Subnet").items() if "Compute" in k)
    assert resources[block]["Properties"]["CidrBlock"] == "100.64.0.0/16"
    assert compute["Properties"]["CidrBlock"] == "100.64.0.0/16"
    assert compute["DependsOn"] == [block]


def test_a_second_block_leaves_the_file_systems_subnet_alone():
    def storage(resources):
        return {k: r for k, r in of(resources, "Subnet").items() if "Storage" in k}

    assert storage(template()) == storage(template(secondary_cidr="100.64.0.0/16"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"secondary_cidr": "100.64.0.0/24", "compute_addresses": 252}, "at most 251 in 100.64"),
        ({"secondary_cidr": "10.0.0.0/20"}, "10.0.0.0/20 overlaps vpc_cidr 10.0.0.0/16"),
        ({"control_plane_zone_ids": ["use2-az1"]}, "two or more different zones"),
        ({"control_plane_zone_ids": ["use2-az1", "use2-az1"]}, "two or more different zones"),
        ({"control_plane_zone_ids": ["us-east-2a", "use2-az1"]}, "zone id such as use2-az3"),
        ({"control_plane_zone_ids": ["use2-az9", "use2-az1"]}, "from 1 to 8, got 'use2-az9'"),
        ({"control_plane_zone_ids": ["usw2-lax1-az1", "use2-az1"]}, "ids of Availability Zones"),
    ],
)
def test_wrong_arguments_fail_before_anything_is_made(stack, options, message):
    with pytest.raises(ConstructError, match=message):
        ClusterVpc(stack, "Vpc", availability_zone_id=ZONE, **options)
    assert not [c for c in stack.node.find_all() if hasattr(c, "cfn_resource_type")]


def test_all_addresses_of_the_second_block_can_be_taken(stack):
    network = ClusterVpc(
        stack,
        "Vpc",
        availability_zone_id=ZONE,
        secondary_cidr="100.64.0.0/24",
        compute_addresses=251,
    )
    assert network.subnet_plan.compute_capacity == 251
