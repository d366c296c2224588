"""The NVMe instance store: which disks, what is made of them, and what is never touched.

The disks are files that hold their signature in words, read and written by stand-ins of wipefs,
mkfs and mdadm. `test_boot_instance_store_disks.py` does the same with the real programs.
"""

from __future__ import annotations

import json
import shutil

import pytest

from tests.constructs_lib.compute.node.machine import APT, Node, steps

STORE = "Amazon EC2 NVMe Instance Storage"
EBS = "Amazon Elastic Block Store"
SETTINGS = "TRNKIT_INSTANCE_STORE=/local\n"
LUKS, LVM = "crypto_LUKS ", "LVM2_member "
OURS = "xfs trnkit"

# An array is what its first disk remembers of it, beside the signature.
MDADM = """
sys="{root}/sys/block" dev="{root}/dev"
start() {{
  for disk in "$@"; do mkdir -p "$sys/${{disk##*/}}/holders/md127"; done
  mkdir -p "$sys/md127/md"; echo clean >"$sys/md127/md/array_state"
}}
disks=(); for word in "$@"; do case "$word" in */dev/nvme*) disks+=("$word") ;; esac; done
case "$1" in
  --create) start "${{disks[@]}}"; echo >"$dev/md127"
    for disk in "${{disks[@]}}"; do echo "linux_raid_member any:trnkit" >"$disk"; done ;;
  --assemble)
    for disk in "${{disks[@]}}"; do [[ -s $disk ]] || exit 1; done
    start "${{disks[@]}}" ;;
  --stop) /bin/rm -rf "$sys"/nvme*/holders/md127 "$sys/md127" ;;
esac
"""
# Blank lines are no signature, as with the real one.
WIPEFS = 'for device; do :; done; [[ -e $device ]] || exit 1; grep . "$device" || true'
MKFS = 'for device; do :; done; echo "{kind} trnkit" >"$device"'
BLKID = "echo 11111111-2222-4333-8444-5555aaaa5555"


class Machine(Node):
    """A machine with disks."""

    def __init__(self, folder, disks):
        super().__init__(folder)
        self.sys, self.dev = self.root / "sys" / "block", self.root / "dev"
        self.dev.mkdir()
        self.add_disk("nvme0n1", EBS, "ext4 cloudimg-rootfs")
        for number in range(1, disks + 1):
            self.add_disk(f"nvme{number}n1", STORE)
        self.install("mdadm", MDADM.format(root=self.root))
        self.install("wipefs", WIPEFS)
        self.install("mkfs.xfs", MKFS.format(kind="xfs"))
        self.install("mkfs.ext4", MKFS.format(kind="ext4"))
        self.install("blkid", BLKID)
        self.install("lsblk")
        self.install("findmnt")
        (self.bin / "chmod").symlink_to(shutil.which("chmod"))

    def add_disk(self, name, model, signature=""):
        (self.sys / name / "device").mkdir(parents=True)
        # The kernel pads a model's name with blanks.
        (self.sys / name / "device" / "model").write_text(f"{model:<40}\n")
        (self.dev / name).write_text(signature + "\n")

    def expects(self, disks):
        folder = self.root / "etc" / "trnkit"
        folder.mkdir(exist_ok=True)
        store = None if disks is None else {"path": "/local", "disks": disks, "total_gb": 1900}
        (folder / "expected.json").write_text(json.dumps({"schema": 1, "instance_store": store}))

    def signature(self, name):
        return (self.dev / name).read_text().strip()

    def mounted(self, *paths):
        """Let the disks be mounted there."""
        self.install("lsblk", "echo 259:1")
        lines = [f"259:1 {self.root}{path}" for path in paths]
        self.install("findmnt", "echo '8:1 /'\n" + "\n".join(f"echo '{line}'" for line in lines))

    def reboot(self):
        """What is on the disks stays; the array has to be put together again."""
        for holder in self.sys.glob("nvme*/holders/md127"):
            holder.rmdir()
        shutil.rmtree(self.sys / "md127", ignore_errors=True)

    def stop_and_start(self):
        """Another host: blank disks."""
        self.reboot()
        for disk in self.dev.glob("nvme[1-9]n1"):
            disk.write_text("\n")
        (self.dev / "md127").unlink(missing_ok=True)

    def store(self, settings=SETTINGS):
        self.calls_file.unlink(missing_ok=True)
        code, log = self.run_boot(settings)
        found = [entry for entry in log if entry["step"] == "instance-store"]
        return code, [(entry["status"], entry["detail"]) for entry in found]

    def called(self, *names):
        return [call for call in self.calls if call.split()[0] in names]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path, 4)


@pytest.fixture
def one_disk(tmp_path):
    return Machine(tmp_path, 1)


def fails(machine):
    """The words with which the step failed; nothing may have been written."""
    code, found = machine.store()
    assert code == 1
    (status, detail) = found[-1]
    assert status == "failed"
    assert not machine.called("mkfs.xfs", "mkfs.ext4", "mount")
    assert not [call for call in machine.called("mdadm") if "--create" in call]
    assert "/local" not in (
        machine.read("etc/fstab") if (machine.root / "etc/fstab").exists() else ""
    )
    return detail


# Made for the first time.


def test_one_disk_is_used_as_it_is(one_disk):
    code, found = one_disk.store()
    root = one_disk.root
    assert code == 0, one_disk.errors
    assert found == [("ok", f"made a file system on {root}/dev/nvme1n1"), ("ok", "")]
    assert not one_disk.called("mdadm", "apt-get")
    assert one_disk.called("mkfs.xfs", "mount") == [
        f"mkfs.xfs -q -f -K -L trnkit {root}/dev/nvme1n1",
        f"mount -o noatime {root}/dev/nvme1n1 {root}/local",
    ]
    assert (root / "local").stat().st_mode & 0o7777 == 0o1777
    assert one_disk.read("etc/fstab") == (
        "UUID=11111111-2222-4333-8444-5555aaaa5555 /local auto "
        "noatime,nofail,x-systemd.device-timeout=30 0 0\n"
    )


def test_several_disks_become_one_array_without_redundancy(machine):
    machine.expects(4)
    code, found = machine.store()
    root = machine.root
    disks = " ".join(f"{root}/dev/nvme{n}n1" for n in range(1, 5))
    assert code == 0, machine.errors
    assert found == [("ok", f"made a file system on {disks}"), ("ok", "")]
    assert machine.called("mdadm", "mkfs.xfs", "mount") == [
        "mdadm --create /dev/md/trnkit --run --level=0 --raid-devices=4 --metadata=1.2 "
        f"--homehost=any --name=trnkit {disks}",
        f"mkfs.xfs -q -f -K -L trnkit {root}/dev/md127",
        f"mount -o noatime {root}/dev/md127 {root}/local",
    ]


def test_disks_are_found_by_model_and_ebs_is_never_touched(machine):
    shutil.rmtree(machine.sys / "nvme1n1")
    machine.add_disk("nvme7n1", EBS)
    machine.add_disk("nvme0c0n1", STORE)
    code, _ = machine.store()
    assert code == 0
    assert machine.called("mkfs.xfs")
    text = "\n".join(machine.calls)
    assert not any(
        f"/dev/{name}" in text for name in ("nvme0n1", "nvme7n1", "nvme0c0n1", "nvme1n1")
    )
    assert machine.signature("nvme7n1") == ""


@pytest.mark.parametrize("code", [0, 1])
def test_what_is_freed_is_trimmed_once_a_week_where_there_is_a_timer(one_disk, code):
    one_disk.install(
        "systemctl", f'case "$*" in *is-enabled*) exit 1 ;; *fstrim*) exit {code} ;; esac'
    )
    found, said = one_disk.store()
    assert found == 0, "a store that is not trimmed is one all the same"
    assert "systemctl enable -q --now fstrim.timer" in one_disk.calls
    assert (("warning", "fstrim.timer cannot be enabled: nothing is trimmed") in said) is bool(code)


def test_without_xfs_tools_the_file_system_is_ext4(one_disk):
    (one_disk.bin / "mkfs.xfs").unlink()
    assert one_disk.store()[0] == 0
    (call,) = one_disk.called("mkfs.ext4")
    assert call == f"mkfs.ext4 -q -F -E nodiscard -L trnkit {one_disk.root}/dev/nvme1n1"
    one_disk.reboot()
    assert one_disk.store()[1] == [("ok", "")]


def test_mdadm_is_installed_where_it_is_missing_and_no_mail_server_with_it(machine):
    helper = machine.bin / "mdadm"
    text = helper.read_text()
    (machine.root.parent / "mdadm").write_text(text)
    helper.unlink()
    machine.install(
        "apt-get",
        f'case "$*" in *install*) cat "{machine.root.parent}/mdadm" >"{helper}"; '
        f'/bin/chmod +x "{helper}" ;; esac',
    )
    code, _ = machine.store()
    assert code == 0, machine.errors
    assert machine.called("apt-get") == [
        f"{APT} update",
        f"{APT} install -y --no-install-recommends mdadm",
    ]


def test_mdadm_that_never_arrives_is_a_failure(machine):
    (machine.bin / "mdadm").unlink()
    machine.install("apt-get", "echo 'E: no route to host' >&2; exit 100")
    assert fails(machine) == "E: no route to host"
    assert len(machine.called("apt-get")) == 5


def test_the_mount_point_is_closed_first(one_disk):
    one_disk.store()
    calls = one_disk.calls
    closed = calls.index(f"chattr +i {one_disk.root}/local")
    assert closed < min(n for n, call in enumerate(calls) if call.startswith(("wipefs", "mkfs")))


def test_a_node_that_asks_for_none_leaves_disks_alone(machine):
    code, found = machine.store("")
    assert (code, found) == (0, [])
    assert not machine.called("wipefs", "mdadm", "mkfs.xfs", "lsblk")


# Again.


def test_a_second_run_changes_nothing(machine):
    machine.store()
    machine.mounted("/local")
    machine.install("mountpoint", "exit 0")
    before = machine.read("etc/fstab")
    code, found = machine.store()
    assert (code, found) == (0, [("ok", "")])
    assert not machine.called("mdadm", "mkfs.xfs", "mount", "blkid")
    assert machine.read("etc/fstab") == before


@pytest.mark.parametrize("assembled", [False, True], ids=["by us", "by udev"])
def test_after_a_reboot_the_same_array_is_mounted(machine, assembled):
    machine.store()
    before = machine.read("etc/fstab")
    if not assembled:
        machine.reboot()
    machine.install("udevadm")
    code, found = machine.store()
    assert (code, found) == (0, [("ok", "")])
    assert not machine.called("mkfs.xfs")
    created, *more = [call.split()[1] for call in machine.called("mdadm")] or ["none"]
    assert (created, more) == (("none" if assembled else "--assemble"), [])
    assert machine.called("udevadm") == ["udevadm settle --timeout=60"]
    assert len(machine.called("mount")) == 1
    assert machine.read("etc/fstab") == before


def test_systemd_may_mount_it_in_the_same_moment(one_disk):
    one_disk.store()
    now = one_disk.root.parent / "now"
    one_disk.mounted("/local")
    text = (one_disk.behaviour / "findmnt").read_text()
    one_disk.install("findmnt", f'[[ -e "{now}" ]] || exit 0\n{text}')
    one_disk.install("mount", f'touch "{now}"; echo "mount: already mounted" >&2; exit 32')
    assert one_disk.store() == (0, [("ok", "")])


def test_an_array_that_udev_left_inactive_is_started(machine):
    machine.store()
    (machine.sys / "md127" / "md" / "array_state").write_text("inactive\n")
    assert machine.store()[0] == 0
    assert [call.split()[1] for call in machine.called("mdadm")] == ["--stop", "--assemble"]
    assert not machine.called("mkfs.xfs")


def test_after_a_stop_the_disks_are_empty_and_all_is_made_anew(machine):
    machine.store()
    machine.stop_and_start()
    machine.install("blkid", "echo 99999999-2222-4333-8444-5555aaaa5555")
    code, found = machine.store()
    assert code == 0
    assert found[0][1].startswith("made a file system on ")
    assert [call.split()[1] for call in machine.called("mdadm")] == ["--create"]
    (line,) = machine.read("etc/fstab").splitlines()
    assert line.startswith("UUID=99999999-")


def test_an_array_of_which_a_disk_is_new_is_lost_and_made_anew(machine):
    machine.store()
    (machine.dev / "nvme3n1").write_text("\n")
    code, found = machine.store()
    assert code == 0
    assert [call.split()[1] for call in machine.called("mdadm")] == ["--stop", "--create"]
    assert len(machine.called("mkfs.xfs")) == 1
    assert found[0][0] == "ok"


def test_a_file_system_that_was_not_finished_is_made_at_the_next_run(machine):
    machine.install("mkfs.xfs", "echo 'mkfs.xfs: pwrite failed: No space' >&2; exit 1")
    code, found = machine.store()
    assert (code, found) == (1, [("failed", "mkfs.xfs: pwrite failed: No space")])
    assert not machine.called("mount")
    machine.install("mkfs.xfs", MKFS.format(kind="xfs"))
    assert machine.store()[0] == 0
    assert not machine.called("mdadm"), "the array is there already"


def test_what_is_left_of_a_lost_array_is_not_taken_for_a_file_system(machine):
    machine.store()
    (machine.dev / "nvme3n1").write_text("\n")
    # The first disk still has the beginning of the file system, at the same place of the new array.
    made = MDADM.format(root=machine.root)
    machine.install("mdadm", f'{made}\n[[ $1 != --create ]] || echo "xfs trnkit" >"$dev/md127"')
    assert machine.store()[0] == 0
    assert len(machine.called("mkfs.xfs")) == 1


# What is not ours.


@pytest.mark.parametrize(
    "signature",
    [
        LUKS,
        LVM,
        "ext4 data",
        "gpt",
        "xfs ",
        "xfs data",
        "linux_raid_member other:scratch",
        "swap trnkit",
    ],
)
@pytest.mark.parametrize("disk", ["nvme1n1", "nvme3n1"])
def test_a_disk_that_holds_something_of_somebody_else_is_left_as_it_is(machine, disk, signature):
    (machine.dev / disk).write_text(signature + "\n")
    assert fails(machine) == (
        f"{machine.root}/dev/{disk} holds {signature.strip()}, "
        "which is not of trnkit: left as it is"
    )
    assert machine.signature(disk) == signature.strip()
    assert machine.signature("nvme2n1") == ""


def test_a_second_signature_beside_ours_is_somebody_elses(one_disk):
    (one_disk.dev / "nvme1n1").write_text(f"{OURS}\ngpt\n")
    assert "holds gpt" in fails(one_disk)


def test_a_file_system_of_somebody_else_on_our_array_is_left_as_it_is(machine):
    machine.store()
    (machine.root / "etc" / "fstab").unlink()
    (machine.dev / "md127").write_text("ext4 results\n")
    assert "md127 holds ext4 results, which is not of trnkit" in fails(machine)
    assert machine.signature("md127") == "ext4 results"


def test_a_disk_that_cannot_be_read_is_not_a_blank_one(machine):
    machine.install("wipefs", "echo 'wipefs: error: probing initialization failed' >&2; exit 1")
    assert fails(machine) == f"cannot read {machine.root}/dev/nvme1n1"


def test_something_else_at_the_path_is_a_failure(one_disk):
    one_disk.mounted()
    one_disk.install("mountpoint", "exit 0")
    assert fails(one_disk) == "something else is mounted at /local"


# What the image did already.


def test_disks_that_the_image_mounted_are_used_where_they_are(machine):
    for number in range(1, 5):
        (machine.dev / f"nvme{number}n1").write_text(LVM)
    machine.mounted("/opt/dlami/nvme", "/opt/dlami/nvme/containers")
    code, found = machine.store()
    root = machine.root
    assert code == 0
    note = f"uses {root}/opt/dlami/nvme, which the image mounted"
    assert found == [("ok", note), ("ok", "")]
    assert machine.called("mount") == [f"mount --bind {root}/opt/dlami/nvme {root}/local"]
    assert not machine.called("mdadm", "mkfs.xfs")
    assert not (root / "etc" / "fstab").exists(), "it would bind the root disk at the next boot"


def test_what_the_image_mounted_at_the_path_itself_is_just_used(machine):
    for number in range(1, 5):
        (machine.dev / f"nvme{number}n1").write_text(LVM)
    machine.mounted("/local")
    machine.install("mountpoint", "exit 0")
    assert machine.store() == (0, [("ok", "")])
    assert not machine.called("mount", "mdadm", "mkfs.xfs")


def test_a_service_of_the_image_is_waited_for(machine):
    machine.install("systemctl")
    assert machine.store()[0] == 0
    calls = machine.calls
    start = calls.index("systemctl start dlami-nvme.service")
    assert start < min(n for n, call in enumerate(calls) if call.startswith("wipefs"))


def test_a_service_that_is_not_there_is_not_started(machine):
    machine.install("systemctl", 'case "$*" in *is-enabled*) exit 1 ;; esac')
    assert machine.store()[0] == 0
    assert "systemctl start dlami-nvme.service" not in machine.calls


# Disks that are missing.


@pytest.mark.parametrize(
    ("disks", "expected", "words"),
    [
        (3, 4, "found 3 disks of the NVMe instance store, expected 4"),
        (0, 4, "found 0 disks of the NVMe instance store, expected 4"),
        (0, None, "found 0 disks of the NVMe instance store, expected at least one"),
    ],
)
def test_a_missing_disk_is_a_failure_and_no_smaller_array_is_made(tmp_path, disks, expected, words):
    machine = Machine(tmp_path, disks)
    machine.expects(expected)
    assert fails(machine) == words


def test_without_expectations_no_disk_is_a_failure(tmp_path):
    assert fails(Machine(tmp_path, 0)).endswith("expected at least one")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '"x"',
        "\xff",
        '{"instance_store":[1]}',
        '{"instance_store":"x"}',
        *(
            f'{{"instance_store":{{"disks":{disks}}}}}'
            for disks in (
                "null",
                "true",
                "-1",
                "1.5",
                "1e400",
                "[4]",
                '"4"',
                '"many"',
                "99999999999",
            )
        ),
        '{"instance_store":{"disks":"a[$(touch broken)]"}}',
    ],
)
def test_expectations_that_cannot_be_read_are_a_failure_that_names_them(machine, text):
    machine.write("etc/trnkit/expected.json", "").write_bytes(text.encode("latin-1"))
    assert fails(machine) == (
        "/etc/trnkit/expected.json is broken: instance_store.disks is no number of disks"
    )
    assert not list(machine.root.parent.rglob("broken"))


# Commands that fail.


@pytest.mark.parametrize("call", ["--create", "--assemble", "--stop"])
def test_an_array_that_cannot_be_made_is_a_failure_in_mdadms_words(machine, call):
    if call != "--create":
        machine.store()
        machine.reboot() if call == "--assemble" else (machine.dev / "nvme2n1").write_text("\n")
    made = MDADM.format(root=machine.root)
    machine.install("mdadm", f'[[ $1 != {call} ]] || {{ echo "mdadm: busy" >&2; exit 1; }}\n{made}')
    code, found = machine.store()
    assert (code, found) == (1, [("failed", "mdadm: busy")])
    assert not machine.called("mkfs.xfs", "mount")


def test_an_array_that_is_not_there_after_all_is_a_failure(machine):
    machine.install("mdadm", "true")
    assert machine.store()[1][-1][1].startswith("mdadm made no array of ")
    assert not machine.called("mkfs.xfs", "mount")


@pytest.mark.parametrize("command", ["lsblk", "mount", "blkid"])
def test_other_commands_that_fail_fail_the_step_and_nothing_after_it(one_disk, command):
    one_disk.install(command, f"echo {command}: no >&2; exit 32")
    code, found = one_disk.store()
    assert code == 1
    assert found[-1][0] == "failed"
    assert command in found[-1][1] or "no UUID" in found[-1][1]


def test_boot_goes_on_without_the_store(machine):
    machine.expects(8)
    code, log = machine.run_boot(
        SETTINGS + "TRNKIT_LUSTRE_MOUNTS='fs-1.fsx.us-east-2.amazonaws.com abcd /fsx'"
    )
    assert code == 1
    assert ("mount /fsx", "ok") in steps(log)
