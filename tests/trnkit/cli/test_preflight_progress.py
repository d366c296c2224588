"""How a preflight is shown while it runs, and how it ends before its time."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from xml.etree import ElementTree

import pytest

from tests.synthesis import ROOT
from tests.trnkit.cli.test_preflight import ACCOUNTLESS
from tests.trnkit.operations.preflight.fake_account import DENIED, FakeAccount, quota
from tests.trnkit.operations.preflight.situations import answers
from trnkit.aws import session as session_module
from trnkit.cli.preflight_progress import whole_names
from trnkit.operations.preflight import check as check_module
from trnkit.operations.preflight.check import list_checks

CHECKS = list_checks()
TWO = ("--only", "vcpu-quota", "--only", "zone")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def account(monkeypatch, folder):
    """Let the command find an account that answers as told."""

    def say(**changes):
        made = FakeAccount(answers(**changes))
        monkeypatch.setattr(session_module, "AwsSession", lambda **_: made)
        return made

    (folder / "cluster.yaml").write_text(ACCOUNTLESS)
    return say


@pytest.fixture
def terminal(monkeypatch, trnkit):
    """Makes standard error a terminal of 60 columns."""

    def make() -> Terminal:
        stream = Terminal()
        monkeypatch.setattr("sys.stderr", stream)
        return stream

    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    return make


def test_a_bar_on_a_terminal_and_what_is_not_ok_as_it_ends(account, terminal, trnkit):
    account(GetServiceQuota=DENIED)
    stream = terminal()
    assert trnkit("preflight", "cluster.yaml", *TWO).code == 1
    shown = stream.getvalue()
    first, *rest = [part for part in shown.split("\r\x1b[K") if part]
    assert first == "[................] 0/2 waits for zone, vcpu-quota"
    kept = [line for part in rest for line in part.splitlines() if not line.startswith("[")]
    assert [line.rpartition(" (")[0].split() for line in kept] == [
        ["unknown", "vcpu-quota"],
        ["ok", "1", "of", "2", "checks"],
    ]
    assert next(part for part in rest if part.startswith("["))[:22] == "[########........] 1/2"
    assert shown.endswith("\r\x1b[K")


def test_a_bar_is_no_wider_than_the_terminal(account, terminal, trnkit):
    account()
    stream = terminal()
    trnkit("preflight", "cluster.yaml")
    bars = [part for part in stream.getvalue().split("\r\x1b[K") if part.startswith("[")]
    assert len(bars) == len(CHECKS)
    assert 50 < max(map(len, bars)) <= 59
    names = {check.name for check in CHECKS}
    for bar in bars:
        told = re.fullmatch(r"\S+ \d+/\d+ waits for (?:\d+ checks|(.+?)(?: and \d+ more)?)", bar)
        assert set(filter(None, (told[1] or "").split(", "))) <= names, bar


@pytest.mark.parametrize(
    ("width", "told"),
    [
        (31, "waits for zone, offering, image"),
        (30, "waits for zone and 2 more"),
        (24, "waits for 3 checks"),
    ],
)
def test_no_name_is_cut(width, told):
    names = ["zone", "offering", "image"]
    assert whole_names("waits for ", names, width) == told


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_lines_alone_where_nothing_may_move(name, value, account, terminal, trnkit, monkeypatch):
    monkeypatch.setenv(name, value)
    account()
    stream = terminal()
    trnkit("preflight", "cluster.yaml", *TWO)
    assert "\x1b" not in stream.getvalue()
    assert stream.getvalue().startswith("ok       2 of 2 checks (")
    assert len(stream.getvalue().splitlines()) == 1


def test_lines_in_a_log(account, trnkit):
    account(GetServiceQuota=DENIED)
    ran = trnkit("preflight", "cluster.yaml", *TWO)
    lines = [line.rpartition(" (")[0].split() for line in ran.err.splitlines()]
    assert lines == [["unknown", "vcpu-quota"], ["ok", "1", "of", "2", "checks"]]


@pytest.mark.parametrize("report_format", ["json", "sarif", "junit"])
def test_nothing_but_the_report_for_a_program(report_format, account, terminal, trnkit):
    account()
    stream = terminal()
    ran = trnkit("preflight", "cluster.yaml", "--format", report_format)
    assert stream.getvalue() == ""
    read = ElementTree.fromstring if report_format == "junit" else json.loads
    read(ran.out)


def test_junit_has_every_check_and_what_is_unknown_is_an_error(account, trnkit):
    account(GetServiceQuota=quota(383.0), DescribeAvailabilityZones=DENIED)
    ran = trnkit("preflight", "cluster.yaml", "--format", "junit")
    root = ElementTree.fromstring(ran.out)
    (suite,) = root
    kinds = {case.get("name"): case[0].tag for case in suite}
    assert ran.code == 1
    assert len(suite) == len(CHECKS)
    assert (kinds["TRN906 vcpu-quota"], kinds["TRN904 zone"]) == ("failure", "error")
    assert kinds["TRN901 account"] == "system-out"
    assert kinds["TRN921 anomaly-monitor"] == "skipped"
    # A quota asks for the zones too, to know what is in them already.
    asking = [c for c in CHECKS if any(o.name == "DescribeAvailabilityZones" for o in c.needs)]
    ask = [c.name for c in asking if kinds[f"{c.id} {c.name}"] != "skipped"]
    errors = [name.split()[1] for name, kind in kinds.items() if kind == "error"]
    assert errors == ask
    assert all(float(case.get("time")) >= 0 for case in suite)
    assert int(suite.get("skipped")) == list(kinds.values()).count("skipped") > 0
    assert {key: suite.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": str(len(CHECKS)),
        "failures": "1",
        "errors": str(len(ask)),
    }
    (failure,) = root.iter("failure")
    assert "--desired-value 384" in failure.text


def test_junit_of_a_file_with_errors_has_its_findings(account, trnkit, folder):
    account()
    (folder / "cluster.yaml").write_text(ACCOUNTLESS.replace("count: 2", "count: two"))
    ran = trnkit("preflight", "cluster.yaml", "--format", "junit")
    (failure,) = ElementTree.fromstring(ran.out).iter("failure")
    assert failure.get("type") == "TRN005"


@pytest.fixture
def broken(monkeypatch):
    """A check of ours that breaks."""

    def run(account):
        raise RuntimeError("arn:aws:iam::123456789012:role/secret was None")

    changed = [c if c.name != "zone" else dataclasses.replace(c, run=run) for c in CHECKS]
    monkeypatch.setattr(check_module, "list_checks", lambda: tuple(changed))


def test_a_check_that_breaks_costs_no_other_its_answer(account, broken, trnkit):
    account()
    ran = trnkit("preflight", "cluster.yaml")
    assert ran.code == 1
    assert "zone broke, which is a mistake of trnkit: RuntimeError: (an ARN) was None" in ran.out
    assert re.search(rf"not ready: of {len(CHECKS)} checks \d+ pass, 1 is unknown, ", ran.out)
    assert "Traceback" not in ran.out + ran.err


def test_where_it_broke_is_shown_to_who_looks_for_it(account, broken, trnkit, monkeypatch):
    account()
    monkeypatch.setenv("TRNKIT_DEBUG", "1")
    with pytest.raises(RuntimeError, match="secret was None"):
        trnkit("preflight", "cluster.yaml")


def test_clients_that_take_long_to_make_cost_the_time_allowed(account, trnkit, monkeypatch):
    made = account()

    never = threading.Event()

    def slowly(service, region):
        never.wait(60)
        raise AssertionError("nobody waits for it")

    monkeypatch.setattr(made, "client", slowly)
    start = time.monotonic()
    ran = trnkit("preflight", "cluster.yaml", "--timeout", "1")
    taken = time.monotonic() - start
    never.set()
    assert taken < 20
    assert ran.code == 3
    assert "account got no answer within 1 s" in ran.err


def test_credentials_that_take_long_cost_the_time_allowed(folder, process):
    (folder / "cluster.yaml").write_text(ACCOUNTLESS)
    (folder / "config").write_text("[profile slow]\ncredential_process = sleep 20\n")
    start = time.monotonic()
    ran = process(
        "preflight",
        "cluster.yaml",
        "--timeout",
        "1",
        AWS_CONFIG_FILE=str(folder / "config"),
        AWS_PROFILE="slow",
        AWS_ACCESS_KEY_ID="",
        AWS_SECRET_ACCESS_KEY="",
        AWS_SESSION_TOKEN="",
    )
    assert ran.returncode == 3, ran.stderr
    assert ran.stderr.startswith(
        "error: there were no credentials within 1 s; see what the profile"
    )
    assert time.monotonic() - start < 15


def test_ctrl_c_ends_at_once_with_a_sentence(folder):
    (folder / "cluster.yaml").write_text(ACCOUNTLESS)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        command = [sys.executable, "-m", "trnkit.cli.main", "preflight", "cluster.yaml"]
        running = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": str(ROOT), "AWS_ENDPOINT_URL": address},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # Somebody has asked: the checks run.
        silent.settimeout(60)
        asking, _ = silent.accept()
        start = time.monotonic()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        taken = time.monotonic() - start
        asking.close()
    assert (running.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "interrupted; nothing was changed, in AWS or here"
    assert "Traceback" not in err
    assert taken < 10  # A call may take 20 seconds to answer.
