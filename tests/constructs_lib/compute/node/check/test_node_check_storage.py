"""trn-node-check where it concerns mounts, disks and folders."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import subprocess
import sys

import pytest

from tests.constructs_lib.compute.node.check.node_machine import (
    FOLDER,
    LCTL_DL,
    LCTL_STATE,
    MOUNTINFO,
    lsblk,
)

AUTOFS = "autofs systemd-1 rw,fd=55,pgrp=1,timeout=0,minproto=5,maxproto=5,direct"
MOUNTS = "lustre,efs,s3"

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="mounts are root's")


@pytest.fixture
def program(monkeypatch):
    """The program's modules, in this process."""
    monkeypatch.syspath_prepend(str(FOLDER))
    from trn_node_check import disks, expected, machine, mounts

    class Program:
        Machine = machine.Machine
        read_expected = staticmethod(expected.read_expected)

    Program.mounts, Program.disks = mounts, disks
    return Program


@contextlib.contextmanager
def mounted(*words):
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mount is not allowed here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", words[-1]], check=True)


@contextlib.contextmanager
def nobody_answers_at(place):
    """A direct automount without a daemon behind it: whoever touches it waits in the kernel."""
    reader, writer = os.pipe()
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={writer},pgrp={os.getpgrp()},minproto=5,maxproto=5,direct"
    target = str(place).encode()
    if libc.mount(b"test", target, b"autofs", 0, options.encode()):
        pytest.skip(f"autofs is not allowed here: {os.strerror(ctypes.get_errno())}")
    try:
        yield
    finally:
        libc.umount2(target, 2)
        os.close(writer)
        os.close(reader)


# Mounted or not.


@pytest.mark.parametrize(
    ("check", "path"), [("lustre", "/fsx"), ("efs", "/home/shared"), ("s3", "/data")]
)
@pytest.mark.parametrize("instead", [None, AUTOFS, "ext4 /dev/nvme9n1 rw", "tmpfs none rw"])
def test_what_is_not_mounted_fails(node, check, path, instead):
    mounts = {place: what for place, what in node.mounts.items() if place != path}
    if instead:
        mounts[path] = instead
    node.mount(mounts)
    run = node.check("--only", MOUNTS)
    assert run.wrong() == {check: "failed"}
    one = run.one(check, path)
    kind = None if instead in (None, AUTOFS) else instead.split()[0]
    assert one["found"] == (f"{kind} is mounted there" if kind else "not mounted")
    assert f"sudo mount {path}" in one["remedy"]


@pytest.mark.parametrize("kind", ["lustre", "efs"])
@pytest.mark.parametrize("where", ["mount", "super block"])
def test_what_is_mounted_read_only_fails(node, kind, where):
    path = {"lustre": "/fsx", "efs": "/home/shared"}[kind]
    if where == "mount":
        node.mount({path: MOUNTINFO[path]}, options="ro,relatime")
    else:
        node.mount({path: MOUNTINFO[path].replace(" rw,", " ro,", 1)})
    one = node.check("--only", kind).one(kind)
    assert (one["verdict"], one["found"]) == ("failed", "mounted read-only")


def test_a_mount_that_covers_an_automount_is_the_one_that_counts(node):
    text = (node.root / "proc/self/mountinfo").read_text()
    first = text.replace(MOUNTINFO["/fsx"], AUTOFS)
    node.file("/proc/self/mountinfo", first + text)
    assert node.check("--only", "lustre").verdict("lustre") == "ok"


def test_an_automount_is_made_to_happen_by_touching_it(node, program, monkeypatch):
    node.mount({**node.mounts, "/fsx": AUTOFS})
    machine = program.Machine({}, root=str(node.root))
    run_here, touched = machine.run_here, []

    def touch_and_mount(name, command):
        touched.append(command[-2:])
        node.mount(node.mounts)
        return run_here(name, command)

    monkeypatch.setattr(machine, "run_here", touch_and_mount)
    expected = program.read_expected("f", json.dumps(node.expected))
    (outcome,) = program.mounts.check_lustre(machine, expected)
    assert outcome.verdict == "ok"
    fsx = str(node.root / "fsx")
    assert touched == [["visit", fsx], ["write", fsx]]


def test_a_path_with_a_blank_is_found_in_mountinfo(node):
    path = "/fsx two"
    node.expected["mounts"][0]["path"] = path
    (node.root / path[1:]).mkdir()
    node.mount({path: MOUNTINFO["/fsx"]})
    assert node.check("--only", "lustre").verdict("lustre", path) == "ok"


def test_several_file_systems_are_judged_one_by_one(node):
    other = {"kind": "lustre", "path": "/scratch", "writable": True, "efa": False}
    node.expected["mounts"].append(other)
    run = node.check("--only", "lustre")
    assert run.verdict("lustre", "/fsx") == "ok"
    assert run.verdict("lustre", "/scratch") == "failed"


# Answering and writable.


def test_nothing_is_left_behind_where_it_was_written(node):
    (node.root / "fsx/data").write_text("kept")
    assert node.check().verdict("lustre") == "ok"
    assert {path.name for path in (node.root / "fsx").iterdir()} == {"data", ".neuron-cache"}
    assert list((node.root / "fsx/.neuron-cache").iterdir()) == []


def test_nothing_is_written_to_a_bucket_or_to_what_is_only_read(node):
    node.expected["mounts"].append({"kind": "s3", "path": "/out", "writable": True})
    node.mount({**node.mounts, "/out": "fuse mountpoint-s3 rw,user_id=0"})
    (node.root / "out").mkdir()
    before = (node.root / "out").stat().st_mtime_ns
    run = node.check("--only", "s3")
    assert run.one("s3", "/out")["found"] == "answers"
    assert (node.root / "out").stat().st_mtime_ns == before


def test_a_bucket_to_write_that_is_mounted_read_only_fails(node):
    node.expected["mounts"][-1]["writable"] = True
    assert node.check("--only", "s3").one("s3")["found"] == "mounted read-only"


@root_only
@pytest.mark.parametrize("quick", [(), ("--quick",)])
def test_a_server_that_never_answers_is_said_to_hang_and_does_not_block(node, quick):
    with nobody_answers_at(node.root / "fsx"):
        run = node.check("--only", "lustre,efs", "--timeout", "1", *quick)
    one = run.one("lustre")
    assert (one["verdict"], one["found"]) == ("failed", "hung: no answer within 1.0 s")
    assert "988" in one["remedy"]
    assert run.verdict("efs") == "ok"
    assert run.body["seconds"] < 10


@root_only
def test_an_automount_whose_server_never_answers_is_said_to_hang(node):
    node.mount({**node.mounts, "/fsx": AUTOFS})
    with nobody_answers_at(node.root / "fsx"):
        one = node.check("--only", "lustre", "--timeout", "1").one("lustre")
    assert (one["verdict"], one["found"]) == ("failed", "hung: no answer within 1.0 s")


def test_a_probe_that_never_ends_is_said_to_hang(node, program, monkeypatch, tmp_path):
    endless = tmp_path / "endless.py"
    endless.write_text(
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.pause()\n"
    )
    monkeypatch.setattr(program.mounts, "PROBE", endless)
    expected = program.read_expected("f", json.dumps(node.expected))
    machine = program.Machine({}, root=str(node.root), seconds=0.6)
    (outcome,) = program.mounts.check_lustre(machine, expected)
    assert (outcome.verdict, outcome.found) == ("failed", "hung: no answer within 0.6 s")
    # Too little time to say so: nothing is known.
    machine = program.Machine({}, root=str(node.root), seconds=0.2)
    (outcome,) = program.mounts.check_lustre(machine, expected)
    assert (outcome.verdict, outcome.found) == ("unknown", "no time was left for the probe")


@root_only
def test_a_file_system_that_is_full_fails(node):
    with mounted("-t", "tmpfs", "-o", "size=4k", "none", str(node.root / "fsx")):
        (node.root / "fsx/full").write_bytes(b"x" * 4096)
        one = node.check("--only", "lustre").one("lustre")
    assert one["verdict"] == "failed"
    assert one["found"] == "cannot write: No space left on device (ENOSPC)"
    assert one["remedy"].startswith("delete what is not needed")


@root_only
def test_a_file_system_that_turned_read_only_by_itself_fails(node):
    with mounted("-t", "tmpfs", "-o", "ro", "none", str(node.root / "fsx")):
        one = node.check("--only", "lustre").one("lustre")
    assert (one["verdict"], "EROFS" in one["found"]) == ("failed", True)


@pytest.mark.parametrize(("user", "verdict"), [(1000, "unknown"), (0, "failed")])
def test_a_user_who_may_not_write_learns_that_root_could_find_out(
    program, monkeypatch, user, verdict
):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    machine = program.Machine({})
    done = program.mounts.Touch("EACCES", "write", "Permission denied")
    outcome = program.mounts.judge_touch(machine, done, "writable", "/fsx", "")
    assert outcome.verdict == verdict
    assert ("as root" in outcome.remedy) is (verdict == "unknown")


# Lustre's client.


def lctl(node, listed=LCTL_DL, states=LCTL_STATE, code=0):
    node.script(
        "lctl",
        f'[ "$1" = dl ] && {{ /bin/cat {node.save(listed)}; exit; }}\n'
        f"/bin/cat {node.save(states)}; exit {code}",
    )


def test_servers_that_are_away_fail_and_are_named(node):
    lctl(node, states=LCTL_STATE.replace("current_state: IDLE", "current_state: DISCONN"))
    one = node.check("--only", "lustre-servers").one("lustre-servers")
    assert one["verdict"] == "failed"
    assert one["found"] == "1 of 3 servers are away: abcdefgh-OST0000 is DISCONN"


def test_a_device_that_was_switched_off_fails(node):
    lctl(node, listed=LCTL_DL.replace("5 UP osc", "5 IN osc"))
    one = node.check("--only", "lustre-servers").one("lustre-servers")
    assert one["found"] == "1 of 3 servers are away: abcdefgh-OST0001 is IN"


def test_servers_are_unknown_to_who_may_not_read_their_state(node):
    lctl(node, states="error: get_param: Permission denied\n", code=13)
    run = node.check("--only", "lustre-servers")
    assert run.wrong() == {"lustre-servers": "unknown"}
    assert "as root" in run.one("lustre-servers")["remedy"]


# The compile cache.


def test_the_compile_cache_must_be_a_folder_that_can_be_written(node):
    assert node.check("--only", "compile-cache").verdict("compile-cache") == "ok"
    (node.root / "fsx/.neuron-cache").rmdir()
    one = node.check("--only", "compile-cache").one("compile-cache", "/fsx/.neuron-cache")
    assert (one["verdict"], one["remedy"]) == (
        "failed",
        "mount what is above it, then `sudo /opt/trnkit/current/boot`",
    )


@pytest.mark.parametrize(
    ("value", "verdict"),
    [("/fsx/.neuron-cache/2.33", "ok"), ("/fsx/.neuron-cache-2", "warning"), ("s3://b", "warning")],
)
def test_files_that_send_jobs_to_another_cache_are_worth_a_warning(node, value, verdict):
    node.file("/etc/profile.d/trnkit.sh", f"export NEURON_COMPILE_CACHE_URL={value}\n")
    assert node.check("--only", "compile-cache").verdict("compile-cache") == verdict


def test_a_cache_in_s3_is_not_tried(node):
    node.expected["compile_cache"] = "s3://cache/neuron"
    assert node.check("--only", "compile-cache").verdict("compile-cache") == "skipped"


# The instance store.


def store(node, change):
    body = lsblk(node.expected["instance_store"])
    change(body["blockdevices"])
    node.lsblk(body)
    return node.check("--only", "instance-store").one("instance-store", "/local")


def stripes(devices, **keys):
    for device in devices[1:]:
        device["children"][0].update(keys)


@pytest.mark.parametrize(
    ("change", "verdict", "words"),
    [
        (lambda devices: stripes(devices, mountpoints=[None]), "failed", "not mounted"),
        (lambda devices: stripes(devices, size=5700 * 10**9), "failed", "5700 GB mounted"),
        (lambda devices: stripes(devices, type="raid1"), "warning", "4 disks as raid1"),
        (lambda devices: devices.pop(2), "failed", "3 of 4 instance store disks"),
        (lambda devices: devices[1].update(model=None), "failed", "3 of 4 instance store disks"),
    ],
)
def test_an_instance_store_that_is_not_whole(node, change, verdict, words):
    one = store(node, change)
    assert one["verdict"] == verdict
    assert one["found"].startswith(words) or words in one["found"]


def test_an_instance_store_that_lsblk_knows_and_the_kernel_does_not_is_not_mounted(node):
    mounts = {path: what for path, what in node.mounts.items() if path != "/local"}
    node.mount(mounts)
    one = node.check("--only", "instance-store").one("instance-store")
    assert (one["verdict"], one["found"]) == ("failed", "4 disks, not mounted")


def test_an_old_lsblk_is_asked_for_one_mount_point_and_may_write_numbers_as_text(node):
    body = lsblk(node.expected["instance_store"])

    def old(devices):
        for device in devices:
            device["size"] = str(device["size"])
            device["mountpoint"] = device.pop("mountpoints")[0]
            device["model"] = device["model"] and device["model"] + "        "
            old(device.get("children", []))

    old(body["blockdevices"])
    node.script(
        "lsblk",
        'case "$*" in *MOUNTPOINTS*) echo "lsblk: unknown column: MOUNTPOINTS" >&2; exit 1;; esac\n'
        f"/bin/cat {node.save(json.dumps(body))}",
    )
    run = node.check("--only", "instance-store")
    assert run.one("instance-store")["found"] == "4 disks, 7599 GB"


@pytest.mark.parametrize(
    ("free_gb", "free_files", "files", "verdict"),
    [
        (50, 10**6, 10**7, "ok"),
        (50, 0, 0, "ok"),
        (9, 10**6, 10**7, "warning"),
        (0.5, 10**6, 10**7, "failed"),
        (50, 5, 10**7, "failed"),
    ],
)
def test_room_on_the_root_disk(program, free_gb, free_files, files, verdict):
    outcome = program.disks.judge_room(int(free_gb * 10**9), free_files, files)
    assert outcome.verdict == verdict


def test_the_root_disk_is_looked_at(node):
    found = node.check("--only", "root-disk").one("root-disk")["found"]
    state = os.statvfs(node.root)
    assert abs(float(found.split()[0]) - state.f_bavail * state.f_frsize / 1e9) < 5


def test_the_probe_by_itself_says_one_object(tmp_path):
    probe = FOLDER / "trn_node_check" / "probe.py"
    done = subprocess.run(
        [sys.executable, "-IS", str(probe), "write", str(tmp_path)], capture_output=True, text=True
    )
    assert json.loads(done.stdout) == {"step": "write", "error": None}
    done = subprocess.run(
        [sys.executable, "-IS", str(probe), "visit", str(tmp_path / "no")], capture_output=True
    )
    assert json.loads(done.stdout)["error"] == "ENOENT"
