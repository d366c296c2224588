"""The process of the emulated AWS: how it starts, what it is blind to, and that it always ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

from tests.synthesis import ROOT
from trnkit.emulation import process
from trnkit.emulation.borrowed import of_clients
from trnkit.emulation.process import EmulationError, emulated_aws, unwritable
from trnkit.emulation.undisturbed import undisturbed

ACCOUNT = "111122223333"


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not asked for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(*pids: int, within: float = 10.0) -> bool:
    """Whether processes end in time."""
    deadline = time.monotonic() + within
    while any(is_there(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_it_ends_with_the_block_also_when_the_block_fails(tmp_path):
    def fail():
        with emulated_aws(ACCOUNT, folder=tmp_path) as aws:
            seen.append(aws)
            assert aws.alive
            assert aws.trouble("a test") is None
            assert aws.folder.parent == tmp_path
            raise RuntimeError

    seen = []
    with pytest.raises(RuntimeError):
        fail()
    (aws,) = seen
    assert not aws.alive
    assert not list(tmp_path.iterdir())


def test_it_is_blind_to_the_settings_of_the_user(tmp_path, monkeypatch):
    script = f"credential_process = /bin/sh -c 'touch {tmp_path}/used'"
    (tmp_path / ".aws").mkdir()
    for name in ("config", "credentials"):
        (tmp_path / ".aws" / name).write_text(f"[default]\n{script}\nregion = eu-west-1\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_ACCESS_KEY_ID"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_PROFILE", "AWS_MAX_ATTEMPTS", "AWS_DATA_PATH", "AWS_CA_BUNDLE"):
        monkeypatch.setenv(name, "misleading")
    for name in ("AWS_ENDPOINT_URL_STS", "HTTP_PROXY", "http_proxy", "DOCKER_HOST"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("MINISTACK_ACCOUNT_ID", "MOTO_ACCOUNT_ID"):
        monkeypatch.setenv(name, "123456789012")
    monkeypatch.setenv("AWS_USE_FIPS_ENDPOINT", "true")
    with emulated_aws(ACCOUNT, folder=tmp_path) as aws:
        clients = aws.clients("us-east-2")
        assert clients("sts").get_caller_identity()["Account"] == ACCOUNT
        vpc = clients("ec2").describe_vpcs()["Vpcs"][0]
        assert vpc["OwnerId"] == ACCOUNT
        assert clients("s3").list_buckets()["Buckets"] == []
        environment = Path(f"/proc/{aws.process.pid}/environ")
        if environment.exists():
            assert "misleading" not in environment.read_text(errors="replace")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".aws"]


def listening(pid: int) -> list[tuple[str, int]]:
    """Addresses, as the kernel writes them, and ports that a process listens on."""
    mine = {str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in mine:
                address, _, port = fields[1].partition(":")
                found.append((address, int(port, 16)))
    return found


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="needs /proc")
def test_it_listens_on_one_port_of_this_machine_alone(tmp_path):
    with emulated_aws(ACCOUNT, folder=tmp_path) as aws:
        with urllib.request.urlopen(f"{aws.endpoint}/_ministack/health", timeout=10) as answer:
            health = json.load(answer)
        assert health["iot_mtls"] == "disabled"
        port = int(aws.endpoint.rpartition(":")[2])
        loopback = "0100007F" if sys.byteorder == "little" else "7F000001"
        assert listening(aws.process.pid) == [(loopback, port)]
        environment = Path(f"/proc/{aws.process.pid}/environ").read_text(errors="replace")
        assert f"TMPDIR={aws.folder}" in environment


def test_its_death_is_a_sentence_and_its_clients_errors_are_known(tmp_path):
    with emulated_aws(ACCOUNT, folder=tmp_path) as aws:
        aws.process.kill()
        assert aws.trouble("create", patience=5).startswith(
            "the emulated AWS died during create (SIGKILL): run it again; where memory is short"
        )
        with pytest.raises(EmulationError, match="does not answer: Connection refused"):
            aws.inventory()
        with pytest.raises(of_clients()):
            aws.clients("us-east-2")("sts").get_caller_identity()
        aws.guard(1)  # nobody listens any more, which is no error
    assert not list(tmp_path.iterdir())


def test_it_ends_when_it_does_not_answer_any_more(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "END_SECONDS", 0.5)
    with emulated_aws(ACCOUNT, folder=tmp_path) as aws:
        aws.process.send_signal(signal.SIGSTOP)
    assert gone(aws.process.pid, within=1)
    assert not list(tmp_path.iterdir())


STARTER = """
import os, subprocess, sys, time
from trnkit.emulation.process import emulated_aws
with emulated_aws("111122223333", folder=sys.argv[1]) as aws:
    guarded, released = (
        subprocess.Popen(["sleep", "60"], start_new_session=True) for _ in range(2)
    )
    aws.guard(guarded.pid)
    aws.guard(released.pid)
    aws.release(released.pid)
    print(aws.process.pid, guarded.pid, released.pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_when_its_starter_is_killed_it_ends_what_it_guards_and_takes_its_folder_away(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", STARTER, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as starter:
        server, guarded, released = map(int, starter.stdout.readline().split())
        assert list(tmp_path.iterdir())
        starter.kill()
    try:
        assert gone(server, guarded)
        assert is_there(released)
        assert not list(tmp_path.iterdir())
    finally:
        os.kill(released, signal.SIGKILL)


def test_why_it_did_not_start_is_said(tmp_path, monkeypatch):
    seeds = [{"kind": "no-such-kind"}]
    with pytest.raises(EmulationError) as caught, emulated_aws(ACCOUNT, seeds=seeds):
        pass
    assert str(caught.value).startswith("the emulated AWS did not start: ValueError: no such kind")

    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nkill -9 $$\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(program))
    with (
        pytest.raises(EmulationError, match="did not start: SIGKILL: run it again"),
        emulated_aws(ACCOUNT, folder=tmp_path),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["python"]


def test_a_port_that_cannot_be_opened_is_said(tmp_path, monkeypatch):
    program = tmp_path / "python"
    code = (
        "import errno, os, runpy, socket, sys\n"
        "def refuse(*a, **k): raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))\n"
        "socket.create_server = refuse\n"
        "runpy.run_module('trnkit.emulation.server', run_name='__main__')\n"
    )
    (tmp_path / "code.py").write_text(code)
    program.write_text(f'#!/bin/sh\nshift 2\nexec {sys.executable} {tmp_path}/code.py "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(program))
    with (
        pytest.raises(EmulationError) as caught,
        emulated_aws(ACCOUNT, folder=tmp_path),
    ):
        pass
    reason = "no port of 127.0.0.1 can be opened: Address already in use"
    assert str(caught.value) == f"the emulated AWS did not start: {reason}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["code.py", "python"]


def test_a_start_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(program))
    monkeypatch.setattr(process, "START_SECONDS", 0.3)
    monkeypatch.setattr(process, "END_SECONDS", 0.3)
    with (
        pytest.raises(EmulationError, match="it was not ready after 0 s"),
        emulated_aws(ACCOUNT, folder=tmp_path),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["python"]


def test_no_folder_for_its_state_is_said(tmp_path):
    with (
        pytest.raises(EmulationError, match="no folder for its state: No such file or directory"),
        emulated_aws(ACCOUNT, folder=tmp_path / "nowhere"),
    ):
        pass
    assert unwritable(tmp_path) is None
    assert "No such file or directory" in str(unwritable(tmp_path / "nowhere"))
    assert not list(tmp_path.iterdir())


def test_two_have_ports_folders_and_states_of_their_own(tmp_path):
    with (
        emulated_aws(ACCOUNT, folder=tmp_path) as one,
        emulated_aws("123456789012", folder=tmp_path) as other,
    ):
        one.clients("us-east-2")("s3").create_bucket(
            Bucket="only-here", CreateBucketConfiguration={"LocationConstraint": "us-east-2"}
        )
        assert one.endpoint != other.endpoint
        assert other.clients("us-east-2")("s3").list_buckets()["Buckets"] == []
        accounts = [
            aws.clients("us-east-2")("sts").get_caller_identity()["Account"] for aws in (one, other)
        ]
    assert accounts == [ACCOUNT, "123456789012"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_until_a_block_is_done(number):
    came = []
    previous = signal.signal(number, lambda got, frame: came.append(got))
    try:
        with undisturbed():
            signal.raise_signal(number)
            assert came == []
        assert came == [number]
        signal.signal(number, signal.SIG_IGN)
        with undisturbed():
            assert signal.getsignal(number) == signal.SIG_IGN
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, previous)


def test_beside_the_main_thread_no_signal_is_touched():
    done = []

    def block():
        with undisturbed():
            done.append(True)

    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    assert done
