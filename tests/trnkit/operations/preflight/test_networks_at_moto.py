"""Checks on existing networks against networks that moto keeps, changed through EC2's own API."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from moto import mock_aws

from trnkit.aws.session import AwsSession
from trnkit.config import ClusterConfig
from trnkit.operations.preflight.account import AccountView
from trnkit.operations.preflight.check import list_checks
from trnkit.operations.preflight.running import run_checks

REGION = "us-east-2"
CHECKS = ("subnets", "ways-out", "network-acls", "security-groups", "vpc-settings")
ALL_CHECKS = (*CHECKS, "endpoint-policies")


@dataclass(frozen=True)
class Network:
    """A VPC with a private subnet for nodes and one for file systems.

    Attributes:
        ec2: A client.
        vpc_id: The VPC.
        compute: The nodes' subnet.
        storage: The file systems'.
        table_id: The route table of both.
    """

    ec2: Any
    vpc_id: str
    compute: str
    storage: str
    table_id: str

    @property
    def existing(self):
        return {
            "vpc_id": self.vpc_id,
            "compute_subnet_id": self.compute,
            "storage_subnet_id": self.storage,
            "availability_zone_id": "use2-az3",
        }

    def new_group(self, name):
        told = self.ec2.create_security_group(GroupName=name, Description=name, VpcId=self.vpc_id)
        return told["GroupId"]

    def admit_itself(self, group_id, *, egress):
        peers = [{"GroupId": group_id}]
        verb = self.ec2.authorize_security_group_egress if egress else (
            self.ec2.authorize_security_group_ingress
        )  # fmt: skip
        verb(GroupId=group_id, IpPermissions=[{"IpProtocol": "-1", "UserIdGroupPairs": peers}])

    def own_acl(self, subnet_id):
        """Give a subnet an ACL of its own, which refuses everything, as EC2 makes them."""
        acl_id = self.ec2.create_network_acl(VpcId=self.vpc_id)["NetworkAcl"]["NetworkAclId"]
        (old,) = self.ec2.describe_network_acls(
            Filters=[{"Name": "association.subnet-id", "Values": [subnet_id]}]
        )["NetworkAcls"]
        (association,) = [a for a in old["Associations"] if a["SubnetId"] == subnet_id]
        self.ec2.replace_network_acl_association(
            AssociationId=association["NetworkAclAssociationId"], NetworkAclId=acl_id
        )
        return acl_id

    def entry(self, acl_id, number, action, ports, cidr, *, egress):
        self.ec2.create_network_acl_entry(
            NetworkAclId=acl_id,
            RuleNumber=number,
            Protocol="6",
            RuleAction=action,
            Egress=egress,
            CidrBlock=cidr,
            PortRange={"From": ports[0], "To": ports[1]},
        )


@pytest.fixture(scope="module", autouse=True)
def session():
    """One account for all tests, each with a VPC of its own: models of EC2 take long to read."""
    with mock_aws():
        yield AwsSession()


@pytest.fixture
def ec2(session):
    return session.client("ec2", REGION)


@pytest.fixture
def net(ec2):
    """A network in which all is well."""
    vpc_id = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc_id, EnableDnsHostnames={"Value": True})
    options = ec2.create_dhcp_options(
        DhcpConfigurations=[{"Key": "domain-name-servers", "Values": ["AmazonProvidedDNS"]}]
    )["DhcpOptions"]["DhcpOptionsId"]
    ec2.associate_dhcp_options(DhcpOptionsId=options, VpcId=vpc_id)
    zones = ec2.describe_availability_zones()["AvailabilityZones"]
    (zone,) = [zone["ZoneName"] for zone in zones if zone["ZoneId"] == "use2-az3"]
    subnets = [
        ec2.create_subnet(VpcId=vpc_id, CidrBlock=block, AvailabilityZone=zone)["Subnet"][
            "SubnetId"
        ]
        for block in ("10.0.64.0/20", "10.0.4.0/24")
    ]
    (table,) = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])[
        "RouteTables"
    ]
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    gateway = ec2.create_nat_gateway(SubnetId=subnets[1], AllocationId=address)["NatGateway"]
    ec2.create_route(
        RouteTableId=table["RouteTableId"],
        DestinationCidrBlock="0.0.0.0/0",
        NatGatewayId=gateway["NatGatewayId"],
    )
    return Network(ec2, vpc_id, *subnets, table["RouteTableId"])


@pytest.fixture
def judge(session):
    """Ask some checks; returns what became of each, by name."""
    return partial(ask, session)


def ask(session, existing, *names, network=None, storage=None):
    cluster = ClusterConfig(
        name="pretrain",
        region=REGION,
        account="123456789012",
        network={"existing": existing} | (network or {}),
        compute={"node_groups": [{"name": "train", "instance_type": "trn2.48xlarge", "count": 4}]},
        storage=storage or {},
        budget={"limit_usd": 100.0, "emails": ["a@example.com"]},
    )
    checks = [check for check in list_checks() if check.name in names]
    runs = run_checks(checks, AccountView(cluster, session), most_seconds=60)
    return {run.check.name: run for run in runs}


def messages(run):
    return [result.message for result in run.results if result.status != "ok"]


LUSTRE = {"lustre_file_systems": [{"name": "fsx", "storage_capacity_gib": 1200}]}


def test_a_network_in_which_all_is_well(net, judge):
    found = judge(net.existing, *ALL_CHECKS, storage=LUSTRE)
    assert {name: run.status for name, run in found.items()} == dict.fromkeys(ALL_CHECKS, "ok")


def test_the_default_vpc_fails(ec2, judge):
    (vpc,) = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"]
    subnets = ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [vpc["VpcId"]]}])
    subnet = subnets["Subnets"][0]
    existing = {
        "vpc_id": vpc["VpcId"],
        "compute_subnet_id": subnet["SubnetId"],
        "availability_zone_id": subnet["AvailabilityZoneId"],
    }
    found = judge(existing, *ALL_CHECKS)
    statuses = {name: run.status for name, run in found.items()}
    assert statuses["ways-out"] == "fail"
    # The launch templates refuse public addresses themselves, so that EC2 starts the nodes.
    assert statuses["vpc-settings"] == "warning"
    assert any(
        f"{subnet['SubnetId']} gives public addresses" in message
        for message in messages(found["vpc-settings"])
    )
    assert statuses["network-acls"] == statuses["subnets"] == "ok"
    # As AWS makes it: with a route to an internet gateway, which private addresses do not use.
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc["VpcId"])
    (table,) = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc["VpcId"]]}])[
        "RouteTables"
    ]
    ec2.create_route(
        RouteTableId=table["RouteTableId"],
        DestinationCidrBlock="0.0.0.0/0",
        GatewayId=gateway,
    )
    (ways_out,) = judge(existing, "ways-out").values()
    assert ways_out.status == "fail"
    assert "nodes have no public address" in ways_out.results[0].message


def test_a_rule_to_everywhere_is_no_self_rule(net, judge):
    group_id = net.new_group("nodes")
    net.admit_itself(group_id, egress=False)
    existing = net.existing | {"security_group_id": group_id}
    (run,) = judge(existing, "security-groups").values()
    assert run.status == "fail"
    assert messages(run) == [
        f"{group_id} has no rule for all traffic out to itself, so that EFA does not work; rules "
        "over address blocks, 0.0.0.0/0 too, do not count"
    ]
    net.admit_itself(group_id, egress=True)
    (run,) = judge(existing, "security-groups").values()
    assert run.status == "ok"


def test_a_group_that_is_the_second_of_two_peers(net, judge):
    group_id, other = net.new_group("nodes"), net.new_group("other")
    peers = [{"GroupId": other}, {"GroupId": group_id}]
    both = [{"IpProtocol": "-1", "UserIdGroupPairs": peers}]
    net.ec2.authorize_security_group_ingress(GroupId=group_id, IpPermissions=both)
    net.ec2.authorize_security_group_egress(GroupId=group_id, IpPermissions=both)
    existing = net.existing | {"security_group_id": group_id}
    (run,) = judge(existing, "security-groups").values()
    assert run.status == "ok", run.results


def test_an_acl_of_the_file_systems_subnet_that_refuses_lustre(net, judge):
    acl_id = net.own_acl(net.storage)
    nodes = "10.0.64.0/20"
    (run,) = judge(net.existing, "network-acls", storage=LUSTRE).values()
    assert run.status == "fail"
    assert messages(run) == [
        f"{acl_id} of {net.storage} lets no TCP 988 and 1018-1023 {way} {nodes}, no entry allows "
        "it: nodes cannot mount file system fsx"
        for way in ("in from", "out to")
    ]
    # Without file systems there, nobody asks it.
    (run,) = judge(net.existing, "network-acls").values()
    assert run.status == "ok"
    for egress in (True, False):
        net.entry(acl_id, 100, "allow", (988, 1023), nodes, egress=egress)
    (run,) = judge(net.existing, "network-acls", storage=LUSTRE).values()
    assert run.status == "ok", run.results
    net.entry(acl_id, 90, "deny", (988, 988), "10.0.0.0/16", egress=False)
    (run,) = judge(net.existing, "network-acls", storage=LUSTRE).values()
    assert messages(run) == [
        f"{acl_id} of {net.storage} lets no TCP 988 in from {nodes}, entry 90 denies it: nodes "
        "cannot mount file system fsx"
    ]


def test_an_acl_of_the_nodes_subnet_without_a_way_back(net, judge):
    acl_id = net.own_acl(net.compute)
    net.entry(acl_id, 100, "allow", (443, 443), "0.0.0.0/0", egress=True)
    (run,) = judge(net.existing, "network-acls").values()
    assert [message.partition(",")[0] for message in messages(run)] == [
        f"{acl_id} of {net.compute} lets no TCP 32768-60999 in from public addresses"
    ]
    net.entry(acl_id, 110, "allow", (1024, 65535), "0.0.0.0/0", egress=False)
    (run,) = judge(net.existing, "network-acls").values()
    assert run.status == "ok"


def test_a_vpc_whose_hosts_have_no_names(net, judge):
    made = {"interface_endpoints": ["ecr.api"]}
    assert judge(net.existing, "vpc-settings", network=made)["vpc-settings"].status == "ok"
    net.ec2.modify_vpc_attribute(VpcId=net.vpc_id, EnableDnsHostnames={"Value": False})
    (run,) = judge(net.existing, "vpc-settings", network=made).values()
    assert run.status == "fail"
    assert judge(net.existing, "vpc-settings")["vpc-settings"].status == "ok"
    net.ec2.modify_vpc_attribute(VpcId=net.vpc_id, EnableDnsSupport={"Value": False})
    (run,) = judge(net.existing, "vpc-settings").values()
    assert "nodes resolve no name at all" in messages(run)[0]


def test_a_dns_server_of_the_office(net, judge):
    options = net.ec2.create_dhcp_options(
        DhcpConfigurations=[{"Key": "domain-name-servers", "Values": ["10.9.0.53"]}]
    )["DhcpOptions"]["DhcpOptionsId"]
    net.ec2.associate_dhcp_options(DhcpOptionsId=options, VpcId=net.vpc_id)
    (run,) = judge(net.existing, "vpc-settings", storage=LUSTRE).values()
    assert run.status == "warning"
    assert "ask DNS server 10.9.0.53 and not Amazon's" in messages(run)[0]


def test_ipv6_that_the_subnet_does_not_have(net, judge):
    (run,) = judge(net.existing, "vpc-settings", network={"ip_address_type": "dualstack"}).values()
    assert messages(run) == [f"{net.compute} has no IPv6 block, and nodes ask for an IPv6 address"]


def test_the_policy_of_s3_s_gateway_endpoint(net, judge):
    def put(document):
        net.ec2.modify_vpc_endpoint(VpcEndpointId=made, PolicyDocument=json.dumps(document))

    made = net.ec2.create_vpc_endpoint(
        VpcId=net.vpc_id,
        ServiceName=f"com.amazonaws.{REGION}.s3",
        VpcEndpointType="Gateway",
        RouteTableIds=[net.table_id],
    )["VpcEndpoint"]["VpcEndpointId"]
    assert judge(net.existing, "endpoint-policies")["endpoint-policies"].status == "ok"
    corporate = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": ["arn:aws:s3:::corporate/*"],
    }
    put({"Version": "2012-10-17", "Statement": [corporate]})
    (run,) = judge(net.existing, "endpoint-policies").values()
    assert run.status == "fail"
    assert messages(run) == [
        f"the policy of {made} (s3) refuses s3:GetObject to nodes, no statement allows it: nodes "
        "cannot fetch their boot scripts, and are replaced forever"
    ]
    corporate["Resource"].append(f"arn:aws:s3:::cdk-hnb659fds-assets-123456789012-{REGION}/*")
    put({"Version": "2012-10-17", "Statement": [corporate]})
    assert judge(net.existing, "endpoint-policies")["endpoint-policies"].status == "ok"


def test_an_endpoint_that_does_not_let_the_nodes_in(net, judge):
    group_id = net.new_group("endpoints")
    made = net.ec2.create_vpc_endpoint(
        VpcId=net.vpc_id,
        ServiceName=f"com.amazonaws.{REGION}.autoscaling",
        VpcEndpointType="Interface",
        SubnetIds=[net.storage],
        SecurityGroupIds=[group_id],
        PrivateDnsEnabled=True,
    )["VpcEndpoint"]["VpcEndpointId"]
    (run,) = judge(net.existing, "endpoint-policies").values()
    assert run.status == "fail"
    assert messages(run)[0].startswith(
        f"{group_id} of {made} (autoscaling) let TCP 443 in from no node"
    )
    allowed = net.ec2.create_managed_prefix_list(
        PrefixListName="nodes",
        Entries=[{"Cidr": "10.0.0.0/16"}],
        MaxEntries=2,
        AddressFamily="IPv4",
    )["PrefixList"]["PrefixListId"]
    net.ec2.authorize_security_group_ingress(
        GroupId=group_id,
        IpPermissions=[
            {
                "IpProtocol": "tcp",
                "FromPort": 443,
                "ToPort": 443,
                "PrefixListIds": [{"PrefixListId": allowed}],
            }
        ],
    )
    assert judge(net.existing, "endpoint-policies")["endpoint-policies"].status == "ok"


def test_a_group_that_somebody_else_keeps_for_a_file_system(net, judge):
    servers, nodes = net.new_group("servers"), net.new_group("nodes")
    for egress in (True, False):
        net.admit_itself(nodes, egress=egress)
    existing = net.existing | {"security_group_id": nodes}
    lustre = {
        "name": "corpus",
        "file_system_id": "fs-0123456789abcdef0",
        "mount_name": "abcdefgh",
        "mount_path": "/corpus",
        "security_group_id": servers,
        "change_security_group": False,
    }
    storage = {"existing_lustre_file_systems": [lustre]}
    (run,) = judge(existing, "security-groups", storage=storage).values()
    closed = f"{servers} does not let TCP 988 and 1018-1023 in from the nodes"
    assert any(message.startswith(closed) for message in messages(run))
    peers = [{"GroupId": nodes}]
    net.ec2.authorize_security_group_ingress(
        GroupId=servers,
        IpPermissions=[
            {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 1023, "UserIdGroupPairs": peers}
        ],
    )
    (run,) = judge(existing, "security-groups", storage=storage).values()
    # What is left: the account has no file system of this id.
    assert [result.status for result in run.results] == ["unknown"]
    assert "does not see the network interfaces of fs-0123456789abcdef0" in messages(run)[0]
