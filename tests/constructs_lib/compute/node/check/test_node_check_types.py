"""trn-node-check on good and bad nodes of every instance type."""

from __future__ import annotations

import shutil

import pytest

from tests.constructs_lib.compute.node.check.node_machine import (
    LNET_EFA,
    TYPES,
    fi_info,
    lsblk,
    neuron_ls,
)
from trnkit.catalog import instance_type_names

SEVERAL = [name for name in TYPES if name.endswith(("32xlarge", "48xlarge", "24xlarge"))]
EFA = ["trn1.32xlarge", "trn1n.32xlarge", "trn2.3xlarge", "trn2.48xlarge", "trn2u.48xlarge"]
STORES = [name for name in TYPES if not name.startswith("inf2")]


def test_every_type_of_the_catalogue_is_tried():
    assert set(TYPES) == set(instance_type_names())


@pytest.mark.parametrize("name", TYPES)
def test_a_good_node_is_ok(make_node, name):
    run = make_node(name).check("--skip", "root-disk")
    assert run.wrong() == {}
    assert (run.code, run.body["verdict"]) == (0, "ok")


@pytest.mark.parametrize("name", TYPES)
def test_a_node_whose_chips_are_all_in_use_is_ok(make_node, name):
    node = make_node(name)
    node.neuron_ls(neuron_ls(node.expected["neuron"], logical=node.logical, busy=True))
    run = node.check("--only", "neuron-devices,neuron-cores,neuron-memory,logical-cores")
    assert run.wrong() == {}
    count = node.expected["neuron"]["devices"]
    assert run.one("neuron-devices")["found"] == f"{count} Neuron devices, {count} of them in use"


@pytest.mark.parametrize("quick", [(), ("--quick",)])
@pytest.mark.parametrize("name", SEVERAL)
def test_a_missing_chip_fails_and_is_named(make_node, name, quick):
    node = make_node(name)
    wanted = node.expected["neuron"]["devices"]
    node.remove_chip(3)
    run = node.check("--only", "neuron-devices", *quick)
    one = run.one("neuron-devices")
    assert (run.code, one["verdict"], one["expected"]) == (1, "failed", str(wanted))
    assert one["found"] == f"{wanted - 1} of {wanted} Neuron devices; missing: 3"
    assert one["remedy"].startswith("replace this instance")


@pytest.mark.parametrize("name", TYPES)
def test_a_node_without_any_chip_fails(make_node, name):
    node = make_node(name)
    for number in range(node.expected["neuron"]["devices"]):
        node.remove_chip(number)
    shutil.rmtree(node.root / "sys/module/neuron")
    one = node.check("--only", "neuron-devices").one("neuron-devices")
    assert one["verdict"] == "failed"
    assert one["found"] == "no Neuron device; the Neuron driver is not loaded"
    assert "modprobe neuron" in one["remedy"]


@pytest.mark.parametrize("name", TYPES)
def test_a_chip_with_too_few_cores_or_too_little_memory_fails(make_node, name):
    node = make_node(name)
    devices = neuron_ls(node.expected["neuron"], logical=node.logical)
    devices[-1]["nc_count"] -= 1
    devices[-1]["memory_size"] //= 2
    node.neuron_ls(devices)
    run = node.check("--only", "neuron-cores,neuron-memory")
    assert run.wrong() == {"neuron-cores": "failed", "neuron-memory": "failed"}
    last = len(devices) - 1
    assert run.one("neuron-cores")["found"].startswith(f"device {last} has ")
    half = node.expected["neuron"]["device_memory_gib"] / 2
    assert run.one("neuron-memory")["found"] == f"device {last} has {half:.1f} GiB"


@pytest.mark.parametrize("name", EFA)
def test_half_of_the_efa_devices_fails(make_node, name):
    node = make_node(name)
    wanted = node.expected["efa"]["devices"]
    for number in range(wanted // 2, wanted):
        shutil.rmtree(node.root / f"sys/class/infiniband/rdmap{number}s0")
    node.tool("fi_info", fi_info(wanted // 2), code=0 if wanted > 1 else 61)
    run = node.check("--only", "efa-devices,efa-provider,efa-driver")
    assert run.wrong() == {"efa-devices": "failed", "efa-provider": "failed"}
    found = run.one("efa-devices")["found"]
    assert found == f"{wanted // 2} of {wanted} EFA devices (/sys/class/infiniband)"


@pytest.mark.parametrize("name", EFA)
def test_libfabric_without_its_efa_provider_fails_as_tcp(make_node, name):
    node = make_node(name)
    node.tool("fi_info", code=61, errors="fi_getinfo: -61 (No data available)\n")
    one = node.check("--only", "efa-provider").one("efa-provider")
    assert one["verdict"] == "failed"
    assert "over TCP" in one["found"]
    assert "No data available" in one["found"]


@pytest.mark.parametrize("name", [name for name in TYPES if name not in EFA])
def test_a_type_without_efa_is_not_judged_for_it(make_node, name):
    run = make_node(name).check(
        "--only", "efa-devices,efa-driver,efa-provider,efa-environment,efa-rdma,huge-pages"
    )
    assert {one["verdict"] for one in run.body["checks"]} == {"skipped"}
    assert run.body["verdict"] == "ok"


@pytest.mark.parametrize("name", STORES)
def test_a_missing_disk_of_the_instance_store_fails(make_node, name):
    node = make_node(name)
    devices = lsblk(node.expected["instance_store"])
    del devices["blockdevices"][-1]
    node.lsblk(devices)
    one = node.check("--only", "instance-store").one("instance-store")
    wanted = node.expected["instance_store"]["disks"]
    assert one["verdict"] == "failed"
    assert one["found"] == f"{wanted - 1} of {wanted} instance store disks"


@pytest.mark.parametrize("name", TYPES)
def test_another_instance_type_fails(make_node, metadata, name):
    node = make_node(name)
    metadata.kind = "trn2.3xlarge" if name != "trn2.3xlarge" else "inf2.xlarge"
    one = node.check("--only", "instance-metadata").one("instance-metadata")
    assert (one["verdict"], one["found"]) == ("failed", f"this is '{metadata.kind}'")


@pytest.mark.parametrize("name", EFA)
def test_lustre_over_efa_is_judged_where_it_is_expected(make_node, name):
    node = make_node(name)
    node.expected["mounts"][0]["efa"] = True
    assert node.check("--only", "lustre-network").wrong() == {}
    node.tool("lnetctl", LNET_EFA.replace("status: up", "status: down", 1))
    run = node.check("--only", "lustre-network")
    assert run.wrong() == {"lustre-network": "warning"}
    assert run.one("lustre-network")["found"] == "1 of 2 efa interfaces of LNet are down"
    node.tool("lnetctl", "")
    one = node.check("--only", "lustre-network").one("lustre-network")
    assert one["found"] == "LNet has no efa network: Lustre goes over TCP"
