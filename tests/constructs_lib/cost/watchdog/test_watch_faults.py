"""The watchdog when AWS throttles, breaks off, answers late or not at all."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError

from tests.constructs_lib.cost.watchdog.account import (
    ACCOUNT,
    NOON,
    TABLE,
    GuardTable,
    minutes,
    settings,
    watch,
)

TRN1 = 21.5
DOWN = EndpointConnectionError(endpoint_url="https://ec2.us-east-2.amazonaws.com")
THROTTLED = "RequestLimitExceeded"


def failing_poll(account, after=5.0):
    with pytest.raises(watch.PollIncompleteError) as failure:
        account.poll(after=after)
    return str(failure.value)


def kept(account):
    return GuardTable(account.dynamodb, TABLE).latest_observation()


def test_a_list_that_breaks_off_loses_no_running_instance(account):
    for _ in range(4):
        account.launch(ago=60)
    account.poll()
    account.on("provide-client-params.ec2.DescribeInstances", _two_at_a_time)
    account.launch(ago=1)
    account.faults.fail("DescribeInstances", THROTTLED, 2)
    said = failing_poll(account)
    assert said == "ec2:DescribeInstances: RequestLimitExceeded"
    seen = kept(account)
    assert seen.faults == (said,)
    assert seen.groups["train"].running == 4, "none is taken for gone; the new one is not seen yet"
    assert seen.month_to_date_usd == pytest.approx(4 * TRN1 * 65 / 60, abs=1e-3)
    assert account.metric("spend_rate_usd_per_hour") == 4 * TRN1
    assert account.metric("watchdog_beats") == 0
    account.faults.heal()
    healed = account.poll(after=5)
    total = 4 * TRN1 * 70 / 60 + TRN1 * 11 / 60
    assert healed.month_to_date_usd == pytest.approx(total, abs=1e-3)
    assert account.metric("watchdog_beats") == 1


def _two_at_a_time(params, **_):
    params["MaxResults"] = 2


@pytest.mark.parametrize("error", [THROTTLED, "InternalError", "UnauthorizedOperation", DOWN])
def test_without_an_answer_of_ec2_what_ran_runs_on(account, error):
    account.launch(2, ago=60)
    account.poll()
    account.faults.fail("DescribeInstances", error)
    account.faults.fail("DescribeCapacityReservations", error)
    said = failing_poll(account, after=60)
    assert "ec2:DescribeInstances: " in said
    assert "ec2:DescribeCapacityReservations: " in said
    assert kept(account).month_to_date_usd == pytest.approx(2 * TRN1 * 2)
    assert account.metric("running_instances") == 2
    assert account.metric("unused_reserved_instances") is None, "not known, so not said"


def test_reservations_that_cannot_be_asked_for_are_as_they_were(account):
    told = account.reserve(2)
    groups = [{"name": "train", "capacity_reservation_id": told["CapacityReservationId"]}]
    account.poll(groups=groups)
    account.faults.fail("DescribeCapacityReservations", THROTTLED)
    account.clock += minutes(5)
    with pytest.raises(watch.PollIncompleteError):
        account.poll(groups=groups)
    seen = kept(account)
    assert seen.spend_rate_usd_per_hour == 2 * TRN1
    assert seen.groups["train"].unused_reserved == 2


@pytest.mark.parametrize("operation", ["GetItem", "Query"])
def test_without_the_ledger_the_rate_is_still_said(account, operation):
    account.launch(2, ago=60)
    before = account.poll()
    account.faults.fail(operation, "ProvisionedThroughputExceededException")
    said = failing_poll(account)
    assert said == "dynamodb:read: ProvisionedThroughputExceededException"
    assert account.metric("spend_rate_usd_per_hour") == 2 * TRN1
    assert account.metric("running_instances") == 2
    assert account.metric("month_to_date_usd") is None
    assert account.metric("watchdog_beats") == 0
    assert kept(account) == before
    account.faults.heal()
    assert account.poll(after=5).month_to_date_usd == pytest.approx(2 * TRN1 * 70 / 60, abs=1e-3)


def test_neither_list_nor_ledger_says_only_that_nothing_is_known(account):
    account.launch(ago=60)
    account.faults.fail("DescribeInstances", THROTTLED)
    account.faults.fail("GetItem", "ProvisionedThroughputExceededException")
    failing_poll(account)
    assert account.metric("watchdog_beats") == 0
    assert account.metric("spend_rate_usd_per_hour") is None


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_a_write_that_fails_is_made_by_the_next_poll(account, number):
    account.poll(fixed_usd_per_hour=0)
    account.launch(3, ago=0)
    account.faults.fail("PutItem", "ThrottlingException", number)
    account.clock += minutes(5)
    if number <= 4:
        failing_poll(account, after=0)
    else:
        account.poll()
    if number != 4:
        assert kept(account).month_to_date_usd == pytest.approx(3 * TRN1 * 5 / 60, abs=1e-3)
    account.faults.heal()
    seen = account.poll(after=5)
    assert seen.month_to_date_usd == pytest.approx(3 * TRN1 * 10 / 60, abs=1e-3)
    assert len(account.rows()) == 3


def test_an_end_that_could_not_be_written_is_written_with_its_time_later(account):
    (instance_id,) = account.launch(ago=60)
    account.poll()
    account.terminate(instance_id)
    account.faults.fail("UpdateItem", "ThrottlingException")
    said = failing_poll(account)
    assert said == "dynamodb:write: ThrottlingException"
    account.faults.heal()
    assert account.poll(after=5).month_to_date_usd == pytest.approx(TRN1)


def test_metrics_that_cannot_be_sent_leave_the_observation(account):
    account.launch(ago=60)
    account.faults.fail("PutMetricData", ConnectTimeoutError(endpoint_url="https://x.example.com"))
    said = failing_poll(account, after=0)
    assert said == "cloudwatch:PutMetricData: ConnectTimeoutError"
    assert kept(account).month_to_date_usd == TRN1
    assert account.metric("watchdog_beats") is None


def test_an_observation_that_cannot_be_written_is_no_beat(account):
    account.poll()
    account.faults.fail("PutItem", "ThrottlingException")
    failing_poll(account)
    assert account.metric("watchdog_beats") == 0


def test_a_region_that_is_down_ends_the_poll_and_nothing_is_lost(account):
    account.launch(2, ago=60)
    account.poll()
    account.faults.fail("*", DOWN)
    for _ in range(6):
        failing_poll(account)
    with pytest.raises(EndpointConnectionError):
        account.end_event("i-00000000000000bad", "terminated", NOON)
    account.faults.heal()
    account.launch(1, ago=20)
    seen = account.poll(after=5)
    total = 2 * TRN1 * 95 / 60 + TRN1 * 25 / 60
    assert seen.month_to_date_usd == pytest.approx(total, abs=1e-3)


def test_an_observation_that_cannot_be_read_is_replaced(account):
    account.poll()
    account.dynamodb.put_item(
        TableName=TABLE,
        Item={
            "pk": {"S": "guard"},
            "sk": {"S": "observation"},
            "observed": {"S": "2026-01-01T00:00:00Z"},
            "body": {"S": "{}"},
        },
    )
    assert "not an observation" in failing_poll(account)
    assert account.poll(after=5).faults == ()


def test_carrying_over_that_breaks_off_is_taken_up_again(account):
    account.clock = datetime(2026, 11, 30, 23, 58, tzinfo=UTC)
    account.launch(3, ago=60)
    account.poll()
    account.faults.fail("PutItem", "ThrottlingException", 2)
    failing_poll(account)
    account.faults.heal()
    seen = account.poll(after=5)
    assert seen.month_to_date_usd == pytest.approx(3 * TRN1 * 8 / 60, abs=1e-3)
    assert len(account.rows("2026-12")) == 3


def test_two_polls_at_once_count_once(account):
    account.launch(5, ago=60)
    account.reserve(3)
    account.poll()
    account.launch(5, ago=0)
    account.clock += minutes(5)
    seen, broken = [], []

    def poll(at):
        try:
            seen.append(watch.poll(settings(), account.clients, ACCOUNT, at))
        except Exception as error:
            broken.append(error)
            raise

    threads = [threading.Thread(target=poll, args=(account.clock,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not broken
    total = 5 * TRN1 * 65 / 60 + 5 * TRN1 * 5 / 60 + 3 * TRN1 * 5 / 60
    assert [one.month_to_date_usd for one in seen] == [pytest.approx(total, abs=1e-3)] * 3
    assert len(account.rows()) == 13
    assert account.poll().month_to_date_usd == pytest.approx(total, abs=1e-3)


def test_a_slow_poll_that_writes_after_a_newer_one_loses_nothing(account):
    first, second = account.launch(2, ago=60)
    account.poll()
    old = watch.look(account.clients.ec2, account.clock, "pretrain", set(), ACCOUNT)
    account.terminate(first, ago=-2)
    newer = account.poll(after=5)
    ledger = watch.Ledger(account.clients.table)
    book = watch.Book(ledger.read("2026-11"), settings().rates, "2026-11")
    book.see(old, old.at)
    ledger.write(book.changes, "2026-11", NOON)
    assert account.poll().month_to_date_usd == newer.month_to_date_usd
    assert newer.month_to_date_usd == pytest.approx(TRN1 * (62 + 65) / 60, abs=1e-3)
    assert {row["sk"][:19] for row in account.rows().values() if "ended" not in row} == {second}
