"""What a node must turn out to be, from the cluster file and the catalogue."""

from __future__ import annotations

import json

import pytest

from trnkit.config import BootConfig
from trnkit.layout.node_expectations import expected_node

LUSTRE = {"name": "fsx", "storage_capacity_gib": 1200}
OVER_EFA = {**LUSTRE, "efa_enabled": True}
OLD = {
    "name": "old",
    "file_system_id": "fs-01234567",
    "mount_name": "abcd",
    "mount_path": "/old",
    "security_group_id": "sg-01234567",
}


@pytest.fixture
def of(cluster, group):
    """The expectation for one group of a type; further keys are those of `compute.boot`."""

    def make(name, storage=None, group_keys=None, **keys):
        config = cluster(name, **({"storage": storage} if storage else {}))
        boot = BootConfig(**({"instance_store_path": None} | keys))
        compute = config.compute.model_copy(update={"boot": boot})
        config = config.model_copy(update={"compute": compute})
        return expected_node(config, group(instance_type=name, **(group_keys or {})))

    return make


def test_the_whole_of_a_trn2_node(of):
    storage = {
        "lustre_file_systems": [LUSTRE],
        "existing_lustre_file_systems": [OLD],
        "home_file_system": {},
        "s3_mountpoints": [
            {"bucket_name": "corpus", "mount_path": "/data"},
            {"bucket_name": "results", "mount_path": "/out", "read_only": False},
        ],
    }
    found = of(
        "trn2.48xlarge", storage, instance_store_path="/local", compile_cache="/fsx/.neuron-cache"
    )
    assert found == {
        "schema": 1,
        "cluster": "pretrain",
        "node_group": "train",
        "instance_type": "trn2.48xlarge",
        "neuron": {
            "devices": 16,
            "cores_per_device": 8,
            "device_memory_gib": 96,
            "logical_neuroncore_size": 2,
        },
        "efa": {"devices": 16, "rdma": True},
        "instance_store": {"path": "/local", "disks": 4, "total_gb": 7600},
        "mounts": [
            {"kind": "lustre", "path": "/fsx", "writable": True, "efa": False},
            {"kind": "lustre", "path": "/old", "writable": True, "efa": False},
            {"kind": "efs", "path": "/home/shared", "writable": True},
            {"kind": "s3", "path": "/data", "writable": False},
            {"kind": "s3", "path": "/out", "writable": True},
        ],
        "huge_pages_2mib": 5128,
        "vcpus": 192,
        "memory_gib": 2048,
        "compile_cache": "/fsx/.neuron-cache",
    }
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("name", "devices", "cores", "memory", "size", "efa", "store"),
    [
        ("trn1.2xlarge", 1, 2, 32, 1, None, (1, 474)),
        ("trn1.32xlarge", 16, 2, 32, 1, 8, (4, 7600)),
        ("trn1n.32xlarge", 16, 2, 32, 1, 16, (4, 7600)),
        ("trn2.3xlarge", 1, 8, 96, 2, 1, (1, 470)),
        ("trn2u.48xlarge", 16, 8, 96, 2, 16, (4, 7600)),
        ("inf2.24xlarge", 6, 2, 32, 1, None, None),
        ("inf2.48xlarge", 12, 2, 32, 1, None, None),
    ],
)
def test_what_each_type_has(of, name, devices, cores, memory, size, efa, store):
    found = of(name, instance_store_path="/local")
    assert found["neuron"] == {
        "devices": devices,
        "cores_per_device": cores,
        "device_memory_gib": memory,
        "logical_neuroncore_size": size,
    }
    assert found["efa"] == (None if efa is None else {"devices": efa, "rdma": True})
    wanted = store and {"path": "/local", "disks": store[0], "total_gb": store[1]}
    assert found["instance_store"] == wanted


def test_an_own_logical_size_is_expected_and_one_that_does_not_exist_is_not(of):
    def size(name, asked):
        found = of(name, group_keys={"logical_neuroncore_size": asked})
        return found["neuron"]["logical_neuroncore_size"]

    assert [size("trn2.48xlarge", asked) for asked in (None, 1, 2)] == [2, 1, 2]
    # A rule over the cluster file finds these two.
    assert (size("trn1.32xlarge", 2), size("trn2.48xlarge", 4)) == (1, 2)


def test_as_many_efa_devices_as_were_asked_for(of):
    asked = {"efa": {"interfaces": 8}}
    assert of("trn2.48xlarge", group_keys=asked)["efa"]["devices"] == 8
    off = of("trn2.48xlarge", group_keys={"efa": {"interfaces": 0}})
    assert (off["efa"], off["huge_pages_2mib"]) == (None, None)


def test_huge_pages_are_those_asked_for_else_the_drivers(of):
    assert of("trn2.48xlarge", huge_pages=9000)["huge_pages_2mib"] == 9000
    assert of("trn2.48xlarge", huge_pages=0)["huge_pages_2mib"] == 0
    assert of("trn1.2xlarge", huge_pages=100)["huge_pages_2mib"] == 100
    assert of("trn1.2xlarge")["huge_pages_2mib"] is None


@pytest.mark.parametrize(
    ("name", "efa"),
    [("trn1.32xlarge", True), ("trn1n.32xlarge", True), ("trn2.48xlarge", False)],
)
def test_lustre_over_efa_is_expected_only_of_types_that_can(of, name, efa):
    metadata = {"mode": "AUTOMATIC"}
    storage = {"lustre_file_systems": [{**OVER_EFA, "metadata_configuration": metadata}]}
    (mount,) = of(name, storage)["mounts"]
    assert mount["efa"] is efa
    (mount,) = of(name, {"lustre_file_systems": [LUSTRE]})["mounts"]
    assert mount["efa"] is False


def test_without_a_path_the_disks_are_left_alone(of):
    assert of("trn2.48xlarge")["instance_store"] is None


def test_of_a_type_that_nobody_knows_only_the_name_is_expected(of):
    found = of("trn9.96xlarge", instance_store_path="/local")
    keys = ("neuron", "efa", "instance_store", "huge_pages_2mib", "vcpus", "memory_gib")
    assert [found[key] for key in keys] == [None] * 6
    assert found["instance_type"] == "trn9.96xlarge"
