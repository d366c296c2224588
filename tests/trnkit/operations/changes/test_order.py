"""An order that says nothing is no change; one that does, is."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.changes.comparing import change_of

GROUP = "AWS::EC2::SecurityGroup"
RULES = [{"IpProtocol": "tcp", "FromPort": n, "ToPort": n, "CidrIp": "10.0.0.0/16"} for n in (1, 2)]
TAGS = [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]


@pytest.mark.parametrize(
    ("kind", "key", "values"),
    [
        (GROUP, "SecurityGroupIngress", RULES),
        (GROUP, "Tags", TAGS),
        ("AWS::FSx::FileSystem", "Tags", TAGS),
        ("AWS::IAM::Role", "ManagedPolicyArns", ["arn:a", "arn:b"]),
    ],
)
def test_the_order_of_what_aws_takes_for_a_set_is_no_change(tmp_path, kind, key, values):
    assert change_of(tmp_path, kind, {key: values}, {key: values[::-1]}) is None


def test_the_order_and_the_list_of_one_of_a_policy_are_no_change(tmp_path):
    def policy(first, second):
        document = {"Statement": [{"Effect": "Allow", "Action": first, "Resource": second}]}
        return {"PolicyName": "p", "PolicyDocument": document, "Roles": ["r"]}

    old, new = policy(["a:B", "a:C"], "*"), policy(["a:C", "a:B"], ["*"])
    assert change_of(tmp_path, "AWS::IAM::Policy", old, new) is None


def test_a_tag_that_is_added_before_others_is_one_difference(tmp_path):
    old, new = {"Tags": TAGS}, {"Tags": [{"Key": "0", "Value": "0"}, *TAGS]}
    change = change_of(tmp_path, "AWS::EC2::VPC", old, new)
    assert [(item.path, item.old) for item in change.properties] == [("Tags[0]", None)]


def test_an_item_that_is_taken_out_of_a_sequence_is_one_difference(tmp_path):
    cards = [{"NetworkCardIndex": n, "DeviceIndex": n} for n in range(5)]
    old = {"LaunchTemplateData": {"NetworkInterfaces": cards}}
    new = {"LaunchTemplateData": {"NetworkInterfaces": cards[1:]}}
    change = change_of(tmp_path, "AWS::EC2::LaunchTemplate", old, new)
    assert [item.new for item in change.properties] == [None]


def test_the_order_of_what_cannot_be_changed_in_place_is_not_called_safe(tmp_path):
    def group(*subnets):
        return {"ClusterName": "c", "NodeRole": "r", "Subnets": list(subnets)}

    old, new = group("subnet-1", "subnet-2"), group("subnet-2", "subnet-1")
    change = change_of(tmp_path, "AWS::EKS::Nodegroup", old, new)
    assert change.verdict == "cannot-be-told"
    assert "order" in change.effects[0].message


def test_what_tools_write_about_the_making_is_no_change(tmp_path):
    from tests.trnkit.operations.changes.comparing import compare

    old = """
Parameters:
  BootstrapVersion: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /cdk-bootstrap/a}
Resources:
  Meta: {Type: 'AWS::CDK::Metadata', Properties: {Analytics: v2:abc}}
  Vpc:
    Type: AWS::EC2::VPC
    Metadata: {'aws:cdk:path': a/b, 'aws:asset:path': x}
    Properties: {CidrBlock: 10.0.0.0/16}
"""
    new = old.replace("v2:abc", "v2:def").replace("a/b", "a/c").replace("/a}", "/b}")
    assert compare(tmp_path, old, new.replace("path': x", "path': y")).changes == ()
