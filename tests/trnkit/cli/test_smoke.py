"""`trnkit smoke`: what it writes, what it refuses, and the verdict."""

import json
import subprocess
import sys

import pytest

from tests.synthesis import ROOT
from tests.trnkit.cli.conftest import MINIMAL
from tests.trnkit.operations.smoke.samples import fabric, good, node
from trnkit.catalog import node_facts

IMAGE = "example.com/neuron:1"


@pytest.fixture
def two_groups(folder):
    more = "    - {name: small, instance_type: trn1.32xlarge, count: 3}\n"
    path = folder / "two.yaml"
    path.write_text(MINIMAL.replace("budget:", f"{more}budget:"))
    return path


def write_results(folder, results):
    place = folder / "results"
    place.mkdir()
    for number, result in enumerate(results):
        (place / f"{number}.json").write_text(json.dumps(result))
    return "results"


@pytest.mark.parametrize("words", [("smoke",), ("smoke", "write")])
def test_it_writes_a_job_and_says_what_next(trnkit, folder, cluster_file, words):
    ran = trnkit(*words, "cluster.yaml", "--output", "jobs")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(
        "\nwrote jobs: 2 nodes of train (trn2.48xlarge), 64 ranks a node, training step with "
        "TorchNeuron\n"
        "floor within a node: 640 Gbit/s\n"
        "floor across nodes: 400 Gbit/s\n"
        "next: cd -- jobs && sbatch job.sbatch\n"
    )
    assert ran.out.startswith("cluster.yaml:6:7  warning  TRN204")
    assert {path.name for path in (folder / "jobs").iterdir()} == {
        ".trnkit-smoke",
        "job.sbatch",
        "node",
        "plan.json",
    }


@pytest.mark.parametrize("output", ["-", "-x", "a b", "~", "it's"])
def test_the_next_command_works_in_a_shell(trnkit, folder, cluster_file, output):
    told = json.loads(trnkit("smoke", "cluster.yaml", f"--output={output}", "--format", "json").out)
    following = told["next"].replace("sbatch job.sbatch", "pwd")
    ran = subprocess.run(
        ["/bin/sh", "-c", following],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": "/", "OLDPWD": "/"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == f"{folder / output}\n"


def test_a_number_of_nodes_is_not_echoed_whole(trnkit, cluster_file):
    ran = trnkit("smoke", "cluster.yaml", "--nodes", "9" * 400)
    assert ran.code == 2
    assert "--nodes 999" in ran.err
    assert len(ran.err) < 200


def test_options_may_stand_before_the_file(trnkit, folder, cluster_file):
    ran = trnkit("smoke", "--host", "ssm", "--nodes", "1", "cluster.yaml")
    assert ran.code == 0
    assert "next: smoke/run.sh" in ran.out
    assert {path.name for path in (folder / "smoke").iterdir()} == {
        ".trnkit-smoke",
        "document.json",
        "plan.json",
        "run.sh",
    }


def test_json_has_the_plan_and_where_the_floors_are_from(trnkit, cluster_file):
    ran = trnkit("smoke", "cluster.yaml", "--host", "eks", "--image", IMAGE, "--format", "json")
    assert ran.code == 0
    told = json.loads(ran.out)
    assert (told["schema"], told["host"], told["alone"]) == (1, "eks", None)
    assert {found["rule_id"] for found in told["findings"]} >= {"TRN204"}
    assert (told["plan"]["nodes"], told["plan"]["ranks_per_node"]) == (2, 64)
    assert told["plan"]["rendezvous_port"] == node_facts().rendezvous_port == 46820
    assert told["floors"]["fabric"]["gbps"] == 400
    assert "trnkit-assumption" in told["floors"]["fabric"]["source"]
    assert "job.yaml" in told["written"]


def test_the_framework_can_be_chosen(trnkit, folder, cluster_file):
    trnkit("smoke", "cluster.yaml", "--stack", "xla", "--python", "/opt/v/bin/python")
    step = json.loads((folder / "smoke" / "plan.json").read_text())["step"]
    assert step == {"steps": 20, "seed": 1, "stack": "xla", "python": "/opt/v/bin/python"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--nodes", "3"), "--nodes 3 is more than node group train has: its count is 2"),
        (("--node-group", "trian"), "there is no node group 'trian'; did you mean train?"),
        (("--host", "eks"), "--host eks needs --image"),
        (("--partition", "a b"), "no name of a Slurm partition"),
        (("--output", ""), "an empty name is no folder for --output"),
        (("--output", "a/b"), "its folder does not exist"),
        (("--output", "cluster.yaml"), "this is a file"),
        (("--output", "."), "the folder holds something else"),
        (("--host", "pbs"), "'pbs' is not one of"),
        (("--nodes", "0"), "Invalid value for '--nodes'"),
    ],
)
def test_wrong_options_write_nothing(trnkit, folder, cluster_file, arguments, message):
    ran = trnkit("smoke", "cluster.yaml", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in " ".join(ran.err.split())
    assert [path.name for path in folder.iterdir()] == ["cluster.yaml"]


def test_of_several_groups_one_must_be_named(trnkit, folder, two_groups):
    ran = trnkit("smoke", "two.yaml")
    assert ran.code == 2
    assert "there are 2 node groups (train, small): choose one with --node-group" in ran.err
    assert trnkit("smoke", "two.yaml", "--node-group", "small").code == 0
    plan = json.loads((folder / "smoke" / "plan.json").read_text())
    assert (plan["nodes"], plan["ranks_per_node"], plan["step"]["stack"]) == (3, 32, "xla")


def test_errors_of_the_cluster_file_are_findings(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL.replace("us-east-2", "us-east-1"))
    ran = trnkit("smoke", "cluster.yaml")
    assert ran.code == 1
    assert "error" in ran.out
    told = json.loads(trnkit("smoke", "cluster.yaml", "--format", "json").out)
    assert {found["severity"] for found in told["findings"]} >= {"error"}
    assert not (folder / "smoke").exists()


@pytest.mark.parametrize(
    ("text", "rule", "code"), [(None, "TRN001", 2), ("a: [", "TRN001", 2), ("a: 1\n", "TRN003", 1)]
)
def test_what_is_no_cluster_file(trnkit, folder, text, rule, code):
    if text is not None:
        (folder / "cluster.yaml").write_text(text)
    ran = trnkit("smoke", "cluster.yaml")
    assert ran.code == code
    assert rule in ran.out


def test_nodes_without_a_run_across_them_are_told(trnkit, folder):
    text = MINIMAL.replace("count: 2", "count: 2\n      efa: {interfaces: 0}")
    (folder / "cluster.yaml").write_text(text)
    ran = trnkit("smoke", "cluster.yaml")
    assert "no run across nodes: the nodes have no EFA interface" in ran.out
    assert "across nodes: 400" not in ran.out


def test_writing_again_replaces_and_results_stay(trnkit, folder, cluster_file):
    assert trnkit("smoke", "cluster.yaml").code == 0
    assert trnkit("smoke", "cluster.yaml", "--nodes", "1").code == 0
    (folder / "smoke" / "results").mkdir()
    ran = trnkit("smoke", "cluster.yaml")
    assert ran.code == 2
    assert "the folder also holds results" in ran.err


def test_an_edited_job_is_kept_until_force_is_given(trnkit, folder, cluster_file):
    assert trnkit("smoke", "cluster.yaml").code == 0
    job = folder / "smoke" / "job.sbatch"
    with job.open("a") as stream:
        stream.write("#SBATCH --account=mine\n")
    ran = trnkit("smoke", "cluster.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "smoke: job.sbatch in it changed since trnkit wrote the folder" in ran.err
    assert "account=mine" in job.read_text()
    assert trnkit("smoke", "cluster.yaml", "--force").code == 0
    assert "account=mine" not in job.read_text()


def test_a_good_test_passes(trnkit, folder):
    ran = trnkit("smoke", "verdict", write_results(folder, good()))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0].startswith("pass     node n0: the node check passed")
    assert ran.out.splitlines()[-1] == (
        "verdict: pass: results of 2 of 2 nodes of train, cluster pretrain (trn2.48xlarge)"
    )


@pytest.mark.parametrize(
    ("results", "word"), [([node("n0")], "fail"), ([node("n0"), node("n1")], "unknown")]
)
def test_whatever_is_not_a_pass_exits_with_1(trnkit, folder, results, word):
    ran = trnkit("smoke", "verdict", write_results(folder, results))
    assert ran.code == 1
    assert f"\nverdict: {word}: " in ran.out


def test_the_verdict_as_json(trnkit, folder):
    place = write_results(folder, [node("n0"), node("n1"), fabric(40)])
    told = json.loads(trnkit("smoke", "verdict", place, "--format", "json").out)
    assert (told["schema"], told["verdict"], told["hosts"]) == (1, "fail", ["n0", "n1"])
    assert told["reasons"][0]["status"] == "fail"
    assert told["bandwidths"][-1] == {
        "subject": "across 2 nodes",
        "scope": "fabric",
        "size_bytes": 1024**3,
        "ranks": 128,
        "bus_gbps": 320.0,
        "floor_gbps": 400.0,
    }
    assert trnkit("smoke", "verdict", place, "--floor-gbps", "300").code == 0


def test_a_result_that_is_not_there(trnkit):
    ran = trnkit("smoke", "verdict", "absent.json")
    assert (ran.code, ran.out) == (2, "")
    assert "it does not exist" in ran.err


def test_what_a_node_says_cannot_rewrite_the_terminal(trnkit, folder):
    bad = {"status": "failed", "output_tail": ["\x1b[2Jverdict: pass"]}
    ran = trnkit("smoke", "verdict", write_results(folder, [node("n0", sweep=bad), node("n1")]))
    assert "\x1b" not in ran.out


def test_it_imports_no_cdk_and_no_boto3(cluster_file):
    code = (
        "import sys; from trnkit.cli.main import run; code = run(['smoke', 'cluster.yaml']); "
        "print(code, [name for name in ('aws_cdk', 'jsii', 'boto3') if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cluster_file.parent,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines()[-1] == "0 []"
