"""IPv6 in cluster files and templates, each fault beside the nearest one that is right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_cluster, judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, group, interface, lustre, nodes, subnet, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
IDS = "vpc_id: vpc-0123456789abcdef0, compute_subnet_id: subnet-0123456789abcdef0, availability_zone_id: use2-az3"
BOTH = "network: {ip_address_type: dualstack}"
HOME = "\nstorage: {home_file_system: {ip_address_type: dualstack}}"
SOMETIMES: Body = {"Fn::If": ["Some", "a", "b"]}
PARAMETER: Body = {"Ref": "Parameter"}
V6 = "2001:db8:0:1::/64"
COMPUTE = [{"Ref": "Compute"}]

CLUSTERS = [
    ("ipv4 in an existing VPC", "TRN120", f"network: {{existing: {{{IDS}}}}}", []),
    ("dual-stack in its own", "TRN120", BOTH, []),
    ("dual-stack in an existing VPC", "TRN120", f"network: {{ip_address_type: dualstack, existing: {{{IDS}}}}}", I),
    ("home on IPv4", "TRN121", "storage: {home_file_system: {}}", []),
    ("home on IPv4 in a dual-stack network", "TRN121", BOTH + "\nstorage: {home_file_system: {}}", []),
    ("both", "TRN121", BOTH + HOME, []),
    ("home alone", "TRN121", HOME, E),
    ("both, existing", "TRN121", f"network: {{ip_address_type: dualstack, existing: {{{IDS}}}}}" + HOME, []),
    ("an existing VPC may be dual-stack", "TRN110", f"network: {{ip_address_type: dualstack, existing: {{{IDS}}}}}", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule_id", "overlay", "expected"),
    [pytest.param(*row[1:], id=f"{row[1]} {row[0]}") for row in CLUSTERS],
)
def test_cluster(rule_id: str, overlay: str, expected: list[str]):
    assert severities(rule_id, judge_cluster(overlay)) == expected


def test_what_ids_cannot_tell_is_named():
    more = "storage_subnet_id: subnet-0fedcba9876543210, security_group_id: sg-0123456789abcdef0"
    overlay = f"network: {{ip_address_type: dualstack, existing: {{{IDS}, {more}}}}}" + HOME
    (found,) = of_rule("TRN120", judge_cluster(overlay))
    for name in ("subnet-0123456789abcdef0", "subnet-0fedcba9876543210", "sg-0123456789abcdef0"):
        assert name in found.message


def started(*interfaces: Body, in_subnet: Body, kind: str | None = "trn2.48xlarge", **more: Any):
    return template(
        Nodes=nodes(kind, list(interfaces)), Group=group(COMPUTE), Compute=in_subnet, **more
    )


def giving(value: Any = True) -> Body:
    return subnet(Ipv6CidrBlock=V6, AssignIpv6AddressOnCreation=value)


PLAIN, ASKING = interface(0, 0, "interface"), interface(0, 0, "interface", Ipv6AddressCount=1)
EFA_ONLY = interface(0, 1, "efa-only")

AUTO = [
    ("not given", started(ASKING, EFA_ONLY, in_subnet=giving(False)), []),
    ("by default not", started(ASKING, EFA_ONLY, in_subnet=subnet(Ipv6CidrBlock=V6)), []),
    ("given", started(PLAIN, EFA_ONLY, in_subnet=giving()), W),
    ("given, as text", started(PLAIN, EFA_ONLY, in_subnet=giving("true")), W),
    ("given, two EFA-only ones are one finding", started(PLAIN, EFA_ONLY, interface(1, 0, "efa-only"), in_subnet=giving()), W),
    ("given, refused there", started(PLAIN, interface(0, 1, "efa-only", Ipv6AddressCount=0), in_subnet=giving()), []),
    ("given to plain ones", started(PLAIN, in_subnet=giving()), []),
    ("given to EFA ones", started(interface(0, 0, "efa"), interface(1, 1, "efa"), in_subnet=giving()), []),
    ("not known: given", started(PLAIN, EFA_ONLY, in_subnet=giving(SOMETIMES)), []),
    ("not known: kind", started(PLAIN, interface(0, 1, SOMETIMES), in_subnet=giving()), []),  # pyright: ignore[reportArgumentType]
    ("not known: where", template(Nodes=nodes("trn2.48xlarge", [PLAIN, EFA_ONLY]), Group=group(SOMETIMES), Compute=giving()), []),
    ("two groups in one subnet are one finding", started(PLAIN, EFA_ONLY, in_subnet=giving(), Other=group(COMPUTE)), W),
    ("started by nobody", template(Nodes=nodes("trn2.48xlarge", [PLAIN, EFA_ONLY]), Compute=giving()), []),
]  # fmt: skip


def routed(
    *interfaces: Body,
    kind: str | None = "trn2.48xlarge",
    in_subnet: Body | None = None,
    table: Any = None,
    associated: Any = None,
    **route: Any,
) -> Body:
    route = {"DestinationIpv6CidrBlock": "::/0", "GatewayId": {"Ref": "Internet"}} | route
    return started(
        *interfaces,
        kind=kind,
        in_subnet=in_subnet or subnet(Ipv6CidrBlock=V6),
        Routes=("AWS::EC2::RouteTable", {"VpcId": "vpc-1"}),
        Association=("AWS::EC2::SubnetRouteTableAssociation", {"RouteTableId": associated or {"Ref": "Routes"}, "SubnetId": {"Ref": "Compute"}}),
        Internet=("AWS::EC2::InternetGateway", {}),
        Outwards=("AWS::EC2::EgressOnlyInternetGateway", {"VpcId": "vpc-1"}),
        Out=("AWS::EC2::Route", {"RouteTableId": table or {"Ref": "Routes"}, **route}),
    )  # fmt: skip


OUTWARDS: Body = {"GatewayId": None, "EgressOnlyInternetGatewayId": {"Ref": "Outwards"}}

PUBLIC = [
    ("asked for, internet gateway", routed(ASKING), W),
    ("a list of addresses", routed(interface(0, 0, "efa", Ipv6Addresses=[{"Ipv6Address": "2001:db8:0:1::5"}])), W),
    ("given by the subnet", routed(PLAIN, in_subnet=giving()), W),
    ("egress-only gateway", routed(ASKING, **OUTWARDS), []),
    ("nodes without IPv6", routed(PLAIN), []),
    ("IPv4 alone", routed(ASKING, DestinationIpv6CidrBlock=None, DestinationCidrBlock="0.0.0.0/0"), []),
    ("a part of the internet", routed(ASKING, DestinationIpv6CidrBlock="2001:db8::/32"), []),
    ("other machines", routed(ASKING, kind="t3.micro"), []),
    ("another table", routed(ASKING, table="rtb-1"), []),
    ("another table's subnet", routed(ASKING, associated="rtb-1"), []),
    ("not known: both tables", routed(ASKING, table=SOMETIMES, associated=SOMETIMES), []),
    ("not known: gateway", routed(ASKING, GatewayId=PARAMETER), []),
    ("not known: address", routed(interface(0, 0, "interface", Ipv6AddressCount=SOMETIMES)), []),
]  # fmt: skip


def block_for(owner: Any) -> Body:
    return {
        "Type": "AWS::EC2::SubnetCidrBlock",
        "Properties": {"SubnetId": owner, "Ipv6CidrBlock": V6},
    }


ASKED = [
    ("no block", started(ASKING, in_subnet=subnet()), E),
    ("a block", started(ASKING, in_subnet=subnet(Ipv6CidrBlock=V6)), []),
    ("a block of IPAM", started(ASKING, in_subnet=subnet(Ipv6IpamPoolId="ipam-pool-1", Ipv6NetmaskLength=64)), []),
    ("a block beside", started(ASKING, in_subnet=subnet(), Block=block_for({"Ref": "Compute"})), []),
    ("a block for another", started(ASKING, in_subnet=subnet(), Other=subnet(), Block=block_for({"Ref": "Other"})), E),
    ("a prefix", started(interface(0, 0, "interface", Ipv6PrefixCount=1), in_subnet=subnet()), E),
    ("none asked for", started(PLAIN, in_subnet=subnet()), []),
    ("zero asked for", started(interface(0, 0, "interface", Ipv6AddressCount=0), in_subnet=subnet()), []),
    ("any machine", started(ASKING, in_subnet=subnet(), kind="t3.micro"), E),
    ("its own subnet", started(interface(0, 0, "interface", Ipv6AddressCount=1, SubnetId={"Ref": "Other"}), in_subnet=subnet(), Other=subnet(Ipv6CidrBlock=V6)), []),
    ("its own subnet without", started(interface(0, 0, "interface", Ipv6AddressCount=1, SubnetId={"Ref": "Other"}), in_subnet=subnet(Ipv6CidrBlock=V6), Other=subnet()), E),
    ("not known: block", started(ASKING, in_subnet=subnet(Ipv6CidrBlock=SOMETIMES)), []),
    ("not known: whose block", started(ASKING, in_subnet=subnet(), Block=block_for(PARAMETER)), []),
    ("not known: count", started(interface(0, 0, "interface", Ipv6AddressCount=PARAMETER), in_subnet=subnet()), []),
    ("not known: subnet", template(Nodes=nodes("trn2.48xlarge", [ASKING]), Group=group(["subnet-1"])), []),
]  # fmt: skip

ATTRIBUTE = {"Fn::GetAtt": ["Vpc", "Ipv6CidrBlocks"]}
PART = {"Fn::Select": [1, {"Fn::Cidr": [{"Fn::Select": [0, ATTRIBUTE]}, 8, "64"]}]}


def cut(part: Any = PART, depends: Any = None, added: Body | None = None, **more: Any) -> Body:
    made = subnet(VpcId={"Ref": "Vpc"}, Ipv6CidrBlock=part)
    if depends:
        made["DependsOn"] = depends
    block = {"AmazonProvidedIpv6CidrBlock": True} if added is None else added
    return template(
        Vpc=("AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16"}),
        Six=("AWS::EC2::VPCCidrBlock", {"VpcId": {"Ref": "Vpc"}, **block}),
        Compute=made,
        **more,
    )


def cut_beside(depends: str | None = None) -> Body:
    block = block_for({"Ref": "Compute"})
    block["Properties"]["Ipv6CidrBlock"] = PART
    if depends:
        block["DependsOn"] = depends
    return cut(None, Block=block)


ORDER = [
    ("waits", cut(depends="Six"), []),
    ("waits, among others", cut(depends=["Vpc", "Six"]), []),
    ("at any time", cut(), E),
    ("waits for another", cut(depends="Vpc"), E),
    ("waits for one that waits", cut(depends="Table", Table={"Type": "AWS::EC2::RouteTable", "DependsOn": "Six", "Properties": {"VpcId": {"Ref": "Vpc"}}}), []),
    ("in text", cut({"Fn::Select": [0, {"Fn::Split": [",", {"Fn::Sub": "${Vpc.Ipv6CidrBlocks}"}]}]}), E),
    ("dotted", cut({"Fn::Select": [0, {"Fn::GetAtt": "Vpc.Ipv6CidrBlocks"}]}), E),
    ("of a pool", cut(added={"Ipv6IpamPoolId": "ipam-pool-1", "Ipv6NetmaskLength": 56}), E),
    ("an IPv4 block beside", cut(added={"CidrBlock": "100.64.0.0/16"}), []),
    ("a block as it is written", cut(V6), []),
    ("another attribute", cut({"Fn::Select": [0, {"Fn::GetAtt": ["Vpc", "CidrBlockAssociations"]}]}), []),
    ("no IPv6", cut(None), []),
    ("beside the subnet, at any time", cut_beside(), E),
    ("beside the subnet, after it", cut_beside("Six"), []),
    ("not known: VPC of the block", cut(added={"AmazonProvidedIpv6CidrBlock": True, "VpcId": PARAMETER}), []),
]  # fmt: skip


def served(kind: Any = "dualstack", in_subnet: Body | None = None, **properties: Any) -> Body:
    base = {
        "VpcEndpointType": "Interface",
        "ServiceName": "com.amazonaws.us-east-2.sts",
        "VpcId": "vpc-1",
        "SubnetIds": COMPUTE,
        "IpAddressType": kind,
    }
    return template(Sts=("AWS::EC2::VPCEndpoint", base | properties), Compute=in_subnet or subnet())


def mounted(kind: Any = "DUAL_STACK", **more: Any) -> Body:
    target = {"FileSystemId": "fs-1", "SubnetId": {"Ref": "Compute"}, "IpAddressType": kind}
    return template(Target=("AWS::EFS::MountTarget", target), Compute=subnet(**more))


SERVICES = [
    ("dual-stack without", served(), E),
    ("dual-stack with", served(in_subnet=subnet(Ipv6CidrBlock=V6)), []),
    ("IPv4", served("ipv4"), []),
    ("not said", served(None), []),
    ("one of two without", template(**served(SubnetIds=[{"Ref": "Other"}, *COMPUTE])["Resources"], Other=subnet(Ipv6CidrBlock=V6)), E),
    ("gateway", served(VpcEndpointType="Gateway", SubnetIds=None), []),
    ("not known: kind", served(PARAMETER), []),
    ("not known: subnets", served(SubnetIds=PARAMETER), []),
    ("mount target without", mounted(), E),
    ("mount target with", mounted(Ipv6CidrBlock=V6), []),
    ("mount target on IPv4", mounted("IPV4_ONLY"), []),
]  # fmt: skip


def files(kind: str = "LUSTRE", **properties: Any) -> Body:
    return template(Fsx=lustre({"DeploymentType": "SCRATCH_2"}, FileSystemType=kind, **properties))


LUSTRE = [
    ("not said", files(), []),
    ("IPv4", files(NetworkType="IPV4"), []),
    ("dual-stack", files(NetworkType="DUAL"), E),
    ("dual-stack OpenZFS", files("OPENZFS", NetworkType="DUAL"), []),
    ("not known", files(NetworkType=PARAMETER), []),
]

TEMPLATES = [
    ("TRN194", LUSTRE),
    ("TRN195", AUTO),
    ("TRN196", PUBLIC),
    ("TRN197", ASKED),
    ("TRN198", ORDER),
    ("TRN199", SERVICES),
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


@pytest.mark.parametrize("key", ["Ipv6AddressCount", "Ipv6PrefixCount"])
def test_ipv6_on_an_efa_only_interface_is_found_by_trn259(key: str):
    body = started(PLAIN, interface(0, 1, "efa-only", **{key: 1}), in_subnet=giving(False))
    assert severities("TRN259", judge_template(body)) == E
