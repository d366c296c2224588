"""The runner: at once, within its time, and chosen by name."""

from __future__ import annotations

import dataclasses
import threading
import time

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import DENIED, FakeAccount
from tests.trnkit.operations.preflight.situations import answers
from trnkit.aws.ec2_capacity import family_of
from trnkit.aws.session import CALLS_AT_ONCE, CALLS_AT_ONCE_IN_ALL, AwsSession
from trnkit.errors import UsageError
from trnkit.operations.preflight.account import AccountView
from trnkit.operations.preflight.check import list_checks
from trnkit.operations.preflight.result import fail, ok, unknown, warning
from trnkit.operations.preflight.running import CheckRun, choose_checks, in_time, run_checks

CHECKS = list_checks()


def check(name, run):
    return dataclasses.replace(CHECKS[0], id=name.upper(), name=name, run=run)


def view(**changes):
    return AccountView(make_cluster(), FakeAccount(answers(**changes)))


def names(checks):
    return [check.name for check in checks]


def test_all_checks_together_ask_the_caller_once():
    account = view()
    runs = run_checks(CHECKS, account, most_seconds=60)
    assert [run.status for run in runs] == ["ok"] * len(CHECKS)
    asked = [name for _, name, _ in account.session.asked]
    assert asked.count("GetCallerIdentity") == 1


def test_what_is_unknown_of_the_account_stands_at_the_region_that_was_asked():
    """Not at the first line of the file, which says `version`."""
    denied = view(ListExports=DENIED, GetCallerIdentity=DENIED)
    (chosen,) = [c for c in CHECKS if c.name == "credentials"]
    late = check("late", lambda _: iter(lambda: time.sleep(5), None))

    def broken(_):
        raise RuntimeError("mistake")

    for run in run_checks([chosen, late, check("broken", broken)], denied, most_seconds=1):
        (result,) = run.results
        assert (result.status, result.path) == ("unknown", ("region",))


def test_checks_run_at_once_and_are_told_as_they_end():
    both, told = threading.Barrier(2, timeout=20), []

    def meet(account):
        both.wait()
        yield ok("met")

    run_checks(
        [check("a", meet), check("b", meet)],
        view(),
        most_seconds=20,
        progress=lambda run: told.append(run.check.name),
    )
    assert sorted(told) == ["a", "b"]


def test_one_that_hangs_costs_the_time_and_not_the_others():
    never = threading.Event()

    def hang(account):
        never.wait(30)
        yield ok("late")

    start = time.monotonic()
    runs = run_checks(
        [check("slow", hang), check("quick", lambda account: [ok("here")])],
        view(),
        most_seconds=0.5,
    )
    assert time.monotonic() - start < 10
    never.set()
    assert [run.status for run in runs] == ["unknown", "ok"]
    assert runs[0].results[0].message == "slow got no answer within 0.5 s"


def test_what_was_found_before_the_time_is_over_stays():
    never = threading.Event()

    def hang(account):
        yield fail("first", remedy="do")
        never.wait(30)
        yield ok("late")

    (run,) = run_checks([check("slow", hang)], view(), most_seconds=0.5)
    never.set()
    assert (run.status, len(run.results)) == ("fail", 2)
    assert run.results[1].message == "slow got no further answer within 0.5 s"


def test_what_was_found_before_a_failure_stays():
    def partly(account):
        yield fail("first", remedy="do")
        account.zones()
        yield ok("never")

    (run,) = run_checks(
        [check("a", partly)], view(DescribeAvailabilityZones=DENIED), most_seconds=20
    )
    assert [result.status for result in run.results] == ["fail", "unknown"]


def test_a_mistake_of_ours_is_no_answer_and_costs_no_other_its_own():
    def wrong(account):
        yield warning("first", remedy="do")
        raise RuntimeError("arn:aws:iam::123456789012:role/ours")

    runs = run_checks(
        [check("a", wrong), check("b", lambda account: [ok("here")])], view(), most_seconds=20
    )
    assert [run.status for run in runs] == ["unknown", "ok"]
    first, broke = runs[0].results
    assert first.message == "first"
    assert broke.message == "a broke, which is a mistake of trnkit: RuntimeError: (an ARN)"
    assert isinstance(runs[0].error, RuntimeError)
    assert runs[1].error is None


def test_time_that_was_spent_before_counts():
    never = threading.Event()

    def hang(account):
        never.wait(30)
        yield ok("late")

    start = time.monotonic()
    (run,) = run_checks([check("a", hang)], view(), most_seconds=60, start=start - 59.5)
    never.set()
    assert time.monotonic() - start < 10
    assert run.results[0].message == "a got no answer within 60 s"


def test_an_answer_in_time_and_one_that_is_late():
    def refuse():
        raise ValueError("no")

    assert in_time(lambda: 7, 20) == 7
    with pytest.raises(ValueError, match="no"):
        in_time(refuse, 20)
    never = threading.Event()
    with pytest.raises(TimeoutError):
        in_time(lambda: never.wait(20), 0.1)
    never.set()


def test_the_worst_answer_is_the_check_s():
    answers_of = (
        ok("a"),
        warning("b", remedy="r"),
        unknown("c", remedy="r"),
        fail("d", remedy="r"),
    )
    seen = [
        CheckRun(check=CHECKS[0], results=answers_of[: n + 1], seconds=0).status for n in range(4)
    ]
    assert seen == ["ok", "warning", "unknown", "fail"]


def test_only_and_skip_take_names_and_ids():
    assert names(choose_checks(CHECKS, only=["zone", "TRN901"])) == ["account", "zone"]
    assert names(choose_checks(CHECKS, only=["zone", "image"], skip=["trn908"])) == ["zone"]
    assert len(choose_checks(CHECKS, skip=["zone"])) == len(CHECKS) - 1


def test_names_that_are_none():
    with pytest.raises(UsageError, match="there is no check 'zones'; nearest: zone"):
        choose_checks(CHECKS, only=["zones"])
    with pytest.raises(UsageError, match="there is no check 'trn096'; nearest: TRN9"):
        choose_checks(CHECKS, skip=["trn096"])
    with pytest.raises(UsageError, match="leave no check"):
        choose_checks(CHECKS, only=["zone"], skip=["zone"])


@pytest.mark.parametrize(
    ("places", "bound"),
    [
        ([("ec2", "us-east-2")], CALLS_AT_ONCE),
        ([("ec2", "us-east-2"), ("ec2", "us-west-2"), ("ssm", "us-west-2")], 3 * CALLS_AT_ONCE),
        ([("ec2", f"us-east-{n}") for n in range(20)], CALLS_AT_ONCE_IN_ALL),
    ],
    ids=["one Region", "each its own", "in all"],
)
def test_no_more_calls_than_allowed_are_under_way(places, bound):
    session, most, now, lock = AwsSession(), 0, 0, threading.Lock()
    full = threading.Event()

    def call(place):
        nonlocal most, now
        with session.turn(*place):
            with lock:
                now += 1
                most = max(most, now)
                if now == bound:
                    full.set()
            full.wait(20)
            time.sleep(0.02)  # For one too many to come.
            with lock:
                now -= 1

    calls = [place for place in places for _ in range(2 * CALLS_AT_ONCE)]
    threads = [threading.Thread(target=call, args=(place,)) for place in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == bound


@pytest.mark.parametrize(
    ("name", "family"), [("trn1n.32xlarge", "trn"), ("inf2.xlarge", "inf"), ("odd", "odd")]
)
def test_families(name, family):
    assert family_of(name) == family
