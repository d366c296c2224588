"""The boot script where it concerns every process of a node: environment, limits, mount points."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from constructs_lib.compute import HomeMount
from tests.constructs_lib.compute.node.machine import APT, DNS, Node, steps

SETTINGS = [
    "NEURON_LOGICAL_NC_CONFIG=2",
    "NEURON_RT_VIRTUAL_CORE_SIZE=2",
    "FI_PROVIDER=efa",
    "FI_EFA_USE_DEVICE_RDMA=1",
]
MANAGER = "etc/systemd/system.conf.d/99-trnkit.conf"


@pytest.fixture
def node(tmp_path):
    made = Node(tmp_path)
    made.install("systemctl")
    return made


def test_host_10_login_shells_pam_and_systemd_say_the_same(node):
    code, _ = node.boot(logical_neuroncore_size=2)
    assert code == 0, node.errors
    profile = node.read("etc/profile.d/trnkit.sh").splitlines()
    assert profile[1:] == [f"export {line}" for line in SETTINGS]
    assert node.read("etc/environment").splitlines() == SETTINGS
    assert f"DefaultEnvironment={' '.join(SETTINGS)}\n" in node.read(MANAGER)
    assert node.calls == [
        "systemctl daemon-reexec",
        "systemctl --no-block try-restart amazon-ssm-agent.service "
        "snap.amazon-ssm-agent.amazon-ssm-agent.service",
    ]


@pytest.mark.parametrize(
    "before",
    [
        'PATH="/usr/bin"\nFI_PROVIDER=tcp\nFI_PROVIDER_PATH=/x\n',
        'PATH="/usr/bin"\nFI_PROVIDER_PATH=/x',
    ],
    ids=["an older value", "no newline at the end"],
)
def test_other_lines_of_the_environment_stay(node, before):
    (node.root / "etc" / "environment").write_text(before)
    node.boot(logical_neuroncore_size=2)
    kept = ['PATH="/usr/bin"', "FI_PROVIDER_PATH=/x"]
    assert node.read("etc/environment").splitlines() == [*kept, *SETTINGS]


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_lines_that_are_not_text_stay(node, locale):
    path = node.root / "etc" / "environment"
    path.write_bytes(b"A=1\nFI_PROVIDER=tcp\nNAME=J\xfcrgen\nNUL=\0x\nC=3\n")
    node.environment["LC_ALL"] = locale
    assert node.boot(logical_neuroncore_size=2)[0] == 0
    # A shell has no NUL, and pam_env would end the line there.
    kept = [b"A=1", b"NAME=J\xfcrgen", b"NUL=x", b"C=3"]
    assert path.read_bytes().splitlines() == [*kept, *(line.encode() for line in SETTINGS)]


@pytest.mark.parametrize("name", ["etc/environment", "etc/trnkit/environment"])
def test_an_environment_that_cannot_be_read_is_left_alone(node, name):
    node.write(name, "A=1\n")
    (node.bin / "grep").unlink()
    node.install(
        "grep",
        f'[[ "$*" != *{node.root}/{name} ]] || {{ echo "Input/output error" >&2; exit 2; }}\n'
        f'{shutil.which("grep")} "$@"',
    )
    code, log = node.boot(logical_neuroncore_size=2)
    assert (code, steps(log)[0]) == (1, ("environment", "failed"))
    assert "Input/output error" in log[0]["detail"]
    assert node.read(name) == "A=1\n"


def test_a_file_keeps_its_mode_its_owner_and_the_link_to_it(node):
    real = node.write("etc/real/environment", "SECRET=1\n")
    real.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(real, 12, 34)
    owner = (real.stat().st_uid, real.stat().st_gid)
    link = node.root / "etc" / "environment"
    link.symlink_to("real/environment")
    assert node.boot(logical_neuroncore_size=2)[0] == 0
    assert link.readlink() == Path("real/environment")
    assert real.read_text().splitlines() == ["SECRET=1", *SETTINGS]
    assert real.stat().st_mode & 0o7777 == 0o600
    assert (real.stat().st_uid, real.stat().st_gid) == owner
    assert [path.name for path in real.parent.iterdir()] == ["environment"]


def test_a_link_to_a_file_that_is_not_there_yet_is_kept(node):
    link = node.root / "etc" / "environment"
    (node.root / "etc" / "real").mkdir()
    link.symlink_to("real/environment")
    node.write("etc/real/environment.new", "of a boot that was killed\n").chmod(0o600)
    assert node.boot(logical_neuroncore_size=2)[0] == 0
    assert link.is_symlink()
    assert (node.root / "etc/real/environment").stat().st_mode & 0o7777 == 0o644


def test_another_boot_leaves_one_line_of_each_name(node):
    node.boot(logical_neuroncore_size=1)
    node.boot(logical_neuroncore_size=2)
    assert node.read("etc/environment").splitlines() == SETTINGS


def test_without_settings_the_environment_is_not_touched(node):
    node.boot(efa=False)
    assert not (node.root / "etc" / "environment").exists()
    assert "DefaultEnvironment" not in node.read(MANAGER)


def test_the_environment_can_be_read_by_everybody(node):
    node.boot()
    for name in ("etc/environment", "etc/security/limits.d/99-trnkit.conf", MANAGER):
        assert (node.root / name).stat().st_mode & stat.S_IROTH


def test_host_many_open_files_win_over_the_limits_of_the_efa_installer(node):
    folder = node.root / "etc" / "security" / "limits.d"
    folder.mkdir(parents=True)
    (folder / "01_efa.conf").write_text("* hard nofile 8192\n")
    node.boot()
    assert max(path.name for path in folder.iterdir()) == "99-trnkit.conf", "read last, so it wins"
    assert (folder / "99-trnkit.conf").read_text().splitlines() == [
        f"{who} {kind} {what}"
        for what in ("nofile 65536", "memlock unlimited")
        for who in ("*", "root")
        for kind in ("soft", "hard")
    ]
    assert "DefaultLimitNOFILE=65536:524288\nDefaultLimitMEMLOCK=infinity\n" in node.read(MANAGER)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("* hard nofile 8192\n", "* hard nofile 65536\n"),
        ("*  soft  nofile  8192 \n", "*  soft  nofile  65536\n"),
        ("# ours\n* - memlock unlimited\n", "# ours\n* - memlock unlimited\n"),
        ("* hard nofile 1048576\n", "* hard nofile 1048576\n"),
        ("* hard nofile unlimited\n", "* hard nofile unlimited\n"),
        ("* hard nproc 8192\n", "* hard nproc 8192\n"),
    ],
)
def test_the_efa_installers_own_file_no_longer_lowers_open_files(node, before, after):
    node.write("etc/security/limits.d/01_efa.conf", before)
    node.boot()
    assert node.read("etc/security/limits.d/01_efa.conf") == after
    node.boot()
    assert node.read("etc/security/limits.d/01_efa.conf") == after


def test_an_agent_that_is_not_there_is_no_failure(node):
    node.install("systemctl", 'case "$*" in *try-restart*) echo "not found" >&2; exit 5 ;; esac')
    assert node.boot()[0] == 0


def test_a_manager_that_does_not_read_again_is_a_failure(node):
    node.install("systemctl", "echo no bus >&2; exit 1")
    code, log = node.boot()
    assert code == 1
    assert log[0]["step"] == "environment"
    assert log[0]["detail"] == "no bus"


# Mount points.


def test_nothing_is_written_below_a_mount_point_before_the_mount(node):
    node.fails("modprobe", 1)
    node.boot((DNS, "abcd", "/fsx"), ("other.host", "efgh", "/scratch"))
    calls = node.calls
    protected = [calls.index(f"chattr +i {node.root}/{name}") for name in ("fsx", "scratch")]
    installed = next(n for n, call in enumerate(calls) if call.startswith(APT))
    assert max(protected) < installed, "an installation takes minutes, in which jobs may start"


def test_homes_are_protected_even_where_tls_forbids_the_mount(node):
    home = HomeMount(
        file_system_id="fs-0fedcba9876543210",
        dns_name="host",
        mount_path="/home/shared",
        encryption_in_transit="required",
    )
    code, _ = node.boot(home=home)
    assert code == 1
    assert f"chattr +i {node.root}/home/shared" in node.calls


def test_what_is_mounted_is_left_alone(node):
    node.install("mountpoint", "exit 0")
    node.boot((DNS, "abcd", "/fsx"))
    assert not [call for call in node.calls if call.startswith("chattr")]


@pytest.mark.parametrize("gone", [True, False])
def test_a_disk_that_cannot_protect_does_not_keep_the_mount_away(node, gone):
    node.install("chattr", "echo not supported >&2; exit 1")
    if gone:
        (node.bin / "chattr").unlink()
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 0
    assert ("mount /fsx", "ok") in steps(log)
    assert node.errors == ""
