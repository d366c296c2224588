"""The documents of Image Builder components: their shape, and their commands run against stubs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

import constructs_lib.compute

DOCUMENTS = Path(constructs_lib.compute.__file__).parent / "assets" / "image"
NAMES = sorted(path.stem for path in DOCUMENTS.glob("*.yaml"))
LONGEST = 16_000
REAL = ["bash", "cat", "grep", "head", "mkdir", "mktemp", "rm", "sed", "sleep", "touch"]
EFA_KEY = "4E9091BCBB97A96B26B15E59A05480B1DD2D3CCC"
AGENT_KEY = "937616F3450B7D806CBD9725D58167303B789C72"
AGENT = "opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl"
FI_INFO = "opt/amazon/efa/bin/fi_info"


def document(name: str):
    return yaml.safe_load((DOCUMENTS / f"{name}.yaml").read_text())


def scripts(name: str, phase: str) -> list[str]:
    steps = next(p["steps"] for p in document(name)["phases"] if p["name"] == phase)
    return [command for step in steps for command in step["inputs"]["commands"]]


class Machine:
    """A folder in place of the root, and stubs in place of every program that changes anything."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin = folder / "root", folder / "bin"
        self.root.mkdir()
        self.bin.mkdir()
        self.log = folder / "calls"
        self.log.touch()
        for name in REAL:
            (self.bin / name).symlink_to(shutil.which(name))
        self.stub("uname", "echo 6.8.0-1030-aws")
        self.stub("modprobe", "[[ ! -e $ROOT/no-$2 ]]")
        for name in ("systemctl", "sync", "dpkg", "gpg", "apt-mark"):
            self.stub(name)
        self.stub("curl", 'echo content >"$3"')

    def stub(self, name: str, body: str = "true") -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f'#!{shutil.which("bash")}\necho "{name} $*" >>"$CALLS"\n{body}\n')
        path.chmod(0o755)

    def put(self, path: str, text: str = "", *, program: bool = False) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if program:
            file.chmod(0o755)

    def ubuntu(self) -> Machine:
        self.put("etc/os-release", "VERSION_CODENAME=noble\n")
        self.stub("apt-get", "[[ $* != *install* ]] || rm -f $ROOT/no-lustre")
        return self

    def amazon_linux(self) -> Machine:
        self.stub("dnf", "[[ $* != *lustre-client* ]] || rm -f $ROOT/no-lustre")
        return self

    def lacks(self, module: str) -> None:
        (self.root / f"no-{module}").touch()

    def run(self, name: str, phase: str) -> subprocess.CompletedProcess[str]:
        result = None
        for script in scripts(name, phase):
            result = subprocess.run(
                ["bash", "-c", script],
                env={
                    "PATH": str(self.bin),
                    "TRNKIT_ROOT": str(self.root),
                    "ROOT": str(self.root),
                    "CALLS": str(self.log),
                    "TRNKIT_RETRY_SECONDS": "0",
                    "TMPDIR": str(self.root.parent),
                },
                capture_output=True,
                text=True,
                check=False,
            )
            if result.returncode:
                break
        assert result is not None
        return result

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines()


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_a_document_has_the_shape_that_image_builder_takes(name):
    text, read = (DOCUMENTS / f"{name}.yaml").read_text(), document(name)
    assert len(text) <= LONGEST
    assert "{{" not in text, "AWSTOE would fill something in"
    assert set(read) == {"name", "description", "schemaVersion", "phases"}
    assert (read["name"], read["schemaVersion"]) == (f"trnkit-{name}", 1.0)
    phases = [phase["name"] for phase in read["phases"]]
    assert set(phases) <= {"build", "validate", "test"}
    assert len(set(phases)) == len(phases)
    for phase in read["phases"]:
        names = [step["name"] for step in phase["steps"]]
        assert len(set(names)) == len(names)
        for step in phase["steps"]:
            assert step["action"] == "ExecuteBash"
            assert step["onFailure"] == "Abort"
            assert 60 <= step["timeoutSeconds"] <= 3600
            assert all(c.startswith("set -euo pipefail\n") for c in step["inputs"]["commands"])


@pytest.mark.parametrize("name", NAMES)
def test_commands_are_bash(name):
    for phase in document(name)["phases"]:
        for script in scripts(name, phase["name"]):
            assert script.strip()
            ran = subprocess.run(["bash", "-n"], input=script, text=True, check=False)
            assert ran.returncode == 0


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_shellcheck_has_nothing_to_say(name):
    for phase in document(name)["phases"]:
        for script in scripts(name, phase["name"]):
            command = ["shellcheck", "-s", "bash", "-"]
            result = subprocess.run(
                command, input=script, text=True, capture_output=True, check=False
            )
            assert result.stdout == ""


# Lustre.


def test_fsx_16_ubuntu_gets_the_client_of_its_kernel(machine):
    machine.ubuntu().lacks("lustre")
    assert machine.run("lustre-client", "build").returncode == 0
    installed = [
        call for call in machine.calls if call.startswith("apt-get") and " install " in call
    ]
    assert [call.split()[-1] for call in installed] == ["lustre-client-modules-6.8.0-1030-aws"]
    source = machine.root / "etc/apt/sources.list.d/fsxlustreclientrepo.list"
    assert "/ubuntu noble main" in source.read_text()
    assert "signed-by=" in source.read_text()


def test_amazon_linux_gets_its_own_client(machine):
    machine.amazon_linux().lacks("lustre")
    assert machine.run("lustre-client", "build").returncode == 0
    assert "dnf -q install -y lustre-client" in machine.calls


def test_a_client_that_is_there_is_left_alone(machine):
    machine.ubuntu()
    assert machine.run("lustre-client", "build").returncode == 0
    assert not [call for call in machine.calls if call.startswith(("apt-get", "curl"))]


def test_a_mirror_that_answers_late_is_asked_again(machine):
    machine.amazon_linux().lacks("lustre")
    machine.stub(
        "dnf", "n=$(cat $ROOT/n 2>/dev/null || echo 0); echo $((n + 1)) >$ROOT/n; ((n >= 2))"
    )
    assert machine.run("lustre-client", "build").returncode == 0
    assert len([call for call in machine.calls if call.startswith("dnf")]) == 3


def test_fsx_16_a_kernel_without_a_client_ends_the_build(machine):
    machine.ubuntu().lacks("lustre")
    machine.stub(
        "apt-get", "[[ $* != *install* ]] || { echo 'E: Unable to locate package'; exit 100; }"
    )
    assert machine.run("lustre-client", "build").returncode != 0
    found = machine.run("lustre-client", "validate")
    assert found.returncode == 1
    assert "no Lustre client for kernel 6.8.0-1030-aws" in found.stdout


# EFA.


def efa_archive(machine, *, key=EFA_KEY):
    machine.stub("gpg", f"echo '[GNUPG:] NEWSIG'; echo '[GNUPG:] VALIDSIG AAAA 2026 00 {key}'")
    machine.stub(
        "tar",
        'to="$4/aws-efa-installer/efa_installer.sh"; mkdir -p "${to%/*}"; '
        'echo "echo installer \\$* >>$CALLS" >"$to"; /bin/chmod +x "$to"',
    )


def test_a_base_with_efa_keeps_it(machine):
    machine.put(FI_INFO, program=True)
    assert machine.run("efa", "build").returncode == 0
    assert not [call for call in machine.calls if call.startswith(("curl", "installer"))]
    assert machine.run("efa", "validate").returncode == 0


@pytest.mark.parametrize("there", ["nothing", "libraries without driver"])
def test_a_base_without_efa_gets_the_installer_that_aws_signed(machine, there):
    if there != "nothing":
        machine.put(FI_INFO, program=True)
    machine.lacks("efa")
    efa_archive(machine)
    found = machine.run("efa", "build")
    assert found.returncode == 0, found.stderr
    assert "installer -y --skip-limit-conf" in machine.calls


@pytest.mark.parametrize("key", ["0000000000000000000000000000000000000000", AGENT_KEY])
def test_an_installer_of_somebody_else_is_not_run(machine, key):
    efa_archive(machine, key=key)
    found = machine.run("efa", "build")
    assert found.returncode == 1
    assert "is not that of the EFA installer" in found.stdout
    assert not [call for call in machine.calls if call.startswith("installer")]


def test_a_signature_that_is_wrong_ends_the_build(machine):
    efa_archive(machine)
    machine.stub("gpg", "[[ $* != *--verify* ]]")
    assert machine.run("efa", "build").returncode == 1
    assert not [call for call in machine.calls if call.startswith("installer")]


def test_without_efa_the_build_fails(machine):
    assert machine.run("efa", "validate").returncode == 1


# The CloudWatch agent.


def test_amazon_linux_has_the_agent_as_a_package(machine):
    machine.amazon_linux()
    assert machine.run("cloudwatch-agent", "build").returncode == 0
    assert "dnf -q install -y amazon-cloudwatch-agent" in machine.calls


@pytest.mark.parametrize(("key", "code"), [(AGENT_KEY, 0), (EFA_KEY, 1)])
def test_ubuntu_gets_the_agent_that_aws_signed(machine, key, code):
    machine.ubuntu()
    machine.stub("gpg", f"echo '[GNUPG:] VALIDSIG AAAA 2026 00 {key}'")
    assert machine.run("cloudwatch-agent", "build").returncode == code
    assert bool([call for call in machine.calls if call.startswith("dpkg -i")]) is (code == 0)


def test_an_agent_that_is_there_is_left_alone(machine):
    machine.ubuntu().put(AGENT, program=True)
    assert machine.run("cloudwatch-agent", "build").returncode == 0
    assert not [call for call in machine.calls if call.startswith(("curl", "dpkg"))]
    assert machine.run("cloudwatch-agent", "validate").returncode == 0


# Held packages.

PACKAGES = """\
ii  linux-image-6.8.0-1030-aws
ii  linux-image-aws
ii  linux-headers-6.8.0-1030-aws
ii  aws-neuronx-dkms
ii  aws-neuronx-runtime-lib
ii  lustre-client-modules-6.8.0-1030-aws
rc  linux-image-6.8.0-1029-aws
ii  linux-base
ii  python3
"""


def test_kernel_neuron_and_lustre_packages_are_held_and_nothing_else(machine):
    machine.ubuntu()
    machine.stub("dpkg-query", f"cat <<'END'\n{PACKAGES}END")
    found = machine.run("hold-packages", "build")
    assert found.returncode == 0, found.stderr
    (held,) = [call for call in machine.calls if call.startswith("apt-mark hold")]
    assert held.split()[2:] == [
        "linux-image-6.8.0-1030-aws",
        "linux-image-aws",
        "linux-headers-6.8.0-1030-aws",
        "aws-neuronx-dkms",
        "aws-neuronx-runtime-lib",
        "lustre-client-modules-6.8.0-1030-aws",
    ]
    assert (
        'Unattended-Upgrade "0"'
        in (machine.root / "etc/apt/apt.conf.d/99-trnkit-no-upgrades").read_text()
    )


def test_an_image_without_a_kernel_package_is_no_image(machine):
    machine.ubuntu()
    machine.stub("dpkg-query", "echo 'ii  python3'")
    assert machine.run("hold-packages", "build").returncode == 1


@pytest.mark.parametrize("before", ["", "[main]\ngpgcheck=1\n"])
def test_dnf_leaves_them_out_once_also_when_run_again(machine, before):
    machine.amazon_linux().put("etc/dnf/dnf.conf", before)
    for _ in range(2):
        found = machine.run("hold-packages", "build")
        assert found.returncode == 0, found.stderr
    text = (machine.root / "etc/dnf/dnf.conf").read_text()
    assert text.count("excludepkgs=kernel* aws-neuron* lustre-client*") == 1
    assert text.startswith("[main]\n")
    assert before.partition("\n")[2] in text
    assert machine.run("verify", "test") is not None


# The end.


def test_what_a_first_boot_would_leave_is_removed(machine):
    machine.ubuntu()
    left = ["etc/trnkit/settings.sh", "run/trnkit/node-state", "var/log/trnkit-boot.log"]
    for path in (*left, "var/tmp/neuron-compile-cache/a", "var/lib/apt/lists/b", "home/kept"):
        machine.put(path)
    assert machine.run("cleanup", "build").returncode == 0
    assert sorted(p.name for p in machine.root.rglob("*") if p.is_file()) == ["kept", "os-release"]


def good_image(machine):
    machine.ubuntu()
    machine.put("opt/aws/neuron/bin/neuron-ls", f"#!{shutil.which('bash')}\n", program=True)
    machine.put(FI_INFO, program=True)
    machine.put(AGENT, program=True)
    machine.stub("modinfo", "[[ $1 != -F ]] || echo 2.30.2.0")
    machine.stub("apt-mark", "printf '%s\\n' aws-neuronx-dkms linux-image-aws")
    return machine


def test_a_good_image_passes(machine):
    found = good_image(machine).run("verify", "test")
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda m: m.stub("modinfo", "exit 1"), "no Neuron driver for kernel"),
        (lambda m: (m.root / "opt/aws/neuron/bin/neuron-ls").unlink(), "neuron-ls is missing"),
        (lambda m: m.lacks("lustre"), "no Lustre client for kernel"),
        (lambda m: m.lacks("efa"), "no EFA driver for kernel"),
        (lambda m: (m.root / FI_INFO).unlink(), "fi_info is missing"),
        (lambda m: (m.root / AGENT).unlink(), "the CloudWatch agent is missing"),
        (lambda m: m.stub("apt-mark", "echo linux-image-aws"), "aws-neuronx-dkms is not held"),
        (lambda m: m.stub("apt-mark", "echo aws-neuronx-dkms"), "linux-image is not held"),
    ],
)
def test_a_bad_image_does_not(machine, spoil, words):
    spoil(good_image(machine))
    found = machine.run("verify", "test")
    assert found.returncode == 1
    assert words in found.stdout


def test_with_devices_neuron_ls_must_work(machine):
    good_image(machine).put("dev/neuron0")
    assert machine.run("verify", "test").returncode == 0
    machine.put("opt/aws/neuron/bin/neuron-ls", f"#!{shutil.which('bash')}\nexit 1\n", program=True)
    found = machine.run("verify", "test")
    assert found.returncode == 1
    assert "neuron-ls fails" in found.stdout
