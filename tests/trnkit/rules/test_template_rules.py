"""Templates that went wrong for real people, each beside the nearest one that is right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import base64
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    association,
    budget,
    email,
    group,
    interface,
    lustre,
    nodes,
    notification,
    older,
    recommended,
    rule,
    security_group,
    sns,
    subnet,
    template,
)

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
TRN1, TRN1N, TRN2, TRN2U = "trn1.32xlarge", "trn1n.32xlarge", "trn2.48xlarge", "trn2u.48xlarge"
A, B = {"Fn::GetAtt": ["A", "GroupId"]}, {"Ref": "B"}
SOMETIMES = {"Fn::If": ["Sometimes", "a", "b"]}


def one(instance_type: str | None, interfaces: Any = None, **more: Any) -> Body:
    return template(Nodes=nodes(instance_type, interfaces, **more))


def self_rules(groups: Any, **resources: Any) -> Body:
    attached = [interface(0, 0, "efa", Groups=groups)]
    return template(Nodes=nodes(None, attached), **resources)


def both_ways(owner: Any, prefix: str) -> dict[str, Body]:
    return {
        f"{prefix}In": rule("Ingress", owner, owner),
        f"{prefix}Out": rule("Egress", owner, owner),
    }


OUT_ANYWHERE = {"SecurityGroupEgress": [{"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}]}
EFA_GROUPS = [
    ("NET-01 both", self_rules([A], A=security_group(), **both_ways(A, "A")), []),
    (
        "NET-01 as the CDK makes it",
        self_rules(
            [A], A=security_group(**OUT_ANYWHERE), In=rule("Ingress", A, A)
        ),
        E,
    ),
    (
        "NET-01 with a rule of its own",
        self_rules([A], A=security_group(**OUT_ANYWHERE), **both_ways(A, "A")),
        [],
    ),
    (
        "NET-02 everywhere is not itself",
        self_rules([A], A=security_group(), In=rule("Ingress", A, A), Out=rule("Egress", A, CidrIp="0.0.0.0/0")),
        E,
    ),
    ("NET-02 no ingress", self_rules([A], A=security_group(), Out=rule("Egress", A, A)), E),
    ("NET-02 from another", self_rules([A], A=security_group(), B=security_group(), In=rule("Ingress", A, B), Out=rule("Egress", A, A)), E),
    ("NET-02 TCP only", self_rules([A], A=security_group(), In=rule("Ingress", A, A, IpProtocol="tcp", FromPort=0, ToPort=65535), Out=rule("Egress", A, A)), E),
    ("NET-04 number, ports, self second", self_rules([A], A=security_group(), B=security_group(), First=rule("Ingress", A, B), In=rule("Ingress", A, A, IpProtocol=-1, FromPort=0, ToPort=0), Out=rule("Egress", A, A)), []),
    ("NET-04 inline", self_rules([B], B=security_group(SecurityGroupIngress={"IpProtocol": "-1", "SourceSecurityGroupId": B}, SecurityGroupEgress=[{"IpProtocol": "-1", "DestinationSecurityGroupId": B}])), []),
    ("NET-04 not known: inline list", self_rules([A], A=security_group(SecurityGroupIngress=SOMETIMES), Out=rule("Egress", A, A)), []),
    ("NET-04 not known: whose rule", self_rules([A], A=security_group(), In=rule("Ingress", SOMETIMES, A), Out=rule("Egress", A, A)), []),
    ("NET-04 not known: group", self_rules([A, "sg-1"], A=security_group()), []),
    ("NET-04 not known: imported", self_rules([{"Fn::ImportValue": "efa"}], A=security_group()), []),
    ("EFA-09 one of two", self_rules([A, B], A=security_group(), B=security_group(), **both_ways(B, "B")), []),
    ("EFA-09 neither of two", self_rules([A, B], A=security_group(), B=security_group()), E),
    ("EFA-09 plain interface", template(Nodes=nodes(TRN1, [interface(0, 0, "interface", Groups=[A])]), A=security_group()), []),
]  # fmt: skip

PUBLIC = {"AssociatePublicIpAddress": True}
PUBLIC_ADDRESSES = [
    ("EFA-06 none", one(TRN2, older(16)), []),
    ("EFA-06 false", one(TRN2, [interface(0, 0, "efa", AssociatePublicIpAddress=False), interface(1, 1, "efa")]), []),
    ("EFA-06 true", one(TRN2, [interface(0, 0, "efa", **PUBLIC), interface(1, 1, "efa")]), E),
    ("EFA-06 text", one(TRN2, [interface(0, 0, "efa", AssociatePublicIpAddress="true"), interface(1, 1, "efa")]), E),
    ("EFA-06 one address, disputed", one(TRN2, [interface(0, 0, "interface", **PUBLIC), interface(0, 1, "efa-only")]), W),
    ("EFA-06 single interface", one("t3.micro", [interface(0, 0, "interface", **PUBLIC)]), []),
    ("EFA-06 perhaps single", one("t3.micro", [interface(0, 0, "interface", **PUBLIC), SOMETIMES]), []),
    ("EFA-06 public subnet", template(Nodes=nodes(TRN2, older(16)), Group=group([{"Ref": "Subnet"}]), Subnet=subnet(MapPublicIpOnLaunch=True)), E),
    ("EFA-06 private subnet", template(Nodes=nodes(TRN2, older(16)), Group=group([{"Ref": "Subnet"}]), Subnet=subnet()), []),
    ("EFA-06 public subnet refused", template(Nodes=nodes(TRN2, [interface(0, 0, "efa", AssociatePublicIpAddress=False), interface(1, 1, "efa")]), Group=group([{"Ref": "Subnet"}]), Subnet=subnet(MapPublicIpOnLaunch=True)), []),
]  # fmt: skip


def placed(
    instance_type: str, zone: Any, subnets: Any = None, group_more: Body | None = None, **more: Any
) -> Body:
    return template(
        Nodes=nodes(instance_type, **more),
        Group=group(subnets or [{"Ref": "Subnet"}], **(group_more or {})),
        Subnet=subnet(AvailabilityZoneId=zone),
    )


OVERRIDES = {
    "MixedInstancesPolicy": {"LaunchTemplate": {"Overrides": [{"InstanceType": "m5.large"}]}}
}
ZONES = [
    ("NET-06 az4", placed(TRN1, "usw2-az4"), []),
    ("NET-06 az2", placed(TRN1, "usw2-az2"), E),
    ("NET-06 trn1n az1", placed(TRN1N, "usw2-az1"), E),
    ("NET-06 trn2 in use1", placed(TRN2, "use1-az4"), E),
    ("NET-06 not known: zone", placed(TRN1, SOMETIMES), []),
    ("NET-06 not known: region", placed(TRN1, "xyz1-az1"), []),
    ("NET-06 not known: type", placed("p5.48xlarge", "usw2-az2"), []),
    ("NET-06 another type", placed(TRN1, "usw2-az2", group_more=OVERRIDES), []),
    ("CAP-06 block", placed(TRN2U, "use2-az1", InstanceMarketOptions={"MarketType": "capacity-block"}), []),
    ("NET-06 not known: subnets", placed(TRN1, "usw2-az2", {"Ref": "SubnetIds"}), []),
]  # fmt: skip


def together(*subnets: Body, strategy: str = "cluster", **more: Any) -> Body:
    named = {f"Subnet{number}": entry for number, entry in enumerate(subnets)}
    return template(
        Together=("AWS::EC2::PlacementGroup", {"Strategy": strategy}),
        Nodes=nodes(TRN2, Placement={"GroupName": {"Ref": "Together"}}, **more),
        Group=group([{"Ref": name} for name in named]),
        **named,
    )


def chosen(index: int) -> Body:
    return subnet(AvailabilityZone={"Fn::Select": [index, {"Fn::GetAZs": ""}]})


USE2A, USE2B = subnet(AvailabilityZone="us-east-2a"), subnet(AvailabilityZone="us-east-2b")
PLACEMENT = [
    ("NET-08 one", together(USE2A), []),
    ("NET-08 two zones", together(USE2A, USE2B), E),
    ("NET-08 two zone ids", together(subnet(AvailabilityZoneId="use2-az1"), subnet(AvailabilityZoneId="use2-az2")), E),
    ("NET-08 chosen by number", together(chosen(0), chosen(1)), E),
    ("NET-08 one zone, two subnets", together(USE2A, USE2A), []),
    ("NET-08 id and name", together(USE2A, subnet(AvailabilityZoneId="use2-az2")), []),
    ("NET-08 zones not known", together(subnet(), subnet(AvailabilityZone=SOMETIMES)), []),
    ("NET-08 partition", together(USE2A, USE2B, strategy="partition"), []),
]  # fmt: skip


def vpc(*endpoints: Body, target: Body | None = None) -> Body:
    route = target or {"NatGatewayId": "nat-1"}
    named = {
        f"Endpoint{number}": {"Type": "AWS::EC2::VPCEndpoint", "Properties": entry}
        for number, entry in enumerate(endpoints)
    }
    return template(
        Vpc=("AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16"}),
        Table=("AWS::EC2::RouteTable", {"VpcId": {"Ref": "Vpc"}}),
        Default=(
            "AWS::EC2::Route",
            {"RouteTableId": {"Ref": "Table"}, "DestinationCidrBlock": "0.0.0.0/0", **route},
        ),
        **named,
    )


def endpoint(service: Any, tables: Any, **more: Any) -> Body:
    return {"VpcId": {"Ref": "Vpc"}, "ServiceName": service, "RouteTableIds": tables, **more}


JOINED = {"Fn::Join": ["", ["com.amazonaws.", {"Ref": "AWS::Region"}, ".s3"]]}
OF_TABLE = [{"Ref": "Table"}]
ENDPOINTS = [
    ("NET-10 none", vpc(), W),
    ("NET-10 gateway", vpc(endpoint("com.amazonaws.us-east-2.s3", OF_TABLE)), []),
    ("NET-10 region not known", vpc(endpoint(JOINED, OF_TABLE, VpcEndpointType="Gateway")), []),
    ("NET-10 DynamoDB", vpc(endpoint("com.amazonaws.us-east-2.dynamodb", OF_TABLE)), W),
    ("NET-10 interface", vpc(endpoint(JOINED, OF_TABLE, VpcEndpointType="Interface")), W),
    ("NET-10 another table", vpc(endpoint(JOINED, ["rtb-1"])), W),
    ("NET-10 tables not known", vpc(endpoint(JOINED, SOMETIMES)), []),
    ("NET-10 service not known", vpc(endpoint(SOMETIMES, OF_TABLE)), []),
    ("NET-10 public", vpc(target={"GatewayId": "igw-1"}), []),
]

EFA_COUNTS = [
    ("EFA-02 trn2 16", one(TRN2, recommended(16)), []),
    ("EFA-02 trn2 older", one(TRN2, older(16)), []),
    ("EFA-02 trn2u 16", one(TRN2U, recommended(16)), []),
    ("EFA-02 trn1 8", one(TRN1, recommended(8)), []),
    ("EFA-02 trn1n 16", one(TRN1N, recommended(16)), []),
    ("EFA-02 trn2 8", one(TRN2, older(8)), W),
    ("EFA-02 trn2u 8", one(TRN2U, older(8)), W),
    ("EFA-02 none", one(TRN2), W),
    ("EFA-02 plain", one(TRN2, [interface(0, 0, None)]), W),
    ("EFA-04 17", one(TRN2, [*older(16), interface(0, 1, "efa")]), E),
    ("EFA-10 trn1.2xlarge", one("trn1.2xlarge", [interface(0, 0, "efa")]), E),
    ("EFA-10 trn1.2xlarge plain", one("trn1.2xlarge"), []),
    ("EFA-10 trn2.3xlarge 1", one("trn2.3xlarge", recommended(1)), []),
    ("EFA-10 trn2.3xlarge 0, disputed", one("trn2.3xlarge"), []),
    ("EFA-10 trn2.3xlarge 16", one("trn2.3xlarge", older(16)), E),
    ("not in the catalogue", one("p5.48xlarge", older(8)), []),
    ("no type", one(None, older(8)), []),
    ("list not known", one(TRN2, SOMETIMES), []),
    ("one not known", one(TRN2, [*older(8), SOMETIMES]), []),
    ("kind not known", one(TRN2, [interface(0, 0, SOMETIMES)]), []),  # type: ignore[arg-type]
]

COUNTED_UP = [interface(number, number, "efa") for number in range(16)]
SLOTS = [
    ("EFA-03 recommended trn2", one(TRN2, recommended(16)), []),
    ("EFA-03 recommended trn1", one(TRN1, recommended(8)), []),
    ("EFA-03 efa first", one(TRN2, [interface(0, 0, "efa"), *recommended(16)[2:]]), []),
    ("EFA-01 older", one(TRN2, older(16)), []),
    ("EFA-01 counted up", one(TRN2, COUNTED_UP), E),
    ("EFA-01 trn1, 5 slots", one(TRN1, [interface(0, 0, "efa"), interface(1, 5, "efa")]), E),
    ("EFA-01 twice", one(TRN2, [interface(0, 0, "efa"), interface(0, 0, "interface")]), E),
    ("EFA-03 efa-only first", one(TRN2, [interface(0, 0, "efa-only")]), E),
    ("EFA-03 nothing first", one(TRN2, [interface(1, 0, "efa-only")]), E),
    ("EFA-05 no such card", one(TRN1, [interface(0, 0, "efa"), interface(8, 0, "efa-only")]), E),
    ("3.4 two on a card", one(TRN2, [interface(0, 0, "efa"), interface(0, 1, "efa-only")]), E),
    ("EFA-01 left behind", one(TRN2, [interface(0, 0, "efa", DeleteOnTermination=False)]), W),
    ("EFA-01 as text", one(TRN2, [{**interface(0, 0, "efa"), "DeviceIndex": "0", "NetworkCardIndex": "0"}]), []),
    ("card not written", one(TRN2, [{"DeviceIndex": 0, "InterfaceType": "efa", "Groups": ["sg-1"]}]), []),
    ("slots not known", one(TRN2, [{**interface(0, 0, "efa"), "DeviceIndex": SOMETIMES}]), []),
    ("not in the catalogue", one("p5.48xlarge", COUNTED_UP), []),
]  # fmt: skip

GROUPS = [
    ("EFA-07 on interfaces", one(TRN2, recommended(16)), []),
    ("EFA-07 beside", one(TRN2, recommended(16), SecurityGroupIds=["sg-1"]), E),
    ("EFA-07 names beside", one("m5.large", [interface(0, 0, None)], SecurityGroups=["x"]), E),
    ("EFA-07 without interfaces", one("m5.large", SecurityGroupIds=["sg-1"]), []),
    ("EFA-07 nothing beside", one(TRN2, older(16), SecurityGroupIds={"Ref": "AWS::NoValue"}), []),
    ("EFA-09 no groups", one(TRN2, [{"DeviceIndex": 0, "InterfaceType": "efa"}]), W),
    ("EFA-09 ordinary, no groups", one("m5.large", [{"DeviceIndex": 0}]), []),
    ("EFA-09 an interface of one's own", one(TRN2, [{"DeviceIndex": 0, "NetworkInterfaceId": "eni-1"}]), []),
]  # fmt: skip


def metadata(**options: Any) -> Body:
    return one(TRN2, MetadataOptions=options)


METADATA = [
    ("AMI-12 both", metadata(HttpTokens="required", HttpPutResponseHopLimit=2), []),
    ("AMI-12 three", metadata(HttpTokens="required", HttpPutResponseHopLimit="3"), []),
    ("AMI-12 no limit", metadata(HttpTokens="required"), W),
    ("AMI-12 one", metadata(HttpTokens="required", HttpPutResponseHopLimit=1), W),
    ("AMI-12 optional", metadata(HttpTokens="optional", HttpPutResponseHopLimit=2), W),
    ("AMI-12 nothing", one(TRN2), W),
    ("AMI-12 off", metadata(HttpEndpoint="disabled"), []),
    ("AMI-12 not known", one(TRN2, MetadataOptions=SOMETIMES), []),
    ("AMI-12 ordinary node", one("m5.large"), []),
    ("AMI-12 EFA without a known type", one(None, [interface(0, 0, "efa")]), W),
]


def user_data(value: Any) -> Body:
    return one(TRN2, UserData=value)


def plain(size: int, character: str = "x") -> Body:
    return {"Fn::Base64": character * size}


NAME = {"Ref": "Name"}
USER_DATA = [
    ("AMI-06 short", user_data(plain(100)), []),
    ("AMI-06 13999", user_data(plain(13_999)), []),
    ("AMI-06 14000", user_data(plain(14_000)), W),
    ("AMI-06 16384", user_data(plain(16_384)), W),
    ("AMI-06 16385", user_data(plain(16_385)), E),
    ("AMI-06 bytes, not characters", user_data(plain(8_193, "é")), E),
    ("AMI-06 encoded", user_data(base64.b64encode(b"x" * 16_385).decode()), E),
    ("AMI-06 encoded 12 kB are 16 kB", user_data(base64.b64encode(b"x" * 12_300).decode()), []),
    ("AMI-06 joined", user_data({"Fn::Base64": {"Fn::Join": ["", ["x" * 16_000, NAME, "x" * 400]]}}), E),
    ("AMI-06 substituted", user_data({"Fn::Base64": {"Fn::Sub": "x" * 16_380 + "${Name}" + "xxxxx"}}), E),
    ("AMI-06 substituted list", user_data({"Fn::Base64": {"Fn::Sub": ["x" * 16_380 + "${Name}", {}]}}), W),
    ("AMI-06 not known", user_data(NAME), []),
    ("AMI-06 ordinary node", one("m5.large", UserData=plain(20_000)), []),
]  # fmt: skip

COMPLETE = [
    ("EFA-13 empty", template(Nodes=("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": {}})), E),
    ("EFA-13 absent", template(Nodes=("AWS::EC2::LaunchTemplate", {})), E),
    ("EFA-13 not known", template(Nodes=("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": SOMETIMES})), []),
    ("EFA-13 override", one(TRN2, image_id="ami-1"), E),
    ("EFA-13 deep", one(TRN2, [{"device_index": 0, "Groups": ["sg-1"]}]), E),
    ("EFA-13 tag", one(TRN2, TagSpecifications=[{"Tags": [{"Key": "cost_center", "Value": "a_b"}]}]), []),
    ("EFA-13 within a function", one(TRN2, UserData={"Fn::Base64": {"Fn::Sub": ["${my_name}", {"my_name": "x"}]}}), []),
    ("EFA-13 somebody's own map", template(Function=("AWS::Lambda::Function", {"Environment": {"Variables": {"my_name": "x"}}})), []),
    ("EFA-13 cost filters", template(Budget=budget(CostFilters={"my_filter": ["x"]})), []),
]  # fmt: skip


def versioned(instance_type: str, version: Any) -> Body:
    return template(Nodes=nodes(instance_type), Group=group(["subnet-1"], version))


VERSIONS = [
    ("AMI-09 attribute", versioned(TRN2, None), []),
    ("AMI-09 number", versioned(TRN2, "3"), []),
    ("AMI-09 $Latest", versioned(TRN2, "$Latest"), W),
    ("AMI-09 $Default", versioned(TRN2, "$Default"), W),
    ("AMI-09 ordinary node", versioned("m5.large", "$Latest"), []),
]


def volume(**ebs: Any) -> Body:
    return one(TRN2, BlockDeviceMappings=[{"DeviceName": "/dev/sda1", "Ebs": ebs}])


VOLUMES = [
    ("AMI-02 encrypted", volume(VolumeSize=512, Encrypted=True), []),
    ("AMI-02 as text", volume(VolumeSize=512, Encrypted="true"), []),
    ("AMI-02 absent", volume(VolumeSize=512), W),
    ("AMI-02 false", volume(VolumeSize=512, Encrypted=False), W),
    ("AMI-02 of a snapshot", volume(SnapshotId="snap-1"), []),
    ("AMI-02 not known", volume(VolumeSize=512, Encrypted=SOMETIMES), []),
    ("AMI-02 no mapping", one(TRN2), []),
    ("AMI-02 ephemeral", one(TRN2, BlockDeviceMappings=[{"DeviceName": "/dev/sdb", "VirtualName": "ephemeral0"}]), []),
]  # fmt: skip


def fsx(
    kind: str | None, throughput: Any = None, *, linked: bool = False, **properties: Any
) -> Body:
    configuration: Body = properties.pop("more", {})
    if kind is not None:
        configuration = {"DeploymentType": kind, **configuration}
    if throughput is not None:
        configuration = {"PerUnitStorageThroughput": throughput, **configuration}
    links = {"Link": association()} if linked else {}
    return template(Fsx=lustre(configuration, **properties), **links)


P1, P2, S1, S2 = "PERSISTENT_1", "PERSISTENT_2", "SCRATCH_1", "SCRATCH_2"
HDD = {"StorageType": "HDD", "StorageCapacity": 6000}
EFA = {"more": {"EfaEnabled": True, "MetadataConfiguration": {"Mode": "AUTOMATIC"}}}
LUSTRE = [
    *[
        (f"FSX-01 P2 {gib}", fsx(P2, 125, StorageCapacity=gib), verdict)
        for gib, verdict in [
            *[(1200, []), (2400, []), (3600, E), (4800, []), (7200, []), (1000, E), (3599, E)],
            *[(96000, []), ("2400", []), ("3600", E), (SOMETIMES, [])],
        ]
    ],
    ("FSX-01 S1 3600", fsx(S1, StorageCapacity=3600), []),
    ("FSX-01 default type 3600", fsx(None, StorageCapacity=3600), []),
    ("FSX-01 S1 4800", fsx(S1, StorageCapacity=4800), E),
    ("FSX-01 HDD 6000 at 12", fsx(P1, 12, **HDD), []),
    ("FSX-01 HDD 6000 at 40", fsx(P1, 40, **HDD), E),
    ("FSX-01 HDD 1800 at 40", fsx(P1, 40, StorageType="HDD", StorageCapacity=1800), []),
    *[(f"FSX-02 P2 {mbps}", fsx(P2, mbps), []) for mbps in (125, 250, 500, 1000, "250", SOMETIMES)],
    *[(f"FSX-02 P2 {mbps}", fsx(P2, mbps), E) for mbps in (50, 100, 200, 12, 40)],
    *[(f"FSX-02 P1 {mbps}", fsx(P1, mbps), []) for mbps in (50, 100, 200)],
    *[(f"FSX-02 P1 {mbps}", fsx(P1, mbps), E) for mbps in (125, 250, 500, 1000, 12, 40)],
    *[(f"FSX-02 {kind} {mbps}", fsx(kind, mbps, StorageCapacity=2400), E) for kind in (S1, S2) for mbps in (50, 125)],
    ("FSX-02 type not known", fsx(SOMETIMES, 100, StorageCapacity=3600), []),  # type: ignore[arg-type]
    ("FSX-03 P2 without", fsx(P2), E),
    ("FSX-03 P1 without", fsx(P1), E),
    ("FSX-03 S2 without", fsx(S2), []),
    ("FSX-03 from a backup", fsx(P2, BackupId="backup-1"), []),
    ("FSX-03 Intelligent-Tiering", fsx(P2, StorageType="INTELLIGENT_TIERING"), []),
    ("FSX-12 EFA 19200 at 250", fsx(P2, 250, StorageCapacity=19200, **EFA), []),
    ("FSX-12 EFA 4800 at 250", fsx(P2, 250, StorageCapacity=4800, **EFA), E),
    ("FSX-12 EFA 4800 at 1000", fsx(P2, 1000, StorageCapacity=4800, **EFA), []),
    ("FSX-12 EFA on P1", fsx(P1, 100, more={"EfaEnabled": True}), E),
    ("FSX-16 2.15", fsx(P2, 125, FileSystemTypeVersion="2.15"), []),
    ("FSX-16 number", fsx(P2, 125, FileSystemTypeVersion=2.15), []),
    ("FSX-16 P2 2.10", fsx(P2, 125, FileSystemTypeVersion="2.10"), E),
    ("FSX-16 S2 2.10", fsx(S2, FileSystemTypeVersion="2.10"), []),
    ("FSX-16 S2 2.10 and DRA", fsx(S2, linked=True, FileSystemTypeVersion="2.10"), E),
    ("FSX-16 2.12 and metadata", fsx(P2, 125, FileSystemTypeVersion="2.12", more={"MetadataConfiguration": {"Mode": "AUTOMATIC"}}), E),
    ("Windows is another matter", template(Fsx=lustre({}, FileSystemType="WINDOWS", StorageCapacity=3600)), []),
]  # fmt: skip

SUBNETS = [
    ("FSX-14 one", fsx(S2), []),
    ("FSX-14 two", fsx(S2, SubnetIds=["subnet-1", "subnet-2"]), E),
    ("FSX-14 none", fsx(S2, SubnetIds=[]), E),
    ("FSX-14 perhaps two", fsx(S2, SubnetIds=["subnet-1", SOMETIMES]), []),
    ("FSX-14 not known", fsx(S2, SubnetIds={"Ref": "Subnets"}), []),
    ("FSX-14 other kind", template(Fsx=lustre({}, FileSystemType="ONTAP", SubnetIds=["a", "b"])), []),
]  # fmt: skip


def policies(kind: str = P2, **attributes: Any) -> Body:
    body = fsx(kind, 125 if kind == P2 else None)
    entry = body["Resources"]["Fsx"]
    kept = {key: value for key, value in entry.items() if not key.endswith("Policy")}
    body["Resources"]["Fsx"] = {**kept, **attributes}
    return body


KEPT = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
IN_GROUP = {"SecurityGroupIds": [A]}
RETENTION = [
    ("FSX-10 both", policies(**KEPT), []),
    ("FSX-10 except on create", policies(**{**KEPT, "DeletionPolicy": "RetainExceptOnCreate"}), []),
    ("FSX-10 neither", policies(), E),
    ("FSX-10 the forgotten one", policies(DeletionPolicy="Retain"), E),
    ("FSX-10 Delete on purpose", policies(DeletionPolicy="Delete", UpdateReplacePolicy="Delete"), W),
    ("FSX-10 scratch", policies(S2), I),
    ("no policy", policies(**{**KEPT, "DeletionPolicy": "retain"}), E),
    ("no policy of file systems", policies(DeletionPolicy="Delete", UpdateReplacePolicy="Snapshot"), E),
    ("no policy, scratch", policies(S2, DeletionPolicy="Snapshot"), E),
    ("FSX-10 not known", policies(DeletionPolicy=SOMETIMES, UpdateReplacePolicy=SOMETIMES), []),
    ("FSX-10 group goes", template(Fsx=lustre({"DeploymentType": S2}, **IN_GROUP), A=security_group()), W),
    ("FSX-10 group stays", template(Fsx=lustre({"DeploymentType": S2}, **IN_GROUP), A={**security_group(), **KEPT}), []),
]  # fmt: skip


def tcp(direction: str, owner: Any, peer: Any, first: int, last: int, **more: Any) -> Body:
    return rule(direction, owner, peer, IpProtocol="tcp", FromPort=first, ToPort=last, **more)


def ports(*depends: str, inline: Body | None = None, **resources: Body) -> Body:
    file_system = lustre({"DeploymentType": S2}, **IN_GROUP)
    if depends:
        file_system["DependsOn"] = list(depends)
    return template(Fsx=file_system, A=security_group(**(inline or {})), **resources)


ONE, REST = tcp("Ingress", A, A, 988, 988), tcp("Ingress", A, A, 1018, 1023)
NOTHING_OUT = {"SecurityGroupEgress": [{"IpProtocol": "icmp", "CidrIp": "255.255.255.255/32"}]}
FROM_VPC = {
    "SecurityGroupIngress": [
        {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 1023, "CidrIp": "10.0.0.0/16"}
    ]
}
PORTS = [
    ("FSX-09 both", ports("One", "Rest", One=ONE, Rest=REST), []),
    ("FSX-09 988 only", ports("One", One=ONE), E),
    ("FSX-09 not all", ports("One", "Rest", One=ONE, Rest=tcp("Ingress", A, A, 1018, 1021)), E),
    ("FSX-09 in one range", ports("All", All=tcp("Ingress", A, A, 988, 1023)), []),
    ("FSX-09 all traffic", ports("All", All=rule("Ingress", A, A)), []),
    ("FSX-09 clients only", ports("One", B=security_group(), One=tcp("Ingress", A, B, 988, 1023)), E),
    ("FSX-09 by address", ports(inline=FROM_VPC), []),
    ("FSX-09 too early", ports(One=ONE, Rest=REST), W),
    ("FSX-09 half too early", ports("One", One=ONE, Rest=REST), W),
    ("FSX-09 waits for one that waits", ports("Rest", One=ONE, Rest={**REST, "DependsOn": "One"}), []),
    ("FSX-09 nothing out", ports("One", "Rest", inline=NOTHING_OUT, One=ONE, Rest=REST), E),
    ("FSX-09 out to itself", ports("One", "Rest", "Out", inline=NOTHING_OUT, One=ONE, Rest=REST, Out=rule("Egress", A, A)), []),
    ("FSX-09 rules not known", ports(One=rule("Ingress", SOMETIMES, A)), []),
    ("FSX-09 group not known", template(Fsx=lustre({}, SecurityGroupIds=["sg-1"])), []),
]  # fmt: skip


def configured(*links: Body, kind: str = P2, **configuration: Any) -> Body:
    named = {f"Link{number}": link for number, link in enumerate(links)}
    return template(Fsx=lustre({"DeploymentType": kind, **configuration}), **named)


ASSOCIATIONS = [
    ("FSX-08 without", configured(association()), []),
    ("FSX-08 7 days", configured(association(), AutomaticBackupRetentionDays=7), E),
    ("FSX-08 0 days", configured(association(), AutomaticBackupRetentionDays=0), W),
    ("FSX-08 no value", configured(association(), AutomaticBackupRetentionDays={"Ref": "AWS::NoValue"}), []),
    ("FSX-08 not linked", configured(AutomaticBackupRetentionDays=7), []),
    *[(f"FSX-04 {key}", configured(**{key: "x"}), E) for key in ("ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize")],
    ("FSX-04 scratch", configured(kind=S2, ImportPath="s3://example-bucket"), []),
    ("FSX-04 scratch and DRA", configured(association(), kind=S2, ImportPath="s3://example-bucket"), E),
    ("FSX-05 no slash", configured(association("data")), E),
    ("FSX-05 two slashes", configured(association("//data")), E),
    ("FSX-05 as in the API's own example", configured(association("/ns1/")), []),
    ("FSX-05 no scheme", configured(association("/a", "example-bucket")), E),
    ("FSX-05 bucket not known", configured(association("/a", {"Fn::Sub": "s3://${Bucket}/a"})), []),
    ("6.5 overlap", configured(association("/", "s3://example-bucket/a"), association("/b", "s3://example-bucket/b")), E),
]  # fmt: skip


def action(name: Any, *subscribers: Body) -> Body:
    return {
        "Type": "AWS::Budgets::BudgetsAction",
        "Properties": {"BudgetName": name, "Subscribers": list(subscribers)},
    }


SILENT = {
    "Type": "AWS::Budgets::Budget",
    "Properties": {"Budget": {"BudgetType": "COST", "BudgetName": "monthly"}},
}
HEARD = {"Type": "EMAIL", "Address": "a@example.com"}
ACTIONS = [
    ("somebody", action({"Ref": "Budget"}, HEARD), []),
    ("somebody, by name", action("monthly", HEARD), []),
    ("somebody, perhaps", action(SOMETIMES, HEARD), []),
    ("nobody", action({"Ref": "Budget"}), W),
    ("somebody of another budget", action("daily", HEARD), W),
]
MANY = [email(number) for number in range(11)]
SUBSCRIBERS = [
    ("BUD-04 10", template(Budget=budget(notification(*MANY[:10]))), []),
    ("BUD-04 11", template(Budget=budget(notification(*MANY))), E),
    ("BUD-04 topic and 10", template(Budget=budget(notification(*MANY[:10], sns("arn:a")))), []),
    ("BUD-04 two topics", template(Budget=budget(notification(sns("arn:a"), sns("arn:b")))), E),
    ("BUD-04 nobody", template(Budget=budget({**notification(), "Subscribers": []})), E),
    ("BUD-04 not known", template(Budget=budget({**notification(), "Subscribers": SOMETIMES})), []),
    ("BUD-04 no notification", template(Budget=("AWS::Budgets::Budget", {"Budget": {"BudgetType": "COST"}})), W),
    ("BUD-04 the same twice", template(Budget=budget(notification(email(0), email(1), email(0)))), W),
    ("BUD-04 the same twice, in capitals", template(Budget=budget(notification(email(0), {**email(0), "Address": "A0@example.com"}))), W),
    ("BUD-04 the same at two thresholds", template(Budget=budget(notification(), notification(threshold=90))), []),
    ("BUD-04 two not known", template(Budget=budget(notification({**email(0), "Address": SOMETIMES}, {**email(0), "Address": SOMETIMES}))), []),
    *[
        (f"BUD-04 an action tells {name}", {"Resources": {"Budget": SILENT, "Action": action}}, expected)
        for name, action, expected in ACTIONS
    ],
    ("8.1 five", template(Budget=budget(*[notification(threshold=n) for n in range(1, 6)])), []),
    ("8.1 six", template(Budget=budget(*[notification(threshold=n) for n in range(1, 7)])), W),
    ("8.1 eleven", template(Budget=budget(*[notification(threshold=n) for n in range(1, 12)])), E),
]  # fmt: skip


KEPT_BACK = [{"Key": "Project", "Value": "llm", "PropagateAtLaunch": False}]


def filtered(*texts: Any, tags: Any = (("Project", "llm"),), own: Any = (), **more: Any) -> Body:
    specification = {
        "ResourceType": "instance",
        "Tags": [{"Key": key, "Value": value} for key, value in tags],
    }
    propagated = [{"Key": k, "Value": v, "PropagateAtLaunch": True} for k, v in own]
    return template(
        Budget=budget(CostFilters={"TagKeyValue": list(texts)}),
        Nodes=nodes(TRN2, TagSpecifications=[specification]),
        Group=group(["subnet-1"], Tags=propagated),
        **more,
    )


OTHER = nodes(TRN2, TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "Project", "Value": "b"}]}])  # fmt: skip
TAG_FILTERS = [
    ("BUD-01 right", filtered("user:Project$llm"), []),
    ("BUD-01 equals", filtered("Project=llm"), E),
    ("BUD-01 no prefix", filtered("Project$llm"), E),
    ("BUD-01 swallowed", filtered("user:Project"), E),
    ("BUD-01 hard value", filtered("user:a:b$c${d} =e", tags=[("a:b", "c${d} =e")]), []),
    ("BUD-01 AWS's own", filtered("aws:createdBy$x", tags=[("aws:createdBy", "x")]), []),
    ("BUD-01 not known", filtered(SOMETIMES), []),
    ("BUD-11 missing", filtered("user:Project$llm", tags=[("Name", "x")]), W),
    ("BUD-11 other value", filtered("user:Project$llm", tags=[("Project", "x")]), W),
    ("BUD-11 by the group", filtered("user:Project$llm", tags=[("Name", "x")], own=[("Project", "llm")]), []),
    ("BUD-11 kept by the group", template(**{**filtered("user:Project$llm", tags=[("Name", "x")])["Resources"], "Group": group(["subnet-1"], Tags=KEPT_BACK)}), W),
    ("BUD-11 either of two", filtered("user:Project$llm", "user:Project$b", Other=OTHER), []),
    ("BUD-11 each its budget", filtered("user:Project$llm", Other=OTHER, Second=budget(CostFilters={"TagKeyValue": ["user:Project$b"]})), []),
    ("BUD-11 one uncounted", filtered("user:Project$llm", Other=OTHER), W),
    ("BUD-11 another budget counts all", filtered("user:Project$llm", Other=OTHER, Whole=budget()), []),
    ("BUD-11 tags not known", filtered("user:Project$llm", tags=[("Name", SOMETIMES)]), []),
    ("BUD-11 ordinary nodes", template(Budget=budget(CostFilters={"TagKeyValue": ["user:Project$llm"]}), Web=nodes("m5.large", TagSpecifications=[{"ResourceType": "instance", "Tags": []}])), []),
]  # fmt: skip


def statement(action: Any, service: Any, effect: str = "Allow") -> Body:
    return {
        "Effect": effect,
        "Action": action,
        "Principal": {"Service": service},
        "Resource": "*",
    }


def topic(*resources: Body, **properties: Any) -> Body:
    named = {f"More{number}": resource for number, resource in enumerate(resources)}
    return template(
        Topic=("AWS::SNS::Topic", properties),
        Budget=budget(notification(sns({"Ref": "Topic"}))),
        **named,
    )


def policy(*statements: Any, topics: Any = None) -> Body:
    return {
        "Type": "AWS::SNS::TopicPolicy",
        "Properties": {
            "Topics": topics or [{"Ref": "Topic"}],
            "PolicyDocument": {"Statement": list(statements)},
        },
    }


BUDGETS, WATCH = "budgets.amazonaws.com", "cloudwatch.amazonaws.com"
TOPIC_POLICIES = [
    ("BUD-05 none", topic(), E),
    ("BUD-05 budgets", topic(policy(statement("SNS:Publish", BUDGETS))), []),
    ("BUD-05 one of several", topic(policy(statement(["sns:Subscribe", "sns:Publish"], [WATCH, BUDGETS]))), []),
    ("BUD-05 pattern", topic(policy(statement("sns:*", BUDGETS))), []),
    ("BUD-05 other service", topic(policy(statement("sns:Publish", WATCH))), E),
    ("BUD-05 other action", topic(policy(statement("sns:Subscribe", BUDGETS))), E),
    ("BUD-05 denied", topic(policy(statement("sns:Publish", BUDGETS, "Deny"))), E),
    ("BUD-05 other topic", topic(policy(statement("sns:Publish", BUDGETS), topics=["arn:x"])), E),
    ("BUD-05 not known", topic(policy(SOMETIMES)), []),
    ("BUD-05 topic not known", topic(policy(statement("sns:Publish", WATCH), topics=[SOMETIMES])), []),
    ("BUD-05 no budget", template(Topic=("AWS::SNS::Topic", {})), []),
    ("BUD-05 topic elsewhere", template(Budget=budget(notification(sns("arn:x")))), []),
]  # fmt: skip


def key(*statements: Any) -> Body:
    root = {
        "Effect": "Allow",
        "Action": "kms:*",
        "Resource": "*",
        "Principal": {"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}},
    }
    policy = {"Statement": [root, *statements]}
    return {"Type": "AWS::KMS::Key", "Properties": {"KeyPolicy": policy}}


def encrypted(with_key: Any, *statements: Any) -> Body:
    alias = {
        "Type": "AWS::KMS::Alias",
        "Properties": {"AliasName": "alias/x", "TargetKeyId": {"Ref": "More0"}},
    }
    return topic(key(*statements), alias, KmsMasterKeyId=with_key)


KEY = {"Fn::GetAtt": ["More0", "Arn"]}
MANAGED = {"Fn::Join": ["", ["arn:aws:kms:", {"Ref": "AWS::Region"}, ":1:alias/aws/sns"]]}
MAY_USE = statement(["kms:Decrypt", "kms:GenerateDataKey*"], BUDGETS)
TOPIC_KEYS = [
    ("BUD-06 not encrypted", topic(), []),
    ("BUD-06 AWS's key", topic(KmsMasterKeyId="alias/aws/sns"), E),
    ("BUD-06 AWS's key by ARN", topic(KmsMasterKeyId=MANAGED), E),
    ("BUD-06 own key", encrypted(KEY, MAY_USE), []),
    ("BUD-06 own key by alias", encrypted({"Ref": "More1"}, MAY_USE), []),
    ("BUD-06 own key, nobody", encrypted(KEY), E),
    ("BUD-06 own key by alias, nobody", encrypted({"Ref": "More1"}), E),
    ("BUD-06 own key, half", encrypted(KEY, statement("kms:Decrypt", BUDGETS)), E),
    ("BUD-06 own key, CloudWatch", encrypted(KEY, statement("kms:*", WATCH)), E),
    ("BUD-06 two statements", encrypted(KEY, statement("kms:Decrypt", BUDGETS), statement("kms:GenerateDataKey", BUDGETS)), []),
    ("BUD-06 key elsewhere", topic(KmsMasterKeyId="alias/mine"), []),
    ("BUD-06 not known", topic(KmsMasterKeyId=SOMETIMES), []),
]  # fmt: skip

EXPRESSION = {"Tags": {"Key": "Project", "Values": ["llm"]}}
DEFINITIONS = [
    ("BUD-09 old", template(Budget=budget(CostFilters={"TagKeyValue": ["user:a$b"]})), []),
    ("BUD-09 new", template(Budget=budget(FilterExpression=EXPRESSION, Metrics=["UnblendedCost"])), []),
    ("BUD-09 no metrics", template(Budget=budget(FilterExpression=EXPRESSION)), E),
    ("BUD-09 mixed", template(Budget=budget(FilterExpression=EXPRESSION, Metrics=["X"], CostTypes={})), E + E),
    ("BUD-09 not known", template(Budget=budget(FilterExpression=SOMETIMES, CostFilters={})), []),
    ("BUD-14 EUR", template(Budget=budget(BudgetLimit={"Amount": 1, "Unit": "EUR"})), W),
    ("BUD-14 usage", template(Budget=budget(BudgetType="USAGE", BudgetLimit={"Amount": 1, "Unit": "GB"})), []),
    ("BUD-14 0", template(Budget=budget(BudgetLimit={"Amount": 0, "Unit": "USD"})), E),
    ("BUD-14 negative", template(Budget=budget(BudgetLimit={"Amount": "-5", "Unit": "USD"})), E),
    ("BUD-10 apart", template(Budget=budget(notification(), notification(threshold=90))), []),
    ("BUD-10 twice", template(Budget=budget(notification(), notification(email(1), threshold="80"))), E),
    ("BUD-10 default unit", template(Budget=budget(notification(), notification(ThresholdType="PERCENTAGE"))), E),
    ("BUD-10 other unit", template(Budget=budget(notification(), notification(ThresholdType="ABSOLUTE_VALUE"))), []),
    ("8.1 threshold 0", template(Budget=budget(notification(threshold=0))), E),
    ("8.1 threshold 0.1", template(Budget=budget(notification(threshold=0.1))), []),
    ("8.1 threshold 2e9", template(Budget=budget(notification(threshold=2e9))), E),
]  # fmt: skip


def service(name: Any) -> Body:
    return template(Budget=budget(CostFilters={"Service": [name]}))


def dimension(*values: Any, key: str = "SERVICE", **more: Any) -> Body:
    return {"Dimensions": {"Key": key, "Values": list(values), **more}}


def expressed(expression: Any) -> Body:
    return template(Budget=budget(FilterExpression=expression, Metrics=["UnblendedCost"]))


EC2, CONSOLE = "Amazon Elastic Compute Cloud - Compute", "EC2-Instances"
EXPRESSIONS: list[tuple[str, Any, list[str]]] = [
    ("expression", dimension(EC2), []),
    ("expression, console name", dimension(CONSOLE), E),
    ("expression, one of two", dimension(EC2, CONSOLE), E),
    ("expression, equals", dimension(CONSOLE, MatchOptions=["EQUALS"]), E),
    ("expression, beginning", dimension("EC2-I", CONSOLE, MatchOptions=["STARTS_WITH"]), []),
    ("expression, of another key", dimension(CONSOLE, key="USAGE_TYPE"), []),
    ("expression, and", {"And": [EXPRESSION, dimension(CONSOLE)]}, E),
    ("expression, or and not", {"Or": [EXPRESSION, {"Not": dimension(CONSOLE)}]}, E),
    ("expression, not known", {"And": SOMETIMES}, []),
]
SERVICES = [
    ("BUD-02 billing name", service("Amazon Elastic Compute Cloud - Compute"), []),
    ("BUD-02 console name", service("EC2-Instances"), E),
    ("BUD-02 not in the catalogue", service("AWS Glue"), []),
    ("BUD-02 not known", service(SOMETIMES), []),
    *[
        (f"BUD-02 {name}", expressed(expression), expected)
        for name, expression, expected in EXPRESSIONS
    ],
]

TABLES: dict[str, list[tuple[str, Body, list[str]]]] = {
    "TRN151": EFA_GROUPS,
    "TRN152": PUBLIC_ADDRESSES,
    "TRN153": ZONES,
    "TRN154": PLACEMENT,
    "TRN155": ENDPOINTS,
    "TRN251": EFA_COUNTS,
    "TRN252": SLOTS,
    "TRN253": GROUPS,
    "TRN254": METADATA,
    "TRN255": USER_DATA,
    "TRN256": COMPLETE,
    "TRN257": VERSIONS,
    "TRN258": VOLUMES,
    "TRN351": LUSTRE,
    "TRN352": SUBNETS,
    "TRN353": RETENTION,
    "TRN354": PORTS,
    "TRN355": ASSOCIATIONS,
    "TRN451": SUBSCRIBERS,
    "TRN452": TAG_FILTERS,
    "TRN453": TOPIC_POLICIES,
    "TRN454": TOPIC_KEYS,
    "TRN455": DEFINITIONS,
    "TRN457": SERVICES,
}
ROWS = [(rule_id, *row) for rule_id, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [(rule_id, body, expected) for rule_id, _, body, expected in ROWS],
    ids=[f"{rule_id} {name}" for rule_id, name, *_ in ROWS],
)
def test_a_template_is_judged(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        *[("us-east-1", []), ("us-east-2", []), ("sa-east-1", []), (None, []), ("xy-north-1", [])],
        *[("ap-south-2", E), ("ap-southeast-4", E), ("eu-north-1", E)],
    ],
)
def test_a_region_without_the_budget_type(region: str | None, expected: list[str]):
    found = judge_template(template(Budget=budget()), region=region)
    assert severities("TRN456", found) == expected


@pytest.mark.parametrize(
    ("region", "kind", "expected"),
    [("us-east-2", P2, []), ("sa-east-1", P2, E), ("sa-east-1", S2, []), (None, P2, [])],
)
def test_a_region_without_the_deployment_type(region: str | None, kind: str, expected: list[str]):
    throughput = 125 if kind == P2 else None
    assert severities("TRN351", judge_template(fsx(kind, throughput), region=region)) == expected


def test_which_half_of_the_self_rules_is_missing():
    body = self_rules([A], A=security_group(), In=rule("Ingress", A, A))
    (finding,) = of_rule("TRN151", judge_template(body))
    assert "A lacks the rule out to itself" in finding.message
    assert "in from" not in finding.message
    assert "0.0.0.0/0" in (finding.evidence or "")


def test_the_group_may_be_another_stacks():
    network = template(A=security_group(), In=rule("Ingress", A, A))
    network["Outputs"] = {"Efa": {"Value": A, "Export": {"Name": "efa"}}}
    attached = [interface(0, 0, "efa", Groups=[{"Fn::ImportValue": "efa"}])]
    compute = template(Nodes=nodes(None, attached))
    assert severities("TRN151", judge_template(network, compute)) == E
    assert severities("TRN151", judge_template(compute)) == []


def test_both_numbers_are_told_when_interfaces_are_missing():
    (finding,) = of_rule("TRN251", judge_template(one(TRN2, older(8))))
    assert finding.message == "Nodes: attaches 8 EFA interfaces; trn2.48xlarge has 16"
    assert finding.path == "/Resources/Nodes/Properties/LaunchTemplateData/NetworkInterfaces"
    assert "2026" in (finding.evidence or "")


# What each change to our own templates is caught by.
GOLDEN = Path(__file__).parents[2] / "golden" / "templates" / "trn2-pretrain"


def drop(kind: str) -> Any:
    def change(resources: dict[str, Body]) -> None:
        for name in [name for name, entry in resources.items() if entry["Type"] == kind]:
            del resources[name]

    return change


def edit(kind: str, *path: Any, value: Any) -> Any:
    def change(resources: dict[str, Body]) -> None:
        for entry in resources.values():
            if entry["Type"] == kind:
                place: Any = entry
                for part in path[:-1]:
                    place = place[part]
                place[path[-1]] = value

    return change


NODES, DATA = "AWS::EC2::LaunchTemplate", ("Properties", "LaunchTemplateData")
FSX = "AWS::FSx::FileSystem"
FILTER = ("Properties", "Budget", "CostFilters", "TagKeyValue")
CHANGES = [
    ("TRN151", drop("AWS::EC2::SecurityGroupEgress")),
    ("TRN151", drop("AWS::EC2::SecurityGroupIngress")),
    ("TRN153", edit("AWS::EC2::Subnet", "Properties", "AvailabilityZoneId", value="use1-az4")),
    ("TRN155", drop("AWS::EC2::VPCEndpoint")),
    ("TRN251", edit(NODES, *DATA, "InstanceType", value="trn1.32xlarge")),
    ("TRN252", edit(NODES, *DATA, "NetworkInterfaces", 5, "DeviceIndex", value=5)),
    ("TRN253", edit(NODES, *DATA, "SecurityGroupIds", value=["sg-1"])),
    ("TRN254", edit(NODES, *DATA, "MetadataOptions", "HttpTokens", value="optional")),
    ("TRN255", edit(NODES, *DATA, "UserData", value={"Fn::Base64": "x" * 20_000})),
    ("TRN256", edit(NODES, *DATA, value={})),
    ("TRN258", edit(NODES, *DATA, "BlockDeviceMappings", 0, "Ebs", "Encrypted", value=False)),
    ("TRN351", edit(FSX, "Properties", "StorageCapacity", value=3600)),
    ("TRN352", edit(FSX, "Properties", "SubnetIds", value=["subnet-1", "subnet-2"])),
    ("TRN353", edit(FSX, "UpdateReplacePolicy", value="Delete")),
    ("TRN354", edit(FSX, "DependsOn", value=[])),
    ("TRN355", edit(FSX, "Properties", "LustreConfiguration", "ImportPath", value="s3://x")),
    ("TRN452", edit("AWS::Budgets::Budget", *FILTER, value=["user:trnkit-cluster$other"])),
    ("TRN452", edit("AWS::Budgets::Budget", *FILTER, value=["trnkit-cluster=pretrain"])),
    ("TRN453", drop("AWS::SNS::TopicPolicy")),
    ("TRN454", edit("AWS::SNS::Topic", "Properties", "KmsMasterKeyId", value="alias/aws/sns")),
]


def our_templates() -> list[Body]:
    return [json.loads(path.read_text()) for path in sorted(GOLDEN.glob("*.json"))]


def test_our_own_templates_are_free_of_findings():
    assert [finding.headline() for finding in judge_template(*our_templates())] == []


@pytest.mark.parametrize(("rule_id", "change"), CHANGES)
def test_our_own_templates_made_wrong_are_caught(rule_id: str, change: Any):
    bodies = deepcopy(our_templates())
    for body in bodies:
        change(body["Resources"])
    assert of_rule(rule_id, judge_template(*bodies))
