"""The cache of compiled graphs: a folder for each SDK, on a mounted file system or in S3."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.constructs_lib.compute.node.machine import BASH, BUNDLE, DNS, Node, steps

VERSION = "2.28.23.0-abc123"
FOLDER = f"aws-neuronx-runtime-lib-{VERSION}"
LUSTRE = f"TRNKIT_LUSTRE_MOUNTS='{DNS} abcd /fsx'\n"


class Machine(Node):
    """A machine on which /fsx can be mounted."""

    def __init__(self, folder):
        super().__init__(folder)
        self.install("dpkg-query", f"printf %s '{VERSION}'")
        (self.bin / "chmod").symlink_to(shutil.which("chmod"))
        mounted = self.root.parent / "mounted"
        self.install("mount", f'for target; do :; done; echo "$target" >>"{mounted}"')
        self.install("mountpoint", f'[[ -e "{mounted}" ]] && grep -qxF "$2" "{mounted}"')

    def start(self, settings):
        """Start the boot; several machines can run theirs at the same time."""
        self.write("etc/trnkit/settings.sh", settings)
        command = [BASH, str(BUNDLE / "boot")]
        return subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, text=True)

    def cache(self, settings):
        """Exit code, and status and last words of the step."""
        code, log = self.run_boot(settings)
        (found,) = [entry for entry in log if entry["step"] == "compile-cache"]
        return code, found["status"], found["detail"]

    @property
    def variables(self):
        lines = self.read("etc/trnkit/environment").splitlines()
        return [line for line in lines if line.startswith("NEURON_COMPILE")]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_a_folder_for_the_sdk_is_made_on_the_mounted_file_system(machine):
    code, status, _ = machine.cache(LUSTRE + "TRNKIT_COMPILE_CACHE=/fsx/.neuron-cache\n")
    assert (code, status) == (0, "ok")
    folder = machine.root / "fsx" / ".neuron-cache" / FOLDER
    assert folder.stat().st_mode & 0o7777 == 0o1777
    assert machine.variables == [f"NEURON_COMPILE_CACHE_URL=/fsx/.neuron-cache/{FOLDER}"]


def test_nothing_is_written_below_a_mount_point_at_which_nothing_is_mounted(machine):
    machine.install("mount", "exit 1")
    code, status, detail = machine.cache(LUSTRE + "TRNKIT_COMPILE_CACHE=/fsx/.neuron-cache\n")
    assert (code, status) == (1, "failed")
    assert detail == f"no file system is mounted at /fsx/.neuron-cache/{FOLDER} or above it"
    assert list((machine.root / "fsx").iterdir()) == []
    assert machine.variables == []


def test_a_folder_of_the_root_disk_is_no_shared_file_system(machine):
    code, status, _ = machine.cache("TRNKIT_COMPILE_CACHE=/var/cache/neuron\n")
    assert (code, status) == (1, "failed")
    assert not (machine.root / "var" / "cache").exists()


def test_a_second_run_and_another_owner_change_nothing(machine):
    settings = LUSTRE + "TRNKIT_COMPILE_CACHE=/fsx/cache\n"
    machine.cache(settings)
    (machine.root / "fsx" / "cache" / FOLDER / "MODULE_1").mkdir()
    (machine.bin / "chmod").unlink()
    machine.install("chmod", "echo 'chmod: Operation not permitted' >&2; exit 1")
    assert machine.cache(settings)[:2] == (0, "ok")
    assert (machine.root / "fsx" / "cache" / FOLDER / "MODULE_1").is_dir()


def test_a_folder_that_cannot_be_opened_for_everybody_is_a_failure(machine):
    (machine.bin / "chmod").unlink()
    machine.install("chmod", "echo 'chmod: Operation not permitted' >&2; exit 1")
    found = machine.cache(LUSTRE + "TRNKIT_COMPILE_CACHE=/fsx/cache\n")
    assert found == (1, "failed", "chmod: Operation not permitted")
    assert machine.variables == []


def test_many_nodes_at_once_agree_on_one_folder(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    machines = []
    for number in range(8):
        machine = Machine(tmp_path / f"node{number}")
        (machine.root / "fsx").symlink_to(shared)
        machines.append(machine)
    settings = LUSTRE + "TRNKIT_COMPILE_CACHE=/fsx/a/b/cache\n"
    running = [machine.start(settings) for machine in machines]
    outputs = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 8, outputs
    assert (shared / "a" / "b" / "cache" / FOLDER).stat().st_mode & 0o7777 == 0o1777
    assert {tuple(m.variables) for m in machines} == {
        (f"NEURON_COMPILE_CACHE_URL=/fsx/a/b/cache/{FOLDER}",)
    }


@pytest.mark.parametrize(
    "path", ["/fsx/../var/cache", "/fsx/./cache", "/fsx/cache/..", "/fsx/.", "fsx/cache", ".", ".."]
)
def test_a_path_that_leads_elsewhere_is_refused(machine, path):
    before = {item for item in machine.root.rglob("*") if "cache" in item.name}
    code, status, detail = machine.cache(LUSTRE + f"TRNKIT_COMPILE_CACHE={path}\n")
    assert (code, status) == (1, "failed")
    assert detail == f"no absolute path without . and .., and no S3 URL: {path}"
    assert {item for item in machine.root.rglob("*") if "cache" in item.name} == before
    assert list((machine.root / "fsx").iterdir()) == []
    assert machine.variables == []


@pytest.mark.parametrize("path", ["/fsx/.cache", "/fsx/..cache", "/fsx/a.b/c..", "/fsx/cache/"])
def test_names_with_dots_are_names(machine, path):
    assert machine.cache(LUSTRE + f"TRNKIT_COMPILE_CACHE={path}\n")[:2] == (0, "ok")
    assert (machine.root / path.strip("/") / FOLDER).is_dir()


@pytest.mark.parametrize("url", ["s3://our-cache/neuron", "s3://our-cache/neuron/"])
def test_in_s3_only_the_url_is_set(machine, url):
    assert machine.cache(f"TRNKIT_COMPILE_CACHE={url}\n")[:2] == (0, "ok")
    assert machine.variables == [f"NEURON_COMPILE_CACHE_URL=s3://our-cache/neuron/{FOLDER}"]
    assert not any(call.startswith("mountpoint") for call in machine.calls)


def test_on_amazon_linux_the_version_is_rpms(machine):
    (machine.bin / "dpkg-query").unlink()
    machine.install("rpm", "printf %s 2.28.23.0")
    machine.cache("TRNKIT_COMPILE_CACHE=s3://our-cache\n")
    assert machine.variables == [
        "NEURON_COMPILE_CACHE_URL=s3://our-cache/aws-neuronx-runtime-lib-2.28.23.0"
    ]


@pytest.mark.parametrize("manager", ["dpkg-query", "rpm"])
def test_without_the_package_it_is_the_compilers_in_an_environment(machine, manager):
    (machine.bin / "dpkg-query").unlink()
    machine.install(manager, "echo 'package aws-neuronx-runtime-lib is not installed'; exit 1")
    site = "opt/aws_neuronx_venv_pytorch_2_9/lib/python3.12/site-packages"
    (machine.root / site / "neuronx_cc-2.21.33363.0+82129205.dist-info").mkdir(parents=True)
    if manager == "dpkg-query":
        machine.install(manager, "exit 1")
    machine.cache("TRNKIT_COMPILE_CACHE=s3://our-cache\n")
    assert machine.variables == [
        "NEURON_COMPILE_CACHE_URL=s3://our-cache/neuronx-cc-2.21.33363.0_82129205"
    ]


def test_an_sdk_that_is_nowhere_is_unknown_and_no_failure(machine):
    machine.install("dpkg-query", "exit 1")
    assert machine.cache("TRNKIT_COMPILE_CACHE=s3://our-cache\n")[:2] == (0, "ok")
    assert machine.variables == ["NEURON_COMPILE_CACHE_URL=s3://our-cache/unknown"]


def test_a_node_without_a_cache_has_no_such_step(machine):
    code, log = machine.run_boot("")
    assert code == 0
    assert "compile-cache" not in dict(steps(log))
