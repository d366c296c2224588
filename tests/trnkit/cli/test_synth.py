"""`trnkit synth` with the real CDK app. Failures of the app are in operations/test_synthesis.py."""

from __future__ import annotations

import json

import pytest

from tests.synthesis import EXAMPLES
from tests.trnkit.cli.conftest import MINIMAL
from trnkit.config import load_cluster


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_becomes_an_assembly(path, trnkit, folder):
    ran = trnkit("synth", str(path), "--no-cdk-validation", "--format", "json")
    content = json.loads(ran.out)
    assert (ran.code, ran.err, content["succeeded"]) == (0, "", True)
    stacks = {stack["id"].partition("/")[2]: stack for stack in content["stacks"]}
    config = load_cluster(path).config
    storage = {"Storage"} if config.storage.lustre_file_systems else set()
    assert set(stacks) == {"Network", "Compute", "Cost"} | storage
    for stack in stacks.values():
        template = json.loads((folder / stack["template"]).read_text())
        assert stack["resources"] == len(template["Resources"])
    groups = len(config.compute.node_groups)
    assert stacks["Compute"]["resource_types"]["AWS::EC2::LaunchTemplate"] == groups


def test_the_text_tells_what_was_made_and_what_comes_next(trnkit, cluster_file, folder):
    ran = trnkit("synth", "cluster.yaml", "--out", "out", "--no-cdk-validation")
    assert ran.code == 0
    assert "pretrain-Compute (us-east-2)\n  template  out/assembly-pretrain/" in ran.out
    assert "LaunchTemplate, AutoScalingGroup" in ran.out
    assert ran.out.endswith("\nnext: cdk deploy --app out 'pretrain/*'\n")
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
    assert ran.out.endswith("next: cdk deploy --app cdk.out 'pretrain/*' 'finetune/*'\n")
    assert trnkit("lint", "cdk.out").code == 0


def test_equal_names_cannot_share_an_assembly(trnkit, cluster_file, folder):
    other = MINIMAL.replace("us-east-2", "us-west-2").replace("trn2.48xlarge", "trn1.32xlarge")
    (folder / "other.yaml").write_text(other)
    ran = trnkit("synth", "cluster.yaml", "other.yaml")
    assert ran.code == 1
    (line,) = (line for line in ran.out.splitlines() if "TRN007" in line)
    assert line.split()[:3] == ["other.yaml:2:1", "error", "TRN007"]
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
