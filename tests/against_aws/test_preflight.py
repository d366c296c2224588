"""`trnkit preflight` as people run it, against an AWS that answers over the network."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from tests.against_aws.command import SECRETS, CommandLine
from tests.aws_server.faults import Fault, Rule
from tests.aws_server.server import operations_of
from tests.synthesis import EXAMPLES
from tests.trnkit.operations.preflight.fake_account import ACCOUNT
from trnkit.aws.permissions import read_operations
from trnkit.config import load_cluster
from trnkit.layout.capacity import block_times
from trnkit.operations.preflight.check import list_checks

READS = {(operation.service, operation.name) for operation in read_operations()}

# What AWS really does not have, or does not tell, of what the examples ask for.
NOT_OK = {
    "custom-type": {"offering": "fail"},  # The type is invented.
    # The parameter holds another image than the lock, which nobody has refreshed.
    "locked-image": {"image-facts": "warning"},
    # No offering names an UltraServer's type; the resource group is empty.
    "trn2u-ultraserver": {"offering": "warning", "reservation": "fail"},
}


def has_begun(path):
    """Whether a Capacity Block of a file has begun: then some of its answers turn on the clock."""
    groups = load_cluster(path).config.compute.node_groups
    begins = [times.start for group in groups if (times := block_times(group))]
    return any(begin <= datetime.now(UTC) for begin in begins)


@pytest.fixture(scope="module")
def runs(server, tmp_path_factory):
    """Every example asked, two at once, and what was asked meanwhile."""
    trnkit = CommandLine(server.endpoint, tmp_path_factory.mktemp("home"))

    def ask(path):
        return trnkit("preflight", str(path), "--format", "json")

    with server.wrong() as calls, ThreadPoolExecutor(2) as pool:
        outcomes = dict(zip((p.stem for p in EXAMPLES), pool.map(ask, EXAMPLES), strict=True))
    assert not server.problems, "\n".join(server.problems)
    return outcomes, calls


@pytest.mark.parametrize("name", [path.stem for path in EXAMPLES])
def test_an_example_is_ready_where_everything_is_well(runs, name):
    done = runs[0][name]
    expected = dict.fromkeys((check.name for check in list_checks()), "ok")
    (path,) = (path for path in EXAMPLES if path.stem == name)
    timed = {"block-schedule", "reservation"} if has_begun(path) else set()
    told = {check: status for check, status in done.checks().items() if check not in timed}
    wanted = expected | NOT_OK.get(name, {})
    assert told == {check: status for check, status in wanted.items() if check not in timed}
    assert done.code == (1 if {"fail", "unknown"} & {*done.checks().values()} else 0)
    assert done.stderr == ""


def test_over_all_examples_nothing_but_declared_reads_is_called(runs):
    asked = operations_of(runs[1])
    assert asked <= READS
    assert len(asked) >= 12, "the examples ask about little"


def test_every_question_goes_to_the_region_of_its_file(runs):
    regions = {call.question.region for call in runs[1]}
    assert regions == {"us-east-1", "us-east-2", "us-west-2", "sa-east-1"}


def test_connections_are_kept_and_used_side_by_side(runs):
    calls = runs[1]
    connections = {call.connection for call in calls}
    assert len(EXAMPLES) < len(connections) < len(calls)


def test_who_asks_is_not_told(runs):
    for name, done in runs[0].items():
        (path,) = (path for path in EXAMPLES if path.stem == name)
        said = done.stdout + done.stderr
        assert not [secret for secret in SECRETS if secret in said]
        assert ":assumed-role/" not in said
        if ACCOUNT not in path.read_text(encoding="utf-8"):
            assert ACCOUNT not in said


def test_text_and_sarif_say_the_same(aws, trnkit):
    text = trnkit("preflight", "examples/custom-type.yaml")
    assert text.code == 1
    last = text.stdout.splitlines()[-1]
    assert last.startswith(f"not ready: of {len(list_checks())} checks ")
    assert " 1 fails, " in last
    assert "Traceback" not in text.stdout + text.stderr
    sarif = trnkit("preflight", "examples/custom-type.yaml", "--format", "sarif")
    (run,) = json.loads(sarif.stdout)["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["TRN905"]


def test_a_file_with_errors_asks_nobody(aws, trnkit, tmp_path):
    broken = tmp_path / "cluster.yaml"
    broken.write_text("version: 1\nname: a\n", encoding="utf-8")
    done = trnkit("preflight", str(broken), "--format", "json")
    assert done.code == 1
    assert aws.begun == []


def test_only_asks_no_more_than_its_check(aws, trnkit):
    done = trnkit("preflight", "examples/trn2-pretrain.yaml", "--only", "zone", "--format", "json")
    assert done.checks() == {"zone": "ok"}
    assert operations_of(aws.calls) == {("ec2", "DescribeAvailabilityZones")}


def test_behind_a_captive_portal_nothing_was_answered(aws, trnkit):
    with aws.wrong(Rule(fault=Fault.CAPTIVE_PORTAL)):
        done = trnkit("preflight", "examples/s3-mountpoint.yaml", "--format", "json")
    assert done.code == 3, done.stdout
    assert "a web page with HTTP status 200" in done.json()["failure"]


def test_neither_the_cdk_nor_a_linter_nor_an_emulation_is_imported(aws, tmp_path):
    trnkit = CommandLine(aws.endpoint, tmp_path, PYTHONPROFILEIMPORTTIME="1")
    done = trnkit("preflight", "examples/trn2-pretrain.yaml", "--only", "zone")
    assert done.code == 0
    rows = [line.split("|") for line in done.stderr.splitlines() if "import time:" in line]
    packages = {row[2].strip().partition(".")[0] for row in rows}
    assert {"boto3", "trnkit"} <= packages
    assert not packages & {"aws_cdk", "constructs", "jsii", "cfnlint", "moto", "ministack"}
