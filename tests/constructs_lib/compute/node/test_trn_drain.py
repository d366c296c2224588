"""trn-drain on a node: who is told, in which order, what is never hurt, and what it remembers."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.constructs_lib.compute.node.machine import BUNDLE
from trnkit.layout.draining import DRAIN_PROGRAM, drain_command

FOLDER = BUNDLE / "trn-drain"
MODULES = sorted(FOLDER.rglob("*.py"))
HOOKS, CANCEL_HOOKS = "etc/trnkit/drain.d", "etc/trnkit/drain-cancel.d"
WALL = '#!/bin/sh\necho "$*" >>"$(dirname "$0")/../../walled"\n'
JOB = """\
import signal, sys, time
def told(number, frame):
    open(sys.argv[1], "a").write(signal.Signals(number).name + "\\n")
if len(sys.argv) > 2:
    signal.signal(getattr(signal, sys.argv[2]), told)
print("ready", flush=True)
while True:
    time.sleep(0.05)
"""


def at(minutes: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + minutes * 60))


class Machine:
    """A folder that stands for a node's root."""

    def __init__(self, root: Path):
        self.root = root
        self.jobs: list[subprocess.Popen] = []
        self.program("usr/bin/wall", WALL)

    def write(self, name, text, mode=0o644):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def program(self, name, text):
        return self.write(name, text, 0o755)

    def hook(self, name, text, folder=HOOKS):
        return self.program(f"{folder}/{name}", f"#!/bin/sh\n{text}\n")

    def conf(self, text):
        self.write("etc/trnkit/drain.conf", text)

    def command(self, *arguments):
        return [sys.executable, str(FOLDER / "trn-drain"), *arguments]

    def run(self, *arguments, **environment):
        ran = subprocess.run(
            self.command(*arguments),
            env={"TRNKIT_ROOT": str(self.root), **environment},
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.errors = ran.stderr
        self.output = ran.stdout
        return ran.returncode

    def drain(self, deadline, *more, reason="the block ends"):
        """Exit code, and the steps that it told."""
        code = self.run("--deadline", deadline, "--reason", reason, *more)
        return code, [json.loads(line) for line in self.output.splitlines()]

    @property
    def state(self):
        path = self.root / "run/trnkit/drain.json"
        return json.loads(path.read_text()) if path.exists() else None

    @property
    def log(self):
        path = self.root / "var/log/trnkit-drain.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def read(self, name):
        path = self.root / name
        return path.read_text() if path.exists() else ""

    def job(self, name, *handled):
        """A process called `name` that writes down the signals that it handles."""
        script = self.program(f"jobs/{name}", f"#!{sys.executable}\n{JOB}")
        self.jobs.append(
            subprocess.Popen(
                [str(script), str(self.root / f"{name}.told"), *handled],
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        assert self.jobs[-1].stdout.readline() == "ready\n"
        return self.jobs[-1]

    def told(self, name):
        until = time.monotonic() + 5
        while not self.read(f"{name}.told") and time.monotonic() < until:
            time.sleep(0.02)
        return self.read(f"{name}.told").split()


@pytest.fixture
def node(tmp_path):
    machine = Machine(tmp_path / "root")
    yield machine
    for job in machine.jobs:
        job.kill()
        job.wait()
        job.stdout.close()


def said(steps):
    return [(step["step"], step["status"]) for step in steps]


# What is done.


def test_people_hooks_and_the_file_are_told_in_order(node):
    node.hook("20-second", 'echo "second" >>"$OUT/order"'.replace("$OUT", str(node.root)))
    node.hook(
        "10-first",
        f'cat "{node.root}/run/trnkit/drain.json" >"{node.root}/seen"\n'
        f'echo "first $DEADLINE $REASON $SECONDS_LEFT" >>"{node.root}/order"',
    )
    deadline = at(20)
    code, steps = node.drain(deadline)
    assert code == 0, node.errors
    assert said(steps) == [
        ("wall", "ok"),
        ("hook:10-first", "ok"),
        ("hook:20-second", "ok"),
        ("drain", "ok"),
    ]
    first, second = node.read("order").splitlines()
    assert first.rpartition(" ")[0] == f"first {deadline} the block ends"
    assert 1190 <= int(first.rpartition(" ")[2]) <= 1200
    assert second == "second"
    assert f"{deadline}, in 19 minutes: the block ends" in node.read("walled")
    # A job that looks for the file while hooks run sees it.
    assert json.loads(node.read("seen"))["state"] == "draining"
    assert (node.state["state"], node.state["deadline"]) == ("drained", deadline)
    assert (node.root / "run/trnkit/drain.json").stat().st_mode & 0o777 == 0o644
    assert node.log == steps
    keys = {"time", "step", "status", "seconds", "detail", "attempt"}
    assert all(step.keys() == keys for step in steps)


def test_the_same_deadline_is_drained_once_and_another_anew(node):
    node.hook("10-count", f'echo x >>"{node.root}/count"')
    first, later = at(20), at(30)
    assert node.drain(first)[0] == 0
    code, steps = node.drain(first)
    assert (code, said(steps)) == (0, [("drain", "skipped")])
    assert node.read("count") == "x\n"
    assert node.drain(later)[0] == 0
    assert node.read("count") == "x\nx\n"
    assert node.state["deadline"] == later


def test_what_died_in_the_middle_goes_on_where_it_was(node):
    node.hook("10-once", f'echo x >>"{node.root}/count"')
    node.hook("20-long", f'[ -e "{node.root}/again" ] || exec sleep 60')
    deadline = at(20)
    running = subprocess.Popen(
        node.command("--deadline", deadline, "--reason", "r"),
        env={"TRNKIT_ROOT": str(node.root)},
        stdout=subprocess.PIPE,
        text=True,
    )
    lines = [running.stdout.readline() for _ in range(2)]
    assert json.loads(lines[1])["step"] == "hook:10-once"
    running.kill()
    running.communicate()
    assert node.state["state"] == "draining"
    node.write("again", "")
    code, steps = node.drain(deadline)
    assert (code, said(steps)) == (0, [("hook:20-long", "ok"), ("drain", "ok")])
    assert {step["attempt"] for step in steps} == {2}
    assert node.read("count") == "x\n"


def test_two_at_once_do_it_once(node):
    node.hook("10-slow", f'echo x >>"{node.root}/count"; sleep 0.5')
    command = node.command("--deadline", at(20), "--reason", "r")
    both = [
        subprocess.Popen(
            command, env={"TRNKIT_ROOT": str(node.root)}, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    assert [one.communicate(timeout=30)[1] for one in both] == [None, None]
    assert [one.returncode for one in both] == [0, 0]
    assert node.read("count") == "x\n"


def test_a_failed_hook_stops_nothing_and_is_told_each_time(node):
    node.hook("10-fails", "echo no license >&2; exit 3")
    node.hook("20-works", f'echo x >>"{node.root}/count"')
    deadline = at(20)
    code, steps = node.drain(deadline)
    assert code == 1
    failed = next(step for step in steps if step["status"] == "failed")
    assert (failed["step"], failed["detail"]) == (
        "hook:10-fails",
        "10-fails ended with 3: no license",
    )
    assert node.read("count") == "x\n"
    assert node.drain(deadline)[0] == 1


def test_a_hook_that_hangs_is_killed_with_its_children(node):
    node.conf("[drain]\nhook_seconds = 1\n")
    node.hook("10-hangs", f'(sleep 3; echo late >"{node.root}/late") & wait')
    node.hook("20-works", "true")
    begun = time.monotonic()
    code, steps = node.drain(at(20))
    assert time.monotonic() - begun < 3
    assert (code, said(steps)[1:3]) == (
        1,
        [("hook:10-hangs", "failed"), ("hook:20-works", "ok")],
    )
    time.sleep(2.2)
    assert node.read("late") == ""


def test_hooks_take_at_most_half_of_the_time_that_is_left(node):
    node.hook("10-hangs", "sleep 60")
    node.hook("20-hangs", "sleep 60")
    begun = time.monotonic()
    code, steps = node.drain(at(0.1))
    assert time.monotonic() - begun < 5
    assert code == 1
    assert steps[2]["detail"] == "no time was left for it"


# What is not run by root.


@pytest.mark.parametrize(
    ("name", "mode", "status"),
    [
        ("10-group", 0o775, "failed"),
        ("10-world", 0o757, "failed"),
        ("10-no-program", 0o644, "skipped"),
    ],
)
def test_only_files_that_nobody_else_can_write_are_run(node, name, mode, status):
    node.hook(name, f'echo x >"{node.root}/ran"').chmod(mode)
    code, steps = node.drain(at(20))
    assert said(steps)[1] == (f"hook:{name}", status)
    assert code == (1 if status == "failed" else 0)
    assert node.read("ran") == ""


def test_nothing_is_run_out_of_a_folder_that_others_can_write(node):
    node.hook("10-a", f'echo x >"{node.root}/ran"')
    (node.root / HOOKS).chmod(0o777)
    code, steps = node.drain(at(20))
    assert (code, steps[1]["detail"]) == (
        1,
        "not run: /etc/trnkit/drain.d can be written by others than root",
    )
    assert node.read("ran") == ""


def test_what_editors_and_packages_leave_is_not_run(node):
    for name in (".hidden", "10-a~", "10-a.bak", "10-a.dpkg-old", "10-a.rpmsave", "10-a.swp"):
        node.hook(name, f'echo x >"{node.root}/ran"')
    assert said(node.drain(at(20))[1]) == [("wall", "ok"), ("drain", "ok")]
    assert node.read("ran") == ""


# Signals.


def test_without_settings_nothing_is_signalled(node):
    job = node.job("trn-test-quiet", "SIGUSR1")
    _, steps = node.drain(at(20))
    assert said(steps) == [("wall", "ok"), ("drain", "ok")]
    assert job.poll() is None
    assert node.read("trn-test-quiet.told") == ""


def test_what_the_site_names_gets_its_signal(node):
    job = node.job("trn-test-job", "SIGUSR2")
    node.conf("[signal training]\nprocess = trn-test-job\nsignal = usr2\n")
    code, steps = node.drain(at(20))
    assert code == 0
    assert (said(steps)[1], steps[1]["detail"]) == (
        ("signal:training", "ok"),
        f"SIGUSR2 to process {job.pid}",
    )
    assert node.told("trn-test-job") == ["SIGUSR2"]
    assert job.poll() is None


def test_a_process_that_would_die_of_the_signal_is_spared(node):
    job = node.job("trn-test-deaf")
    node.conf("[signal training]\nprocess = trn-test-deaf\n")
    code, steps = node.drain(at(20))
    assert code == 0
    assert said(steps)[1] == ("signal:training", "warning")
    assert steps[1]["detail"] == (
        f"process {job.pid} would end of SIGUSR1, which it does not handle: not sent"
    )
    time.sleep(0.2)
    assert job.poll() is None


def test_unless_the_site_says_that_it_may_end(node):
    job = node.job("trn-test-may-end")
    node.conf(
        "[signal training]\nprocess = trn-test-may-end\nsignal = SIGTERM\nonly_if_handled = no\n"
    )
    assert said(node.drain(at(20))[1])[1] == ("signal:training", "ok")
    assert job.wait(5) == -signal.SIGTERM


def test_a_program_of_python_is_found_by_its_own_name(node):
    job = node.job("trn-test-module", "SIGUSR1")
    # The kernel calls a script by its name; started through python it is called python.
    script = str(node.root / "jobs/trn-test-module")
    other = subprocess.Popen(
        [sys.executable, "-u", script, str(node.root / "by-python.told"), "SIGUSR1"],
        stdout=subprocess.PIPE,
        text=True,
    )
    node.jobs.append(other)
    assert other.stdout.readline() == "ready\n"
    node.conf("[signal t]\nprocess = trn-test-module\n")
    _, steps = node.drain(at(20))
    assert steps[1]["detail"] == "SIGUSR1 to process " + ", ".join(
        map(str, sorted((job.pid, other.pid)))
    )


def test_who_only_names_a_process_as_an_argument_is_not_meant(node):
    other = node.job("trn-test-editor", "SIGUSR1", "trn-test-edited")
    node.conf("[signal t]\nprocess = trn-test-edited\n")
    _, steps = node.drain(at(20))
    assert said(steps)[1] == ("signal:t", "skipped")
    assert other.poll() is None


def test_processes_of_another_user_are_not_meant(node):
    node.job("trn-test-user", "SIGUSR1")
    node.conf("[signal t]\nprocess = trn-test-user\nuser = nobody-of-this-name\n")
    assert said(node.drain(at(20))[1])[1] == ("signal:t", "skipped")
    assert node.read("trn-test-user.told") == ""


def test_a_file_with_the_number_of_a_process(node):
    job = node.job("trn-test-file", "SIGUSR1")
    place = node.write("job.pid", f"{job.pid}\n")
    node.conf(f"[signal t]\npidfile = {place}\n")
    assert said(node.drain(at(20))[1])[1] == ("signal:t", "ok")
    assert node.told("trn-test-file") == ["SIGUSR1"]


@pytest.mark.parametrize("text", ["1\n", "0\n", "-7\n", "all\n", ""])
def test_a_file_that_names_no_job_signals_nothing(node, text):
    place = node.write("job.pid", text)
    node.conf(f"[signal t]\npidfile = {place}\nonly_if_handled = no\nsignal = SIGWINCH\n")
    code, steps = node.drain(at(20))
    assert (code, said(steps)[1]) == (1, ("signal:t", "failed"))
    assert steps[1]["detail"] == f"{place} holds no process number"


def test_the_main_process_of_a_unit(node):
    job = node.job("trn-test-unit", "SIGUSR1")
    node.program(
        "usr/bin/systemctl",
        '#!/bin/sh\n[ "$*" = "show --property=MainPID --value -- train.service" ] && '
        f"echo {job.pid}\n",
    )
    node.conf("[signal t]\nunit = train.service\n")
    assert said(node.drain(at(20))[1])[1] == ("signal:t", "ok")
    assert node.told("trn-test-unit") == ["SIGUSR1"]


def test_a_unit_that_does_not_run_is_skipped(node):
    node.program("usr/bin/systemctl", "#!/bin/sh\necho 0\n")
    node.conf("[signal t]\nunit = train.service\nonly_if_handled = no\n")
    assert said(node.drain(at(20))[1])[1] == ("signal:t", "skipped")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[signal t]\nprocess = a\nunit = b\n", "[signal t] needs exactly one of unit, process"),
        ("[signal t]\nsignal = SIGUSR1\n", "[signal t] needs exactly one of unit, process"),
        ("[signal t]\nprocess = a\nsignal = SIGUSR9\n", "signal of [signal t] is no signal"),
        ("[signal t]\nprocess = a\nsignal = KILL\n", "signal of [signal t] is SIGKILL, of which"),
        ("[signal t]\nprocess = a\nonly_if_handled = maybe\n", "only_if_handled must be yes or no"),
        ("[signal t]\nproces = a\n", "[signal t] has no proces; it has unit, process, pidfile"),
        ("[signal t]\npidfile = run/a\n", "pidfile of [signal t] must be a path from /"),
        ("[drain]\nhook_seconds = 0\n", "hook_seconds must be 1 to 3600, got 0"),
        ("[signals]\na = b\n", "[signals] must be [drain] or [signal NAME]"),
        ("process = a\n", "File contains no section headers"),
        ("[drain]\n[drain]\n", "section 'drain' already exists"),
        ("\0\0", "File contains no section headers"),
    ],
)
def test_settings_that_cannot_be_used_are_told_and_the_rest_is_done(node, text, words):
    node.conf(text)
    node.hook("10-a", f'echo x >"{node.root}/ran"')
    code, steps = node.drain(at(20))
    assert code == 1
    assert said(steps)[0] == ("settings", "failed")
    assert words in steps[0]["detail"]
    assert node.read("ran") == "x\n"


def test_people_are_not_told_where_the_site_does_not_want_it(node):
    node.conf("[drain]\nwall = no\n")
    assert said(node.drain(at(20))[1]) == [("drain", "ok")]
    assert node.read("walled") == ""


def test_people_who_cannot_be_told_are_a_warning(node):
    node.program("usr/bin/wall", "#!/bin/sh\nexit 1\n")
    code, steps = node.drain(at(20))
    assert (code, said(steps)[0]) == (0, ("wall", "warning"))


# A look, and calling it off.


def test_a_dry_run_does_nothing_and_says_what_would_be_done(node):
    job = node.job("trn-test-dry", "SIGUSR1")
    node.conf("[signal t]\nprocess = trn-test-dry\n")
    node.hook("10-a", f'echo x >"{node.root}/ran"')
    node.hook("20-open", "true").chmod(0o777)
    code, steps = node.drain(at(20), "--dry-run")
    assert code == 1
    assert said(steps) == [
        ("state", "planned"),
        ("wall", "planned"),
        ("hook:10-a", "planned"),
        ("hook:20-open", "failed"),
        ("signal:t", "planned"),
    ]
    assert steps[-1]["detail"] == f"SIGUSR1 to process {job.pid}"
    assert [node.read(n) for n in ("ran", "walled", "trn-test-dry.told")] == [""] * 3
    assert (node.state, node.log) == (None, [])
    assert not (node.root / "run").exists()


def test_the_state_can_be_asked_for(node):
    assert node.run("--status") == 0
    assert json.loads(node.output) == {"schema": 1, "state": "none"}
    deadline = at(20)
    node.drain(deadline)
    assert node.run("--status") == 0
    assert json.loads(node.output) == node.state


def test_a_drain_is_called_off_with_hooks_of_its_own(node):
    node.hook("10-a", f'echo drain >>"{node.root}/ran"')
    node.hook("10-b", f'echo "cancel $REASON" >>"{node.root}/ran"', CANCEL_HOOKS)
    deadline = at(20)
    node.drain(deadline)
    assert node.run("--cancel", "--reason", "more money") == 0
    assert node.state is None
    assert node.read("ran") == "drain\ncancel more money\n"
    assert "This node stays: more money." in node.read("walled")
    # It can be asked for again, and is done again.
    assert node.drain(deadline)[0] == 0
    assert node.read("ran").splitlines()[-1] == "drain"


def test_there_may_be_nothing_to_call_off(node):
    node.hook("10-b", f'echo x >"{node.root}/ran"', CANCEL_HOOKS)
    assert node.run("--cancel") == 0
    assert json.loads(node.output)["status"] == "skipped"
    assert node.read("ran") == ""


# What is refused.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--deadline", "2027-03-08T10:50:00", "--reason", "r"), "--deadline must be in UTC"),
        (("--deadline", "2027-03-08T10:50:00+01:00", "--reason", "r"), "--deadline must be in UTC"),
        (("--deadline", "2027-13-08T10:50:00Z", "--reason", "r"), "--deadline is no moment"),
        (("--deadline", "2020-03-08T10:50:00Z", "--reason", "r"), "--deadline has passed"),
        (("--deadline", "2099-03-08T10:50:00Z"), "--reason must say why"),
        (("--deadline", "2099-03-08T10:50:00Z", "--reason", " \n"), "--reason must say why"),
        ((), "one of the arguments --deadline --status --cancel is required"),
        (("--cancel", "--status"), "not allowed with argument"),
        (("--cancel", "--dry-run"), "--dry-run goes with --deadline alone"),
        (("--deadline", "2099-03-08T10:50:00.5Z", "--reason", "r"), "--deadline must be in UTC"),
    ],
)
def test_what_cannot_be_used_does_nothing(node, arguments, words):
    assert node.run(*arguments) == 2
    assert words in node.errors
    assert not (node.root / "run").exists()
    assert node.log == []


def test_only_root_drains_a_node():
    program = str(FOLDER / "trn-drain")
    as_other = (
        f"import os, runpy, sys; os.geteuid = lambda: 1000; sys.argv[0] = {program!r}; "
        f"sys.path.insert(0, {str(FOLDER)!r}); runpy.run_path({program!r}, run_name='__main__')"
    )
    command = [sys.executable, "-c", as_other, "--deadline", at(20), "--reason", "r"]
    ran = subprocess.run(command, capture_output=True, text=True, env={})
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "trn-drain: only root may drain a node\n"


def test_a_reason_is_one_printable_line(node):
    node.drain(at(20), reason="first\nsecond \033[31mred")
    assert node.state["reason"] == "second ?[31mred"


def test_a_state_that_is_not_ours_is_written_anew(node):
    node.write("run/trnkit/drain.json", "[]")
    assert node.run("--status") == 1
    assert "is not what trn-drain writes" in node.errors
    assert node.drain(at(20))[0] == 0
    assert node.state["state"] == "drained"


def test_a_link_in_place_of_the_state_is_not_followed(node):
    (node.root / "run/trnkit").mkdir(parents=True)
    (node.root / "precious").write_text("kept")
    (node.root / "run/trnkit/drain.json").symlink_to(node.root / "precious")
    assert node.drain(at(20))[0] == 1
    assert "/run/trnkit/drain.json cannot be written" in node.errors
    assert node.read("precious") == "kept"


def test_a_lock_that_is_held_is_waited_for_until_the_deadline(node):
    path = node.write("run/trnkit/drain.lock", "")
    with path.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        begun = time.monotonic()
        assert node.drain(at(0.04))[0] == 1
    assert "another drain of this node does not end" in node.errors
    assert time.monotonic() - begun < 10


def test_a_full_disk_under_the_log_stops_nothing(node):
    node.write("var/log", "in the way")
    code, steps = node.drain(at(20))
    assert (code, said(steps)[-1]) == (0, ("drain", "ok"))
    assert "/var/log/trnkit-drain.log cannot be written" in node.errors


# What goes wrong around it.


def test_nobody_who_listens_any_more_stops_nothing(node):
    node.hook("10-a", f'echo x >"{node.root}/ran"')
    running = subprocess.Popen(
        node.command("--deadline", at(20), "--reason", "r"),
        env={"TRNKIT_ROOT": str(node.root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    running.stdout.close()
    errors = running.stderr.read()
    running.stderr.close()
    assert running.wait(timeout=30) == 0
    assert "standard output cannot be written: Broken pipe" in errors
    assert node.read("ran") == "x\n"
    assert node.state["state"] == "drained"
    assert said(node.log)[-1] == ("drain", "ok")


def test_a_full_disk_under_standard_output_stops_nothing(node):
    node.hook("10-a", f'echo x >"{node.root}/ran"')
    with Path("/dev/full").open("w") as full:
        code = subprocess.run(
            node.command("--deadline", at(20), "--reason", "r"),
            env={"TRNKIT_ROOT": str(node.root)},
            stdout=full,
            stderr=full,
            timeout=60,
        ).returncode
    assert code == 0
    assert node.read("ran") == "x\n"
    assert said(node.log)[-1] == ("drain", "ok")


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_what_is_no_file_in_place_of_the_log_holds_nothing_up(node, kind):
    node.write("precious", "kept")
    place = node.root / "var/log/trnkit-drain.log"
    place.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(node.root / "precious")
    code, steps = node.drain(at(20))
    assert (code, said(steps)[-1]) == (0, ("drain", "ok"))
    assert "/var/log/trnkit-drain.log cannot be written" in node.errors
    assert node.read("precious") == "kept"


def test_a_state_that_cannot_be_kept_is_told_and_the_rest_is_done(node):
    job = node.job("trn-test-stateless", "SIGUSR1")
    node.conf("[signal t]\nprocess = trn-test-stateless\n")
    node.hook("10-a", f'echo x >"{node.root}/ran"')
    node.write("run/trnkit", "in the way of the folder")
    code, steps = node.drain(at(20))
    assert code == 1
    assert said(steps) == [
        ("state", "failed"),
        ("wall", "ok"),
        ("hook:10-a", "ok"),
        ("signal:t", "ok"),
        ("drain", "failed"),
    ]
    assert "/run/trnkit/drain.json cannot be written" in steps[0]["detail"]
    assert node.read("ran") == "x\n"
    assert job.poll() is None
    assert node.told("trn-test-stateless") == ["SIGUSR1"]


@pytest.mark.parametrize(
    "text",
    [
        '{"steps": [1], "attempt": 1, "deadline": "D"}',
        '{"steps": [{}], "attempt": 1, "deadline": "D"}',
        '{"steps": [], "deadline": "D"}',
        '{"steps": [], "attempt": "x", "deadline": "D"}',
    ],
)
def test_a_state_of_another_shape_stops_nothing(node, text):
    deadline = at(20)
    node.write("run/trnkit/drain.json", text.replace("D", deadline))
    assert node.drain(deadline)[0] == 0
    assert node.state["state"] == "drained"


def test_a_drain_that_runs_is_called_off_after_its_present_step(node):
    node.hook("10-slow", f'echo x >"{node.root}/slow"; sleep 1')
    node.hook("20-never", f'echo x >"{node.root}/never"')
    running = subprocess.Popen(
        node.command("--deadline", at(20), "--reason", "r"),
        env={"TRNKIT_ROOT": str(node.root)},
        stdout=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 10
    while not node.read("slow") and time.monotonic() < until:
        time.sleep(0.02)
    assert node.run("--cancel") == 0
    lines = [json.loads(line) for line in running.communicate(timeout=30)[0].splitlines()]
    assert running.returncode == 0
    assert (said(lines)[-1], lines[-1]["detail"]) == (("drain", "skipped"), "called off")
    assert node.read("never") == ""
    assert node.state is None
    # Nothing of it keeps a later one from its work.
    node.hook("10-slow", "true")
    assert node.drain(at(20))[0] == 0
    assert node.read("never") == "x\n"


def test_a_folder_of_hooks_that_cannot_be_read_is_told_and_the_rest_is_done(node):
    job = node.job("trn-test-loop", "SIGUSR1")
    node.conf("[signal t]\nprocess = trn-test-loop\n")
    for folder in (HOOKS, CANCEL_HOOKS):
        (node.root / folder).symlink_to(node.root / folder)
    code, steps = node.drain(at(20), "--dry-run")
    assert (code, said(steps)[2]) == (1, ("hooks", "failed"))
    code, steps = node.drain(at(20))
    assert (code, said(steps)[1:]) == (
        1,
        [("hooks", "failed"), ("signal:t", "ok"), ("drain", "failed")],
    )
    assert steps[1]["detail"].startswith("/etc/trnkit/drain.d cannot be read: ")
    assert job.poll() is None
    assert node.told("trn-test-loop") == ["SIGUSR1"]
    assert node.run("--cancel") == 1
    assert '"step": "hooks", "status": "failed"' in node.output


def test_a_state_that_cannot_be_removed_is_no_traceback(node):
    (node.root / "run/trnkit/drain.json").mkdir(parents=True)
    assert node.run("--cancel") == 1
    assert node.errors.startswith("trn-drain: /run/trnkit/drain.json cannot be removed")
    assert "Traceback" not in node.errors


@pytest.mark.parametrize("mode", [0o664, 0o646])
def test_settings_that_others_can_write_signal_nothing(node, mode):
    node.job("trn-test-open", "SIGUSR1")
    place = node.write("etc/trnkit/drain.conf", "[signal t]\nprocess = trn-test-open\n", mode)
    code, steps = node.drain(at(20))
    assert (code, said(steps)) == (
        1,
        [("settings", "failed"), ("wall", "ok"), ("drain", "failed")],
    )
    assert "can be written by others than root" in steps[0]["detail"]
    assert node.read("trn-test-open.told") == ""
    place.chmod(0o644)
    assert node.drain(at(30))[0] == 0
    assert node.told("trn-test-open") == ["SIGUSR1"]


def test_a_link_to_where_others_can_write_is_not_run(node):
    place = node.program("home/somebody/hook", f'#!/bin/sh\necho x >"{node.root}/ran"\n')
    place.parent.chmod(0o777)
    (node.root / HOOKS).mkdir(parents=True)
    (node.root / HOOKS / "10-link").symlink_to(place)
    code, steps = node.drain(at(20))
    assert (code, said(steps)[1]) == (1, ("hook:10-link", "failed"))
    assert node.read("ran") == ""
    place.parent.chmod(0o755)
    assert node.drain(at(30))[0] == 0
    assert node.read("ran") == "x\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_who_writes_a_file_has_root_signal_nobody_elses_process(node):
    job = node.job("trn-test-theirs", "SIGUSR1")
    place = node.write("job.pid", f"{job.pid}\n")
    os.chown(place, 65534, -1)
    node.conf(f"[signal t]\npidfile = {place}\n")
    code, steps = node.drain(at(20))
    assert (code, said(steps)[1]) == (1, ("signal:t", "failed"))
    assert steps[1]["detail"].endswith(f"names process {job.pid}, which is not of the file's owner")
    os.chown(place, 0, -1)
    assert node.drain(at(30))[0] == 0
    assert node.told("trn-test-theirs") == ["SIGUSR1"]


# The machine it runs on.


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_module_is_python_3_9(path):
    text = path.read_text()
    ast.parse(text, feature_version=(3, 9))
    assert path.name == "__init__.py" or "from __future__ import annotations" in text


def test_nothing_but_the_standard_library_is_imported():
    wanted = {
        (node.names[0].name if isinstance(node, ast.Import) else node.module).partition(".")[0]
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level)
    }
    assert wanted - {"trn_node_check"} <= sys.stdlib_module_names


def test_it_leaves_no_file_in_the_bundle(node):
    before = sorted(BUNDLE.rglob("*"))
    node.drain(at(20))
    assert sorted(BUNDLE.rglob("*")) == before


def test_the_program_can_be_started_as_it_is_shipped():
    program = FOLDER / "trn-drain"
    assert program.stat().st_mode & 0o111 == 0o111
    assert program.read_text().splitlines()[0] == "#!/usr/bin/python3 -EsS"
    assert f"/opt/trnkit/current/{program.relative_to(BUNDLE)}" == DRAIN_PROGRAM


def test_the_enforcer_calls_the_program_where_it_is():
    """Its function has nothing of the package, and so the path again."""
    run = BUNDLE.parents[2] / "cost/assets/spend-guard/spend_guard/enforcement_run.py"
    assert f'_DRAIN = "{DRAIN_PROGRAM}"' in run.read_text().splitlines()


def test_the_command_line_of_the_schedule_is_one_that_it_takes(node):
    command = drain_command(at(20), "the Capacity Block's end; $(reboot)")
    command = command.replace(DRAIN_PROGRAM, f"{sys.executable} {FOLDER / 'trn-drain'}")
    ran = subprocess.run(
        ["/bin/sh", "-c", command],
        env={"TRNKIT_ROOT": str(node.root)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert node.state["reason"] == "the Capacity Block's end; $(reboot)"
