"""What follows from the storage section: mounts, links, addresses, who uses EFA."""

from __future__ import annotations

import pytest
import yaml

from tests.trnkit.rules.judging import SMALLEST_CLUSTER, overlaid
from trnkit.config import LustreConfig, read_cluster
from trnkit.layout.storage import (
    addresses_of,
    has_storage,
    is_efa_client,
    links_of,
    lustre_dns_name,
    mounts_of,
    mounts_over_efa,
    throughput_of,
    tier_of,
)


def cluster(text=""):
    body = overlaid(SMALLEST_CLUSTER, yaml.safe_load(text) or {})
    return read_cluster(yaml.safe_dump(body), "f").config


def lustre(**keys):
    return LustreConfig(name="fsx", **keys)


OLD = (
    "{name: old, file_system_id: fs-01234567, mount_name: abcd, mount_path: /old, "
    "security_group_id: sg-01234567}"
)


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ("", False),
        ("storage: {}", False),
        ("storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200}]}", True),
        (f"storage: {{existing_lustre_file_systems: [{OLD}]}}", True),
        ("storage: {checkpoint_bucket: {}}", True),
        ("storage: {home_file_system: {}}", True),
    ],
)
def test_whether_anything_is_stored(storage, expected):
    assert has_storage(cluster(storage)) is expected


def test_everything_that_is_mounted_in_the_order_of_the_file():
    found = mounts_of(
        cluster(
            "storage: {home_file_system: {}, lustre_file_systems: ["
            "{name: fsx, storage_capacity_gib: 1200}], "
            f"existing_lustre_file_systems: [{OLD}]}}"
        )
    )
    assert [(m.name, m.mount_path, m.path[1]) for m in found] == [
        ("fsx", "/fsx", "lustre_file_systems"),
        ("old", "/old", "existing_lustre_file_systems"),
        (None, "/home/shared", "home_file_system"),
    ]


def test_links_of_a_file_system_with_that_of_the_bucket_last():
    config = cluster(
        "storage: {lustre_file_systems: [{name: one, storage_capacity_gib: 1200, mount_path: /one, "
        "data_repository_associations: [{file_system_path: /d, data_repository_path: 's3://b-b'}]},"
        " {name: two, storage_capacity_gib: 1200, mount_path: /two}], checkpoint_bucket: "
        "{data_repository_association: {file_system: one}}}"
    )
    assert [(x.file_system_path, x.data_repository_path) for x in links_of(config, 0)] == [
        ("/d", "s3://b-b"),
        ("/checkpoints", None),
    ]
    assert links_of(config, 1) == ()


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"storage_capacity_gib": 1200}, 2),
        ({"storage_capacity_gib": 2400}, 2),
        ({"storage_capacity_gib": 4800}, 3),
        ({"storage_capacity_gib": 96000, "per_unit_storage_throughput": 250}, 41),
        ({"deployment_type": "SCRATCH_1", "storage_capacity_gib": 7200}, 3),
        (
            {
                "deployment_type": "PERSISTENT_1",
                "storage_type": "HDD",
                "storage_capacity_gib": 18000,
                "per_unit_storage_throughput": 40,
            },
            11,
        ),
        (
            {
                "storage_capacity_gib": 9600,
                "per_unit_storage_throughput": 500,
                "efa_enabled": True,
                "metadata_configuration": {"mode": "USER_PROVISIONED", "iops": 24000},
            },
            3,
        ),
        (
            {"storage_capacity_gib": 96000, "metadata_configuration": {"mode": "AUTOMATIC"}},
            40 + 4,
        ),
        (
            {
                "storage_type": "INTELLIGENT_TIERING",
                "throughput_capacity_mbps": 8000,
                "metadata_configuration": {"mode": "USER_PROVISIONED", "iops": 6000},
            },
            3,
        ),
        ({"storage_type": "INTELLIGENT_TIERING"}, None),
        ({"deployment_type": "SCRATCH_2", "storage_type": "HDD"}, None),
        ({}, None),
    ],
)
def test_6_4_one_address_for_each_server(keys, expected):
    assert addresses_of(lustre(**keys)) == expected


def test_the_lowest_throughput_is_the_default():
    assert throughput_of(lustre(storage_capacity_gib=1200)) == 125
    assert throughput_of(lustre(deployment_type="PERSISTENT_1", storage_type="HDD")) == 12
    assert throughput_of(lustre(deployment_type="SCRATCH_2")) is None
    assert throughput_of(lustre(per_unit_storage_throughput=7)) == 7
    assert tier_of(lustre(deployment_type="SCRATCH_2", storage_type="HDD")) is None


@pytest.mark.parametrize(
    ("kind", "efa", "expected"),
    [
        ("trn1.32xlarge", {}, True),
        ("trn1.32xlarge", {"interfaces": 0}, False),
        ("trn1.2xlarge", {}, False),
        ("trn2.48xlarge", {}, False),
        ("trn9.48xlarge", {}, None),
        ("trn1.32xlarge", {"interfaces": 99}, None),
    ],
)
def test_fsx_12_who_reaches_lustre_over_efa(group, kind, efa, expected):
    made = group(instance_type=kind, efa=efa)
    assert is_efa_client(made) is expected
    enabled = cluster(
        "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
        "efa_enabled: true}]}"
    )
    assert mounts_over_efa(enabled, made) is (expected is True)
    assert mounts_over_efa(cluster(), made) is False


def test_the_dns_name_follows_from_id_and_region():
    assert lustre_dns_name("fs-01234567", "us-east-2") == "fs-01234567.fsx.us-east-2.amazonaws.com"
    assert lustre_dns_name("fs-01234567", "cn-north-1").endswith(".cn-north-1.amazonaws.com.cn")
