"""Storage that AWS refuses, or that is lost or out of reach, each beside the nearest that is right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    association,
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
S2, P2 = "SCRATCH_2", "PERSISTENT_2"
SOMETIMES = {"Fn::If": ["Sometimes", 1, 2]}
NOTHING = {"Ref": "AWS::NoValue"}
KEPT = {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}
A, B = {"Ref": "A"}, {"Ref": "B"}


def fsx(kind: Any = S2, properties: Body | None = None, **more: Any) -> Body:
    return template(Fsx=lustre({"DeploymentType": kind, **more}, **(properties or {})))


TIMES = [
    *[(f"weekly {text}", fsx(WeeklyMaintenanceStartTime=text), verdict) for text, verdict in [("1:00:00", []), ("7:23:59", []), ("0:03:30", E), ("8:03:30", E), ("7:24:00", E), ("sun:03:30", E), ("7:3:30", E), (90300, E), (SOMETIMES, [])]],
    *[(f"daily {text}", fsx(P2, DailyAutomaticBackupStartTime=text), verdict) for text, verdict in [("03:30", []), ("3:30", E), ("24:00", E), (300, E), (NOTHING, [])]],
]  # fmt: skip


def link(*events: Any) -> Body:
    entry = association()
    entry["Properties"]["S3"] = {"AutoImportPolicy": {"Events": list(events)}}
    return template(Fsx=lustre({"DeploymentType": S2}), Link=entry)


SPELLING = [
    ("right", fsx(DataCompressionType="LZ4"), []),
    ("in small letters", fsx(DataCompressionType="lz4"), E),
    ("with a hyphen", fsx("PERSISTENT-2"), E),
    ("without its sign", fsx("Scratch2"), E),
    ("a word of tomorrow", fsx("PERSISTENT_3"), []),
    ("another word", fsx(DataCompressionType="ZSTD"), []),
    ("not known", fsx(DataCompressionType=SOMETIMES), []),
    ("kind of file system", template(Fsx=("AWS::FSx::FileSystem", {"FileSystemType": "Lustre"})), E),
    ("kind of storage", fsx(properties={"StorageType": "ssd"}), E),
    ("metadata mode", fsx(P2, MetadataConfiguration={"Mode": "Automatic"}), E),
    ("events", link("NEW", "CHANGED"), []),
    ("events, the culprit second", link("NEW", "Changed"), E),
]  # fmt: skip


def efs(**properties: Any) -> Body:
    return template(Home={"Type": "AWS::EFS::FileSystem", **KEPT, "Properties": {"Encrypted": True, **properties}})  # fmt: skip


MODES = [
    ("elastic", efs(ThroughputMode="elastic"), []),
    ("elastic and max I/O", efs(ThroughputMode="elastic", PerformanceMode="maxIO"), E),
    ("bursting and max I/O", efs(PerformanceMode="maxIO"), []),
    ("One Zone and max I/O", efs(AvailabilityZoneName="us-east-2a", PerformanceMode="maxIO"), E),
    ("perhaps One Zone", efs(AvailabilityZoneName=SOMETIMES, PerformanceMode="maxIO"), []),
    ("provisioned", efs(ThroughputMode="provisioned", ProvisionedThroughputInMibps=100), []),
    ("provisioned by nobody", efs(ThroughputMode="provisioned"), E),
    ("provisioned, not known", efs(ThroughputMode="provisioned", ProvisionedThroughputInMibps=SOMETIMES), []),
    ("mode not known", efs(ThroughputMode=SOMETIMES, PerformanceMode="maxIO"), []),
]  # fmt: skip


def targets(*places: Any, groups: Any = ("sg-1",), homes: tuple[str, str] = ("Home", "Home"), condition: str = "", **resources: Any) -> Body:  # fmt: skip
    entries = {
        f"Target{number}": {
            "Type": "AWS::EFS::MountTarget",
            "Properties": {
                "FileSystemId": {"Ref": homes[number]},
                "SubnetId": place,
                "SecurityGroups": list(groups),
            },
        }
        for number, place in enumerate(places)
    }
    if condition:
        entries["Target1"]["Condition"] = condition
    home = efs()["Resources"]["Home"]
    return template(Home=home, Other=home, **entries, **resources)


def in_zone(zone: Any, key: str = "AvailabilityZoneId") -> Body:
    return subnet(**{key: zone})


ONE, TWO = in_zone("use2-az1"), in_zone("use2-az2")
FIRST = {"Fn::Select": [0, {"Fn::GetAZs": ""}]}
TARGETS = [
    ("one a zone", targets(A, B, A=ONE, B=TWO), []),
    ("two in a zone", targets(A, B, A=ONE, B=ONE), E),
    ("two in a zone by number", targets(A, B, A=in_zone(FIRST, "AvailabilityZone"), B=in_zone(FIRST, "AvailabilityZone")), E),
    ("two in a subnet", targets("subnet-1", "subnet-1"), E),
    ("two in a subnet whose zone is not known", targets(A, A, A=subnet()), E),
    ("of two file systems", targets(A, B, A=ONE, B=ONE, homes=("Home", "Other")), []),
    ("in other terms", targets(A, B, A=ONE, B=in_zone("us-east-2a", "AvailabilityZone")), []),
    ("zones not known", targets(A, B, A=subnet(), B=subnet()), []),
    ("perhaps", targets(A, B, A=ONE, B=ONE, condition="Sometimes"), []),
    ("five groups", targets(A, A=ONE, groups=[f"sg-{n}" for n in range(5)]), []),
    ("six groups", targets(A, A=ONE, groups=[f"sg-{n}" for n in range(6)]), E),
]  # fmt: skip


def linked(folder: Any = "/data", bucket: Any = "s3://example-bucket/data") -> Body:
    return template(
        A=("AWS::S3::Bucket", {}),
        Fsx=lustre({"DeploymentType": P2, "PerUnitStorageThroughput": 125}),
        Link=association(folder, bucket),
    )


def sub(pattern: str) -> Body:
    return {"Fn::Sub": pattern}


PATHS = [
    ("FSX-05 bucket put in", linked(bucket=sub("s3://${A}/data")), []),
    ("FSX-05 bucket joined", linked(bucket={"Fn::Join": ["", ["s3://", A, "/data"]]}), []),
    ("FSX-05 bucket joined with slashes", linked(bucket={"Fn::Join": ["/", ["s3:/", A, "data"]]}), []),
    ("FSX-05 bucket alone", linked(bucket=A), E),
    ("FSX-05 bucket and prefix alone", linked(bucket=sub("${A}/data")), E),
    ("FSX-05 bucket's ARN", linked(bucket={"Fn::GetAtt": ["A", "Arn"]}), E),
    ("FSX-05 bucket's ARN after s3", linked(bucket=sub("s3://${A.Arn}/data")), E),
    ("FSX-05 an ARN put together", linked(bucket=sub("arn:${AWS::Partition}:s3:::${A}")), E),
    ("FSX-05 a parameter", linked(bucket={"Ref": "Path"}), []),
    ("FSX-05 a parameter and a prefix", linked(bucket=sub("${Path}/data")), []),
    ("FSX-05 folder put together", linked(sub("/data/${AWS::StackName}")), []),
    ("FSX-05 folder put together without a slash", linked(sub("data/${AWS::StackName}")), E),
    ("FSX-05 folder of a parameter", linked(sub("${Folder}/data")), []),
]  # fmt: skip


def by_ipv6(first: int, last: int) -> Body:
    return rule("Ingress", A, IpProtocol="tcp", FromPort=first, ToPort=last, CidrIpv6="::/0")


OVER_IPV6 = [
    ("FSX-09 by IPv4", template(A=security_group(), R=rule("Ingress", A, IpProtocol="tcp", FromPort=988, ToPort=1023, CidrIp="10.0.0.0/16"), Fsx={**lustre({"DeploymentType": S2}, SecurityGroupIds=[A]), "DependsOn": "R"}), []),
    ("FSX-09 by IPv6, which Lustre does not have", template(A=security_group(), R=by_ipv6(988, 1023), Fsx={**lustre({"DeploymentType": S2}, SecurityGroupIds=[A]), "DependsOn": "R"}), E),
]  # fmt: skip

SAO_PAULO = [
    ("6.8 P2 by the zone", template(S=subnet(AvailabilityZoneId="sae1-az1"), Fsx=lustre({"DeploymentType": P2, "PerUnitStorageThroughput": 125})), E),
    ("6.8 P2 by another zone", template(S=subnet(AvailabilityZoneId="use2-az1"), Fsx=lustre({"DeploymentType": P2, "PerUnitStorageThroughput": 125})), []),
]  # fmt: skip


def tcp(owner: Any, peer: Any, first: int = 988, last: int = 1023) -> Body:
    return rule("Ingress", owner, peer, IpProtocol="tcp", FromPort=first, ToPort=last)


def clients(*rules: Body, user_data: Any = None, kinds: Any = None, **groups: Any) -> Body:
    """A file system in A, nodes in B."""
    data = {"SecurityGroupIds": [B]} if kinds is None else {}
    if user_data is not None:
        data["UserData"] = user_data
    base = {"A": security_group(), "B": security_group()}
    return template(
        Fsx=lustre({"DeploymentType": S2}, SecurityGroupIds=[A]),
        Nodes=nodes("trn1.32xlarge", kinds, **data),
        Group=group(["subnet-1"]),
        **{**base, **groups},
        **{f"R{number}": entry for number, entry in enumerate([tcp(A, A), *rules])},
    )


MOUNTS = {"Fn::Base64": {"Fn::Sub": "mount -t lustre ${Fsx.DNSName}@tcp:/x /fsx"}}
SHUT = [{"IpProtocol": "-1", "CidrIp": "255.255.255.255/32"}]
EFA = [interface(0, 0, "interface", Groups=[B]), interface(0, 1, "efa-only", Groups=["sg-1"])]
CLIENTS = [
    ("FSX-09 clients in", clients(tcp(A, B)), []),
    ("FSX-09 nobody in", clients(), W),
    ("FSX-09 nobody in, and they mount it", clients(user_data=MOUNTS), E),
    ("FSX-09 by interface", clients(tcp(A, B), kinds=EFA), []),
    ("FSX-09 by interface, nobody in", clients(kinds=EFA), W),
    ("FSX-09 by interface, not known", clients(kinds=[interface(0, 0, "efa", Groups=SOMETIMES)]), []),
    ("FSX-09 another port", clients(tcp(A, B, 1018)), W),
    ("FSX-09 by address", clients(rule("Ingress", A, IpProtocol="tcp", FromPort=988, ToPort=988, CidrIp="10.0.0.0/16")), []),
    ("FSX-09 by IPv6, which Lustre does not have", clients(by_ipv6(988, 988)), W),
    ("FSX-09 by prefix list", clients(rule("Ingress", A, IpProtocol="-1", SourcePrefixListId="pl-1")), []),
    ("FSX-09 a group elsewhere in", clients(tcp(A, "sg-1")), W),
    ("FSX-09 from a group not known", clients(tcp(A, SOMETIMES)), []),
    ("FSX-09 nodes in its own group", clients(kinds=[interface(0, 0, "efa", Groups=[A])]), []),
    ("FSX-09 nothing out", clients(tcp(A, B), B=security_group(SecurityGroupEgress=SHUT[:0])), W),
    ("FSX-09 out to it", clients(tcp(A, B), rule("Egress", B, A), B=security_group(SecurityGroupEgress=[])), []),
    ("FSX-09 nodes of another group", clients(kinds=[interface(0, 0, "efa", Groups=["sg-9"])]), []),
]  # fmt: skip


def two_clusters(user_data: Any = None) -> Body:
    """A file system in A for nodes in B, and nodes in C of another launch template."""
    body = clients(tcp(A, B), C=security_group())
    data = {} if user_data is None else {"UserData": user_data}
    body["Resources"]["Others"] = nodes("trn1.32xlarge", SecurityGroupIds=[{"Ref": "C"}], **data)
    body["Resources"]["OtherGroup"] = group(
        ["subnet-2"], LaunchTemplate={"LaunchTemplateId": {"Ref": "Others"}, "Version": "1"}
    )
    return body


def in_vpcs(of_files: str, of_nodes: str) -> Body:
    """A file system that admits nobody, and nodes, each in a subnet of a VPC."""
    body = clients()
    made = template(
        V=("AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16"}),
        W=("AWS::EC2::VPC", {"CidrBlock": "10.1.0.0/16"}),
        S=subnet(VpcId={"Ref": of_files}),
        T=subnet(VpcId={"Ref": of_nodes}),
        Fsx=lustre({"DeploymentType": S2}, SecurityGroupIds=[A], SubnetIds=[{"Ref": "S"}]),
        Group=group([{"Ref": "T"}]),
    )
    return {**body, "Resources": {**body["Resources"], **made["Resources"]}}


CLUSTERS = [
    ("FSX-09 nodes of another cluster", two_clusters(), []),
    ("FSX-09 nodes of another cluster that mount it", two_clusters(MOUNTS), E),
    ("FSX-09 in the same VPC", in_vpcs("V", "V"), W),
    ("FSX-09 in another VPC", in_vpcs("V", "W"), []),
]


def keyed(key_more: Body, kind: str = "AWS::FSx::FileSystem", value: Any = None) -> Body:
    named = value or {"Fn::GetAtt": ["Key", "Arn"]}
    own = lustre({"DeploymentType": P2}, KmsKeyId=named)
    if kind == "AWS::EFS::FileSystem":
        own = {"Type": kind, **KEPT, "Properties": {"Encrypted": True, "KmsKeyId": named}}
    if kind == "AWS::S3::Bucket":
        default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": named}
        rules = {"ServerSideEncryptionConfiguration": [{"ServerSideEncryptionByDefault": default}]}
        own = {"Type": kind, **KEPT, "Properties": {"BucketEncryption": rules}}
    alias = ("AWS::KMS::Alias", {"AliasName": "alias/a", "TargetKeyId": {"Ref": "Key"}})
    return template(Data=own, Key={"Type": "AWS::KMS::Key", "Properties": {}, **key_more}, Alias=alias)  # fmt: skip


KEYS = [
    ("FSX-10 kept", keyed(KEPT), []),
    ("FSX-10 kept for good", keyed({"DeletionPolicy": "Retain"}), []),
    ("FSX-10 goes", keyed({}), E),
    ("FSX-10 goes on purpose", keyed({"DeletionPolicy": "Delete"}), W),
    ("FSX-10 not known", keyed({"DeletionPolicy": SOMETIMES}), []),
    ("FSX-10 by its alias", keyed({}, value={"Ref": "Alias"}), E),
    ("FSX-10 elsewhere", keyed({}, value="alias/mine"), []),
    ("FSX-10 of a home", keyed({}, "AWS::EFS::FileSystem"), E),
    ("FSX-10 of a bucket", keyed({}, "AWS::S3::Bucket"), E),
    ("FSX-10 of what goes itself", template(**{**keyed({})["Resources"], "Data": {**lustre({}, KmsKeyId={"Ref": "Key"}), "DeletionPolicy": "Delete"}}), []),
]  # fmt: skip


def standing(subnet_more: Body, rule_more: Body | None = None, group_more: Body = KEPT) -> Body:
    return template(
        S={**subnet(), **subnet_more},
        A={**security_group(), **group_more},
        In={**rule("Ingress", A, A), **(rule_more or {})},
        Fsx={**lustre({"DeploymentType": S2}, SubnetIds=[{"Ref": "S"}], SecurityGroupIds=[A]), "DependsOn": "In"},
    )  # fmt: skip


STANDING = [
    ("FSX-10 kept", standing(KEPT, KEPT), []),
    ("FSX-10 subnet goes", standing({}, KEPT), W),
    ("FSX-10 rule goes", standing(KEPT), W),
    ("FSX-10 both go", standing({}), [*W, *W]),
    ("FSX-10 rule goes with its group", standing(KEPT, group_more={}), []),
    ("FSX-10 not known", standing({"DeletionPolicy": SOMETIMES}, {"DeletionPolicy": SOMETIMES}), []),
    ("FSX-10 subnet elsewhere", template(Fsx=lustre({"DeploymentType": S2})), []),
    ("FSX-10 mount target kept, subnet not", template(S=subnet(), T={"Type": "AWS::EFS::MountTarget", **KEPT, "Properties": {"FileSystemId": "fs-1", "SubnetId": {"Ref": "S"}, "SecurityGroups": ["sg-1"]}}), W),
    ("FSX-10 mount target goes", template(S=subnet(), T=("AWS::EFS::MountTarget", {"FileSystemId": "fs-1", "SubnetId": {"Ref": "S"}, "SecurityGroups": ["sg-1"]})), []),
]  # fmt: skip

AL2023 = "resolve:ssm:/aws/service/neuron/dlami/base/amazon-linux-2023/latest/image_id"


def mounted(version: Any = NOTHING, kind: str = S2, image: Any = AL2023, **more: Any) -> Body:
    return template(
        Fsx=lustre({"DeploymentType": kind}, FileSystemTypeVersion=version),
        Nodes=nodes("trn1.32xlarge", ImageId=image, **more),
    )


BY_PARAMETER = {
    **mounted("2.10", image={"Ref": "Image"}),
    "Parameters": {"Image": {"Type": "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>", "Default": AL2023[12:]}},
}  # fmt: skip
VERSIONS = [
    ("FSX-16 2.15", mounted("2.15"), []),
    ("FSX-16 2.12", mounted("2.12"), []),
    ("FSX-16 2.10", mounted("2.10"), W),
    ("FSX-16 default of scratch", mounted(), W),
    ("FSX-16 default of P2", mounted(kind=P2), []),
    ("FSX-16 Ubuntu", mounted("2.10", image=AL2023.replace("amazon-linux-2023", "ubuntu-24.04")), []),
    ("FSX-16 some image", mounted("2.10", image="ami-0123456789abcdef0"), []),
    ("FSX-16 version not known", mounted(SOMETIMES), []),
    ("FSX-16 and they mount it", mounted("2.10", UserData=MOUNTS), E),
    ("FSX-16 image by parameter", BY_PARAMETER, W),
]  # fmt: skip

TABLES: list[tuple[str, list[tuple[str, Body, list[str]]]]] = [
    ("TRN351", SAO_PAULO),
    ("TRN354", OVER_IPV6),
    ("TRN355", PATHS),
    ("TRN373", TIMES),
    ("TRN374", SPELLING),
    ("TRN375", MODES),
    ("TRN376", TARGETS),
    ("TRN388", CLIENTS),
    ("TRN388", CLUSTERS),
    ("TRN389", KEYS),
    ("TRN390", STANDING),
    ("TRN391", VERSIONS),
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


def test_an_unquoted_time_of_yaml_is_explained():
    text = """
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      LustreConfiguration: {WeeklyMaintenanceStartTime: 1:05:00}
"""
    (found,) = of_rule("TRN373", judge_template(text))
    assert found.hint == 'write it in quotes, as in "7:03:30"'
    assert found.path == "/Resources/Fsx/Properties/LustreConfiguration/WeeklyMaintenanceStartTime"


def test_a_key_of_another_stack_is_a_warning():
    keys = template(Key=("AWS::KMS::Key", {}))
    keys["Outputs"] = {"K": {"Value": {"Fn::GetAtt": ["Key", "Arn"]}, "Export": {"Name": "key"}}}
    data = template(Fsx=lustre({"DeploymentType": P2}, KmsKeyId={"Fn::ImportValue": "key"}))
    assert severities("TRN389", judge_template(keys, data)) == W


def test_clients_of_another_stack_are_seen():
    storage = template(Fsx=lustre({"DeploymentType": S2}, SecurityGroupIds=[A]), A=security_group(), In=tcp(A, A))  # fmt: skip
    storage["Outputs"] = {"A": {"Value": {"Fn::GetAtt": ["A", "GroupId"]}, "Export": {"Name": "A"}}}
    shared = {"Fn::ImportValue": "A"}
    compute = template(
        B=security_group(),
        Nodes=nodes("trn1.32xlarge", SecurityGroupIds=[B]),
        Group=group(["subnet-1"]),
    )
    assert severities("TRN388", judge_template(storage, compute)) == W
    compute["Resources"]["Clients"] = tcp(shared, B)
    assert severities("TRN388", judge_template(storage, compute)) == []
