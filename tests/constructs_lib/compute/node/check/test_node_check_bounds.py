"""Nothing on the node makes the program block, replace what is no file, or take for ever."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import threading
import time

import pytest

from tests.constructs_lib.compute.node.check.node_machine import FOLDER, PYTHON
from tests.constructs_lib.compute.node.check.test_node_check_storage import nobody_answers_at

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="devices and mounts are root's")
BLANKS = 900 * 1024
ASKED_WITHOUT = {"ibv_devices": "sys/class/infiniband", "modinfo": "sys/module/neuron"}
"""Tools that are run only where the kernel does not tell."""


# Where the report goes.


def make_fifo(folder):
    os.mkfifo(folder / "place")


def make_device(folder):
    os.mknod(folder / "place", stat.S_IFCHR | 0o666, os.makedev(1, 3))


def make_link(folder):
    (folder / "target").write_text("old")
    (folder / "place").symlink_to(folder / "target")


def make_link_to_fifo(folder):
    os.mkfifo(folder / "target")
    (folder / "place").symlink_to(folder / "target")


def make_folder(folder):
    (folder / "place").mkdir()


@pytest.mark.parametrize(
    "make",
    [
        make_fifo,
        pytest.param(make_device, marks=root_only),
        make_link,
        make_link_to_fifo,
        make_folder,
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_report_replaces_no_pipe_device_link_or_folder(node, tmp_path, make, form):
    folder = tmp_path / "private"
    folder.mkdir()
    make(folder)
    place = folder / "place"
    before = place.lstat()
    run = node.run("--only", "memory", "--format", form, "--output", str(place))
    assert run.code == 2
    assert run.err.count("only an ordinary file is replaced, no device, pipe, link or folder") == 1
    after = place.lstat()
    assert (after.st_ino, after.st_mode, after.st_rdev) == (
        before.st_ino,
        before.st_mode,
        before.st_rdev,
    )
    assert {one.name for one in folder.iterdir()} <= {"place", "target"}
    if make is make_link:
        assert (folder / "target").read_text() == "old"


@pytest.mark.parametrize("end", ["/", "/.", "/.."])
def test_a_report_is_not_written_under_the_name_of_a_missing_folder(node, tmp_path, end):
    run = node.run("--only", "memory", "--output", f"{tmp_path}/missing{end}")
    assert run.code == 2
    assert "cannot be written" in run.err
    assert not (tmp_path / "missing").exists()


# What it reads.


@pytest.mark.parametrize(
    ("path", "check"),
    [
        ("/etc/profile.d/zz.sh", "efa-environment"),
        ("/etc/security/limits.conf", "limits"),
        ("/var/log/trnkit-boot.log", "boot-log"),
        ("/proc/meminfo", "memory"),
    ],
)
def test_a_pipe_where_a_file_is_wanted_is_unknown_at_once(node, path, check):
    place = node.root / path[1:]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    run = node.check("--quick", "--only", check)
    assert run.body["seconds"] < 3
    one = run.one(check)
    assert (one["verdict"], one["found"]) == ("unknown", f"{path} is no ordinary file")


def test_a_pipe_as_expected_file_ends_with_2_at_once(node, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    run = node.check("--expected", str(tmp_path / "pipe"))
    assert (run.code, run.seconds < 8) == (2, True)
    assert "pipe is no ordinary file" in run.err


def test_an_endless_line_of_a_profile_is_not_read(node):
    node.file("/etc/profile.d/zz.sh", "FI_PROVIDER=efa" + " a" * 2_000_000)
    run = node.check("--quick", "--only", "efa-environment,efa-rdma,logical-cores")
    assert run.body["seconds"] < 3
    assert run.one("efa-rdma")["found"] == "/etc/profile.d/zz.sh has more than 64 KiB"
    assert set(run.wrong().values()) == {"unknown"}


def test_of_a_long_boot_log_the_end_is_read(node):
    line = json.dumps({"step": "old", "status": "failed"}) + "\n"
    last = '{"step": "boot", "status": "ok"}\n{"step": "new", "status": "failed"}\n'
    node.file("/var/log/trnkit-boot.log", line * 50_000 + last)
    assert node.check("--only", "boot-log").one("boot-log")["found"] == "new: failed"


@pytest.mark.parametrize(
    ("tool", "check", "text"),
    [
        ("fi_info", "efa-provider", "\n" * BLANKS),
        ("ibv_devices", "efa-devices", "\n" * BLANKS),
        ("lctl", "lustre-servers", "\n" * BLANKS),
        ("lctl", "lustre-servers", "mdc.a.state=" + " " * BLANKS),
        ("lnetctl", "lustre-network", "nid: a@efa" + "\n" * BLANKS),
        ("lnetctl", "lustre-network", "nid:" * (BLANKS // 4)),
        ("chronyc", "clock", "System time : 1" + "\n" * BLANKS),
        (
            "chronyc",
            "clock",
            "Leap status : a" + " " * BLANKS + "b\nSystem time : 1.2.3 seconds fast",
        ),
        ("modinfo", "neuron-versions", "1" * BLANKS),
    ],
)
def test_no_output_of_a_tool_takes_long_to_read(make_node, tool, check, text):
    node = make_node()
    for mount in node.expected["mounts"]:
        mount["efa"] = True
    if tool in ASKED_WITHOUT:
        shutil.rmtree(node.root / ASKED_WITHOUT[tool])
    node.tool(tool, text)
    run = node.check("--only", check)
    assert run.body["seconds"] < 6
    assert run.verdict(check) != "ok"
    assert "the check itself" not in run.out


def test_a_tool_that_writes_too_much_is_named(node):
    node.tool("fi_info", "x" * (1024**2 + 1))
    one = node.check("--only", "efa-provider").one("efa-provider")
    assert (one["verdict"], one["found"]) == ("unknown", "fi_info wrote more than 1 MiB")


def test_a_metadata_service_that_drips_is_given_up_in_time(node):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip():
            connection, _ = server.accept()
            with connection:
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                    while True:
                        connection.sendall(b"a")
                        time.sleep(0.3)
                except OSError:
                    return  # the program has gone

        threading.Thread(target=drip, daemon=True).start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        run = node.check("--only", "instance-metadata", environment={"TRNKIT_IMDS": address})
    assert run.body["seconds"] < 6
    one = run.one("instance-metadata")
    assert one["verdict"] == "failed"
    assert one["found"].endswith("timed out")


# The whole.


@root_only
def test_quick_ends_within_ten_seconds_though_a_profile_is_on_a_dead_file_system(node):
    dead = node.root / "dead"
    dead.mkdir()
    (node.root / "etc/profile.d").mkdir(parents=True, exist_ok=True)
    (node.root / "etc/profile.d/zz.sh").symlink_to(dead / "zz.sh")
    with nobody_answers_at(dead):
        # In its own session, since the kernel keeps none of the automounter's group waiting.
        run = node.check("--quick", "--skip", "root-disk", start_new_session=True)
    assert run.seconds < 10
    assert run.code == 3
    assert run.verdict("memory") == "ok"
    assert run.one("efa-rdma")["found"] == "no answer within 8 s"
    assert run.one("efa-rdma")["remedy"]


SLOW = f"""
import sys, time
sys.path.insert(0, {str(FOLDER)!r})
from trn_node_check import program
program.MOST_SECONDS = 2.0
program.CHECKS = tuple(
    one._replace(run=lambda machine, expected: time.sleep(60)) if one.name == "memory" else one
    for one in program.CHECKS
)
sys.exit(program.main(sys.argv[1:]))
"""


def test_a_check_that_never_ends_is_unknown_and_the_others_are_reported(node):
    program = [PYTHON, "-c", SLOW]
    run = node.check("--only", "memory,processors", program=program)
    assert (run.code, run.seconds < 15) == (3, True)
    assert (run.verdict("memory"), run.verdict("processors")) == ("unknown", "ok")
    assert run.one("memory")["found"] == "no answer within 2 s"


def test_the_times_of_the_whole_are_below_those_that_were_promised(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    from trn_node_check import program

    assert program.MOST_QUICK_SECONDS < 10
    assert program.MOST_TOOLS_SECONDS < program.MOST_SECONDS < 120
