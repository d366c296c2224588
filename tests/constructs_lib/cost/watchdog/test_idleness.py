"""Whether nodes are idle, from the metrics that they send; without them nobody knows."""

from __future__ import annotations

import pytest

from tests.constructs_lib.cost.watchdog.account import minutes, watch

IDLE, BUSY = 0.005, 0.6


def test_a_group_is_idle_when_all_its_nodes_are(account):
    first, second = account.launch(2, ago=60)
    account.use(first, IDLE, last=15)
    account.use(second, IDLE, last=15)
    group = account.poll().groups["train"]
    assert group.idle_known
    assert group.idle_since == account.clock - minutes(15)
    assert account.metric("idle_instances_share", "train") == 1
    assert account.metric("idle_instances_share", "serve") is None


def test_one_busy_node_keeps_the_group(account):
    first, second = account.launch(2, ago=60)
    account.use(first, IDLE, last=15)
    account.use(second, BUSY, last=15)
    group = account.poll().groups["train"]
    assert (group.idle_known, group.idle_since) == (True, None)
    assert account.metric("idle_instances_share", "train") == 0.5


@pytest.mark.parametrize("sent", [0, 3, 6])
def test_a_node_without_enough_metrics_is_unknown_and_never_idle(account, sent):
    first, second = account.launch(2, ago=60)
    account.use(first, IDLE, last=15)
    account.use(second, IDLE, last=sent)
    group = account.poll().groups["train"]
    assert (group.idle_known, group.idle_since) == (False, None)
    assert account.metric("idle_instances_share", "train") is None


def test_idleness_goes_on_from_poll_to_poll_and_ends_with_use(account):
    (node,) = account.launch(ago=60)
    account.use(node, IDLE, last=15)
    since = account.poll().groups["train"].idle_since
    for _ in range(3):
        account.clock += minutes(5)
        account.use(node, IDLE, last=5)
        assert account.poll().groups["train"].idle_since == since
    account.clock += minutes(5)
    account.use(node, BUSY, last=1)
    assert account.poll().groups["train"].idle_since is None
    account.clock += minutes(5)
    account.use(node, IDLE, last=5)
    assert account.poll().groups["train"].idle_since is None, "it was used in these minutes"


def test_after_an_outage_of_the_watchdog_idleness_is_counted_anew(account):
    (node,) = account.launch(ago=60)
    account.use(node, IDLE, last=15)
    account.poll()
    account.clock += minutes(60)
    account.use(node, IDLE, last=15)
    seen = account.poll()
    assert seen.groups["train"].idle_since == account.clock - minutes(15), "who knows what was"


def test_metrics_of_another_instance_or_group_are_not_this_nodes(account):
    (node,) = account.launch(ago=60)
    account.use(node, IDLE, last=15, group="serve")
    account.use("i-00000000000000bad", IDLE, last=15)
    assert not account.poll().groups["train"].idle_known


def test_a_cluster_whose_nodes_send_nothing_is_not_asked_about(account):
    account.launch(ago=60)
    seen = account.poll(node_metrics_namespace=None)
    assert not seen.groups["train"].idle_known
    assert "cloudwatch:GetMetricData" not in [name for name, _ in account.faults.calls]


def test_without_an_answer_idleness_is_unknown_and_money_is_counted(account):
    (node,) = account.launch(ago=60)
    account.use(node, IDLE, last=15)
    account.faults.fail("GetMetricData", "ThrottlingException")
    with pytest.raises(watch.PollIncompleteError, match="cloudwatch:GetMetricData"):
        account.poll()
    seen = account.clients.table.latest_observation()
    assert not seen.groups["train"].idle_known
    assert account.metric("watchdog_beats") == 1, "money was counted in full"
    assert account.metric("spend_rate_usd_per_hour") == 21.5


def test_more_nodes_than_a_request_takes_are_asked_in_several(account, monkeypatch):
    monkeypatch.setattr(watch.idleness, "_AT_ONCE", 2)
    nodes = account.launch(5, ago=60)
    for node in nodes:
        account.use(node, IDLE, last=15)
    assert account.poll().groups["train"].idle_since is not None
    asked = [name for name, _ in account.faults.calls if name == "cloudwatch:GetMetricData"]
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("ratio", "below", "idle"), [(0.01, 1, True), (0.011, 1, False), (0, 0, True)]
)
def test_the_limit_itself_is_idle(account, ratio, below, idle):
    (node,) = account.launch(ago=60)
    account.use(node, ratio, last=15)
    group = account.poll(idle_below_percent=below).groups["train"]
    assert (group.idle_since is not None) == idle
