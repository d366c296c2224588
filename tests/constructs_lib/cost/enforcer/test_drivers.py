"""What is asked of each service that scales nodes: requests by its model, answers of its shape."""

from __future__ import annotations

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber
from spend_guard.enforcement_plan import Group, Plan
from spend_guard.standing import Target
from spend_guard.target_batch import BatchDriver
from spend_guard.target_eks import EksDriver
from spend_guard.target_hyperpod import HyperPodDriver
from spend_guard.target_pcs import PcsDriver
from spend_guard.targets import DRIVERS, Targets

TAGS = {"trnkit-cluster": "pretrain"}
ROLE = "arn:aws:iam::111122223333:role/hyperpod"
CLUSTER_ARN = "arn:aws:sagemaker:us-east-2:111122223333:cluster/abcdef012345"


class Service:
    """A stubbed client: what is not expected, or has another shape, fails."""

    def __init__(self, service):
        self.client = boto3.client(
            service,
            region_name="us-east-2",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )
        self.stub = Stubber(self.client)
        self.stub.activate()

    def expect(self, method, answer, **asked):
        self.stub.add_response(method, answer, asked)

    def refuse(self, method, code):
        self.stub.add_client_error(method, code)

    def done(self):
        self.stub.assert_no_pending_responses()


def read(driver, kind, resource):
    group = Group(name="train", purchase="on-demand", driver=kind, resource=resource)
    return driver.read([group])["train"]


def before(**sizes):
    return {"launches_denied": False, "scaled_in": True, **sizes}


def standing(**sizes):
    return Target(status="ok", resource="r", sizes=sizes)


# --- PCS

PCS_GROUP = {
    "name": "train",
    "id": "pcs_abc",
    "arn": "arn:aws:pcs:us-east-2:111122223333:cluster/hpc/computenodegroup/pcs_abc",
    "clusterId": "hpc",
    "createdAt": 0,
    "modifiedAt": 0,
    "status": "ACTIVE",
    "subnetIds": ["subnet-0123456789abcdef0"],
    "customLaunchTemplate": {"id": "lt-0123456789abcdef0", "version": "1"},
    "iamInstanceProfileArn": "arn:aws:iam::111122223333:instance-profile/AWSPCS-nodes",
    "scalingConfiguration": {"minInstanceCount": 2, "maxInstanceCount": 16},
    "instanceConfigs": [{"instanceType": "trn1.32xlarge"}],
}
PCS_NAMES = {"clusterIdentifier": "hpc", "computeNodeGroupIdentifier": "train"}


def test_pcs_sets_least_and_largest_size_to_zero_and_back():
    pcs = Service("pcs")
    driver = PcsDriver(pcs.client, "pretrain")
    pcs.expect("get_compute_node_group", {"computeNodeGroup": PCS_GROUP}, **PCS_NAMES)
    pcs.expect("list_tags_for_resource", {"tags": TAGS}, resourceArn=PCS_GROUP["arn"])
    found = read(driver, "pcs", "hpc/train")
    assert (found.status, found.sizes) == ("ok", {"min": 2, "max": 16, "desired": 16})
    driver.deny_launches("hpc/train", found)
    answer = {"computeNodeGroup": PCS_GROUP}
    zero = {"minInstanceCount": 0, "maxInstanceCount": 0}
    pcs.expect("update_compute_node_group", answer, **PCS_NAMES, scalingConfiguration=zero)
    driver.scale_in("hpc/train", found)
    sizes = {"minInstanceCount": 2, "maxInstanceCount": 16}
    pcs.expect("update_compute_node_group", answer, **PCS_NAMES, scalingConfiguration=sizes)
    empty = standing(min=0, max=0, desired=0)
    assert driver.restore("hpc/train", empty, before(min=2, max=16, desired=16)) is None
    pcs.done()


def test_pcs_leaves_a_size_that_people_set():
    pcs = Service("pcs")
    driver = PcsDriver(pcs.client, "pretrain")
    kept = before(min=2, max=16, desired=16)
    assert "left so" in driver.restore("hpc/train", standing(min=0, max=3, desired=3), kept)
    assert driver.restore("hpc/train", standing(min=2, max=16, desired=16), kept) is None


@pytest.mark.parametrize("tags", [{}, {"trnkit-cluster": "another"}])
def test_pcs_of_another_cluster_is_foreign(tags):
    pcs = Service("pcs")
    pcs.expect("get_compute_node_group", {"computeNodeGroup": PCS_GROUP}, **PCS_NAMES)
    pcs.expect("list_tags_for_resource", {"tags": tags}, resourceArn=PCS_GROUP["arn"])
    assert read(PcsDriver(pcs.client, "pretrain"), "pcs", "hpc/train").status == "foreign"


# --- EKS

EKS_NAMES = {"clusterName": "kube", "nodegroupName": "train"}


def eks_group(least, desired, most, tags=TAGS):
    sizes = {"minSize": least, "maxSize": most, "desiredSize": desired}
    return {"nodegroup": {"nodegroupName": "train", "scalingConfig": sizes, "tags": tags}}


def test_eks_denies_by_the_largest_size_and_scales_the_rest_to_zero_and_back():
    eks = Service("eks")
    driver = EksDriver(eks.client, "pretrain")
    eks.expect("describe_nodegroup", eks_group(1, 4, 16), **EKS_NAMES)
    found = read(driver, "eks", "kube/train")
    assert found.sizes == {"min": 1, "max": 16, "desired": 4}
    assert not found.launches_denied
    eks.expect("update_nodegroup_config", {}, **EKS_NAMES, scalingConfig={"maxSize": 4})
    driver.deny_launches("kube/train", found)
    driver.deny_launches("kube/train", standing(min=1, max=4, desired=4))
    zero = {"minSize": 0, "desiredSize": 0, "maxSize": 1}
    eks.expect("update_nodegroup_config", {}, **EKS_NAMES, scalingConfig=zero)
    driver.scale_in("kube/train", standing(min=1, max=4, desired=4))
    back = {"minSize": 1, "desiredSize": 4, "maxSize": 16}
    eks.expect("update_nodegroup_config", {}, **EKS_NAMES, scalingConfig=back)
    kept = before(min=1, max=16, desired=4)
    assert driver.restore("kube/train", standing(min=0, max=1, desired=0), kept) is None
    assert driver.restore("kube/train", standing(min=1, max=16, desired=4), kept) is None
    eks.done()


def test_eks_gives_back_the_largest_size_when_nothing_was_scaled_in():
    eks = Service("eks")
    back = {"minSize": 1, "desiredSize": 4, "maxSize": 16}
    eks.expect("update_nodegroup_config", {}, **EKS_NAMES, scalingConfig=back)
    kept = before(min=1, max=16, desired=4) | {"scaled_in": False}
    driver = EksDriver(eks.client, "pretrain")
    assert driver.restore("kube/train", standing(min=1, max=4, desired=4), kept) is None
    eks.done()


def test_eks_without_the_tag_is_foreign_and_a_lost_one_is_gone():
    eks = Service("eks")
    driver = EksDriver(eks.client, "pretrain")
    eks.expect("describe_nodegroup", eks_group(1, 4, 16, {}), **EKS_NAMES)
    assert read(driver, "eks", "kube/train").status == "foreign"
    eks.refuse("describe_nodegroup", "ResourceNotFoundException")
    assert read(driver, "eks", "kube/train").status == "gone"


# --- Batch


def environment(state, least, desired, tags=TAGS):
    sizes = {"type": "EC2", "minvCpus": least, "maxvCpus": 512, "desiredvCpus": desired}
    told = {"computeEnvironmentName": "train", "computeEnvironmentArn": "arn", "state": state}
    told |= {"status": "VALID", "tags": tags, "computeResources": {**sizes, "subnets": []}}
    return {"computeEnvironments": [told]}


def test_batch_disables_and_sets_no_desired_size():
    batch = Service("batch")
    driver = BatchDriver(batch.client, "pretrain")
    asked = {"computeEnvironments": ["train"]}
    batch.expect("describe_compute_environments", environment("ENABLED", 128, 256), **asked)
    found = read(driver, "batch", "train")
    assert found.sizes == {"min": 128, "max": 512, "desired": 256}
    name = {"computeEnvironment": "train"}
    batch.expect("update_compute_environment", {}, **name, state="DISABLED")
    driver.deny_launches("train", found)
    batch.expect("update_compute_environment", {}, **name, computeResources={"minvCpus": 0})
    driver.scale_in("train", found)
    batch.expect("describe_compute_environments", environment("DISABLED", 0, 128), **asked)
    held = read(driver, "batch", "train")
    assert (held.launches_denied, held.sizes["desired"]) == (True, 0)
    batch.expect("update_compute_environment", {}, **name, computeResources={"minvCpus": 128})
    batch.expect("update_compute_environment", {}, **name, state="ENABLED")
    assert driver.restore("train", held, before(min=128, max=512, desired=256)) is None
    batch.done()


def test_batch_that_was_disabled_before_stays_disabled():
    batch = Service("batch")
    kept = before(min=0, max=512, desired=0) | {"launches_denied": True}
    driver = BatchDriver(batch.client, "pretrain")
    assert driver.restore("train", standing(min=0, max=512, desired=0), kept) is None
    batch.done()


def test_batch_without_the_environment_is_gone():
    batch = Service("batch")
    nothing = {"computeEnvironments": []}
    batch.expect("describe_compute_environments", nothing, computeEnvironments=["train"])
    assert read(BatchDriver(batch.client, "pretrain"), "batch", "train").status == "gone"


# --- HyperPod


def hyperpod(count, **more):
    group = {
        "InstanceGroupName": "train",
        "InstanceType": "ml.trn1.32xlarge",
        "CurrentCount": count,
        "TargetCount": count,
        "MinCount": 0,
        "ExecutionRole": ROLE,
        "ThreadsPerCore": 1,
        "LifeCycleConfig": {"SourceS3Uri": "s3://lifecycle/train", "OnCreate": "on_create.sh"},
        "OverrideVpcConfig": {"SecurityGroupIds": ["sg-0123"], "Subnets": ["subnet-0123"]},
        "KubernetesConfig": {"DesiredLabels": {"role": "train"}, "CurrentLabels": {}},
        "Status": "InService",
        **more,
    }
    return {
        "ClusterArn": CLUSTER_ARN,
        "ClusterName": "pod",
        "ClusterStatus": "InService",
        "InstanceGroups": [group],
    }


def wanted(count, least=0):
    return {
        "InstanceGroupName": "train",
        "InstanceType": "ml.trn1.32xlarge",
        "InstanceCount": count,
        "MinInstanceCount": least,
        "ExecutionRole": ROLE,
        "ThreadsPerCore": 1,
        "LifeCycleConfig": {"SourceS3Uri": "s3://lifecycle/train", "OnCreate": "on_create.sh"},
        "OverrideVpcConfig": {"SecurityGroupIds": ["sg-0123"], "Subnets": ["subnet-0123"]},
        "KubernetesConfig": {"Labels": {"role": "train"}},
    }


def test_hyperpod_gives_the_whole_group_back_with_another_count():
    pod = Service("sagemaker")
    driver = HyperPodDriver(pod.client, "pretrain")
    asked = {"ClusterName": "pod"}
    pod.expect("describe_cluster", hyperpod(4), **asked)
    tags = [{"Key": "trnkit-cluster", "Value": "pretrain"}]
    pod.expect("list_tags", {"Tags": tags}, ResourceArn=CLUSTER_ARN)
    found = read(driver, "sagemaker", "pod/train")
    assert found.sizes["desired"] == 4
    driver.deny_launches("pod/train", found)
    done = {"ClusterArn": CLUSTER_ARN}
    pod.expect("describe_cluster", hyperpod(4), **asked)
    pod.expect("update_cluster", done, ClusterName="pod", InstanceGroups=[wanted(0)])
    driver.scale_in("pod/train", found)
    pod.expect("describe_cluster", hyperpod(0), **asked)
    pod.expect("update_cluster", done, ClusterName="pod", InstanceGroups=[wanted(4)])
    kept = before(min=0, max=4, desired=4)
    assert driver.restore("pod/train", standing(min=0, max=0, desired=0), kept) is None
    pod.done()


@pytest.mark.parametrize(
    "more",
    [
        {"SlurmConfig": {"NodeType": "Controller"}},
        {"InstanceRequirements": {"CurrentInstanceTypes": ["ml.trn1.32xlarge"]}},
    ],
)
def test_hyperpod_groups_that_cannot_be_scaled_are_left_alone(more):
    pod = Service("sagemaker")
    pod.expect("describe_cluster", hyperpod(1, **more), ClusterName="pod")
    tags = [{"Key": "trnkit-cluster", "Value": "pretrain"}]
    pod.expect("list_tags", {"Tags": tags}, ResourceArn=CLUSTER_ARN)
    driver = HyperPodDriver(pod.client, "pretrain")
    assert read(driver, "sagemaker", "pod/train").status == "unable"


# --- All of them


def test_one_service_that_does_not_answer_leaves_the_others():
    eks, pcs = Service("eks"), Service("pcs")
    eks.expect("describe_nodegroup", eks_group(1, 4, 16), **EKS_NAMES)
    pcs.refuse("get_compute_node_group", "ThrottlingException")
    groups = (
        Group(name="kube", purchase="on-demand", driver="eks", resource="kube/train"),
        Group(name="slurm", purchase="on-demand", driver="pcs", resource="hpc/train"),
    )
    plan = Plan(
        cluster="pretrain",
        poll_minutes=5,
        groups=groups,
        grace_minutes=0,
        checkpoint_minutes=0,
        protected_node_groups=(),
        idle_minutes=60,
        idle_protected_node_groups=(),
    )
    targets = Targets(plan, {"eks": eks.client, "pcs": pcs.client}.__getitem__)
    found = targets.read()
    assert {name: target.status for name, target in found.items()} == {
        "kube": "ok",
        "slurm": "unreadable",
    }
    assert "ThrottlingException" in found["slurm"].detail


def test_drivers_are_those_that_a_plan_may_name():
    from typing import get_args, get_type_hints

    from trnkit.layout.spend_guard import GuardedGroup

    assert set(get_args(get_type_hints(GuardedGroup)["driver"])) == set(DRIVERS)


def test_a_refusal_is_no_answer():
    eks = Service("eks")
    eks.refuse("describe_nodegroup", "AccessDeniedException")
    with pytest.raises(ClientError):
        read(EksDriver(eks.client, "pretrain"), "eks", "kube/train")
