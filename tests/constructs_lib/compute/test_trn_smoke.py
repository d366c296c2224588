"""trn-smoke on a node: its parts, their order, their time limits, and what it says of them."""

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.smoke_stubs import PROGRAMS, make_node, plan, result_in, run_smoke, write_torch


@pytest.fixture
def node(tmp_path):
    return make_node(tmp_path / "node")


@pytest.fixture
def torch(tmp_path):
    return str(write_torch(tmp_path / "packages"))


def test_every_program_is_python_3_9():
    for path in [PROGRAMS / "trn-smoke", *PROGRAMS.glob("*.py")]:
        text = path.read_text()
        ast.parse(text, feature_version=(3, 9))
        if path.name != "trn-smoke":
            assert "from __future__ import annotations" in text, path


def test_a_good_node_passes_all_parts(node, torch, tmp_path):
    ran = run_smoke(node, plan(), "--output", str(tmp_path / "out"), PYTHONPATH=torch)
    assert ran.returncode == 0, ran.stderr
    result = result_in(ran.stdout)
    assert {name: part["status"] for name, part in result["parts"].items()} == {
        "check": "passed",
        "sweep": "passed",
        "step": "passed",
    }
    assert result["status"] == "passed"
    assert result["parts"]["check"]["report"] == {"schema": 1, "verdict": "stub"}
    (kept,) = (tmp_path / "out").iterdir()
    assert kept.name == f"node-{result['host']}.json"
    assert json.loads(kept.read_text()) == result


def test_the_sweep_is_called_with_documented_flags_only(node, torch):
    run_smoke(node, plan(), PYTHONPATH=torch)
    (call,) = node.calls()
    report = call["argv"][-1]
    assert call["argv"] == [
        *("--nworkers", "64", "--nnodes", "1"),
        *("--minbytes", "1048576", "--maxbytes", "1073741824", "--stepfactor", "4"),
        *("--iters", "20", "--warmup_iters", "5", "--datatype", "fp32"),
        *("allr", "--check", "--non-interactive", "--report-to-json-file", report),
    ]
    assert call["env"]["NEURON_LOGICAL_NC_CONFIG"] == "2"
    assert "NEURON_RT_ROOT_COMM_ID" not in call["env"]
    assert call["env"]["PATH"].startswith(f"{node.root}/opt/aws/neuron/bin:")


def test_across_nodes_over_mpi(node):
    addresses = ["10.0.1.10", "10.0.1.11"]
    ran = run_smoke(node, plan(), "--scope", "fabric", "--hosts", *addresses)
    assert ran.returncode == 0, ran.stderr
    (call,) = node.calls()
    assert call["argv"][:4] == ["--nworkers", "128", "--nnodes", "2"]
    assert call["argv"][-5:] == ["--data-collector-host", "10.0.1.10", "--hosts", *addresses]
    assert call["env"]["NEURON_RT_ROOT_COMM_ID"] == "10.0.1.10:46820"
    assert call["env"]["FI_PROVIDER"] == "efa"
    assert call["env"]["FI_EFA_USE_DEVICE_RDMA"] == "1"
    assert (call["env"].get("OMPI_ALLOW_RUN_AS_ROOT") == "1") is (os.geteuid() == 0)
    assert set(result_in(ran.stdout)["parts"]) == {"sweep"}


def test_across_nodes_in_an_allocation_of_slurm(node):
    arguments = ("--scope", "fabric", "--slurm-job-id", "4711")
    ran = run_smoke(node, plan(), *arguments, SLURMD_NODENAME="10.0.1.10")
    assert ran.returncode == 0, ran.stderr
    (call,) = node.calls()
    assert call["argv"][-3:] == ["--slurm-mode", "--slurm-job-id", "4711"]
    assert "--hosts" not in call["argv"]
    assert call["env"]["NEURON_RT_ROOT_COMM_ID"] == "10.0.1.10:46820"


def test_a_first_host_that_only_itself_reaches_is_told(node):
    ran = run_smoke(node, plan(), "--scope", "fabric", "--hosts", "127.0.1.1", "10.0.1.11")
    assert ran.returncode == 1
    assert "which other nodes cannot reach" in result_in(ran.stdout)["parts"]["sweep"]["message"]
    assert node.calls() == []


def test_after_a_failed_check_nothing_else_runs(node, torch):
    ran = run_smoke(node, plan(), STUB_CHECK="1", PYTHONPATH=torch)
    assert ran.returncode == 1
    parts = result_in(ran.stdout)["parts"]
    assert parts["check"]["status"] == "failed"
    assert parts["check"]["output_tail"] == ["15 of 16 chips"]
    assert parts["sweep"] == {"status": "skipped", "message": "the node check failed"}
    assert node.calls() == []


def test_it_goes_on_when_it_is_told_to(node, torch):
    ran = run_smoke(node, plan(), "--keep-going", STUB_CHECK="1", PYTHONPATH=torch)
    assert ran.returncode == 1
    assert result_in(ran.stdout)["parts"]["step"]["status"] == "passed"


def test_without_a_node_check_the_rest_runs(tmp_path, torch):
    node = make_node(tmp_path / "bare", check=False)
    ran = run_smoke(node, plan(), PYTHONPATH=torch)
    assert ran.returncode == 0
    assert result_in(ran.stdout)["parts"]["check"] == {
        "limit_seconds": 300,
        "status": "skipped",
        "message": "there is no trn-node-check here",
    }


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("no-report", "nccom-test left no report"),
        ("broken", "nccom-test's report is no JSON"),
    ],
)
def test_a_sweep_without_a_report_failed(node, torch, mode, message):
    ran = run_smoke(node, plan(), STUB_NCCOM=mode, PYTHONPATH=torch)
    assert ran.returncode == 1
    sweep = result_in(ran.stdout)["parts"]["sweep"]
    assert (sweep["status"], sweep["message"]) == ("failed", message)


def test_a_wrong_result_fails_and_the_step_still_runs(node, torch):
    ran = run_smoke(node, plan(), STUB_NCCOM="wrong", PYTHONPATH=torch)
    assert ran.returncode == 1
    parts = result_in(ran.stdout)["parts"]
    assert parts["sweep"]["output_tail"][-1] == "1 errors found - test failed"
    assert parts["step"]["status"] == "passed"


def test_what_hangs_is_named_and_ended(node, torch):
    began = time.monotonic()
    ran = run_smoke(node, plan(), "--sweep-seconds", "4", STUB_NCCOM="hang", PYTHONPATH=torch)
    assert time.monotonic() - began < 90
    assert ran.returncode == 3
    result = result_in(ran.stdout)
    sweep = result["parts"]["sweep"]
    assert (result["status"], sweep["status"]) == ("hung", "hung")
    assert sweep["output_tail"] == ["compiling the collective"]
    assert len(sweep["alive"]) == 2
    assert all("nccom-test (pid " in line for line in sweep["alive"])
    assert result["parts"]["step"] == {"status": "skipped", "message": "sweep was hung"}
    for line in sweep["alive"]:
        pid = int(line.partition("pid ")[2].partition(")")[0])
        with pytest.raises(ProcessLookupError):
            _alive(pid)


def _alive(pid):
    """Raises when the process has ended; one that nobody waited for has, too."""
    os.kill(pid, 0)
    with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123
        if stat.read().rpartition(")")[2].split()[0] == "Z":
            raise ProcessLookupError


def test_a_scheduler_that_ends_the_job_still_gets_a_result(node, torch, tmp_path):
    file = node.root / "plan.json"
    file.write_text(json.dumps(plan()))
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, str(PROGRAMS / "trn-smoke"), "--plan", str(file), "--output", str(out)],
        env=node.environment(STUB_NCCOM="hang", PYTHONPATH=torch),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    end = time.monotonic() + 90
    while not node.calls() and time.monotonic() < end:
        time.sleep(0.05)
    (kept,) = [path for path in out.iterdir() if path.suffix == ".json"]
    assert json.loads(kept.read_text())["parts"]["sweep"] == {"status": "running"}
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=90)
    assert process.returncode == 3
    result = result_in(output)
    assert result["status"] == "interrupted"
    assert result["parts"]["sweep"]["signal"] == "SIGTERM"


def test_a_missing_nccom_test_is_told(tmp_path, torch):
    node = make_node(tmp_path / "bare")
    (node.root / "opt/aws/neuron/bin/nccom-test").unlink()
    ran = run_smoke(node, plan(), PYTHONPATH=torch)
    assert ran.returncode == 1
    message = result_in(ran.stdout)["parts"]["sweep"]["message"]
    assert message == "nccom-test cannot be started: No such file or directory"


def test_the_step_reports_losses_seconds_and_versions(node, torch):
    ran = run_smoke(node, plan(), "--parts", "step", PYTHONPATH=torch)
    report = result_in(ran.stdout)["parts"]["step"]["report"]
    assert len(report["losses"]) == 20
    assert report["losses"][-1] < 0.9 * report["losses"][0]
    assert report["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert report["seconds"] >= 0
    assert report["message"] is None


def test_the_step_is_the_same_for_the_same_seed(node, torch):
    def losses(seed):
        given = plan(step={"steps": 5, "seed": seed, "stack": "cpu"})
        ran = run_smoke(node, given, "--parts", "step", PYTHONPATH=torch)
        return result_in(ran.stdout)["parts"]["step"]["report"]["losses"]

    assert losses(1) == losses(1) != losses(2)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("flat", "the loss did not fall: 1 at first, 1 at the end"),
        ("nan", "the loss of step 1 is nan"),
    ],
)
def test_a_loss_that_does_not_fall_fails(node, torch, mode, message):
    ran = run_smoke(node, plan(), "--parts", "step", STUB_TORCH=mode, PYTHONPATH=torch)
    assert ran.returncode == 1
    assert result_in(ran.stdout)["parts"]["step"]["message"] == message


@pytest.mark.parametrize(
    ("stack", "packages", "missing"),
    [
        ("xla", {}, "torch_xla, which PyTorch NeuronX over PyTorch/XLA needs"),
        ("xla", {"xla": True}, "torch_neuronx, which PyTorch NeuronX"),
        ("native", {}, "torch_neuronx, which TorchNeuron needs"),
    ],
)
def test_a_missing_package_is_told(node, tmp_path, stack, packages, missing):
    folder = str(write_torch(tmp_path / "some", **packages))
    given = plan(step={"steps": 3, "seed": 1, "stack": stack})
    ran = run_smoke(node, given, "--parts", "step", PYTHONPATH=folder)
    assert ran.returncode == 1
    message = result_in(ran.stdout)["parts"]["step"]["message"]
    assert f"has no package {missing}" in message
    assert "--python" in message


def test_xla_without_a_neuron_device_is_no_test_of_one(node, tmp_path):
    folder = str(write_torch(tmp_path / "all", xla=True, neuronx=True))
    given = plan(step={"steps": 3, "seed": 1, "stack": "xla"})
    ran = run_smoke(node, given, "--parts", "step", PYTHONPATH=folder, STUB_HARDWARE="CPU")
    message = result_in(ran.stdout)["parts"]["step"]["message"]
    assert message == "PyTorch/XLA found CPU and no Neuron device"


@pytest.mark.parametrize(("stack", "device"), [("xla", "xla:0"), ("native", "neuron")])
def test_each_stack_trains_on_its_device(node, tmp_path, stack, device):
    folder = str(write_torch(tmp_path / "all", xla=stack == "xla", neuronx=True))
    given = plan(step={"steps": 20, "seed": 1, "stack": stack})
    ran = run_smoke(node, given, "--parts", "step", PYTHONPATH=folder)
    assert ran.returncode == 0, ran.stdout
    report = result_in(ran.stdout)["parts"]["step"]["report"]
    assert (report["stack"], report["device"]) == (stack, device)


def test_the_step_runs_with_the_newest_environment_of_the_image(node, torch):
    wrapper = f'#!/bin/sh\necho "$0" >> "$STUB_LOG.python"\nexec {sys.executable} "$@"\n'
    for version in ("2_13_3", "2_14_0"):
        node.program(f"opt/aws_neuronx_venv_torch_neuronx_{version}/bin/python", wrapper)
    given = plan(step={"steps": 3, "seed": 1, "stack": "native"})
    run_smoke(node, given, "--parts", "step", PYTHONPATH=torch)
    used = (node.root / "nccom.jsonl.python").read_text()
    assert used.strip().endswith("aws_neuronx_venv_torch_neuronx_2_14_0/bin/python")


def test_the_real_torch_agrees_where_there_is_one(tmp_path):
    pytest.importorskip("torch")
    report = tmp_path / "step.json"
    command = [sys.executable, str(PROGRAMS / "smoke_step.py"), "--stack", "cpu"]
    subprocess.run([*command, "--output", str(report)], check=True)
    losses = json.loads(report.read_text())["losses"]
    assert losses[-1] < 0.9 * losses[0]


def test_without_a_plan_a_node_knows_what_it_is(node, torch):
    expected = node.root / "etc" / "trnkit" / "expected.json"
    expected.parent.mkdir(parents=True)
    neuron = {"devices": 16, "cores_per_device": 2, "logical_neuroncore_size": 1}
    facts = {"cluster": "c", "node_group": "g", "instance_type": "trn1.32xlarge", "neuron": neuron}
    expected.write_text(json.dumps(facts))
    ran = run_smoke(node, None, "--parts", "sweep", PYTHONPATH=torch)
    assert ran.returncode == 0, ran.stderr
    found = result_in(ran.stdout)["plan"]
    assert (found["ranks_per_node"], found["nodes"], found["step"]["stack"]) == (32, 1, "xla")


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (None, (), "expected.json cannot be read: No such file or directory: give a plan"),
        ("{", (), "is no JSON"),
        ("[" * 100_000, (), "is no JSON"),
        ("[]", (), "is no plan of trnkit smoke"),
        (json.dumps(plan(parts=["sweep", "stop"])), (), "part stop is none of check, sweep, step"),
        (json.dumps(plan(parts="sweep")), (), "parts of the plan is no list of check, sweep, step"),
        ('{"kind": "trn-smoke-plan"}', (), "lacks cluster, node_group, instance_type"),
        (json.dumps(plan()), ("--parts", "sweep,stop"), "part stop is none of check, sweep, step"),
        (json.dumps(plan()), ("--scope", "fabric"), "needs --hosts or --slurm-job-id"),
        (json.dumps(plan()), ("--hosts", "10.0.0.1"), "belong to --scope fabric"),
        (
            json.dumps(plan()),
            ("--scope", "fabric", "--hosts", "10.0.0.1"),
            "the plan is for 2 nodes, and --hosts names 1",
        ),
    ],
)
def test_a_call_that_means_nothing_is_told(node, text, arguments, message):
    command = [sys.executable, str(PROGRAMS / "trn-smoke")]
    if text is not None:
        (node.root / "plan.json").write_text(text)
        command += ["--plan", str(node.root / "plan.json")]
    ran = subprocess.run(
        [*command, *arguments], env=node.environment(), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert message in ran.stderr


def test_a_plan_that_is_a_pipe_is_not_read(node):
    os.mkfifo(node.root / "plan.json")
    command = [sys.executable, str(PROGRAMS / "trn-smoke"), "--plan", str(node.root / "plan.json")]
    ran = subprocess.run(
        command, env=node.environment(), capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == 2
    assert "plan.json is no regular file" in ran.stderr


def test_the_plan_may_name_the_parts(node, torch):
    ran = run_smoke(node, plan(parts=["sweep", "step"]), PYTHONPATH=torch)
    assert ran.returncode == 0, ran.stderr
    assert list(result_in(ran.stdout)["parts"]) == ["sweep", "step"]


def test_a_long_report_of_the_check_is_left_out_of_the_log(node, torch, tmp_path):
    long = "x" * 9000
    text = f'#!/bin/sh\nprintf \'{{"text": "{long}"}}\' > "$4"\n'
    node.program("usr/local/bin/trn-node-check", text)
    out = tmp_path / "out"
    ran = run_smoke(node, plan(), "--parts", "check", "--output", str(out), PYTHONPATH=torch)
    assert "report" not in result_in(ran.stdout)["parts"]["check"]
    (kept,) = out.iterdir()
    assert json.loads(kept.read_text())["parts"]["check"]["report"] == {"text": long}


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("2", "skipped", "it cannot check this node: 15 of 16 chips"),
        ("3", "passed", "not everything could be checked: 15 of 16 chips"),
        ("4", "failed", None),
    ],
)
def test_exit_codes_of_the_check(node, torch, code, status, message):
    ran = run_smoke(node, plan(), STUB_CHECK=code, PYTHONPATH=torch)
    check = result_in(ran.stdout)["parts"]["check"]
    assert (check["status"], check.get("message")) == (status, message)
    assert ran.returncode == int(status == "failed")


def test_a_report_of_the_check_that_is_none(node, torch):
    node.program("usr/local/bin/trn-node-check", '#!/bin/sh\necho "{" > "$4"\n')
    ran = run_smoke(node, plan(), "--parts", "check", PYTHONPATH=torch)
    assert "its report is no JSON" in result_in(ran.stdout)["parts"]["check"]["message"]


def test_it_runs_with_python_3_9_where_there_is_one(node, tmp_path):
    python = shutil.which("python3.9")
    works = python and subprocess.run([python, "-c", ""], capture_output=True, check=False)
    if not works or works.returncode:
        pytest.skip("there is no Python 3.9 here")
    (node.root / "plan.json").write_text(json.dumps(plan()))
    ran = subprocess.run(
        [python, str(PROGRAMS / "trn-smoke"), "--plan", str(node.root / "plan.json")],
        env=node.environment(PYTHONPATH=str(write_torch(tmp_path / "packages"))),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_nothing_is_added_to_the_folder_that_was_published(tmp_path):
    folder = tmp_path / "published"
    shutil.copytree(PROGRAMS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(folder.rglob("*"))
    # -E: without what this process may have in PYTHONDONTWRITEBYTECODE.
    command = [sys.executable, "-E", str(folder / "trn-smoke"), "--help"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    assert sorted(folder.rglob("*")) == before
