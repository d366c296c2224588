"""`trnkit synth` with the real CDK app. Failures of the app are in operations/test_synthesis.py."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from tests.synthesis import EXAMPLES
from tests.trnkit.cli.conftest import MINIMAL
from trnkit.cli import output
from trnkit.cli.commands import synth
from trnkit.cli.signals import unwound_by_signals
from trnkit.config import load_cluster
from trnkit.operations.synthesis import Synthesis


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_becomes_an_assembly(path, trnkit, folder):
    ran = trnkit("synth", str(path), "--no-cdk-validation", "--format", "json")
    content = json.loads(ran.out)
    assert (ran.code, ran.err, content["succeeded"]) == (0, "", True)
    stacks = {stack["id"].partition("/")[2]: stack for stack in content["stacks"]}
    config = load_cluster(path).config
    storage = {"Storage"} if config.storage.lustre_file_systems else set()
    images = {"Images"} if config.compute.image_pipeline else set()
    guard = {"Guard"} if config.budget.watchdog else set()
    assert set(stacks) == {"Network", "Compute", "Cost"} | storage | images | guard
    for stack in stacks.values():
        template = json.loads((folder / stack["template"]).read_text())
        assert stack["resources"] == len(template["Resources"])
    groups = len(config.compute.node_groups)
    assert stacks["Compute"]["resource_types"]["AWS::EC2::LaunchTemplate"] == groups


@pytest.fixture
def on_path(folder, monkeypatch):
    """A folder first on PATH with a `cdk` in it, and none elsewhere."""
    tools = folder.parent / f"{folder.name}-tools"
    tools.mkdir()
    (tools / "cdk").write_text("#!/bin/sh\n")
    (tools / "cdk").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    return tools


def test_the_next_commands_are_those_of_the_environment_when_cdk_is_not_on_path(
    folder, monkeypatch, on_path
):
    assert synth._cdk() == "cdk"
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr("sys.executable", str(folder / ".venv" / "bin" / "python"))
    assert synth._cdk() == "cdk"
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "cdk").write_text("")
    assert synth._cdk() == ".venv/bin/cdk"
    monkeypatch.setattr("sys.executable", str(on_path / "python"))
    assert synth._cdk() == str(on_path / "cdk")


def test_the_text_tells_what_was_made_and_what_comes_next(trnkit, cluster_file, folder, on_path):
    ran = trnkit("synth", "cluster.yaml", "--out", "out", "--no-cdk-validation")
    assert ran.code == 0
    assert "pretrain-Compute (us-east-2)\n  template  out/assembly-pretrain/" in ran.out
    assert "LaunchTemplate, AutoScalingGroup" in ran.out
    bootstrap, deploy = ran.out.splitlines()[-2:]
    assert bootstrap == "next: cdk bootstrap --app out    (once per account and region)"
    assert deploy == "      cdk deploy --app out 'pretrain/*'"
    assert sorted(path.name for path in folder.iterdir()) == ["cluster.yaml", "out"]


def test_the_same_file_gives_the_same_bytes_over_an_old_assembly(trnkit, cluster_file, folder):
    def content() -> dict[str, bytes]:
        files = [path for path in (folder / "cdk.out").rglob("*") if path.is_file()]
        return {str(path): path.read_bytes() for path in files}

    assert trnkit("synth", "cluster.yaml", "--no-cdk-validation").code == 0
    first = content()
    (folder / "cdk.out" / "stale.template.json").write_text("{}")
    assert trnkit("synth", "cluster.yaml", "--no-cdk-validation").code == 0
    assert content() == first


def test_the_cdk_validator_runs_unless_it_is_told_not_to(trnkit, cluster_file):
    ran = trnkit("synth", "cluster.yaml", "--format", "json")
    assert (ran.code, json.loads(ran.out)["succeeded"]) == (0, True)


def test_several_clusters_share_an_assembly(trnkit, cluster_file, folder):
    (folder / "other.yaml").write_text(MINIMAL.replace("pretrain", "finetune"))
    ran = trnkit("synth", "cluster.yaml", "other.yaml", "--no-cdk-validation")
    assert ran.code == 0
    assert ran.out.endswith("cdk deploy --app cdk.out 'pretrain/*' 'finetune/*'\n")
    assert trnkit("lint", "cdk.out").code == 0


def test_equal_names_cannot_share_an_assembly(trnkit, cluster_file, folder):
    other = MINIMAL.replace("us-east-2", "us-west-2").replace("trn2.48xlarge", "trn1.32xlarge")
    (folder / "other.yaml").write_text(other)
    ran = trnkit("synth", "cluster.yaml", "other.yaml")
    assert ran.code == 1
    assert re.search("^other.yaml:2:1 +error    TRN007", ran.out, re.MULTILINE)
    assert ran.out.count("TRN007") == 1
    assert not (folder / "cdk.out").exists()


def test_errors_of_the_check_stop_it(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL + "extra: 1\n")
    ran = trnkit("synth", "cluster.yaml", "--format", "json")
    content = json.loads(ran.out)
    assert (ran.code, content["stacks"]) == (1, [])
    assert content["findings"][0]["rule_id"] == "TRN003"
    assert not (folder / "cdk.out").exists()


def test_a_missing_file_is_exit_code_2(trnkit):
    assert trnkit("synth", "nothing.yaml").code == 2


@pytest.mark.parametrize("report_format", ["text", "json"])
def test_a_folder_of_other_things_is_not_replaced(trnkit, cluster_file, folder, report_format):
    (folder / "work").mkdir()
    (folder / "work" / "thesis.tex").write_text("years")
    ran = trnkit("synth", "cluster.yaml", "--out", "work", "--format", report_format)
    assert ran.code == 2
    assert "something else than a cloud assembly" in (
        ran.out if report_format == "json" else ran.err
    )
    assert (folder / "work" / "thesis.tex").read_text() == "years"


@pytest.mark.parametrize("report_format", ["text", "json"])
def test_a_missing_node_is_one_sentence(trnkit, cluster_file, monkeypatch, report_format):
    monkeypatch.setenv("JSII_NODE", "/no/such/node")
    ran = trnkit("synth", "cluster.yaml", "--format", report_format)
    assert ran.code == 1
    if report_format == "json":
        assert "/no/such/node" in json.loads(ran.out)["failure"]
    else:
        assert ran.err.startswith("error: JSII_NODE is '/no/such/node'")


def test_suppressions_of_template_rules_that_silence_nothing_are_told_by_synth(trnkit, folder):
    text = MINIMAL + "suppress:\n  - {rule_id: TRN353, reason: not needed here at all}\n"
    (folder / "cluster.yaml").write_text(text)
    assert "TRN006" not in trnkit("check", "cluster.yaml").out
    ran = trnkit("synth", "cluster.yaml", "--no-cdk-validation", "--format", "json")
    (finding,) = [f for f in json.loads(ran.out)["findings"] if f["rule_id"] == "TRN006"]
    assert (ran.code, finding["severity"], finding["file"]) == (0, "warning", "cluster.yaml")
    assert finding["message"] == "suppress[0] suppresses nothing: no template breaks TRN353"
    strict = trnkit("synth", "cluster.yaml", "--no-cdk-validation", "--strict", "--out", "new")
    assert strict.code == 1
    assert not (folder / "new").exists()


@pytest.mark.parametrize(
    ("report_format", "terminal"), [("text", True), ("json", True), ("text", False)]
)
def test_the_steps_are_told_to_a_terminal_and_to_no_program(
    trnkit, cluster_file, folder, monkeypatch, report_format, terminal
):
    def stand_in(*args, progress, **kwargs):
        progress("synthesize: all of it")
        return Synthesis(succeeded=True, directory=folder)

    monkeypatch.setattr("trnkit.operations.synthesis.synthesize", stand_in)
    monkeypatch.setattr(output, "is_terminal", lambda stream: terminal)
    ran = trnkit("synth", "cluster.yaml", "--format", report_format)
    lines = ["check: 1 cluster file", "synthesize: all of it"]
    assert ran.err.splitlines() == (lines if report_format == "text" and terminal else [])


def test_a_warning_of_the_check_is_told_once(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL)
    ran = trnkit("synth", "cluster.yaml", "--no-cdk-validation")
    assert ran.err == ""
    assert ran.out.count("TRN204") == 1


def test_a_hang_up_that_nohup_switched_off_stays_off():
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with unwound_by_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert callable(signal.getsignal(signal.SIGTERM))
    finally:
        signal.signal(signal.SIGHUP, previous)


@pytest.mark.parametrize(("there", "said"), [(True, "left as it was"), (False, "not made")])
def test_what_became_of_the_folder_is_told_as_it_is(trnkit, folder, monkeypatch, there, said):
    def fail(*_, out, **__):
        return Synthesis(succeeded=False, directory=Path(out), failure="no")

    monkeypatch.setattr("trnkit.operations.synthesis.synthesize", fail)
    (folder / "cluster.yaml").write_text(MINIMAL)
    if there:
        (folder / "out").mkdir()
    ran = trnkit("synth", "cluster.yaml", "--out", "out")
    assert ran.code == 1
    assert ran.err.splitlines()[-1] == f"out was {said}"
