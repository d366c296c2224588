"""Launch templates and who starts from them; stand-alone instances; reservations."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.changes.comparing import by_id, change_of, compare

CLUSTER = """
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        ImageId: ami-1
        InstanceType: trn2.48xlarge
        UserData:
          Fn::Base64: |
            #!/bin/bash
            # one
            echo start
            exit 0
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: 0
      MaxSize: 4
      DesiredCapacity: 4
      VPCZoneIdentifier: [subnet-1]
      LaunchTemplate:
        LaunchTemplateId: !Ref Template
        Version: VERSION
POLICY
"""
LATEST = "!GetAtt Template.LatestVersionNumber"
ROLLING = "    UpdatePolicy: {AutoScalingRollingUpdate: {MaxBatchSize: 1}}"
REPLACING = "    UpdatePolicy: {AutoScalingReplacingUpdate: {WillReplace: true}}"


def cluster(version=LATEST, policy=""):
    return CLUSTER.replace("VERSION", version).replace("POLICY", policy)


def image(tmp_path, text):
    return by_id(compare(tmp_path, text, text.replace("ami-1", "ami-2")))


@pytest.mark.parametrize(
    ("policy", "verdict", "kind", "words"),
    [
        ("", "safe", "changed", "nodes that run keep what they have"),
        (ROLLING, "replaces-nodes", "changed", "batch by batch"),
        (REPLACING, "replaces-nodes", "replaced", "makes another group"),
        ("    UpdatePolicy: !If [X, 1, 2]", "cannot-be-told", "changed", "cannot be told"),
    ],
)
def test_a_group_follows_its_launch_template(tmp_path, policy, verdict, kind, words):
    found = image(tmp_path, cluster(policy=policy))
    assert found["Template"].verdict == "safe"
    group = found["Group"]
    assert (group.verdict, group.kind) == (verdict, kind)
    assert words in " ".join(effect.message for effect in group.effects)
    assert [(p.path, p.indirect) for p in group.properties] == [("LaunchTemplate.Version", True)]


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("$Latest", "CloudFormation sees no change"),
        ("$Default", "reaches none of its nodes"),
        ("'1'", "stays at version 1"),
    ],
)
def test_ami_09_a_group_that_does_not_follow_is_named(tmp_path, version, words):
    found = image(tmp_path, cluster(version))
    assert "Group" not in found
    assert any(words in effect.message for effect in found["Template"].effects)
    assert found["Template"].verdict == "safe"


def test_nodes_of_a_capacity_block_may_not_come_back(tmp_path):
    market = (
        "InstanceType: trn2.48xlarge\n        InstanceMarketOptions: {MarketType: capacity-block}"
    )
    text = cluster(policy=ROLLING).replace("InstanceType: trn2.48xlarge", market)
    assert "do not come back" in image(tmp_path, text)["Group"].effects[0].message


def test_a_comment_of_the_boot_script_is_a_version_for_nothing(tmp_path):
    found = by_id(compare(tmp_path, cluster(), cluster().replace("# one", "# two")))
    assert "only comments" in found["Template"].effects[0].message
    assert found["Template"].properties[0].old == "line 2: # one"
    found = by_id(compare(tmp_path, cluster(), cluster().replace("echo start", "echo go")))
    assert not any("only comments" in e.message for e in found["Template"].effects)


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("MaxSize: 4", "MaxSize: 2", "interrupts"),
        ("MaxSize: 4", "MaxSize: 8", "safe"),
        ("DesiredCapacity: 4", "DesiredCapacity: 1", "interrupts"),
        ("MinSize: 0", "MinSize: 4", "safe"),
        ("VPCZoneIdentifier: [subnet-1]", "VPCZoneIdentifier: [subnet-2]", "replaces-nodes"),
        ("MinSize: 0", "MinSize: 0\n      AutoScalingGroupName: x", "replaces-nodes"),
        ("MinSize: 0", "MinSize: 0\n      HealthCheckGracePeriod: 9", "safe"),
    ],
)
def test_what_an_auto_scaling_group_changes(tmp_path, old, new, verdict):
    found = by_id(compare(tmp_path, cluster(), cluster().replace(old, new)))
    assert found["Group"].verdict == verdict


def test_a_group_with_a_name_cannot_be_replaced_under_it(tmp_path):
    text = cluster(policy=REPLACING).replace(
        "MinSize", "AutoScalingGroupName: train\n      MinSize"
    )
    change = image(tmp_path, text)["Group"]
    assert change.verdict == "refused"
    assert "'train'" in change.effects[0].message


def test_a_launch_template_that_is_replaced_takes_its_group_along(tmp_path):
    named = "Properties:\n      LaunchTemplateName: NAME\n      LaunchTemplateData"
    text = cluster().replace("Properties:\n      LaunchTemplateData", named)
    found = by_id(compare(tmp_path, text.replace("NAME", "a"), text.replace("NAME", "b")))
    assert (found["Template"].kind, found["Template"].verdict) == ("replaced", "replaces")
    assert {p.path for p in found["Group"].properties} == {
        "LaunchTemplate.LaunchTemplateId",
        "LaunchTemplate.Version",
    }
    assert found["Group"].verdict == "safe"


INSTANCE = {"ImageId": "ami-1", "InstanceType": "trn1.32xlarge", "SubnetId": "subnet-1"}


@pytest.mark.parametrize(
    ("key", "value", "verdict", "kind"),
    [
        ("ImageId", "ami-2", "replaces-nodes", "replaced"),
        ("SubnetId", "subnet-2", "replaces-nodes", "replaced"),
        ("InstanceType", "trn1.2xlarge", "interrupts", "changed"),
        ("UserData", "x", "interrupts", "changed"),
        ("SecurityGroupIds", ["sg-1"], "safe", "changed"),
        ("BlockDeviceMappings", [{"DeviceName": "/dev/xvda"}], "cannot-be-told", "changed"),
        ("Tags", [{"Key": "a", "Value": "b"}], "safe", "changed"),
    ],
)
def test_cdk_06_a_stand_alone_instance(tmp_path, key, value, verdict, kind):
    change = change_of(tmp_path, "AWS::EC2::Instance", INSTANCE, INSTANCE | {key: value})
    assert (change.verdict, change.kind) == (verdict, kind)


NODE_GROUP = {
    "ClusterName": "c",
    "NodeRole": "r",
    "Subnets": ["subnet-1"],
    "LaunchTemplate": {"Id": "lt-1", "Version": "1"},
    "ScalingConfig": {"MinSize": 0, "MaxSize": 4, "DesiredSize": 4},
}


@pytest.mark.parametrize(
    ("change", "verdict", "kind"),
    [
        ({"LaunchTemplate": {"Id": "lt-1", "Version": "2"}}, "replaces-nodes", "changed"),
        ({"ReleaseVersion": "1.33"}, "replaces-nodes", "changed"),
        ({"AmiType": "AL2023_x86_64_NEURON"}, "replaces-nodes", "replaced"),
        ({"Subnets": ["subnet-2"]}, "replaces-nodes", "replaced"),
        (
            {"ScalingConfig": {"MinSize": 0, "MaxSize": 4, "DesiredSize": 2}},
            "interrupts",
            "changed",
        ),
        ({"Labels": {"a": "b"}}, "safe", "changed"),
    ],
)
def test_an_eks_node_group_drains_its_nodes(tmp_path, change, verdict, kind):
    found = change_of(tmp_path, "AWS::EKS::Nodegroup", NODE_GROUP, NODE_GROUP | change)
    assert (found.verdict, found.kind) == (verdict, kind)


@pytest.mark.parametrize(
    ("kind", "old", "new", "verdict"),
    [
        (
            "AWS::PCS::ComputeNodeGroup",
            {"InstanceConfigs": [{"InstanceType": "trn1.32xlarge"}]},
            {"InstanceConfigs": [{"InstanceType": "trn2.48xlarge"}]},
            "replaces-nodes",
        ),
        (
            "AWS::PCS::ComputeNodeGroup",
            {"CustomLaunchTemplate": {"TemplateId": "lt-1", "Version": "1"}},
            {"CustomLaunchTemplate": {"TemplateId": "lt-1", "Version": "2"}},
            "cannot-be-told",
        ),
        (
            "AWS::PCS::ComputeNodeGroup",
            {"ScalingConfiguration": {"MinInstanceCount": 4}},
            {"ScalingConfiguration": {"MinInstanceCount": 2}},
            "interrupts",
        ),
        (
            "AWS::Batch::ComputeEnvironment",
            {"ComputeResources": {"MaxvCpus": 8, "LaunchTemplate": {"Version": "1"}}},
            {"ComputeResources": {"MaxvCpus": 8, "LaunchTemplate": {"Version": "2"}}},
            "replaces-nodes",
        ),
        (
            "AWS::Batch::ComputeEnvironment",
            {"ComputeResources": {"MaxvCpus": 8}},
            {"ComputeResources": {"MaxvCpus": 9}},
            "safe",
        ),
        (
            "AWS::SageMaker::Cluster",
            {"InstanceGroups": [{"InstanceGroupName": "a", "InstanceCount": 4}]},
            {"InstanceGroups": [{"InstanceGroupName": "a", "InstanceCount": 2}]},
            "interrupts",
        ),
        (
            "AWS::SageMaker::Cluster",
            {"InstanceGroups": [{"InstanceGroupName": "a", "InstanceType": "ml.trn1.32xlarge"}]},
            {"InstanceGroups": [{"InstanceGroupName": "a", "InstanceType": "ml.trn2.48xlarge"}]},
            "cannot-be-told",
        ),
        (
            "AWS::EC2::CapacityReservation",
            {"InstanceType": "trn1.32xlarge", "InstanceCount": 4},
            {"InstanceType": "trn2.48xlarge", "InstanceCount": 4},
            "replaces-nodes",
        ),
        (
            "AWS::EC2::CapacityReservation",
            {"InstanceType": "trn1.32xlarge", "InstanceCount": 4},
            {"InstanceType": "trn1.32xlarge", "InstanceCount": 3},
            "interrupts",
        ),
        ("AWS::EC2::PlacementGroup", {"Strategy": "cluster"}, {"Strategy": "spread"}, "replaces"),
        ("AWS::EKS::Cluster", {"Version": "1.32"}, {"Version": "1.33"}, "interrupts"),
        ("AWS::EKS::Cluster", {"RoleArn": "a"}, {"RoleArn": "b"}, "replaces-nodes"),
    ],
)
def test_other_homes_of_nodes(tmp_path, kind, old, new, verdict):
    assert change_of(tmp_path, kind, old, new).verdict == verdict
