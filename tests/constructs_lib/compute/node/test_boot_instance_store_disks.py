"""The NVMe instance store with real programs: loop devices, wipefs, mkfs, blkid, mount, mdadm.

Everything is mounted in a mount namespace that ends with the test. Only the model of a disk, which
a loop device has not, is a file. Arrays need a kernel that has them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.constructs_lib.compute.node.machine import BASH, BUNDLE, TOOLS

NEEDED = ("losetup", "mkfs.xfs", "mkfs.ext4", "wipefs", "blkid", "lsblk", "findmnt", "unshare")
MODEL = f"{'Amazon EC2 NVMe Instance Storage':<40}\n"
# The least of which mkfs.xfs makes a file system.
SIZE = 320 * 1024 * 1024
STUBS = {"chattr": "", "systemctl": 'case "$*" in *is-enabled*) exit 1 ;; esac'}


def missing():
    """Why this machine cannot run the tests; nothing when it can."""
    programs = [name for name in NEEDED if shutil.which(name) is None]
    if os.geteuid() != 0:
        return "needs root"
    if programs:
        return f"needs {programs[0]}"
    if not Path("/dev/loop-control").exists():
        return "the kernel has no loop devices"
    if subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        return "no mount namespaces"
    return None


pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))
needs_arrays = pytest.mark.skipif(
    not Path("/proc/mdstat").exists() or shutil.which("mdadm") is None,
    reason="the kernel has no arrays, or mdadm is missing",
)


class Disks:
    """A folder as a machine, with loop devices for its disks."""

    def __init__(self, folder):
        self.folder, self.root, self.bin = folder, folder / "root", folder / "bin"
        for path in (self.root / "etc" / "trnkit", self.root / "dev", self.bin):
            path.mkdir(parents=True)
        (self.root / "etc/trnkit/settings.sh").write_text("TRNKIT_INSTANCE_STORE=/local\n")
        for name, behaviour in STUBS.items():
            (self.bin / name).write_text(f"#!{BASH}\n{behaviour}\n")
            (self.bin / name).chmod(0o755)
        self.loops = []

    def add(self, name="nvme1n1"):
        image = self.folder / f"{name}.img"
        with image.open("wb") as file:
            file.truncate(SIZE)
        attached = subprocess.run(
            ["losetup", "-f", "--show", str(image)], check=True, capture_output=True, text=True
        )
        loop = attached.stdout.strip()
        self.loops.append(loop)
        (self.root / "dev" / name).symlink_to(loop)
        (self.root / "sys" / "block" / name / "device").mkdir(parents=True)
        (self.root / "sys" / "block" / name / "device" / "model").write_text(MODEL)
        return loop

    def detach(self):
        for loop in self.loops:
            subprocess.run(["losetup", "-d", loop], check=True, capture_output=True)

    def run(self, script):
        """Run commands, `boot` among them, in a namespace of their own; returns what they print."""
        before = f"set -eu; R={self.root}; boot() {{ {BASH} {BUNDLE}/boot >/dev/null; }}\n"
        ran = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", BASH, "-c", before + script],
            env={
                "PATH": f"{self.bin}:/usr/sbin:/usr/bin:/sbin:/bin",
                "TRNKIT_ROOT": str(self.root),
                "TRNKIT_RETRY_SECONDS": "0",
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr + self.log()
        return ran.stdout.split()

    def log(self):
        return (self.root / "var" / "log" / "trnkit-boot.log").read_text()

    def said(self):
        """The last entry of the step."""
        entries = [json.loads(line) for line in self.log().splitlines()]
        (*_, last) = [entry for entry in entries if entry["step"] == "instance-store"]
        return last["status"], last["detail"]

    def fstab(self):
        return (self.root / "etc" / "fstab").read_text().splitlines()


@pytest.fixture
def disks(tmp_path):
    made = Disks(tmp_path)
    yield made
    made.detach()


def uuid(loop):
    asked = ["blkid", "-p", "-o", "value", "-s", "UUID", loop]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def test_a_blank_disk_is_formatted_and_mounted_for_everybody(disks):
    loop = disks.add()
    found = disks.run("boot; stat -c '%a' $R/local; findmnt -no FSTYPE,OPTIONS,LABEL $R/local")
    assert found[:2] == ["1777", "xfs"]
    assert "noatime" in found[2]
    assert found[3] == "trnkit"
    (line,) = disks.fstab()
    assert line.split()[:3] == [f"UUID={uuid(loop)}", "/local", "auto"]


def test_without_xfs_it_is_ext4(disks):
    disks.add()
    for name in (*TOOLS, "blkid", "chmod", "findmnt", "lsblk", "mkfs.ext4", "mount", "mountpoint"):
        (disks.bin / name).symlink_to(shutil.which(name))
    (disks.bin / "wipefs").symlink_to(shutil.which("wipefs"))
    found = disks.run(f"PATH={disks.bin}; boot; findmnt -no FSTYPE,LABEL $R/local")
    assert found == ["ext4", "trnkit"]


def test_a_second_run_leaves_it_and_its_data(disks):
    loop = disks.add()
    disks.run("boot; echo data >$R/local/kept")
    before = uuid(loop), disks.fstab()
    found = disks.run("boot; boot; cat $R/local/kept; grep -c $R/local /proc/self/mountinfo")
    assert found == ["data", "1"]
    assert (uuid(loop), disks.fstab()) == before


def test_after_a_reboot_data_is_there(disks):
    disks.add()
    disks.run("boot; echo data >$R/local/kept")
    assert disks.run("mountpoint -q $R/local || boot; cat $R/local/kept") == ["data"]


def test_after_a_stop_and_a_start_it_is_made_anew(disks):
    loop = disks.add()
    disks.run("boot; echo data >$R/local/kept")
    before = uuid(loop)
    subprocess.run(["wipefs", "-q", "-a", loop], check=True)
    assert disks.run("boot; ls $R/local") == []
    assert uuid(loop) != before
    (line,) = disks.fstab()
    assert line.startswith(f"UUID={uuid(loop)} /local ")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("mkfs.ext4 -q -L results", "ext4 results"),
        ("mkfs.xfs -q -L results", "xfs results"),
        ("mkswap -q", "swap"),
    ],
)
def test_a_file_system_of_somebody_else_stays(disks, command, words):
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"needs {command.split()[0]}")
    loop = disks.add()
    subprocess.run([*command.split(), loop], check=True, capture_output=True)
    before = uuid(loop)
    disks.run("if boot; then exit 9; fi; if mountpoint -q $R/local; then exit 8; fi")
    status, detail = disks.said()
    assert status == "failed"
    assert detail.endswith(f"/dev/nvme1n1 holds {words}, which is not of trnkit: left as it is")
    assert uuid(loop) == before


def test_a_disk_with_partitions_is_somebody_elses(disks):
    if shutil.which("sfdisk") is None:
        pytest.skip("needs sfdisk")
    loop = disks.add()
    subprocess.run(["sfdisk", "-q", loop], input=b"label: gpt\n,,\n", check=True)
    disks.run("if boot; then exit 9; fi")
    assert "holds gpt" in disks.said()[1] or "holds PMBR" in disks.said()[1]


def test_what_the_image_mounted_is_used_from_there(disks):
    loop = disks.add()
    subprocess.run(["mkfs.ext4", "-q", loop], check=True, capture_output=True)
    found = disks.run(
        f"mkdir -p $R/opt/dlami/nvme; mount {loop} $R/opt/dlami/nvme; boot; boot; "
        "echo data >$R/local/kept; cat $R/opt/dlami/nvme/kept; stat -c %a $R/local; "
        "grep -c $R/local /proc/self/mountinfo"
    )
    assert found == ["data", "1777", "1"]
    assert not (disks.root / "etc" / "fstab").exists()


def test_something_else_at_the_path_stays(disks):
    loop = disks.add()
    disks.run(
        "mkdir $R/local; mount -t tmpfs -o mode=755 none $R/local; if boot; then exit 9; fi; "
        "stat -c %a $R/local"
    )
    assert disks.said() == ("failed", "something else is mounted at /local")
    assert subprocess.run(["wipefs", "-i", loop], check=True, capture_output=True).stdout == b""


@needs_arrays
def test_an_array_keeps_its_data_over_a_reboot_and_is_made_anew_on_blank_disks(disks):
    for number in range(1, 4):
        disks.add(f"nvme{number}n1")
    disks.run("boot; echo data >$R/local/kept; umount $R/local; mdadm --stop --scan")
    assert disks.run("boot; cat $R/local/kept; umount $R/local; mdadm --stop --scan") == ["data"]
    for loop in disks.loops:
        subprocess.run(["wipefs", "-q", "-a", loop], check=True)
    assert disks.run("boot; ls $R/local; umount $R/local; mdadm --stop --scan") == []
