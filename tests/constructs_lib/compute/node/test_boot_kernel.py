"""What the kernel, services and containers are told: pages, ports, locked memory, one more name."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess

import pytest

from tests.constructs_lib.compute.node.machine import BUNDLE, Node, steps

PAGES = "etc/sysctl.d/99-trnkit-huge-pages.conf"
PORTS = "etc/sysctl.d/99-trnkit-ports.conf"
EFA = "TRNKIT_EFA=1\nTRNKIT_EFA_HUGE_PAGES=5128"
GATE = "ExecStartPre=/bin/grep -qsx -e ready -e booting /run/trnkit/node-state"


def kernel(node, most=1_000_000):
    """A sysctl that writes what it is told to below the node's /proc/sys, up to `most` pages."""
    node.install(
        "sysctl",
        'file="${@: -1}"; [[ -e $file ]] || exit 0\n'
        'while IFS="= " read -r name value; do\n'
        f"  if [[ $name == vm.nr_hugepages && $value -gt {most} ]]; then value={most}; fi\n"
        f'  echo "$value" >"{node.root}/proc/sys/${{name//.//}}"\n'
        'done <"$file"',
    )


@pytest.fixture
def node(tmp_path):
    made = Node(tmp_path)
    kernel(made)
    return made


# Huge pages.


@pytest.mark.parametrize(
    ("settings", "reserved", "efa_file", "wanted"),
    [
        pytest.param(EFA, 0, False, 5128, id="AMI-13 image without EFA's configuration"),
        pytest.param(EFA, 5128, False, None, id="reserved already"),
        pytest.param(EFA, 0, True, None, id="EFA's configuration decides"),
        pytest.param("TRNKIT_EFA=0", 0, False, None, id="no EFA"),
        pytest.param(f"{EFA}\nTRNKIT_HUGE_PAGES=512", 0, False, 512, id="asked"),
        pytest.param("TRNKIT_EFA=0\nTRNKIT_HUGE_PAGES=512", 5128, True, 512, id="asked, fewer"),
        pytest.param(f"{EFA}\nTRNKIT_HUGE_PAGES=0", 5128, False, 0, id="asked, none"),
    ],
)
def test_huge_pages(node, settings, reserved, efa_file, wanted):
    node.write("proc/sys/vm/nr_hugepages", f"{reserved}\n")
    if efa_file:
        node.write("etc/security/limits.d/01_efa.conf", "* hard nofile 65536\n")
    for _ in range(2):
        code, log = node.run_boot(settings + "\n")
        assert code == 0
    expected = reserved if wanted is None else wanted
    assert node.read("proc/sys/vm/nr_hugepages") == f"{expected}\n"
    if wanted is None:
        assert "huge-pages" not in dict(steps(log))
        assert not (node.root / PAGES).exists()
    else:
        assert node.read(PAGES) == f"vm.nr_hugepages = {wanted}\n"


def test_too_few_huge_pages_are_a_failure_after_memory_was_put_together(node):
    kernel(node, most=100)
    code, log = node.run_boot("TRNKIT_HUGE_PAGES=5128\n")
    assert code == 1
    entry = next(entry for entry in log if entry["step"] == "huge-pages")
    assert entry["detail"] == "only 100 of 5128 huge pages: memory is in use"
    assert "sysctl -q -w vm.compact_memory=1" in node.calls


@pytest.mark.parametrize("value", ["-1", "5128Mi", "1e3", "a[$(touch x)]", "1 2", "9999999999"])
def test_what_is_no_number_of_pages_is_refused(node, value):
    code, log = node.run_boot(f"TRNKIT_HUGE_PAGES='{value}'\n")
    assert (code, dict(steps(log))["huge-pages"]) == (1, "failed")
    assert not (node.root / PAGES).exists()


# Ports.


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "46820"),
        ("8080,9148", "8080,9148,46820"),
        ("46820", "46820"),
        ("46000-47000", "46000-47000"),
        ("1-5,46820-46821", "1-5,46820-46821"),
        ("46821-47000", "46821-47000,46820"),
        ("4682", "4682,46820"),
        ("46819,46821", "46819,46821,46820"),
    ],
)
def test_the_port_is_reserved_with_what_is_reserved_already(node, before, after):
    node.write("proc/sys/net/ipv4/ip_local_reserved_ports", before + "\n")
    for _ in range(2):
        code, log = node.run_boot("TRNKIT_RENDEZVOUS_PORT=46820\n")
        assert (code, dict(steps(log))["rendezvous-port"]) == (0, "ok")
        assert node.read(PORTS) == f"net.ipv4.ip_local_reserved_ports = {after}\n"
        assert node.read("proc/sys/net/ipv4/ip_local_reserved_ports") == after + "\n"


@pytest.mark.parametrize("name", ["TRNKIT_HUGE_PAGES=1", "TRNKIT_RENDEZVOUS_PORT=46820"])
def test_a_kernel_that_refuses_is_a_failure(node, name):
    node.install("sysctl", "echo permission denied >&2; exit 255")
    code, log = node.run_boot(name + "\n")
    assert code == 1
    assert log[1]["detail"] == "permission denied"


# Services.


def test_services_may_lock_memory_and_do_not_start_after_a_failed_boot(node):
    node.run_boot("")
    texts = {
        name: node.read(f"etc/systemd/system/{name}.service.d/99-trnkit.conf")
        for name in ("slurmd", "kubelet", "ecs", "containerd")
    }
    assert all("\nLimitMEMLOCK=infinity\n" in text for text in texts.values())
    assert [name for name, text in texts.items() if GATE in text] == ["slurmd", "kubelet", "ecs"]
    assert "LimitNOFILE=131072:524288\n" in texts["slurmd"]


@pytest.mark.parametrize(
    ("state", "starts"),
    [
        ("failed", False),
        ("ready", True),
        ("booting", True),
        (None, False),
        ("", False),
        ("not ready", False),
    ],
)
def test_the_gate_opens_only_for_a_boot_that_runs_or_went_well(tmp_path, state, starts):
    file = tmp_path / "node-state"
    if state is not None:
        file.write_text(state + "\n")
    words = shlex.split(GATE.partition("=")[2].replace("/run/trnkit/node-state", str(file)))
    assert (subprocess.run(words).returncode == 0) is starts


@pytest.mark.parametrize(
    ("kernel_release", "told"),
    [
        ("5.10.245-241.976.amzn2.x86_64", True),
        ("4.14.355-1.amzn2", True),
        ("5.14.0-503.el9", True),
        ("5.15.0-1051-aws", False),
        ("6.1.79-99.167.amzn2023", False),
        ("6.8.0-1021-aws", False),
    ],
)
def test_only_old_kernels_are_told_that_processes_fork(node, kernel_release, told):
    node.write("proc/sys/kernel/osrelease", kernel_release + "\n")
    node.run_boot("TRNKIT_EFA=1\n")
    assert ("FI_EFA_FORK_SAFE=1" in node.read("etc/environment")) is told
    node.run_boot("TRNKIT_EFA=0\n")
    assert "FI_" not in node.read("etc/environment")


@pytest.mark.parametrize("size", ["1", "2"])
def test_host_10_the_device_plugin_reads_the_size_of_a_logical_core(node, size):
    node.run_boot("TRNKIT_LNC=2\n")
    node.run_boot(f"TRNKIT_LNC={size}\n")
    assert node.read("opt/aws/neuron/logical_nc_config") == f"NEURON_LOGICAL_NC_CONFIG={size}\n"


def test_systemd_reads_again_only_what_changed(node):
    node.install("systemctl")
    node.run_boot("TRNKIT_EFA=1\n")
    assert "systemctl daemon-reexec" in node.calls
    node.calls_file.unlink()
    node.run_boot("TRNKIT_EFA=1\n")
    assert node.calls == []
    node.run_boot("TRNKIT_EFA=0\n")
    assert "systemctl daemon-reexec" in node.calls


def test_a_reading_again_that_failed_is_done_by_the_next_boot(node):
    node.install("systemctl", "exit 1")
    assert node.run_boot("")[0] == 1
    node.install("systemctl")
    node.calls_file.unlink()
    assert node.run_boot("")[0] == 0
    assert "systemctl daemon-reexec" in node.calls


# One more name.


def add(node, tmp_path, *pairs):
    """Boot with a step that adds names to the environment, as the one of the compile cache does."""
    made = tmp_path / "bundle"
    if not made.exists():
        shutil.copytree(BUNDLE, made)
    calls = "; ".join(f"step {name} add_environment {name} '{value}'" for name, value in pairs)
    (made / "steps" / "zz.sh").write_text("monitoring_steps() { " + (calls or ":") + "; }\n")
    node.write("etc/trnkit/settings.sh", "TRNKIT_LNC=2\n")
    return node.run(made / "boot")


def test_a_name_that_a_step_adds_reaches_every_process(node, tmp_path):
    url = "s3://our-cache/neuron/2.32.0"
    for _ in range(2):
        code, _ = add(node, tmp_path, ("NEURON_COMPILE_CACHE_URL", url))
        assert code == 0, node.errors
        assert sorted(node.read("etc/environment").splitlines()) == [
            f"NEURON_COMPILE_CACHE_URL={url}",
            "NEURON_LOGICAL_NC_CONFIG=2",
            "NEURON_RT_VIRTUAL_CORE_SIZE=2",
        ]
    assert f"export NEURON_COMPILE_CACHE_URL={url}\n" in node.read("etc/profile.d/trnkit.sh")
    (defaults,) = [
        line
        for line in node.read("etc/systemd/system.conf.d/99-trnkit.conf").splitlines()
        if line.startswith("DefaultEnvironment=")
    ]
    assert f"NEURON_COMPILE_CACHE_URL={url}" in defaults.split("=", 1)[1].split()
    assert "NEURON_LOGICAL_NC_CONFIG=2" in defaults


def test_a_name_that_was_added_is_there_before_its_step_runs_again(node, tmp_path):
    add(node, tmp_path, ("NEURON_COMPILE_CACHE_URL", "/fsx/cache"))
    add(node, tmp_path)
    assert "NEURON_COMPILE_CACHE_URL=/fsx/cache" in node.read("etc/environment").splitlines()


def test_a_name_that_is_added_again_has_the_new_value(node, tmp_path):
    add(node, tmp_path, ("A", "/old"), ("AB", "/other"))
    add(node, tmp_path, ("A", "/new"))
    lines = node.read("etc/environment").splitlines()
    assert "A=/new" in lines
    assert "AB=/other" in lines
    assert "A=/old" not in lines


@pytest.mark.parametrize(
    "value", ["a b", 'a"b', "$HOME", "a\\b", "a#b", "100%", "a;b", "`x`", "", "ä"]
)
def test_a_value_that_some_reader_would_read_otherwise_is_refused(node, tmp_path, value):
    code, log = add(node, tmp_path, ("NAME", value))
    assert code == 1
    assert dict(steps(log))["NAME"] == "failed"
    assert "NAME" not in node.read("etc/profile.d/trnkit.sh")


@pytest.mark.parametrize("name", ["1A", "a b", "a=b", "a-b", "lower"])
def test_a_name_that_is_none_is_refused(node, tmp_path, name):
    code, _ = add(node, tmp_path, (f"'{name}'", "x"))
    assert code == 1


# Containers.


MEMLOCK = {"Name": "memlock", "Soft": -1, "Hard": -1}
NOFILE = {"Name": "nofile", "Soft": 65536, "Hard": 65536}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, {"default-ulimits": {"memlock": MEMLOCK, "nofile": NOFILE}}),
        ("", {"default-ulimits": {"memlock": MEMLOCK, "nofile": NOFILE}}),
        ("{}", {"default-ulimits": {"memlock": MEMLOCK, "nofile": NOFILE}}),
        (
            '{"runtimes": {"neuron": {"path": "/usr/bin/oci-neuron"}}, "log-driver": "journald"}',
            {
                "runtimes": {"neuron": {"path": "/usr/bin/oci-neuron"}},
                "log-driver": "journald",
                "default-ulimits": {"memlock": MEMLOCK, "nofile": NOFILE},
            },
        ),
        (
            '{"default-ulimits": {"nofile": {"Name": "nofile", "Soft": 1024, "Hard": 4096},'
            ' "memlock": {"Name": "memlock", "Soft": 64, "Hard": 64}}}',
            {
                "default-ulimits": {
                    "nofile": {"Name": "nofile", "Soft": 1024, "Hard": 4096},
                    "memlock": MEMLOCK,
                }
            },
        ),
    ],
)
def test_ami_13_containers_may_lock_memory_and_other_settings_stay(node, before, after):
    for name in ("dockerd", "systemctl"):
        node.install(name)
    path = node.root / "etc/docker/daemon.json"
    if before is not None:
        node.write("etc/docker/daemon.json", before)
    code, log = node.run_boot("")
    assert (code, dict(steps(log))["docker"]) == (0, "ok")
    assert json.loads(path.read_text()) == after
    assert node.calls[-1] == "systemctl --no-block try-restart docker.service"
    node.calls_file.unlink()
    node.run_boot("")
    assert json.loads(path.read_text()) == after
    assert not any("docker" in call for call in node.calls), "running containers stay"


@pytest.mark.parametrize("before", ["{", "[]", "3", '{"default-ulimits": []}', "null"])
def test_a_configuration_that_docker_would_not_read_is_left_alone(node, before):
    node.install("dockerd")
    node.write("etc/docker/daemon.json", before)
    code, log = node.run_boot("")
    assert code == 1
    detail = next(entry["detail"] for entry in log if entry["step"] == "docker")
    assert "etc/docker/daemon.json is not what Docker reads" in detail
    assert node.read("etc/docker/daemon.json") == before


def test_who_may_read_the_configuration_of_docker_stays(node):
    for name in ("dockerd", "systemctl"):
        node.install(name)
    path = node.write("etc/docker/daemon.json", "{}")
    path.chmod(0o600)
    node.run_boot("")
    assert "memlock" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_without_docker_there_is_no_such_step(node):
    _, log = node.run_boot("")
    assert "docker" not in dict(steps(log))
    assert not (node.root / "etc/docker").exists()
