"""A month day by day, with figures computed by hand."""

from __future__ import annotations

from datetime import date

import pytest
import yaml

from tests.trnkit.layout.cost.other_machines import OtherPrices, a_price
from trnkit.config import read_cluster
from trnkit.layout.cost import cluster_cost
from trnkit.layout.cost.lines import Money
from trnkit.layout.cost.month import cost_month, first_month

BLOCK = {
    "type": "capacity-block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "start": "2027-03-01T11:30:00Z",
    "end": "2027-03-08T11:30:00Z",
}
PRICES = (a_price("trn2.48xlarge capacity-block", 35.0), a_price("trn1.32xlarge on-demand", 21.5))


def a_cluster(*groups, **compute):
    data = {
        "version": 1,
        "name": "pretrain",
        "region": "us-east-2",
        "compute": {"node_groups": list(groups), **compute},
        "budget": {"limit_usd": 100_000, "emails": ["ml@example.com"]},
    }
    return read_cluster(yaml.safe_dump(data), "cluster.yaml").config


def block_group(name="train", count=4, **keys):
    return {
        "name": name,
        "instance_type": "trn2.48xlarge",
        "count": count,
        "capacity": {**BLOCK, **keys},
    }


def hourly_group(name="develop", count=2):
    return {"name": name, "instance_type": "trn1.32xlarge", "count": count}


def month_of(cluster, month):
    return cost_month(cluster_cost(cluster, OtherPrices(*PRICES)), cluster, month)


def test_the_fee_of_a_block_falls_on_its_days_and_adds_up_to_the_fee():
    month = month_of(a_cluster(block_group()), date(2027, 3, 15))
    fees = {day.day.day: day.fees.low for day in month.days}
    assert fees[1] == pytest.approx(12.5 * 140)  # From 11:30; four nodes at 35 dollars.
    assert [fees[number] for number in range(2, 8)] == pytest.approx([24 * 140] * 6)
    assert fees[8] == pytest.approx(11.5 * 140)
    assert not any(fees[number] for number in range(9, 32))
    assert sum(fees.values()) == pytest.approx(168 * 140)


def test_volumes_of_a_block_are_there_until_the_group_is_scaled_in():
    month = month_of(a_cluster(block_group()), date(2027, 3, 1))
    nodes = [day.nodes.low for day in month.days]
    hours = 12.5 + 6 * 24 + 10 + 50 / 60  # Scaled in at 10:50.
    assert sum(nodes) == pytest.approx(nodes[1] / 24 * hours)
    assert nodes[8] == 0


def test_nodes_that_nothing_limits_cost_the_same_every_day():
    month = month_of(a_cluster(hourly_group()), date(2027, 2, 1))
    assert len(month.days) == 28
    assert len({day.all for day in month.days}) == 1
    assert month.days[0].nodes.low > 24 * 2 * 21.5


def test_two_groups_each_have_their_own_times():
    cluster = a_cluster(hourly_group(), block_group())
    month = month_of(cluster, date(2027, 3, 1))
    assert month.days[20].fees == Money(0.0, 0.0)
    assert month.days[20].nodes.low > 24 * 2 * 21.5
    assert month.days[3].fees.low == pytest.approx(24 * 140)


def test_an_unknown_price_leaves_a_day_without_an_upper_end():
    cluster = a_cluster(block_group())
    cost = cluster_cost(cluster, OtherPrices())
    month = cost_month(cost, cluster, date(2027, 3, 1))
    assert month.days[2].fees.high is None
    assert month.days[2].all.high is None
    assert month.days[2].fees.low == 0


def test_what_happens_is_told_in_the_order_of_time():
    told = a_cluster(block_group(checkpoint_minutes=15))
    month = month_of(told, date(2027, 3, 1))
    assert [(moment.at.strftime("%d %H:%M"), moment.what) for moment in month.moments] == [
        ("01 11:30", "the Capacity Block begins, nodes start"),
        ("08 10:35", "nodes are told to write a checkpoint"),
        ("08 10:50", "the group is scaled in to 0"),
        ("08 11:00", "EC2 begins to terminate what still runs"),
        ("08 11:30", "the Capacity Block ends"),
    ]
    assert month.further_moments == 0


def test_moments_of_other_months_are_counted():
    group = block_group(start="2027-03-30T11:30:00Z", end="2027-04-02T11:30:00Z")
    month = month_of(a_cluster(group), date(2027, 3, 1))
    assert [moment.at.day for moment in month.moments] == [30]
    assert month.further_moments == 3
    assert month.days[-1].fees.low == pytest.approx(24 * 140)


def test_a_group_of_no_nodes_does_nothing():
    month = month_of(a_cluster(block_group(count=0)), date(2027, 3, 1))
    assert month.moments == ()
    assert month.all.low == month.days[0].all.low * 31


@pytest.mark.parametrize(
    ("groups", "month"),
    [
        ([hourly_group()], None),
        ([block_group(count=0)], None),
        ([block_group()], date(2027, 3, 1)),
        (
            [block_group(), block_group("first", start="2027-01-31T11:30:00Z")],
            date(2027, 1, 1),
        ),
    ],
)
def test_the_month_of_the_first_block_is_shown(groups, month):
    assert first_month(a_cluster(*groups)) == month


def test_nodes_that_boot_from_user_data_cannot_be_told_anything():
    inline = a_cluster(block_group(checkpoint_minutes=15), boot={"delivery": "inline"})
    told = [moment.what for moment in month_of(inline, date(2027, 3, 1)).moments]
    assert len(told) == 4
    assert not any("checkpoint" in what for what in told)
