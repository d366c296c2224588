"""What a cluster makes, counted from the file and from the templates of every example."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.synthesis import EXAMPLES
from tests.trnkit.operations.preflight.clusters import IMPORTED, make_cluster
from trnkit.config import load_cluster
from trnkit.layout.resource_counts import (
    gp3_gib,
    interface_counts,
    network_counts,
    placement_groups,
)
from trnkit.layout.tags import NODE_GROUP_TAG

TEMPLATES = Path(__file__).parents[2] / "golden" / "templates"
LUSTRE = {"name": "data", "storage_capacity_gib": 4800, "mount_path": "/fsx"}


def resources(name):
    found = []
    for path in sorted((TEMPLATES / name).glob("*.json")):
        found += json.loads(path.read_text())["Resources"].values()
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_counts_are_those_of_the_templates(path):
    cluster = load_cluster(path).config
    made = resources(path.stem)
    kinds = Counter(resource["Type"] for resource in made)
    endpoints = Counter(
        resource["Properties"]["VpcEndpointType"]
        for resource in made
        if resource["Type"] == "AWS::EC2::VPCEndpoint"
    )
    counts = network_counts(cluster)
    assert counts.vpcs == kinds["AWS::EC2::VPC"]
    assert counts.elastic_ips == kinds["AWS::EC2::EIP"]
    assert counts.nat_gateways == kinds["AWS::EC2::NatGateway"]
    assert counts.gateway_endpoints == endpoints["Gateway"]
    assert counts.interface_endpoints == endpoints["Interface"]
    # Every VPC has a group of its own that no template names.
    assert counts.security_groups == kinds["AWS::EC2::SecurityGroup"] + kinds["AWS::EC2::VPC"]
    assert placement_groups(cluster) == kinds["AWS::EC2::PlacementGroup"]
    assert len(cluster.compute.node_groups) == kinds["AWS::AutoScaling::AutoScalingGroup"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_interfaces_and_volumes_are_those_of_the_launch_templates(path):
    cluster = load_cluster(path).config
    data = {
        tag["Value"]: resource["Properties"]["LaunchTemplateData"]
        for resource in resources(path.stem)
        if resource["Type"] == "AWS::EC2::LaunchTemplate"
        for tag in resource["Properties"]["TagSpecifications"][0]["Tags"]
        if tag["Key"] == NODE_GROUP_TAG
    }
    kinds, volumes = Counter(), 0
    for group in cluster.compute.node_groups:
        template = data.pop(group.name)
        for interface in template["NetworkInterfaces"]:
            kinds[interface.get("InterfaceType", "interface")] += group.count
        for mapping in template["BlockDeviceMappings"]:
            assert mapping["Ebs"]["VolumeType"] == "gp3"
            volumes += group.count * mapping["Ebs"]["VolumeSize"]
    assert not data
    counted = interface_counts(cluster)
    assert counted.efa_only == kinds["efa-only"]
    assert counted.of_nodes == kinds.total() - kinds["efa-only"]
    assert counted.unknown_types == ()
    assert gp3_gib(cluster) == volumes


@pytest.mark.parametrize(
    ("efa", "of_nodes", "efa_only"),
    [
        ({}, 100, 1600),
        ({"layout": "efa-primary"}, 100, 1500),
        ({"layout": "all-efa"}, 1600, 0),
        ({"interfaces": 0}, 100, 0),
    ],
)
def test_a_hundred_trn2_nodes(efa, of_nodes, efa_only):
    counted = interface_counts(make_cluster({"count": 100, "efa": efa}))
    assert (counted.of_nodes, counted.efa_only) == (of_nodes, efa_only)


def test_groups_add_up_and_an_unknown_type_counts_one_a_node():
    cluster = make_cluster(
        {"count": 2}, {"count": 3, "instance_type": "trn9.48xlarge"}, {"count": 0}
    )
    counted = interface_counts(cluster)
    assert (counted.of_nodes, counted.efa_only) == (5, 32)
    assert counted.unknown_types == ("trn9.48xlarge",)


def test_an_unknown_type_without_nodes_is_nothing_to_ask_about():
    counted = interface_counts(make_cluster({"count": 0, "instance_type": "trn9.48xlarge"}))
    assert counted.unknown_types == ()


def test_services_take_interfaces_too():
    storage = {"lustre_file_systems": [LUSTRE], "home_file_system": {}}
    cluster = make_cluster(storage=storage)
    # A NAT gateway, a mount target, two storage servers and a metadata server of Lustre.
    assert interface_counts(cluster).of_services == 1 + 1 + 3
    isolated = make_cluster(network={"availability_zone_id": "use2-az3", "nat_gateway": False})
    endpoints = network_counts(isolated).interface_endpoints
    assert endpoints > 5
    assert interface_counts(isolated).of_services == endpoints


@pytest.mark.parametrize(
    ("more", "groups", "gateways"),
    [
        ({}, 1, 0),
        ({"security_group_id": "sg-0123456789abcdef0"}, 0, 0),
        ({"create_s3_gateway_endpoint": True, "route_table_ids": ["rtb-0123456789abcdef0"]}, 1, 1),
        ({"create_s3_gateway_endpoint": True}, 1, 0),
    ],
)
def test_an_existing_vpc_gets_little(more, groups, gateways):
    network = {"existing": IMPORTED["existing"] | more}
    counts = network_counts(make_cluster(network=network))
    assert (counts.vpcs, counts.elastic_ips, counts.nat_gateways) == (0, 0, 0)
    assert (counts.security_groups, counts.gateway_endpoints) == (groups, gateways)


def test_volumes_are_root_and_additional_ones_of_every_node():
    extra = [{"device_name": "/dev/sdf", "size_gib": 1000}]
    cluster = make_cluster(
        {"count": 2, "root_volume_size_gib": 100, "additional_volumes": extra}, {"count": 1}
    )
    assert gp3_gib(cluster) == 2 * 1100 + 512
