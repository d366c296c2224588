"""The files of a test: complete, right in their own formats, and accepted by our own rules."""

import base64
import io
import json
import re
import subprocess
import tarfile

import pytest
import yaml

from tests.smoke_stubs import PROGRAMS
from trnkit.catalog import find_instance_type, instance_type_names
from trnkit.config import ClusterConfig
from trnkit.errors import UsageError
from trnkit.layout.smoke import smoke_target
from trnkit.operations.linting import lint_paths
from trnkit.operations.smoke import results
from trnkit.operations.smoke.filling import fill
from trnkit.operations.smoke.job_files import MAXIMUM_DOCUMENT_BYTES, job_files
from trnkit.operations.smoke.node_files import node_files
from trnkit.operations.smoke.planning import SmokeRequest, plan_for

IMAGE = "public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.29.0-ubuntu24.04"
HOSTS = ("slurm", "eks", "ssm")


def target_of(name, count=2, **changes):
    group = {"name": "train", "instance_type": name, "count": count, **changes}
    cluster = ClusterConfig(
        name="pretrain",
        region="us-east-2",
        compute={"node_groups": [group]},
        budget={"limit_usd": 100.0, "emails": ["a@example.com"]},
    )
    return smoke_target(cluster, cluster.compute.node_groups[0])


def files_of(name, host, count=2, *, partition=None, **changes):
    target = target_of(name, count, **changes)
    plan = plan_for(target, SmokeRequest())
    image = IMAGE if host == "eks" else None
    return job_files(target, plan, host, partition=partition, image=image)


def step_of(document):
    return "\n".join(document["mainSteps"][0]["inputs"]["runCommand"]) + "\n"


@pytest.mark.parametrize("name", instance_type_names())
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("count", [1, 2])
def test_every_type_gets_files_without_tokens_that_bash_reads(tmp_path, name, host, count):
    files = files_of(name, host, count)
    plan = json.loads(files["plan.json"])
    assert (plan["instance_type"], plan["nodes"]) == (name, count)
    scripts = {path: text for path, text in files.items() if path.endswith((".sh", ".sbatch"))}
    if host == "ssm":
        scripts["step.sh"] = step_of(json.loads(files["document.json"]))
    assert scripts
    for path, text in scripts.items():
        assert not re.search(r"@[A-Z_]+@", text), path
        ran = subprocess.run(
            ["bash", "-n"], input=text, text=True, capture_output=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, ""), path


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("count", [1, 2])
def test_shellcheck_has_nothing_to_say(tmp_path, shellcheck, host, count):
    files = files_of("trn2.48xlarge", host, count, partition="trn" if host == "slurm" else None)
    scripts = {path: text for path, text in files.items() if path.endswith((".sh", ".sbatch"))}
    if host == "ssm":
        scripts["step.sh"] = step_of(json.loads(files["document.json"]))
    for path, text in scripts.items():
        (tmp_path / path).write_text(text)
        assert shellcheck(tmp_path / path) == "", path


@pytest.mark.parametrize("name", instance_type_names())
@pytest.mark.parametrize("count", [1, 2])
def test_our_own_rules_find_nothing_in_the_pods(tmp_path, name, count):
    (tmp_path / "job.yaml").write_text(files_of(name, "eks", count)["job.yaml"])
    report = lint_paths([str(tmp_path / "job.yaml")])
    assert report.findings == ()
    assert len(report.documents) == 1


def test_our_own_rules_would_find_something(tmp_path):
    text = files_of("trn2.48xlarge", "eks")["job.yaml"].replace("5128Mi", "5128")
    (tmp_path / "job.yaml").write_text(text)
    assert {finding.rule_id for finding in lint_paths([str(tmp_path / "job.yaml")]).findings} == {
        "TRN533"
    }


@pytest.mark.parametrize("name", instance_type_names())
def test_a_pod_asks_for_what_its_node_has(name):
    known = find_instance_type(name)
    job = list(yaml.safe_load_all(files_of(name, "eks")["job.yaml"]))[1]
    spec = job["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"node.kubernetes.io/instance-type": name}
    resources = spec["containers"][0]["resources"]
    assert resources["limits"] == resources["requests"]
    asked = resources["limits"]
    assert asked["aws.amazon.com/neuron"] == known.chips
    assert asked.get("vpc.amazonaws.com/efa", 0) == known.maximum_efa_interfaces
    assert ("hugepages-2Mi" in asked) is (known.maximum_efa_interfaces > 0)
    assert asked["memory"] == f"{known.memory_mib // 2}Mi"
    assert {key["key"] for key in spec["tolerations"]} >= {"aws.amazon.com/neuron"}


def test_pods_of_one_node_have_no_key_and_no_service_to_wait_for():
    job = list(yaml.safe_load_all(files_of("trn2.48xlarge", "eks", 1)["job.yaml"]))[1]
    spec = job["spec"]["template"]["spec"]
    assert [volume["name"] for volume in spec["volumes"]] == ["programs", "shared-memory"]
    assert spec["containers"][0]["env"][1] == {"name": "TRN_SMOKE_PODS", "value": "0"}


def containers_env(spec):
    return spec["template"]["spec"]["containers"][0]["env"]


def test_an_indexed_job_with_a_headless_service():
    service, job = yaml.safe_load_all(files_of("trn2.48xlarge", "eks", 4)["job.yaml"])
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    spec = job["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 4, 4)
    assert (spec["backoffLimitPerIndex"], "backoffLimit" in spec) == (0, False)
    times = {entry["name"]: entry.get("value") for entry in containers_env(spec)}
    wait, end = (int(times[f"TRN_SMOKE_{name}_SECONDS"]) for name in ("WAIT", "END"))
    # The run across nodes fits in between, and pods end by themselves before they are ended.
    assert wait + 1800 <= end < spec["activeDeadlineSeconds"]
    assert spec["template"]["spec"]["subdomain"] == service["metadata"]["name"]
    labels = spec["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    key = spec["template"]["spec"]["volumes"][-1]["secret"]
    assert key == {"secretName": "trn-smoke-key", "defaultMode": 0o400}


@pytest.mark.parametrize("name", instance_type_names())
def test_the_ssm_document_is_one(name):
    text = files_of(name, "ssm")["document.json"]
    assert len(text.encode()) < MAXIMUM_DOCUMENT_BYTES
    document = json.loads(text)
    assert set(document) == {"schemaVersion", "description", "parameters", "mainSteps"}
    assert document["schemaVersion"] == "2.2"
    (step,) = document["mainSteps"]
    assert set(step) == {"action", "name", "precondition", "inputs"}
    assert step["action"] == "aws:runShellScript"
    assert set(step["inputs"]) == {"timeoutSeconds", "runCommand"}
    assert all(isinstance(line, str) for line in step["inputs"]["runCommand"])
    placeholders = set(re.findall(r"\{\{ *(\w+) *\}\}", step_of(document)))
    assert placeholders == set(document["parameters"])
    for parameter in document["parameters"].values():
        assert parameter["type"] == "String"
        assert "default" in parameter
        # A value goes into a shell script between single quotes.
        assert "allowedValues" in parameter or "allowedPattern" in parameter


@pytest.mark.parametrize(
    ("name", "value", "fits"),
    [
        ("Hosts", "", True),
        ("Hosts", "10.0.1.10 10.0.1.11", True),
        ("Hosts", "10.0.1.10'; reboot; '", False),
        ("PublicKey", "", True),
        ("PublicKey", f"ssh-ed25519 {'A' * 68} trn-smoke", True),
        ("PublicKey", f"ssh-ed25519 {'A' * 68} trn-smoke' >x", False),
        ("PublicKey", 'command="x" ssh-ed25519 A', False),
    ],
)
def test_parameters_of_the_document_are_no_way_into_the_shell(name, value, fits):
    document = json.loads(files_of("trn2.48xlarge", "ssm")["document.json"])
    pattern = document["parameters"][name]["allowedPattern"]
    assert bool(re.search(pattern, value)) is fits


def test_the_document_carries_the_programs_as_they_are():
    files = files_of("trn2.48xlarge", "ssm")
    script = step_of(json.loads(files["document.json"]))
    packed = script.partition("<<'END'")[2].partition("\n")[2].partition("\nEND\n")[0]
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(packed))) as archive:
        members = {member.name: member for member in archive.getmembers()}
        texts = {name: archive.extractfile(name).read().decode() for name in members}
    assert texts == {**node_files(), "plan.json": files["plan.json"]}
    assert members["trn-smoke"].mode == 0o755


def test_the_same_cluster_gives_the_same_bytes():
    assert files_of("trn2.48xlarge", "ssm") == files_of("trn2.48xlarge", "ssm")


def test_slurm_directives():
    text = files_of("trn2.48xlarge", "slurm", 4, partition="trn")["job.sbatch"]
    head = text.partition("\nset ")[0].splitlines()
    directives = [line for line in head if line.startswith("#SBATCH ")]
    assert [line for line in head if not line.startswith("#")] == []
    assert {"#SBATCH --nodes=4", "#SBATCH --exclusive", "#SBATCH --ntasks-per-node=1"} <= set(
        directives
    )
    assert directives[-1] == "#SBATCH --partition=trn"
    assert "partition" not in files_of("trn2.48xlarge", "slurm")["job.sbatch"]


def test_the_programs_are_those_of_the_nodes_bundle():
    assert set(node_files()) == {path.name for path in PROGRAMS.iterdir() if path.is_file()}
    for name, text in node_files().items():
        assert (PROGRAMS / name).read_text() == text


def test_runner_and_reader_agree_on_the_mark_of_a_result():
    assert f'RESULT_MARK = "{results.RESULT_MARK}"' in node_files()["smoke_runner.py"]


@pytest.mark.parametrize(
    ("host", "options", "message"),
    [
        ("eks", {}, "--host eks needs --image"),
        ("slurm", {"image": IMAGE}, "--image belongs to --host eks, not slurm"),
        ("ssm", {"partition": "trn"}, "--partition belongs to --host slurm, not ssm"),
        ("slurm", {"partition": "a b"}, "no name of a Slurm partition"),
        ("slurm", {"partition": ""}, "no name of a Slurm partition"),
        ("slurm", {"partition": "trn\n#SBATCH --uid=0"}, "no name of a Slurm partition"),
        ("eks", {"image": 'x"\ncommand: []'}, "no name of a container image"),
    ],
)
def test_options_that_do_not_fit(host, options, message):
    target = target_of("trn2.48xlarge")
    with pytest.raises(UsageError, match=re.escape(message)):
        job_files(target, plan_for(target, SmokeRequest()), host, **options)


def test_a_template_with_an_unknown_token_is_an_error():
    with pytest.raises(KeyError):
        fill("slurm/job.sbatch", {"PARTITION": ""})
