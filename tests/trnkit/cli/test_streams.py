"""Standard streams that are closed, full or pipes: a sentence and an exit code, never a trace."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.synthesis import ROOT
from tests.trnkit.cli.conftest import MINIMAL, TEMPLATE

full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


@pytest.fixture
def shell(folder):
    """Run a line of bash in which `trnkit` is this checkout's."""
    command = f"{shlex.quote(sys.executable)} -m trnkit.cli.main"

    def run(line):
        return subprocess.run(
            ["bash", "-c", f'trnkit() {{ {command} "$@"; }}; {line}'],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@full
@pytest.mark.parametrize(
    "command",
    ["check cluster.yaml", "check cluster.yaml --format json", "rules", "--help", "init x.yaml"],
)
def test_a_full_device_is_one_line_and_exit_code_2(shell, cluster_file, command):
    ran = shell(f"trnkit {command} > /dev/full")
    assert ran.returncode == 2
    assert "No space left on device" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_a_closed_standard_output_is_one_line_and_exit_code_2(shell, cluster_file):
    ran = shell("trnkit check cluster.yaml >&-")
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: standard output is closed")
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize("redirection", ["2>&-", pytest.param("2>/dev/full", marks=full)])
def test_complaints_that_cannot_be_written_do_not_reach_standard_output(shell, redirection):
    ran = shell(f"trnkit init nowhere/x.yaml {redirection}")
    assert (ran.returncode, ran.stdout) == (2, "")


@pytest.mark.parametrize("verb", ["check", "lint"])
def test_a_closed_standard_input_is_said(shell, verb):
    ran = shell(f"trnkit {verb} - --format json <&-")
    assert ran.returncode == 2
    content = json.loads(ran.stdout)
    assert content["findings"][0]["rule_id"] == "TRN001"
    assert "standard input is closed" in content["failure"]


def test_check_reads_standard_input_and_pipes(shell, cluster_file):
    expected = shell("trnkit check cluster.yaml").stdout.replace("cluster.yaml", "<stdin>")
    assert shell("trnkit check - < cluster.yaml").stdout == expected
    ran = shell("trnkit check <(cat cluster.yaml) --format json")
    assert (ran.returncode, json.loads(ran.stdout)["summary"]["error"]) == (0, 0)


def test_check_reads_standard_input_once_and_says_its_line(shell, folder):
    (folder / "wrong.yaml").write_text(MINIMAL + "extra: 1\n")
    ran = shell("trnkit check - - < wrong.yaml")
    assert ran.returncode == 1
    assert ran.stdout.startswith("<stdin>:13:1  error    TRN003")
    assert ran.stdout.endswith("1 error in <stdin>\n")


def test_standard_input_without_end_is_bounded(shell):
    ran = shell("yes '# again' | trnkit check -")
    assert ran.returncode == 2
    assert "larger than 1,000,000 bytes" in ran.stdout


def test_lint_reads_a_pipe(shell, folder):
    (folder / "t.yaml").write_text(TEMPLATE)
    ran = shell("trnkit lint <(cat t.yaml)")
    assert ran.returncode == 1
    assert "TRN252" in ran.stdout


@pytest.mark.parametrize("file", ["-", "<(cat cluster.yaml)"])
def test_synth_says_that_it_takes_no_pipe(shell, cluster_file, file):
    ran = shell(f"trnkit synth {file}")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "cluster files are read twice here" in ran.stderr
