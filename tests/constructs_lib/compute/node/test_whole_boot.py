"""A node's whole boot, from an example's user data on: each part with the others as they are."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
import yaml

from tests.constructs_lib.compute.node.machine import BUNDLE, steps
from tests.constructs_lib.compute.node.metadata_service import INSTANCE
from tests.constructs_lib.compute.node.monitoring_machine import Machine as Monitor
from tests.constructs_lib.compute.node.monitoring_machine import find, report
from tests.constructs_lib.compute.node.whole_machine import WholeNode
from tests.synthesis import ROOT

PRETRAIN = ROOT / "examples" / "trn2-pretrain.yaml"
INLINE = ROOT / "examples" / "templates-only.yaml"
HOOK = "lifecycle trnkit-node-ready"

BEFORE_STORAGE = ["environment", "packages", "huge-pages", "rendezvous-port", "hosts"]
# The second line says what was made, and of which disks.
STORAGE = ["instance-store", "instance-store", "lustre-client", "mount /fsx", "lustre-tuning"]
MONITORING = ["metrics", "kernel-log", "cloudwatch-agent", "cloudwatch-configuration"]
WHOLE = [*BEFORE_STORAGE, *STORAGE, "docker", *MONITORING, "node-check", "tag", HOOK, "boot"]
CARRIED = [*BEFORE_STORAGE, *STORAGE, "compile-cache", "tag", HOOK, "boot"]
# At a later boot sysctl.d has the huge pages, and the array is there.
LATER = {"huge-pages"}
WORK = "aws s3 cp", "apt-get", "mdadm --create", "mkfs", "gpg", "systemctl daemon", "agent-ctl"
WORK += "systemctl restart", "systemctl start", "systemctl --no-block"


@pytest.fixture
def node(tmp_path, metadata):
    return WholeNode(tmp_path, PRETRAIN, metadata)


@pytest.fixture
def inline(tmp_path, metadata):
    return WholeNode(tmp_path, INLINE, metadata)


def only_ok(names):
    return [(name, "ok") for name in names]


def later(names, hook="skipped"):
    """The steps of a boot that finds everything made."""
    kept = [name for name in names if name not in LATER]
    kept.remove("instance-store")
    return [(name, hook if name == HOOK else "ok") for name in kept]


def checked(node):
    return json.loads(node.read("run/trnkit/node-check.json"))


def one(node, check):
    (found,) = [line for line in checked(node)["checks"] if line["check"] == check]
    return found


def state(node):
    return node.read("run/trnkit/node-state")


def tags(node):
    return [call.rpartition("Value=")[2] for call in node.told("create-tags")]


def files_of(node):
    """What stands in the places that only changes change."""
    return {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for folder in ("etc", "opt/trnkit", "usr/local")
        for path in sorted((node.root / folder).rglob("*"))
        if path.is_file()
    }


# From user data to a node that takes work.


def test_a_good_node_ends_ready_with_each_step_logged_and_its_hook_completed_once(node):
    code, log = node.first_boot()
    assert (code, steps(log)) == (0, only_ok(WHOLE)), (log, node.errors)
    assert {entry["attempt"] for entry in log} == {1}
    assert state(node) == "ready\n"
    assert tags(node) == ["booting", "ready"]
    (completed,) = node.told("complete-lifecycle-action")
    assert "--lifecycle-hook-name trnkit-node-ready " in completed
    assert completed.endswith(f"--instance-id {INSTANCE} --lifecycle-action-result CONTINUE")
    assert not node.errors


def test_its_check_is_of_one_mind_with_everything_that_the_steps_wrote(node):
    node.first_boot()
    verdicts = {line["check"]: line["verdict"] for line in checked(node)["checks"]}
    assert checked(node)["verdict"] == "ok", checked(node)
    names = ("cluster", "node_group", "instance_type", "instance_id")
    said = [checked(node)[name] for name in names]
    assert said == ["pretrain", "train", "trn2.48xlarge", INSTANCE]
    skipped = {check for check, verdict in verdicts.items() if verdict == "skipped"}
    assert skipped == {"lustre-network", "efs", "s3", "compile-cache"}
    assert set(verdicts.values()) == {"ok", "skipped"}


@pytest.mark.parametrize(
    ("name", "mounts"),
    [
        ("dual-stack", {"/fsx": "lustre", "/home/shared": "efs"}),
        ("s3-mountpoint", {"/data/corpus": "s3", "/data/results": "s3"}),
        ("trn1-efa-lustre", {"/fsx": "lustre"}),
        ("trn2u-ultraserver", {}),
        ("trn2-small-sao-paulo", {"/fsx": "lustre"}),
    ],
)
def test_nodes_of_other_examples_end_as_good(tmp_path, metadata, name, mounts):
    node = WholeNode(tmp_path, ROOT / "examples" / f"{name}.yaml", metadata)
    code, log = node.first_boot()
    assert (code, {status for _, status in steps(log)}) == (0, {"ok"}), (log, node.errors)
    assert (checked(node)["verdict"], state(node)) == ("ok", "ready\n"), checked(node)
    found = {x["subject"]: x["check"] for x in checked(node)["checks"] if x.get("subject")}
    assert {path: found[path] for path in mounts} == mounts
    assert node.boot_again()[0] == 0


def test_the_image_alone_is_not_what_its_check_wants(node):
    """Else the test above would prove nothing of the steps."""
    node.first_boot()
    for name in ("etc/environment", "etc/profile.d/trnkit.sh"):
        (node.root / name).unlink()
    for name in (
        "etc/systemd/system.conf.d/99-trnkit.conf",
        "etc/security/limits.d/99-trnkit.conf",
    ):
        (node.root / name).unlink()
    node.restart()
    node.write("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0\n")
    ran = check(node)
    wrong = {line["check"] for line in ran["checks"] if line["verdict"] not in ("ok", "skipped")}
    assert wrong == {
        *("efa-environment", "efa-rdma", "huge-pages", "instance-store", "limits", "lustre"),
    }


def test_a_booted_node_has_the_command_that_drains_it(node):
    node.first_boot()
    link = node.root / "usr/local/bin/trn-drain"
    ran = subprocess.run(
        [node.root / str(link.readlink())[1:], "--status"],
        env=node.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, json.loads(ran.stdout)["state"]) == (0, "none"), ran.stderr


def check(node, *arguments):
    """What `trn-node-check` says on the node, by the name that everybody has."""
    link = node.root / "usr/local/bin/trn-node-check"
    program = node.root / str(link.readlink())[1:]
    ran = subprocess.run(
        [program, "--format", "json", *arguments],
        env=node.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert not ran.stderr
    return json.loads(ran.stdout)


# Again, and after a restart.


@pytest.mark.parametrize(("example", "names"), [(PRETRAIN, WHOLE), (INLINE, CARRIED)])
def test_the_boot_once_more_changes_nothing_and_tells_nobody(tmp_path, metadata, example, names):
    node = WholeNode(tmp_path, example, metadata)
    node.first_boot()
    before = files_of(node)
    code, log = node.boot_again()
    assert (code, steps(log)) == (0, later(names)), log
    assert log[-2]["detail"] == "no hook waits: the instance is InService"
    after = files_of(node)
    changed = {path for path in before.keys() | after if before.get(path) != after.get(path)}
    assert changed == set()
    assert not node.told("complete-")
    assert not [c for c in node.calls if c.startswith(WORK)]


def test_after_a_restart_the_service_makes_everything_ready_again(node):
    node.first_boot()
    code, log = node.later_boot()
    assert (code, steps(log)) == (0, later(WHOLE)), log
    assert {entry["attempt"] for entry in log} == {2}
    assert (state(node), checked(node)["verdict"]) == ("ready\n", "ok")
    assert not node.told("complete-")
    assert not [c for c in node.calls if c.startswith(WORK)]
    assert tags(node) == ["booting", "ready"]


def test_user_data_once_more_finds_the_bundle_as_it_was_published(node):
    node.first_boot()
    node.calls_file.unlink()
    code, log = node.first_boot()
    assert (code, steps(log)) == (0, later(WHOLE))
    assert not node.told("s3 cp")


# Nodes that are not what they should be.


@pytest.mark.parametrize(("failure", "completed"), [("replace", 0), ("keep", 1)])
def test_a_node_with_15_of_16_chips_takes_no_work(node, failure, completed):
    settings = node.files["/etc/trnkit/settings.sh"]["content"]
    assert "TRNKIT_BOOT_FAILURE=replace" in settings
    node.parts["cloud-config"] = node.parts["cloud-config"].replace(
        "TRNKIT_BOOT_FAILURE=replace", f"TRNKIT_BOOT_FAILURE={failure}"
    )
    node.sensed.remove_chip(11)
    code, log = node.first_boot()
    assert code == 1
    failed = {entry["step"]: entry["detail"] for entry in log if entry["status"] == "failed"}
    assert failed.keys() == {"node-check", "boot"}
    assert re.match(r"\d failed \(.*neuron-devices.*\), .*not fit for work$", failed["node-check"])
    assert one(node, "neuron-devices")["found"] == "15 of 16 Neuron devices; missing: 11"
    assert (state(node), tags(node)) == ("failed\n", ["booting", "failed"])
    told = node.told("complete-lifecycle-action")
    assert len(told) == completed
    assert all(call.endswith("CONTINUE") for call in told)


def test_a_node_that_was_put_right_completes_its_hook_at_a_later_boot(node):
    node.install("mount", "exit 1")
    assert node.first_boot()[0] == 1
    assert not node.told("complete-")
    (node.behaviour / "mount").write_text(node.working["mount"])
    node.write("proc/self/mountinfo", "27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw\n")
    code, log = node.boot_again()
    assert (code, dict(steps(log))[HOOK], state(node)) == (0, "ok", "ready\n")
    assert len(node.told("complete-lifecycle-action")) == 1


# What the check makes of the real log.


def test_the_boot_log_is_counted_while_it_is_written_and_afterwards(node):
    node.first_boot()
    before = WHOLE.index("node-check")
    assert one(node, "boot-log")["found"] == f"{before} steps of the last boot are ok"
    (line,) = check(node, "--only", "boot-log")["checks"]
    # The tag and the hook came after it.
    assert line["found"] == f"{before + 2} steps of the last boot are ok"


def test_a_step_that_warned_is_a_warning_of_the_check_and_the_node_takes_work(node):
    node.install("gpg", "exit 1")
    node.write("usr/share/keyrings/fsx-ubuntu-public-key.gpg", "")
    (node.folder / "lustre").touch()
    code, log = node.first_boot()
    assert (code, dict(steps(log))["cloudwatch-agent"]) == (0, "warning")
    assert "cloudwatch-configuration" not in dict(steps(log))
    found = one(node, "boot-log")
    words = (
        "cloudwatch-agent: the CloudWatch agent is not signed by AWS's key, and is not installed"
    )
    assert (found["verdict"], found["found"]) == ("warning", words)
    assert (checked(node)["verdict"], state(node)) == ("warning", "ready\n")


def test_a_step_that_failed_is_a_failure_of_the_check_whatever_its_name(node):
    node.parts["cloud-config"] = node.parts["cloud-config"].replace("/fsx", "/checkpoints")
    node.install(
        "mount", f'case "$*" in *lustre*) echo no; exit 1 ;; esac\n{node.working["mount"]}'
    )
    code, log = node.first_boot()
    assert (code, dict(steps(log))["mount /checkpoints"]) == (1, "failed")
    assert one(node, "boot-log")["found"] == "mount /checkpoints: no"


# Metrics of the real files.


@pytest.fixture
def monitor(tmp_path):
    folder = tmp_path / "monitor"
    folder.mkdir()
    made = Monitor(folder)
    yield made
    made.stop()


@pytest.mark.parametrize("good", [True, False])
def test_trn_metrics_of_the_bundle_says_how_the_boot_and_the_check_ended(node, monitor, good):
    if not good:
        node.sensed.remove_chip(3)
    node.first_boot()
    unit = node.read("etc/systemd/system/trn-metrics.service")
    (command,) = re.findall(r"(?m)^ExecStart=/usr/bin/python3 -I (\S+) --config (\S+)", unit)
    program, config = (node.root / path[1:] for path in command)
    monitor.root, monitor.config = node.root, config
    monitor.says(report())
    monitor.start(program=program)
    samples = monitor.until_reports(1)
    assert find(samples, "trn_node_ready") == float(good)
    assert find(samples, "trn_node_check_ok") == float(good)
    assert find(samples, "trn_node_state", state="ready" if good else "failed") == 1.0
    written = (node.root / "run/trnkit/node-check.json").stat().st_mtime
    assert find(samples, "trn_node_check_timestamp_seconds") == pytest.approx(written, abs=1)
    assert find(samples, "trn_node_efa_rx_bytes_total") == 0.0
    few = monitor.scrape("/metrics/node")
    assert find(few, "trn_node_ready") == float(good)


# Files that one part writes and another reads.


def test_what_units_start_is_in_the_bundle(node):
    node.first_boot()
    units = sorted((node.root / "etc/systemd/system").glob("trn*.service"))
    names = {"trnkit-boot", "trnkit-lustre-tuning", "trn-metrics", "trn-kernel-log"}
    assert {unit.stem for unit in units} == names
    found = set()
    for unit in units:
        text = "\n".join(x for x in unit.read_text().splitlines() if not x.startswith("#"))
        for path in re.findall(r"/(?:opt|etc)/trnkit/[\w./-]+", text):
            assert (node.root / path[1:]).is_file(), (unit, path)
            found.add(path)
    current = "/opt/trnkit/current"
    assert found == {
        "/etc/trnkit/settings.sh",
        f"{current}/boot",
        f"{current}/monitoring/trn-metrics",
        f"{current}/monitoring/neuron-monitor.json",
    }


def test_the_agent_ships_the_files_that_the_boot_writes(node):
    node.first_boot()
    (call,) = [call for call in node.calls if "agent-ctl" in call]
    place = call.rpartition("-c file:")[2]
    text = (node.root / place.removeprefix(f"{node.root}/")).read_text()
    assert "@" not in text
    configuration = json.loads(text)
    shipped = configuration["logs"]["logs_collected"]["files"]["collect_list"]
    ours = {entry["file_path"] for entry in shipped if "trnkit" in entry["file_path"]}
    kernel = node.read("etc/systemd/system/trn-kernel-log.service")
    (kernel_log,) = re.findall(r"(?m)^StandardOutput=truncate:(.*)$", kernel)
    later = {kernel_log, "/var/log/trnkit-drain.log"}
    assert ours == {"/var/log/trnkit-boot.log", "/run/trnkit/node-check.json", *later}
    assert all((node.root / path[1:]).is_file() for path in ours - later)
    groups = {entry["log_group_name"] for entry in shipped}
    (wanted,) = re.findall("(?m)^TRNKIT_LOG_GROUP=(.*)$", node.read("etc/trnkit/settings.sh"))
    assert groups == {wanted.strip("'")}
    scrape = configuration["logs"]["metrics_collected"]["prometheus"]["prometheus_config_path"]
    (job,) = yaml.safe_load(node.read(scrape[1:]))["scrape_configs"]
    listen = node.read("etc/systemd/system/trn-metrics.service.d/listen.conf")
    assert job["static_configs"][0]["targets"] == ["127.0.0.1:9400"]
    assert "TRN_METRICS_LISTEN=loopback TRN_METRICS_PORT=9400" in listen
    labels = job["static_configs"][0]["labels"]
    assert labels == {"ClusterName": "pretrain", "NodeGroup": "train", "InstanceId": INSTANCE}


def test_what_brings_work_looks_at_the_state_that_the_boot_writes(node):
    node.first_boot()
    for unit in ("slurmd", "kubelet", "ecs"):
        text = node.read(f"etc/systemd/system/{unit}.service.d/99-trnkit.conf")
        (path,) = re.findall(r"grep -qsx -e ready -e booting (\S+)", text)
        assert (node.root / path[1:]).read_text() == "ready\n"


# Scripts in user data.


def test_a_node_without_a_bundle_runs_all_its_steps_and_ends_ready(inline):
    code, log = inline.first_boot()
    assert (code, steps(log), inline.errors) == (0, only_ok(CARRIED), ""), log
    assert state(inline) == "ready\n"
    assert len(inline.told("complete-lifecycle-action")) == 1
    assert not inline.told("s3 cp")
    assert sorted(path.name for path in (inline.root / "opt/trnkit").iterdir()) == [
        "current",
        "inline",
    ]
    assert not (inline.root / "run/trnkit/node-check.json").exists()
    assert not list((inline.root / "etc/systemd/system").glob("trn-*"))
    assert "NEURON_COMPILE_CACHE_URL=/fsx/" in inline.read("etc/environment")


def test_it_boots_again_after_a_restart(inline):
    inline.first_boot()
    unit = inline.read("etc/systemd/system/trnkit-boot.service")
    ours = (BUNDLE / "systemd" / "trnkit-boot.service").read_text().splitlines()
    assert unit.splitlines() == [line for line in ours if not line.startswith("#")]
    link = inline.root / "etc/systemd/system/multi-user.target.wants/trnkit-boot.service"
    assert link.resolve() == inline.root / "etc/systemd/system/trnkit-boot.service"
    code, log = inline.later_boot()
    assert (code, steps(log)) == (0, later(CARRIED)), log
    assert {entry["attempt"] for entry in log} == {2}
    assert state(inline) == "ready\n"
    assert not [c for c in inline.calls if c.startswith(WORK)]


def test_an_image_made_of_it_waits_for_user_data(inline):
    inline.first_boot()
    inline.write("var/lib/cloud/data/instance-id", "i-00000000000000001\n")
    code, log = inline.later_boot()
    assert (code, steps(log)) == (0, [("boot", "skipped")])


def test_its_failure_is_kept_as_the_example_says(inline):
    inline.install("mount", 'case "$*" in *lustre*) exit 1 ;; esac\n' + inline.working["mount"])
    code, log = inline.first_boot()
    assert (code, state(inline)) == (1, "failed\n")
    assert dict(steps(log))["mount /fsx"] == dict(steps(log))["compile-cache"] == "failed"
    assert tags(inline) == ["booting", "failed"]
    assert len(inline.told("complete-lifecycle-action")) == 1
