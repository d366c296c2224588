"""Templates about capacity that went wrong for real people, each beside the nearest right one."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, group, interface, nodes, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
TRN2 = "trn2.48xlarge"
ID = "cr-0123456789abcdef0"
SOMETIMES = {"Fn::If": ["Sometimes", "a", "b"]}
OWN = {"Ref": "Reservation"}


def market(kind: Any) -> Body:
    return {"InstanceMarketOptions": {"MarketType": kind}}


def target(reservation: Any = ID, key: str = "CapacityReservationId", **more: Any) -> Body:
    named = {"CapacityReservationTarget": {key: reservation}}
    return {"CapacityReservationSpecification": {**named, **more}}


def preference(value: Any) -> Body:
    return {"CapacityReservationSpecification": {"CapacityReservationPreference": value}}


def reservation(**properties: Any) -> Body:
    base = {"InstanceType": TRN2, "InstanceCount": 4, "InstancePlatform": "Linux/UNIX"}
    return {"Type": "AWS::EC2::CapacityReservation", "Properties": {**base, **properties}}


BLOCK = {**market("capacity-block"), **target()}


def one(*parts: Body, kind: str | None = TRN2, **resources: Any) -> Body:
    data: Body = {}
    for part in parts:
        data |= part
    return template(Nodes=nodes(kind, **data), **resources)


def eks(**properties: Any) -> Body:
    base = {"ClusterName": "c", "NodeRole": "r", "Subnets": ["subnet-1"]}
    return {
        "Type": "AWS::EKS::Nodegroup",
        "Properties": {**base, "LaunchTemplate": {"Id": {"Ref": "Nodes"}}, **properties},
    }


TARGETS = [
    ("CAP-01 both", one(BLOCK), []),
    ("CAP-01 resource group", one(market("capacity-block"), target("arn:g", "CapacityReservationResourceGroupArn")), []),
    ("CAP-01 market alone", one(market("capacity-block")), E),
    ("CAP-01 target alone", one(target()), I),
    ("CAP-01 not known", one(market(SOMETIMES), target()), []),
    ("CAP-01 target not known", one(market("capacity-block"), {"CapacityReservationSpecification": SOMETIMES}), []),
    ("CAP-01 EKS", one(target(), Group=eks(CapacityType="CAPACITY_BLOCK")), [*E, *I]),
    ("CAP-01 EKS, both", one(BLOCK, Group=eks(CapacityType="CAPACITY_BLOCK")), []),
    ("CAP-04 own reservation", one(target(OWN), Reservation=reservation(EndDate="x")), []),
    ("CAP-04 own reservation as a block", one(market("capacity-block"), target(OWN), Reservation=reservation(EndDate="x")), E),
    ("CAP-09 spot and a target", one(market("spot"), target()), E),
    ("CAP-09 spot and own reservation", one(market("spot"), target(OWN), Reservation=reservation(EndDate="x")), E),
    ("spot", one(market("spot")), []),
    ("nothing of ours", one(market("capacity-block"), kind="p5.48xlarge"), []),
]  # fmt: skip

PLACED = {"Placement": {"GroupName": "theirs"}}
PLACEMENTS = [
    ("CAP-02 block", one(BLOCK), []),
    ("CAP-02 block in a group", one(BLOCK, PLACED), E),
    ("CAP-02 block in a group by id", one(BLOCK, {"Placement": {"GroupId": "pg-1"}}), E),
    ("CAP-02 tenancy alone", one(BLOCK, {"Placement": {"Tenancy": "default"}}), []),
    ("CAP-02 group of the Auto Scaling group", one(BLOCK, Group=group(["subnet-1"], PlacementGroup="theirs")), E),
    ("CAP-02 reservation in its group", one(target(), PLACED), []),
    ("CAP-02 not known", one(BLOCK, {"Placement": {"GroupName": SOMETIMES}}), []),
    ("CAP-02 NoValue", one(BLOCK, {"Placement": {"GroupName": {"Ref": "AWS::NoValue"}}}), []),
]  # fmt: skip


def mixed(**distribution: Any) -> Body:
    made = group(["subnet-1"])
    specification = {"LaunchTemplateSpecification": made["Properties"].pop("LaunchTemplate")}
    made["Properties"]["MixedInstancesPolicy"] = {
        "LaunchTemplate": specification,
        **({"InstancesDistribution": distribution} if distribution else {}),
    }
    return made


def pool(name: Any) -> Body:
    return {"Type": "AWS::AutoScaling::WarmPool", "Properties": {"AutoScalingGroupName": name}}


def action(**properties: Any) -> Body:
    base = {"AutoScalingGroupName": {"Ref": "Group"}, "StartTime": "2027-03-01T11:30:00Z"}
    return {"Type": "AWS::AutoScaling::ScheduledAction", "Properties": {**base, **properties}}


SEGMENTS = [{"TargetCapacityTypes": ["capacity-block"]}]
GROUPS = [
    ("CAP-05 plain", one(BLOCK, Group=group(["subnet-1"])), []),
    ("CAP-05 mixed", one(BLOCK, Group=mixed()), E),
    ("CAP-05 mixed with segments", one(BLOCK, Group=mixed(DistributionSegments=SEGMENTS)), []),
    ("CAP-05 mixed on demand", one(Group=mixed()), []),
    ("CAP-05 warm pool", one(BLOCK, Group=group(["subnet-1"]), Pool=pool({"Ref": "Group"})), E),
    ("CAP-05 warm pool of another", one(BLOCK, Group=group(["subnet-1"]), Pool=pool("other")), []),
    ("4.2 64", one(BLOCK, Group=group(["subnet-1"], MaxSize="64")), []),
    ("4.2 65", one(BLOCK, Group=group(["subnet-1"], MaxSize=65)), E),
    ("4.2 65 in a resource group", one(market("capacity-block"), target("arn:g", "CapacityReservationResourceGroupArn"), Group=group(["subnet-1"], MaxSize=65)), []),
    ("4.2 65 on demand", one(Group=group(["subnet-1"], MaxSize=65)), []),
    ("4.2 never empty", one(BLOCK, Group=group(["subnet-1"], MinSize="4")), W),
    ("4.2 emptied", one(BLOCK, Group=group(["subnet-1"], MinSize="4"), In=action(MinSize=0)), []),
    ("4.2 size not known", one(BLOCK, Group=group(["subnet-1"], MinSize=SOMETIMES, MaxSize=SOMETIMES)), []),
]  # fmt: skip

ENDS = [
    ("CAP-16 end", template(R=reservation(EndDateType="limited", EndDate="2027-03-31T18:00:00Z")), []),
    ("CAP-16 end alone", template(R=reservation(EndDate="2027-03-31T18:00:00Z")), []),
    ("CAP-16 no end", template(R=reservation()), E),
    ("CAP-16 no end, meant", template(R=reservation(EndDateType="unlimited")), []),
    ("CAP-16 limited without end", template(R=reservation(EndDateType="limited")), E),
    ("CAP-16 unlimited with end", template(R=reservation(EndDateType="unlimited", EndDate="x")), E),
    ("CAP-16 not known", template(R=reservation(EndDate=SOMETIMES)), []),
    ("CAP-16 nothing of ours", template(R=reservation(InstanceType="m7i.large")), []),
]  # fmt: skip


def keeping(value: Any) -> Body:
    made = group(["subnet-1"])
    policy = {"IgnoreUnmodifiedGroupSizeProperties": value}
    return {**made, "UpdatePolicy": {"AutoScalingScheduledAction": policy}}


SCHEDULES = [
    ("kept", one(Group=keeping(True), In=action()), []),
    ("kept as text", one(Group=keeping("true"), In=action()), []),
    ("set back", one(Group=group(["subnet-1"]), In=action()), W),
    ("set back on purpose", one(Group=keeping(False), In=action()), W),
    ("not known", one(Group=keeping(SOMETIMES), In=action()), []),
    ("no schedule", one(Group=group(["subnet-1"])), []),
    ("schedule of another", one(Group=group(["subnet-1"]), In=action(AutoScalingGroupName="x")), []),
    ("nothing of ours", one(kind="m7i.large", Group=group(["subnet-1"]), In=action()), []),
]  # fmt: skip

OPEN = reservation(InstanceMatchCriteria="open", EndDate="x")
PREFERENCES = [
    ("CAP-17 only", one(target(CapacityReservationPreference="capacity-reservations-only")), []),
    ("CAP-17 none and a target", one(target(CapacityReservationPreference="none")), E),
    ("CAP-17 open and a target", one(target(CapacityReservationPreference="open")), E),
    ("CAP-17 none", one(preference("none")), []),
    ("CAP-17 none beside an open one", one(preference("none"), R=OPEN), W),
    ("CAP-17 none beside one by default open", one(preference("none"), R=reservation(EndDate="x")), W),
    ("CAP-17 none beside a targeted one", one(preference("none"), R=reservation(InstanceMatchCriteria="targeted", EndDate="x")), []),
    ("CAP-17 none beside one of another type", one(preference("none"), R=reservation(InstanceType="trn1.32xlarge", EndDate="x")), []),
    ("CAP-17 open", one(preference("open"), R=OPEN), []),
]  # fmt: skip

ROOT = {
    "Fn::Join": [
        "",
        ["arn:", {"Ref": "AWS::Partition"}, ":iam::", {"Ref": "AWS::AccountId"}, ":root"],
    ]
}
ROLE = {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"}  # fmt: skip


def encrypted(*statements: Body, started: Any = None, key: Any = None) -> Body:
    volume = {"VolumeSize": 512, "Encrypted": True, "KmsKeyId": key or {"Ref": "Key"}}
    policy = {"Statement": list(statements)}
    return template(
        Nodes=nodes(TRN2, BlockDeviceMappings=[{"DeviceName": "/dev/sda1", "Ebs": volume}]),
        Key={"Type": "AWS::KMS::Key", "Properties": {"KeyPolicy": policy}},
        **({"Group": started} if started else {"Group": group(["subnet-1"])}),
    )


def allow(actions: Any, principal: Any, **more: Any) -> Body:
    return {
        "Effect": "Allow",
        "Action": actions,
        "Resource": "*",
        "Principal": principal if principal == "*" else {"AWS": principal},
        **more,
    }


OWNER = allow("kms:*", ROOT)
KEYS = [
    ("HOST-01 root alone", encrypted(OWNER), E),
    ("HOST-01 root alone, EKS", encrypted(OWNER, started=eks()), E),
    ("HOST-01 the role", encrypted(OWNER, allow("kms:CreateGrant", ROLE)), []),
    ("HOST-01 the role, everything", encrypted(OWNER, allow("kms:*", [ROLE])), []),
    ("HOST-01 the role, no grants", encrypted(OWNER, allow(["kms:Decrypt"], ROLE)), E),
    ("HOST-01 a service", encrypted(OWNER, {**OWNER, "Principal": {"Service": "ec2.amazonaws.com"}}), E),
    ("HOST-01 everybody through EC2", encrypted(OWNER, allow("kms:CreateGrant", "*", Condition={"StringEquals": {"kms:ViaService": "ec2.us-east-2.amazonaws.com"}})), []),
    ("HOST-01 another role", encrypted(OWNER, allow("kms:CreateGrant", {"Fn::GetAtt": ["R", "Arn"]})), []),
    ("HOST-01 not known", encrypted(OWNER, SOMETIMES), []),
    ("HOST-01 actions not known", encrypted(OWNER, allow(SOMETIMES, ROLE)), []),
    ("HOST-01 key elsewhere", encrypted(OWNER, key="alias/mine"), []),
    ("HOST-01 nobody starts it", encrypted(OWNER, started=group(["subnet-1"], LaunchTemplate={"LaunchTemplateId": "lt-1"})), []),
]  # fmt: skip

AMI = {"ImageId": "ami-0123456789abcdef0"}
COMPLETE = [
    ("CAP-18 complete", one(AMI, Group=group(["subnet-1"])), []),
    ("CAP-18 no image", one(Group=group(["subnet-1"])), E),
    ("CAP-18 market options alone", one(BLOCK, kind=None, Group=group(["subnet-1"])), E),
    ("CAP-18 no type", template(Nodes=nodes(None, [interface(0, 0, "efa")], **AMI), Group=group(["subnet-1"])), E),
    ("CAP-18 image not known", one({"ImageId": {"Ref": "Image"}}, Group=group(["subnet-1"])), []),
    ("AMI-08 EKS brings its image", one(Group=eks()), []),
    ("CAP-18 nobody starts it", one(), []),
    ("CAP-18 nothing of ours", one(kind="m7i.large", Group=group(["subnet-1"])), []),
]  # fmt: skip

TABLES: dict[str, list[tuple[str, Body, list[str]]]] = {
    "TRN260": TARGETS,
    "TRN261": PLACEMENTS,
    "TRN262": GROUPS,
    "TRN263": ENDS,
    "TRN264": SCHEDULES,
    "TRN265": PREFERENCES,
    "TRN266": KEYS,
    "TRN267": COMPLETE,
}
ROWS = [(rule_id, *row) for rule_id, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [(rule_id, body, expected) for rule_id, _, body, expected in ROWS],
    ids=[f"{rule_id} {name}" for rule_id, name, *_ in ROWS],
)
def test_a_template_is_judged(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


def test_the_key_and_the_nodes_may_be_in_two_stacks():
    body = encrypted(OWNER, key={"Fn::ImportValue": "key"})
    keys = {"Resources": {"Key": body["Resources"].pop("Key")}}
    keys["Outputs"] = {"Key": {"Value": {"Ref": "Key"}, "Export": {"Name": "key"}}}
    assert severities("TRN266", judge_template(keys, body)) == E
    assert severities("TRN266", judge_template(body)) == []


def test_cap_01_the_finding_says_what_to_write():
    (finding,) = of_rule("TRN260", judge_template(one(target())))
    assert "MarketType to capacity-block" in (finding.hint or "")
    assert (finding.path or "").endswith(
        "CapacityReservationSpecification/CapacityReservationTarget"
    )


# What each change to our own templates is caught by.
GOLDEN = Path(__file__).parents[2] / "golden" / "templates"
DATA = ("Properties", "LaunchTemplateData")
NODES, GROUP_TYPE = "AWS::EC2::LaunchTemplate", "AWS::AutoScaling::AutoScalingGroup"
BLOCK_EXAMPLE, MIXED_EXAMPLE = "trn2-capacity-block", "mixed-groups"
CHANGES: list[tuple[str, str, str, tuple[Any, ...], Any]] = [
    ("TRN260", BLOCK_EXAMPLE, NODES, (*DATA, "CapacityReservationSpecification"), {}),
    ("TRN260", BLOCK_EXAMPLE, NODES, (*DATA, "InstanceMarketOptions"), {}),
    ("TRN261", BLOCK_EXAMPLE, NODES, (*DATA, "Placement"), {"GroupName": "theirs"}),
    ("TRN262", BLOCK_EXAMPLE, GROUP_TYPE, ("Properties", "MaxSize"), "100"),
    ("TRN264", BLOCK_EXAMPLE, GROUP_TYPE, ("UpdatePolicy",), {}),
    ("TRN267", BLOCK_EXAMPLE, NODES, (*DATA, "ImageId"), {"Ref": "AWS::NoValue"}),
    (
        "TRN263",
        MIXED_EXAMPLE,
        "AWS::EC2::CapacityReservation",
        ("Properties", "EndDate"),
        {"Ref": "AWS::NoValue"},
    ),
    (
        "TRN265",
        MIXED_EXAMPLE,
        NODES,
        (*DATA, "CapacityReservationSpecification", "CapacityReservationPreference"),
        "none",
    ),
    ("TRN266", MIXED_EXAMPLE, "AWS::KMS::Key", ("Properties", "KeyPolicy", "Statement"), [OWNER]),
]


def ours(example: str) -> list[Body]:
    return [json.loads(path.read_text()) for path in sorted((GOLDEN / example).glob("*.json"))]


@pytest.mark.parametrize("example", sorted(path.name for path in GOLDEN.iterdir()))
def test_our_own_templates_are_free_of_findings(example: str):
    findings = judge_template(*ours(example))
    # TRN268 says that a type of the example's own was not judged; whether it is known depends on
    # whether something in this process has read its file.
    findings = [finding for finding in findings if finding.rule_id != "TRN268"]
    assert [finding.headline() for finding in findings] == []


@pytest.mark.parametrize(("rule_id", "example", "kind", "path", "value"), CHANGES)
def test_our_own_templates_made_wrong_are_caught(
    rule_id: str, example: str, kind: str, path: tuple[Any, ...], value: Any
):
    bodies = ours(example)
    for body in bodies:
        for entry in body["Resources"].values():
            if entry["Type"] == kind:
                place: Any = entry
                for part in path[:-1]:
                    place = place.setdefault(part, {})
                place[path[-1]] = value
    assert of_rule(rule_id, judge_template(*bodies))
