"""The scripts of a test, run for real with stubs of Slurm, kubectl, ssh and the AWS CLI."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.smoke_stubs import make_node, write_torch
from tests.trnkit.operations.smoke.test_job_files import files_of, step_of
from trnkit.operations.smoke.output_folder import write_folder
from trnkit.operations.smoke.results import read_results
from trnkit.operations.smoke.verdicts import Floors, judge

# Runs the command once a node, all at the same time, and fails when one failed, as srun does.
SRUN = """\
#!{python}
import os, subprocess, sys
given = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write("srun " + " ".join(given) + "\\n")
nodes = next(int(word.partition("=")[2]) for word in given if word.startswith("--nodes="))
command = [word for word in given if not word.startswith("--")]
command = given[given.index("python3"):]
def environment(number):
    bad = os.environ.get("STUB_BAD_NODE") == str(number)
    return {**os.environ, "SLURMD_NODENAME": "10.0.1.1%d" % number, "STUB_CHECK": str(int(bad))}
running = [subprocess.Popen(command, env=environment(number)) for number in range(nodes)]
sys.exit(max(process.wait() for process in running))
"""


@pytest.fixture
def node(tmp_path):
    return make_node(tmp_path / "node")


@pytest.fixture
def node_environment(node, tmp_path):
    """What the programs of a node see."""
    torch = write_torch(tmp_path / "packages", xla=True, neuronx=True)
    return {
        "TRNKIT_ROOT": str(node.root),
        "STUB_LOG": str(node.log),
        "PYTHONPATH": str(torch),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(tmp_path),
    }


def written(tmp_path, host, count=2, name="trn2.48xlarge"):
    folder = tmp_path / "smoke"
    write_folder(str(folder), files_of(name, host, count))
    return folder


def verdict_of(folder):
    (run,) = (folder / "results").iterdir()
    return judge(read_results([str(run)]), Floors())


def submit(commands, folder, environment, **more):
    return commands.run(
        "bash",
        str(folder / "job.sbatch"),
        cwd=folder,
        SLURM_JOB_ID="4711",
        SLURM_SUBMIT_DIR=str(folder),
        SLURMD_NODENAME="10.0.1.10",
        **environment,
        **more,
    )


def test_slurm_from_script_to_verdict(commands, node, node_environment, tmp_path):
    commands.write("srun", SRUN)
    folder = written(tmp_path, "slurm")
    ran = submit(commands, folder, node_environment)
    assert ran.returncode == 0, ran.stderr
    assert f"next: trnkit smoke verdict {folder}/results/4711" in ran.stdout
    names = {path.name for path in (folder / "results" / "4711").iterdir()}
    assert names == {"node-10.0.1.10.json", "node-10.0.1.11.json", "fabric.json"}
    found = verdict_of(folder)
    assert (found.status, found.hosts) == ("pass", ("10.0.1.10", "10.0.1.11"))
    across = [call["argv"] for call in node.calls() if "128" in call["argv"]]
    assert [argv[-3:] for argv in across] == [["--slurm-mode", "--slurm-job-id", "4711"]]


def test_slurm_leaves_out_the_run_across_nodes_when_a_node_failed(
    commands, node, node_environment, tmp_path
):
    commands.write("srun", SRUN)
    folder = written(tmp_path, "slurm")
    ran = submit(commands, folder, node_environment, STUB_BAD_NODE="1")
    assert ran.returncode == 1
    assert "the run across nodes is left out" in ran.stderr
    found = verdict_of(folder)
    assert found.status == "fail"
    assert found.reasons[0].subject == "node 10.0.1.11"


def test_slurm_of_one_node_has_no_run_across_nodes(commands, node, node_environment, tmp_path):
    commands.write("srun", SRUN)
    folder = written(tmp_path, "slurm", 1)
    assert submit(commands, folder, node_environment).returncode == 0
    assert verdict_of(folder).status == "pass"
    assert len(node.calls()) == 1


def test_slurm_from_another_folder_says_so(commands, node_environment, tmp_path):
    folder = written(tmp_path, "slurm")
    ran = commands.run(
        "bash", str(folder / "job.sbatch"), cwd=tmp_path, SLURM_JOB_ID="1", **node_environment
    )
    assert ran.returncode == 2
    assert "submit this from its own folder" in ran.stderr


@pytest.mark.parametrize(
    "name", ["trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge", "trn2.3xlarge"]
)
def test_slurm_of_other_types(commands, node, node_environment, tmp_path, name):
    commands.write("srun", SRUN)
    folder = written(tmp_path, "slurm", 2, name)
    # Within a node and across nodes alike: more than any floor, less than what nobody believes.
    assert submit(commands, folder, node_environment, STUB_GBYTES="50").returncode == 0
    assert verdict_of(folder).status == "pass"


# --- EKS ---------------------------------------------------------------------------------------

# One home a pod: the address is the pod's number, and a command runs with that pod's places.
SSH = """\
#!{python}
import os, subprocess, sys
words = [word for word in sys.argv[1:]]
while words[0] == "-o":
    words = words[2:]
pod = words[0].rpartition(".")[2]
places = os.environ["PODS"]
command = words[1].replace(os.environ["TRN_SMOKE_STATE"], os.path.join(places, pod, "state"))
sys.exit(subprocess.call(["/bin/sh", "-c", command]))
"""
GETENT = """\
#!/bin/sh
pod=${2#trn-smoke-}
echo "10.0.0.${pod%%.*} STREAM $2"
"""


class Pods:
    """Pods as processes, each with places of its own."""

    def __init__(self, commands, folder, environment, tmp_path):
        commands.write("ssh", SSH)
        commands.write("getent", GETENT)
        for name in ("sshd", "mpirun"):
            commands.write(name, f'#!/bin/sh\necho "{name} $*" >> "$CALLS"\n')
        commands.write("ssh-keygen", '#!/bin/sh\necho "ssh-keygen $*" >> "$CALLS"\n')
        self.commands, self.folder, self.environment = commands, folder, environment
        self.places = tmp_path / "pods"
        self.key = tmp_path / "key"
        self.key.write_text("private")
        self.key.with_name("key.pub").write_text("public")
        programs = tmp_path / "configmap"
        programs.mkdir()
        for path in [*(folder / "node").iterdir(), folder / "plan.json"]:
            (programs / path.name).write_text(path.read_text())
        self.programs = programs

    def start(self, index, *, pods=2, wait=300, **more):
        home = self.places / str(index)
        home.mkdir(parents=True)
        path = f"{self.commands.calls.parent / 'commands'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.Popen(
            ["bash", str(self.folder / "pod.sh")],
            env={
                **self.environment,
                "PATH": path,
                "CALLS": str(self.commands.calls),
                "PODS": str(self.places),
                "JOB_COMPLETION_INDEX": str(index),
                "TRN_SMOKE_PODS": str(pods),
                "TRN_SMOKE_WAIT_SECONDS": str(wait),
                "TRN_SMOKE_END_SECONDS": str(2 * wait),
                "TRN_SMOKE_HOST": f"ip-10-0-0-{index}",
                "TRN_SMOKE_PROGRAMS": str(self.programs),
                "TRN_SMOKE_KEY": str(self.key),
                "TRN_SMOKE_HOME": str(home / "home"),
                "TRN_SMOKE_STATE": str(home / "state"),
                **more,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def pods(commands, node, node_environment, tmp_path):
    return Pods(commands, written(tmp_path, "eks"), node_environment, tmp_path)


def test_pods_test_themselves_and_then_all_together(pods, node, tmp_path):
    running = [pods.start(1), pods.start(0)]
    logs = tmp_path / "logs"
    logs.mkdir()
    for number, process in enumerate(running):
        output, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors
        (logs / f"pod-{number}.log").write_text(output)
    found = judge(read_results([str(logs)]), Floors())
    assert (found.status, found.hosts) == ("pass", ("ip-10-0-0-0", "ip-10-0-0-1"))
    (across,) = [call for call in node.calls() if "128" in call["argv"]]
    assert across["argv"][-3:] == ["--hosts", "10.0.0.0", "10.0.0.1"]
    home = pods.places / "0" / "home" / ".ssh"
    assert (home / "id_ed25519").stat().st_mode & 0o777 == 0o600
    assert (home / "authorized_keys").read_text() == "public"
    assert "PATH=" in (home / "environment").read_text()
    assert any(line.startswith("sshd ") for line in pods.commands.called())


def test_a_pod_that_failed_by_itself_stops_the_run_across_nodes(pods, node):
    running = [pods.start(1, STUB_CHECK="1"), pods.start(0)]
    (_, errors1), (_, errors0) = (process.communicate(timeout=240) for process in running)
    assert [process.returncode for process in running] == [1, 1], (errors1, errors0)
    assert "left out, because pod 1 failed by itself" in errors0
    assert not [call for call in node.calls() if "128" in call["argv"]]


def test_a_pod_that_never_comes_is_named(pods):
    process = pods.start(0, wait=5)
    _, errors = process.communicate(timeout=240)
    assert process.returncode == 1
    assert "pod trn-smoke-1.trn-smoke was not ready within 5 seconds" in errors


def test_a_first_pod_that_never_ends_is_told(pods):
    process = pods.start(1, wait=3)
    _, errors = process.communicate(timeout=240)
    assert process.returncode == 3
    assert "the first pod did not end within 6 seconds" in errors


def test_a_pod_alone_starts_no_sshd(pods):
    process = pods.start(0, pods=0)
    process.communicate(timeout=240)
    assert process.returncode == 0
    assert pods.commands.called() == []


KUBECTL = """\
#!/bin/sh
echo "kubectl $*" >> "$CALLS"
case "$1 $2" in
"create configmap") echo "kind: ConfigMap" ;;
"create secret") echo "kind: Secret" ;;
"get job") printf '%s' "${STUB_STATE-Complete}" ;;
"logs --tail=-1") echo "log of $4" ;;
"apply -f") [ "$3" != - ] || cat >/dev/null ;;
esac
"""


@pytest.mark.parametrize(("state", "code"), [("SuccessCriteriaMet Complete", 0), ("Failed", 1)])
def test_kubectl_is_asked_for_everything_in_order(commands, tmp_path, state, code):
    commands.write("kubectl", KUBECTL)
    commands.write("ssh-keygen", '#!/bin/sh\ntouch "$9" "$9.pub" && echo "keygen $*" >> "$CALLS"\n')
    folder = written(tmp_path, "eks")
    ran = commands.run(str(folder / "run.sh"), cwd=tmp_path, STUB_STATE=state)
    assert ran.returncode == code, ran.stderr
    verbs = [" ".join(line.split()[:3]) for line in commands.called()]
    # The two ends of a pipe begin at the same time.
    assert (set(verbs[1:3]), set(verbs[4:6])) == (
        {"kubectl create configmap", "kubectl apply -f"},
        {"kubectl create secret", "kubectl apply -f"},
    )
    assert [verbs[0], verbs[3], *verbs[6:]] == [
        "kubectl delete job",
        "keygen -q -t",
        "kubectl apply -f",
        "kubectl get job",
        "kubectl logs --tail=-1",
        "kubectl logs --tail=-1",
        "kubectl delete secret",
    ]
    (run,) = (folder / "results").iterdir()
    assert {path.name for path in run.iterdir()} == {"pod-0.log", "pod-1.log"}
    assert "job-completion-index=1" in (run / "pod-1.log").read_text()
    assert not list(folder.glob("**/id*"))
    (key,) = [line.split()[-1] for line in commands.called() if line.startswith("keygen")]
    assert not Path(key).exists()


# --- Systems Manager ---------------------------------------------------------------------------


def step_script(tmp_path, **parameters):
    """The step as the agent runs it, with its parameters filled in."""
    values = {"Action": "node", "Hosts": "", "PublicKey": "", **parameters}
    text = step_of(json.loads(files_of("trn2.48xlarge", "ssm")["document.json"]))
    for name, value in values.items():
        text = text.replace(f"{{{{ {name} }}}}", value)
    path = tmp_path / "step.sh"
    path.write_text(text)
    return str(path)


def test_the_step_of_the_document_tests_a_node(commands, node, node_environment, tmp_path):
    ran = commands.run("bash", step_script(tmp_path), **node_environment)
    assert ran.returncode == 0, ran.stderr
    (tmp_path / "n.log").write_text(ran.stdout)
    assert len(ran.stdout) < 24_000  # what Systems Manager keeps of an output
    (result,) = read_results([str(tmp_path / "n.log")]).results
    assert result.status == "passed"
    assert list((node.root / "var/log/trn-smoke").glob("node-*.json"))


def test_the_step_runs_across_nodes_with_its_key(commands, node, node_environment, tmp_path):
    script = step_script(tmp_path, Action="fabric", Hosts="10.0.0.1 10.0.0.2")
    ran = commands.run("bash", script, **node_environment)
    assert ran.returncode == 0, ran.stderr
    (call,) = node.calls()
    assert call["argv"][-3:] == ["--hosts", "10.0.0.1", "10.0.0.2"]
    arguments = call["env"]["OMPI_MCA_plm_rsh_args"]
    assert arguments.startswith(f"-i {node.root}/root/.ssh/trn-smoke ")


def test_keys_are_made_trusted_and_forgotten(commands, node, node_environment, tmp_path):
    commands.write(
        "ssh-keygen",
        '#!/bin/sh\nfor last; do :; done\necho private > "$last"\n'
        f'echo "ssh-ed25519 {"A" * 68} trn-smoke" > "$last.pub"\n',
    )
    ssh = node.root / "root" / ".ssh"
    ssh.mkdir(parents=True)
    others = "ssh-rsa AAAA somebody@example.com\n"
    (ssh / "authorized_keys").write_text(others)
    made = commands.run("bash", step_script(tmp_path, Action="make-key"), **node_environment)
    public = made.stdout.strip()
    assert public == f"ssh-ed25519 {'A' * 68} trn-smoke"
    trusted = step_script(tmp_path, Action="trust-key", PublicKey=public)
    assert commands.run("bash", trusted, **node_environment).returncode == 0
    assert (ssh / "authorized_keys").read_text() == f"{others}{public}\n"
    assert (ssh / "authorized_keys").stat().st_mode & 0o777 == 0o600
    forgotten = step_script(tmp_path, Action="forget-key")
    for _ in range(2):
        assert commands.run("bash", forgotten, **node_environment).returncode == 0
    assert (ssh / "authorized_keys").read_text() == others
    assert not (ssh / "trn-smoke").exists()


def test_an_empty_key_is_trusted_by_nobody(commands, node_environment, tmp_path):
    ran = commands.run("bash", step_script(tmp_path, Action="trust-key"), **node_environment)
    assert (ran.returncode, ran.stderr) == (2, "trn-smoke: PublicKey is empty\n")


# Runs the document's step at once, each instance with a root folder of its own.
AWS = """\
#!{python}
import json, os, subprocess, sys
given = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write("aws " + " ".join(given) + "\\n")
def value(flag):
    return given[given.index(flag) + 1]
store = os.environ["STORE"]
verb = " ".join(given[:2])
if verb == "ssm describe-document":
    sys.exit(0 if os.path.exists(store + "/document") else 254)
elif verb in ("ssm create-document", "ssm update-document"):
    content = open(value("--content").removeprefix("file://")).read()
    if os.path.exists(store + "/document") and open(store + "/document").read() == content:
        print("An error occurred (DuplicateDocumentContent)", file=sys.stderr)
        sys.exit(254)
    open(store + "/document", "w").write(content)
elif verb == "ec2 describe-instances":
    for number in range(int(os.environ.get("STUB_RUNNING", "2"))):
        print("i-%d\\t10.0.0.%d" % (number, number))
elif verb == "ssm send-command":
    start = given.index("--instance-ids") + 1
    end = next(n for n in range(start, len(given)) if given[n].startswith("--"))
    parameters = json.loads(value("--parameters"))
    document = json.load(open(store + "/document"))
    script = "\\n".join(document["mainSteps"][0]["inputs"]["runCommand"]) + "\\n"
    for name, facts in document["parameters"].items():
        script = script.replace("{{ %s }}" % name, parameters.get(name, [facts["default"]])[0])
    command = "c-%d" % len(os.listdir(store))
    os.mkdir(store + "/" + command)
    for instance in given[start:end]:
        root = os.path.join(os.environ["ROOTS"], instance)
        bad = os.environ.get("STUB_BAD") == instance
        ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env={
            **os.environ, "TRNKIT_ROOT": root, "TRN_SMOKE_HOST": instance,
            "STUB_CHECK": str(int(bad))})
        json.dump([ran.returncode, ran.stdout, ran.stderr],
                  open(store + "/" + command + "/" + instance, "w"))
    print(command)
elif verb == "ssm get-command-invocation":
    place = store + "/" + value("--command-id") + "/" + value("--instance-id")
    code, out, err = json.load(open(place))
    answers = {"Status": "Failed" if code else "Success", "StandardOutputContent": out,
               "StandardErrorContent": err}
    print(answers[value("--query")])
else:
    sys.exit("no " + verb)
"""


@pytest.fixture
def fleet(commands, node_environment, tmp_path):
    """Two instances that Systems Manager reaches."""
    commands.write("aws", AWS)
    for number in range(2):
        make_node(tmp_path / "roots" / f"i-{number}")
    (tmp_path / "store").mkdir()
    del node_environment["TRNKIT_ROOT"]
    return {
        **node_environment,
        "ROOTS": str(tmp_path / "roots"),
        "STORE": str(tmp_path / "store"),
    }


def test_systems_manager_from_script_to_verdict(commands, fleet, tmp_path):
    folder = written(tmp_path, "ssm")
    ran = commands.run(str(folder / "run.sh"), **fleet)
    assert ran.returncode == 0, ran.stderr
    found = verdict_of(folder)
    assert (found.status, found.hosts) == ("pass", ("i-0", "i-1")), found.reasons
    sent = [line for line in commands.called() if "send-command" in line]
    actions = [line.partition('{"Action": ["')[2].partition('"')[0] for line in sent]
    assert actions == ["node", "make-key", "trust-key", "fabric", "forget-key"]
    assert "--instance-ids i-0 i-1 --parameters" in sent[0]
    assert '"Hosts": ["10.0.0.0 10.0.0.1"]' in sent[3]
    for number in range(2):
        ssh = tmp_path / "roots" / f"i-{number}" / "root" / ".ssh"
        assert "trn-smoke" not in (ssh / "authorized_keys").read_text()
        assert not (ssh / "trn-smoke").exists()
    # A second time the document is there already, with this content.
    time.sleep(1.1)
    assert commands.run(str(folder / "run.sh"), **fleet).returncode == 0


def test_systems_manager_stops_before_the_run_across_nodes(commands, fleet, tmp_path):
    folder = written(tmp_path, "ssm")
    ran = commands.run(str(folder / "run.sh"), STUB_BAD="i-1", **fleet)
    assert ran.returncode == 1
    assert "i-1: Failed" in ran.stderr
    assert "the run across nodes is left out" in ran.stderr
    found = verdict_of(folder)
    assert found.status == "fail"
    assert found.reasons[0].text == "the node check failed: 15 of 16 chips"


def test_systems_manager_with_too_few_nodes(commands, fleet, tmp_path):
    ran = commands.run(str(written(tmp_path, "ssm") / "run.sh"), STUB_RUNNING="1", **fleet)
    assert (ran.returncode, ran.stderr) == (2, "trn-smoke: 1 of 2 nodes are running\n")
    assert not [line for line in commands.called() if "send-command" in line]


def test_the_real_aws_cli_takes_the_call(commands, tmp_path):
    """Its own parser takes everything; only then it finds that nobody listens."""
    program = Path(sys.executable).with_name("aws")
    if not program.exists():
        pytest.skip("there is no AWS CLI here")
    ran = commands.run(
        *(str(program), "ssm", "send-command", "--document-name", "trn-smoke-pretrain"),
        *("--document-version", "$LATEST", "--instance-ids", "i-0123456789abcdef0"),
        *("--parameters", '{"Action": ["fabric"], "Hosts": ["10.0.0.1 10.0.0.2"]}'),
        *("--comment", "trn-smoke fabric", "--region", "us-east-2"),
        *("--query", "Command.CommandId", "--output", "text"),
        *("--endpoint-url", "http://127.0.0.1:1"),
        HOME=str(tmp_path),
        AWS_ACCESS_KEY_ID="none",
        AWS_SECRET_ACCESS_KEY="none",
        AWS_MAX_ATTEMPTS="1",
    )
    assert "Could not connect to the endpoint URL" in ran.stderr
