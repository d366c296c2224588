"""Networks that went wrong for real people, each beside the nearest one that is right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_cluster, judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, group, nodes, security_group, subnet, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
IDS = "vpc_id: vpc-0123456789abcdef0, compute_subnet_id: subnet-0123456789abcdef0, availability_zone_id: use2-az3"
OWN_GROUP = "security_group_id: sg-0123456789abcdef0"
FSX = "\nstorage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200}]}"
TABLES = "route_table_ids: [rtb-0123456789abcdef0]"
UBUNTU = "image: {ssm_parameter: /aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id}"
AMAZON = "image: {ssm_parameter: /aws/service/neuron/dlami/base/amazon-linux-2023/latest/image_id}"
FIXED = "image: {ami_id: ami-0123456789abcdef0}"
ISOLATED = "network: {nat_gateway: false}"


def existing(more: str = "", beside: str = "") -> str:
    inner = f"{IDS}, {more}" if more else IDS
    return f"network: {{{beside + ', ' if beside else ''}existing: {{{inner}}}}}"


def own(text: str) -> str:
    return f"network: {{{text}}}"


def count(number: int, more: str = "") -> str:
    return f"\ncompute: {{node_groups: [{{name: train, instance_type: trn2.48xlarge, count: {number}{', ' + more if more else ''}}}]}}"


def endpoints(number: int) -> str:
    return f"interface_endpoints: [{', '.join(f'service{n}' for n in range(number))}]"


# Case or number, rule, cluster, severities of that rule's findings.
TABLE: list[tuple[str, str, str, list[str]]] = [
    ("NET-06 zone of an existing subnet", "TRN102", existing(), []),
    ("NET-06 zone name of an existing subnet", "TRN102", existing().replace("use2-az3", "us-east-2c"), E),
    ("NET-06 zone without the type", "TRN102", "region: us-east-1\n" + existing().replace("use2-az3", "use1-az1"), E),
    ("second block, 251 of 251", "TRN103", own("vpc_cidr: 10.0.0.0/22, secondary_cidr: 100.64.0.0/24") + count(251), []),
    ("second block, 252 of 251", "TRN103", own("vpc_cidr: 10.0.0.0/22, secondary_cidr: 100.64.0.0/24") + count(252), E),
    ("second block makes room", "TRN103", own("vpc_cidr: 10.0.0.0/22, secondary_cidr: 100.64.0.0/20") + count(1024), []),
    ("existing, 11 of 11", "TRN103", existing("compute_subnet_cidr: 10.0.0.0/28") + count(11), []),
    ("existing, 12 of 11", "TRN103", existing("compute_subnet_cidr: 10.0.0.0/28") + count(12), E),
    ("existing, 9 nodes and 2 endpoints", "TRN103", existing("compute_subnet_cidr: 10.0.0.0/28", "interface_endpoints: [ssm, ecr.api]") + count(9), []),
    ("existing, 10 nodes and 2 endpoints", "TRN103", existing("compute_subnet_cidr: 10.0.0.0/28", "interface_endpoints: [ssm, ecr.api]") + count(10), E),
    ("existing, 10 nodes and Lustre", "TRN103", existing("compute_subnet_cidr: 10.0.0.0/28") + count(10) + FSX, []),
    ("existing, 11 nodes and Lustre", "TRN103", existing("compute_subnet_cidr: 10.0.0.0/28") + count(11) + FSX, E),
    ("existing, Lustre apart", "TRN103", existing("compute_subnet_cidr: 10.0.0.0/28, storage_subnet_id: subnet-0fedcba9876543210") + count(11) + FSX, []),
    ("existing, size not known", "TRN103", existing() + count(1024), []),
    ("27 endpoints of 27", "TRN103", own(f"vpc_cidr: 10.0.0.0/22, nat_gateway: false, {endpoints(17)}"), []),
    ("28 endpoints of 27", "TRN103", own(f"vpc_cidr: 10.0.0.0/22, nat_gateway: false, {endpoints(18)}"), E),
    ("own", "TRN110", own("vpc_cidr: 10.0.0.0/20, nat_gateway: false"), []),
    ("existing", "TRN110", existing("vpc_cidr: 10.0.0.0/16", "interface_endpoints: [ssm]"), []),
    ("existing and a block, even the default", "TRN110", existing("", "vpc_cidr: 10.0.0.0/16"), E),
    ("existing and NAT", "TRN110", existing("", "nat_gateway: false"), E),
    ("existing and zones", "TRN110", existing("", "control_plane_zone_ids: [use2-az1, use2-az2]"), E),
    ("existing and a second block", "TRN110", existing("", "secondary_cidr: 100.64.0.0/16"), E),
    ("existing and flow logs", "TRN110", existing("", "flow_logs: {retention_days: 7}"), E),
    ("existing and the same zone", "TRN110", existing("", "availability_zone_id: use2-az3"), []),
    ("existing and another zone", "TRN110", existing("", "availability_zone_id: use2-az1"), E),
    ("NET-10 own", "TRN111", own("nat_gateway: true"), []),
    ("NET-10 created", "TRN111", existing(f"create_s3_gateway_endpoint: true, {TABLES}"), []),
    ("NET-10 created nowhere", "TRN111", existing("create_s3_gateway_endpoint: true"), E),
    ("NET-10 tables for nothing", "TRN111", existing(TABLES), W),
    ("NET-10 theirs, not known", "TRN111", existing(), I),
    ("NET-02 own group", "TRN112", existing(OWN_GROUP), I),
    ("NET-02 the cluster's group", "TRN112", existing(), []),
    ("NET-02 own group without EFA", "TRN112", "region: us-west-2\n" + existing(OWN_GROUP).replace("use2-az3", "usw2-az4") + "\ncompute: {node_groups: [{name: dev, instance_type: trn1.2xlarge, count: 1}]}", []),
    ("shared", "TRN113", existing("shared: true"), []),
    ("shared, own group", "TRN113", existing(f"shared: true, {OWN_GROUP}"), []),
    ("shared, S3 endpoint", "TRN113", existing(f"shared: true, create_s3_gateway_endpoint: true, {TABLES}"), E),
    ("shared, endpoints", "TRN113", existing("shared: true", "interface_endpoints: [ssm]"), E),
    ("not shared, endpoints", "TRN113", existing("", "interface_endpoints: [ssm]"), []),
    ("NET-10 none", "TRN114", own("nat_gateway: true"), []),
    ("NET-10 isolated", "TRN114", ISOLATED, I),
    ("NET-10 beside NAT", "TRN114", own("interface_endpoints: [ecr.api]"), I),
    ("behind NAT", "TRN115", own("nat_gateway: true") + count(1, UBUNTU), []),
    ("isolated, Ubuntu", "TRN115", ISOLATED + count(1, UBUNTU), I),
    ("isolated, Amazon Linux", "TRN115", ISOLATED + count(1, AMAZON), I),
    ("isolated, own image", "TRN115", ISOLATED + count(1, FIXED), []),
    ("existing", "TRN115", existing() + count(1, UBUNTU), []),
    ("names", "TRN116", own("interface_endpoints: [ecr.api, ecr.dkr, eks-auth, sagemaker.api]"), []),
    ("whole name", "TRN116", own("interface_endpoints: [com.amazonaws.us-east-2.ecr.api]"), E),
    ("capitals", "TRN116", own("interface_endpoints: [SSM]"), E),
    ("misspelt", "TRN116", own("interface_endpoints: [ssmmesages]"), W),
    ("NET-10 gateway", "TRN116", own("interface_endpoints: [s3]"), W),
    ("twice is once", "TRN116", own("interface_endpoints: [ssm, ssm]"), []),
    ("NET-13 none", "TRN117", own("nat_gateway: true"), []),
    ("NET-13 two", "TRN117", own("control_plane_zone_ids: [use2-az1, use2-az2]"), []),
    ("NET-13 three, the nodes' among them", "TRN117", own("control_plane_zone_ids: [use2-az1, use2-az2, use2-az3]"), []),
    ("NET-13 one", "TRN117", own("control_plane_zone_ids: [use2-az1]"), E),
    ("NET-13 one twice", "TRN117", own("control_plane_zone_ids: [use2-az1, use2-az1]"), E),
    ("NET-13 two and one twice", "TRN117", own("control_plane_zone_ids: [use2-az1, use2-az2, use2-az1]"), E),
    ("NET-13 another region", "TRN117", own("control_plane_zone_ids: [use2-az1, usw2-az1]"), E),
    ("NET-13 zone name", "TRN117", own("control_plane_zone_ids: [use2-az1, us-east-2b]"), E),
    ("NET-13 Local Zone", "TRN117", "region: us-west-2\n" + own("control_plane_zone_ids: [usw2-az1, usw2-lax1-az1]"), E),
    ("NET-13 no such zone", "TRN117", own("control_plane_zone_ids: [use2-az1, use2-az7]"), E),
    ("NET-13 unknown region", "TRN117", "region: xy-north-1\n" + own("control_plane_zone_ids: [xyn1-az1, xyn1-az2]"), []),
    ("NET-13 existing subnet", "TRN117", existing("control_plane_subnet_ids: [subnet-01234567]"), E),
    ("NET-13 existing subnets", "TRN117", existing("control_plane_subnet_ids: [subnet-01234567, subnet-89abcdef]"), []),
    ("shared address space", "TRN118", own("secondary_cidr: 100.64.0.0/16"), []),
    ("same range", "TRN118", own("vpc_cidr: 10.2.0.0/20, secondary_cidr: 10.3.0.0/16"), []),
    ("overlap", "TRN118", own("vpc_cidr: 10.0.0.0/16, secondary_cidr: 10.0.16.0/20"), E),
    ("10 and 172.16", "TRN118", own("vpc_cidr: 10.0.0.0/20, secondary_cidr: 172.16.0.0/16"), E),
    ("192.168 and 10", "TRN118", own("vpc_cidr: 192.168.0.0/16, secondary_cidr: 10.0.0.0/16"), E),
    ("10.1 and 10.0", "TRN118", own("vpc_cidr: 10.1.0.0/16, secondary_cidr: 10.0.0.0/20"), E),
    ("10.1 and 10.2", "TRN118", own("vpc_cidr: 10.1.0.0/16, secondary_cidr: 10.2.0.0/20"), []),
    ("172.16 and 172.31", "TRN118", own("vpc_cidr: 172.16.0.0/16, secondary_cidr: 172.31.0.0/20"), E),
    ("FSX-14 same zone", "TRN119", existing("storage_availability_zone_id: use2-az3") + FSX, []),
    ("FSX-14 not said", "TRN119", existing() + FSX, []),
    ("FSX-14 another zone", "TRN119", existing("storage_availability_zone_id: use2-az1") + FSX, W),
    ("FSX-14 another zone, no file system", "TRN119", existing("storage_availability_zone_id: use2-az1"), []),
    ("FSX-14 another region", "TRN119", existing("storage_availability_zone_id: usw2-az1") + FSX, E),
    ("FSX-14 zone name", "TRN119", existing("storage_availability_zone_id: us-east-2a") + FSX, E),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule_id", "overlay", "expected"),
    [pytest.param(*row[1:], id=f"{row[1]} {row[0]}") for row in TABLE],
)
def test_cluster(rule_id: str, overlay: str, expected: list[str]):
    assert severities(rule_id, judge_cluster(overlay)) == expected


def message(rule_id: str, overlay: str) -> str:
    (found,) = of_rule(rule_id, judge_cluster(overlay))
    return f"{found.message} / {found.hint}"


def test_a_price_is_told_only_where_a_source_has_one():
    assert "not in the catalogue" in message("TRN114", ISOLATED)
    text = "region: us-east-1\nnetwork: {nat_gateway: false}"
    assert "10 interface endpoints in one zone" in message("TRN114", text)
    assert "about $0.10 an hour" in message("TRN114", text)


def test_isolated_ubuntu_nodes_are_told_about_the_lustre_client():
    assert "Lustre client" in message("TRN115", ISOLATED + count(1, UBUNTU) + FSX)
    assert "Lustre client" not in message("TRN115", ISOLATED + count(1, UBUNTU))
    assert "Amazon Linux's own can" in message("TRN115", ISOLATED + count(1, AMAZON) + FSX)


def test_a_whole_endpoint_name_is_shortened_for_the_user():
    text = own("interface_endpoints: [com.amazonaws.us-east-2.ecr.api]")
    assert message("TRN116", text).endswith("/ write ecr.api")
    text = own("interface_endpoints: [ssmmesages]")
    assert "did you mean ssmmessages" in message("TRN116", text)


def test_who_takes_the_addresses_is_told():
    text = existing("compute_subnet_cidr: 10.0.0.0/28", "interface_endpoints: [ssm]")
    assert message("TRN103", text + count(12) + FSX).startswith(
        "network.existing.compute_subnet_cidr is 10.0.0.0/28, which has 11 addresses for nodes; "
        "the node groups, interface endpoints and file systems (one address each at the least) "
        "need 14 / name a larger subnet"
    )


VPC: Body = {"CidrBlock": "10.0.0.0/20", "EnableDnsHostnames": True}
SOMETIMES = {"Fn::If": ["Sometimes", "a", "b"]}
IN_VPC = {"VpcId": {"Ref": "Vpc"}}


def endpoint(service: Any, **more: Any) -> tuple[str, Body]:
    named = f"com.amazonaws.us-east-2.{service}" if isinstance(service, str) else service
    base = {**IN_VPC, "VpcEndpointType": "Interface", "ServiceName": named}
    return "AWS::EC2::VPCEndpoint", {**base, **more}


def vpc(*services: Any, **resources: Any) -> Body:
    named = {f"Endpoint{n}": endpoint(service) for n, service in enumerate(services)}
    return template(Vpc=("AWS::EC2::VPC", VPC), **{**named, **resources})


GATEWAY = endpoint("s3", VpcEndpointType="Gateway")
ROUTE = ("AWS::EC2::Route", {"RouteTableId": "rtb-1", "NatGatewayId": "nat-1"})
ECR_SUB = {"Fn::Sub": "com.amazonaws.${AWS::Region}.ecr.dkr"}
COMPANIONS = [
    ("NET-11 all", vpc("ecr.dkr", "ecr.api", S3=GATEWAY), []),
    ("NET-11 S3 by interface", vpc("ecr.dkr", "ecr.api", "s3"), []),
    ("NET-11 ECR only", vpc("ecr.dkr", "ecr.api"), W),
    ("NET-11 layers without the API", vpc("ecr.dkr", S3=GATEWAY), W),
    ("NET-11 region not known", vpc(ECR_SUB, S3=GATEWAY), W),
    ("NET-11 sessions without SSM", vpc("ssmmessages"), W),
    ("NET-11 SSM alone", vpc("ssm"), []),
    ("NET-11 a way out", vpc("ecr.dkr", Route=ROUTE), []),
    ("NET-11 an internet gateway", vpc("ecr.dkr", Out=("AWS::EC2::VPCGatewayAttachment", IN_VPC)), []),
    ("NET-11 not known: service", vpc("ecr.dkr", SOMETIMES), []),
    ("NET-11 not known: VPC", vpc("ecr.dkr", Other=endpoint("s3", VpcId=SOMETIMES)), []),
    ("NET-11 not known: another service", vpc("bedrock"), []),
]  # fmt: skip

GROUP = {"SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}]}


def admitting(*rules: Any, service: Any = "ec2", more: Any = None, **resources: Any) -> Body:
    given = security_group(SecurityGroupIngress=list(rules), VpcId="vpc-1")
    return vpc(Endpoint=endpoint(service, **(more or GROUP)), Group=given, **resources)


def port(first: int, last: int | None = None, **more: Any) -> Body:
    last = first if last is None else last
    return {"IpProtocol": "tcp", "FromPort": first, "ToPort": last, "CidrIp": "10.0.0.0/8", **more}


SEPARATE = ("AWS::EC2::SecurityGroupIngress", {"GroupId": {"Ref": "Group"}, **port(443)})
ADMITTED = [
    ("NET-11 443", admitting(port(443)), []),
    ("NET-11 a range", admitting(port(0, 65535)), []),
    ("NET-11 all traffic", admitting({"IpProtocol": "-1", "CidrIp": "10.0.0.0/8"}), []),
    ("NET-11 separate", admitting(In=SEPARATE), []),
    ("NET-11 nobody", admitting(), E),
    ("NET-11 80", admitting(port(80)), E),
    ("NET-11 442", admitting(port(0, 442)), E),
    ("NET-11 UDP", admitting(port(443, IpProtocol="udp")), E),
    ("NET-11 not known: rules", admitting(SOMETIMES), []),
    ("NET-11 not known: groups", admitting(more={"SecurityGroupIds": SOMETIMES}), []),
    ("NET-11 not known: group", admitting(more={"SecurityGroupIds": ["sg-1"]}), []),
    ("NET-11 gateway", admitting(more={**GROUP, "VpcEndpointType": "Gateway"}), []),
    ("NET-11 somebody's service", admitting(service={"Ref": "ServiceName"}), []),
]  # fmt: skip


def private(flag: Any, **attributes: Any) -> Body:
    base = {"CidrBlock": "10.0.0.0/20", **attributes}
    made = template(Vpc=("AWS::EC2::VPC", base), Ssm=endpoint("ssm", PrivateDnsEnabled=flag))
    return made


PRIVATE_DNS = [
    ("both", private(True, EnableDnsHostnames=True, EnableDnsSupport=True), []),
    ("support by default", private("true", EnableDnsHostnames="true"), []),
    ("host names by default", private(True), E),
    ("no support", private(True, EnableDnsHostnames=True, EnableDnsSupport=False), E),
    ("not wanted", private(False), []),
    ("not known: host names", private(True, EnableDnsHostnames=SOMETIMES), []),
    ("not known: VPC", template(Ssm=endpoint("ssm", PrivateDnsEnabled=True, VpcId="vpc-1")), []),
]


def cut(cidr: Any, added: Any = "100.64.0.0/16", depends: str | None = None, **more: Any) -> Body:
    made = subnet(VpcId={"Ref": "Vpc"}, CidrBlock=cidr)
    if depends:
        made["DependsOn"] = depends
    block = ("AWS::EC2::VPCCidrBlock", {**IN_VPC, **({"CidrBlock": added} if added else {})})
    return template(Vpc=("AWS::EC2::VPC", VPC), More=block, Compute=made, **more)


BLOCKS = [
    ("in the first", cut("10.0.0.0/21"), []),
    ("in the second, after it", cut("100.64.0.0/17", depends="More"), []),
    ("in the second, at any time", cut("100.64.0.0/17"), E),
    ("after another", cut("100.64.0.0/17", depends="Vpc"), E),
    ("after one that waits", cut("100.64.0.0/17", depends="Table", Table={"Type": "AWS::EC2::RouteTable", "DependsOn": "More", "Properties": IN_VPC}), []),
    ("in none", cut("10.1.0.0/20"), E),
    ("partly", cut("10.0.0.0/19"), E),
    ("not known: subnet", cut(SOMETIMES), []),
    ("not known: second", cut("10.1.0.0/20", added=SOMETIMES), []),
    ("an IPv6 block says nothing", cut("10.1.0.0/20", added=None), E),
    ("not known: VPC", template(Compute=subnet(CidrBlock="10.1.0.0/20")), []),
]  # fmt: skip


def guarded(
    *entries: Body, instance_type: str = "trn2.48xlarge", guarded_subnet: Any = None
) -> Body:
    named = {
        f"Entry{number}": (
            "AWS::EC2::NetworkAclEntry",
            {"NetworkAclId": {"Ref": "Acl"}, "RuleAction": "allow", "Protocol": 6, **entry},
        )
        for number, entry in enumerate(entries)
    }
    return template(
        Nodes=nodes(instance_type),
        Group=group([{"Ref": "Compute"}]),
        Compute=subnet(),
        Acl=("AWS::EC2::NetworkAcl", {"VpcId": "vpc-1"}),
        On=(
            "AWS::EC2::SubnetNetworkAclAssociation",
            {"SubnetId": guarded_subnet or {"Ref": "Compute"}, "NetworkAclId": {"Ref": "Acl"}},
        ),
        Out=(
            "AWS::EC2::NetworkAclEntry",
            {"NetworkAclId": {"Ref": "Acl"}, "RuleAction": "allow", "Protocol": -1, "Egress": True},
        ),
        **named,
    )


def ports(first: Any, last: Any, **more: Any) -> Body:
    return {"PortRange": {"From": first, "To": last}, **more}


ACLS = [
    ("NET-12 none", guarded(), E),
    ("NET-12 443 in", guarded(ports(443, 443)), E),
    ("NET-12 1023 in", guarded(ports(0, 1023)), E),
    ("NET-12 1024 in", guarded(ports(1024, 1024)), []),
    ("NET-12 ephemeral out alone", guarded(ports(1024, 65535, Egress=True)), E),
    ("NET-12 ephemeral denied", guarded(ports(1024, 65535, RuleAction="deny")), E),
    ("NET-12 UDP", guarded(ports(1024, 65535, Protocol=17)), E),
    ("NET-12 everything", guarded({"Protocol": -1}), []),
    ("NET-12 not known: ports", guarded(ports(SOMETIMES, 443)), []),
    ("NET-12 not known: whose entry", guarded(ports(1, 2, NetworkAclId=SOMETIMES)), []),
    ("NET-12 other machines", guarded(ports(443, 443), instance_type="t3.micro"), []),
    ("NET-12 another subnet", guarded(guarded_subnet="subnet-1"), []),
]  # fmt: skip

TEMPLATES = [
    ("TRN160", COMPANIONS),
    ("TRN161", ADMITTED),
    ("TRN162", PRIVATE_DNS),
    ("TRN163", BLOCKS),
    ("TRN164", ACLS),
]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [
        pytest.param(rule_id, body, expected, id=f"{rule_id} {name}")
        for rule_id, rows in TEMPLATES
        for name, body, expected in rows
    ],
)
def test_template(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected
