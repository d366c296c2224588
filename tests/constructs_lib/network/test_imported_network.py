"""ImportedNetwork: ids in, references out, nothing looked up and nothing guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from aws_cdk import App, assertions
from aws_cdk import aws_ec2 as ec2

from constructs_lib.network import EfaSecurityGroup, ImportedNetwork
from trnkit.errors import ConstructError

IDS = {"vpc_id": "vpc-0123456789abcdef0", "compute_subnet_id": "subnet-0123456789abcdef0"}


def test_it_creates_nothing_by_itself(stack):
    network = ImportedNetwork(stack, "Network", **IDS)
    assert network.vpc.vpc_id == "vpc-0123456789abcdef0"
    assert network.storage_subnet is network.compute_subnet
    assert network.control_plane_subnets == ()
    assert "Resources" not in assertions.Template.from_stack(stack).to_json()


def test_all_subnets_are_as_given(stack):
    network = ImportedNetwork(
        stack,
        "Network",
        **IDS,
        storage_subnet_id="subnet-0fedcba9876543210",
        control_plane_subnet_ids=["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"],
    )
    assert network.storage_subnet.subnet_id == "subnet-0fedcba9876543210"
    planes = [subnet.subnet_id for subnet in network.control_plane_subnets]
    assert planes == ["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"]


def test_net_10_the_s3_endpoint_is_on_the_tables_given(stack, resources):
    tables = ["rtb-0123456789abcdef0", "rtb-0123456789abcdef1"]
    ImportedNetwork(stack, "Network", **IDS, s3_gateway_route_table_ids=tables)
    (endpoint,) = resources("AWS::EC2::VPCEndpoint").values()
    assert endpoint["Properties"]["VpcEndpointType"] == "Gateway"
    assert endpoint["Properties"]["RouteTableIds"] == tables
    assert endpoint["Properties"]["ServiceName"] == "com.amazonaws.us-east-2.s3"


def test_cdk_02_nothing_is_looked_up_and_nothing_warned_of(stack):
    ImportedNetwork(stack, "Network", **IDS)
    manifest = (Path(App.of(stack).synth().directory) / "manifest.json").read_text()
    assert '"missing"' not in manifest
    assert "aws:cdk:warning" not in manifest


def test_net_07_a_zone_name_is_refused_and_not_guessed(stack):
    network = ImportedNetwork(stack, "Network", **IDS)
    ec2.CfnVolume(stack, "Volume", availability_zone=network.vpc.availability_zones[0], size=1)
    with pytest.raises(RuntimeError, match="zone names of an imported VPC are not known"):
        assertions.Template.from_stack(stack)


@pytest.mark.parametrize("ids", [["subnet-01234567"], ["subnet-01234567", "subnet-01234567"]])
def test_net_13_a_single_control_plane_subnet_fails(stack, ids):
    with pytest.raises(ConstructError, match="two or more different subnets"):
        ImportedNetwork(stack, "Network", **IDS, control_plane_subnet_ids=ids)


def test_net_01_the_fabric_s_group_goes_into_an_imported_vpc(stack, resources):
    network = ImportedNetwork(stack, "Network", **IDS)
    EfaSecurityGroup(stack, "Efa", vpc=network.vpc)
    (group,) = resources("AWS::EC2::SecurityGroup").values()
    assert group["Properties"]["VpcId"] == "vpc-0123456789abcdef0"


def test_net_01_the_fabric_s_group_goes_into_cdk_s_own_vpc(stack, resources):
    theirs = ec2.Vpc(stack, "Theirs", availability_zones=["us-east-2a", "us-east-2b"])
    EfaSecurityGroup(stack, "Efa", vpc=theirs)
    everything = resources()
    (vpc,) = (key for key, r in everything.items() if r["Type"] == "AWS::EC2::VPC")
    groups = [r for r in everything.values() if r["Type"] == "AWS::EC2::SecurityGroup"]
    assert groups[0]["Properties"]["VpcId"] == {"Ref": vpc}
    assert (
        len([r for r in everything.values() if r["Type"] == "AWS::EC2::SecurityGroupEgress"]) == 1
    )
