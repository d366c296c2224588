"""Kinds of mistakes as their reports tell them, where no other test has their number."""

from __future__ import annotations

import pytest

from tests.trnkit.rules.judging import judge_documents, judge_template
from trnkit.findings import Severity

NODES = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        ImageId: ami-0123456789abcdef0
        MetadataOptions: {HttpTokens: required, HttpPutResponseHopLimit: 2}
"""
BATCH = """\
  Environment:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources:
        Type: EC2
        MinvCpus: 0
        MaxvCpus: 768
        InstanceTypes: [trn2.48xlarge]
        InstanceRole: {Fn::GetAtt: [%s, Arn]}
        Subnets: [subnet-0123456789abcdef0]
        SecurityGroupIds: [sg-0123456789abcdef0]
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement:
          - {Effect: Allow, Principal: {Service: ec2.amazonaws.com}, Action: sts:AssumeRole}
  Profile: {Type: AWS::IAM::InstanceProfile, Properties: {Roles: [{Ref: Role}]}}
"""
WITH_INTERFACES = (
    NODES + "        NetworkInterfaces: [{DeviceIndex: 0, InterfaceType: efa,"
    " Groups: [sg-0123456789abcdef0]}]\n"
    + (BATCH % "Profile").replace(
        "        Subnets:",
        "        LaunchTemplate: {LaunchTemplateId: {Ref: Nodes}, Version: $Latest}\n"
        "        Subnets:",
    )
)
JOB = """\
Resources:
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NumNodes: 2
        MainNode: 0
        NodeRangeProperties:
          - TargetNodes: "0:"
            InstanceTypes: [trn2.48xlarge]
            Container:
              Image: example
              Vcpus: 190
              Memory: 1000000
              Ulimits: [{Name: memlock, HardLimit: -1, SoftLimit: -1}]
              LinuxParameters: {Devices: [%s]}
"""
EFA = [f"{{HostPath: /dev/infiniband/uverbs{n}}}" for n in range(16)]
NEURON = [f"{{HostPath: /dev/neuron{n}}}" for n in range(16)]
PCS_ROLE = """\
Resources:
  PretrainComputeNodeRoleA1B2C3D4:
    Type: AWS::IAM::Role
    Properties:
      Path: %s
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement:
          - {Effect: Allow, Principal: {Service: ec2.amazonaws.com}, Action: sts:AssumeRole}
      Policies:
        - PolicyName: Register
          PolicyDocument:
            Version: "2012-10-17"
            Statement:
              - {Effect: Allow, Action: pcs:RegisterComputeNodeGroupInstance, Resource: "*"}
  Profile:
    Type: AWS::IAM::InstanceProfile
    Properties: {Roles: [{Ref: PretrainComputeNodeRoleA1B2C3D4}], Path: /aws-pcs/}
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: pcs_0123456789
      IamInstanceProfileArn: {Fn::GetAtt: [Profile, Arn]}
      InstanceConfigs: [{InstanceType: trn2.48xlarge}]
      ScalingConfiguration: {MinInstanceCount: 4, MaxInstanceCount: 4}
      SubnetIds: [subnet-0123456789abcdef0]
"""
PCS_BLOCK = (
    NODES
    + """\
        InstanceMarketOptions: {MarketType: capacity-block}
        CapacityReservationSpecification:
          CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: pcs_0123456789
      IamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/aws-pcs/nodes
      CustomLaunchTemplate:
        TemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
      PurchaseOption: %s
      InstanceConfigs: [{InstanceType: trn2.48xlarge}]
      ScalingConfiguration: {MinInstanceCount: 4, MaxInstanceCount: 4}
      SubnetIds: [subnet-0123456789abcdef0]
"""
)
HYPERPOD = """\
Resources:
  Cluster:
    Type: AWS::SageMaker::Cluster
    Properties:
      InstanceGroups:
%s
"""
GROUP = """\
        - InstanceGroupName: %s
          InstanceType: ml.trn2.48xlarge
          InstanceCount: 2
          ExecutionRole: arn:aws:iam::111122223333:role/nodes
          LifeCycleConfig: {SourceS3Uri: "s3://sagemaker-example", OnCreate: on_create.sh}
          TrainingPlanArn: arn:aws:sagemaker:us-east-2:111122223333:training-plan/%s"""


@pytest.mark.parametrize(
    ("rule", "wrong", "right"),
    [
        pytest.param("TRN293", NODES + BATCH % "Role", NODES + BATCH % "Profile", id="HOST-02"),
        pytest.param(
            "TRN570",
            WITH_INTERFACES,
            WITH_INTERFACES.replace("        SecurityGroupIds: [sg-0123456789abcdef0]\n", ""),
            id="HOST-03",
        ),
        pytest.param(
            "TRN575", JOB % ", ".join(EFA), JOB % ", ".join([*EFA, *NEURON]), id="HOST-06"
        ),
        pytest.param("TRN580", PCS_ROLE % "/", PCS_ROLE % "/aws-pcs/", id="HOST-07"),
        pytest.param("TRN581", PCS_BLOCK % "ONDEMAND", PCS_BLOCK % "CAPACITY_BLOCK", id="HOST-08"),
    ],
)
def test_a_template_is_wrong_and_its_right_form_is_not(rule: str, wrong: str, right: str):
    assert rule in {f.rule_id for f in judge_template(wrong)}
    assert rule not in {f.rule_id for f in judge_template(right)}


def test_host_15_each_group_may_have_a_training_plan_of_its_own():
    groups = "\n".join(GROUP % (name, name) for name in ("first", "second"))
    found = judge_template(HYPERPOD % groups, region="us-east-2")
    assert [f.headline() for f in found if f.severity is not Severity.INFO] == []
    elsewhere = judge_template(
        HYPERPOD % groups.replace("us-east-2", "us-west-2"), region="us-east-2"
    )
    assert "TRN594" in {f.rule_id for f in elsewhere}


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  containers:
    - {name: train, image: example, resources: {limits: {%s: 16}}}
"""
PLUGIN = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: aws-efa-k8s-device-plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {name: efa}}
  template:
    metadata: {labels: {name: efa}}
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - {key: node.kubernetes.io/instance-type, operator: In, values: [%s]}
      containers: [{name: efa, image: example.com/eks/aws-efa-k8s-device-plugin:v0.5.20}]
"""
WITH_EFA = "trn1.32xlarge, trn1n.32xlarge, trn2.3xlarge, trn2.48xlarge, trn2u.48xlarge"


@pytest.mark.parametrize(
    ("rule", "wrong", "right"),
    [
        pytest.param(
            "TRN530",
            POD % "aws.amazon.com/neurondevice",
            POD % "aws.amazon.com/neuron",
            id="HOST-17",
        ),
        pytest.param(
            "TRN535",
            PLUGIN % "trn1.32xlarge, trn1n.32xlarge",
            PLUGIN % WITH_EFA,
            id="EFA-15 missing",
        ),
        pytest.param(
            "TRN535",
            PLUGIN % f"{WITH_EFA}, trn1.2xlarge",
            PLUGIN % WITH_EFA,
            id="EFA-15 without EFA",
        ),
    ],
)
def test_a_document_is_wrong_and_its_right_form_is_not(rule: str, wrong: str, right: str):
    assert rule in {f.rule_id for f in judge_documents(wrong)}
    assert rule not in {f.rule_id for f in judge_documents(right)}
