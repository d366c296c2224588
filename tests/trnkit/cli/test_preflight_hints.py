"""A command that only shows is told as such, and one that mends as the fix, in every form."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from tests.trnkit.cli.test_preflight import ACCOUNTLESS
from tests.trnkit.operations.preflight.fake_account import FakeAccount, quota
from tests.trnkit.operations.preflight.situations import answers
from trnkit.aws import session as session_module

LOOK = "aws ec2 describe-availability-zones --region us-east-2"
CASES = {
    "zone": ({"DescribeAvailabilityZones": {"AvailabilityZones": []}}, "; see: `", LOOK),
    "vcpu-quota": (
        {"GetServiceQuota": quota(383.0)},
        ": `",
        "aws service-quotas request-service-quota-increase --region us-east-2 --service-code ec2 "
        "--quota-code L-2C3B7624 --desired-value 384",
    ),
}


@pytest.fixture(params=sorted(CASES))
def preflight(request, monkeypatch, folder, trnkit):
    """Runs one check in a form; returns what it wrote, the words before its command, and that."""
    told, before, command = CASES[request.param]
    (folder / "cluster.yaml").write_text(ACCOUNTLESS)

    def run(form):
        account = FakeAccount(answers(**told))
        monkeypatch.setattr(session_module, "AwsSession", lambda **_: account)
        ran = trnkit("preflight", "cluster.yaml", "--only", request.param, "--format", form)
        assert ran.code == 1
        return ran.out, before, command

    return run


def test_in_text(preflight):
    out, before, command = preflight("text")
    assert f"{before}{command}`" in out


def test_in_json(preflight):
    out, before, command = preflight("json")
    told = json.loads(out)
    (result,) = told["checks"][0]["results"]
    key, other = ("look", "command") if "see" in before else ("command", "look")
    assert (result[key], result[other]) == (command, None)
    assert told["findings"][0]["hint"].endswith(f"{before}{command}`")


def test_in_sarif(preflight):
    out, before, command = preflight("sarif")
    (result,) = json.loads(out)["runs"][0]["results"]
    assert f"{before}{command}`" in result["message"]["text"]


def test_in_junit(preflight):
    out, before, command = preflight("junit")
    (failure,) = ElementTree.fromstring(out).iter("failure")
    label = "see" if "see" in before else "run"
    assert f"  {label}: {command}" in failure.text.splitlines()
