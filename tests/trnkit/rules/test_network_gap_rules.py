"""Networks that EC2 refuses, or that work only in part, each beside the nearest that is right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    group,
    interface,
    lustre,
    nodes,
    rule,
    security_group,
    subnet,
    template,
)

E, W = ["error"], ["warning"]
SOMETIMES = {"Fn::If": ["Sometimes", 1, 2]}
A, B = {"Ref": "A"}, {"Ref": "B"}
TRN2 = "trn2.48xlarge"
TCP22 = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22}


def vpc(**properties: Any) -> Body:
    return {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16", **properties}}


def sized(kind: str, **properties: Any) -> Body:
    return template(Vpc=vpc(), R=(kind, {"VpcId": {"Ref": "Vpc"}, **properties}))


BLOCKS = [
    *[(f"VPC {block}", template(V=vpc(CidrBlock=block)), verdict) for block, verdict in [("10.0.0.0/16", []), ("10.0.0.0/28", []), ("10.0.0.0/15", E), ("10.0.0.0/8", E), ("10.0.0.0/29", E), ("10.0.0.1/16", []), ("ten", []), (SOMETIMES, [])]],
    ("VPC from a pool", template(V=vpc(CidrBlock={"Ref": "AWS::NoValue"}, Ipv4NetmaskLength=20)), []),
    ("VPC from a pool, too large", template(V=vpc(CidrBlock={"Ref": "AWS::NoValue"}, Ipv4NetmaskLength="12")), E),
    ("further block", sized("AWS::EC2::VPCCidrBlock", CidrBlock="100.64.0.0/10"), E),
    ("subnet /28", sized("AWS::EC2::Subnet", CidrBlock="10.0.0.16/28"), []),
    ("subnet /30", sized("AWS::EC2::Subnet", CidrBlock="10.0.0.16/30"), E),
    ("IPv6 subnet /64", sized("AWS::EC2::Subnet", CidrBlock="10.0.0.16/28", Ipv6CidrBlock="2001:db8::/64"), []),
    ("IPv6 subnet /48", sized("AWS::EC2::Subnet", Ipv6Native=True, Ipv6CidrBlock="2001:db8::/48"), []),
    ("IPv6 subnet /65", sized("AWS::EC2::Subnet", Ipv6Native=True, Ipv6CidrBlock="2001:db8::/65"), E),
    ("IPv6 subnet /62", sized("AWS::EC2::Subnet", Ipv6Native=True, Ipv6NetmaskLength=62), E),
    ("IPv6 subnet computed", sized("AWS::EC2::Subnet", CidrBlock="10.0.0.16/28", Ipv6CidrBlock={"Fn::Select": [0, {"Fn::Cidr": ["x", 1, 64]}]}), []),
    ("IPv6 block of a subnet", template(R=("AWS::EC2::SubnetCidrBlock", {"SubnetId": "subnet-1", "Ipv6CidrBlock": "2001:db8::/66"})), E),
]  # fmt: skip


def routes(*found: Body, **more: Any) -> Body:
    entries = {
        f"R{number}": {
            "Type": "AWS::EC2::Route",
            "Properties": {"RouteTableId": A, "GatewayId": "igw-1", **entry},
        }
        for number, entry in enumerate(found)
    }
    for name, condition in more.items():
        entries[name]["Condition"] = condition
    return template(
        A=("AWS::EC2::RouteTable", {"VpcId": "vpc-1"}),
        B=("AWS::EC2::RouteTable", {"VpcId": "vpc-1"}),
        **entries,
    )


ALL4, ALL6 = {"DestinationCidrBlock": "0.0.0.0/0"}, {"DestinationIpv6CidrBlock": "::/0"}
ROUTES = [
    ("twice", routes(ALL4, {**ALL4, "NatGatewayId": "nat-1"}), E),
    ("twice, IPv6", routes(ALL6, ALL6), E),
    ("twice, IPv6 in another spelling", routes(ALL6, {"DestinationIpv6CidrBlock": "0::0/0"}), E),
    ("thrice", routes(ALL4, ALL4, ALL4), [*E, *E]),
    ("one of each family", routes(ALL4, ALL6), []),
    ("two tables", routes(ALL4, {**ALL4, "RouteTableId": B}), []),
    ("a table by its id", routes({**ALL4, "RouteTableId": "rtb-1"}, {**ALL4, "RouteTableId": "rtb-1"}), E),
    ("two blocks", routes(ALL4, {"DestinationCidrBlock": "10.0.0.0/8"}), []),
    ("a prefix list twice", routes({"DestinationPrefixListId": "pl-1"}, {"DestinationPrefixListId": "pl-1"}), E),
    ("either of two", routes(ALL4, ALL4, R0="Public", R1="Private"), []),
    ("both of two", routes(ALL4, ALL4, R0="Public", R1="Public"), E),
    ("one of them perhaps", routes(ALL4, ALL4, R1="Public"), []),
    ("table not known", routes({**ALL4, "RouteTableId": SOMETIMES}, {**ALL4, "RouteTableId": SOMETIMES}), []),
    ("destination not known", routes({"DestinationCidrBlock": SOMETIMES}, {"DestinationCidrBlock": SOMETIMES}), []),
]  # fmt: skip


def endpoint(service: Any, zone: Any = None, **more: Any) -> Body:
    placed = {} if zone is None else {"Subnet": subnet(**zone)}
    properties = {"VpcId": "vpc-1", "ServiceName": service, **more}
    return template(X=("AWS::EC2::VPCEndpoint", properties), **placed)


OHIO = {"AvailabilityZoneId": "use2-az3"}
ELSEWHERE = [
    ("its own", endpoint("com.amazonaws.us-east-2.s3", OHIO), []),
    ("another, by zone id", endpoint("com.amazonaws.us-west-2.s3", OHIO), E),
    ("another, by zone name", endpoint("com.amazonaws.us-west-2.ec2", {"AvailabilityZone": "us-east-2c"}, VpcEndpointType="Interface"), E),
    ("another, and says so", endpoint("com.amazonaws.us-west-2.s3", OHIO, VpcEndpointType="Interface", ServiceRegion="us-west-2"), []),
    ("any Region", endpoint({"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"}, OHIO), []),
    ("no Region in it", endpoint("com.amazonaws.s3-global.accesspoint", OHIO), []),
    ("somebody's service", endpoint("com.amazonaws.vpce.us-west-2.vpce-svc-0123456789abcdef0", OHIO, VpcEndpointType="Interface"), E),
    ("zones of two Regions", template(**endpoint("com.amazonaws.us-west-2.s3", OHIO)["Resources"], Two=subnet(AvailabilityZoneId="usw2-az1")), []),
    ("place not known", endpoint("com.amazonaws.us-west-2.s3"), []),
    ("place not known: zone", endpoint("com.amazonaws.us-west-2.s3", {"AvailabilityZoneId": SOMETIMES}), []),
]  # fmt: skip


def twice(first: Body, second: Body, direction: str = "Ingress", **more: Any) -> Body:
    """A rule in the group's list, and one beside it."""
    return template(
        A=security_group(**{f"SecurityGroup{direction}": [first]}),
        B=security_group(),
        One={"Type": f"AWS::EC2::SecurityGroup{direction}", "Properties": {"GroupId": A, **second}, **more},
    )  # fmt: skip


FROM = {**TCP22, "CidrIp": "10.0.0.0/16"}
ITSELF = {"Fn::GetAtt": ["A", "GroupId"]}
TWICE = [
    ("in a list", template(A=security_group(SecurityGroupIngress=[FROM, {**FROM, "Description": "again"}])), E),
    ("in a list, the culprit third", template(A=security_group(SecurityGroupIngress=[FROM, {**FROM, "ToPort": 23}, FROM])), E),
    ("beside the list", twice(FROM, FROM), E),
    ("beside the list, protocol by number", twice(FROM, {**FROM, "IpProtocol": 6}), E),
    ("both beside", template(A=security_group(), X=rule("Ingress", A, A), Y=rule("Ingress", ITSELF, ITSELF)), E),
    ("all traffic, ports written", template(A=security_group(), X=rule("Ingress", A, A), Y=rule("Ingress", A, A, FromPort=0, ToPort=65535)), E),
    ("egress", twice({**TCP22, "CidrIpv6": "::/0"}, {**TCP22, "CidrIpv6": "0:0::/0"}, "Egress"), E),
    ("to a group by its id", template(X=rule("Ingress", "sg-1", "sg-2"), Y=rule("Ingress", "sg-1", "sg-2")), E),
    ("either way", template(A=security_group(), X=rule("Ingress", A, A), Y=rule("Egress", A, A)), []),
    ("another port", twice(FROM, {**FROM, "FromPort": 21}), []),
    ("another block", twice(FROM, {**FROM, "CidrIp": "10.0.0.0/17"}), []),
    ("IPv4 and IPv6", twice(FROM, {**TCP22, "CidrIpv6": "::/0"}), []),
    ("another group", template(A=security_group(), B=security_group(), X=rule("Ingress", A, A), Y=rule("Ingress", A, B)), []),
    ("into another group", template(A=security_group(), B=security_group(), X=rule("Ingress", A, A), Y=rule("Ingress", B, A)), []),
    ("a prefix list beside", twice(FROM, {**TCP22, "SourcePrefixListId": "pl-1"}), []),
    ("a prefix list twice", twice({**TCP22, "SourcePrefixListId": "pl-1"}, {**TCP22, "SourcePrefixListId": "pl-1"}), E),
    ("under a condition", twice(FROM, FROM, Condition="Sometimes"), []),
    ("not known: block", twice({**TCP22, "CidrIp": SOMETIMES}, {**TCP22, "CidrIp": SOMETIMES}), []),
    ("not known: port", twice({**FROM, "ToPort": SOMETIMES}, {**FROM, "ToPort": SOMETIMES}), []),
    ("not known: owner", template(X=rule("Ingress", SOMETIMES, "sg-1"), Y=rule("Ingress", SOMETIMES, "sg-1")), []),
    ("of another account", twice({**TCP22, "SourceSecurityGroupId": "sg-2", "SourceSecurityGroupOwnerId": "111122223333"}, {**TCP22, "SourceSecurityGroupId": "sg-2"}), []),
]  # fmt: skip


def many(number: int, *others: Body, key: str = "CidrIp", pattern: str = "10.0.{}.0/24") -> Body:
    rules = [{**TCP22, key: pattern.format(n)} for n in range(number)]
    return template(A=security_group(SecurityGroupIngress=[*rules, *others]))


COUNTS = [
    ("60", many(60), []),
    ("61", many(61), W),
    ("61 of IPv6", many(61, key="CidrIpv6", pattern="2001:db8:{}::/48"), W),
    ("60 of each", template(A=security_group(SecurityGroupIngress=[*many(60)["Resources"]["A"]["Properties"]["SecurityGroupIngress"], *many(60, key="CidrIpv6", pattern="2001:db8:{}::/48")["Resources"]["A"]["Properties"]["SecurityGroupIngress"]])), []),
    ("60 and a group", many(60, {**TCP22, "SourceSecurityGroupId": "sg-1"}), W),
    ("60 and one of IPv6", many(60, {**TCP22, "CidrIpv6": "::/0"}), []),
    ("60 and one out", template(**many(60)["Resources"], X=rule("Egress", A, A)), []),
    ("60 and one beside", template(**many(60)["Resources"], X=rule("Ingress", A, A)), W),
    ("60 and one beside, perhaps", template(**many(60)["Resources"], X={**rule("Ingress", A, A), "Condition": "Sometimes"}), []),
]  # fmt: skip


def flow_log(**properties: Any) -> Body:
    base = {"ResourceId": "vpc-1", "ResourceType": "VPC", "TrafficType": "ALL"}
    return template(F=("AWS::EC2::FlowLog", {**base, **properties}))


ROLE = {"DeliverLogsPermissionArn": {"Fn::GetAtt": ["Role", "Arn"]}}
FLOW_LOGS = [
    ("to a group", flow_log(LogGroupName="flows", **ROLE), []),
    ("to a group by ARN", flow_log(LogDestination={"Fn::GetAtt": ["Logs", "Arn"]}, LogDestinationType="cloud-watch-logs", **ROLE), []),
    ("without a role", flow_log(LogGroupName="flows"), E),
    ("without a role, type written", flow_log(LogGroupName="flows", LogDestinationType="cloud-watch-logs"), E),
    ("to nothing", flow_log(**ROLE), E),
    ("to a bucket", flow_log(LogDestination="arn:aws:s3:::example-bucket", LogDestinationType="s3"), []),
    ("to no bucket", flow_log(LogDestinationType="s3"), E),
    ("not known: type", flow_log(LogGroupName="flows", LogDestinationType=SOMETIMES), []),
    ("not known: role", flow_log(LogGroupName="flows", DeliverLogsPermissionArn=SOMETIMES), []),
]  # fmt: skip


def attached(*found: tuple[Any, Any], condition: str | None = None) -> Body:
    entries = {
        f"At{number}": {
            "Type": "AWS::EC2::VPCGatewayAttachment",
            "Properties": {"VpcId": where, "InternetGatewayId": what},
        }
        for number, (where, what) in enumerate(found)
    }
    if condition:
        entries["At1"]["Condition"] = condition
    return template(A=vpc(), B=vpc(), G=("AWS::EC2::InternetGateway", {}), H=("AWS::EC2::InternetGateway", {}), **entries)  # fmt: skip


G, H = {"Ref": "G"}, {"Ref": "H"}
VPN = {"VpcId": A, "VpnGatewayId": "vgw-1"}
GATEWAYS = [
    ("one each", attached((A, G), (B, H)), []),
    ("two of a VPC", attached((A, G), (A, H)), E),
    ("one of two VPCs", attached((A, G), (B, G)), E),
    ("one and the same", attached((A, G), (A, G)), [*E, *E]),
    ("by id", attached(("vpc-1", "igw-1"), ("vpc-1", "igw-2")), E),
    ("a virtual private gateway beside", template(**attached((A, G))["Resources"], V=("AWS::EC2::VPCGatewayAttachment", VPN)), []),
    ("perhaps", attached((A, G), (A, H), condition="Sometimes"), []),
    ("not known", attached((SOMETIMES, G), (SOMETIMES, H)), []),
]  # fmt: skip

IN, OUT = {"Egress": False}, {"Egress": True}


def walled(*entries: Body, where: str = "Storage", fsx_in: str = "Storage", user_data: Any = None, vpc_of_storage: Any = "vpc-1") -> Body:  # fmt: skip
    named = {
        f"Entry{number}": (
            "AWS::EC2::NetworkAclEntry",
            {"NetworkAclId": {"Ref": "Acl"}, "RuleNumber": number + 1, "Protocol": 6, "RuleAction": "allow", "CidrBlock": "10.0.0.0/16", **entry},
        )
        for number, entry in enumerate(entries)
    }  # fmt: skip
    return template(
        Nodes=nodes(TRN2, None, **({} if user_data is None else {"UserData": user_data})),
        Group=group([{"Ref": "Compute"}]),
        Vpc=vpc(),
        Other=vpc(),
        Compute=subnet(VpcId={"Ref": "Vpc"}),
        Storage=subnet(CidrBlock="10.0.1.0/24", VpcId=vpc_of_storage),
        Fsx=lustre({"DeploymentType": "SCRATCH_2"}, SubnetIds=[{"Ref": fsx_in}]),
        Acl=("AWS::EC2::NetworkAcl", {"VpcId": "vpc-1"}),
        On=("AWS::EC2::SubnetNetworkAclAssociation", {"SubnetId": {"Ref": where}, "NetworkAclId": {"Ref": "Acl"}}),
        **named,
    )  # fmt: skip


def between(first: int, last: int, **more: Any) -> Body:
    return {"PortRange": {"From": first, "To": last}, **more}


EVERY_WAY = [{"Protocol": -1, **IN}, {"Protocol": -1, **OUT}]
DENIED = {"RuleAction": "deny", "CidrBlock": "0.0.0.0/0", "RuleNumber": 1}
MOUNTS = {"Fn::Base64": {"Fn::Sub": "mount -t lustre ${Fsx.DNSName}@tcp:/x /fsx"}}
ACLS = [
    ("everything", walled(*EVERY_WAY), []),
    ("Lustre's ports", walled(between(988, 988, **IN), between(1018, 1023, **IN), between(988, 1023, **OUT)), []),
    ("nothing", walled(), [*W, *W]),
    ("nothing at the nodes", walled(where="Compute"), [*W, *W]),
    ("988 in, ephemeral out", walled(between(988, 988, **IN), between(1024, 65535, **OUT)), [*W, *W]),
    ("no answers out", walled(between(988, 1023, **IN), between(988, 988, **OUT)), W),
    ("denied first", walled(between(988, 988, **IN, **DENIED), {"Protocol": -1, **IN, "RuleNumber": 2}, {"Protocol": -1, **OUT}), W),
    ("denied last", walled({"Protocol": -1, **IN, "RuleNumber": 1}, between(988, 988, **IN, **{**DENIED, "RuleNumber": 2}), {"Protocol": -1, **OUT}), []),
    ("denied to some", walled(between(988, 988, **IN, **{**DENIED, "CidrBlock": "10.9.0.0/16"}), {"Protocol": -1, **IN, "RuleNumber": 2}, {"Protocol": -1, **OUT}), []),
    ("nothing, and they mount it", walled(user_data=MOUNTS), [*E, *E]),
    ("nothing, in the VPC of the nodes", walled(vpc_of_storage={"Ref": "Vpc"}), [*W, *W]),
    ("nothing, in another VPC", walled(vpc_of_storage={"Ref": "Other"}), []),
    ("nothing, in another VPC, at the nodes", walled(vpc_of_storage={"Ref": "Other"}, where="Compute"), []),
    ("in one subnet", walled(fsx_in="Compute", where="Compute"), []),
    ("number not known", walled(between(988, 988, **IN, **{**DENIED, "RuleNumber": SOMETIMES}), *EVERY_WAY), []),
    ("direction not known", walled({"Protocol": -1, "Egress": SOMETIMES}), []),
]  # fmt: skip


def hosted(*services: Any, kind: str = "AWS::EKS::Nodegroup", **more: Any) -> Body:
    named = {
        f"X{number}": (
            "AWS::EC2::VPCEndpoint",
            {"VpcId": {"Ref": "Vpc"}, "ServiceName": service, "VpcEndpointType": "Interface"},
        )
        for number, service in enumerate(services)
    }
    template_of = {"Id": {"Ref": "Nodes"}, "Version": "1"}
    return template(
        Vpc=vpc(),
        Compute=subnet(VpcId={"Ref": "Vpc"}),
        Nodes=nodes("trn1.32xlarge"),
        Group=(kind, {"ClusterName": "c", "NodeRole": "r", "Subnets": [{"Ref": "Compute"}], "LaunchTemplate": template_of}),
        **named,
        **more,
    )  # fmt: skip


def services(*names: str) -> list[str]:
    return [f"com.amazonaws.us-west-2.{name}" for name in names]


EKS = services("ec2", "ecr.api", "ecr.dkr", "s3")
BATCH = "AWS::Batch::ComputeEnvironment"


def batched(*services: str, **more: Any) -> Body:
    """AWS Batch in place of the node group."""
    body = hosted(*services)
    started = {
        "Subnets": [{"Ref": "Compute"}],
        "LaunchTemplate": {"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"},
    }
    body["Resources"]["Group"] = {
        "Type": BATCH,
        "Properties": {"Type": "MANAGED", "ComputeResources": started, **more},
    }
    return body  # fmt: skip


ON_EKS = {"EksConfiguration": {"EksClusterArn": "arn:aws:eks:us-west-2:111122223333:cluster/c"}}
HOSTS = [
    ("EKS, FIPS endpoints", hosted(*services("ec2-fips", "ecr.api-fips", "ecr.dkr-fips", "s3")), []),
    ("Batch, all", batched(*services("ecs", "ecs-agent", "ecs-telemetry")), []),
    ("Batch, FIPS endpoints", batched(*services("ecs-fips", "ecs-agent-fips", "ecs-telemetry-fips")), []),
    ("Batch, none of them", batched(*services("logs")), W),
    ("Batch on EKS, all", batched(*EKS, **ON_EKS), []),
    ("Batch on EKS, registry alone", batched(*services("ecr.api", "ecr.dkr", "s3"), **ON_EKS), W),
    ("Batch on EKS or not", batched(*EKS, EksConfiguration=SOMETIMES), []),
    ("EKS, all", hosted(*EKS), []),
    ("EKS, registry alone", hosted(*services("ecr.api", "ecr.dkr", "s3")), W),
    ("EKS, none here", hosted(), []),
    ("EKS, NAT", hosted(*EKS[1:], Nat=("AWS::EC2::NatGateway", {"SubnetId": "subnet-1"})), []),
    ("EKS, a route to somewhere", hosted(*EKS[1:], Table=("AWS::EC2::RouteTable", {"VpcId": {"Ref": "Vpc"}}), R=("AWS::EC2::Route", {"RouteTableId": {"Ref": "Table"}, "GatewayId": "tgw-1"})), []),
    ("EKS, service not known", hosted(*EKS[1:], SOMETIMES), []),
    ("a group by itself", template(**{**hosted(*EKS[1:])["Resources"], "Group": group([{"Ref": "Compute"}])}), []),
]  # fmt: skip

PUBLIC, PRIVATE = subnet(MapPublicIpOnLaunch=True), subnet(MapPublicIpOnLaunch=False)


def several(own: Any = None, group_in: str = "Private", **primary: Any) -> Body:
    """A launch template with two interfaces, and a group."""
    named = {} if own is None else {"SubnetId": own}
    return template(
        Nodes=nodes(TRN2, [interface(0, 0, "efa", **named, **primary), interface(1, 1, "efa", **named)]),
        Group=group([{"Ref": group_in}]),
        Public=PUBLIC,
        Private=PRIVATE,
    )  # fmt: skip


SUBNETS = [
    ("EFA-06 the group's", several(), []),
    ("EFA-06 the group's, public", several(group_in="Public"), E),
    ("EFA-06 the interface's", several({"Ref": "Private"}, "Public"), []),
    ("EFA-06 the interface's, public", several({"Ref": "Public"}), E),
    ("EFA-06 the interface's, public, refused", several({"Ref": "Public"}, AssociatePublicIpAddress=False), []),
    ("EFA-06 the interface's, not known", several(SOMETIMES, "Public"), []),
]  # fmt: skip


def served(
    *rules: Body,
    vpc_of_nodes: str = "Vpc",
    kind: str = "Interface",
    private_dns: Any = True,
    **resources: Any,
) -> Body:
    """An endpoint in A, nodes in B."""
    here = {"Ref": "Vpc"}
    return template(
        Vpc=vpc(),
        Other=vpc(),
        Compute=subnet(VpcId={"Ref": vpc_of_nodes}),
        A=security_group(VpcId=here),
        B=security_group(VpcId=here),
        C=security_group(VpcId=here),
        Nodes=nodes("trn1.32xlarge", SecurityGroupIds=[B]),
        Group=group([{"Ref": "Compute"}]),
        X=("AWS::EC2::VPCEndpoint", {"VpcId": here, "ServiceName": "com.amazonaws.us-west-2.ec2", "VpcEndpointType": kind, "SecurityGroupIds": [A], "PrivateDnsEnabled": private_dns}),
        **{f"R{number}": entry for number, entry in enumerate(rules)},
        **resources,
    )  # fmt: skip


def https(peer: Any = None, **more: Any) -> Body:
    return rule("Ingress", A, peer, IpProtocol="tcp", FromPort=443, ToPort=443, **more)


C = {"Ref": "C"}
SERVED = [
    ("NET-11 the nodes", served(https(B)), []),
    ("NET-11 others", served(https(C)), W),
    ("NET-11 others and the nodes, second of two", served(https(C), https(B)), []),
    ("NET-11 by address", served(https(C), https(CidrIp="10.0.0.0/16")), []),
    ("NET-11 all traffic from the nodes", served(https(C), rule("Ingress", A, B)), []),
    ("NET-11 nobody is TRN161's", served(), []),
    ("NET-11 nodes in another VPC", served(https(C), vpc_of_nodes="Other"), []),
    ("NET-11 from a group not known", served(https(C), https(SOMETIMES)), []),
    ("NET-11 others, and no private DNS", served(https(C), private_dns=False), []),
    ("NET-11 others, DNS not known", served(https(C), private_dns=SOMETIMES), W),
    ("NET-11 a gateway", served(https(C), kind="Gateway"), []),
]  # fmt: skip

TABLES: list[tuple[str, list[tuple[str, Body, list[str]]]]] = [
    ("TRN152", SUBNETS),
    ("TRN165", BLOCKS),
    ("TRN166", ROUTES),
    ("TRN167", ELSEWHERE),
    ("TRN168", TWICE),
    ("TRN169", COUNTS),
    ("TRN170", FLOW_LOGS),
    ("TRN171", GATEWAYS),
    ("TRN172", ACLS),
    ("TRN173", HOSTS),
    ("TRN174", SERVED),
]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [
        pytest.param(rule_id, body, expected, id=f"{rule_id} {name}")
        for rule_id, cases in TABLES
        for name, body, expected in cases
    ],
)
def test_template(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


def test_a_rule_of_another_stack_is_the_same_rule():
    network = template(A=security_group(SecurityGroupIngress=[FROM]))
    network["Outputs"] = {"Id": {"Value": ITSELF, "Export": {"Name": "net-A"}}}
    imported = {"Fn::ImportValue": "net-A"}
    added = {"Type": "AWS::EC2::SecurityGroupIngress", "Properties": {"GroupId": imported, **FROM}}
    (found,) = of_rule("TRN168", judge_template(network, template(More=added)))
    assert found.file == "1.yaml"
    assert "A has the same ingress rule in A" in found.message


DOOR = "rtb-0123456789abcdef0"
SAME: list[tuple[str, Any]] = [
    ("TRN166", ("AWS::EC2::Route", {"RouteTableId": DOOR, "DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": "nat-1"})),
    ("TRN168", ("AWS::EC2::SecurityGroupIngress", {"GroupId": "sg-0123456789abcdef0", **FROM})),
    ("TRN171", ("AWS::EC2::VPCGatewayAttachment", {"VpcId": "vpc-1", "InternetGatewayId": "igw-1"})),
]  # fmt: skip


@pytest.mark.parametrize(("rule_id", "made"), SAME)
def test_two_templates_may_be_two_ways_to_have_the_same(rule_id: str, made: Any):
    one, other = template(One=made), template(Other=made)
    assert severities(rule_id, judge_template(one, other)) == []
    assert severities(rule_id, judge_template(template(One=made, Other=made)))[:1] == E
    one["Outputs"] = {"Id": {"Value": "x", "Export": {"Name": "x"}}}
    other["Resources"]["More"] = security_group(GroupDescription={"Fn::ImportValue": "x"})
    assert severities(rule_id, judge_template(one, other))[:1] == E


def test_the_message_about_a_block_names_the_sizes():
    (found,) = of_rule("TRN165", judge_template(template(V=vpc(CidrBlock="10.0.0.0/8"))))
    assert found.message == "V: CidrBlock is 10.0.0.0/8, too large; EC2 takes /16 to /28"
    assert found.path == "/Resources/V/Properties/CidrBlock"
