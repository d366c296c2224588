"""The order of a boot and what comes of it: steps, state, turn, attempts, service, node check."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from constructs_lib.compute.node_stages import INLINE_STEPS, inline_stage, joined_scripts
from tests.constructs_lib.compute.node.machine import BASH, BUNDLE, Node, steps

SERVICE = "etc/systemd/system/trnkit-boot.service"
LINK = "etc/systemd/system/multi-user.target.wants/trnkit-boot.service"
MOUNT = "TRNKIT_LUSTRE_MOUNTS='a.host name /fsx'\n"


@pytest.fixture
def node(tmp_path):
    return Node(tmp_path)


@pytest.fixture
def bundle(tmp_path):
    """A bundle with a node check, which does what the file `verdict` says."""
    made = tmp_path / "bundle"
    shutil.copytree(BUNDLE, made)
    program = made / "trn-node-check" / "trn-node-check"
    program.parent.mkdir(exist_ok=True)
    program.unlink(missing_ok=True)
    program.write_text(f'#!{BASH}\necho "check $*" >>"{tmp_path}/calls"\n. "{tmp_path}/verdict"\n')
    program.chmod(0o755)
    return made


def start(node, *, settings="", **environment):
    node.write("etc/trnkit/settings.sh", settings)
    return subprocess.Popen(
        [BASH, str(BUNDLE / "boot")],
        env=node.environment | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for(path):
    end = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.05)


# Settings.


def test_without_settings_the_boot_fails_and_says_so(node):
    code, log = node.run(BUNDLE / "boot")
    assert code == 1
    assert steps(log) == [("boot", "failed")]
    assert "/etc/trnkit/settings.sh" in log[0]["detail"]


@pytest.mark.parametrize("broken", ["TRNKIT_HOME='\n", "if\n", "( \n"])
def test_settings_that_are_cut_off_fail_the_boot(node, broken):
    code, log = node.run_boot(broken)
    assert code == 1
    assert steps(log) == [("boot", "failed")]


@pytest.fixture(params=["bundle", "joined"])
def any_boot(request, tmp_path):
    """The boot of either delivery."""
    if request.param == "bundle":
        return BUNDLE / "boot"
    joined = tmp_path / "joined"
    joined.write_text(joined_scripts(INLINE_STEPS))
    return joined


@pytest.mark.parametrize(
    "settings",
    [None, "TRNKIT_HOME='\n", "exit 0\n", "exit 3\n", "return 4\n", "A=$no_such_name\n", "false\n"],
)
def test_settings_that_end_the_boot_are_a_failed_boot(node, any_boot, settings):
    if settings is not None:
        node.write("etc/trnkit/settings.sh", settings)
    code, log = node.run(any_boot)
    assert (code, steps(log)) == (1, [("boot", "failed")])
    assert log[0]["detail"].startswith("there are no settings: /etc/trnkit/settings.sh ")
    assert node.read("run/trnkit/node-state") == "failed\n"


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("steps/zz.sh", None),
        ("steps/zz.sh", "exit 0\n"),
        ("steps/zz.sh", "if\n"),
        ('steps/z"\\z.sh', "exit 0\n"),
        ("lib.sh", "exit 0\n"),
        ("main.sh", "A=$no_such_name\n"),
    ],
)
def test_a_part_that_cannot_be_read_is_a_failed_boot(node, tmp_path, part, text):
    made = tmp_path / "bundle"
    shutil.copytree(BUNDLE, made)
    if text is None:
        (made / part).mkdir()
    else:
        (made / part).write_text(text)
    node.write("etc/trnkit/settings.sh", "")
    code, log = node.run(made / "boot")
    assert (code, steps(log)) == (1, [("boot", "failed")])
    assert log[0]["detail"] == "cannot be read: " + part.replace('"', "?").replace("\\", "?")
    assert node.read("run/trnkit/node-state") == "failed\n"


def test_steps_that_end_the_boot_are_a_failed_boot(node, tmp_path):
    made = tmp_path / "bundle"
    shutil.copytree(BUNDLE, made)
    (made / "steps" / "zz.sh").write_text("monitoring_steps() { exit 0; }\n")
    node.write("etc/trnkit/settings.sh", "")
    code, log = node.run(made / "boot")
    assert (code, log[-1]["step"], log[-1]["status"]) == (1, "boot", "failed")
    assert log[-1]["detail"] == "ended in the middle"
    assert node.read("run/trnkit/node-state") == "failed\n"


@pytest.mark.parametrize(
    "value",
    ["$(touch x)", "`touch x`", "a'b", 'a"b', "a\\nb", "a\nb", "*", "ä€", "-n", "; false", ""],
)
def test_no_value_of_a_setting_is_run_or_stops_the_boot(node, value):
    quoted = value.replace("'", "'\\''")
    names = ("TRNKIT_HUGE_PAGES", "TRNKIT_RENDEZVOUS_PORT", "TRNKIT_LNC", "TRNKIT_BOOT_FAILURE")
    code, log = node.run_boot("".join(f"{name}='{quoted}'\n" for name in names))
    wrong = [("huge-pages", "failed"), ("rendezvous-port", "failed")] if value else []
    assert steps(log) == [("environment", "ok"), *wrong, ("boot", "failed" if value else "ok")]
    assert code == bool(value)
    assert not list(node.root.parent.rglob("x"))


# Statuses.


@pytest.mark.parametrize(
    ("command", "entry", "boot"),
    [
        ("step one true", ("ok", ""), "ok"),
        ("step one false", ("failed", ""), "failed"),
        ("step one eval 'echo why; exit 9'", ("failed", "why"), "failed"),
        ("step one skip 'nothing to do'", ("skipped", "nothing to do"), "ok"),
        ("step one warn 'less than asked'", ("warning", "less than asked"), "ok"),
        ("step_warning one eval 'echo why; exit 9'", ("warning", "why"), "ok"),
        ("step_warning one true", ("ok", ""), "ok"),
        ("step one eval 'echo $no_such_name'", ("failed", None), "failed"),
    ],
)
def test_how_a_step_ends_is_how_the_boot_ends(node, tmp_path, command, entry, boot):
    made = tmp_path / "bundle"
    shutil.copytree(BUNDLE, made)
    (made / "steps" / "zz.sh").write_text("monitoring_steps() { " + command + "; }\n")
    node.write("etc/trnkit/settings.sh", "")
    code, log = node.run(made / "boot")
    assert code == (0 if boot == "ok" else 1)
    assert (log[1]["status"], log[1]["detail"]) == (entry[0], entry[1] or log[1]["detail"])
    assert steps(log)[-1] == ("boot", boot)
    assert node.read("run/trnkit/node-state") == ("ready\n" if boot == "ok" else "failed\n")


def test_seconds_are_measured(node):
    node.install("mount", "sleep 1.2")
    _, log = node.run_boot(MOUNT)
    seconds = {entry["step"]: entry["seconds"] for entry in log}
    assert seconds["environment"] <= 1 <= seconds["mount /fsx"] <= seconds["boot"]


# Attempts.


def test_boots_are_counted(node):
    assert [{entry["attempt"] for entry in node.boot()[1]} for _ in range(3)] == [{1}, {2}, {3}]


@pytest.mark.parametrize("text", ["", "unknown", "unknown x", "unknown 08", "a b c", "unknown -1"])
def test_a_count_that_is_damaged_stops_no_boot(node, text):
    node.write("var/lib/trnkit/boots", text)
    code, log = node.boot()
    assert code == 0, node.errors
    assert log[0]["attempt"] in (1, 9)


def test_a_machine_made_from_an_image_of_a_node_waits_for_its_own_user_data(node):
    node.write("var/lib/cloud/data/instance-id", "i-1\n")
    node.boot()
    node.boot()
    node.write("var/lib/cloud/data/instance-id", "i-2\n")
    (node.root / "run/trnkit/node-state").unlink()
    code, log = node.run(BUNDLE / "boot", TRNKIT_LATER_BOOT="1")
    assert (code, steps(log)) == (0, [("boot", "skipped")])
    assert node.read("run/trnkit/node-state") == "booting\n", "services wait for user data or not"
    code, log = node.boot()
    assert (code, log[-1]["attempt"]) == (0, 1)
    code, log = node.run(BUNDLE / "boot", TRNKIT_LATER_BOOT="1")
    assert (code, log[-1]["attempt"], log[-1]["status"]) == (0, 2, "ok")


# Turn.


def test_two_boots_never_run_at_once(node):
    node.install("mount", f'echo >>"{node.behaviour}/reached"; sleep 2')
    first = start(node, settings=MOUNT)
    wait_for(node.behaviour / "reached")
    second = start(node, settings=MOUNT)
    time.sleep(0.8)
    assert (node.behaviour / "reached").read_text() == "\n", "the second has to wait"
    node.install("mountpoint", "exit 0")
    outputs = [boot.communicate(timeout=30)[0].decode() for boot in (first, second)]
    assert [boot.returncode for boot in (first, second)] == [0, 0]
    waits = json.loads(outputs[1].splitlines()[0])
    assert (waits["step"], waits["status"]) == ("turn", "warning")
    ends = list(map(json.loads, node.read("var/log/trnkit-boot.log").splitlines()))
    assert [e["attempt"] for e in ends if e["step"] == "boot"] == [1, 2]


def test_a_boot_does_not_wait_for_ever(node):
    node.install("mount", f'echo >>"{node.behaviour}/reached"; sleep 5')
    first = start(node, settings=MOUNT)
    wait_for(node.behaviour / "reached")
    code, log = node.run(BUNDLE / "boot", TRNKIT_LOCK_SECONDS="1")
    assert code == 1
    assert log[-1]["detail"] == "another boot does not end"
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()


def test_nothing_that_a_step_leaves_running_holds_the_turn(node):
    node.install("mount", "sleep 60 >/dev/null 2>&1 & echo $! >>" + f'"{node.behaviour}/pid"')
    try:
        assert node.run_boot(MOUNT)[0] == 0
        code, log = node.run(BUNDLE / "boot", TRNKIT_LOCK_SECONDS="1")
        assert (code, log[0]["step"]) == (0, "environment")
    finally:
        for pid in (node.behaviour / "pid").read_text().split():
            os.kill(int(pid), signal.SIGKILL)


def test_a_boot_that_was_killed_leaves_no_lock(node):
    node.install("mount", f'echo >>"{node.behaviour}/reached"; exec sleep 30')
    first = start(node, settings=MOUNT)
    wait_for(node.behaviour / "reached")
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    node.install("mount")
    code, log = node.run_boot(MOUNT)
    assert (code, log[0]["step"], log[-1]["attempt"]) == (0, "environment", 2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_ends_the_boot_as_failed(node, number):
    node.install("mount", f'echo >>"{node.behaviour}/reached"; exec sleep 30')
    boot = start(node, settings=MOUNT)
    wait_for(node.behaviour / "reached")
    os.killpg(boot.pid, number)
    output, _ = boot.communicate(timeout=20)
    assert boot.returncode == 143
    last = json.loads(output.decode().splitlines()[-1])
    assert (last["step"], last["status"]) == ("boot", "failed")
    assert node.read("run/trnkit/node-state") == "failed\n"


# A disk that cannot be written.


@pytest.mark.parametrize("name", ["var/log", "run/trnkit", "var/lib/trnkit", "etc/systemd"])
def test_where_nothing_can_be_written_the_boot_fails_and_ends(node, name):
    node.write(name, "a file where a folder should be")
    node.write("etc/trnkit/settings.sh", "")
    ran = subprocess.run(
        [BASH, str(BUNDLE / "boot")], env=node.environment, capture_output=True, timeout=30
    )
    assert ran.returncode == 1
    last = json.loads(ran.stdout.decode().splitlines()[-1])
    assert (last["step"], last["status"]) == ("boot", "failed")


@pytest.mark.parametrize("later", ["0", "1"])
def test_a_disk_that_is_full_does_not_keep_the_steps_from_running(node, later):
    node.boot()
    full = node.root / "var/log/trnkit-boot.log"
    full.unlink()
    full.symlink_to("/dev/full")
    count = node.root / "var/lib/trnkit/boots"
    (node.root / "var/lib/trnkit/boots.new").symlink_to("/dev/full")
    before = count.read_text()
    ran = subprocess.run(
        [BASH, str(BUNDLE / "boot")],
        env=node.environment | {"TRNKIT_LATER_BOOT": later},
        capture_output=True,
        timeout=30,
    )
    log = list(map(json.loads, ran.stdout.decode().splitlines()))
    assert steps(log) == [("count", "warning"), ("environment", "ok"), ("boot", "ok")]
    assert log[0]["detail"] == "cannot write /var/lib/trnkit/boots"
    assert (ran.returncode, count.read_text()) == (0, before)
    assert node.read("run/trnkit/node-state") == "ready\n"


# Later boots.


def test_the_service_is_there_for_the_next_boot_whatever_the_steps_do(node):
    node.fails("modprobe", 99)
    code, _ = node.run_boot(MOUNT)
    assert code == 1
    assert node.read(SERVICE) == (BUNDLE / "systemd/trnkit-boot.service").read_text()
    assert (node.root / LINK).readlink() == Path("../trnkit-boot.service")
    assert (node.root / LINK).resolve() == (node.root / SERVICE).resolve()
    rotation = node.read("etc/logrotate.d/trnkit")
    assert rotation.startswith("/var/log/trnkit-boot.log {\n")
    assert "maxsize 1M" in rotation


def test_an_older_service_is_brought_up_to_date(node):
    node.write(SERVICE, "[Service]\nExecStart=/bin/false\n")
    node.boot()
    assert node.read(SERVICE) == (BUNDLE / "systemd/trnkit-boot.service").read_text()


def test_joined_into_one_text_the_boot_works_and_has_its_service(node, tmp_path):
    joined = tmp_path / "joined"
    joined.write_text(joined_scripts(INLINE_STEPS))
    node.write("etc/trnkit/settings.sh", MOUNT)
    code, log = node.run(joined)
    assert code == 0, node.errors
    assert steps(log)[-2:] == [("mount /fsx", "ok"), ("boot", "ok")]
    assert node.read(SERVICE) == (BUNDLE / "systemd/trnkit-boot.service").read_text()


@pytest.fixture
def stage(node, tmp_path):
    """What user data runs when it carries the scripts."""
    (node.bin / "chmod").symlink_to(shutil.which("chmod"))
    made = tmp_path / "part-001"
    made.write_text(inline_stage(INLINE_STEPS))
    node.write("etc/trnkit/settings.sh", "")
    return made


def test_what_user_data_carries_boots(node, stage):
    assert [node.run(stage)[0] for _ in range(2)] == [0, 0], node.errors
    assert node.read("run/trnkit/node-state") == "ready\n"
    assert (node.root / "opt/trnkit/current").readlink() == Path("inline")


@pytest.mark.parametrize("command", ["python3", "mv", "chmod", "ln", "a file", "a folder", "text"])
def test_what_user_data_carries_and_cannot_be_unpacked_is_told(node, stage, command):
    if command == "a file":
        node.write("opt", "where a folder should be")
    elif command == "a folder":
        (node.root / "opt/trnkit/inline/boot").mkdir(parents=True)
    elif command == "text":
        stage.write_text(stage.read_text().replace("\nSCRIPTS\n", "\nABCDE\nSCRIPTS\n"))
    else:
        (node.bin / command).unlink()
        node.install(command, "exit 5")
    code, log = node.run(stage)
    assert (code, steps(log)) == (1, [("boot", "failed")])
    assert log[0]["detail"] == "cannot unpack"
    assert node.read("run/trnkit/node-state") == "failed\n"


# Node check.


@pytest.mark.parametrize(
    ("verdict", "status", "detail", "code"),
    [
        ("echo all well", "ok", "", 0),
        ("echo 15 of 16 chips; exit 1", "failed", "15 of 16 chips", 1),
        ("echo asked twice; echo no chips >&2; exit 1", "failed", "no chips", 1),
        ("exit 1", "failed", "the node check ended with 1", 1),
        ("echo expected.json is broken >&2; exit 2", "failed", "expected.json is broken", 1),
        ("echo not all could be seen; exit 3", "warning", "not all could be seen", 0),
        ("sleep 30", "failed", "the node check did not end in time", 1),
        ("kill -SEGV $$", "failed", "the node check ended with 139", 1),
    ],
)
def test_the_node_check_decides(node, bundle, tmp_path, verdict, status, detail, code):
    (tmp_path / "verdict").write_text(verdict + "\n")
    node.write("etc/trnkit/settings.sh", "TRNKIT_CHECK=1\n")
    found, log = node.run(bundle / "boot", TRNKIT_CHECK_SECONDS="2")
    assert found == code
    assert steps(log)[-2:] == [("node-check", status), ("boot", "failed" if code else "ok")]
    assert log[-2]["detail"] == detail
    assert node.calls == [f"check --format json --output {node.root}/run/trnkit/node-check.json"]
    command = node.root / "usr/local/bin/trn-node-check"
    assert command.readlink() == Path("/opt/trnkit/current/trn-node-check/trn-node-check")


@pytest.mark.parametrize("settings", ["", "TRNKIT_CHECK=0\n", "TRNKIT_CHECK=''\n"])
def test_no_node_check_runs_that_nobody_wants(node, bundle, settings):
    node.write("etc/trnkit/settings.sh", settings)
    code, log = node.run(bundle / "boot")
    assert (code, steps(log)) == (0, [("environment", "ok"), ("boot", "ok")])
    assert node.calls == []


def test_the_node_check_comes_last(node, bundle, tmp_path):
    (tmp_path / "verdict").write_text("exit 0\n")
    node.write("etc/trnkit/settings.sh", MOUNT + "TRNKIT_CHECK=1\n")
    _, log = node.run(bundle / "boot")
    assert [step for step, _ in steps(log)][-3:] == ["mount /fsx", "node-check", "boot"]


# Each command made to fail.

EVERYTHING = """\
TRNKIT_REGION=us-east-2
TRNKIT_LUSTRE_MOUNTS='a.host name /fsx'
TRNKIT_HOME='fs-1 b.host /home/shared preferred'
TRNKIT_LNC=2
TRNKIT_EFA=1
TRNKIT_HOLD_PACKAGES=1
TRNKIT_HUGE_PAGES=5128
TRNKIT_RENDEZVOUS_PORT=46820
TRNKIT_REPORT='lifecycle booted'
TRNKIT_TAG_STATE=1
"""


@pytest.fixture
def full_node(cloud_node):
    """A node on which every step has something to do."""
    for name in ("sysctl", "systemctl", "apt-mark", "dockerd", "mount.nfs4"):
        cloud_node.install(name)
    cloud_node.install("dpkg-query", "echo installed linux-aws")
    for name in ("eth0", "eth1"):
        cloud_node.write(f"sys/class/net/{name}/device/vendor", "")
    cloud_node.write("proc/sys/kernel/hostname", "ip-10-0-0-5\n")
    cloud_node.write("etc/hosts", "127.0.0.1 localhost\n")
    cloud_node.install("aws", 'case "$*" in *describe*) printf "a group\\tPending:Wait\\n" ;; esac')
    return cloud_node


def completions(node):
    return sum("--lifecycle-action-result" in call for call in node.calls)


@pytest.mark.parametrize(
    ("command", "step", "status"),
    [
        ("systemctl", "environment", "failed"),
        ("awk", "hosts", "failed"),
        ("curl", "hosts", "failed"),
        ("sysctl", "huge-pages", "failed"),
        ("sysctl", "rendezvous-port", "failed"),
        ("python3", "docker", "failed"),
        ("mount", "mount /fsx", "failed"),
        ("mount", "mount /home/shared", "failed"),
        ("modprobe", "lustre-client", "failed"),
        ("apt-mark", "packages", "warning"),
        ("dpkg-query", "packages", "warning"),
        ("aws", "tag", "warning"),
        ("aws", "lifecycle booted", "warning"),
        ("chattr", "mount /fsx", "ok"),
    ],
)
def test_a_command_that_fails_fails_its_step_and_the_rest_goes_on(full_node, command, step, status):
    whole = [name for name, _ in steps(full_node.run_boot(EVERYTHING)[1])]
    before = completions(full_node)
    working = full_node.bin / command
    working.rename(working.with_suffix(".works"))
    full_node.install(command, "echo broken >&2; exit 1")
    (full_node.root / "etc/docker/daemon.json").unlink()
    (full_node.root / "run/trnkit/reload").touch()
    code, log = full_node.run_boot(EVERYTHING)
    assert [name for name, _ in steps(log)] == whole, "every step ran"
    assert dict(steps(log))[step] == status
    assert code == (1 if "failed" in dict(steps(log)).values() else 0)
    assert (code == 1) is (status == "failed")
    assert full_node.read("run/trnkit/node-state") == ("failed\n" if code else "ready\n")
    told = completions(full_node) - before
    assert told == (0 if code or command in ("curl", "aws") else 1)
    working.with_suffix(".works").rename(working)
    if command in ("systemctl", "sysctl", "mount", "modprobe", "apt-mark", "dpkg-query", "chattr"):
        full_node.install(command)
    elif command == "aws":
        full_node.install("aws", "echo None")
    code, log = full_node.run_boot(EVERYTHING)
    assert code == 0, [entry for entry in log if entry["status"] == "failed"]
    assert full_node.read("run/trnkit/node-state") == "ready\n"
