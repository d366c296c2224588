"""`--keep`: tools that are not ours talk to the emulated AWS with the printed lines alone."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rehearsal.started import TRNKIT, Started
from tests.synthesis import ROOT

BIN = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    started = Started(folder, "--steps", "create,destroy", "--format", "json", "--keep")
    started.wait_for("no_proxy")
    yield started
    if started.process.poll() is None:
        started.send(signal.SIGINT)
        started.end()


@pytest.fixture(scope="module")
def assembly(kept, tmp_path_factory):
    out = tmp_path_factory.mktemp("assembly") / "cdk.out"
    file = str(kept.tmp.parent / "cluster.yaml")
    synth = [*TRNKIT, "synth", file, "--out", str(out), "--no-cdk-validation"]
    subprocess.run(
        synth, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    return out


@pytest.fixture
def shell(kept, tmp_path):
    """A shell with an empty environment that was given the printed lines."""
    lines = [line for line in kept.err.splitlines() if line.startswith(("export ", "unset "))]

    def run(program: str, *arguments: str) -> str:
        command = shlex.join([str(BIN / program), *arguments])
        ran = subprocess.run(
            ["bash", "--norc", "-c", "\n".join([*lines, command])],
            cwd=tmp_path,
            env={},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout + ran.stderr

    return run


def test_the_result_is_whole_before_it_waits_and_nothing_is_destroyed(kept):
    (rehearsal,) = json.loads(kept.out)["rehearsals"]
    assert [step["name"] for step in rehearsal["steps"]] == ["prepare", "create"]
    assert rehearsal["succeeded"]
    assert kept.process.poll() is None


def test_the_aws_cli_sees_what_was_deployed(shell):
    stacks = json.loads(shell("aws", "cloudformation", "describe-stacks"))["Stacks"]
    assert {stack["StackName"] for stack in stacks} == {
        "CDKToolkit",
        "pretrain-Compute",
        "pretrain-Cost",
        "pretrain-Network",
    }
    budgets = json.loads(shell("aws", "budgets", "describe-budgets", "--account-id=111122223333"))
    assert budgets["Budgets"][0]["BudgetLimit"] == {"Amount": "1000", "Unit": "USD"}


def test_boto3_sees_the_nodes(shell):
    program = (
        "import boto3; found = boto3.client('ec2').describe_instances()['Reservations']; "
        "print([i['InstanceType'] for r in found for i in r['Instances']])"
    )
    assert shell("python", "-c", program).strip() == "['trn2.48xlarge', 'trn2.48xlarge']"


def test_cdk_deploys_and_finds_neither_difference_nor_drift(shell, assembly):
    deployed = shell("cdk", "deploy", "--app", str(assembly), "**", "--require-approval", "never")
    assert deployed.count("(no changes)") == 3
    assert "Number of stacks with differences: 0" in shell("cdk", "diff", "--app", str(assembly))
    assert "resources with drift: 0" in shell("cdk", "drift", "--app", str(assembly), "**")


def test_ctrl_c_ends_it_with_the_exit_code_of_the_result(kept):
    kept.send(signal.SIGINT, to_group=True)
    ended = kept.end()
    assert ended.code == 0
    assert ended.err.endswith("\nending the emulated AWS\n")
    assert "Traceback" not in ended.err
    kept.leaves_nothing()
