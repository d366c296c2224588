"""The host's own name leads to its primary address, on machines with many interfaces."""

from __future__ import annotations

import pytest

from tests.constructs_lib.compute.node.machine import steps

NAME = "ip-10-0-0-5"
LONG = f"{NAME}.us-east-2.compute.internal"
OURS = f"10.0.0.5 {LONG} {NAME} # trnkit\n"
LOCAL = "127.0.0.1 localhost\n"


@pytest.fixture
def node(cloud_node):
    for name in ("eth0", "eth1"):
        cloud_node.write(f"sys/class/net/{name}/device/vendor", "")
    cloud_node.write("sys/class/net/lo/address", "")
    cloud_node.write("proc/sys/kernel/hostname", f"{NAME}\n")
    cloud_node.write("etc/hosts", LOCAL)
    return cloud_node


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(LOCAL, LOCAL + OURS, id="as usual"),
        pytest.param("", OURS, id="empty"),
        pytest.param("127.0.0.1 localhost", LOCAL + OURS, id="no newline at the end"),
        pytest.param(
            f"# comment {NAME}\n127.0.1.1 {LONG} {NAME}\n{LOCAL}",
            f"# comment {NAME}\n{LOCAL}{OURS}",
            id="cloud-init's line",
        ),
        pytest.param(
            f"127.0.0.1\tlocalhost  {NAME}   other\n",
            f"127.0.0.1 localhost other\n{OURS}",
            id="among others",
        ),
        pytest.param(f"10.0.0.9 {NAME} # old\n", OURS, id="another interface"),
        pytest.param(
            f"10.0.0.7 {NAME}-b\n10.0.0.8  x{NAME}\n",
            f"10.0.0.7 {NAME}-b\n10.0.0.8  x{NAME}\n{OURS}",
            id="names of others stay",
        ),
        pytest.param(
            f"10.0.0.9 {LONG} {NAME} # trnkit\n{LOCAL}", LOCAL + OURS, id="ours of before"
        ),
        pytest.param(
            f"10.0.0.6 master # was {NAME}\n", f"10.0.0.6 master # was {NAME}\n{OURS}", id="comment"
        ),
    ],
)
def test_net_the_name_of_a_host_with_many_interfaces_leads_to_the_primary(node, before, after):
    node.write("etc/hosts", before)
    for _ in range(2):
        code, log = node.run_boot("")
        assert (code, dict(steps(log))["hosts"]) == (0, "ok")
        assert node.read("etc/hosts") == after


@pytest.mark.parametrize(
    ("hostname", "line"),
    [
        (LONG, f"10.0.0.5 {LONG} {NAME} # trnkit\n"),
        ("trainer", "10.0.0.5 trainer # trnkit\n"),
        ("trainer.example.com", "10.0.0.5 trainer.example.com trainer # trnkit\n"),
    ],
)
def test_the_long_name_is_the_hosts_own(node, hostname, line):
    node.write("proc/sys/kernel/hostname", hostname + "\n")
    node.run_boot("")
    assert node.read("etc/hosts") == LOCAL + line


def test_what_cloud_init_writes_anew_at_a_later_boot_is_put_right_again(node):
    node.run_boot("")
    node.write("etc/hosts", f"127.0.1.1 {LONG} {NAME}\n{LOCAL}")
    node.run_boot("")
    assert node.read("etc/hosts") == LOCAL + OURS


def test_with_one_interface_the_file_is_left_alone(node):
    (node.root / "sys/class/net/eth1/device/vendor").unlink()
    (node.root / "sys/class/net/eth1/device").rmdir()
    _, log = node.run_boot("")
    assert "hosts" not in dict(steps(log))
    assert node.read("etc/hosts") == LOCAL


def test_without_metadata_the_step_fails_and_leaves_the_file(node):
    node.environment["TRNKIT_IMDS"] = "http://127.0.0.1:9"
    code, log = node.run_boot("")
    assert (code, dict(steps(log))["hosts"]) == (1, "failed")
    assert node.read("etc/hosts") == LOCAL


def test_without_a_file_there_is_a_failure(node):
    (node.root / "etc/hosts").unlink()
    code, log = node.run_boot("")
    assert (code, dict(steps(log))["hosts"]) == (1, "failed")
