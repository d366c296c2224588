"""The preflight as a gate: the examples that pipelines copy, run and judged."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys

import boto3
import pytest
import yaml
from moto import mock_aws

from scripts.doc_pages.preflight_page import render
from tests.synthesis import ROOT
from tests.trnkit.cli.test_preflight import ACCOUNTLESS
from trnkit.cli.main import run
from trnkit.layout.tags import BUDGETS_HOME_REGION

GATE = ROOT / "examples" / "gate"
WORKFLOW = yaml.safe_load((GATE / "github-actions.yml").read_text())

# The real command line, before an account that answers as told.
COMMAND = """\
#!{python}
import sys
from tests.trnkit.operations.preflight.fake_account import DENIED, FakeAccount, Refusal, quota
from tests.trnkit.operations.preflight.situations import answers
from trnkit.aws import session
from trnkit.cli.main import main
told = {told}
session.AwsSession = lambda **_: FakeAccount(answers(**told))
main()
"""
EXPIRED = "dict.fromkeys(answers(), Refusal('ExpiredTokenException', status=403))"


@pytest.fixture
def gate(tmp_path):
    """Run the script with a fake account, and a `npx` that only writes down how it was called."""

    def call(told="{}", cluster=ACCOUNTLESS):
        (tmp_path / "cluster.yaml").write_text(cluster)
        commands = {
            "trnkit": COMMAND.format(python=sys.executable, told=told),
            "npx": f'#!/bin/sh\nprintf "%s\\n" "$@" > {shlex.quote(str(tmp_path / "deployed"))}\n',
        }
        for name, text in commands.items():
            (tmp_path / name).write_text(text)
            (tmp_path / name).chmod(0o755)
        ran = subprocess.run(
            [str(GATE / "deploy.sh"), "cluster.yaml"],
            cwd=tmp_path,
            env={
                **os.environ,
                "PATH": f"{tmp_path}:{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        deployed = tmp_path / "deployed"
        return ran, deployed.read_text().split("\n") if deployed.exists() else None

    return call


def test_an_account_in_which_all_is_well_is_deployed_to(gate):
    ran, deployed = gate()
    assert ran.returncode == 0, ran.stderr
    assert deployed == [
        "cdk",
        "deploy",
        "-c",
        "config=cluster.yaml",
        "**",
        "--require-approval",
        "never",
        "",
    ]


@pytest.mark.parametrize(
    ("told", "cluster", "code"),
    [
        ("{'GetServiceQuota': quota(383.0)}", ACCOUNTLESS, 1),
        ("{'GetServiceQuota': DENIED}", ACCOUNTLESS, 1),
        ("{}", ACCOUNTLESS.replace("count: 2", "count: two"), 1),
        ("{}", "version: [", 2),
        (EXPIRED, ACCOUNTLESS, 3),
    ],
    ids=["a failure", "unknown", "a wrong file", "no file", "credentials that have expired"],
)
def test_whatever_is_not_well_is_not_deployed_to(told, cluster, code, gate):
    ran, deployed = gate(told, cluster)
    assert ran.returncode == code, ran.stderr
    assert deployed is None


def steps(job):
    return WORKFLOW["jobs"][job]["steps"]


def test_the_workflow_deploys_after_the_preflight_alone():
    assert WORKFLOW["jobs"]["deploy"]["needs"] == "preflight"
    assert "if" not in WORKFLOW["jobs"]["deploy"]
    assert not any(step.get("continue-on-error") for step in steps("preflight"))
    assert WORKFLOW["permissions"] == {
        "actions": "read",
        "contents": "read",
        "id-token": "write",
        "security-events": "write",
    }


def test_the_two_jobs_have_different_roles():
    roles = {
        job: step["with"]["role-to-assume"]
        for job in WORKFLOW["jobs"]
        for step in steps(job)
        if step.get("uses", "").startswith("aws-actions/configure-aws-credentials@")
    }
    assert roles == {
        "preflight": "arn:aws:iam::111122223333:role/trnkit-preflight",
        "deploy": "arn:aws:iam::111122223333:role/cdk-deployer",
    }


def test_the_commands_of_the_workflow_are_ours(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (command,) = [
        step["run"] for step in steps("preflight") if step.get("run", "").startswith("trnkit ")
    ]
    arguments = shlex.split(command)[1:]
    uploaded = [step for step in steps("preflight") if "upload-sarif" in step.get("uses", "")]
    assert uploaded[0]["with"]["sarif_file"] == arguments[arguments.index("--output") + 1]
    # A file that is not there is exit code 2 as wrong usage is; the message tells them apart.
    assert run(arguments) == 2
    assert "cluster.yaml" in (tmp_path / "preflight.sarif").read_text()
    capsys.readouterr()


def test_the_trust_policy_admits_one_branch_of_one_repository():
    text = (GATE / "preflight-role-trust.json").read_text()
    (statement,) = json.loads(text)["Statement"]
    conditions = statement["Condition"]["StringEquals"]
    issuer = "token.actions.githubusercontent.com"
    assert statement["Principal"]["Federated"].endswith(f":oidc-provider/{issuer}")
    assert conditions[f"{issuer}:aud"] == "sts.amazonaws.com"
    assert re.fullmatch(r"repo:[a-z]+/[a-z]+:ref:refs/heads/main", conditions[f"{issuer}:sub"])
    with mock_aws():
        iam = boto3.client("iam", region_name=BUDGETS_HOME_REGION)
        iam.create_role(RoleName="trnkit-preflight", AssumeRolePolicyDocument=text)


def test_the_page_says_where_its_files_and_commands_are():
    page = " ".join(render().split())
    for path in GATE.iterdir():
        assert f"`{path.name}`" in page, path.name
    named = re.findall(r"file://(\S+\.json)", page)
    assert "examples/gate/preflight-role-trust.json" in named
    written = re.findall(r"> (\S+\.json)", page)
    assert all(name in written or (ROOT / name).exists() for name in named)
    assert "runs in your checkout of trnkit after `make setup`" in page


def test_the_page_shows_the_examples_as_they_are():
    page = (ROOT / "docs" / "preflight.md").read_text()
    for path in GATE.iterdir():
        assert path.read_text().rstrip("\n") in page, path.name
