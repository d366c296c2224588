"""What goes wrong between the command line and AWS: nothing of it may look like an answer.

All runs go at once: most of their time is waiting before a call is tried again. Each has an access
key of its own, by which the server knows what to do to whom.
"""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from tests.against_aws.command import SECRETS, CommandLine
from tests.aws_server.faults import Fault, Rule
from trnkit.operations.preflight.check import list_checks

FILE = "examples/trn2-pretrain.yaml"
OK = dict.fromkeys((check.name for check in list_checks()), "ok")
ASKING = ("account", "bootstrap", "image", "offering", "stack-names", "vcpu-quota", "zone")
"""Checks that ask for this file, each something of its own."""

NETWORK = "check network, proxy, AWS_ENDPOINT_URL and the Region's name, then try again"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What goes wrong, and what must be said then.

    Attributes:
        wrong: Fault and what it is for, as `Rule` takes it.
        unknown: Checks that are unknown; all others are ok.
        message: Words of each unknown check.
        remedy: Words of its remedy.
        timeout: Seconds, as `--timeout` takes them.
        at_least: Faults that the server must have committed.
    """

    wrong: tuple[tuple[Fault, dict], ...]
    unknown: tuple[str, ...] = ()
    message: str = ""
    remedy: str = ""
    timeout: int = 40
    at_least: int = 1


def one(fault, **where):
    return ((fault, where),)


PARTLY = {
    "throttled now and then": Scenario(wrong=one(Fault.THROTTLED, every=4), at_least=3),
    "connections cut now and then": Scenario(wrong=one(Fault.CUT, every=6), at_least=2),
    "server errors now and then": Scenario(wrong=one(Fault.SERVER_ERROR, every=5), at_least=2),
    "a proxy fails now and then": Scenario(wrong=one(Fault.BAD_GATEWAY, every=7), at_least=2),
    "answers cut short now and then": Scenario(wrong=one(Fault.CUT_SHORT, every=7), at_least=2),
    "one operation throttled": Scenario(
        wrong=one(Fault.THROTTLED, operation="DescribeAvailabilityZones"),
        unknown=("zone",),
        message="ec2 DescribeAvailabilityZones in us-east-2 was throttled (RequestLimitExceeded",
        remedy="wait a minute and try again",
        at_least=5,
    ),
    "one operation denied": Scenario(
        wrong=one(Fault.DENIED, operation="DescribeInstanceTypeOfferings"),
        unknown=("offering",),
        message="is not allowed (UnauthorizedOperation: User: (an ARN) is not authorized",
        remedy="let the role or user call ec2:DescribeInstanceTypeOfferings; `trnkit iam-policy`",
    ),
    "one service denied": Scenario(
        wrong=one(Fault.DENIED, service="service-quotas"),
        unknown=("vcpu-quota",),
        message="is not allowed (AccessDeniedException: User: (an ARN) is not authorized",
        remedy="let the role or user call servicequotas:GetServiceQuota",
    ),
    "one service denied by the organization": Scenario(
        wrong=one(Fault.DENIED_BY_ORGANIZATION, service="cloudformation"),
        unknown=("stack-names",),
        message="is not allowed by a policy of the organization (AccessDenied: ",
        remedy="ask the organization's administrators for cloudformation:",
    ),
    "one service does not accept the keys": Scenario(
        wrong=one(Fault.NOT_ACCEPTED, service="service-quotas"),
        unknown=("vcpu-quota",),
        message="the credentials are not accepted (UnrecognizedClientException",
        remedy="`aws account get-region-opt-status --region-name us-east-2`",
    ),
    "one service hangs": Scenario(
        wrong=one(Fault.HANG, service="ssm"),
        unknown=("bootstrap", "image"),
        message="got no answer within 8 s",
        remedy="allow more time with --timeout",
        timeout=8,
    ),
    "one service fails": Scenario(
        wrong=one(Fault.SERVER_ERROR, service="cloudformation"),
        unknown=("stack-names",),
        message="got no answer (InternalFailure: An internal error has occurred)",
        remedy=NETWORK,
        timeout=100,
        at_least=5,
    ),
    "one operation is cut off": Scenario(
        wrong=one(Fault.CUT, operation="DescribeImages"),
        unknown=("image",),
        message="ec2 DescribeImages in us-east-2 for ",
        remedy=NETWORK,
        at_least=5,
    ),
    "a captive portal for ec2": Scenario(
        wrong=one(Fault.CAPTIVE_PORTAL, operation="DescribeAvailabilityZones"),
        unknown=("zone",),
        message="got no answer (the reply is not AWS's: a web page with HTTP status 200)",
        remedy=NETWORK,
    ),
    "a captive portal for a JSON service": Scenario(
        wrong=one(Fault.CAPTIVE_PORTAL, service="service-quotas"),
        unknown=("vcpu-quota",),
        message="got no answer (the reply is not AWS's: a web page with HTTP status 200)",
        remedy=NETWORK,
    ),
    "half of an answer in XML": Scenario(
        wrong=one(Fault.HALF, operation="DescribeInstanceTypeOfferings"),
        unknown=("offering",),
        message="got no answer (Unable to parse response",
        remedy=NETWORK,
    ),
    "half of an answer in JSON": Scenario(
        wrong=one(Fault.HALF, service="service-quotas"),
        unknown=("vcpu-quota",),
        message="got no answer (the reply is not AWS's: it is not JSON)",
        remedy=NETWORK,
    ),
    "everything denied": Scenario(
        wrong=one(Fault.DENIED),
        unknown=(*ASKING, "credentials"),
        message="is not allowed (",
        remedy="`trnkit iam-policy` prints all of them",
        at_least=8,
    ),
    "the Region is off": Scenario(
        wrong=one(Fault.REGION_OFF, region="us-east-2"),
        unknown=tuple(name for name in ASKING if name != "account"),
        message="was refused: the Region is off for this account (OptInRequired",
        remedy="switch it on with `aws account enable-region --region-name us-east-2`",
        at_least=6,
    ),
}

WHOLLY = {
    "expired credentials": (one(Fault.EXPIRED), "have expired (", "sign in again"),
    "keys that AWS does not know": (one(Fault.NOT_ACCEPTED), "not accepted (", "check the keys"),
    "a captive portal": (one(Fault.CAPTIVE_PORTAL), "a web page with HTTP status 200", NETWORK),
    "an AWS that hangs": (one(Fault.HANG), "got no answer within 5 s", "--timeout"),
}


@pytest.fixture(scope="module")
def runs(server, tmp_path_factory):
    """Every scenario's outcome, and the faults that the server committed."""
    scenarios = {name: (told.wrong, told.timeout) for name, told in PARTLY.items()}
    scenarios |= {name: (wrong, 5) for name, (wrong, *_) in WHOLLY.items()}
    keys = {name: f"AKIA{number:03}EXAMPLE" for number, name in enumerate(scenarios)}
    rules = [
        Rule(fault=fault, access_key=keys[name], **where)
        for name, (wrong, _) in scenarios.items()
        for fault, where in wrong
    ]

    def run(name):
        trnkit = CommandLine(server.endpoint, tmp_path_factory.mktemp("home"), keys[name])
        return trnkit("preflight", FILE, "--format", "json", "--timeout", str(scenarios[name][1]))

    with server.wrong(*rules) as calls, ThreadPoolExecutor(8) as pool:
        outcomes = dict(zip(scenarios, pool.map(run, scenarios), strict=True))
    faults = {
        name: [call for call in calls if call.fault and call.question.access_key == key]
        for name, key in keys.items()
    }
    assert not server.problems, "\n".join(server.problems)
    return outcomes, faults


@pytest.mark.parametrize("name", PARTLY)
def test_what_is_not_answered_is_unknown_and_the_rest_is_answered(name, runs):
    scenario, done, faults = PARTLY[name], runs[0][name], runs[1][name]
    assert len(faults) >= scenario.at_least
    assert done.checks() == OK | dict.fromkeys(scenario.unknown, "unknown")
    assert done.code == (1 if scenario.unknown else 0)
    for check in scenario.unknown:
        unknown = [told for told in done.results(check) if told["status"] == "unknown"]
        assert all(scenario.message in told["message"] for told in unknown), unknown
        assert all(scenario.remedy in told["remedy"] for told in unknown), unknown


@pytest.mark.parametrize("name", WHOLLY)
def test_an_account_that_cannot_be_asked_at_all_is_exit_code_3(name, runs):
    (_, words, remedy), done = WHOLLY[name], runs[0][name]
    assert done.code == 3
    failure = done.json()["failure"]
    assert failure.startswith("the account could not be asked: ")
    assert words in failure
    assert remedy in failure


@pytest.mark.parametrize("name", [*PARTLY, *WHOLLY])
def test_nothing_but_one_object_is_written_and_nobody_is_named(name, runs):
    done = runs[0][name]
    done.json()
    assert done.stderr == ""
    assert not [secret for secret in SECRETS if secret in done.stdout]
    for word in ("Traceback", "internal error", "arn:aws:", "assumed-role", "111122223333"):
        assert word not in done.stdout


def test_a_service_that_hangs_costs_the_time_that_was_given_and_no_more(runs):
    assert 8 <= runs[0]["one service hangs"].seconds < 8 + 6
    assert 5 <= runs[0]["an AWS that hangs"].seconds < 5 + 6


def test_the_answers_under_throttling_are_those_of_a_quiet_day(aws, trnkit, runs):
    def answers(done):
        return {check["name"]: check["results"] for check in done.json()["checks"]}

    quiet = trnkit("preflight", FILE, "--format", "json")
    assert answers(runs[0]["throttled now and then"]) == answers(quiet)


def test_nothing_listens(aws, tmp_path):
    trnkit = CommandLine("http://127.0.0.1:9", tmp_path)
    done = trnkit("preflight", FILE, "--format", "json", "--timeout", "3")
    assert done.code == 3
    assert "the account could not be asked: " in done.json()["failure"]


def test_without_credentials_nobody_is_asked(aws, tmp_path):
    trnkit = CommandLine(aws.endpoint, tmp_path, AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None)
    done = trnkit("preflight", FILE, "--format", "json")
    assert done.code == 3
    assert "needs credentials" in done.json()["failure"]
    assert "aws sso login" in done.json()["failure"]
    assert aws.begun == []


@pytest.mark.parametrize("interrupt", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_within_a_second(interrupt, aws, trnkit):
    with aws.wrong(Rule(fault=Fault.HANG)), trnkit.start("preflight", FILE) as process:
        deadline = time.monotonic() + 60
        while len(aws.begun) < 5:
            assert time.monotonic() < deadline, "nothing was asked"
            time.sleep(0.02)
        process.send_signal(interrupt)
        begin = time.monotonic()
        stdout, stderr = process.communicate(timeout=30)
        seconds = time.monotonic() - begin
    assert process.returncode == 128 + interrupt
    assert seconds < 1
    assert stdout == ""
    assert stderr == ("interrupted\n" if interrupt is signal.SIGINT else "")
