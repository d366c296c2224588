"""SageMaker HyperPod clusters that went wrong for real people, beside the nearest right ones."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, rule, security_group, subnet, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
Row = tuple[str, Body, list[str]]
TRN1, TRN2 = "ml.trn1.32xlarge", "ml.trn2.48xlarge"
OPEN = {"Ref": "Open"}
UNKNOWN = {"Fn::If": ["Sometimes", "a", {"Ref": "AWS::NoValue"}]}
PLAN = "arn:aws:sagemaker:us-east-2:111122223333:training-plan/example-plan"
MANAGED = "arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"


def group(kind: Any = TRN1, count: Any = 2, name: str = "train", **properties: Any) -> Body:
    base = {
        "InstanceGroupName": name,
        "InstanceType": kind,
        "InstanceCount": count,
        "ExecutionRole": "arn:aws:iam::111122223333:role/nodes",
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-example", "OnCreate": "on_create.sh"},
    }
    return {**base, **properties}


def cluster(
    *groups: Body, subnets: Any = ("subnet-1",), security_groups: Any = ("sg-1",), **more: Any
) -> Body:
    network = {"Subnets": list(subnets), "SecurityGroupIds": list(security_groups)}
    properties = {"InstanceGroups": list(groups), "VpcConfig": network}
    return template(Cluster=("AWS::SageMaker::Cluster", properties), **more)


def batch(*kinds: Any) -> Body:
    computing = {"Type": "EC2", "InstanceTypes": list(kinds)}
    return template(Env=("AWS::Batch::ComputeEnvironment", {"ComputeResources": computing}))


def overriding(kind: Any) -> Body:
    mixed = {"LaunchTemplate": {"Overrides": [{"InstanceType": kind}]}}
    return template(Group=("AWS::AutoScaling::AutoScalingGroup", {"MixedInstancesPolicy": mixed}))


def in_node_range(kind: Any) -> Body:
    ranges = [{"TargetNodes": "0:", "InstanceTypes": [kind]}]
    return template(
        Job=("AWS::Batch::JobDefinition", {"NodeProperties": {"NodeRangeProperties": ranges}})
    )


PREFIXES: list[Row] = [
    ("SageMaker's name", cluster(group()), []),
    ("a SageMaker type that is not known", cluster(group("ml.trn9.48xlarge")), []),
    ("EC2's name", cluster(group("trn1.32xlarge")), E),
    ("EC2's name of another kind", cluster(group("m5.large")), []),
    ("a type that is not known", cluster(group(OPEN)), []),
    ("a controller beside the nodes", cluster(group("ml.c5.xlarge", 1, "head"), group()), []),
    ("AWS Batch with EC2's name", batch("trn1.32xlarge"), []),
    ("AWS Batch with SageMaker's name", batch("ml.trn1.32xlarge"), E),
    ("AWS Batch with SageMaker's name of another kind", batch("ml.m5.large"), E),
    ("an override with SageMaker's name", overriding(TRN1), E),
    ("a node range with SageMaker's name", in_node_range(TRN1), E),
    (
        "a launch template with SageMaker's name",
        template(
            Nodes=("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": {"InstanceType": TRN1}})
        ),
        E,
    ),
    (
        "a single instance with SageMaker's name",
        template(Box=("AWS::EC2::Instance", {"InstanceType": TRN1})),
        E,
    ),
    (
        "a reservation with SageMaker's name",
        template(Held=("AWS::EC2::CapacityReservation", {"InstanceType": TRN1})),
        E,
    ),
    (
        "an EKS group with SageMaker's name",
        template(Eks=("AWS::EKS::Nodegroup", {"InstanceTypes": [TRN1]})),
        E,
    ),
]


def in_zones(*zones: Any, kind: Any = TRN1, own: Any = (), **properties: Any) -> Body:
    subnets = {
        f"Subnet{n}": subnet(AvailabilityZoneId=zone) for n, zone in enumerate([*zones, *own])
    }
    names = [{"Ref": name} for name in subnets]
    if own:
        network = {"Subnets": names[len(zones) :], "SecurityGroupIds": ["sg-1"]}
        properties = {"OverrideVpcConfig": network, **properties}
    return cluster(group(kind, **properties), subnets=names[: len(zones)], **subnets)


OFFERED: list[Row] = [
    ("a zone that has the type", in_zones("usw2-az4"), []),
    ("a zone that has it not", in_zones("usw2-az2"), W),
    ("one of two zones that has it", in_zones("usw2-az2", "usw2-az4"), []),
    ("a group's own zone that has it", in_zones("usw2-az2", own=["usw2-az4"]), []),
    ("a group's own zone that has it not", in_zones("usw2-az4", own=["usw2-az2"]), W),
    ("a Region where only SageMaker has it", in_zones("euw1-az1", kind="ml.trn2.3xlarge"), []),
    ("the zone of a training plan", in_zones("usw2-az2", TrainingPlanArn=PLAN), []),
    ("a zone that is not known", in_zones(OPEN), []),
    ("an imported subnet", cluster(group(), subnets=[{"Fn::ImportValue": "subnet"}]), []),
    ("another kind", in_zones("usw2-az2", kind="ml.m5.large"), []),
]
ZONES: list[Row] = [
    ("one zone", in_zones("usw2-az4"), []),
    ("two zones with EFA", in_zones("usw2-az1", "usw2-az4"), W),
    ("two zones for one node", in_zones("usw2-az1", "usw2-az4", count=1), []),
    ("two zones for none", in_zones("usw2-az1", "usw2-az4", count=0), []),
    ("two zones without EFA", in_zones("usw2-az1", "usw2-az4", kind="ml.trn1.2xlarge"), []),
    ("a zone for the group", in_zones("usw2-az1", "usw2-az4", own=["usw2-az4"]), []),
]


def named(name: str) -> Body:
    return {"Fn::GetAtt": [name, "GroupId"]}


def grouped(*names: str, kind: Any = TRN1, both: Any = ("Right",), **more: Any) -> Body:
    groups = {name: security_group() for name in names}
    rules = {
        f"{name}{way}": rule(way, named(name), named(name))
        for name in both
        if name in names
        for way in ("Ingress", "Egress")
    }
    return cluster(
        group(kind), security_groups=[named(name) for name in names], **groups, **rules, **more
    )


GROUPS: list[Row] = [
    ("self rules both ways", grouped("Right"), []),
    ("no rules", grouped("Wrong"), E),
    (
        "in by itself, out by address",
        grouped("Wrong", Way=rule("Ingress", named("Wrong"), named("Wrong"))),
        E,
    ),
    ("a right one beside a wrong one", grouped("Right", "Wrong"), W),
    ("two right ones", grouped("Right", "Also", both=("Right", "Also")), []),
    ("no EFA", grouped("Wrong", kind="ml.trn1.2xlarge"), []),
    ("another kind", grouped("Wrong", kind="ml.p5.48xlarge"), []),
    ("somebody's group", cluster(group()), []),
    (
        "a wrong one beside somebody's",
        cluster(group(), security_groups=[named("Wrong"), "sg-1"], Wrong=security_group()),
        [],
    ),
]


def scripts(source: Any, role: Any = None, **resources: Any) -> Body:
    config = {"LifeCycleConfig": {"SourceS3Uri": source, "OnCreate": "on_create.sh"}}
    if role is not None:
        resources["Role"] = ("AWS::IAM::Role", {"AssumeRolePolicyDocument": {}, **role})
        config["ExecutionRole"] = {"Fn::GetAtt": ["Role", "Arn"]}
    return cluster(group(**config), **resources)


def may(action: str) -> Body:
    statement = {"Effect": "Allow", "Action": action, "Resource": "*"}
    return {"PolicyName": "p", "PolicyDocument": {"Statement": [statement]}}


ONLY = {"ManagedPolicyArns": [MANAGED]}


def bucket(**properties: Any) -> tuple[str, Body]:
    return "AWS::S3::Bucket", properties


BUCKETS: list[Row] = [
    ("the name that the policy is for", scripts("s3://sagemaker-example/scripts", ONLY), []),
    (
        "such a name in parts",
        scripts({"Fn::Sub": "s3://sagemaker-${AWS::AccountId}/scripts"}, ONLY),
        [],
    ),
    ("another name", scripts("s3://example-scripts", ONLY), W),
    (
        "another name in parts",
        scripts({"Fn::Sub": "s3://example-${AWS::AccountId}/scripts"}, ONLY),
        W,
    ),
    (
        "another name, and rights to it",
        scripts("s3://example", {**ONLY, "Policies": [may("s3:*")]}),
        [],
    ),
    (
        "another name, and other rights",
        scripts("s3://example", {**ONLY, "Policies": [may("fsx:*")]}),
        W,
    ),
    (
        "another name, and a policy for all of S3",
        scripts(
            "s3://example",
            {"ManagedPolicyArns": [MANAGED, "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"]},
        ),
        [],
    ),
    ("another name, and somebody's role", scripts("s3://example"), I),
    (
        "another name, and a policy that is not known",
        scripts("s3://example", {"ManagedPolicyArns": [MANAGED, OPEN]}),
        [],
    ),
    ("a name that is not known", scripts(OPEN, ONLY), []),
    (
        "a bucket of the template with such a name",
        scripts(
            {"Fn::Sub": "s3://${Bucket}/scripts"},
            ONLY,
            Bucket=bucket(BucketName="sagemaker-example"),
        ),
        [],
    ),
    (
        "a bucket of the template with another name",
        scripts({"Fn::Sub": "s3://${Bucket}/scripts"}, ONLY, Bucket=bucket(BucketName="example")),
        W,
    ),
    (
        "a bucket of the template with another name, in pieces",
        scripts(
            {"Fn::Join": ["", ["s3://", {"Ref": "Bucket"}, "/scripts"]]},
            ONLY,
            Bucket=bucket(BucketName="example"),
        ),
        W,
    ),
    (
        "a bucket of the template with the stack's name",
        scripts({"Fn::Sub": "s3://${Bucket}/scripts"}, ONLY, Bucket=bucket()),
        [],
    ),
]


def counted(**properties: Any) -> Body:
    return cluster(group(**properties))


COUNTS: list[Row] = [
    ("some", counted(count=2), []),
    ("none, to save money", counted(count=0), []),
    ("none at least", counted(count=0, MinInstanceCount=0), []),
    ("all at least", counted(count=2, MinInstanceCount=2), []),
    ("more at least than asked for", counted(count=2, MinInstanceCount=3), E),
    ("some at least of none", counted(count=0, MinInstanceCount=1), E),
    ("a number that is not known", counted(count=OPEN, MinInstanceCount=3), []),
    ("a training plan", counted(TrainingPlanArn=PLAN), []),
    ("a training plan for trn2", counted(kind=TRN2, TrainingPlanArn=PLAN), []),
    (
        "a training plan for each of two groups",
        cluster(group(TrainingPlanArn=PLAN), group(TRN2, name="more", TrainingPlanArn=f"{PLAN}-2")),
        [],
    ),
    (
        "a training plan of a type that has none",
        counted(kind="ml.trn2.3xlarge", TrainingPlanArn=PLAN),
        W,
    ),
    ("a training plan of another kind", counted(kind="ml.p5.48xlarge", TrainingPlanArn=PLAN), []),
    (
        "a training plan that is not known",
        counted(kind="ml.trn2.3xlarge", TrainingPlanArn=OPEN),
        [],
    ),
]
TABLES = {
    "TRN590": PREFIXES,
    "TRN591": OFFERED,
    "TRN571": ZONES,
    "TRN592": GROUPS,
    "TRN593": BUCKETS,
    "TRN594": COUNTS,
}
ROWS = [(rule_id, *row) for rule_id, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [(rule_id, body, expected) for rule_id, _, body, expected in ROWS],
    ids=[f"{rule_id} {name}" for rule_id, name, _, _ in ROWS],
)
def test_a_rule_fires_on_what_is_wrong_and_on_nothing_else(
    rule_id: str, body: Body, expected: list[str]
):
    assert severities(rule_id, judge_template(body)) == expected


@pytest.mark.parametrize(("region", "expected"), [("us-east-2", []), ("us-west-2", E), (None, [])])
def test_a_training_plan_is_of_the_clusters_region(region: str | None, expected: list[str]):
    findings = judge_template(counted(TrainingPlanArn=PLAN), region=region)
    assert severities("TRN594", findings) == expected


@pytest.mark.parametrize(
    ("rule_id", "body", "said"),
    [
        ("TRN590", cluster(group("trn1.32xlarge")), "Cluster: train is of trn1.32xlarge, which is EC2's name"),
        ("TRN591", in_zones("usw2-az2"), "Cluster: train is in usw2-az2, and EC2 offers trn1.32xlarge in usw2-az1 or usw2-az4"),
        ("TRN592", grouped("Wrong"), "Cluster: train has no security group that admits all traffic from and to itself; Wrong lacks the rule in from and the rule out to itself"),
        ("TRN593", scripts("s3://example", ONLY), "Cluster: train has its lifecycle scripts in the bucket example, which its role Role may not read"),
        ("TRN594", counted(count=2, MinInstanceCount=3), "Cluster: train asks for 2 instances and is in service from 3 on"),
        ("TRN594", counted(count=1, MinInstanceCount=3), "Cluster: train asks for 1 instance and is in service from 3 on"),
    ],
)  # fmt: skip
def test_a_finding_says_what_it_got_and_what_is_allowed(rule_id: str, body: Body, said: str):
    (finding,) = of_rule(rule_id, judge_template(body))
    assert finding.message == said


def test_restricted_groups_are_groups_too():
    body = template(
        Cluster=("AWS::SageMaker::Cluster", {"RestrictedInstanceGroups": [group("trn1.32xlarge")]})
    )
    (finding,) = of_rule("TRN590", judge_template(body))
    assert finding.path == "/Resources/Cluster/Properties/RestrictedInstanceGroups/0/InstanceType"


def test_a_whole_right_template_has_no_finding():
    body = grouped("Right", Subnet=subnet(AvailabilityZoneId="use2-az3"))
    cluster_properties = body["Resources"]["Cluster"]["Properties"]
    cluster_properties["VpcConfig"]["Subnets"] = [{"Ref": "Subnet"}]
    cluster_properties["InstanceGroups"] = [
        group("ml.c5.xlarge", 1, "head"),
        group(TRN2, 4, TrainingPlanArn=PLAN, MinInstanceCount=4),
        group(TRN1, 0, "later"),
    ]
    assert judge_template(body, region="us-east-2") == ()
