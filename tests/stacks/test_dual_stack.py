"""A cluster with IPv6: what each stack makes of the one key, and what it leaves alone."""

from __future__ import annotations

import json
import re

import pytest

from trnkit.config import read_cluster

ZONE = "availability_zone_id: use2-az3"
IDS = f"vpc_id: vpc-0123456789abcdef0, compute_subnet_id: subnet-0123456789abcdef0, {ZONE}"
OWN = f"ip_address_type: dualstack, {ZONE}"
EXISTING = f"ip_address_type: dualstack, existing: {{{IDS}}}"


@pytest.fixture
def make(synthesize):
    def cluster(network, home=""):
        text = f"""
name: pretrain
region: us-east-2
network: {{{network}}}
compute: {{node_groups: [{{name: train, instance_type: trn2.48xlarge, count: 4}}]}}
storage:
  lustre_file_systems: [{{name: fsx, storage_capacity_gib: 1200}}]
  home_file_system: {{{home}}}
budget: {{limit_usd: 5000, emails: [ml-platform@example.com]}}
"""
        return synthesize(read_cluster(text, "cluster.yaml").config)

    return cluster


def interfaces(assembly):
    template = assembly.only("Compute", "AWS::EC2::LaunchTemplate")
    return template["LaunchTemplateData"]["NetworkInterfaces"]


def test_without_the_key_there_is_no_ipv6_anywhere(make):
    templates = json.dumps(make(ZONE).templates)
    assert not re.search(r"ipv6|::/0|dualstack|DUAL", templates, re.IGNORECASE)


def test_ipv4_is_the_default_letter_by_letter(make):
    assert make(f"ip_address_type: ipv4, {ZONE}").templates == make(ZONE).templates


@pytest.mark.parametrize("network", [OWN, EXISTING], ids=["own", "existing"])
def test_one_address_a_node_on_its_primary_interface(make, network):
    asking = [i["Ipv6AddressCount"] for i in interfaces(make(network)) if "Ipv6AddressCount" in i]
    assert asking == [1]
    assert interfaces(make(network))[0]["Ipv6AddressCount"] == 1


def test_lustre_stays_on_ipv4_and_homes_unless_asked(make):
    assembly = make(OWN)
    assert "NetworkType" not in assembly.only("Storage", "AWS::FSx::FileSystem")
    assert "IpAddressType" not in assembly.only("Storage", "AWS::EFS::MountTarget")
    assert assembly.templates["Storage"] == make(ZONE).templates["Storage"]


def test_homes_are_dual_stack_when_asked(make):
    target = make(OWN, "ip_address_type: dualstack").only("Storage", "AWS::EFS::MountTarget")
    assert target["IpAddressType"] == "DUAL_STACK"


def test_an_existing_vpc_gets_no_block_no_gateway_and_no_route(make):
    kinds = {r["Type"] for r in make(EXISTING).templates["Network"]["Resources"].values()}
    assert kinds == {
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::SecurityGroupEgress",
    }
    group = make(EXISTING).only("Network", "AWS::EC2::SecurityGroup")
    assert [r["CidrIpv6"] for r in group["SecurityGroupEgress"] if "CidrIpv6" in r] == ["::/0"] * 2


def test_the_gateway_endpoint_of_an_existing_vpc_stays_on_ipv4(make):
    """Its route tables may serve subnets that are not named here; EC2 wants IPv6 in all."""
    tables = "create_s3_gateway_endpoint: true, route_table_ids: [rtb-0123456789abcdef0]"
    assembly = make(EXISTING.replace(IDS, f"{IDS}, {tables}"))
    assert "IpAddressType" not in assembly.only("Network", "AWS::EC2::VPCEndpoint")


def test_endpoints_are_dual_stack_where_the_service_is_known_to_be(make):
    assembly = make(f"{OWN}, nat_gateway: false")
    kinds = {
        e["Properties"]["ServiceName"].rpartition(".")[2]: e["Properties"].get("IpAddressType")
        for e in assembly.resources("Network", "AWS::EC2::VPCEndpoint").values()
    }
    assert {service for service, kind in kinds.items() if kind == "dualstack"} == {"s3", "sts"}
    assert not assembly.resources("Network", "AWS::EC2::EgressOnlyInternetGateway")


def test_switching_it_on_keeps_exports_and_other_stacks(make):
    before, after = make(ZONE), make(OWN)
    assert after.templates["Network"]["Outputs"] == before.templates["Network"]["Outputs"]
    assert after.templates["Cost"] == before.templates["Cost"]
