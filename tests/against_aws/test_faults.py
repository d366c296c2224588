"""What goes wrong between the command line and AWS: nothing of it may look like an answer.

All runs go at once: most of their time is waiting before a call is tried again. Each has an access
key of its own, by which the server knows what to do to whom.
"""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest

from tests.against_aws.command import SECRETS, CommandLine
from tests.aws_server.faults import Fault, Rule

FILE = "examples/trn2-pretrain.yaml"
ASKING = ("account", "bootstrap", "image", "offering", "stack-names", "vcpu-quota", "zone")
"""Checks of which each asks something of its own, in all protocols that trnkit uses most."""
OK = dict.fromkeys((*ASKING, "credentials"), "ok")
ONLY = [word for name in OK for word in ("--only", name)]

NETWORK = "check network, proxy, AWS_ENDPOINT_URL and the Region's name, then try again"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What goes wrong, and what must be said then.

    Attributes:
        wrong: Rules, without whose calls they are for.
        unknown: Checks that are unknown -> words of the message, words of the remedy.
        failing: Checks that fail; all others are ok.
        timeout: Seconds, as `--timeout` takes them.
        at_least: Faults that the server must have committed.
    """

    wrong: tuple[Rule, ...]
    unknown: dict[str, tuple[str, str]] = field(default_factory=dict)
    failing: tuple[str, ...] = ()
    timeout: int = 60
    at_least: int = 1


OFF = (
    "was refused: the Region is off for this account (OptInRequired",
    "switch it on with `aws account enable-region --region-name us-east-2`",
)
PARTLY = {
    "throttled now and then": Scenario(wrong=(Rule(fault=Fault.THROTTLED, every=4),), at_least=3),
    "the network fails now and then": Scenario(
        wrong=(
            Rule(fault=Fault.CUT, every=7),
            Rule(fault=Fault.CUT_SHORT, every=9),
            Rule(fault=Fault.BAD_GATEWAY, every=10),
            Rule(fault=Fault.SERVER_ERROR, every=11),
        ),
        at_least=4,
    ),
    "AWS and the network say no in every way": Scenario(
        wrong=(
            Rule(fault=Fault.THROTTLED, operation="DescribeAvailabilityZones"),
            Rule(fault=Fault.DENIED, operation="DescribeInstanceTypeOfferings"),
            Rule(fault=Fault.DENIED, service="ssm"),
            Rule(fault=Fault.DENIED_BY_ORGANIZATION, service="cloudformation"),
            Rule(fault=Fault.CUT, service="sts"),
        ),
        unknown={
            "account": ("sts GetCallerIdentity in us-east-2 got no answer (Conn", NETWORK),
            "credentials": ("sts GetCallerIdentity in us-east-2 got no answer (Conn", NETWORK),
            "zone": (
                "ec2 DescribeAvailabilityZones in us-east-2 was throttled (RequestLimitExceeded",
                "wait a minute and try again",
            ),
            "offering": (
                "is not allowed (UnauthorizedOperation: User: (an ARN) is not authorized",
                "let the role or user call ec2:DescribeInstanceTypeOfferings; `trnkit iam-policy`",
            ),
            "image": (
                "is not allowed (AccessDeniedException: User: (an ARN) is not authorized",
                "let the role or user call ssm:GetParameter; `trnkit iam-policy`",
            ),
            "bootstrap": (
                "is not allowed (AccessDeniedException: User: (an ARN) is not authorized",
                "let the role or user call ssm:GetParameter; `trnkit iam-policy`",
            ),
            "stack-names": (
                "is not allowed by a policy of the organization (AccessDenied: ",
                "ask the organization's administrators for cloudformation:",
            ),
            "vcpu-quota": ("sts GetCallerIdentity in us-east-2 got no answer (Conn", NETWORK),
        },
        at_least=13,
    ),
    "one service fails": Scenario(
        wrong=(Rule(fault=Fault.SERVER_ERROR, service="service-quotas"),),
        unknown={
            "vcpu-quota": (
                "got no answer (InternalServerError: An internal error has occurred)",
                NETWORK,
            ),
        },
        at_least=5,
    ),
    "one service says nothing": Scenario(
        wrong=(Rule(fault=Fault.EMPTY, service="service-quotas"),),
        unknown={"vcpu-quota": ("nothing that can be used (it has no Quota)", "try again later")},
        at_least=1,
    ),
    "what comes back is no answer": Scenario(
        wrong=(
            Rule(fault=Fault.CAPTIVE_PORTAL, operation="DescribeAvailabilityZones"),
            Rule(fault=Fault.HALF, operation="DescribeInstanceTypeOfferings"),
            Rule(fault=Fault.CAPTIVE_PORTAL, operation="GetParameter"),
            Rule(fault=Fault.HALF, operation="GetServiceQuota"),
            Rule(fault=Fault.HALF, service="cloudformation"),
        ),
        unknown={
            "zone": ("(the reply is not AWS's: a web page with HTTP status 200)", NETWORK),
            "offering": ("got no answer (Unable to parse response", NETWORK),
            "bootstrap": ("(the reply is not AWS's: a web page with HTTP status 200)", NETWORK),
            "image": ("(the reply is not AWS's: a web page with HTTP status 200)", NETWORK),
            "vcpu-quota": ("got no answer (the reply is not AWS's: it is not JSON)", NETWORK),
            "stack-names": ("got no answer (Unable to parse response", NETWORK),
        },
        at_least=9,
    ),
    "one service hangs": Scenario(
        wrong=(Rule(fault=Fault.HANG, service="ssm"),),
        unknown=dict.fromkeys(
            ("bootstrap", "image"), ("got no answer within 12 s", "allow more time with --timeout")
        ),
        timeout=12,
        at_least=2,
    ),
    "answers lack what was asked for": Scenario(
        wrong=(
            Rule(fault=Fault.EMPTY, service="sts"),
            Rule(fault=Fault.EMPTY, operation="GetParameter"),
        ),
        unknown={
            "vcpu-quota": ("nothing that can be used (it has no Ar", "try again later"),
            "account": ("nothing that can be used (it has no Ar", "try again later"),
            "credentials": ("nothing that can be used (it has no Ar", "try again later"),
            "bootstrap": ("nothing that can be used (it has no Parameter)", "try again later"),
            "image": ("nothing that can be used (it has no Parameter)", "try again later"),
        },
        at_least=3,
    ),
    "everything is denied": Scenario(
        wrong=(Rule(fault=Fault.DENIED),),
        unknown=dict.fromkeys(
            (*ASKING, "credentials"),
            ("is not allowed (", "`trnkit iam-policy` prints all of them"),
        )
        | dict.fromkeys(
            ("account", "credentials"),
            ("is not allowed (", "sts:GetCallerIdentity needs no permission"),
        ),
        at_least=8,
    ),
    "the Region is off": Scenario(
        wrong=(Rule(fault=Fault.REGION_OFF, region="us-east-2"),),
        unknown=dict.fromkeys([name for name in ASKING if name != "account"], OFF)
        | {"credentials": OFF},
        failing=("account",),
        at_least=6,
    ),
}

WHOLLY = {
    "expired credentials": (Fault.EXPIRED, "have expired (", "sign in again"),
    "keys that AWS does not know": (Fault.NOT_ACCEPTED, "not accepted (", "check the keys"),
    "a captive portal": (Fault.CAPTIVE_PORTAL, "a web page with HTTP status 200", NETWORK),
    "an AWS that hangs": (Fault.HANG, "got no answer within 6 s", "--timeout"),
}


@pytest.fixture(scope="module")
def runs(server, tmp_path_factory):
    """Every scenario's outcome, and the faults that the server committed."""
    scenarios = {name: (told.wrong, told.timeout) for name, told in PARTLY.items()}
    scenarios |= {name: ((Rule(fault=fault),), 6) for name, (fault, *_) in WHOLLY.items()}
    keys = {name: f"AKIA{number:03}EXAMPLE" for number, name in enumerate(scenarios)}
    rules = [
        replace(rule, access_key=keys[name])
        for name, (wrong, _) in scenarios.items()
        for rule in wrong
    ]

    home = tmp_path_factory.mktemp("home")

    def run(name):
        trnkit = CommandLine(server.endpoint, home, keys[name])
        timeout = str(scenarios[name][1])
        chosen = ONLY if name in PARTLY else ()  # Whoever accepts nothing is seen by every check.
        return trnkit("preflight", FILE, *chosen, "--format", "json", "--timeout", timeout)

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
    worse = dict.fromkeys(scenario.unknown, "unknown") | dict.fromkeys(scenario.failing, "fail")
    assert done.checks() == OK | worse
    assert done.code == (1 if scenario.unknown else 0)
    for check, (message, remedy) in scenario.unknown.items():
        for told in done.results(check):
            assert told["status"] == "unknown"
            assert message in told["message"]
            assert remedy in told["remedy"]


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
    for word in ("Traceback", "please report it", "arn:aws:", "assumed-role", "111122223333"):
        assert word not in done.stdout


def test_a_service_that_hangs_costs_the_time_that_was_given_and_no_more(runs):
    for name, given in (("one service hangs", 12), ("an AWS that hangs", 6)):
        first = min(call.began for call in runs[1][name])
        assert given <= runs[0][name].seconds
        assert runs[0][name].ended - first < given + 5


def test_the_answers_under_throttling_are_those_of_a_quiet_day(aws, trnkit, runs):
    def answers(done):
        return {check["name"]: check["results"] for check in done.json()["checks"]}

    quiet = trnkit("preflight", FILE, *ONLY, "--format", "json")
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


@pytest.mark.parametrize(
    "arguments",
    [
        ("preflight", FILE),
        ("plan", FILE, "--format", "json"),
        ("catalog", "refresh", "--region", "us-east-2"),
    ],
    ids=" ".join,
)
def test_an_interrupt_ends_it_soon(arguments, aws, trnkit):
    with aws.wrong(Rule(fault=Fault.HANG)), trnkit.start(*arguments) as process:
        deadline = time.monotonic() + 60
        while not aws.begun:
            assert time.monotonic() < deadline, "nothing was asked"
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        stdout, stderr = process.communicate(timeout=30)
        seconds = time.monotonic() - begin
    assert process.returncode == 130
    assert seconds < 10  # The call itself hangs for longer.
    assert stdout == ""
    assert "Traceback" not in stderr
