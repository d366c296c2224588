"""Storage in templates that went wrong for real people, each beside the nearest that is right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.synthesis import EXAMPLES, example_assembly
from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    association,
    group,
    lustre,
    nodes,
    rule,
    security_group,
    subnet,
    template,
)

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
P1, P2, S1, S2 = "PERSISTENT_1", "PERSISTENT_2", "SCRATCH_1", "SCRATCH_2"
SOMETIMES = {"Fn::If": ["Sometimes", 1, 2]}
NOTHING = {"Ref": "AWS::NoValue"}
KEPT = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
A = {"Ref": "A"}


def fsx(kind: Any = P2, more: Body | None = None, **properties: Any) -> Body:
    return template(Fsx=lustre({"DeploymentType": kind, **(more or {})}, **properties))


def elastic(more: Body | None = None, **properties: Any) -> Body:
    configuration = {
        "ThroughputCapacity": 4000,
        "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
        "DataReadCacheConfiguration": {"SizingMode": "NO_CACHE"},
    }
    medium = {"StorageType": "INTELLIGENT_TIERING", "StorageCapacity": NOTHING}
    return fsx(P2, {**configuration, **(more or {})}, **{**medium, **properties})


def metadata(
    mode: Any = "USER_PROVISIONED", iops: Any = NOTHING, kind: str = P2, gib: Any = 1200
) -> Body:
    return fsx(kind, {"MetadataConfiguration": {"Mode": mode, "Iops": iops}}, StorageCapacity=gib)


def cache(mode: Any, size: Any = NOTHING) -> Body:
    return elastic({"DataReadCacheConfiguration": {"SizingMode": mode, "SizeGiB": size}})


CONFIGURATIONS: list[tuple[str, str, Body, list[str]]] = [
    ("P1 HDD", "TRN360", fsx(P1, StorageType="HDD"), []),
    ("P2 HDD", "TRN360", fsx(P2, StorageType="HDD"), E),
    ("S2 HDD", "TRN360", fsx(S2, StorageType="HDD"), E),
    ("P1 elastic", "TRN360", fsx(P1, StorageType="INTELLIGENT_TIERING"), E),
    ("default type on HDD", "TRN360", template(Fsx=lustre({}, StorageType="HDD")), E),
    ("a type of tomorrow", "TRN360", fsx("PERSISTENT_3", StorageType="HDD"), []),
    ("a storage of tomorrow", "TRN360", fsx(P2, StorageType="TAPE"), []),
    ("not known", "TRN360", fsx(SOMETIMES, StorageType="HDD"), []),
    *[(f"FSX-13 {iops}", "TRN361", metadata(iops=iops), verdict) for iops, verdict in [(1500, []), ("1500", []), (12000, []), (192000, []), (SOMETIMES, []), (7000, E), (1600, E), (18000, E)]],
    ("FSX-13 no number", "TRN361", metadata(), E),
    ("FSX-13 automatic", "TRN361", metadata("AUTOMATIC"), []),
    ("FSX-13 automatic with number", "TRN361", metadata("AUTOMATIC", 1500), E),
    ("FSX-13 fewer than automatic", "TRN361", metadata(iops=3000, gib=4800), E),
    ("FSX-13 capacity not known", "TRN361", metadata(iops=3000, gib=SOMETIMES), []),
    ("FSX-13 mode not known", "TRN361", metadata(SOMETIMES, 7000), []),
    ("FSX-13 on P1", "TRN361", metadata("AUTOMATIC", kind=P1), E),
    ("FSX-13 on S2", "TRN361", metadata("AUTOMATIC", kind=S2), E),
    ("FSX-13 none", "TRN361", fsx(P2), []),
    ("6.2 with", "TRN361", elastic(), []),
    ("6.2 without", "TRN361", elastic({"MetadataConfiguration": NOTHING}), E),
    ("6.2 without, from a backup", "TRN361", elastic({"MetadataConfiguration": NOTHING}, BackupId="backup-1"), []),
    ("6.2 automatic", "TRN361", elastic({"MetadataConfiguration": {"Mode": "AUTOMATIC"}}), W),
    ("6.2 right", "TRN362", elastic(), []),
    *[(f"6.2 {mbps}", "TRN362", elastic({"ThroughputCapacity": mbps}), verdict) for mbps, verdict in [(8000, []), ("4000", []), (SOMETIMES, []), (1000, E), (6000, E), (NOTHING, E)]],
    ("6.2 with capacity", "TRN362", elastic(StorageCapacity=4800), E),
    ("6.2 capacity not known", "TRN362", elastic(StorageCapacity=SOMETIMES), []),
    ("6.2 no cache said", "TRN362", elastic({"DataReadCacheConfiguration": NOTHING}), E),
    ("6.2 cache in proportion", "TRN362", cache("PROPORTIONAL_TO_THROUGHPUT_CAPACITY"), []),
    ("6.2 cache of a size", "TRN362", cache("USER_PROVISIONED", 32), []),
    ("6.2 cache too small", "TRN362", cache("USER_PROVISIONED", 31), E),
    ("6.2 cache without size", "TRN362", cache("USER_PROVISIONED"), E),
    ("6.2 no cache with size", "TRN362", cache("NO_CACHE", 32), E),
    ("6.2 cache not known", "TRN362", cache(SOMETIMES, 31), []),
    ("6.2 throughput of SSD", "TRN362", fsx(P2, {"ThroughputCapacity": 4000}), E),
    ("6.2 cache of SSD", "TRN362", fsx(P2, {"DataReadCacheConfiguration": {"SizingMode": "NO_CACHE"}}), E),
    ("6.1 SSD without capacity", "TRN362", fsx(P2, StorageCapacity=NOTHING), E),
    ("6.1 from a backup", "TRN362", fsx(P2, StorageCapacity=NOTHING, BackupId="backup-1"), []),
    ("6.1 HDD says", "TRN363", fsx(P1, {"DriveCacheType": "NONE"}, StorageType="HDD"), []),
    ("6.1 HDD does not say", "TRN363", fsx(P1, StorageType="HDD"), E),
    ("6.1 HDD from a backup", "TRN363", fsx(P1, StorageType="HDD", BackupId="backup-1"), []),
    ("6.1 SSD says", "TRN363", fsx(P1, {"DriveCacheType": "READ"}), E),
    ("6.1 SSD does not say", "TRN363", fsx(P1), []),
    ("FSX-12 elastic with EFA, as the API has it", "TRN351", elastic({"EfaEnabled": True}, FileSystemTypeVersion="2.15"), []),
    *[(f"FSX-17 {days} days", "TRN366", fsx(P2, {"AutomaticBackupRetentionDays": days, "CopyTagsToBackups": True}), verdict) for days, verdict in [(0, []), (1, []), (90, []), (SOMETIMES, []), (91, E), (-1, E)]],
    ("FSX-17 no tags", "TRN366", fsx(P2, {"AutomaticBackupRetentionDays": 7}), I),
    ("FSX-17 tags perhaps", "TRN366", fsx(P2, {"AutomaticBackupRetentionDays": 7, "CopyTagsToBackups": SOMETIMES}), []),
    ("FSX-17 no backups, no tags", "TRN366", fsx(P2, {"AutomaticBackupRetentionDays": 0}), []),
    ("FSX-08 scratch", "TRN366", fsx(S2, {"AutomaticBackupRetentionDays": 7, "CopyTagsToBackups": True}), E),
    ("key of P2", "TRN367", fsx(P2, KmsKeyId="key"), []),
    ("key of scratch", "TRN367", fsx(S2, KmsKeyId="key"), W),
    ("key of scratch perhaps", "TRN367", fsx(S2, KmsKeyId={"Fn::If": ["Own", "key", NOTHING]}), []),
]  # fmt: skip


def efa(inline: Body | None = None, with_metadata: bool = True, **resources: Body) -> Body:
    configuration: Body = {
        "DeploymentType": P2,
        "PerUnitStorageThroughput": 1000,
        "EfaEnabled": True,
    }
    if with_metadata:
        configuration["MetadataConfiguration"] = {"Mode": "AUTOMATIC"}
    named = {
        "Fsx": lustre(configuration, SecurityGroupIds=[A]),
        "A": security_group(**(inline or {})),
    }
    return template(**named, **resources)


BOTH = {"In": rule("Ingress", A, A), "Out": rule("Egress", A, A)}
EFA: list[tuple[str, str, Body, list[str]]] = [
    ("FSX-12 right", "TRN364", efa(**BOTH), []),
    ("FSX-12 no metadata", "TRN364", efa(with_metadata=False, **BOTH), W),
    ("FSX-12 nothing in", "TRN364", efa(Out=BOTH["Out"]), E),
    ("FSX-12 nothing out", "TRN364", efa(In=BOTH["In"]), E),
    ("FSX-12 Lustre ports only", "TRN364", efa(In=rule("Ingress", A, A, IpProtocol="tcp", FromPort=988, ToPort=1023), Out=BOTH["Out"]), E),
    ("FSX-12 by address", "TRN364", efa(In=rule("Ingress", A, CidrIp="10.0.0.0/8"), Out=BOTH["Out"]), E),
    ("FSX-12 rules not known", "TRN364", efa(In=rule("Ingress", SOMETIMES, A), Out=BOTH["Out"]), []),
    ("FSX-12 group not known", "TRN364", fsx(P2, {"EfaEnabled": True, "MetadataConfiguration": {"Mode": "AUTOMATIC"}}, SecurityGroupIds=["sg-1"]), []),
    ("FSX-12 without EFA", "TRN364", template(Fsx=lustre({"DeploymentType": P2}, SecurityGroupIds=[A]), A=security_group()), []),
]  # fmt: skip


def zones(here: Body, *there: Body, kind: str = "trn1.32xlarge") -> Body:
    subnets = {f"Other{n}": entry for n, entry in enumerate(there)}
    return template(
        Mine=here,
        Fsx=lustre({"DeploymentType": S2}, SubnetIds=[{"Ref": "Mine"}]),
        Nodes=nodes(kind),
        Group=group([{"Ref": name} for name in subnets] or [{"Ref": "Mine"}]),
        **subnets,
    )


ONE, TWO = subnet(AvailabilityZoneId="use2-az1"), subnet(AvailabilityZoneId="use2-az2")
ZONES: list[tuple[str, str, Body, list[str]]] = [
    ("FSX-14 the same subnet", "TRN365", zones(ONE), []),
    ("FSX-14 the same zone", "TRN365", zones(ONE, subnet(AvailabilityZoneId="use2-az1")), []),
    ("FSX-14 another zone", "TRN365", zones(ONE, TWO), W),
    ("FSX-14 nodes in both", "TRN365", zones(ONE, ONE, TWO), []),
    ("FSX-14 other terms", "TRN365", zones(ONE, subnet(AvailabilityZone="us-east-2b")), []),
    ("FSX-14 not known", "TRN365", zones(ONE, subnet(AvailabilityZone={"Ref": "Zone"})), []),
    ("FSX-14 by index", "TRN365", zones(subnet(AvailabilityZone={"Fn::Select": [0, {"Fn::GetAZs": ""}]}), subnet(AvailabilityZone={"Fn::Select": [1, {"Fn::GetAZs": ""}]})), W),
    ("FSX-14 other machines", "TRN365", zones(ONE, TWO, kind="m7i.large"), []),
    ("FSX-14 no nodes", "TRN365", template(Mine=ONE, Fsx=lustre({"DeploymentType": S2}, SubnetIds=[{"Ref": "Mine"}])), []),
    ("FSX-14 subnet by id", "TRN365", template(Two=TWO, Fsx=lustre({"DeploymentType": S2}), Nodes=nodes("trn1.32xlarge"), Group=group([{"Ref": "Two"}])), []),
]  # fmt: skip


def log(level: str, target: Any, **resources: Body) -> Body:
    configuration = {
        "DeploymentType": S2,
        "LogConfiguration": {"Level": level, "Destination": target},
    }
    return template(Fsx=lustre(configuration), **resources)


def log_group(**properties: Any) -> Body:
    return {"Type": "AWS::Logs::LogGroup", "Properties": properties}


GROUP_ARN = {"Fn::GetAtt": ["Log", "Arn"]}
ARN = "arn:aws:logs:us-east-2:111122223333:log-group:%s"
LOGS: list[tuple[str, str, Body, list[str]]] = [
    ("right", "TRN368", log("WARN_ERROR", ARN % "/aws/fsx/x"), []),
    ("as CDK writes ARNs", "TRN368", log("WARN_ERROR", ARN % "/aws/fsx/x:*"), []),
    ("elsewhere", "TRN368", log("WARN_ERROR", ARN % "fsx"), E),
    ("a stream", "TRN368", log("WARN_ERROR", "arn:aws:firehose:us-east-2:111122223333:deliverystream/aws-fsx-x"), []),
    ("not known", "TRN368", log("WARN_ERROR", {"Fn::ImportValue": "log"}), []),
    ("none", "TRN368", log("WARN_ERROR", NOTHING), []),
    ("a group", "TRN368", log("WARN_ERROR", GROUP_ARN, Log=log_group(LogGroupName="/aws/fsx/x")), []),
    ("a group elsewhere", "TRN368", log("WARN_ERROR", GROUP_ARN, Log=log_group(LogGroupName="x")), E),
    ("a group without name", "TRN368", log("WARN_ERROR", GROUP_ARN, Log=log_group()), E),
    ("a group of unknown name", "TRN368", log("WARN_ERROR", GROUP_ARN, Log=log_group(LogGroupName=SOMETIMES)), []),
    ("disabled", "TRN368", log("DISABLED", NOTHING), []),
    ("disabled with target", "TRN368", log("DISABLED", ARN % "/aws/fsx/x"), E),
]  # fmt: skip


def links(number: int, kind: str = P2, **properties: Any) -> Body:
    entries = {
        f"Link{n}": association(f"/d{n}", f"s3://example-bucket/d{n}") for n in range(number)
    }
    return template(Fsx=lustre({"DeploymentType": kind}, **properties), **entries)


LINKS: list[tuple[str, str, Body, list[str]]] = [
    ("6.5 eight", "TRN369", links(8), []),
    ("6.5 nine", "TRN369", links(9), E),
    ("6.5 S1", "TRN369", links(2, S1), [*E, *E]),
    ("6.5 S2", "TRN369", links(1, S2), []),
    ("6.5 elastic", "TRN369", links(1, P2, StorageType="INTELLIGENT_TIERING"), E),
    ("6.5 type not known", "TRN369", template(Fsx=lustre({"DeploymentType": SOMETIMES}), Link=association()), []),
]  # fmt: skip


def policy(actions: Any, resources: Any, effect: str = "Allow", inline: bool = False) -> Body:
    statement = {"Effect": effect, "Action": actions, "Resource": resources}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    own = ("AWS::IAM::Policy", {"PolicyName": "x", "Roles": ["r"], "PolicyDocument": document})
    role = (
        "AWS::IAM::Role",
        {
            "AssumeRolePolicyDocument": {},
            "Policies": [{"PolicyName": "x", "PolicyDocument": document}],
        },
    )
    bucket = ("AWS::S3::Bucket", {})
    return template(Policy=role if inline else own, Bucket=bucket)


BUCKET = {"Fn::GetAtt": ["Bucket", "Arn"]}
OBJECTS = {"Fn::Join": ["", [BUCKET, "/*"]]}
LEVELS: list[tuple[str, str, Body, list[str]]] = [
    ("HOST-11 objects", "TRN370", policy(["s3:GetObject"], OBJECTS), []),
    ("HOST-11 objects on the bucket", "TRN370", policy(["s3:GetObject", "s3:PutObject"], BUCKET), E),
    ("HOST-11 objects on the bucket, by name", "TRN370", policy("s3:GetObject", "arn:aws:s3:::example-bucket"), E),
    ("HOST-11 objects on the bucket, any partition", "TRN370", policy("s3:GetObject", {"Fn::Sub": "arn:${AWS::Partition}:s3:::example-bucket"}), E),
    ("HOST-11 objects of any partition", "TRN370", policy("s3:GetObject", {"Fn::Sub": "arn:${AWS::Partition}:s3:::example-bucket/*"}), []),
    ("HOST-11 the bucket", "TRN370", policy("s3:ListBucket", BUCKET), []),
    ("HOST-11 the bucket as objects", "TRN370", policy("s3:ListBucket", OBJECTS), E),
    ("HOST-11 the bucket as objects, by name", "TRN370", policy("s3:ListBucket", ["arn:aws:s3:::example-bucket/*"]), E),
    ("HOST-11 both beside both", "TRN370", policy(["s3:ListBucket", "s3:GetObject"], [BUCKET, OBJECTS]), []),
    ("HOST-11 wildcard names both", "TRN370", policy("s3:GetObject", "arn:aws:s3:::example-*"), []),
    ("HOST-11 everything", "TRN370", policy("s3:GetObject", "*"), []),
    ("HOST-11 wildcard actions", "TRN370", policy("s3:*", BUCKET), []),
    ("HOST-11 denied", "TRN370", policy("s3:GetObject", BUCKET, effect="Deny"), []),
    ("HOST-11 not known", "TRN370", policy("s3:GetObject", {"Fn::ImportValue": "arn"}), []),
    ("HOST-11 in a role", "TRN370", policy("s3:GetObject", BUCKET, inline=True), E),
    ("HOST-11 other services", "TRN370", policy("kms:Decrypt", BUCKET), []),
]  # fmt: skip


def home(body: Body | None = None, **properties: Any) -> Body:
    entry = {
        "Type": "AWS::EFS::FileSystem",
        "Properties": properties,
        **(KEPT if body is None else body),
    }
    return template(Home=entry)


def target(*rules: Body, groups: Any = None) -> Body:
    named = {f"Rule{n}": entry for n, entry in enumerate(rules)}
    properties = {"FileSystemId": "fs-1", "SubnetId": "subnet-1", "SecurityGroups": groups or [A]}
    return template(Target=("AWS::EFS::MountTarget", properties), A=security_group(), **named)


HOMES: list[tuple[str, str, Body, list[str]]] = [
    ("right", "TRN371", home(Encrypted=True), []),
    ("right as text", "TRN371", home(Encrypted="true"), []),
    ("not encrypted", "TRN371", home(Encrypted=False), W),
    ("encryption not said", "TRN371", home(), W),
    ("encryption not known", "TRN371", home(Encrypted=SOMETIMES), []),
    ("not kept", "TRN371", home({}, Encrypted=True), W),
    ("the forgotten one", "TRN371", home({"DeletionPolicy": "Retain"}, Encrypted=True), W),
    ("deleted on purpose", "TRN371", home({"DeletionPolicy": "Delete", "UpdateReplacePolicy": "Delete"}, Encrypted=True), []),
    ("NFS", "TRN372", target(rule("Ingress", A, A, IpProtocol="tcp", FromPort=2049, ToPort=2049)), []),
    ("NFS by address", "TRN372", target(rule("Ingress", A, IpProtocol="tcp", FromPort=2049, ToPort=2049, CidrIp="10.0.0.0/16")), []),
    ("all traffic", "TRN372", target(rule("Ingress", A, A)), []),
    ("other port", "TRN372", target(rule("Ingress", A, A, IpProtocol="tcp", FromPort=988, ToPort=988)), E),
    ("nothing", "TRN372", target(), E),
    ("rules not known", "TRN372", target(rule("Ingress", SOMETIMES, A)), []),
    ("group not known", "TRN372", target(groups=["sg-1"]), []),
]  # fmt: skip

TABLE = [*CONFIGURATIONS, *EFA, *ZONES, *LOGS, *LINKS, *LEVELS, *HOMES]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [row[1:] for row in TABLE],
    ids=[f"{row[1]} {row[0]}" for row in TABLE],
)
def test_a_template_is_judged(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


@pytest.mark.parametrize(
    ("rule_id", "body", "parts"),
    [
        ("TRN361", metadata(iops=7000), ["Iops is 7000", "6000 or 12000"]),
        ("TRN362", elastic({"ThroughputCapacity": 6000}), ["ThroughputCapacity is 6000", "take 4000 or 8000"]),
        ("TRN365", zones(ONE, TWO), ["use2-az1", "use2-az2"]),
        ("TRN370", policy("s3:GetObject", BUCKET), ["s3:GetObject", "the ARN of the bucket", "bucket/*"]),
        ("TRN370", policy("s3:ListBucket", OBJECTS), ["s3:ListBucket", "the ARN of objects"]),
        ("TRN371", home({}, Encrypted=True), ["deleted or replaced", "DeletionPolicy to RetainExceptOnCreate and UpdateReplacePolicy to Retain"]),
    ],
)  # fmt: skip
def test_the_finding_says_what_was_got_and_what_is_allowed(
    rule_id: str, body: Body, parts: list[str]
):
    (finding,) = of_rule(rule_id, judge_template(body))
    said = f"{finding.message}; {finding.hint}"
    assert [part for part in parts if part not in said] == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_our_own_storage_is_found_right(path):
    """What the rules know of our own templates, they find right: nothing above information."""
    templates = example_assembly(path).templates.values()
    found = [f for f in judge_template(*templates) if f.rule_id.startswith("TRN3")]
    assert [f.headline() for f in found if f.severity != "info"] == []


def test_host_11_the_rule_sees_through_our_own_stacks():
    """Broken on purpose, the policy of our nodes is found, though its bucket is another stack's."""
    path = next(path for path in EXAMPLES if path.stem == "intelligent-tiering")
    import copy

    templates = copy.deepcopy(example_assembly(path).templates)
    (policy_of_nodes,) = (
        r for r in templates["Compute"]["Resources"].values() if r["Type"] == "AWS::IAM::Policy"
    )
    statements = policy_of_nodes["Properties"]["PolicyDocument"]["Statement"]
    on_bucket = next(s for s in statements if "s3:ListBucket" in s["Action"])
    on_objects = next(s for s in statements if "s3:PutObject" in s["Action"])
    on_bucket["Resource"], on_objects["Resource"] = on_objects["Resource"], on_bucket["Resource"]
    assert severities("TRN370", judge_template(*templates.values())) == [*E, *E]
