"""`trnkit preflight` and `trnkit iam-policy`, as they are called."""

from __future__ import annotations

import json
import re
import socket
import time
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.trnkit.operations.preflight.fake_account import (
    DENIED,
    THROTTLED,
    FakeAccount,
    Refusal,
    quota,
)
from tests.trnkit.operations.preflight.situations import answers
from tests.trnkit.report.sarif_schema import LOG
from trnkit.aws import session as session_module
from trnkit.aws.permissions import read_operations
from trnkit.aws.service_quotas import GET_SERVICE_QUOTA
from trnkit.operations.preflight.check import list_checks

ALL = len(list_checks())

ACCOUNTLESS = """\
version: 1
name: pretrain
region: us-east-2
network: {availability_zone_id: use2-az3}
compute:
  node_groups:
    - {name: train, instance_type: trn2.48xlarge, count: 2}
budget: {limit_usd: 1000, scope: account, emails: [ml@example.com]}
"""
LOCK = """\
version: 1
images:
  - ssm_parameter: /aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id
    region: us-east-2
    ami_id: ami-00000000000000001
    neuron_sdk: "2.32.0"
    instance_families: [Trn1, Trn1n, Inf2, Trn2, Trn3]
    architecture: x86_64
    root_device_name: /dev/sda1
    root_volume_size_gib: 100
    resolved: "2026-09-01"
"""


@pytest.fixture
def account(monkeypatch, folder):
    """Let the command find an account that answers as told."""

    def say(**changes):
        made = FakeAccount(answers(**changes))
        monkeypatch.setattr(session_module, "AwsSession", lambda **_: made)
        return made

    (folder / "cluster.yaml").write_text(ACCOUNTLESS)
    return say


def test_an_account_in_which_all_is_well(account, trnkit):
    account()
    ran = trnkit("preflight", "cluster.yaml")
    assert ran.code == 0, ran.out
    assert "ok  TRN906  vcpu-quota" in ran.out
    begin, last = ran.out.splitlines()[-1].split(": ")
    assert begin == "can be deployed, as far as was asked"
    told = re.fullmatch(r"of (\d+) checks (\d+) pass, (\d+) have nothing to ask", last)
    number, good, left = map(int, told.groups())
    assert (number, good + left) == (ALL, ALL)
    assert ran.err.startswith(f"ok       {ALL} of {ALL} checks (")
    assert len(ran.err.splitlines()) == 1


def test_a_failure_has_its_line_the_evidence_and_the_command(account, trnkit):
    account(GetServiceQuota=quota(383.0))
    ran = trnkit("preflight", "cluster.yaml")
    assert ran.code == 1
    assert "cluster.yaml:7" in ran.out
    assert "TRN906" in ran.out
    assert "1 too few" in ran.out
    assert "--desired-value 384" in ran.out
    assert re.search(rf"not ready: of {ALL} checks \d+ pass, 1 fails, ", ran.out)
    assert ran.out.count("1 too few") == 1  # The table says where it is, and not again what.
    assert re.search(r"^fail +TRN906  vcpu-quota +1 finding above$", ran.out, re.MULTILINE)


def test_a_command_names_the_file_that_was_checked(account, trnkit, folder):
    account()
    locked = "image: {lock_file: images.lock}"
    (folder / "images.lock").write_text(LOCK)
    text = ACCOUNTLESS.replace("count: 2", f"count: 2, {locked}")
    (folder / "our cluster.yaml").write_text(text)
    ran = trnkit("preflight", "our cluster.yaml", "--only", "image-facts")
    assert "and commit it: `trnkit images refresh 'our cluster.yaml'`" in ran.out


def test_what_is_unknown_is_not_ok(account, trnkit):
    account(GetServiceQuota=DENIED)
    ran = trnkit("preflight", "cluster.yaml")
    assert ran.code == 1
    assert "let the role or user call servicequotas:GetServiceQuota" in ran.out
    asking = [check.name for check in list_checks() if GET_SERVICE_QUOTA in check.needs]
    skipped = [word for name in asking for word in ("--skip", name)]
    assert trnkit("preflight", "cluster.yaml", *skipped).code == 0


def test_a_warning_is_no_failure(account, trnkit):
    arn = "arn:aws:iam::111122223333:root"
    account(GetCallerIdentity={"Account": "111122223333", "Arn": arn, "UserId": "x"})
    assert trnkit("preflight", "cluster.yaml", "--only", "credentials").code == 0


def test_json(account, trnkit):
    account(GetServiceQuota=quota(383.0))
    ran = trnkit("preflight", "cluster.yaml", "--format", "json", "--only", "vcpu-quota")
    told = json.loads(ran.out)
    assert (ran.code, told["passed"], told["file"]) == (1, False, "cluster.yaml")
    (check,) = told["checks"]
    assert (check["id"], check["name"], check["status"]) == ("TRN906", "vcpu-quota", "fail")
    (result,) = check["results"]
    assert result["path"] == "compute.node_groups[0].count"
    assert result["command"].endswith("--desired-value 384")
    (finding,) = told["findings"]
    assert (finding["rule_id"], finding["severity"], finding["line"]) == ("TRN906", "error", 7)


def test_sarif(account, trnkit):
    account(GetServiceQuota=quota(383.0))
    ran = trnkit("preflight", "cluster.yaml", "--format", "sarif")
    told = json.loads(ran.out)
    jsonschema.validate(told, LOG)
    (rule,) = told["runs"][0]["tool"]["driver"]["rules"]
    assert (rule["id"], rule["helpUri"][:28]) == ("TRN906", "https://docs.aws.amazon.com/")


@pytest.mark.parametrize("code", ["ExpiredTokenException", "UnrecognizedClientException"])
def test_an_account_that_cannot_be_asked_at_all(code, account, trnkit):
    refused = dict.fromkeys(answers(), Refusal(code, status=403))
    account(**refused)
    ran = trnkit("preflight", "cluster.yaml")
    assert (ran.code, ran.out) == (3, "")
    *lines, last = ran.err.splitlines()
    assert "the account could not be asked" in last
    assert {line.split()[0] for line in lines} <= {"unknown", "ok"}


def test_a_check_that_has_nothing_to_ask_is_ok(account, trnkit):
    made = account()
    ran = trnkit("preflight", "cluster.yaml", "--only", "anomaly-monitor")
    assert made.asked == []
    assert ran.code == 0
    assert "\nnothing to ask: anomaly-monitor\n" in ran.out
    assert ran.out.endswith(": of 1 check 1 has nothing to ask\n")
    told = trnkit("preflight", "cluster.yaml", "--only", "anomaly-monitor", "--format", "json")
    (check,) = json.loads(told.out)["checks"]
    assert (check["status"], check["applies"]) == ("ok", False)
    assert check["results"][0]["message"] == "the file asks for nothing of it"


def test_one_missing_permission_is_told_once_with_the_checks_that_it_blinds(account, trnkit):
    account(GetServiceQuota=DENIED)
    ran = trnkit("preflight", "cluster.yaml")
    blind = [check.name for check in list_checks() if GET_SERVICE_QUOTA in check.needs]
    (line,) = [line for line in ran.out.splitlines() if "cannot tell: " in line]
    named = line.rpartition("cannot tell: ")[2].split(", ")
    assert "unknown: servicequotas:GetServiceQuota is not allowed, and" in line
    assert len(named) > 1
    assert set(named) <= set(blind)
    assert ran.out.count("let the role or user call servicequotas:GetServiceQuota") == 1
    assert "no errors, 1 warning in the account\n" in ran.out
    for name in named:
        assert re.search(rf"^unknown +TRN\d+  {name} +1 finding above$", ran.out, re.MULTILINE)
    told = json.loads(trnkit("preflight", "cluster.yaml", "--format", "json").out)
    assert {finding["rule_id"] for finding in told["findings"]} == {
        check["id"] for check in told["checks"] if check["name"] in named
    }


def test_an_answer_of_another_cause_stands_for_itself(account, trnkit):
    account(GetServiceQuota=DENIED, DescribeStacks=THROTTLED)
    ran = trnkit("preflight", "cluster.yaml", "--only", "vcpu-quota", "--only", "stack-names")
    assert "unknown: AWS throttles, and 1 check cannot tell: stack-names" in ran.out
    assert "unknown: service-quotas GetServiceQuota in us-east-2 for L-" in ran.out


def test_what_the_file_s_own_rules_find_is_not_denied(account, trnkit):
    account()
    ran = trnkit("preflight", "cluster.yaml")
    told = "no errors, 1 warning, 1 remark in cluster.yaml: see `trnkit check cluster.yaml`"
    assert f"no findings in the account\n{told}\n" in ran.out
    assert "no findings in cluster.yaml" not in ran.out
    content = json.loads(trnkit("preflight", "cluster.yaml", "--format", "json").out)
    assert [f["rule_id"] for f in content["file_findings"]] == ["TRN204", "TRN422"]
    assert content["findings"] == []


def test_no_credentials(folder, trnkit, monkeypatch):
    (folder / "cluster.yaml").write_text(ACCOUNTLESS)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    ran = trnkit("preflight", "cluster.yaml", "--format", "json")
    assert ran.code == 3
    assert json.loads(ran.out)["kind"] == "no-credentials"


@pytest.mark.parametrize(
    ("verb", "report_format"), [("preflight", "json"), ("preflight", "junit"), ("plan", "json")]
)
def test_no_credentials_are_said_in_the_file_that_gets_the_report(
    verb, report_format, folder, trnkit, monkeypatch
):
    (folder / "cluster.yaml").write_text(ACCOUNTLESS)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    call = (verb, "cluster.yaml", "--format", report_format)
    ran = trnkit(*call, "--output", "report")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.splitlines()[-1].startswith("error: sts connect in us-east-2 needs credentials")
    text = (folder / "report").read_text()
    if report_format == "json":
        told = json.loads(text)
        assert (told["kind"], told["findings"]) == ("no-credentials", [])
        assert told["failure"] in ran.err
    else:
        (error,) = ElementTree.fromstring(text).iter("error")
        assert error.get("message") in ran.err
    assert trnkit(*call).out == text
    assert trnkit(*call, "--output", "cluster.yaml").code == 2
    assert (folder / "cluster.yaml").read_text() == ACCOUNTLESS


def test_no_credentials_make_no_sarif_log_which_would_say_that_all_is_mended(
    folder, trnkit, monkeypatch
):
    (folder / "cluster.yaml").write_text(ACCOUNTLESS)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    ran = trnkit("preflight", "cluster.yaml", "--format", "sarif", "--output", "report")
    assert (ran.code, ran.out, (folder / "report").exists()) == (3, "", False)


def test_a_file_with_errors_asks_nobody(account, trnkit, folder):
    made = account()
    (folder / "cluster.yaml").write_text(ACCOUNTLESS.replace("count: 2", "count: two"))
    ran = trnkit("preflight", "cluster.yaml")
    assert (ran.code, made.asked) == (1, [])
    assert "the account was not asked" in ran.out


def test_a_file_that_is_not_there(account, trnkit):
    account()
    assert trnkit("preflight", "nowhere.yaml").code == 2


def test_a_check_that_is_none(account, trnkit):
    account()
    ran = trnkit("preflight", "cluster.yaml", "--only", "vcpu-qouta")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no check 'vcpu-qouta'; nearest: vcpu-quota" in ran.err


def test_only_reading_is_asked_and_nothing_is_told_of_who_asks(account, trnkit):
    made = account()
    ran = trnkit("preflight", "cluster.yaml", "--format", "json")
    assert {(service, name) for service, name, _ in made.asked} <= {
        (operation.service, operation.name) for operation in read_operations()
    }
    assert "111122223333" not in ran.out
    assert "arn:aws" not in ran.out


def test_the_policy(trnkit):
    ran = trnkit("iam-policy", "--parameter", "/ml/golden")
    policy = json.loads(ran.out)
    assert (ran.code, policy["Version"]) == (0, "2012-10-17")
    (parameters,) = [s for s in policy["Statement"] if "ssm:GetParameter" in s["Action"]]
    assert parameters["Resource"][-1] == "arn:aws:ssm:*:*:parameter/ml/golden"


def test_an_endpoint_that_hangs_costs_the_time_allowed_and_not_the_process(folder, process):
    """The kernel accepts the connections, and nobody ever answers."""
    (folder / "cluster.yaml").write_text(ACCOUNTLESS)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        ran = process("preflight", "cluster.yaml", "--timeout", "2", AWS_ENDPOINT_URL=address)
        taken = time.monotonic() - start
    assert ran.returncode == 3, ran.stderr
    assert "account got no answer within 2 s" in ran.stderr
    assert taken < 19  # A single call may take 20 seconds to answer.


@pytest.mark.parametrize("output", [".", "nowhere/report", "/dev/null", "cluster.yaml", ""])
def test_an_output_that_cannot_be_is_told_before_the_account_is_asked(account, trnkit, output):
    account()
    ran = trnkit("preflight", "cluster.yaml", "--output", output)
    assert (ran.code, ran.out) == (2, "")
    (line,) = ran.err.splitlines()
    assert line.startswith("error: "), "no check has begun"
