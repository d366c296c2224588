"""`trnkit rehearse` as far as it needs no emulated AWS; tests/rehearsal has the rest."""

from __future__ import annotations

import io
import json
import shlex
import subprocess

import pytest

from trnkit.cli import rehearsal_keeping
from trnkit.cli.rehearsal_progress import cut, progress_for
from trnkit.emulation.process import EmulatedAws, EmulationError
from trnkit.operations.rehearsal import running
from trnkit.operations.rehearsal.cdk_cli import CdkHungError, Event
from trnkit.report.rehearsal_results import Fact

EVENT = Event(
    stack="pretrain-Network",
    status="CREATE_COMPLETE",
    type="AWS::EC2::VPC",
    resource="Vpc (Vpc8378EB38)",
    done=3,
    of=19,
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch, capsys):
    """Makes standard output a terminal of 40 columns."""

    def make() -> Terminal:
        stream = Terminal()
        monkeypatch.setattr("sys.stdout", stream)
        return stream

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    return make


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--steps", "create,fly"], "--steps: 'fly' is no step: name some of create, update,"),
        (["--steps", ","], "--steps: no step is named"),
        (["--keep", "other.yaml"], "--keep keeps one emulated AWS running: name one file"),
        (["-"], "standard input cannot be: name a file"),
    ],
)
def test_wrong_usage_is_exit_code_2(trnkit, cluster_file, arguments, words):
    ran = trnkit("rehearse", "cluster.yaml", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_file_that_cannot_be_read_is_exit_code_2(trnkit, folder):
    ran = trnkit("rehearse", "nowhere.yaml", "--format", "json")
    assert ran.code == 2
    assert json.loads(ran.out)["rehearsals"] == []


def test_nothing_is_started_for_a_file_with_errors(trnkit, cluster_file, monkeypatch):
    monkeypatch.setattr(running, "rehearse", pytest.fail)
    cluster_file.write_text(cluster_file.read_text().replace("count: 2", "count: many"))
    assert trnkit("rehearse", "cluster.yaml").code == 1


def test_a_missing_package_is_named(trnkit, cluster_file, monkeypatch):
    monkeypatch.setattr("trnkit.emulation.needs.PACKAGES", ("boto3", "no_such_package"))
    ran = trnkit("rehearse", "cluster.yaml")
    assert ran.code == 1
    assert "trnkit rehearse needs no_such_package: run `make setup`" in ran.err


@pytest.mark.parametrize(
    "error", [EmulationError("it died: run it again"), CdkHungError("it hung: run it again")]
)
def test_what_ends_a_rehearsal_is_a_sentence_and_exit_code_1(
    trnkit, cluster_file, monkeypatch, error
):
    def fail(*arguments, **keywords):
        raise error

    monkeypatch.setattr(running, "rehearse", fail)
    ran = trnkit("rehearse", "cluster.yaml")
    assert (ran.code, ran.out, ran.err) == (1, "", f"error: {error}\n")
    ran = trnkit("rehearse", "cluster.yaml", "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    assert json.loads(ran.out)["failure"] == str(error)


def test_the_moving_line_fits_and_is_erased(terminal):
    stream = terminal()
    progress = progress_for("text", stream)
    progress.step("create", "cdk deploy")
    progress.event(EVENT)
    progress.fact(Fact(holds=True, text="it is there"))
    progress.done()  # nothing stands there any more
    erase = "\r\x1b[K"
    moving = "  [##..............] 3/19 pretrain-Network"[:39]
    assert stream.getvalue() == (
        f"create\n{erase}  cdk deploy{erase}{moving}{erase}  ok    it is there\n"
    )


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_line_moves_where_escape_sequences_are_not_wanted(
    terminal, monkeypatch, variable, value
):
    monkeypatch.setenv(variable, value)
    stream = terminal()
    progress = progress_for("text", stream)
    progress.step("create", "cdk deploy")
    progress.event(EVENT)
    progress.done()
    assert stream.getvalue() == "create\n"


def test_names_that_are_not_printable_do_not_reach_the_terminal(terminal):
    stream = terminal()
    progress = progress_for("text", stream)
    progress.step("create", "a\x1b]0;title\x07b\nc")
    moving = stream.getvalue().rpartition("\r\x1b[K")[2]
    assert moving.isprintable()


def test_wide_characters_take_two_columns():
    assert cut("ab訓練c", 5) == "ab訓"
    assert cut("ab訓練c", 7) == "ab訓練c"
    assert cut("abc", 0) == ""


def test_a_terminal_that_is_gone_does_not_matter(terminal, monkeypatch):
    stream = terminal()
    progress = progress_for("text", stream)

    def fail(text):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(stream, "write", fail)
    before = stream.getvalue()
    progress.event(EVENT)
    progress.done()
    assert stream.getvalue() == before


def test_the_lines_take_back_what_would_lead_tools_elsewhere():
    variables = {"AWS_REGION": "us-east-2", "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    environ = {"AWS_PROFILE": "mine", "AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL_S3": "http://x"}
    lines = rehearsal_keeping.lines_of(variables, environ)
    shell = "\n".join([*lines, "env"])
    ran = subprocess.run(
        ["bash", "--norc", "-c", shell], env=environ, capture_output=True, text=True, check=True
    )
    told = dict(line.split("=", 1) for line in ran.stdout.splitlines())
    assert {k: v for k, v in told.items() if k.startswith("AWS_")} == variables
    assert all(shlex.split(line) for line in lines)


def test_when_what_is_kept_ends_by_itself_that_is_said(tmp_path, capsys):
    with subprocess.Popen(["sh", "-c", "kill -9 $$"], stdin=subprocess.PIPE) as process:
        aws = EmulatedAws("http://127.0.0.1:9", "111122223333", tmp_path, process)
        said = []
        assert not rehearsal_keeping.stay(aws, ("us-east-2",), said.append)
    assert "export AWS_REGION=us-east-2" in said
    words = "error: the emulated AWS died during --keep (SIGKILL): run it again;"
    assert capsys.readouterr().err.startswith(words)
