"""Rehearsals that are ended, starved and misled: a sentence, the right exit code, nothing left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.rehearsal.started import Started, allowed, sentence
from tests.synthesis import ROOT
from tests.trnkit.cli.conftest import MINIMAL

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

CREATE = ("--steps", "create")
AT_ONCE = 3

# Seconds after the first line: from the start of the emulated AWS to the last deployment.
MOMENTS = (0.0, 0.3, 0.7, 1.2, 1.8, 2.5, 3.3, 4.1, 5.0, 6.0)

own_disk = pytest.mark.skipif(
    not allowed("unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=64k", "x", "/mnt"),
    reason="this machine lets nobody mount a small disk of his own",
)
own_network = pytest.mark.skipif(
    not allowed("unshare", "-rn", "ip", "link", "set", "lo", "up"),
    reason="this machine lets nobody have a network of his own",
)


def test_a_signal_at_any_moment_ends_everything(tmp_path):
    def interrupt(moment):
        started = Started(tmp_path / str(moment), *CREATE)
        started.wait_for("prepare")
        time.sleep(moment)
        # Ctrl-C of a terminal comes to the whole group; that of a program to one process.
        started.send(signal.SIGINT, to_group=moment > 1)
        ended = started.end()
        started.leaves_nothing()
        return ended

    with ThreadPoolExecutor(AT_ONCE) as threads:
        for ended in threads.map(interrupt, MOMENTS):
            assert ended.code == 130
            assert sentence(ended) == "interrupted; nothing that was started is left"


def test_the_signals_that_end_a_session_end_everything(tmp_path):
    def end(number, moment):
        started = Started(tmp_path / number.name, *CREATE)
        started.wait_for(moment)
        time.sleep(0.5)
        assert started.processes()
        started.send(number)
        ended = started.end()
        # Who is killed cannot tidy up: the emulated AWS sees it and does.
        started.leaves_nothing(within=10 if number == signal.SIGKILL else 2)
        return ended

    signals = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
    moments = ("bootstrap made", "the emulated AWS started", "prepare")
    with ThreadPoolExecutor(AT_ONCE) as threads:
        killed, *ends = threads.map(end, signals, moments)
    assert (killed.code, killed.err) == (-signal.SIGKILL, "")
    for number, ended in zip(signals[1:], ends, strict=True):
        assert ended.code == 128 + number
        assert sentence(ended) == f"ended by {number.name}; nothing that was started is left"


def test_the_death_of_the_emulated_aws_is_said_at_once_and_the_next_run_is_clean(tmp_path):
    started = Started(tmp_path, *CREATE, "--format", "json")
    server = started.server()
    deadline = time.monotonic() + 60
    while not any(" deploy " in command for command in started.processes().values()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.5)
    os.kill(server, signal.SIGKILL)
    killed = time.monotonic()
    ended = started.end()
    assert time.monotonic() - killed < 5
    assert (ended.code, ended.err) == (1, "")
    failure = json.loads(ended.out)["failure"]
    assert failure.startswith("the emulated AWS died during create (SIGKILL): run it again")
    started.leaves_nothing()
    again = Started(tmp_path, *CREATE)
    assert again.end().code == 0
    again.leaves_nothing()


DISK = (
    'mount -t tmpfs -o size="$1" x "$2/tmp" && cd "$2" && shift 2 || exit 99; '
    "(while [ ! -e fill ]; do sleep .05; done; cat /dev/zero > tmp/filled) 2>/dev/null & "
    '"$@"; code=$?; kill $! 2>/dev/null; rm -f tmp/filled; ls -A tmp > left; exit $code'
)


def on_a_disk(folder: Path, size: str) -> Started:
    before = ("unshare", "-rm", "sh", "-c", DISK, "sh", size, str(folder))
    return Started(folder, *CREATE, before=before)


@own_disk
@pytest.mark.parametrize("size", ["4k", "8m"])
def test_a_disk_that_is_too_small_is_said_before_anything_starts(tmp_path, size):
    ended = on_a_disk(tmp_path, size).end()
    assert ended.code == 1
    assert f"{tmp_path}/tmp/trnkit-rehearsal-" in sentence(ended)
    assert "has no room for the 16 MiB that a rehearsal may need: No space left" in ended.err
    assert "set TMPDIR to another folder" in ended.err
    assert (tmp_path / "left").read_text() == ""


@own_disk
@pytest.mark.parametrize("when", ["the emulated AWS started", "bootstrap made"])
def test_a_disk_that_becomes_full_is_the_reason_that_is_given(tmp_path, when):
    started = on_a_disk(tmp_path, "24m")
    started.wait_for(when)
    (tmp_path / "fill").touch()
    ended = started.end()
    assert ended.code == 1
    assert "has no room" in sentence(ended)
    assert "No space left on device" in ended.err
    assert (tmp_path / "left").read_text() == ""


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="no prlimit")
def test_a_limit_of_file_sizes_is_said(tmp_path):
    started = Started(tmp_path, *CREATE, before=("prlimit", "--fsize=1000000"))
    ended = started.end()
    assert ended.code == 1
    assert "File too large" in sentence(ended)
    started.leaves_nothing()


@own_network
def test_a_loopback_interface_that_is_down_is_said(tmp_path):
    started = Started(tmp_path, *CREATE, before=("unshare", "-rn"))
    ended = started.end()
    assert ended.code == 1
    assert sentence(ended) == (
        "error: the emulated AWS cannot be reached on 127.0.0.1: Network is unreachable: "
        "bring the loopback interface up"
    )
    started.leaves_nothing()


SECRETS = ("AKIAIOSFODNN7EXAMPLE", "a-secret-of-the-user", "http://127.0.0.1:9", "misleading")


def misleading_environment(folder: Path) -> dict[str, str]:
    """All that could lead a rehearsal to somebody's account or another place."""
    home = folder / "home"
    (home / ".aws").mkdir(parents=True)
    script = f"credential_process = /bin/sh -c 'touch {folder}/used-credentials; echo {{}}'"
    settings = f"[default]\n{script}\nendpoint_url = http://127.0.0.1:9\n[profile misleading]\n"
    (home / ".aws" / "config").write_text(settings + script)
    (home / ".aws" / "credentials").write_text(f"[default]\n{script}\n[misleading]\n{script}\n")
    (folder / "preload.js").write_text(
        f"require('fs').writeFileSync('{folder}/used-node-options', '')"
    )
    (folder / "start-up.py").write_text(f"open('{folder}/used-start-up', 'w')")
    nowhere = "http://127.0.0.1:9"
    cache = Path.home() / ".cache" / "aws" / "jsii" / "package-cache"
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    return {
        **dict.fromkeys(proxies, nowhere),
        "AUTH": "true",
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "AWS_CA_BUNDLE": "/misleading",
        "AWS_CONFIG_FILE": str(home / ".aws" / "config"),
        "AWS_CSM_ENABLED": "true",
        "AWS_DATA_PATH": "/misleading",
        "AWS_DEFAULTS_MODE": "misleading",
        "AWS_DEFAULT_PROFILE": "misleading",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ENDPOINT_URL": nowhere,
        "AWS_ENDPOINT_URL_S3": nowhere,
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true",
        "AWS_MAX_ATTEMPTS": "misleading",
        "AWS_PROFILE": "misleading",
        "AWS_REGION": "eu-west-1",
        "AWS_RETRY_MODE": "misleading",
        "AWS_SECRET_ACCESS_KEY": "a-secret-of-the-user",
        "AWS_SESSION_TOKEN": "a-secret-of-the-user",
        "AWS_SHARED_CREDENTIALS_FILE": str(home / ".aws" / "credentials"),
        "AWS_USE_DUALSTACK_ENDPOINT": "true",
        "AWS_USE_FIPS_ENDPOINT": "true",
        "CDK_CONTEXT_JSON": "{",
        "CDK_DEBUG": "true",
        "CDK_DEFAULT_ACCOUNT": "123456789012",
        "CDK_DEFAULT_REGION": "eu-west-1",
        "CDK_OUTDIR": str(folder / "used-cdk-outdir"),
        "DOCKER_HOST": "tcp://127.0.0.1:9",
        "GATEWAY_PORT": "9",
        "HOME": str(home),
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(cache),
        "LAMBDA_EXECUTOR": "docker",
        "MINISTACK_ACCOUNT_ID": "123456789012",
        "MOTO_ACCOUNT_ID": "123456789012",
        "MOTO_EC2_LOAD_DEFAULT_AMIS": "true",
        "NODE_OPTIONS": f"--require {folder}/preload.js",
        "NO_PROXY": "",
        "PERSIST_STATE": "1",
        "PYTHONSTARTUP": str(folder / "start-up.py"),
        "S3_DATA_DIR": str(folder / "used-s3"),
        "TEST_SERVER_MODE": "true",
        "no_proxy": "",
    }


def leaks(started: Started) -> set[str]:
    """Commands that are given something of the user's, until the end."""
    found: set[str] = set()
    while started.process.poll() is None:
        for pid, command in started.processes().items():
            try:
                environment = Path(f"/proc/{pid}/environ").read_text(errors="replace")
            except OSError:
                continue
            found |= {f"{word}: {command}" for word in SECRETS if word in environment}
        time.sleep(0.1)
    return found


@own_network
def test_two_at_once_one_misled_and_one_without_network_do_not_see_each_other(tmp_path):
    alone, misled = tmp_path / "alone", tmp_path / "misled"
    misled.mkdir()
    lonely = ("unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    runs = [
        Started(alone, *CREATE, "--format", "json", before=lonely),
        Started(misled, *CREATE, "--format", "json", **misleading_environment(misled)),
    ]
    assert leaks(runs[1]) == set()
    for started in runs:
        ended = started.end()
        assert (ended.code, ended.err) == (0, ""), ended
        (rehearsal,) = json.loads(ended.out)["rehearsals"]
        assert (rehearsal["account"], rehearsal["regions"]) == ("111122223333", ["us-east-2"])
        started.leaves_nothing()
    assert not [path.name for path in misled.iterdir() if path.name.startswith("used-")]
    assert [path.name for path in (misled / "home").iterdir()] == [".aws"]


STREAMS = {"<&- | head -1": 0, "> /dev/full": 2, ">&-": 2}


def test_streams_that_are_closed_or_full(tmp_path):
    """A reader that has gone away is no error, and a rehearsal goes on to its exit code."""

    def run(redirection):
        folder = tmp_path / str(list(STREAMS).index(redirection))
        (folder / "tmp").mkdir(parents=True)
        (folder / "cluster.yaml").write_text(MINIMAL)
        command = f"{sys.executable} -m trnkit.cli.main rehearse cluster.yaml --steps create"
        ran = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command} {redirection}"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert not list((folder / "tmp").iterdir())
        return ran

    with ThreadPoolExecutor(AT_ONCE) as threads:
        for ran, (redirection, code) in zip(
            threads.map(run, STREAMS), STREAMS.items(), strict=True
        ):
            assert ran.returncode == code, redirection + ran.stdout + ran.stderr
            assert len(ran.stderr.splitlines()) == (0 if code == 0 else 1)


def test_an_assembly_that_is_damaged_under_its_hands_is_said(tmp_path):
    started = Started(tmp_path, *CREATE)
    started.wait_for("\ncreate")
    found = list(started.tmp.glob("*/assembly/assembly-*/*.template.json"))
    assert found
    for template in found:
        template.write_text('{"Resources": {')
    ended = started.end()
    assert ended.code == 1
    assert sentence(ended).startswith("error: the cloud assembly is damaged: pretrain")
    assert ended.err.endswith(", during create: run it again\n")
    started.leaves_nothing()
