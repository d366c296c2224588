"""The boot script where it concerns shared file systems: no client, Lustre over EFA, homes."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from aws_cdk import App, Stack

from constructs_lib.compute import HomeMount, LustreMount, NodeBoot, NodeBundle
from constructs_lib.compute.node_boot import MAXIMUM_USER_DATA_BYTES, largest_size
from tests.constructs_lib.compute.node.machine import APT, BASH, DNS, OPTIONS, Node, steps
from trnkit.errors import ConstructError

ID = "fs-0fedcba9876543210"
EFS_DNS = f"{ID}.efs.us-east-2.amazonaws.com"
TOKEN = "${Token[TOKEN.123]}"
HELPER = "mount.efs"


@pytest.fixture
def node(tmp_path):
    return Node(tmp_path)


@pytest.fixture
def efa_node(node):
    """A node with three EFA devices and a default route."""
    for name in ("systemctl", "lnetctl"):
        node.install(name)
    node.install("ip", "echo 'default via 10.0.64.1 dev ens5 proto dhcp src 10.0.64.7 metric 512'")
    for device in ("rdmap16s27", "rdmap32s27", "rdmap80s27"):
        (node.root / "sys" / "class" / "infiniband" / device).mkdir(parents=True)
    return node


def home(mode="preferred", path="/home/shared"):
    return HomeMount(
        file_system_id=ID, dns_name=EFS_DNS, mount_path=path, encryption_in_transit=mode
    )


# Lines that are not whole.


@pytest.mark.parametrize(
    ("settings", "step", "path"),
    [
        ("TRNKIT_LUSTRE_MOUNTS='a'", "mount a", ""),
        ("TRNKIT_LUSTRE_MOUNTS='a b'", "mount a", ""),
        ("TRNKIT_LUSTRE_MOUNTS='a b fsx'", "mount fsx", "fsx"),
        ("TRNKIT_LUSTRE_MOUNTS='a b /'", "mount /", "/"),
        ("TRNKIT_HOME='a'", "mount a", ""),
        ("TRNKIT_HOME='a b home required'", "mount home", "home"),
        ("TRNKIT_S3_MOUNTS='s3://a'", "mount s3://a", ""),
        ("TRNKIT_INSTANCE_STORE=local", "instance-store", "local"),
    ],
)
def test_a_line_without_a_path_fails_its_step_and_says_so(node, settings, step, path):
    for name in ("mount.nfs4", "mount.mount-s3", "systemctl"):
        node.install(name)
    code, log = node.run_boot(settings + "\n")
    entry = next(entry for entry in log if entry["step"] == step)
    assert (code, entry["status"]) == (1, "failed")
    assert entry["detail"] == f'no absolute path to mount at: "{path}"'
    assert not [call for call in node.calls if call.split()[0] in ("mount", "chattr")]
    fstab = node.root / "etc/fstab"
    assert not fstab.exists() or fstab.read_text() == ""
    assert not (node.root.parent / f"root{path}").is_dir() or path in ("", "/")


# Without a client.


def test_without_a_client_no_mount_is_tried_and_each_fails_at_once(node):
    node.fails("modprobe", 99, words="FATAL: Module lustre not found")
    code, log = node.boot((DNS, "abcd", "/fsx"), ("other.host", "efgh", "/scratch"))
    assert code == 1
    assert steps(log) == [
        ("environment", "ok"),
        ("lustre-client", "failed"),
        ("mount /fsx", "failed"),
        ("mount /scratch", "failed"),
        ("boot", "failed"),
    ]
    assert log[2]["detail"] == log[3]["detail"] == "there is no Lustre client"
    assert not [call for call in node.calls if call.startswith("mount ")]


def test_without_a_client_the_file_systems_are_still_in_fstab(node):
    node.fails("modprobe", 99)
    node.boot((DNS, "abcd", "/fsx"))
    (line,) = node.read("etc/fstab").splitlines()
    assert line.startswith(f"{DNS}@tcp:/abcd /fsx lustre ")
    assert "nofail" in line


def test_without_a_client_homes_are_mounted_all_the_same(node):
    node.fails("modprobe", 99)
    node.install("mount.nfs4")
    code, log = node.boot((DNS, "abcd", "/fsx"), home=home())
    assert code == 1
    assert ("mount /home/shared", "ok") in steps(log)


# Lustre over EFA.


def test_fsx_12_lustre_is_set_up_for_efa_before_it_is_mounted(efa_node):
    code, log = efa_node.boot((DNS, "abcd", "/fsx"), lustre_over_efa=True)
    assert code == 0, efa_node.errors
    assert [step for step, _ in steps(log)][1:-1] == ["lustre-client", "lustre-efa", "mount /fsx"]
    calls = [c for c in efa_node.calls if c.split()[0] in ("modprobe", "lnetctl", "mount")]
    assert calls == [
        "modprobe --dry-run lustre",
        "lnetctl net show --net efa",
        "modprobe lnet",
        "modprobe kefalnd ipif_name=ens5",
        "modprobe ksocklnd",
        "lnetctl lnet configure",
        "lnetctl net del --net tcp",
        "lnetctl net add --net tcp --if ens5",
        "lnetctl net add --net efa --if rdmap16s27 --peer-credits 32",
        "lnetctl net add --net efa --if rdmap80s27 --peer-credits 32",
        "lnetctl set discovery 1",
        "lnetctl udsp add --src efa --priority 0",
        f"mount -t lustre -o relatime,flock {DNS}@tcp:/abcd {efa_node.root}/fsx",
    ]


def test_fsx_12_one_device_is_added_once(efa_node):
    for device in ("rdmap32s27", "rdmap80s27"):
        (efa_node.root / "sys" / "class" / "infiniband" / device).rmdir()
    efa_node.boot((DNS, "abcd", "/fsx"), lustre_over_efa=True)
    assert sum("net add --net efa" in call for call in efa_node.calls) == 1


def test_fsx_12_it_is_set_up_again_at_every_boot(efa_node):
    efa_node.boot((DNS, "abcd", "/fsx"), lustre_over_efa=True)
    assert "systemctl enable -q trnkit-lustre-efa.service" in efa_node.calls
    unit = efa_node.read("etc/systemd/system/trnkit-lustre-efa.service")
    assert "ExecStart=/bin/bash /usr/local/sbin/trnkit-lustre-efa\n" in unit
    assert "WantedBy=multi-user.target\n" in unit
    assert "x-systemd.after=trnkit-lustre-efa.service" in efa_node.read("etc/fstab")
    # The kept script works by itself.
    script = efa_node.root / "usr" / "local" / "sbin" / "trnkit-lustre-efa"
    text = script.read_text().replace('root=""', f'root="{efa_node.root}"')
    script.write_text(text)
    efa_node.calls_file.unlink()
    ran = subprocess.run([BASH, str(script)], env={"PATH": str(efa_node.bin)}, check=False)
    assert ran.returncode == 0
    assert "lnetctl udsp add --src efa --priority 0" in efa_node.calls


def test_fsx_12_what_is_set_up_already_stays(efa_node):
    efa_node.install("lnetctl", 'case "$*" in *show*) echo "nid: 1.2.3.4@efa" ;; esac')
    efa_node.boot((DNS, "abcd", "/fsx"), lustre_over_efa=True)
    assert [c for c in efa_node.calls if c.startswith("lnetctl")] == ["lnetctl net show --net efa"]


@pytest.mark.parametrize(
    ("command", "behaviour", "detail"),
    [
        ("modprobe", 'case "$*" in *kefalnd*) echo no kefalnd >&2; exit 1 ;; esac', "no kefalnd"),
        ("lnetctl", 'case "$*" in *"--net efa --if"*) echo busy >&2; exit 1 ;; esac', "busy"),
        ("ip", "true", "no default route"),
    ],
)
def test_fsx_12_without_efa_the_file_system_is_mounted_over_tcp(
    efa_node, command, behaviour, detail
):
    efa_node.install(command, behaviour)
    code, log = efa_node.boot((DNS, "abcd", "/fsx"), lustre_over_efa=True)
    assert code == 0
    assert steps(log)[2:] == [
        ("lustre-efa", "warning"),
        ("mount /fsx", "ok"),
        ("boot", "ok"),
    ]
    assert log[2]["detail"] == detail


def test_fsx_12_no_device_is_a_failure_with_a_reason(efa_node):
    shutil.rmtree(efa_node.root / "sys")
    _, log = efa_node.boot((DNS, "abcd", "/fsx"), lustre_over_efa=True)
    assert log[2]["detail"] == "no EFA device"


def test_nodes_that_do_not_use_efa_for_lustre_set_nothing_up(efa_node):
    code, log = efa_node.boot((DNS, "abcd", "/fsx"))
    assert code == 0
    assert "lustre-efa" not in dict(steps(log))
    assert not [call for call in efa_node.calls if call.startswith("lnetctl")]
    assert "trnkit-lustre-efa" not in efa_node.read("etc/fstab")


# Homes.


def test_homes_with_the_helper_are_mounted_with_tls(node):
    node.install(HELPER)
    code, log = node.boot(home=home())
    assert code == 0
    assert steps(log) == [("environment", "ok"), ("mount /home/shared", "ok"), ("boot", "ok")]
    assert node.calls == [
        f"mountpoint -q {node.root}/home/shared",
        f"chattr +i {node.root}/home/shared",
        f"mountpoint -q {node.root}/home/shared",
        f"mount -t efs -o tls,noresvport {ID}:/ {node.root}/home/shared",
    ]
    (line,) = node.read("etc/fstab").splitlines()
    source, target, kind, options, *_ = line.split(" ")
    assert (source, target, kind) == (f"{ID}:/", "/home/shared", "efs")
    assert set(options.split(",")) >= (OPTIONS - {"flock"}) | {"tls"}


def test_homes_without_the_helper_on_ubuntu_are_mounted_with_nfs(node):
    code, _ = node.boot(home=home())
    assert code == 0
    assert [call for call in node.calls if call.startswith("apt-get")] == [
        f"{APT} update",
        f"{APT} install -y nfs-common",
    ]
    (mount,) = [call for call in node.calls if call.startswith("mount ")]
    assert mount.startswith("mount -t nfs4 -o nfsvers=4.1,")
    assert mount.endswith(f"noresvport {EFS_DNS}:/ {node.root}/home/shared")
    (line,) = node.read("etc/fstab").splitlines()
    assert line.startswith(f"{EFS_DNS}:/ /home/shared nfs4 nfsvers=4.1,")
    assert set(line.split(" ")[3].split(",")) >= OPTIONS - {"flock"}


def test_an_nfs_client_that_is_there_is_not_installed_again(node):
    node.install("mount.nfs4")
    node.boot(home=home())
    assert not [call for call in node.calls if call.startswith("apt-get")]


def test_amazon_linux_installs_the_helper(node):
    (node.bin / "apt-get").unlink()
    helper = node.bin / HELPER
    node.install("dnf", f'printf "#!{BASH}\\n" >"{helper}"; /bin/chmod +x "{helper}"')
    code, _ = node.boot(home=home("required"))
    assert code == 0
    assert "dnf -q install -y amazon-efs-utils" in node.calls
    assert any(call.startswith("mount -t efs -o tls") for call in node.calls)


def test_amazon_linux_without_the_helper_falls_back_to_nfs(node):
    (node.bin / "apt-get").unlink()
    node.install("dnf", 'case "$*" in *efs*) exit 1 ;; esac')
    code, _ = node.boot(home=home())
    assert code == 0
    assert "dnf -q install -y nfs-utils" in node.calls


def test_required_tls_never_falls_back(node):
    code, log = node.boot(home=home("required"))
    assert code == 1
    assert log[1]["detail"] == "there is no EFS mount helper, and TLS is required"
    assert not [call for call in node.calls if call.startswith("mount ")]
    assert not (node.root / "etc" / "fstab").exists()


@pytest.mark.parametrize(("failures", "calls", "code"), [(0, 1, 0), (19, 20, 0), (99, 20, 1)])
def test_homes_are_retried(node, failures, calls, code):
    node.install(HELPER)
    node.fails("mount", failures)
    found, _ = node.boot(home=home())
    assert found == code
    assert sum(call.startswith("mount ") for call in node.calls) == calls


def test_a_helper_that_came_later_replaces_the_line_of_plain_nfs(node):
    node.boot(home=home())
    node.install(HELPER)
    code, _ = node.boot(home=home())
    assert code == 0
    (line,) = node.read("etc/fstab").splitlines()
    assert line.startswith(f"{ID}:/ /home/shared efs tls,")


def test_homes_that_do_not_answer_are_given_up_in_time(node):
    node.install(HELPER)
    node.install("mount", "exec sleep 60")
    code, log = node.run_boot(f"TRNKIT_MOUNT_SECONDS=0.2\n{NodeBoot(home=home()).settings()}")
    assert code == 1
    (entry,) = [entry for entry in log if entry["step"] == "mount /home/shared"]
    assert entry["detail"].endswith("within 0.2 seconds, three times")


def test_booting_twice_mounts_once(node):
    node.install(HELPER)
    node.boot(home=home())
    node.install("mountpoint", "exit 0")
    node.calls_file.unlink()
    code, _ = node.boot(home=home())
    assert code == 0
    assert node.read("etc/fstab").count("/home/shared") == 1
    assert not any(call.startswith("mount ") for call in node.calls)


# User data.


def test_what_is_off_is_not_written():
    text = NodeBoot().settings()
    assert "TRNKIT_HOME" not in text
    assert "TRNKIT_LUSTRE_EFA" not in text


def test_what_is_on_is_written():
    settings = NodeBoot(lustre_over_efa=True, home=home("required")).settings()
    home_line = f"TRNKIT_HOME='{ID} {EFS_DNS} /home/shared required'"
    assert f"\nTRNKIT_LUSTRE_EFA=1\n{home_line}\n" in settings


@pytest.mark.parametrize("name", ["file_system_id", "dns_name", "mount_path"])
@pytest.mark.parametrize("value", ["", "/a b", "/a'b", "/a\nb", "'; touch broken; '"])
def test_a_home_that_could_break_out_is_refused_at_once(name, value):
    words = {"file_system_id": ID, "dns_name": EFS_DNS, "mount_path": "/home/shared"}
    with pytest.raises(ConstructError, match=name):
        HomeMount(**(words | {name: value}))


def test_ami_06_everything_a_cluster_file_allows_fits():
    path = "/" + "/".join(["a" * 40] * 6)
    created = [LustreMount(dns_name=TOKEN, mount_name=TOKEN, mount_path=path)] * 10
    existing = [LustreMount(dns_name=DNS, mount_name="abcdefgh", mount_path=path)] * 5
    text = NodeBoot(
        bundle=NodeBundle(Stack(App(), "Compute"), "NodeBundle"),
        lustre_mounts=(*created, *existing),
        logical_neuroncore_size=2,
        lustre_over_efa=True,
        home=HomeMount(file_system_id=TOKEN, dns_name=f"{TOKEN}.efs.x", mount_path=path),
    ).render()
    assert largest_size(text) < MAXIMUM_USER_DATA_BYTES
