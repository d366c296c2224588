"""The boot script, run for real below another root, with the system's commands replaced."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.constructs_lib.compute.node.machine import (
    APT,
    BASH,
    BUNDLE,
    DNS,
    OPTIONS,
    Node,
    steps,
)


@pytest.fixture
def node(tmp_path):
    return Node(tmp_path)


SCRIPTS = sorted(BUNDLE.rglob("*.sh"))


@pytest.mark.parametrize("script", [BUNDLE / "boot", *SCRIPTS], ids=lambda path: path.name)
def test_bash_accepts_every_script(script):
    ran = subprocess.run([BASH, "-n", str(script)], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("script", [BUNDLE / "boot", *SCRIPTS], ids=lambda path: path.name)
def test_every_script_is_plain_ascii_with_unix_lines(script):
    content = script.read_bytes()
    assert content.isascii()
    assert b"\r" not in content
    assert b"\t" not in content
    assert content.endswith(b"\n")
    assert content.startswith(b"#!/usr/bin/env bash\n" if script.name == "boot" else b"# ")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_sourcing_a_script_runs_nothing(node, script):
    ran = subprocess.run(
        [BASH, "-c", f'. "{script}"'],
        env={"PATH": str(node.bin), "TRNKIT_ROOT": str(node.root)},
        check=True,
        capture_output=True,
    )
    assert (ran.stdout, ran.stderr) == (b"", b"")
    assert not (node.root / "var").exists()
    assert node.calls == []


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        pytest.param({"efa": False}, [], id="neither"),
        pytest.param({}, ["FI_PROVIDER=efa", "FI_EFA_USE_DEVICE_RDMA=1"], id="EFA"),
        pytest.param(
            {"efa": False, "logical_neuroncore_size": 1},
            ["NEURON_LOGICAL_NC_CONFIG=1", "NEURON_RT_VIRTUAL_CORE_SIZE=1"],
            id="HOST-10 LNC 1",
        ),
        pytest.param(
            {"logical_neuroncore_size": 2},
            [
                "NEURON_LOGICAL_NC_CONFIG=2",
                "NEURON_RT_VIRTUAL_CORE_SIZE=2",
                "FI_PROVIDER=efa",
                "FI_EFA_USE_DEVICE_RDMA=1",
            ],
            id="HOST-10 LNC 2 and EFA",
        ),
    ],
)
def test_the_profile_without_mounts(node, keys, lines):
    code, log = node.boot(**keys)
    assert (code, steps(log)) == (0, [("environment", "ok"), ("boot", "ok")])
    path, *found = node.read("etc/profile.d/trnkit.sh").splitlines()
    assert path == 'export PATH="$PATH:/opt/aws/neuron/bin"'
    assert found == [f"export {line}" for line in lines]
    assert node.calls == []
    assert not (node.root / "etc" / "fstab").exists()
    assert node.errors == ""


def test_log_entries_carry_the_time(node):
    _, log = node.boot()
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry["time"]) for entry in log)
    assert {tuple(entry) for entry in log} == {
        ("time", "step", "status", "seconds", "detail", "attempt")
    }


def test_a_mount_where_the_client_is_there_already(node):
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 0
    assert steps(log) == [
        ("environment", "ok"),
        ("lustre-client", "ok"),
        ("mount /fsx", "ok"),
        ("boot", "ok"),
    ]
    assert node.calls == [
        f"mountpoint -q {node.root}/fsx",
        f"chattr +i {node.root}/fsx",
        "modprobe --dry-run lustre",
        f"mountpoint -q {node.root}/fsx",
        f"mount -t lustre -o relatime,flock {DNS}@tcp:/abcd {node.root}/fsx",
    ]
    assert (node.root / "fsx").is_dir()
    (line,) = node.read("etc/fstab").splitlines()
    source, target, kind, options, dump, check = line.split(" ")
    assert (source, target, kind, dump, check) == (f"{DNS}@tcp:/abcd", "/fsx", "lustre", "0", "0")
    assert set(options.split(",")) >= OPTIONS


def test_booting_twice_changes_nothing_more(node):
    node.boot((DNS, "abcd", "/fsx"), logical_neuroncore_size=2)
    before = {p: p.read_bytes() for p in (node.root / "etc").rglob("*") if p.is_file()}
    node.install("mountpoint", "exit 0")
    node.calls_file.unlink()
    code, log = node.boot((DNS, "abcd", "/fsx"), logical_neuroncore_size=2)
    after = {p: p.read_bytes() for p in (node.root / "etc").rglob("*") if p.is_file()}
    assert code == 0
    assert steps(log)[-1] == ("boot", "ok")
    assert after == before
    assert node.read("etc/fstab").count("lustre") == 1
    assert not any(call.startswith("mount ") for call in node.calls)


def test_several_mounts(node):
    mounts = [(DNS, "abcd", "/fsx"), (DNS, "abcd", "/fsx2"), ("other.host", "efgh", "/data/deep")]
    code, log = node.boot(*mounts)
    assert code == 0
    assert [step for step, _ in steps(log)][2:-1] == [f"mount {path}" for *_, path in mounts]
    lines = node.read("etc/fstab").splitlines()
    assert [tuple(line.split(" ")[:2]) for line in lines] == [
        (f"{dns}@tcp:/{name}", path) for dns, name, path in mounts
    ]
    assert all((node.root / path[1:]).is_dir() for *_, path in mounts)


@pytest.mark.parametrize(
    "before",
    ["# static\nLABEL=root / ext4 defaults 0 1\n", "LABEL=root / ext4 defaults 0 1", "\n\n"],
    ids=["as usual", "no newline at the end", "blank lines"],
)
def test_other_lines_of_fstab_stay(node, before):
    (node.root / "etc" / "fstab").write_text(before)
    node.boot((DNS, "abcd", "/fsx"))
    lines = node.read("etc/fstab").splitlines()
    assert lines[:-1] == before.splitlines()
    assert lines[-1].startswith(f"{DNS}@tcp:/abcd /fsx lustre ")


def test_fsx_16_the_client_for_the_running_kernel_on_ubuntu(node):
    node.fails("modprobe", 1)
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 0
    assert ("lustre-client", "ok") in steps(log)
    installs = [call for call in node.calls if call.startswith("apt-get")]
    assert installs == [
        f"{APT} update",
        f"{APT} install -y lustre-client-modules-6.8.0-1021-aws",
    ]
    assert "DEBIAN_FRONTEND=noninteractive" in node.calls
    keyring = f"{node.root}/usr/share/keyrings/fsx-ubuntu-public-key.gpg"
    (curl,) = [call for call in node.calls if call.startswith("curl")]
    assert curl.startswith(f"curl -fsS -o {keyring}.asc https://")
    assert f"gpg --dearmor --yes -o {keyring} {keyring}.asc" in node.calls
    repository = "https://fsx-lustre-client-repo.s3.amazonaws.com/ubuntu noble main"
    assert node.read("etc/apt/sources.list.d/fsxlustreclientrepo.list") == (
        f"deb [signed-by={keyring}] {repository}\n"
    )


def test_the_client_on_amazon_linux(node):
    (node.bin / "apt-get").unlink()
    node.install("dnf")
    node.fails("modprobe", 1)
    code, _ = node.boot((DNS, "abcd", "/fsx"))
    assert code == 0
    assert "dnf -q install -y lustre-client" in node.calls
    assert not any(call.startswith(("curl", "gpg")) for call in node.calls)


def test_a_client_that_still_has_no_module_is_a_failure(node):
    node.fails("modprobe", 99, words="FATAL: Module lustre not found")
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 1
    assert log[1]["status"] == "failed"
    assert log[1]["detail"] == "FATAL: Module lustre not found"
    assert log[-1] == {**log[-1], "step": "boot", "status": "failed"}


@pytest.mark.parametrize(
    ("command", "failures", "calls", "status"),
    [
        pytest.param("curl", 4, 5, "ok", id="key arrives the fifth time"),
        pytest.param("curl", 99, 5, "failed", id="key never arrives"),
        pytest.param("gpg", 99, 1, "failed", id="key is broken"),
        pytest.param("apt-get", 4, 6, "ok", id="packages arrive the fifth time"),
        pytest.param("apt-get", 99, 5, "failed", id="packages never arrive"),
        pytest.param("modprobe", 99, 2, "failed", id="module never arrives"),
    ],
)
def test_retries_of_the_client(node, command, failures, calls, status):
    node.fails("modprobe", 1)
    node.fails(command, failures)
    _, log = node.boot((DNS, "abcd", "/fsx"))
    assert ("lustre-client", status) in steps(log)
    assert sum(call.split()[0] == command for call in node.calls) == calls


@pytest.mark.parametrize(("failures", "calls", "code"), [(0, 1, 0), (19, 20, 0), (99, 20, 1)])
def test_retries_of_a_mount(node, failures, calls, code):
    node.fails("mount", failures)
    found, log = node.boot((DNS, "abcd", "/fsx"))
    assert found == code
    assert sum(call.startswith("mount ") for call in node.calls) == calls
    assert log[2]["status"] == ("failed" if code else "ok")
    assert "/fsx lustre" in node.read("etc/fstab")  # A later boot tries again.


def test_a_mount_that_fails_does_not_keep_the_others_away(node):
    node.install("mount", 'case "$*" in *first*) echo "mount.lustre: no" >&2; exit 5 ;; esac')
    code, log = node.boot((DNS, "first", "/a"), (DNS, "second", "/b"))
    assert code == 1
    assert steps(log)[2:] == [("mount /a", "failed"), ("mount /b", "ok"), ("boot", "failed")]
    assert log[2]["detail"] == "mount.lustre: no"


@pytest.mark.parametrize(
    ("words", "detail"),
    [
        pytest.param(b'say "hello"', 'say "hello"', id="double quotes"),
        pytest.param(b"it's", "it's", id="single quote"),
        pytest.param(rb"C:\new \x \"", r"C:\new \x " + '\\"', id="backslashes"),
        pytest.param(b"one\ntwo\nthree\n", "three", id="only the last line"),
        pytest.param(b"a\tb\rc\x1b[31md\x07\x7f", "a?b?c?[31md??", id="control characters"),
        pytest.param("für 10 €".encode(), "f??r 10 ???", id="beyond ASCII"),
        pytest.param(b"\xff\xfe\x80", "???", id="not UTF-8"),
        pytest.param(b"x" * 500, "x" * 200, id="long"),
        pytest.param("é".encode() * 300, "?" * 200, id="long beyond ASCII"),
        pytest.param(b"100% of %s %d", "100% of %s %d", id="format"),
        pytest.param(b"$(touch broken) `touch broken` $HOME", None, id="commands"),
        pytest.param(b"-n", "-n", id="looks like an option"),
        pytest.param(b'{"a": [1, "\\u0041"]}', r'{"a": [1, "\u0041"]}', id="JSON"),
    ],
)
def test_the_log_stays_json_whatever_a_command_says(node, words, detail):
    (node.root.parent / "words").write_bytes(words)
    node.fails("modprobe", 1)
    node.install("gpg", f'cat "{node.root.parent}/words" >&2; exit 2')
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 1
    assert log[1]["status"] == "failed"
    assert log[1]["detail"] == (words.decode() if detail is None else detail)[:200]
    assert not (node.root.parent / "broken").exists()


def test_the_log_stays_json_whatever_a_path_is_called(node):
    code, log = node.boot(raw='host name /a"b\\c d')
    assert code == 0
    assert log[2]["step"] == r'mount /a"b\c d'


def test_blank_lines_among_the_mounts_are_skipped(node):
    code, log = node.boot(raw=f"\n{DNS} abcd /fsx\n\n")
    assert code == 0
    assert [step for step, _ in steps(log)] == [
        "environment",
        "lustre-client",
        "mount /fsx",
        "boot",
    ]


def test_a_step_that_cannot_write_is_reported_and_the_rest_goes_on(node):
    (node.root / "etc" / "profile.d").write_text("a file where a folder should be")
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 1
    assert steps(log)[0] == ("environment", "failed")
    assert log[0]["detail"]
    assert ("mount /fsx", "ok") in steps(log)


def test_a_release_without_a_name_is_a_failure_not_a_wrong_repository(node):
    (node.root / "etc" / "os-release").write_text("ID=ubuntu\n")
    node.fails("modprobe", 1)
    code, log = node.boot((DNS, "abcd", "/fsx"))
    assert code == 1
    assert ("lustre-client", "failed") in steps(log)
    assert not (node.root / "etc" / "apt").exists()


def test_nothing_is_written_outside_the_root(node):
    node.fails("modprobe", 1)
    node.boot((DNS, "abcd", "/fsx"))
    touched = {os.path.relpath(path, node.root.parent) for path in node.root.parent.rglob("*")}
    assert {path.split("/")[0] for path in touched} <= {
        "root",
        "bin",
        "behaviour",
        "calls",
        "user-data",
    }
    assert not Path("/etc/profile.d/trnkit.sh").exists()
