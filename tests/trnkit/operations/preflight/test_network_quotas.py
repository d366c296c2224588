"""Quotas of networks: to the last one, by zone, VPC and account, and what is there already."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.conftest import IMPORTED, make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, OWN, VPC, Refusal, subnet
from tests.trnkit.operations.preflight.situations import answers
from tests.trnkit.operations.preflight.situations.network_quotas import NETWORK, NOTHING, THERE
from trnkit.catalog import resource_quotas, service_quotas
from trnkit.layout.resource_counts import network_counts

OTHER = "123456789012"
OTHERS = [{"Key": "trnkit-cluster", "Value": "another"}]
AMPLE = 1_000_000.0
VPCS, EIPS, NATS = "L-F678F1CE", "L-0263D0A3", "L-FE5A380F"
INTERFACES, GROUPS = "L-DF5E4CA3", "L-E79EC296"
GATEWAY_ENDPOINTS, INTERFACE_ENDPOINTS = "L-1B52E74A", "L-29B6F2EB"
OWN_VPC = {"VpcId": "vpc-1", "OwnerId": ACCOUNT, "Tags": OWN}
CLUSTER = make_cluster(network=NETWORK)
NODES = 4
# With the network that has an endpoint: a NAT gateway, an endpoint, and the nodes' ENA interfaces.
PLAIN = NODES + 2
EFA_ONLY = NODES * 16


@pytest.fixture
def ask(ask):
    """Ask an account with little in its network."""
    told = answers() | THERE | {"DescribeVpcEndpoints": {"VpcEndpoints": []}}

    def run(name, cluster, **changes):
        return ask(name, cluster, told, **changes)

    run.sessions = ask.sessions
    return run


def allowing(**values):
    """Ample quotas, but for these."""
    named = {code.replace("_", "-"): value for code, value in values.items()}

    def answer(told, region):
        return {"Quota": {"Value": named.get(told["QuotaCode"], AMPLE)}}

    return {"GetServiceQuota": answer}


def limited(code, value):
    return allowing(**{code.replace("-", "_"): float(value)})


def the(done, words):
    """The one answer about something."""
    (result,) = [result for result in done.results if words in result.message]
    return result


def vpcs(*entries):
    each = {"OwnerId": ACCOUNT}
    return {"DescribeVpcs": {"Vpcs": [each | entry for entry in entries]}}


def addresses(*entries):
    each = {"AllocationId": "eipalloc-9", "Domain": "vpc", "PublicIpv4Pool": "amazon"}
    return {"DescribeAddresses": {"Addresses": [each | entry for entry in entries]}}


def gateways(*entries):
    each = {"NatGatewayId": "nat-9", "State": "available"}
    return {"DescribeNatGateways": {"NatGateways": [each | entry for entry in entries]}}


def groups(*entries):
    each = {"GroupId": "sg-9", "OwnerId": ACCOUNT, "VpcId": VPC}
    return {"DescribeSecurityGroups": {"SecurityGroups": [each | entry for entry in entries]}}


def interfaces(*entries):
    each = {"NetworkInterfaceId": "eni-9", "OwnerId": ACCOUNT, "VpcId": VPC}
    told = [each | {"InterfaceType": "interface"} | entry for entry in entries]
    return {"DescribeNetworkInterfaces": {"NetworkInterfaces": told}}


def endpoints(*entries):
    each = {
        "VpcEndpointId": "vpce-9",
        "VpcId": VPC,
        "ServiceName": "com.amazonaws.us-east-2.s3",
        "OwnerId": ACCOUNT,
        "State": "available",
    }
    return {"DescribeVpcEndpoints": {"VpcEndpoints": [each | entry for entry in entries]}}


NAT_SUBNET = {"SubnetId": "subnet-0123456789abcdef0"}

# What there is, the quota, the words of its answer, and how much of the quota is needed then.
SITUATIONS = {
    "no VPC": (vpcs(), VPCS, "takes 1 VPC", 1),
    "a VPC": (vpcs({"VpcId": "vpc-2"}), VPCS, "takes 1 VPC", 2),
    "another cluster's VPC": (vpcs({"VpcId": "vpc-2", "Tags": OTHERS}), VPCS, "takes 1 VPC", 2),
    "a VPC that is shared": (vpcs({"VpcId": "vpc-2", "OwnerId": OTHER}), VPCS, "takes 1 VPC", 1),
    "no address": (addresses(), EIPS, "Elastic IP", 1),
    "two addresses": (addresses({}, {}), EIPS, "Elastic IP", 3),
    "an address without a pool": (addresses({"PublicIpv4Pool": "amazon"}), EIPS, "Elastic IP", 2),
    "no NAT gateway": (gateways(), NATS, "NAT", 1),
    "a NAT gateway of the zone": (gateways(NAT_SUBNET), NATS, "NAT", 2),
    "one of another zone": (gateways({"SubnetId": "subnet-1"}), NATS, "NAT", 1),
    "no group": (groups(), GROUPS, "security group", 3),
    "a group": (groups({}), GROUPS, "security group", 4),
    "another account's group": (groups({"OwnerId": OTHER}), GROUPS, "security group", 3),
    "no endpoint": (endpoints(), GATEWAY_ENDPOINTS, "gateway endpoint", 1),
    "a gateway endpoint": (
        endpoints({"VpcEndpointType": "Gateway"}),
        GATEWAY_ENDPOINTS,
        "gateway endpoint",
        2,
    ),
    "an interface endpoint is none": (
        endpoints({"VpcEndpointType": "Interface"}),
        GATEWAY_ENDPOINTS,
        "gateway endpoint",
        1,
    ),
    "a deleted endpoint": (
        endpoints({"VpcEndpointType": "Gateway", "State": "deleted"}),
        GATEWAY_ENDPOINTS,
        "gateway endpoint",
        1,
    ),
    "an endpoint of another VPC": (
        endpoints({"VpcEndpointType": "Interface"}),
        INTERFACE_ENDPOINTS,
        "interface endpoint",
        1,
    ),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_exactly_met_passes_and_one_less_fails(name, ask):
    told, code, words, needed = SITUATIONS[name]
    enough = the(ask("network-quotas", CLUSTER, **told, **limited(code, needed)), words)
    assert (enough.status, enough.command) == ("ok", None)
    assert f"{needed} of {needed} with all else" in enough.message
    short = the(ask("network-quotas", CLUSTER, **told, **limited(code, needed - 1)), words)
    assert short.status == "fail"
    assert short.message.endswith("left: 1 too few")
    assert short.remedy == "ask AWS for a larger quota"
    assert short.command.endswith(f"--quota-code {code} --desired-value {needed}")


@pytest.mark.parametrize(
    ("of_nodes", "status", "words"),
    [
        (PLAIN + EFA_ONLY, "ok", f"{PLAIN} of {PLAIN + EFA_ONLY} with all else"),
        (
            PLAIN + EFA_ONLY - 1,
            "warning",
            "only if AWS does not count 64 network interfaces (EFA-only)",
        ),
        (PLAIN, "warning", "only if AWS does not count 64 network interfaces (EFA-only)"),
        (PLAIN - 1, "fail", f"{PLAIN - 1} left: 1 too few"),
    ],
)
def test_interfaces_without_addresses_count_as_perhaps(of_nodes, status, words, ask):
    done = ask("network-quotas", CLUSTER, **limited(INTERFACES, of_nodes))
    result = the(done, "network interface")
    assert (result.status, result.path) == (status, ("compute", "node_groups"))
    assert words in result.message
    if status != "ok":
        assert result.command.endswith(f"--desired-value {PLAIN + EFA_ONLY}")


def test_a_hundred_nodes_with_addresses_on_every_interface(ask):
    cluster = make_cluster(
        {"count": 60, "efa": {"layout": "all-efa"}}, {"count": 40, "efa": {"layout": "all-efa"}}
    )
    needed = 100 * 16 + 1
    enough = ask("network-quotas", cluster, **limited(INTERFACES, needed))
    short = ask("network-quotas", cluster, **limited(INTERFACES, needed - 1))
    assert the(enough, "network interface").status == "ok"
    assert the(short, "network interface").message == (
        "the cluster takes 1601 network interfaces in use2-az3, and the quota has 1600 left: 1 too "
        "few"
    )


@pytest.mark.parametrize(
    ("there", "certain", "perhaps"),
    [
        (interfaces(), PLAIN, EFA_ONLY),
        (interfaces({}), PLAIN + 1, EFA_ONLY),
        (interfaces({"InterfaceType": "efa-only"}), PLAIN, EFA_ONLY + 1),
        (interfaces({"OwnerId": OTHER}), PLAIN, EFA_ONLY + 1),
        (interfaces({"TagSet": OTHERS}), PLAIN + 1, EFA_ONLY),
        # Of the cluster's: a node's, which are no more than are wanted.
        (interfaces({"TagSet": OWN}), PLAIN, EFA_ONLY),
        (interfaces({"TagSet": OWN, "InterfaceType": "efa-only"}), PLAIN, EFA_ONLY),
        # What NAT gateways and endpoints make in the cluster's VPC has no tag.
        (interfaces({"VpcId": "vpc-1", "InterfaceType": "nat_gateway"}), PLAIN, EFA_ONLY),
    ],
)
def test_interfaces_that_are_there(there, certain, perhaps, ask):
    told = vpcs(OWN_VPC) | there
    for limit, status in [
        (certain + perhaps, "ok"),
        (certain + perhaps - 1, "warning"),
        (certain, "warning"),
        (certain - 1, "fail"),
    ]:
        done = ask("network-quotas", CLUSTER, **told, **limited(INTERFACES, limit))
        assert the(done, "network interface").status == status, limit


def test_only_interfaces_of_the_nodes_zone_are_asked_for(ask):
    seen = []

    def answer(told, region):
        seen.append(told["Filters"])
        return {"NetworkInterfaces": []}

    ask("network-quotas", CLUSTER, DescribeNetworkInterfaces=answer)
    assert seen == [[{"Name": "availability-zone", "Values": ["us-east-2b"]}]]


def test_only_nat_gateways_that_count_and_subnets_of_the_zone_are_asked_for(ask):
    seen = {}

    def nat(told, region):
        seen["nat"] = told["Filter"]
        return {"NatGateways": []}

    def subnets(told, region):
        seen["subnets"] = told["Filters"]
        return subnet()

    ask("network-quotas", CLUSTER, DescribeNatGateways=nat, DescribeSubnets=subnets)
    states = ["pending", "available", "deleting"]
    assert seen["nat"] == [{"Name": "state", "Values": states}]
    assert seen["subnets"] == [{"Name": "availability-zone-id", "Values": ["use2-az3"]}]


@pytest.mark.parametrize(
    ("told", "code", "words", "needed", "why"),
    [
        (
            addresses({"PublicIpv4Pool": "ipv4pool-ec2-1"}),
            EIPS,
            "Elastic IP",
            1,
            "1 Elastic IP address (of other pools or of services)",
        ),
        (addresses({"ServiceManaged": "rnat"}), EIPS, "Elastic IP", 1, "of services"),
        (gateways({"AvailabilityMode": "regional"}), NATS, "NAT", 1, "of all zones at once"),
        (
            endpoints({"VpcEndpointType": "Gateway", "State": "failed"}),
            GATEWAY_ENDPOINTS,
            "gateway endpoint",
            1,
            "1 gateway endpoint (failed, expired or rejected)",
        ),
    ],
)
def test_what_may_not_count_is_a_warning_when_it_decides(told, code, words, needed, why, ask):
    short = the(ask("network-quotas", CLUSTER, **told, **limited(code, needed)), words)
    enough = the(ask("network-quotas", CLUSTER, **told, **limited(code, needed + 1)), words)
    less = the(ask("network-quotas", CLUSTER, **told, **limited(code, needed - 1)), words)
    assert (less.status, short.status, enough.status) == ("fail", "warning", "ok")
    assert why in short.message
    assert short.command.endswith(f"--desired-value {needed + 1}")


def test_a_cluster_that_is_there_needs_nothing_more(ask):
    endpoint = {"VpcId": "vpc-1", "Tags": OWN}
    node = [{"TagSet": OWN}] * NODES + [{"TagSet": OWN, "InterfaceType": "efa-only"}] * EFA_ONLY
    service = [{"VpcId": "vpc-1"}] * 2
    told = (
        vpcs(OWN_VPC)
        | addresses({"Tags": OWN})
        | gateways({"Tags": OWN, **NAT_SUBNET})
        | groups({"Tags": OWN}, {"Tags": OWN}, {"VpcId": "vpc-1", "GroupName": "default"})
        | endpoints(
            endpoint | {"VpcEndpointType": "Gateway"}, endpoint | {"VpcEndpointType": "Interface"}
        )
        | interfaces(*node, *service)
    )
    done = ask(
        "network-quotas", CLUSTER, **told, **dict.fromkeys(["GetServiceQuota"], Refusal("x"))
    )
    assert done.status == "ok"
    assert [result.message for result in done.results] == [
        "the cluster has its 1 VPC already",
        "the cluster has its 1 Elastic IP address already",
        "the cluster has its 1 NAT gateway in use2-az3 already",
        "the cluster has its 1 gateway endpoint already",
        "the cluster has its 1 interface endpoint in its VPC already",
        "the cluster has its 3 security groups already",
        "the cluster has its 70 network interfaces in use2-az3 already",
    ]


def test_an_update_that_adds_nodes_asks_for_these_alone(ask):
    cluster = make_cluster({"count": 6, "efa": {"interfaces": 0}})
    there = vpcs(OWN_VPC) | interfaces(*[{"TagSet": OWN}] * 4, {"VpcId": "vpc-1"}, {}, {})
    enough = ask("network-quotas", cluster, **there, **limited(INTERFACES, 9))
    short = ask("network-quotas", cluster, **there, **limited(INTERFACES, 8))
    assert the(enough, "network interface").status == "ok"
    result = the(short, "network interface")
    assert "takes 2 more network interfaces in use2-az3, and the quota has 1 left" in result.message
    assert "2 network interfaces in use2-az3 beside this cluster and 5 network" in result.evidence


def test_endpoints_of_an_existing_vpc_add_to_those_there(ask):
    cluster = make_cluster(network=IMPORTED | {"interface_endpoints": ["ecr.api", "ecr.dkr"]})
    there = endpoints(
        {"VpcEndpointType": "Interface"},
        {"VpcEndpointType": "GatewayLoadBalancer", "OwnerId": OTHER},
        {"VpcEndpointType": "Gateway"},
        {"VpcEndpointType": "Interface", "VpcId": "vpc-2"},
    )
    enough = ask("network-quotas", cluster, **there, **limited(INTERFACE_ENDPOINTS, 4))
    short = ask("network-quotas", cluster, **there, **limited(INTERFACE_ENDPOINTS, 3))
    assert the(enough, "interface endpoint").status == "ok"
    assert the(short, "interface endpoint").status == "fail"


def test_an_existing_vpc_is_asked_about_no_more_than_it_gets(ask):
    more = {"security_group_id": "sg-0123456789abcdef0"}
    cluster = make_cluster(network={"existing": IMPORTED["existing"] | more})
    assert network_counts(cluster).security_groups == 0
    done = ask("network-quotas", cluster)
    assert [result.path for result in done.results] == [("compute", "node_groups")]
    asked = {name for _, name, _ in ask.sessions[0].asked}
    assert not asked & {"DescribeAddresses", "DescribeNatGateways", "DescribeSecurityGroups"}


def test_services_interfaces_in_an_existing_vpc_may_be_there_already(ask):
    cluster = make_cluster(
        {"efa": {"interfaces": 0}}, network=IMPORTED | {"interface_endpoints": ["ecr.api"]}
    )
    short = the(ask("network-quotas", cluster, **limited(INTERFACES, NODES)), "network interface")
    assert short.status == "warning"
    assert "not count 1 network interface (of services in the VPC)" in short.message


def test_an_account_without_values_of_its_own_has_aws_s_defaults(ask):
    told = {
        "GetServiceQuota": Refusal("NoSuchResourceException"),
        "GetAWSDefaultServiceQuota": {"Quota": {"Value": 5.0}},
    }
    result = the(
        ask("network-quotas", CLUSTER, **told, **vpcs(*[{"VpcId": "v"}] * 5)), "takes 1 VPC"
    )
    assert result.status == "fail"
    assert result.message == "the cluster takes 1 VPC, and the quota has 0 left: 1 too few"
    assert result.evidence == (
        "VPCs per Region (L-F678F1CE) in us-east-2: 5 VPCs, AWS's default; 5 VPCs beside this "
        "cluster"
    )
    assert result.command == (
        "aws service-quotas request-service-quota-increase --region us-east-2 --service-code vpc "
        "--quota-code L-F678F1CE --desired-value 6"
    )


def test_a_quota_that_the_region_does_not_know_is_said_by_name_with_what_the_cluster_takes(ask):
    missing = Refusal("NoSuchResourceException")
    told = {"GetServiceQuota": missing, "GetAWSDefaultServiceQuota": missing}
    done = ask("network-quotas", CLUSTER, **told)
    result = the(done, "takes 1 VPC")
    assert result.status == "unknown"
    assert result.message == (
        "the cluster takes 1 VPC, and Service Quotas in us-east-2 knows no quota L-F678F1CE, "
        "`VPCs per Region`; AWS documents 5 VPCs as default"
    )
    assert result.remedy == "look it up by its name, and ask AWS Support when this prints nothing"
    assert result.look == (
        "aws service-quotas list-service-quotas --region us-east-2 --service-code vpc --query "
        "\"Quotas[?QuotaName=='VPCs per Region'].[QuotaCode,Value]\" --output text"
    )
    # Each quota is another question.
    assert len({result.message for result in done.results}) == len(done.results)


def test_no_name_of_a_quota_ends_the_text_of_a_command():
    names = [quota.name for quota in (*resource_quotas(), *service_quotas())]
    assert [name for name in names if set(name) & set("'\"`$\\!")] == []


@pytest.mark.parametrize(("applied", "status"), [(6.0, "ok"), (5.0, "fail"), (2.0, "fail")])
def test_the_account_s_value_counts_above_and_below_the_default(applied, status, ask):
    default = {"GetAWSDefaultServiceQuota": {"Quota": {"Value": 5.0}}}
    there = vpcs(*[{"VpcId": "v"}] * 5)
    done = ask("network-quotas", CLUSTER, **default, **there, **limited(VPCS, applied))
    result = the(done, "takes 1 VPC")
    assert result.status == status
    assert "the account's value" in result.evidence


def test_more_than_the_quota_allows_is_there_already(ask):
    there = vpcs(*[{"VpcId": "v"}] * 5)
    done = ask("network-quotas", CLUSTER, **there, **limited(VPCS, 3))
    assert the(done, "takes 1 VPC").message == (
        "the cluster takes 1 VPC, and of the quota's 3 already 5 are used: 3 too few"
    )


def test_a_quota_whose_value_aws_cannot_tell_is_unknown_and_the_others_are_answered(ask):
    reason = {"ErrorCode": "SERVICE_QUOTA_NOT_AVAILABLE_ERROR", "ErrorMessage": "not available"}

    def answer(told, region):
        known = told["QuotaCode"] != NATS
        return {"Quota": {"Value": AMPLE} if known else {"ErrorReason": reason}}

    done = ask("network-quotas", CLUSTER, GetServiceQuota=answer)
    assert [result.status for result in done.results].count("unknown") == 1
    result = the(done, "NAT gateways per Availability Zone (L-FE5A380F) in us-east-2")
    assert result.look == (
        "aws service-quotas get-service-quota --region us-east-2 --service-code vpc --quota-code "
        "L-FE5A380F"
    )
    assert result.message.startswith("the cluster takes 1 NAT gateway in use2-az3, and AWS could")


@pytest.mark.parametrize(
    ("limit", "status", "words"),
    [
        (AMPLE, "unknown", "nobody knows how many network interfaces trn9.48xlarge has"),
        (4.0, "fail", "1 too few"),
    ],
)
def test_a_type_that_nobody_knows(limit, status, words, ask):
    cluster = make_cluster({"instance_type": "trn9.48xlarge"})
    done = ask("network-quotas", cluster, **limited(INTERFACES, limit))
    assert done.status == status
    assert words in the(done, "network interface").message


def test_a_zone_that_the_account_does_not_see_is_unknown(ask):
    cluster = make_cluster(network={"availability_zone_id": "use2-az9"})
    done = ask("network-quotas", cluster)
    assert "this account sees no zone use2-az9" in the(done, "network interfaces").message
    assert the(done, "network interfaces").status == "unknown"
    assert the(done, "network interfaces").remedy == (
        "name a zone of the Region in `network.availability_zone_id`"
    )
    existing = IMPORTED["existing"] | {"availability_zone_id": "use2-az9"}
    imported = ask("network-quotas", make_cluster(network={"existing": existing}))
    assert the(imported, "network interfaces").remedy == (
        "name a zone of the Region in `network.existing.availability_zone_id`"
    )


def test_no_account_id_that_aws_told_is_repeated(ask):
    told = interfaces({"OwnerId": OTHER}) | vpcs({"VpcId": "vpc-2", "OwnerId": OTHER})
    done = ask("network-quotas", CLUSTER, **told, **limited(INTERFACES, PLAIN))
    words = [f"{result.message} {result.evidence} {result.command}" for result in done.results]
    assert not [text for text in words if OTHER in text or ACCOUNT in text]


def test_an_account_that_has_nothing_has_room_by_the_documented_defaults(ask):
    told = {"GetServiceQuota": {"Quota": {"Value": 5.0}}} | NOTHING
    cluster = make_cluster({"count": 1, "efa": {"interfaces": 0}})
    assert ask("network-quotas", cluster, **told).status == "ok"
