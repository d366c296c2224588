"""What the watchdog counts, with instances that really start, stop and go in moto."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.constructs_lib.cost.watchdog.account import (
    ACCOUNT,
    CONTEXT,
    IMAGE,
    NOON,
    SETTINGS,
    GuardTable,
    minutes,
    moments,
    watch,
)
from tests.constructs_lib.cost.watchdog.account import settings as account_settings
from tests.constructs_lib.cost.watchdog.quick_table import QuickTable

TRN1 = 21.5


def test_running_instances_count_from_their_launch_at_their_price(account):
    account.launch(2, ago=30)
    seen = account.poll()
    assert seen.month_to_date_usd == pytest.approx(2 * TRN1 / 2)
    assert seen.spend_rate_usd_per_hour == 2 * TRN1
    assert seen.groups["train"].running == 2
    assert seen.groups["serve"].running == 0
    assert seen.faults == ()
    assert account.metric("month_to_date_usd") == pytest.approx(TRN1)
    assert account.metric("spend_rate_usd_per_hour") == 2 * TRN1
    assert account.metric("running_instances") == 2
    assert account.metric("running_instances", "train") == 2
    assert account.metric("running_instances", "serve") == 0
    assert account.metric("unpriced_instances") == 0
    assert account.metric("watchdog_beats") == 1


def test_an_empty_cluster_costs_what_does_not_run_on_instances(account):
    first = account.poll(fixed_usd_per_hour=1.25)
    assert (first.month_to_date_usd, first.spend_rate_usd_per_hour) == (0, 1.25)
    assert account.metric("spend_rate_usd_per_hour") == 1.25
    later = account.poll(after=120, fixed_usd_per_hour=1.25)
    assert later.month_to_date_usd == 2.5


def test_a_group_of_auto_scaling_that_is_scaled_in_stops_counting(account):
    account.ec2.create_launch_template(
        LaunchTemplateName="train",
        LaunchTemplateData={"ImageId": IMAGE, "InstanceType": "trn1.32xlarge"},
    )
    zone = account.ec2.describe_availability_zones()["AvailabilityZones"][0]["ZoneName"]
    account.auto_scaling.create_auto_scaling_group(
        AutoScalingGroupName="train",
        LaunchTemplate={"LaunchTemplateName": "train"},
        MinSize=0,
        MaxSize=3,
        DesiredCapacity=3,
        AvailabilityZones=[zone],
        Tags=[
            {"Key": "trnkit-cluster", "Value": "pretrain", "PropagateAtLaunch": True},
            {"Key": "trnkit-node-group", "Value": "train", "PropagateAtLaunch": True},
        ],
    )
    (group,) = account.auto_scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    ids = [one["InstanceId"] for one in group["Instances"]]
    for instance_id in ids:
        account.launched(instance_id, NOON - minutes(60))
    assert account.poll().month_to_date_usd == pytest.approx(3 * TRN1)
    account.auto_scaling.update_auto_scaling_group(AutoScalingGroupName="train", DesiredCapacity=0)
    for instance_id in ids:
        account.ended(instance_id, NOON + minutes(2))
    seen = account.poll(after=5)
    assert seen.groups["train"].running == 0
    assert seen.month_to_date_usd == pytest.approx(3 * TRN1 * 62 / 60, abs=1e-3)
    assert account.poll(after=600).month_to_date_usd == seen.month_to_date_usd


def test_seeing_the_same_again_changes_nothing(account):
    account.launch(3, ago=30)
    account.poll()
    before, rows = account.poll(after=5), account.rows()
    again = watch.poll(watch.Settings.from_json(_settings()), account.clients, ACCOUNT, NOON)
    assert account.rows() == rows
    assert again.month_to_date_usd == pytest.approx(3 * TRN1 / 2)
    kept = account.clients.table.latest_observation()
    assert kept == before, "an older observation must not replace a newer one"


def test_what_is_launched_and_gone_between_two_polls_is_counted(account):
    account.poll()
    account.clock += minutes(5)
    (instance_id,) = account.launch(ago=4)
    account.terminate(instance_id, ago=1)
    seen = account.poll()
    assert seen.groups["train"].running == 0
    assert seen.month_to_date_usd == pytest.approx(TRN1 * 3 / 60, abs=1e-3)


def test_without_a_time_from_ec2_an_end_is_when_it_was_noticed(account):
    (instance_id,) = account.launch(ago=10)
    account.poll()
    account.clock += minutes(5)
    account.terminate(instance_id, ago=None)
    assert account.poll().month_to_date_usd == pytest.approx(TRN1 * 15 / 60)


def test_an_instance_that_ec2_shows_no_more_counts_until_the_poll_that_missed_it(account):
    (instance_id,) = account.launch(ago=10)
    account.poll()
    account.terminate(instance_id)
    account.vanish(instance_id)
    seen = account.poll(after=5)
    assert seen.month_to_date_usd == pytest.approx(TRN1 * 15 / 60)
    assert account.poll(after=60).month_to_date_usd == seen.month_to_date_usd


def test_an_event_that_comes_later_than_the_poll_says_the_earlier_end(account):
    (instance_id,) = account.launch(ago=10)
    account.poll()
    account.terminate(instance_id)
    account.vanish(instance_id)
    account.poll(after=5)
    assert account.end_event(instance_id, "shutting-down", NOON + minutes(1))
    assert account.poll(after=5).month_to_date_usd == pytest.approx(TRN1 * 11 / 60, abs=1e-3)


def test_events_twice_and_in_the_wrong_order_say_one_end(account):
    (instance_id,) = account.launch(ago=10)
    account.poll()
    account.clock += minutes(4)
    account.terminate(instance_id, ago=None)
    account.end_event(instance_id, "terminated", NOON + minutes(3))
    account.end_event(instance_id, "shutting-down", NOON + minutes(1))
    account.end_event(instance_id, "terminated", NOON + minutes(3))
    account.end_event(instance_id, "shutting-down", NOON + minutes(1))
    assert account.poll(after=1).month_to_date_usd == pytest.approx(TRN1 * 11 / 60, abs=1e-3)
    (row,) = account.rows().values()
    assert row["ended"] == "2026-11-18T12:01:00Z"


@pytest.mark.parametrize("state", ["pending", "running"])
def test_an_event_of_something_that_runs_is_left_to_the_poll(account, state):
    (instance_id,) = account.launch(ago=10)
    account.poll()
    assert account.end_event(instance_id, state, NOON) is False
    assert "ended" not in next(iter(account.rows().values()))


def test_an_event_of_somebody_elses_instance_asks_ec2_nothing(account):
    account.poll()
    account.faults.calls.clear()
    assert account.end_event("i-00000000000000bad", "terminated", NOON) is False
    assert [name for name, _ in account.faults.calls] == ["dynamodb:Query"]
    assert account.rows() == {}


def test_stopped_and_started_again_is_two_intervals(account):
    (instance_id,) = account.launch(ago=60)
    account.poll()
    account.clock += minutes(5)
    account.stop(instance_id, ago=3)
    assert account.poll().spend_rate_usd_per_hour == 0
    account.clock += minutes(55)
    account.start(instance_id, ago=10)
    seen = account.poll()
    assert seen.spend_rate_usd_per_hour == TRN1
    assert seen.month_to_date_usd == pytest.approx(TRN1 * (62 + 10) / 60, abs=1e-3)
    assert len(account.rows()) == 2


def test_late_news_of_a_stop_is_of_the_run_before_it(account):
    (instance_id,) = account.launch(ago=60)
    account.poll()
    account.clock += minutes(20)
    account.stop(instance_id)
    account.start(instance_id, ago=5)
    account.poll()
    account.end_event(instance_id, "stopping", NOON + minutes(2))
    seen = account.poll(after=5)
    assert seen.spend_rate_usd_per_hour == TRN1, "the run that goes on"
    assert seen.month_to_date_usd == pytest.approx(TRN1 * (62 + 10) / 60, abs=1e-3)


def test_an_instance_stopped_long_ago_is_not_counted_over_and_over(account):
    (instance_id,) = account.launch(ago=60 * 24 * 40)
    account.stop(instance_id, ago=60 * 24 * 39)
    assert account.poll().month_to_date_usd == 0
    assert account.poll(after=5).month_to_date_usd == 0
    (other,) = account.launch(ago=60 * 24 * 3)
    account.stop(other, ago=None)
    assert account.poll(after=5).month_to_date_usd == 0, "nobody knows until when it ran"
    assert account.rows() == {}


def test_an_end_that_was_none_is_taken_back(account):
    (instance_id,) = account.launch(ago=10)
    account.poll()
    account.launch(tags={"trnkit-cluster": "other"})
    shows = [{"Reservations": []}]
    account.on("after-call.ec2.DescribeInstances", lambda parsed, **_: parsed.update(*shows))
    assert account.poll(after=5).groups["train"].running == 0
    shows[0] = {}
    seen = account.poll(after=5)
    assert seen.groups["train"].running == 1
    assert seen.month_to_date_usd == pytest.approx(TRN1 * 20 / 60, abs=1e-3)
    assert instance_id in next(iter(account.rows()))


@pytest.mark.parametrize(
    ("lifecycle", "instance_type", "rate"),
    [
        (None, "trn1.32xlarge", TRN1),
        ("spot", "trn1.32xlarge", 8),
        ("capacity-block", "trn2.48xlarge", 36),
        ("interruptible-capacity-reservation", "trn1.32xlarge", TRN1),
    ],
)
def test_each_way_to_buy_has_its_price(account, lifecycle, instance_type, rate):
    (instance_id,) = account.launch(ago=60, instance_type=instance_type)
    account._of_moto(instance_id).lifecycle = lifecycle

    def tell(parsed, **_):
        for launch in parsed["Reservations"]:
            for one in launch["Instances"]:
                one.pop("InstanceLifecycle", None)
                one.update({"InstanceLifecycle": lifecycle} if lifecycle else {})

    account.on("after-call.ec2.DescribeInstances", tell)
    seen = account.poll()
    assert (seen.spend_rate_usd_per_hour, seen.month_to_date_usd) == (rate, rate)


@pytest.mark.parametrize("instance_type", ["trn2.48xlarge", "m7i.large"])
def test_without_a_price_it_is_said_and_never_nothing(account, instance_type):
    account.launch(2, ago=60, instance_type=instance_type)
    account.launch(1, ago=60)
    seen = account.poll()
    assert seen.unpriced_instances == 2
    assert account.metric("unpriced_instances") == 2
    assert seen.spend_rate_usd_per_hour == TRN1


def test_a_price_that_is_learnt_later_counts_from_the_launch(account):
    (gone,) = account.launch(1, ago=60, instance_type="trn2.48xlarge")
    account.launch(1, ago=60, instance_type="trn2.48xlarge")
    account.poll()
    account.terminate(gone)
    rates = [{"instance_type": "trn2.48xlarge", "purchase": "on-demand", "usd_per_hour": 40}]
    account.clock += minutes(60)
    seen = account.poll(rates=rates)
    assert seen.unpriced_instances == 0
    assert seen.month_to_date_usd == pytest.approx(40 + 80)
    assert account.poll(after=60, rates=rates).month_to_date_usd == pytest.approx(40 + 120)


def test_a_changed_price_is_that_of_what_runs(account):
    account.launch(ago=60)
    account.poll()
    rates = [{"instance_type": "trn1.32xlarge", "purchase": "on-demand", "usd_per_hour": 10}]
    assert account.poll(rates=rates).month_to_date_usd == 10
    assert next(iter(account.rows().values()))["rate"] == "10"


def test_an_instance_of_no_group_counts_for_the_cluster(account):
    account.launch(ago=60, tags={"trnkit-cluster": "pretrain"})
    account.launch(ago=60, tags={"trnkit-cluster": "pretrain", "trnkit-node-group": "former"})
    account.launch(ago=60, tags={"trnkit-cluster": "other", "trnkit-node-group": "train"})
    seen = account.poll()
    assert seen.spend_rate_usd_per_hour == 2 * TRN1
    assert {name: group.running for name, group in seen.groups.items()} == {
        "former": 1,
        "serve": 0,
        "train": 0,
    }
    assert account.metric("running_instances") == 2


def test_all_pages_are_read(account):
    account.on("provide-client-params.ec2.DescribeInstances", _two_at_a_time)
    for _ in range(7):
        account.launch(ago=60)
    assert account.poll().groups["train"].running == 7
    pages = [n for n, _ in account.faults.calls if n == "ec2:DescribeInstances"]
    assert len(pages) == 4


def _two_at_a_time(params, **_):
    params["MaxResults"] = 2


def test_a_launch_time_ahead_of_the_clock_costs_nothing_yet_and_all_later(account):
    account.launch(ago=-2)
    seen = account.poll()
    assert (seen.month_to_date_usd, seen.groups["train"].running) == (0, 1)
    assert account.poll(after=62).month_to_date_usd == pytest.approx(TRN1)


def test_an_end_ahead_of_the_clock_is_now(account):
    (instance_id,) = account.launch(ago=60)
    account.poll()
    account.end_event(instance_id, "shutting-down", NOON + minutes(3))
    (row,) = account.rows().values()
    assert row["ended"] == moments.iso(NOON)


def test_a_new_month_begins_at_midnight_utc(account):
    account.clock = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
    account.launch(ago=60)
    assert account.poll().month_to_date_usd == pytest.approx(TRN1)
    seen = account.poll(after=60, fixed_usd_per_hour=4)
    assert seen.month == "2026-12"
    assert seen.month_to_date_usd == pytest.approx(TRN1 / 2 + 2)
    assert account.poll(after=30).month_to_date_usd == pytest.approx(TRN1)
    assert account.rows("2026-11").keys() == account.rows("2026-12").keys()


def test_an_end_before_midnight_that_is_learnt_after_it_is_of_the_old_month(account):
    account.clock = datetime(2026, 11, 30, 23, 50, tzinfo=UTC)
    told, by_event = account.launch(2, ago=60)
    account.poll()
    account.terminate(told, ago=-5)
    account.clock += minutes(15)
    account.end_event(by_event, "shutting-down", datetime(2026, 11, 30, 23, 52, tzinfo=UTC))
    account.terminate(by_event, ago=None)
    seen = account.poll()
    assert (seen.month, seen.month_to_date_usd) == ("2026-12", 0)
    ended = sorted(row["ended"] for row in account.rows("2026-11").values())
    assert ended == ["2026-11-30T23:52:00Z", "2026-11-30T23:55:00Z"]


def test_launched_and_gone_across_midnight_between_polls_is_in_both_months(account):
    account.clock = datetime(2026, 11, 30, 23, 58, tzinfo=UTC)
    account.poll()
    account.clock += minutes(5)
    (instance_id,) = account.launch(ago=4)
    account.terminate(instance_id, ago=1)
    assert account.poll().month_to_date_usd == pytest.approx(TRN1 * 2 / 60, abs=1e-3)
    assert len(account.rows("2026-11")) == len(account.rows("2026-12")) == 1


def test_a_watchdog_that_missed_a_whole_month_carries_over_what_ran(account):
    account.clock = datetime(2026, 10, 30, 12, 0, tzinfo=UTC)
    (instance_id,) = account.launch(ago=60)
    account.poll()
    account.clock = datetime(2026, 12, 1, 1, 0, tzinfo=UTC)
    assert account.poll().month_to_date_usd == pytest.approx(TRN1)
    assert [len(account.rows(m)) for m in ("2026-10", "2026-11", "2026-12")] == [1, 1, 1]
    account.end_event(instance_id, "shutting-down", account.clock)
    assert "ended" not in next(iter(account.rows("2026-11").values()))
    assert next(iter(account.rows("2026-12").values()))["ended"] == "2026-12-01T01:00:00Z"


def test_what_ran_before_the_watchdog_counts_in_this_month_alone(account):
    account.launch(ago=60 * 24 * 60)
    seen = account.poll()
    assert seen.month_to_date_usd == pytest.approx(TRN1 * (17 * 24 + 12))
    assert account.rows("2026-10") == {}


def test_unused_instances_of_a_reservation_are_billed_and_those_of_a_block_are_paid(account):
    account.reserve(2)
    account.reserve(3, ReservationType="capacity-block", InstanceType="trn2.48xlarge")
    first = account.poll()
    assert (first.spend_rate_usd_per_hour, first.month_to_date_usd) == (2 * TRN1, 0)
    assert account.metric("unused_reserved_instances") == 5
    assert account.metric("running_instances") == 0
    assert account.poll(after=60).month_to_date_usd == pytest.approx(2 * TRN1)


def test_of_a_reservation_only_what_nobody_uses_counts_beside_the_instances(account):
    told = account.reserve(2)
    account.poll()
    account.clock += minutes(60)
    account.launch(1, ago=0)
    told["AvailableInstanceCount"] = 1
    assert account.poll().spend_rate_usd_per_hour == 2 * TRN1
    seen = account.poll(after=60)
    assert seen.month_to_date_usd == pytest.approx(2 * TRN1 + 2 * TRN1)
    told["AvailableInstanceCount"] = 3
    assert account.poll(after=5).spend_rate_usd_per_hour == 4 * TRN1
    told["State"] = "cancelled"
    assert account.poll(after=5).spend_rate_usd_per_hour == TRN1


@pytest.mark.parametrize(
    ("told", "counts"),
    [
        ({}, 1),
        ({"OwnerId": "111122223333"}, 0),
        ({"OwnerId": "111122223333", "UnusedReservationBillingOwnerId": ACCOUNT}, 1),
        ({"UnusedReservationBillingOwnerId": "111122223333"}, 0),
        ({"State": "expired"}, 0),
        ({"Tags": []}, 0),
    ],
)
def test_who_pays_for_an_unused_reservation(account, told, counts):
    account.reserve(1, **told)
    assert account.poll().spend_rate_usd_per_hour == counts * TRN1


def test_a_reservation_that_a_group_names_is_of_that_group(account):
    told = account.reserve(4, Tags=[])
    groups = [{"name": "train", "capacity_reservation_id": told["CapacityReservationId"]}]
    seen = account.poll(groups=groups)
    assert seen.groups["train"].unused_reserved == 4
    assert account.metric("unused_reserved_instances", "train") == 4


def test_five_thousand_instances_are_counted_in_one_poll(account):
    launched = account.clock - timedelta(minutes=60)
    shown = [
        {
            "InstanceId": f"i-{number:017x}",
            "InstanceType": "trn1.32xlarge",
            "LaunchTime": launched,
            "State": {"Name": "running"},
            "StateTransitionReason": "",
            "Tags": [{"Key": "trnkit-node-group", "Value": "train"}],
        }
        for number in range(5000)
    ]

    def show(parsed, **_):
        parsed["Reservations"] = [{"Instances": shown}]

    account.on("after-call.ec2.DescribeInstances", show)
    quick = QuickTable()
    clients = dataclasses.replace(account.clients, table=GuardTable(quick, "guard"))
    told = account_settings(node_metrics_namespace=None)
    seen = watch.poll(told, clients, ACCOUNT, account.clock)
    assert seen.groups["train"].running == 5000
    assert seen.month_to_date_usd == 5000 * TRN1
    assert quick.writes == 5000 + 3, "and first-seen, carried, observation"
    quick.writes = quick.pages = 0
    later = watch.poll(told, clients, ACCOUNT, account.clock + minutes(5))
    assert later.month_to_date_usd == pytest.approx(5000 * TRN1 * 65 / 60, abs=1e-3)
    assert quick.writes == 1, "a poll that finds nothing new writes its observation alone"
    assert quick.pages == 5


def test_the_function_takes_ticks_and_events(account, monkeypatch):
    monkeypatch.setenv("TRNKIT_SETTINGS", _settings())
    monkeypatch.setattr(watch, "_clients", [account.clients])
    monkeypatch.setattr(watch, "utc_now", lambda: account.clock)
    (instance_id,) = account.launch(ago=60)
    told = watch.handler({"source": "aws.events", "detail-type": "Scheduled Event"}, CONTEXT)
    assert told["month_to_date_usd"] == TRN1
    assert json.loads(account.clients.table.read("guard", "observation")["body"]) == told
    event = {
        "source": "aws.ec2",
        "time": "2026-11-18T12:00:00Z",
        "detail": {"instance-id": instance_id, "state": "terminated"},
    }
    assert watch.handler(event, CONTEXT) == {"ended": True}


def test_the_function_makes_its_clients_of_its_environment_once(account, monkeypatch):
    monkeypatch.setenv("TRNKIT_SETTINGS", _settings())
    monkeypatch.setattr(watch, "_clients", [])
    event = {
        "source": "aws.ec2",
        "time": "2026-11-18T12:00:00Z",
        "detail": {"instance-id": "i-00000000000000bad", "state": "terminated"},
    }
    assert watch.handler(event, CONTEXT) == {"ended": False}
    (made,) = watch._clients
    assert watch.handler(event, CONTEXT) == {"ended": False}
    assert watch._clients == [made]


def _settings():
    return json.dumps(SETTINGS)
