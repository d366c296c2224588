"""The first stage of a boot: fetches the bundle, proves it, installs it, runs it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from tests.constructs_lib.compute.node.machine import BASH, BUNDLE, Node, steps

FIRST_STAGE = BUNDLE.parent / "first_stage.sh"
INSTANCE = "i-0123456789abcdef0"
TOOLS = ["chmod", "find", "mktemp", "sha256sum", "xargs"]
OTHERS = "wrong bundle: other files"
FILES = {
    "boot": f'#!{BASH}\necho "boot ran" >>"$TRNKIT_ROOT/ran"\n',
    "lib.sh": "# a library\n",
    "steps/lustre.sh": "# steps\n",
    "trn-node-check/trn-node-check": "#!/usr/bin/python3\n",
}
GATES = [
    f"{top}/systemd/system/{unit}.service.d/98-trnkit.conf"
    for top in ("etc", "run")
    for unit in ("slurmd", "kubelet", "ecs")
]
GATE = "[Unit]\nConditionPathExists=/opt/trnkit/current\n"


def sums(files):
    """The digest of the list of files and their digests, as `node_bundle` makes it."""
    lines = (
        f"{hashlib.sha256(files[name].encode()).hexdigest()}  {name}\n" for name in sorted(files)
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


class Machine(Node):
    """A node with the first stage, and a bucket which is a file."""

    def __init__(self, folder):
        super().__init__(folder)
        self.folder, self.bucket = folder, folder / "bundle.zip"
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name))
        self.install("systemctl")
        self.write("var/lib/cloud/data/instance-id", INSTANCE + "\n")
        self.write("etc/trnkit/settings.sh", "")
        self.pack(FILES)
        self.install("aws", self.serve())

    def serve(self, also=""):
        return (
            f'case "$*" in {also}\n"s3 cp"*) cat "{self.bucket}" >"${{@: -1}}" || exit 1 ;;\n'
            '*describe-auto*) echo "a group" ;; esac'
        )

    def pack(self, files):
        with zipfile.ZipFile(self.bucket, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, text in files.items():
                bundle.writestr(name, text)

    def start(self, *, files=FILES, version="v1", **environment):
        variables = {
            "TRNKIT_REGION": "us-east-2",
            "TRNKIT_BUNDLE_BUCKET": "a-bucket",
            "TRNKIT_BUNDLE_KEY": "a/key.zip",
            "TRNKIT_BUNDLE_VERSION": version,
            "TRNKIT_BUNDLE_SHA256": sums(files),
        }
        head = "".join(f"{name}='{value}'\n" for name, value in variables.items())
        script = self.folder / "part-001"
        script.write_text(
            "#!/usr/bin/env bash\nset -u -o pipefail\n" + head + FIRST_STAGE.read_text()
        )
        return self.run(script, **environment)

    @property
    def ran(self):
        path = self.root / "ran"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def installed(self):
        folder = self.root / "opt/trnkit/current"
        return {
            str(path.relative_to(folder)): path.read_text()
            for path in folder.rglob("*")
            if path.is_file()
        }


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def fetches(machine):
    return [call for call in machine.calls if call.startswith("aws s3 cp")]


def test_it_is_small_once_its_comments_and_indentation_are_gone():
    text = FIRST_STAGE.read_text()
    bare = re.sub(r"(?m)^ *(#.*\n)?", "", text)
    assert len(bare) < 3072
    assert text.isascii()
    assert "<<'" not in text, "a here document would not survive that"
    assert subprocess.run([BASH, "-n"], input=bare.encode()).returncode == 0


def test_a_bundle_is_fetched_proved_installed_and_run(machine):
    code, log = machine.start()
    assert (code, log, machine.ran) == (0, [], 1), machine.errors
    assert machine.installed() == FILES
    assert (machine.root / "opt/trnkit/current").readlink() == Path("v1")
    (fetch,) = fetches(machine)
    assert fetch.startswith("aws s3 cp --only-show-errors s3://a-bucket/a/key.zip ")
    assert os.access(machine.root / "opt/trnkit/v1/boot", os.X_OK)
    assert (machine.root / "opt/trnkit/v1").stat().st_mode & 0o777 == 0o755
    left = {path.name for path in (machine.root / "opt/trnkit").iterdir()}
    assert left == {"current", "v1"}, "nothing is left over"


def test_the_real_bundle_installs_and_boots(machine):
    files = {
        str(path.relative_to(BUNDLE)): path.read_text()
        for path in BUNDLE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    machine.pack(files)
    code, log = machine.start(files=files)
    assert (code, steps(log)) == (0, [("environment", "ok"), ("boot", "ok")]), machine.errors
    service = machine.read("etc/systemd/system/trnkit-boot.service")
    assert "ExecStart=/opt/trnkit/current/boot" in service


def test_what_is_there_already_and_right_is_not_fetched_again(machine):
    machine.start()
    (machine.bin / "aws").unlink()
    assert machine.start()[0] == 0
    assert (machine.ran, len(fetches(machine))) == (2, 1)


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "lib.sh").write_text("# changed\n"),
        lambda folder: (folder / "lib.sh").unlink(),
        lambda folder: (folder / "steps/more.sh").write_text("# foreign\n"),
        lambda folder: (folder / "boot").write_text(""),
        lambda folder: (folder / "steps/more.sh").symlink_to("/etc/passwd"),
    ],
    ids=["changed", "missing", "foreign", "empty", "link"],
)
def test_what_is_there_and_wrong_is_replaced(machine, damage):
    machine.start()
    damage(machine.root / "opt/trnkit/v1")
    code, _ = machine.start()
    assert (code, machine.ran, machine.installed()) == (0, 2, FILES)


def test_another_version_stands_beside_the_one_before(machine):
    machine.start()
    files = {**FILES, "lib.sh": "# newer\n"}
    machine.pack(files)
    assert machine.start(files=files, version="v2")[0] == 0
    assert machine.installed() == files
    assert (machine.root / "opt/trnkit/v1/lib.sh").read_text() == "# a library\n"


def test_the_exit_code_is_the_boots(machine):
    files = {**FILES, "boot": f"#!{BASH}\nexit 9\n"}
    machine.pack(files)
    assert machine.start(files=files)[0] == 9


# Bundles that are not the one of this node.


def refused(machine, words, **keys):
    code, log = machine.start(**keys)
    assert (code, machine.ran) == (1, 0)
    assert steps(log) == [("bundle", "failed")]
    assert words in log[0]["detail"]
    assert machine.read("run/trnkit/node-state") == "failed\n"
    assert not (machine.root / "opt/trnkit/current").exists()
    assert list((machine.root / "opt/trnkit").iterdir()) == []


@pytest.mark.parametrize(
    "packed",
    [
        {**FILES, "lib.sh": "# changed\n"},
        {**FILES, "boot": FILES["boot"] + "\n"},
        {**FILES, "steps/foreign.sh": "# foreign\n"},
        {name: text for name, text in FILES.items() if name != "lib.sh"},
        {**FILES, "../../../escaped": "x"},
        {**FILES, "/escaped": "x"},
        {**FILES, "a/../../../../escaped": "x"},
    ],
    ids=["changed", "longer", "foreign", "missing", "above", "absolute", "above a folder"],
)
def test_a_bundle_that_is_another_is_refused_whole(machine, packed):
    machine.pack(packed)
    refused(machine, OTHERS)
    assert not list(machine.folder.rglob("escaped"))
    assert not os.path.lexists("/escaped")


@pytest.mark.parametrize("keep", [0, 10, 100, -30])
def test_a_bundle_that_is_cut_off_is_refused(machine, keep):
    machine.bucket.write_bytes(machine.bucket.read_bytes()[:keep])
    refused(machine, "wrong bundle")
    assert machine.installed() == {}


def test_what_is_no_archive_is_refused(machine):
    machine.bucket.write_text("<Error><Code>AccessDenied</Code></Error>")
    refused(machine, "not a zip file")
    assert machine.installed() == {}


def test_a_link_in_the_archive_is_no_link_on_the_node(machine):
    with zipfile.ZipFile(machine.bucket, "a") as bundle:
        link = zipfile.ZipInfo("steps/link.sh")
        link.external_attr = 0o120777 << 16
        bundle.writestr(link, "/etc/passwd")
    refused(machine, OTHERS)
    assert [path for path in (machine.root / "opt").rglob("*") if path.is_symlink()] == []


@pytest.mark.parametrize("digest", ["", "no digest", "0" * 64, "*", "$(id)"])
def test_a_digest_that_is_wrong_proves_nothing(machine, digest):
    machine.start()
    assert machine.ran == 1
    shutil.rmtree(machine.root / "opt/trnkit")
    script = machine.folder / "part-001"
    text = re.sub(r"SHA256='[^']*'", lambda _: f"SHA256='{digest}'", script.read_text())
    script.write_text(text)
    assert machine.run(script)[0] == 1
    assert machine.ran == 1


# A network that is slow or away.


@pytest.mark.parametrize("failures", [1, 4])
def test_a_network_that_comes_late_is_waited_for(machine, failures):
    machine.fails("aws", failures, words="Could not connect to the endpoint URL")
    with (machine.behaviour / "aws").open("a") as behaviour:
        behaviour.write(machine.serve())
    code, log = machine.start()
    assert (code, log, machine.ran) == (0, [], 1)
    assert len(fetches(machine)) == failures + 1


def test_a_network_that_never_comes_ends_in_a_failure_in_time(machine):
    machine.install("aws", machine.serve('"s3 cp"*) echo "Could not connect" >&2; exit 255 ;;'))
    start = time.monotonic()
    code, log = machine.start(TRNKIT_FETCH_SECONDS="3", TRNKIT_RETRY_SECONDS="0.2")
    assert 2 <= time.monotonic() - start < 10
    assert (code, machine.ran) == (1, 0)
    assert log[0]["detail"].startswith("cannot fetch the bundle: ")
    assert log[0]["detail"].endswith("Could not connect")
    assert log[0]["seconds"] >= 2
    assert 3 <= len(fetches(machine)) <= 40


def test_a_connection_that_hangs_is_cut_off(machine):
    machine.install("aws", machine.serve('"s3 cp"*) sleep 60 ;;'))
    start = time.monotonic()
    code, log = machine.start(TRNKIT_FETCH_SECONDS="2")
    assert time.monotonic() - start < 15
    assert (code, steps(log)) == (1, [("bundle", "failed")])


def test_an_image_without_the_cli_says_what_to_do(machine):
    (machine.bin / "aws").unlink()
    code, log = machine.start()
    assert code == 1
    assert log[0]["detail"] == (
        "no AWS CLI: install it in the image or set compute.boot.delivery: inline"
    )


def test_a_disk_that_cannot_be_written_is_a_failure(machine):
    machine.write("opt", "a file where a folder should be")
    code, log = machine.start()
    assert (code, steps(log)) == (1, [("bundle", "failed")])
    assert log[0]["detail"].startswith("cannot write ")


@pytest.mark.parametrize("name", ["python3", "sha256sum", "mktemp", "chmod", "ln", "mv"])
def test_whatever_command_fails_nothing_runs_and_it_is_told(machine, name):
    (machine.bin / name).unlink()
    machine.install(name, "echo broken >&2; exit 5")
    code, log = machine.start()
    assert (code, machine.ran, steps(log)) == (1, 0, [("bundle", "failed")])


@pytest.mark.parametrize("words", ['say "no"', "back\\slash", "a\nb\tc", "€", "x" * 900, "%s %d"])
def test_the_log_stays_json_whatever_the_cli_says(machine, words):
    (machine.folder / "words").write_text(words)
    machine.install(
        "aws", f'case "$*" in "s3 cp"*) cat "{machine.folder}/words" >&2; exit 1 ;; esac'
    )
    _, log = machine.start(TRNKIT_FETCH_SECONDS="1", TRNKIT_RETRY_SECONDS="0.5")
    assert log[0]["detail"].startswith("cannot fetch the bundle: ")
    assert json.dumps(log[0]["detail"]).isascii()


# Whom a failure is told.


@pytest.mark.parametrize(
    ("failure", "hook", "status"),
    [
        ("", False, "FAILURE"),
        ("replace", False, "FAILURE"),
        ("keep", True, "SUCCESS"),
    ],
)
def test_a_hook_and_a_stack_are_told(machine, failure, hook, status):
    machine.install("aws", machine.serve('"s3 cp"*) exit 1 ;;'))
    for report in ("lifecycle booted", "signal a-stack Group"):
        settings = f"TRNKIT_BOOT_FAILURE='{failure}'\nTRNKIT_REPORT='{report}'\n"
        machine.write("etc/trnkit/settings.sh", settings)
        assert machine.start(TRNKIT_FETCH_SECONDS="1", TRNKIT_RETRY_SECONDS="0.3")[0] == 1
    told = [call for call in machine.calls if "complete-" in call or "signal-" in call]
    completed = (
        "aws autoscaling complete-lifecycle-action --lifecycle-hook-name booted "
        f"--auto-scaling-group-name a group --instance-id {INSTANCE} "
        "--lifecycle-action-result CONTINUE"
    )
    # The time-out of the hook gives the node up, not the node itself.
    assert told == [
        *([completed] if hook else []),
        "aws cloudformation signal-resource --stack-name a-stack --logical-resource-id Group "
        f"--unique-id {INSTANCE} --status {status}",
    ]


def test_the_tag_says_that_the_node_failed(machine):
    machine.install("aws", machine.serve('"s3 cp"*) exit 1 ;;'))
    machine.write("etc/trnkit/settings.sh", "TRNKIT_TAG_STATE=1\n")
    machine.start(TRNKIT_FETCH_SECONDS="1", TRNKIT_RETRY_SECONDS="0.5")
    assert machine.calls[-1] == (
        f"aws ec2 create-tags --resources {INSTANCE} --tags Key=trnkit-node-state,Value=failed"
    )


def test_a_report_that_fails_is_retried(machine):
    counter = machine.folder / "count"
    machine.install(
        "aws",
        machine.serve(
            '"s3 cp"*) exit 1 ;;\n'
            f'*complete-*) echo >>"{counter}"; [[ $(grep -c "" "{counter}") == 3 ]] || exit 254 ;;'
        ),
    )
    machine.write(
        "etc/trnkit/settings.sh", "TRNKIT_REPORT='lifecycle booted'\nTRNKIT_BOOT_FAILURE=keep\n"
    )
    machine.start(TRNKIT_FETCH_SECONDS="1", TRNKIT_RETRY_SECONDS="0.3")
    assert sum("complete-" in call for call in machine.calls) == 3


def test_a_node_without_a_bundle_starts_nothing_that_brings_work(machine):
    machine.install("aws", machine.serve('"s3 cp"*) exit 1 ;;'))
    machine.start(TRNKIT_FETCH_SECONDS="1", TRNKIT_RETRY_SECONDS="0.5")
    assert [machine.read(gate) for gate in GATES] == [GATE] * 6
    assert [path.name for path in (machine.root / GATES[0]).parent.iterdir()] == ["98-trnkit.conf"]
    assert "systemctl daemon-reload" in machine.calls


@pytest.mark.parametrize("before", [None, GATE])
def test_on_a_full_disk_no_gate_is_emptied_and_those_below_run_are_shut(machine, before):
    machine.install("aws", machine.serve('"s3 cp"*) exit 1 ;;'))
    for gate in GATES[:3]:
        path = machine.write(gate, before or "")
        if before is None:
            path.unlink()
        (path.parent / "98").symlink_to("/dev/full")
    code, _ = machine.start(TRNKIT_FETCH_SECONDS="1", TRNKIT_RETRY_SECONDS="0.5")
    assert code == 1
    assert [machine.read(gate) for gate in GATES[3:]] == [GATE] * 3
    # An empty one in /etc would win over that of its name in /run.
    for gate in GATES[:3]:
        path = machine.root / gate
        assert (path.read_text() if path.exists() else None) == before


def test_a_folder_is_not_in_the_way_of_the_link(machine):
    machine.write("opt/trnkit/.new/x", "left by somebody")
    for _ in range(2):
        assert machine.start()[0] == 0
    assert machine.installed() == FILES
    assert (machine.root / "opt/trnkit/current").readlink() == Path("v1")
    assert [path.name for path in (machine.root / "opt/trnkit/.new").iterdir()] == ["x"]


def test_an_empty_folder_that_is_no_step_is_told(machine):
    files = {
        str(path.relative_to(BUNDLE)): path.read_text()
        for path in BUNDLE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    machine.pack({**files, "steps/zz.sh/": ""})
    code, log = machine.start(files=files)
    assert (code, steps(log)) == (1, [("boot", "failed")])
    assert log[0]["detail"] == "cannot be read: steps/zz.sh"
    assert machine.read("run/trnkit/node-state") == "failed\n"


def test_the_region_reaches_the_cli(machine):
    machine.install(
        "aws", f'echo "$AWS_DEFAULT_REGION" >"{machine.folder}/region"\n{machine.serve()}'
    )
    machine.start()
    assert (machine.folder / "region").read_text() == "us-east-2\n"


def test_ended_in_the_middle_it_leaves_no_half_of_a_bundle(machine):
    machine.start()
    shutil.rmtree(machine.root / "opt")
    machine.install(
        "aws", machine.serve(f'"s3 cp"*) echo >"{machine.folder}/reached"; exec sleep 30 ;;')
    )
    part = subprocess.Popen(
        [BASH, str(machine.folder / "part-001")],
        env=machine.environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + 20
    while not (machine.folder / "reached").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    os.killpg(part.pid, signal.SIGTERM)
    assert part.wait(10) == -signal.SIGTERM
    assert not (machine.root / "opt/trnkit/current").exists()
    assert not (machine.root / "opt/trnkit/v1").exists()
    machine.install("aws", machine.serve())
    assert machine.start()[0] == 0
    assert machine.installed() == FILES
