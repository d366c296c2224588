"""The command line as a process: heard while it runs, and ended when it does not end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from trnkit.emulation.process import EmulatedAws, EmulationError
from trnkit.operations.rehearsal import cdk_cli
from trnkit.operations.rehearsal.cdk_cli import CdkCli, CdkHungError


@pytest.fixture
def aws(tmp_path):
    """Something that is alive, in place of the emulated AWS."""
    home = tmp_path / "home"
    home.mkdir()
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield EmulatedAws("http://127.0.0.1:9", "111122223333", home, process)
        process.kill()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()


@pytest.fixture
def cdk(aws, tmp_path, monkeypatch):
    """The command line, with a shell script in the place of `cdk`."""
    events = []

    def make(script: str) -> CdkCli:
        program = tmp_path / "cdk"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(cdk_cli, "cdk_program", lambda environ: str(program))
        made = CdkCli(aws, dict(os.environ), events.append)
        made.events = events
        return made

    return make


def left_of(folder: Path) -> list[int]:
    """Processes with this folder as their home that are there after a moment, which death takes."""
    deadline = time.monotonic() + 2
    while (found := children_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def children_of(folder: Path) -> list[int]:
    """Processes that were given this folder as their home."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"HOME={folder}" in (entry / "environ").read_text():
                found.append(int(entry.name))
        except (OSError, UnicodeDecodeError):
            continue
    return found


EVENT = "pretrain-Network | 3/19 | 8:01:02 AM | CREATE_COMPLETE | AWS::EC2::VPC | Vpc (Vpc8378EB38)"


def test_lines_and_events_are_heard(cdk):
    made = cdk(f"echo '{EVENT}'; echo error >&2; printf 'no end of line \\377'; exit 3")
    ran = made.run("us-east-2", "deploy", "--all")
    assert (ran.exit_code, ran.succeeded, ran.arguments) == (3, False, ("deploy", "--all"))
    assert ran.output.splitlines() == [EVENT, "error", "no end of line \ufffd"]
    (event,) = made.events
    assert (event.stack, event.status, event.done, event.of) == (
        "pretrain-Network",
        "CREATE_COMPLETE",
        3,
        19,
    )


@pytest.mark.parametrize(
    "script",
    [
        "echo waiting for you; sleep 60",
        "trap '' TERM; echo waiting for you; while true; do sleep 1; done",
        "sleep 60 & echo waiting for you; exec >/dev/null 2>&1; sleep 60",
    ],
    ids=["silent", "deaf to SIGTERM", "its output closed"],
)
def test_one_that_hangs_is_ended_with_all_it_started(cdk, aws, monkeypatch, script):
    monkeypatch.setattr(cdk_cli, "LONGEST_RUN_SECONDS", 0.5)
    monkeypatch.setattr(cdk_cli, "_GRACE_SECONDS", 0.5)
    made = cdk(script)
    began = time.monotonic()
    with pytest.raises(CdkHungError) as caught:
        made.run("us-east-2", "deploy")
    assert time.monotonic() - began < 5
    words = "cdk deploy did not end within 0 s and was ended; the last it said: waiting for you"
    assert str(caught.value) == words
    assert left_of(aws.folder) == []


def test_one_that_leaves_a_child_with_its_output_is_not_waited_for(cdk, aws):
    began = time.monotonic()
    ran = cdk("sleep 60 & echo done").run("us-east-2", "deploy")
    assert (ran.exit_code, ran.output) == (0, "done")
    assert time.monotonic() - began < 5
    assert left_of(aws.folder) == []


def test_the_death_of_the_emulated_aws_ends_it(cdk, aws):
    made = cdk(f"kill -9 {aws.process.pid}; sleep 60")
    with pytest.raises(EmulationError, match="died during cdk deploy \\(SIGKILL\\): run it again"):
        made.run("us-east-2", "deploy")
    assert left_of(aws.folder) == []


def test_ctrl_c_ends_it(cdk, aws):
    made = cdk(f"kill -INT {os.getpid()}; sleep 60")
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            made.run("us-east-2", "deploy")
    finally:
        signal.signal(signal.SIGINT, previous)
    assert left_of(aws.folder) == []


def test_its_environment_holds_nothing_of_the_users(cdk, aws, monkeypatch):
    for name in ("AWS_PROFILE", "NODE_OPTIONS", "HTTPS_PROXY", "CDK_DEFAULT_ACCOUNT"):
        monkeypatch.setenv(name, "of-the-user")
    ran = cdk("env").run("us-east-2", "deploy")
    given = dict(line.split("=", 1) for line in ran.output.splitlines())
    assert "of-the-user" not in given.values()
    assert given["AWS_ENDPOINT_URL"] == aws.endpoint
    assert given["AWS_REGION"] == "us-east-2"
    assert given["HOME"] == given["TMPDIR"] == str(aws.folder)
