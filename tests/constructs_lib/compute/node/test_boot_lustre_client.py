"""Lustre on a node: a client for the kernel, versions that do not go together, mounts, tuning."""

from __future__ import annotations

import pytest

from tests.constructs_lib.compute.node.machine import APT, DNS, Node, steps

KERNEL = "6.8.0-1021-aws"
PACKAGE = f"lustre-client-modules-{KERNEL}"
OFFERED = (
    "6.8.0-1009-aws",
    "6.8.0-1018-aws",
    "6.8.0-1019-aws",
    "6.8.0-1024-aws",
    "6.14.0-1012-aws",
)
REFUSED = (
    "[  101.5] LustreError: 166-1: MGC10.0.65.9@tcp: Connection lost\n"
    "[  102.1] LustreError: 16a-2: Server MGS version (2.10.5.0) refused connection from this "
    "client with an incompatible version (2.15.6).  Client must be recompiled\n"
)
EINVAL = (
    "mount.lustre: mount fs@tcp:/abcd at /fsx failed: Invalid argument\n"
    "This may have multiple causes.\nCheck the syslog for more info."
)


@pytest.fixture
def node(tmp_path):
    made = Node(tmp_path)
    made.install("dmesg")
    return made


@pytest.fixture
def without_client(node):
    """A node whose image has no client, and whose kernel has no package."""
    node.fails("modprobe", 99)
    node.install(
        "apt-get",
        f'case "$*" in *install*) echo "E: Unable to locate package {PACKAGE}" >&2; exit 100; esac',
    )
    offers(node, *OFFERED)
    return node


def offers(node, *kernels):
    lines = [
        f"lustre-client-modules-{k} - Lustre Linux kernel module (kernel {k})" for k in kernels
    ]
    node.install("apt-cache", "\n".join(f"echo '{line}'" for line in lines))


def called(node, *words):
    return [call for call in node.calls if call.startswith(words)]


def large(node, *, gib=2048, cpus=192):
    """A node with so much memory and so many vCPUs, and a place for units."""
    cpus_in_words = "".join(f"processor\t: {n}\nmodel name\t: one\n\n" for n in range(cpus))
    node.write("proc/cpuinfo", cpus_in_words)
    node.write("proc/meminfo", f"MemTotal:       {gib * 1024 * 1024} kB\n")
    node.install("lctl")
    node.install("systemctl")


# A client for the kernel that runs.


def test_a_kernel_without_a_client_is_named_with_the_nearest_that_have_one(without_client):
    code, log = without_client.boot((DNS, "abcd", "/fsx"))
    assert code == 1
    assert log[1]["detail"] == (
        f"no Lustre client for kernel {KERNEL}; the nearest with one: 6.8.0-1018-aws "
        "6.8.0-1019-aws 6.8.0-1024-aws; use an image with such a kernel, and hold it"
    )
    assert len(log[1]["detail"]) < 200


def test_a_package_that_does_not_exist_is_asked_for_once(without_client):
    without_client.boot((DNS, "abcd", "/fsx"))
    assert called(without_client, APT) == [f"{APT} update", f"{APT} install -y {PACKAGE}"]


def test_no_other_kernel_and_no_meta_package_is_ever_asked_for(without_client):
    without_client.boot((DNS, "abcd", "/fsx"))
    installs = [call for call in called(without_client, APT) if "install" in call]
    assert installs == [f"{APT} install -y {PACKAGE}"]


def test_a_kernel_newer_than_all_that_have_a_client_gets_the_two_before_it(without_client):
    offers(without_client, "6.8.0-1009-aws", "6.8.0-1018-aws", "6.8.0-1019-aws")
    _, log = without_client.boot((DNS, "abcd", "/fsx"))
    assert "the nearest with one: 6.8.0-1018-aws 6.8.0-1019-aws;" in log[1]["detail"]


def test_a_list_that_did_not_arrive_is_no_kernel_without_a_client(without_client):
    without_client.install("apt-cache")
    _, log = without_client.boot((DNS, "abcd", "/fsx"))
    assert log[1]["detail"] == f"E: Unable to locate package {PACKAGE}"
    assert called(without_client, APT) == [
        f"{APT} update",
        *([f"{APT} install -y {PACKAGE}", f"{APT} update"] * 5),
    ]


def test_other_trouble_of_the_package_manager_is_tried_again(node):
    node.fails("modprobe", 1)
    offers(node, *OFFERED)
    counter = node.behaviour / "tries"
    node.install(
        "apt-get",
        'case "$*" in *install*) ;; *) exit 0 ;; esac\n'
        f'echo x >>"{counter}"; (( $(grep -c x "{counter}") > 3 )) || '
        "{ echo 'E: Could not get lock' >&2; exit 100; }",
    )
    code, _ = node.boot((DNS, "abcd", "/fsx"))
    assert code == 0
    assert sum("install" in call for call in called(node, APT)) == 4


# Versions that do not go together.


def test_fsx_16_a_server_that_refuses_the_client_is_told_with_both_versions(node):
    said = node.root.parent / "dmesg"
    said.write_text(REFUSED)
    node.install("dmesg", f'cat "{said}"')
    node.install("mount", f"echo '{EINVAL}' >&2; exit 22")
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 1
    assert log[2]["detail"] == (
        "the file system has Lustre 2.10.5.0, which refuses a client of 2.15.6: "
        "update the file system's Lustre version"
    )
    assert len(called(node, "mount ")) == 1, "no try would help"


def test_fsx_16_another_file_system_that_only_is_not_there_yet_is_tried_again(node):
    said = node.root.parent / "dmesg"
    said.write_text(REFUSED)
    node.install("dmesg", f'cat "{said}"')
    node.fails("mount", 2, words="mount.lustre: Input/output error")
    assert node.boot((DNS, "abcd", "/fsx"))[0] == 0
    assert len(called(node, "mount ")) == 3


def test_other_words_of_the_kernel_are_no_refusal(node):
    node.install("dmesg", "echo '[1.0] LustreError: Server MGS version (2.15.6.1) is fine'")
    node.fails("mount", 2)
    assert node.boot((DNS, "abcd", "/fsx"))[0] == 0
    assert len(called(node, "mount ")) == 3


def test_what_mount_says_in_several_lines_is_told_whole(node):
    node.install("mount", f"echo '{EINVAL}' >&2; exit 22")
    _, log = node.boot((DNS, "abcd", "/fsx"))
    assert log[2]["detail"] == EINVAL.replace("\n", " ")


# Mounts.


def test_a_mount_that_fails_three_times_and_then_works_is_no_failure(node):
    node.fails("mount", 3)
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert (code, log[2]["status"]) == (0, "ok")
    assert len(called(node, "mount ")) == 4


def test_a_mount_that_hangs_is_ended_and_the_rest_goes_on(node):
    node.install("mount", 'case "$*" in *first*) exec sleep 60 ;; esac')
    code, log = node.run_boot(
        "TRNKIT_MOUNT_SECONDS=0.3\nTRNKIT_LUSTRE_MOUNTS='one.host first /a\ntwo.host second /b'"
    )
    assert code == 1
    assert steps(log)[2:4] == [("mount /a", "failed"), ("mount /b", "ok")]
    assert log[2]["detail"] == (
        f"no answer to mount -t lustre -o relatime,flock one.host@tcp:/first {node.root}/a "
        "within 0.3 seconds, three times"
    )
    assert len(called(node, "mount ")) == 4


def test_a_slow_network_only_takes_longer(node):
    node.install("curl", "sleep 0.3")
    node.fails("modprobe", 1)
    node.install("mount", "sleep 0.3")
    assert node.boot((DNS, "abcd", "/fsx"))[0] == 0


# /etc/fstab.


def test_a_file_system_that_was_replaced_leaves_no_line_behind(node):
    other = DNS.replace("0123", "9999")
    (node.root / "etc" / "fstab").write_text("LABEL=root / ext4 defaults 0 1\n# /fsx\n")
    node.boot((other, "wxyz", "/fsx"))
    node.install("systemctl")
    code, _ = node.boot((DNS, "abcd", "/fsx"))
    assert code == 0
    first, second, line = node.read("etc/fstab").splitlines()
    assert (first, second) == ("LABEL=root / ext4 defaults 0 1", "# /fsx")
    assert line.startswith(f"{DNS}@tcp:/abcd /fsx lustre ")
    assert "systemctl daemon-reload" in node.calls


def test_other_options_of_an_older_version_are_replaced_and_doubles_go(node):
    line = f"{DNS}@tcp:/abcd /fsx lustre defaults 0 0\n"
    (node.root / "etc" / "fstab").write_text(line + "tmpfs /scratch tmpfs size=1g 0 0\n" + line)
    node.boot((DNS, "abcd", "/fsx"))
    first, second = node.read("etc/fstab").splitlines()
    assert first.startswith(f"{DNS}@tcp:/abcd /fsx lustre defaults,relatime,flock,")
    assert second == "tmpfs /scratch tmpfs size=1g 0 0"


def test_a_path_that_only_begins_the_same_is_another(node):
    (node.root / "etc" / "fstab").write_text("tmpfs /fsx2 tmpfs size=1g 0 0\n")
    node.boot((DNS, "abcd", "/fsx"))
    assert node.read("etc/fstab").splitlines()[0] == "tmpfs /fsx2 tmpfs size=1g 0 0"


def test_what_is_mounted_from_an_earlier_source_is_unmounted_first(node):
    node.boot((DNS, "wxyz", "/fsx"))
    gone = node.root.parent / "gone"
    node.install("mountpoint", f'[[ ! -e "{gone}" ]]')
    node.install("umount", f'touch "{gone}"')
    node.calls_file.unlink()
    code, _ = node.boot((DNS, "abcd", "/fsx"))
    assert code == 0
    calls = called(node, "umount", "mount ")
    assert calls == [
        f"umount {node.root}/fsx",
        f"mount -t lustre -o relatime,flock {DNS}@tcp:/abcd {node.root}/fsx",
    ]


@pytest.mark.parametrize(("failures", "code"), [(0, 0), (3, 0), (99, 1)])
def test_what_systemd_only_promises_to_mount_is_accessed_and_may_fail(node, failures, code):
    node.install("mountpoint", "exit 0")
    (node.bin / "stat").unlink()
    node.fails("stat", failures, words="stat: cannot read /fsx: No such device")
    found, log = node.boot((DNS, "abcd", "/fsx"))
    assert found == code
    assert len(called(node, f"stat -f -c %T {node.root}/fsx")) == min(failures + 1, 20)
    assert not called(node, "mount ")
    assert log[2]["detail"] == ("stat: cannot read /fsx: No such device" if code else "")


def test_an_earlier_file_system_that_is_in_use_is_a_failure_not_a_success(node):
    node.boot((DNS, "wxyz", "/fsx"))
    node.install("mountpoint", "exit 0")
    node.install("umount", "echo 'umount: target is busy.' >&2; exit 32")
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 1
    assert log[2]["detail"] == (
        f"{node.root}/fsx is in use, and still {DNS}@tcp:/wxyz: restart the node"
    )


def test_only_options_that_changed_wait_for_the_next_boot(node):
    line = f"{DNS}@tcp:/abcd /fsx lustre defaults 0 0\n"
    (node.root / "etc" / "fstab").write_text(line)
    node.install("mountpoint", "exit 0")
    node.install("umount", "exit 32")
    assert node.boot((DNS, "abcd", "/fsx"))[0] == 0
    assert not called(node, "umount", "mount ")


# Tuning.


def test_a_large_client_is_tuned_as_aws_says_now_and_at_every_boot(node):
    large(node)
    code, log = node.boot((DNS, "abcd", "/fsx"), (DNS, "efgh", "/data"))
    assert code == 0
    assert ("lustre-tuning", "ok") in steps(log)
    settings = (
        "ldlm.namespaces.*.lru_max_age=600000 ldlm.namespaces.*.lru_size=19200 "
        "osc.*OST*.max_rpcs_in_flight=32 mdc.*.max_rpcs_in_flight=64 "
        "mdc.*.max_mod_rpcs_in_flight=50"
    )
    assert called(node, "lctl") == [f"lctl set_param {settings}"]
    assert node.calls.index(f"lctl set_param {settings}") > node.calls.index(
        called(node, "mount ")[-1]
    )
    assert node.read("etc/modprobe.d/trnkit-lustre.conf") == (
        "options ptlrpc ptlrpcd_per_cpt_max=32\noptions ksocklnd credits=2560\n"
    )
    unit = node.read("etc/systemd/system/trnkit-lustre-tuning.service")
    assert f"ExecStart=lctl set_param {settings}\n" in unit
    assert "RequiresMountsFor=/fsx /data\n" in unit
    assert "systemctl enable -q trnkit-lustre-tuning.service" in node.calls


def test_the_options_of_modules_are_there_before_the_client(node):
    large(node)
    node.install("modprobe", f'[[ -e "{node.root}/etc/modprobe.d/trnkit-lustre.conf" ]]')
    assert node.boot((DNS, "abcd", "/fsx"))[0] == 0


@pytest.mark.parametrize(
    ("gib", "cpus", "wanted"),
    [(16, 8, None), (64, 64, None), (65, 8, "lru_size=800"), (128, 12, "lru_size=1200")],
)
def test_a_small_client_is_tuned_only_for_what_it_has(node, gib, cpus, wanted):
    large(node, gib=gib, cpus=cpus)
    _, log = node.boot((DNS, "abcd", "/fsx"))
    calls = called(node, "lctl")
    assert not (node.root / "etc" / "modprobe.d").exists()
    assert len(calls) == (0 if wanted is None else 1)
    assert ("lustre-tuning" in dict(steps(log))) is (wanted is not None)
    assert wanted is None or (calls[0].endswith(wanted) and "rpcs" not in calls[0])


def test_tuning_that_fails_is_told_and_the_node_is_ready_all_the_same(node):
    large(node)
    node.install("lctl", "echo 'error: set_param: param_path osc: No such file' >&2; exit 2")
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 0
    (entry,) = [entry for entry in log if entry["step"] == "lustre-tuning"]
    assert (entry["status"], entry["detail"]) == (
        "warning",
        "error: set_param: param_path osc: No such file",
    )
    assert not (node.root / "etc/systemd/system/trnkit-lustre-tuning.service").exists()


def test_what_is_not_mounted_is_not_tuned(node):
    large(node)
    node.install("mount", "exit 1")
    node.boot((DNS, "abcd", "/fsx"))
    assert not called(node, "lctl")
