"""Stacks that depend on each other wrongly, and permissions that do not do what they are for."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.synthesis import EXAMPLES, example_assembly
from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, subnet, template
from trnkit.rules import StackSet, Template, check_templates

E, W = ["error"], ["warning"]
SOMETIMES = {"Fn::If": ["Sometimes", 1, 2]}
ROLE, KEY = {"Ref": "Role"}, {"Ref": "Key"}
HANDLE = ("AWS::CloudFormation::WaitConditionHandle", {})


def many(number: int) -> Body:
    return template(**{f"W{n}": HANDLE for n in range(number)})


def sized(number: int) -> Body:
    """A template of so many thousand bytes."""
    parameter = ("AWS::SSM::Parameter", {"Type": "String", "Value": "x" * 930})
    return template(**{f"P{n}": parameter for n in range(number)})


QUOTAS = [
    ("CDK-04 400", many(400), []),
    ("CDK-04 401", many(401), W),
    ("CDK-04 500", many(500), W),
    ("CDK-04 501", many(501), E),
    ("CDK-04 not a resource", {"Resources": {f"X{n}": "x" for n in range(600)}}, []),
    ("CDK-04 0.3 MB", sized(300), []),
]  # fmt: skip
GROUP = ("AWS::EC2::SecurityGroup", {"GroupDescription": "g", "VpcId": "vpc-1"})


PROFILE = {"Arn": {"Fn::GetAtt": ["Profile", "Arn"]}}
NODES = {"LaunchTemplateData": {"IamInstanceProfile": PROFILE}}


def trusting(principal: Any, taker: str = "AWS::EC2::LaunchTemplate", properties: Any = NODES, action: Any = "sts:AssumeRole", roles_of_profile: Any = (ROLE,), **more: Any) -> Body:  # fmt: skip
    statement = {"Effect": "Allow", "Action": action, "Principal": principal, **more}
    return template(
        Taker=(taker, properties),
        Profile=("AWS::IAM::InstanceProfile", {"Roles": list(roles_of_profile)}),
        Role=("AWS::IAM::Role", {"AssumeRolePolicyDocument": {"Statement": [statement]}}),
    )


def service(*names: Any) -> Body:
    return {"Service": list(names) if len(names) > 1 else names[0]}


EC2, ECS = "ec2.amazonaws.com", "ecs-tasks.amazonaws.com"
ROLE_ARN = {"Fn::GetAtt": ["Role", "Arn"]}
TRUST = [
    ("nodes", trusting(service(EC2)), []),
    ("nodes, second of two", trusting(service(ECS, EC2)), []),
    ("tasks as nodes", trusting(service(ECS)), E),
    ("an account", trusting({"AWS": "arn:aws:iam::111122223333:root"}), E),
    ("everybody", trusting("*"), []),
    ("another action", trusting(service(EC2), action="sts:TagSession"), E),
    ("every action of STS", trusting(service(EC2), action="sts:*"), []),
    ("denied", trusting(service(EC2), Effect="Deny"), E),
    ("in China", trusting(service("ec2.amazonaws.com.cn")), []),
    ("by its suffix", trusting(service({"Fn::Sub": "ec2.${AWS::URLSuffix}"})), []),
    ("not known", trusting(SOMETIMES), []),
    ("under a condition", trusting(service(EC2), Condition={"StringEquals": {"aws:SourceAccount": "111122223333"}}), []),
    ("a role elsewhere", trusting(service(ECS), roles_of_profile=["nodes"]), []),
    ("a profile that nobody takes", trusting(service(ECS), properties={"LaunchTemplateData": {}}), []),
    ("a profile by its name", trusting(service(ECS), properties={"LaunchTemplateData": {"IamInstanceProfile": {"Name": {"Ref": "Profile"}}}}), E),
    ("a profile of Batch", trusting(service(ECS), "AWS::Batch::ComputeEnvironment", {"ComputeResources": {"InstanceRole": {"Ref": "Profile"}}}), E),
    ("flow logs", trusting(service("vpc-flow-logs.amazonaws.com"), "AWS::EC2::FlowLog", {"DeliverLogsPermissionArn": ROLE_ARN}), []),
    ("flow logs as EC2", trusting(service(EC2), "AWS::EC2::FlowLog", {"DeliverLogsPermissionArn": ROLE_ARN}), E),
    ("EKS nodes as EKS", trusting(service("eks.amazonaws.com"), "AWS::EKS::Nodegroup", {"NodeRole": ROLE_ARN}), E),
    ("a function", trusting(service("lambda.amazonaws.com"), "AWS::Lambda::Function", {"Role": ROLE_ARN}), []),
    ("HyperPod, the culprit second", trusting(service(EC2), "AWS::SageMaker::Cluster", {"InstanceGroups": [{"ExecutionRole": "arn:aws:iam::111122223333:role/x"}, {"ExecutionRole": ROLE_ARN}]}), E),
]  # fmt: skip

PRINCIPALS = [
    ("a service", trusting(service(EC2)), []),
    ("everybody", trusting("*"), []),
    ("everybody's account", trusting({"AWS": "*"}), []),
    ("an unknown kind", trusting({"Robot": "x"}), E),
    ("in small letters", trusting({"service": EC2}), E),
    ("a service without its domain", trusting(service("ec2")), E),
    ("a service without its domain, second", trusting(service(EC2, "ecs")), E),
    ("a federation", trusting({"Federated": "cognito-identity.amazonaws.com"}, action="sts:AssumeRoleWithWebIdentity"), []),
    ("not known", trusting({"Fn::If": ["Sometimes", {"Service": EC2}, {"AWS": "*"}]}), []),
    ("of a key", template(K=("AWS::KMS::Key", {"KeyPolicy": {"Statement": [{"Effect": "Allow", "Action": "kms:*", "Resource": "*", "Principal": {"Aws": "*"}}]}})), E),
]  # fmt: skip


def document(characters: int) -> Body:
    actions = [f"s3:{'x' * 95}"] * (characters // 100)
    return {"Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}


def roles(*inline: Any, **beside: Any) -> Body:
    policies = [{"PolicyName": f"p{n}", "PolicyDocument": found} for n, found in enumerate(inline)]
    return template(Role=("AWS::IAM::Role", {"Policies": policies}), **beside)


def beside(found: Any, **more: Any) -> Body:
    return {"Type": "AWS::IAM::Policy", "Properties": {"PolicyName": "p", "Roles": [ROLE], "PolicyDocument": found}, **more}  # fmt: skip


LONG_NAME = {"Fn::Sub": "arn:aws:s3:::${AWS::StackName}"}
SIZES = [
    ("short", roles(document(5000)), []),
    ("long", roles(document(11000)), E),
    ("long together", roles(document(6000), document(6000)), E),
    ("long with one beside", roles(document(6000), P=beside(document(6000))), E),
    ("long with one beside, perhaps", roles(document(6000), P=beside(document(6000), Condition="Sometimes")), []),
    ("of two roles", roles(document(6000), P=beside(document(6000), Properties={"PolicyName": "p", "Roles": ["other"], "PolicyDocument": document(6000)})), []),
    ("blanks", roles({"Statement": [{"Sid": " " * 12000}]}), []),
    ("not known", roles({"Statement": [{"Resource": [LONG_NAME] * 300}]}), []),
    ("managed", template(M=("AWS::IAM::ManagedPolicy", {"PolicyDocument": document(7000)})), E),
    ("managed, short", template(M=("AWS::IAM::ManagedPolicy", {"PolicyDocument": document(5000)})), []),
]  # fmt: skip


def allow(action: Any, principal: Any, **more: Any) -> Body:
    return {"Effect": "Allow", "Action": action, "Resource": "*", "Principal": principal, **more}


ROOT = {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}}


def key(*statements: Any, **more: Any) -> Body:
    return template(Key=("AWS::KMS::Key", {"KeyPolicy": {"Statement": list(statements)}, **more}))


LOCKOUT = [
    ("the account", key(allow("kms:*", ROOT)), []),
    ("the account, some of it", key(allow(["kms:Describe*", "kms:Put*"], ROOT)), []),
    ("the account, to read", key(allow(["kms:Describe*", "kms:Get*"], ROOT)), E),
    ("a service alone", key(allow("kms:*", service(EC2))), E),
    ("a role", key(allow("kms:*", {"AWS": ROLE_ARN})), []),
    ("denied", key(allow("kms:*", ROOT, Effect="Deny")), E),
    ("everything but", key({"Effect": "Allow", "NotAction": "kms:Delete*", "Resource": "*", "Principal": ROOT}), []),
    ("no check wanted", key(allow("kms:Decrypt", ROOT), BypassPolicyLockoutSafetyCheck=True), []),
    ("not known: a statement", key(allow("kms:Decrypt", ROOT), SOMETIMES), []),
    ("not known: actions", key(allow(SOMETIMES, ROOT)), []),
    ("no policy", template(Key=("AWS::KMS::Key", {})), []),
]  # fmt: skip

ROTATION = [
    ("by default", template(Key=("AWS::KMS::Key", {"EnableKeyRotation": True})), []),
    ("symmetric", template(Key=("AWS::KMS::Key", {"EnableKeyRotation": True, "KeySpec": "SYMMETRIC_DEFAULT"})), []),
    ("asymmetric", template(Key=("AWS::KMS::Key", {"EnableKeyRotation": "true", "KeySpec": "ECC_NIST_P256"})), E),
    ("asymmetric, off", template(Key=("AWS::KMS::Key", {"EnableKeyRotation": False, "KeySpec": "RSA_2048"})), []),
    ("imported", template(Key=("AWS::KMS::Key", {"EnableKeyRotation": True, "Origin": "EXTERNAL"})), E),
    ("not known", template(Key=("AWS::KMS::Key", {"EnableKeyRotation": SOMETIMES, "KeySpec": "RSA_2048"})), []),
]  # fmt: skip

LOOKUPS = [
    ("CDK-02 a zone", template(S=subnet(AvailabilityZone="us-east-2a")), []),
    ("CDK-02 a made-up zone", template(S=subnet(AvailabilityZone="dummy1b")), E),
    ("CDK-02 a made-up VPC", template(S=subnet(VpcId="vpc-12345")), E),
    ("CDK-02 a made-up subnet, second of two", template(G=("AWS::AutoScaling::AutoScalingGroup", {"VPCZoneIdentifier": ["subnet-0123456789abcdef0", "p-67890"]})), E),
    ("CDK-02 a made-up value", template(P=("AWS::SSM::Parameter", {"Type": "String", "Value": {"Fn::Join": ["", ["x", "dummy-value-for-/my/path"]]}})), E),
    ("CDK-02 a made-up image", template(N=("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": {"ImageId": "ami-1234"}})), E),
    ("CDK-02 an old id", template(S=subnet(VpcId="vpc-12345abc")), []),
    ("CDK-02 a word", template(S=subnet(Tags=[{"Key": "Name", "Value": "dummy"}])), []),
    ("CDK-02 two in one resource", template(S=subnet(VpcId="vpc-12345", AvailabilityZone="dummy1a")), E),
]  # fmt: skip

CROSS = [
    ("CDK-07 writer", template(X=("Custom::CrossRegionExportWriter", {"ServiceToken": "x"})), W),
    ("CDK-07 both", template(X=("Custom::CrossRegionExportWriter", {}), Y=("Custom::CrossRegionExportReader", {})), [*W, *W]),
    ("CDK-07 another custom resource", template(X=("Custom::VpcRestrictDefaultSG", {})), []),
]  # fmt: skip


def placed(arn: Any, zone: Any = "use2-az1") -> Body:
    """A template whose zone tells its Region."""
    return template(
        S=subnet(AvailabilityZoneId=zone), P=("AWS::IAM::Role", {"ManagedPolicyArns": ["x", arn]})
    )


ELSEWHERE, HERE = "arn:aws-us-gov:iam::aws:policy/x", "arn:aws:iam::aws:policy/x"


def holding(kind: str, properties: Body) -> Body:
    return template(S=subnet(AvailabilityZoneId="use2-az1"), X=(kind, properties))


def compared(*arns: str) -> Body:
    statement = {"Condition": {"ArnLike": {"aws:SourceArn": list(arns)}}, "Resource": "*"}
    return holding("AWS::SQS::QueuePolicy", {"PolicyDocument": {"Statement": [statement]}})


IN_GOVCLOUD = {"Fn::Equals": [{"Ref": "AWS::Partition"}, "aws-us-gov"]}
SOME_MODE = {"Fn::Equals": [{"Ref": "Mode"}, "gov"]}
EITHER = {"Fn::If": ["Gov", ELSEWHERE, HERE]}
NESTED = {"Fn::If": ["Gov", {"Fn::Join": ["", [ELSEWHERE, "s"]]}, {"Ref": "AWS::NoValue"}]}


PARTITIONS = [
    ("HOST-11 compared", compared(ELSEWHERE), []),
    ("HOST-11 a text that is kept", holding("AWS::SSM::Parameter", {"Value": ELSEWHERE}), []),
    ("HOST-11 a custom resource", holding("Custom::Copy", {"Source": ELSEWHERE}), []),
    ("HOST-11 a tag", holding("AWS::SNS::Topic", {"Tags": [{"Key": "a", "Value": ELSEWHERE}]}), []),
    ("HOST-11 a description", holding("AWS::IAM::Role", {"Description": ELSEWHERE}), []),
    ("HOST-11 a variable", holding("AWS::Lambda::Function", {"Environment": {"Variables": {"A": ELSEWHERE}}}), []),
    ("HOST-11 a boundary", holding("AWS::IAM::Role", {"PermissionsBoundary": ELSEWHERE}), E),
    ("HOST-11 chosen by the partition", {**placed(NESTED), "Conditions": {"Gov": IN_GOVCLOUD}}, []),
    ("HOST-11 chosen by a mode", {**placed(EITHER), "Conditions": {"Gov": SOME_MODE}, "Parameters": {"Mode": {"Type": "String"}}}, []),
    ("HOST-11 a partition of tomorrow", template(S=subnet(AvailabilityZone="eusc-xx-east-1a"), X=("AWS::IAM::Role", {"PermissionsBoundary": ELSEWHERE})), []),
    ("HOST-11 the Region's", placed("arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"), []),
    ("HOST-11 another's, second of two", placed("arn:aws-us-gov:iam::aws:policy/AmazonSSMManagedInstanceCore"), E),
    ("HOST-11 another's, joined", placed({"Fn::Join": ["", ["arn:aws-cn:s3:::", {"Ref": "Bucket"}]]}), E),
    ("HOST-11 whichever it is", placed({"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/x"}), []),
    ("HOST-11 no Region known", placed("arn:aws-cn:iam::aws:policy/x", SOMETIMES), []),
    ("HOST-11 words about ARNs", placed("see arn:aws-cn:iam::aws:policy/x"), []),
]  # fmt: skip

TABLES: list[tuple[str, list[tuple[str, Body, list[str]]]]] = [
    ("TRN850", QUOTAS),
    ("TRN852", LOOKUPS),
    ("TRN853", CROSS),
    ("TRN860", TRUST),
    ("TRN861", PRINCIPALS),
    ("TRN862", SIZES),
    ("TRN863", LOCKOUT),
    ("TRN864", ROTATION),
    ("TRN865", PARTITIONS),
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


@pytest.mark.parametrize(
    ("file", "number", "expected"),
    [
        ("t.json", 700, []),
        ("t.json", 900, W),
        ("t.json", 1100, E),
        ("t.yaml", 900, W),
        ("t.yaml", 1100, E),
    ],
)
def test_a_template_is_measured_by_its_bytes(file: str, number: int, expected: list[str]):
    body = sized(number)
    # More than 500 resources are another finding.
    found = of_rule("TRN850", check_templates(StackSet([Template("t", file, body)])))
    told = [finding for finding in found if "bytes" in finding.message]
    assert [finding.severity.value for finding in told] == expected
    if expected == E:
        assert len(json.dumps(body, separators=(",", ":"))) > 1_000_000


def test_a_bomb_is_measured_in_no_time():
    bomb: Any = "x" * 100
    for _ in range(40):
        bomb = [bomb, bomb]
    started = time.monotonic()
    found = judge_template(template(P=("AWS::SSM::Parameter", {"Value": bomb})))
    assert severities("TRN850", found) == E
    assert time.monotonic() - started < 20


def imports(name: str) -> Body:
    return {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": {"Fn::ImportValue": name}}}


def stack(*exports: str, **resources: Any) -> Body:
    body = template(Own=GROUP, **resources)
    body["Outputs"] = {
        f"Output{number}": {"Value": {"Ref": "Own"}, "Export": {"Name": name}}
        for number, name in enumerate(exports)
    }
    return body


def circles(*bodies: Body, regions: tuple[str | None, ...] = ()) -> list[str]:
    where = [*regions, *[None] * len(bodies)]
    templates = [
        Template(f"stack-{n}", f"{n}.json", body, where[n]) for n, body in enumerate(bodies)
    ]
    found = of_rule("TRN851", check_templates(StackSet(templates)))
    return [f"{finding.severity.value} {finding.file}" for finding in found]


def test_stacks_that_import_in_one_direction_are_right():
    assert (
        circles(stack("a"), stack("b", X=imports("a")), stack(X=imports("b"), Y=imports("a"))) == []
    )


def test_two_stacks_that_import_from_each_other_are_wrong():
    found = circles(stack("a", X=imports("b")), stack("b", X=imports("a")))
    assert found == ["error 0.json", "error 1.json"]


def test_three_stacks_in_a_circle_are_wrong():
    first, second, third = stack("a", X=imports("c")), stack("b", X=imports("a")), stack("c", X=imports("b"))  # fmt: skip
    assert len(circles(first, second, third, stack(X=imports("a")))) == 3


def test_one_circle_is_told_once_a_stack():
    several = {f"X{number}": imports("b") for number in range(5)}
    assert len(circles(stack("a", **several), stack("b", X=imports("a")))) == 2


def test_what_several_stacks_export_is_of_nobody_in_particular():
    assert circles(stack("a", X=imports("b")), stack("b", X=imports("a")), stack("b")) == []


def test_an_output_that_is_read_by_name_counts_as_an_import():
    read = {"Fn::GetStackOutput": {"StackName": "stack-1", "OutputName": "Output0"}}
    reader = stack("a", X={"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": read}})
    assert circles(reader, stack("b", X=imports("a"))) == ["error 0.json", "error 1.json"]


def test_an_import_from_another_region_is_told():
    other = ("us-east-2", "us-west-2")
    assert circles(stack(X=imports("a")), stack("a"), regions=other) == ["warning 0.json"]
    assert circles(stack(X=imports("a")), stack("a"), regions=("us-east-2", "us-east-2")) == []
    assert circles(stack(X=imports("a")), stack("a"), regions=("us-east-2", None)) == []
    assert circles(stack(X=imports("a")), regions=("us-east-2",)) == []


def test_an_import_from_either_of_two_regions_is_right():
    regions = ("us-east-2", "us-west-2", "us-east-2")
    assert circles(stack(X=imports("a")), stack("a"), stack("a"), regions=regions) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_our_own_stacks_break_no_rule_about_stacks(example: Any):
    found = judge_template(*example_assembly(example).templates.values())
    assert [f.headline() for f in found if f.rule_id.startswith("TRN8")] == []
