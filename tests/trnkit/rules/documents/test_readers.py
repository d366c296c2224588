"""What each reader makes of its format, in the shape that all share."""

from __future__ import annotations

import pytest

from tests.trnkit.rules.documents.documents import (
    EFA_INTERFACES,
    EKSCTL,
    KARPENTER,
    MPI_JOB,
    PARALLELCLUSTER,
    PYTORCH_JOB,
    SERVING,
)
from trnkit.config.yaml_reader import read_yaml_documents
from trnkit.rules import Document, DocumentSet
from trnkit.rules.reading_documents.workloads import EFA, NEURON


def read(text):
    return DocumentSet(Document("f.yaml", part) for part in read_yaml_documents(text, "f.yaml"))


def types(pool):
    return [named.name for named in pool.types]


def test_a_node_pool_and_its_class():
    (pool,) = read(KARPENTER + EFA_INTERFACES).pools
    assert (pool.tool, pool.name, types(pool)) == ("Karpenter", "NodePool trn2", ["trn2.48xlarge"])
    assert pool.region == "us-east-2"
    assert [zone.text() for zone in pool.zones] == ["us-east-2a", "us-east-2c"]
    assert pool.capacity.markets == {"reserved", "on-demand"}
    assert [target["id"].text() for target in pool.capacity.targets] == ["cr-0123456789abcdef0"]
    assert pool.capacity.targets_are_known
    assert pool.efa.asked is True
    assert len(pool.efa.interfaces) == 17
    assert [name.text() for name in pool.image.names] == ["al2023@v20260714"]
    assert (pool.http_tokens.text(), pool.hop_limit.integer()) == ("required", 2)


def test_a_node_pool_without_its_class_leaves_open_what_that_would_say():
    (pool,) = read(KARPENTER.split("---\n")[0]).pools
    assert not pool.capacity.targets_are_known
    assert pool.efa.asked is None
    assert not pool.image.names


def test_two_classes_of_one_name_are_none():
    node_class = KARPENTER.split("---\n")[1]
    (pool,) = read(f"{KARPENTER}---\n{node_class}").pools
    assert not pool.capacity.targets_are_known


def test_families_stand_for_their_types_and_sizes_narrow_them():
    text = KARPENTER.replace(
        "node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-family"
    )
    (pool,) = read(text.replace('["trn2.48xlarge"]', "[trn1, trn9]")).pools
    assert types(pool) == ["trn1.2xlarge", "trn1.32xlarge", "trn9"]
    size = "        - {key: karpenter.k8s.aws/instance-size, operator: In, values: [32xlarge]}\n"
    text = text.replace("  limits:", f"{size}  limits:")
    (pool,) = read(text.replace('["trn2.48xlarge"]', "[trn1]")).pools
    assert types(pool) == ["trn1.32xlarge"]


def test_a_pool_that_may_start_other_types_too_is_not_one_of_neuron():
    text = KARPENTER.replace('["trn2.48xlarge"]', "[trn2.48xlarge, p5.48xlarge]")
    assert not read(text).pools
    assert len(read(text).all_pools) == 1


def test_the_node_groups_of_eksctl():
    documents = read(EKSCTL)
    assert [pool.name for pool in documents.all_pools] == ["node group system", "node group trn2"]
    (pool,) = documents.pools
    assert (pool.region, pool.efa.asked, pool.is_public) == ("us-east-2", True, False)
    assert (pool.placement.state, pool.capacity.is_block) == ("none", True)
    assert [target.text() for target in pool.capacity.targets] == ["cr-0123456789abcdef0"]
    assert (pool.minimum.integer(), pool.maximum.integer()) == (4, 4)


@pytest.mark.parametrize(
    ("managed", "reserved", "named", "state"),
    [
        (True, True, False, "none"),
        (True, False, False, "new"),
        (False, True, False, "new"),
        (False, False, True, "named"),
        (True, True, True, "named"),
    ],
)
def test_eksctl_makes_a_placement_group_for_efa_unless_told_otherwise(
    managed, reserved, named, state
):
    text = EKSCTL if managed else EKSCTL.replace("managedNodeGroups", "nodeGroups")
    text = text if reserved else text.replace("capacityReservation:", "labels:")
    if named:
        text = text.replace("    efaEnabled", "    placement: {groupName: mine}\n    efaEnabled")
    (pool,) = read(text).pools
    assert pool.placement.state == state
    assert pool.placement.implied is (state == "new")


def test_the_compute_resources_of_parallelcluster():
    (pool,) = read(PARALLELCLUSTER).pools
    assert pool.name == "queue compute1, compute resource queue1-i1"
    assert (pool.region, pool.efa.asked, pool.placement.state) == ("us-west-2", True, "new")
    assert (pool.capacity.markets, pool.capacity.kind_is_named) == ({"on-demand"}, True)
    assert (pool.image.is_own, len(pool.image.scripts)) == (False, 1)
    assert pool.key(pool.efa.switch) == "Efa.Enabled"
    assert pool.key(pool.placement.value).endswith("Networking.PlacementGroup.Enabled")


def test_a_compute_resource_overrules_its_queue():
    own = (
        "          Networking: {PlacementGroup: {Enabled: false}}\n"
        "          CapacityReservationTarget: {CapacityReservationId: cr-2}\n"
    )
    text = PARALLELCLUSTER.replace("          MinCount", f"{own}          MinCount").replace(
        "ONDEMAND\n", "ONDEMAND\n      CapacityReservationTarget: {CapacityReservationId: cr-1}\n"
    )
    (pool,) = read(text).pools
    assert pool.placement.state == "none"
    assert [target.text() for target in pool.capacity.targets] == ["cr-2"]


def test_the_file_systems_of_parallelcluster():
    (found,) = read(PARALLELCLUSTER).file_systems
    assert (found.name, found.deployment_type) == ("shared storage fsx", "PERSISTENT_2")
    assert (found.capacity.integer(), found.throughput.integer()) == (4800, 250)
    assert len(found.associations) == 1
    (found,) = read(
        PARALLELCLUSTER.replace("      DeploymentType: PERSISTENT_2\n", "")
    ).file_systems
    assert found.deployment_type == "SCRATCH_2"


def test_pod_templates_by_role():
    names = [pod.name for pod in read(f"{MPI_JOB}---\n{PYTORCH_JOB}---\n{SERVING}").all_pods]
    assert names == [
        "MPIJob nccom, Launcher",
        "MPIJob nccom, Worker",
        "PyTorchJob pretrain, Worker",
        "Deployment serve",
    ]


def test_what_a_pod_asks_for_and_where_it_runs():
    (pod,) = read(PYTORCH_JOB).pods
    assert [kind.name for kind in pod.node_types] == ["trn2.48xlarge"]
    assert [pod.total(name)[0] for name in (NEURON, EFA)] == [16, 16]
    assert pod.memory[0] == 1900 * 1024**3
    assert [container.name for container in pod.containers] == ["wait", "pytorch"]


def test_containers_of_a_pod_add_up_and_those_that_run_first_do_not():
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  initContainers: [{name: i, resources: {limits: {aws.amazon.com/neuron: 8}}}]
  containers:
    - {name: b, resources: {limits: {aws.amazon.com/neuron: 4}}}
    - {name: c, resources: {requests: {aws.amazon.com/neuron: 2}}}
"""
    (pod,) = read(text).pods
    number, where = pod.total(NEURON)
    assert number == 8
    assert where.path[:2] == ("spec", "initContainers")
    (pod,) = read(text.replace("neuron: 8", "neuron: 1")).pods
    assert pod.total(NEURON)[0] == 6
    (pod,) = read(text.replace("neuron: 8", 'neuron: "${N}"')).pods
    assert pod.total(NEURON) is None


@pytest.mark.parametrize(
    ("kind", "version", "way"),
    [
        ("Pod", "v1", []),
        ("Job", "batch/v1", ["template", "spec"]),
        ("CronJob", "batch/v1", ["jobTemplate", "spec", "template", "spec"]),
        ("Deployment", "apps/v1", ["template", "spec"]),
        ("StatefulSet", "apps/v1", ["template", "spec"]),
        ("DaemonSet", "apps/v1", ["template", "spec"]),
        ("ReplicaSet", "apps/v1", ["template", "spec"]),
    ],
)
def test_every_kind_of_workload_is_read(kind, version, way):
    inner = "{containers: [{name: a, resources: {limits: {aws.amazon.com/neuron: 1}}}]}"
    for key in reversed(way):
        inner = f"{{{key}: {inner}}}"
    (pod,) = read(
        f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: n}}\nspec: {inner}\n"
    ).pods
    assert pod.name == f"{kind} n"


def test_a_kind_of_another_group_is_not_understood():
    text = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {tasks: []}\n"
    documents = read(text)
    assert not documents.all_pods
    assert [found["kind"].text() for found in documents.not_understood] == ["Job"]
