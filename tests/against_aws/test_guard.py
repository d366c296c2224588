"""`trnkit guard` as people run it: over the network to the function's own code, and back."""

from __future__ import annotations

import json
import os
import pty
import sys
from dataclasses import asdict, replace

import pytest

from tests.against_aws.command import CommandLine
from tests.aws_server.faults import Fault, Rule
from tests.aws_server.server import AwsServer, operations_of
from tests.synthesis import ROOT
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, ROLE, Refusal

sys.path.insert(0, str(ROOT / "constructs_lib" / "cost" / "assets" / "spend-guard"))

from spend_guard import enforce

from tests.constructs_lib.cost.enforcer.world import World

FUNCTION = "pretrain-Guard-SpendEnforcerFunction1A2B-x3C"
FILE = """\
version: 1
name: pretrain
region: us-east-2
network:
  availability_zone_id: use2-az3
compute:
  node_groups:
    - name: train
      instance_type: trn1.32xlarge
      count: 16
budget:
  limit_usd: 1000
  emails: [ml-platform@example.com]
  watchdog:
    month_limit_usd: 1000
    enforcement:
      mode: automatic
"""


class Deployed:
    """A cluster with its enforcer, behind an AWS on 127.0.0.1."""

    def __init__(self, monkeypatch):
        self.world = World()
        self.world.spent = 1200.0
        self.failure = None
        monkeypatch.setattr(enforce, "utc_now", lambda: self.world.now)
        monkeypatch.setattr(enforce, "client", self._client)
        monkeypatch.setattr(enforce, "Store", lambda *_: self.world.table)
        monkeypatch.setenv("TRNKIT_SETTINGS", json.dumps(asdict(self.world.plan)))
        monkeypatch.setenv("TRNKIT_TABLE", "guard")
        monkeypatch.setenv("TRNKIT_TOPIC", "topic")
        self.stack = {"SpendEnforcerFunction1A2B": FUNCTION, "SpendWatchdogFunction9Z": "other"}
        answers = {
            "lambda.Invoke": self._invoke,
            "cloudformation.ListStackResources": self._resources,
            "sts.GetCallerIdentity": {"Account": ACCOUNT, "Arn": ROLE, "UserId": "AROA:x"},
        }
        self.server = AwsServer(answers, "http://127.0.0.1:9")

    def _client(self, service):
        return None if service == "dynamodb" else self.world.client(service)

    def _invoke(self, asked, region):
        assert (asked["FunctionName"], region) == (FUNCTION, "us-east-2")
        if self.failure is not None:
            payload = json.dumps({"errorMessage": self.failure, "errorType": "Error"})
            return {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": payload.encode()}
        answer = enforce.handler(json.loads(asked["Payload"]), None)
        return {"StatusCode": 200, "Payload": json.dumps(answer).encode()}

    def _resources(self, asked, region):
        if asked["StackName"] != "pretrain-Guard" or not self.stack:
            return Refusal("ValidationError", f"Stack {asked['StackName']} does not exist")
        return {
            "StackResourceSummaries": [
                {
                    "LogicalResourceId": logical_id,
                    "PhysicalResourceId": name,
                    "ResourceType": "AWS::Lambda::Function",
                    "LastUpdatedTimestamp": "2026-11-01T00:00:00Z",
                    "ResourceStatus": "CREATE_COMPLETE",
                }
                for logical_id, name in self.stack.items()
            ]
        }


@pytest.fixture
def deployed(monkeypatch):
    made = Deployed(monkeypatch)
    yield made
    made.server.close()
    assert not made.server.problems, "\n".join(made.server.problems)


@pytest.fixture
def guard(deployed, tmp_path):
    """Runs `trnkit guard ACTION FILE`."""
    file = tmp_path / "cluster.yaml"
    file.write_text(FILE)
    home = tmp_path / "home"
    home.mkdir()
    trnkit = CommandLine(deployed.server.endpoint, home)

    def run(action, *options):
        return trnkit("guard", action, str(file), *options)

    run.file, run.trnkit = file, trnkit
    return run


def test_status_shows_state_plan_and_the_next_step(deployed, guard):
    deployed.world.pass_time()
    ran = guard("status")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout == (
        "cluster pretrain: warned (spending automatic, idle groups automatic)\n"
        "  limits: $1,000.00 in the month or $700.00 an hour\n"
        "  then: warn, 60 min, deny launches, checkpoint, 10 min, scale in to zero\n"
        "  idle for 60 min: train, tune\n"
        "  touches: train, tune\n"
        "  never touches: serve, block\n"
        "  seen at 2026-11-06T18:05:00Z: $1,200.00 in 2026-11, $100.00 an hour\n"
        "  spending: warned, begun 2026-11-06T18:05:00Z: $1,200.00 is spent in 2026-11,"
        " and $1,000.00 is the limit\n"
        "    next: deny launches, not before 2026-11-06T19:05:00Z\n"
    )


def test_status_says_what_is_not_counted_and_what_could_not_be_asked(deployed, guard):
    world = deployed.world
    world.pass_time()
    faults = ("ec2:DescribeInstances: RequestLimitExceeded",)
    world.observation = replace(world.observation, unpriced_instances=1, faults=faults)
    ran = guard("status")
    assert "  not counted: 1 instance without a known price\n" in ran.stdout
    assert "  not seen: ec2:DescribeInstances: RequestLimitExceeded\n" in ran.stdout


def test_status_of_idle_groups_alone_names_those_and_no_other(deployed, guard, monkeypatch):
    plan = replace(
        deployed.world.plan, mode=None, idle_protected_node_groups=("train",), at_usd=None
    )
    monkeypatch.setenv("TRNKIT_SETTINGS", json.dumps(asdict(plan)))
    said = guard("status").stdout
    assert "cluster pretrain: watching (spending off, idle groups automatic)\n" in said
    assert "  idle for 60 min: tune, serve\n  touches: tune, serve\n" in said
    assert "  never touches: train, block\n" in said
    assert "limits:" not in said


def test_release_brings_back_what_was_and_says_by_whom(deployed, guard):
    deployed.world.pass_time(120)
    assert deployed.world.size("train") == 0
    ran = guard("release", "--yes", "--format", "json")
    told = ran.json()
    assert (ran.code, told["done"], told["text"]) == (0, True, "released: spending")
    assert told["status"]["stage"] == "watching"
    assert deployed.world.size("train") == 16
    trail = guard("audit", "--format", "json").json()["trail"]
    assert trail[2]["by"] == "assumed-role deployer"
    assert "allow" in guard("audit").stdout


@pytest.mark.parametrize("action", ["approve", "call-off", "release"])
def test_what_does_not_fit_is_refused(deployed, guard, action):
    deployed.world.spent = 0
    ran = guard(action, "--yes", "--by", "ana")
    assert ran.code == 1
    assert ran.stdout.startswith("no: ")


def test_a_warning_is_called_off(deployed, guard):
    deployed.world.pass_time()
    assert guard("call-off", "--yes").code == 0
    assert deployed.world.stage == "watching"


def test_stop_now_stops(deployed, guard):
    ran = guard("stop-now", "--yes", "--by", "ana")
    assert (ran.code, ran.stdout.splitlines()[0]) == (0, "stopping: train, tune")
    assert deployed.world.is_denied("train")


@pytest.mark.parametrize("action", ["approve", "call-off", "release", "stop-now"])
def test_nothing_is_asked_of_aws_without_a_yes_where_nobody_can_be_asked(deployed, guard, action):
    ran = guard(action)
    assert ran.code == 2
    assert "say --yes where nobody can be asked" in ran.stderr
    assert deployed.server.calls == []


@pytest.mark.parametrize(("typed", "code", "size"), [("y", 0, 16), ("n", 1, 0), ("", 1, 0)])
def test_on_a_terminal_it_asks_first(deployed, guard, typed, code, size):
    deployed.world.pass_time(120)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        command = [sys.executable, "-m", "trnkit.cli.main", "guard", "release", str(guard.file)]
        os.execve(sys.executable, command, guard.trnkit._environment)
    os.write(terminal, f"{typed}\n".encode())
    seen = b""
    while True:
        try:
            seen += os.read(terminal, 4096)
        except OSError:
            break
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert b"Release pretrain: launches are allowed, and nodes start again. Go on? [y/N]" in seen
    assert (os.waitstatus_to_exitcode(status), deployed.world.size("train")) == (code, size)


def test_a_cluster_without_an_enforcer_says_how_to_get_one(deployed, guard):
    deployed.stack = {}
    ran = guard("status")
    assert ran.code == 3
    assert "stack pretrain-Guard in us-east-2 has no enforcer; deploy it" in ran.stderr


def test_a_file_without_enforcement_is_wrong_usage(deployed, guard):
    guard.file.write_text(FILE.partition("  watchdog:")[0])
    ran = guard("status")
    assert ran.code == 2
    assert "there is no budget.watchdog.enforcement" in ran.stderr
    assert deployed.server.calls == []


def test_a_function_that_fails_is_a_failure_with_its_words(deployed, guard):
    deployed.failure = "TRNKIT_SETTINGS cannot be read"
    ran = guard("release", "--yes")
    assert ran.code == 3
    assert f"function {FUNCTION} failed: TRNKIT_SETTINGS cannot be read" in ran.stderr


def test_a_denial_says_which_permission_is_needed(deployed, guard):
    with deployed.server.wrong(Rule(fault=Fault.DENIED, service="lambda")):
        ran = guard("status")
    assert ran.code == 3
    assert "lambda:InvokeFunction" in ran.stderr


@pytest.mark.parametrize("fault", [Fault.CUT, Fault.THROTTLED, Fault.SERVER_ERROR, Fault.HALF])
def test_a_wish_is_sent_once_whatever_becomes_of_it(deployed, guard, fault):
    with deployed.server.wrong(Rule(fault=fault, service="lambda")) as calls:
        ran = guard("stop-now", "--yes", "--by", "ana")
        asked = [call for call in calls if call.question.service == "lambda"]
    assert (ran.code, len(asked)) == (3, 1)


def test_only_what_is_declared_is_asked(deployed, guard):
    guard("status")
    guard("stop-now", "--yes")
    assert operations_of(deployed.server.calls) == {
        ("cloudformation", "ListStackResources"),
        ("lambda", "Invoke"),
        ("sts", "GetCallerIdentity"),
    }


def test_a_group_that_fails_makes_the_command_fail_and_is_named(deployed, guard):
    deployed.world.pass_time(120)
    deployed.world.scaling.broken = {("resume", "train")}
    ran = guard("release", "--yes")
    assert ran.code == 1
    assert "failed, tried again: allow train" in ran.stdout
