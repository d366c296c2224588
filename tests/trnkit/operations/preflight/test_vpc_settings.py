"""TRN914: names, and the addresses that subnets give unasked or lack."""

from __future__ import annotations

import copy

import pytest

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import SUBNET, VPC, Refusal, subnet
from tests.trnkit.operations.preflight.networks import (
    STORAGE,
    VPC_THERE,
    attributes,
    dhcp,
    existing_lustre,
    network,
)

ENDPOINTS = {"interface_endpoints": ["ecr.api"]}
HOME = {"home_file_system": {}}
LUSTRE = {"lustre_file_systems": [{"name": "fsx", "storage_capacity_gib": 1200}]}
DUALSTACK = {"ip_address_type": "dualstack"}
IPV6 = [{"Ipv6CidrBlock": "2600:1f14::/64", "Ipv6CidrBlockState": {"State": "associated"}}]


@pytest.fixture
def judge(ask):
    """Ask the check about a cluster in an existing VPC."""

    def run(*, node_group=None, more=None, storage=None, apart=False, **changes):
        place = {"storage_subnet_id": STORAGE} if apart else {}
        made = make_cluster(
            node_group or {}, network=network(**place) | (more or {}), storage=storage or {}
        )
        return ask("vpc-settings", made, **changes)

    return run


def problem(done):
    (found,) = [result for result in done.results if result.status != "ok"]
    return found


def test_a_vpc_of_the_cluster_s_own_asks_nothing(ask):
    assert ask("vpc-settings").status == "ok"
    assert ask.sessions[0].asked == []


@pytest.mark.parametrize(
    ("support", "hostnames", "servers", "more", "storage", "status", "words"),
    [
        (True, True, "AmazonProvidedDNS", {}, {}, "ok", ""),
        (True, False, "AmazonProvidedDNS", {}, {}, "ok", ""),
        (True, False, "AmazonProvidedDNS", {}, LUSTRE, "ok", ""),
        (False, False, "AmazonProvidedDNS", {}, {}, "fail", "nodes resolve no name at all"),
        (False, True, "169.254.169.253", {}, {}, "fail", "enableDnsSupport of"),
        (False, True, "10.0.0.2", {}, {}, "fail", "nodes resolve no name at all"),
        # Somebody else's server resolves them.
        (False, False, "10.9.0.53", {}, {}, "ok", ""),
        (
            True,
            False,
            "AmazonProvidedDNS",
            ENDPOINTS,
            {},
            "fail",
            f"enableDnsHostnames of {VPC} is off: EC2 refuses the endpoint of ecr.api",
        ),
        (
            True,
            False,
            "AmazonProvidedDNS",
            {},
            HOME,
            "warning",
            "EFS asks for it where its names are mounted",
        ),
    ],
)
def test_attributes(support, hostnames, servers, more, storage, status, words, judge):
    done = judge(
        more=more,
        storage=storage,
        DescribeVpcAttribute=attributes(support=support, hostnames=hostnames),
        DescribeDhcpOptions=dhcp(servers),
    )
    assert done.status == status, done.results
    if status != "ok":
        assert words in problem(done).message
        assert "modify-vpc-attribute" in problem(done).command


def test_the_command_switches_on_all_that_is_off(judge):
    done = judge(DescribeVpcAttribute=attributes(support=False, hostnames=False))
    start = f"aws ec2 modify-vpc-attribute --region us-east-2 --vpc-id {VPC}"
    assert problem(done).command == (
        f"{start} --enable-dns-support && {start} --enable-dns-hostnames"
    )


def test_an_attribute_that_aws_does_not_tell_is_unknown(judge):
    done = judge(DescribeVpcAttribute=attributes(support=None))
    assert problem(done).status == "unknown"


@pytest.mark.parametrize(
    ("servers", "more", "storage", "status"),
    [
        (("AmazonProvidedDNS",), ENDPOINTS, LUSTRE, "ok"),
        (("169.254.169.253",), ENDPOINTS, LUSTRE, "ok"),
        # Two above the VPC's own block; the block that was taken away no longer counts.
        (("10.0.0.2",), ENDPOINTS, LUSTRE, "ok"),
        (("100.64.0.2",), ENDPOINTS, LUSTRE, "warning"),
        (("AmazonProvidedDNS", "10.9.0.53"), ENDPOINTS, LUSTRE, "ok"),
        # The second is asked only when the first is silent.
        (("10.9.0.53", "AmazonProvidedDNS"), ENDPOINTS, {}, "warning"),
        (("10.9.0.53",), {}, LUSTRE, "warning"),
        (("10.9.0.53",), {}, existing_lustre(), "warning"),
        (("10.9.0.53",), {}, HOME, "warning"),
        # Only public names are asked for.
        (("10.9.0.53",), {}, {}, "ok"),
        ((), {}, {}, "warning"),
    ],
)
def test_dns_servers(servers, more, storage, status, judge):
    done = judge(more=more, storage=storage, DescribeDhcpOptions=dhcp(*servers))
    assert done.status == status, done.results
    if servers and status == "warning":
        assert f"ask DNS server {servers[0]} and not Amazon's" in problem(done).message


def test_a_further_block_of_the_vpc_has_no_dns_server(judge):
    vpc = copy.deepcopy(VPC_THERE)
    vpc["Vpcs"][0]["CidrBlockAssociationSet"][1]["CidrBlockState"]["State"] = "associated"
    told = {"DescribeVpcs": vpc, "DescribeDhcpOptions": dhcp("100.64.0.2")}
    assert problem(judge(storage=LUSTRE, **told)).status == "warning"


def test_which_names_another_server_must_know(judge):
    done = judge(
        more=ENDPOINTS, storage=LUSTRE | HOME, DescribeDhcpOptions=dhcp("10.9.0.53", "10.9.1.53")
    )
    assert problem(done).message == (
        f"nodes in {VPC} ask DNS server 10.9.0.53 and not Amazon's, for the names of interface "
        "endpoints and Lustre file systems and the home file system too"
    )


def without_options(options):
    vpc = copy.deepcopy(VPC_THERE)
    if options is None:
        del vpc["Vpcs"][0]["DhcpOptionsId"]
    else:
        vpc["Vpcs"][0]["DhcpOptionsId"] = options
    return {"DescribeVpcs": vpc}


def test_a_vpc_without_dhcp_options_names_no_server(judge):
    found = problem(judge(**without_options("default")))
    assert found.status == "warning"
    assert "name no DNS server" in found.message
    # Options that are none have no id to ask for.
    assert found.look == "aws ec2 describe-dhcp-options --region us-east-2"


@pytest.mark.parametrize(
    "told",
    [
        without_options(None),
        {"DescribeDhcpOptions": {"DhcpOptions": []}},
        {"DescribeDhcpOptions": Refusal("InvalidDhcpOptionID.NotFound")},
    ],
)
def test_options_that_the_account_does_not_see_are_unknown(told, judge):
    assert problem(judge(**told)).status == "unknown"


def test_a_vpc_that_is_not_there_leaves_the_subnet_judged(judge):
    done = judge(
        DescribeVpcs={"Vpcs": []},
        DescribeSubnets=subnet(MapPublicIpOnLaunch=True),
    )
    assert [result.status for result in done.results] == ["fail", "warning"]


@pytest.mark.parametrize(
    ("node_group", "public", "status"),
    [
        ({}, True, "warning"),
        ({"efa": {"layout": "all-efa"}}, True, "warning"),
        ({}, False, "ok"),
        # One interface may have a public address; these refuse it.
        ({"instance_type": "trn1.2xlarge"}, True, "ok"),
    ],
)
def test_public_addresses_and_several_interfaces(node_group, public, status, judge):
    done = judge(node_group=node_group, DescribeSubnets=subnet(MapPublicIpOnLaunch=public))
    assert done.status == status
    if status == "warning":
        assert f"{SUBNET} gives public addresses" in problem(done).message
        assert "nodes of this file refuse theirs" in problem(done).message
        # To switch them off would leave the nodes without a way out.
        assert problem(done).command is None
        assert problem(done).look == (
            "aws ec2 describe-subnets --region us-east-2 --filters "
            "Name=vpc-id,Values=vpc-0123456789abcdef0 Name=map-public-ip-on-launch,Values=false"
        )


@pytest.mark.parametrize(
    ("blocks", "status"),
    [
        (IPV6, "ok"),
        ([], "fail"),
        (
            [{"Ipv6CidrBlock": "2600:1f14::/64", "Ipv6CidrBlockState": {"State": "associating"}}],
            "fail",
        ),
    ],
)
def test_dual_stack_nodes_need_an_ipv6_block(blocks, status, judge):
    told = {"DescribeSubnets": subnet(Ipv6CidrBlockAssociationSet=blocks)}
    done = judge(more=DUALSTACK, **told)
    assert done.status == status
    if status == "fail":
        assert f"{SUBNET} has no IPv6 block, and nodes ask for an IPv6 address" in (
            problem(done).message
        )
    assert judge(**told).status == "ok"


def test_a_dual_stack_home_file_system_needs_one_in_its_own_subnet(judge):
    def of_nodes_alone(told, region):
        (wanted,) = told["SubnetIds"]
        blocks = IPV6 if wanted == SUBNET else []
        return subnet(SubnetId=wanted, Ipv6CidrBlockAssociationSet=blocks)

    storage = {"home_file_system": {"ip_address_type": "dualstack"}}
    done = judge(more=DUALSTACK, storage=storage, apart=True, DescribeSubnets=of_nodes_alone)
    assert problem(done).status == "fail"
    assert problem(done).path == ("network", "existing", "storage_subnet_id")
    assert judge(more=DUALSTACK, storage=storage, DescribeSubnets=of_nodes_alone).status == "ok"


@pytest.mark.parametrize(
    ("node_group", "status"),
    [({}, "warning"), ({"efa": {"layout": "all-efa"}}, "ok")],
)
def test_ipv6_addresses_that_efa_only_interfaces_cannot_take(node_group, status, judge):
    told = subnet(AssignIpv6AddressOnCreation=True, Ipv6CidrBlockAssociationSet=IPV6)
    done = judge(node_group=node_group, DescribeSubnets=told)
    assert done.status == status
