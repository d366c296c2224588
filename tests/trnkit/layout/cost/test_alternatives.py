"""The same work on other instances, with figures computed by hand."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.trnkit.layout.cost.other_machines import (
    P4D,
    P5,
    PRICES,
    TRN2,
    a_comparison,
    a_machine,
    a_price,
    ways_of,
)
from trnkit.layout.cost.alternatives import GroupWork, Need
from trnkit.layout.cost.lines import UNKNOWN, Money
from trnkit.layout.cost.machines import ASSUMED_UTILISATION, Utilisation


def test_work_is_the_sum_over_groups_of_what_their_accelerators_can_do():
    work = a_comparison(
        GroupWork("train", "trn2.48xlarge", 5), GroupWork("more", "p5.48xlarge", 2)
    ).own.work
    assert work.accelerators == 5 * 16 + 2 * 8
    assert work.peak_tflops == 5 * 9_600 + 2 * 8_000
    assert work.effective_tflops == pytest.approx(64_000 * ASSUMED_UTILISATION)
    assert work.memory_gib == 5 * 1_600 + 2 * 640


@pytest.mark.parametrize(
    ("way", "exact", "instances", "for_memory", "memory_instances"),
    [
        (("trn2.48xlarge", "capacity-block"), 5.0, 5, 5.0, 5),
        (("p5.48xlarge", "on-demand"), 6.0, 6, 12.5, 13),  # 48,000 / 8,000; 8,000 / 640
        (("p4d.24xlarge", "on-demand"), 20.0, 20, 25.0, 25),  # 48,000 / 2,400; 8,000 / 320
    ],
)
def test_instances_are_rounded_up_and_the_parts_are_kept(
    way, exact, instances, for_memory, memory_instances
):
    found = ways_of(a_comparison())[way]
    assert found.for_compute.exact == pytest.approx(exact)
    assert found.for_compute.instances == instances
    assert found.for_memory.exact == pytest.approx(for_memory)
    assert found.for_memory.instances == memory_instances


def test_units_cost_what_a_pocket_calculator_says():
    way = ways_of(a_comparison())["p5.48xlarge", "on-demand"]
    assert way.accelerator_hour == Money(10.0, 10.0)  # 80 / 8
    assert way.peak_tflop_hour.low == pytest.approx(0.01)  # 80 / 8,000
    assert way.effective_tflop_hour.low == pytest.approx(0.025)  # 80 / (8,000 x 0.4)
    assert way.compute_hour == Money(480.0, 480.0)  # 6 x 80
    assert way.memory_hour == Money(1_040.0, 1_040.0)  # 13 x 80


def test_the_files_own_nodes_are_counted_in_the_same_units():
    own = a_comparison().own
    assert own.nodes == Money(240.0, 240.0)
    assert own.accelerator_hour.high == pytest.approx(3.0)  # 240 / 80
    assert own.peak_tflop_hour.high == pytest.approx(0.005)  # 240 / 48,000
    assert own.effective_tflop_hour.high == pytest.approx(0.0125)  # 240 / 19,200


def test_a_range_stays_a_range():
    way = ways_of(a_comparison())["p5.48xlarge", "capacity-block"]
    assert way.compute_hour == Money(240.0, 360.0)
    times = a_comparison().own.times(way.compute_hour)
    assert (times.low, times.high) == (1.0, 1.5)


def test_what_was_told_of_a_kinds_use_changes_how_many_are_needed():
    told = Utilisation(told=(("trn2", 0.3), ("p5", 0.5)))
    comparison = a_comparison(utilisation=told)
    assert comparison.own.work.effective_tflops == pytest.approx(14_400)
    way = ways_of(comparison)["p5.48xlarge", "on-demand"]
    assert way.for_compute.exact == pytest.approx(3.6)  # 14,400 / (8,000 x 0.5)
    assert way.for_compute.instances == 4
    assert way.for_memory.instances == 13, "memory has no use of the peak"


def test_a_type_is_told_before_its_family_and_a_family_is_no_beginning_of_another():
    told = Utilisation(default=0.2, told=(("p5", 0.5), ("p5.48xlarge", 0.6)))
    assert told.of("p5.48xlarge") == 0.6
    assert told.of("p5.4xlarge") == 0.5
    assert told.of("p5en.48xlarge") == 0.2
    assert not told.is_equal
    assert Utilisation(told=(("p5", ASSUMED_UTILISATION),)).is_equal


def test_equal_use_of_the_peak_changes_no_number_of_instances():
    low = ways_of(a_comparison(utilisation=Utilisation(default=0.1)))
    high = ways_of(a_comparison(utilisation=Utilisation(default=0.9)))
    assert {key: way.for_compute.instances for key, way in low.items()} == {
        key: way.for_compute.instances for key, way in high.items()
    }


def test_an_unknown_price_stays_in_the_comparison_at_its_end_and_is_never_zero():
    comparison = a_comparison()
    unknown = comparison.without_price
    assert {(way.machine.instance_type, way.purchase) for way in unknown} == {
        ("trn2.48xlarge", "on-demand"),
        ("p4d.24xlarge", "on-demand"),
        ("p4d.24xlarge", "capacity-block"),
    }
    assert comparison.ways[-len(unknown) :] == unknown
    for way in unknown:
        assert way.compute_hour.high is None
        assert way.effective_tflop_hour.high is None
        assert comparison.own.times(way.compute_hour) is None


def test_the_cheapest_for_the_same_compute_is_first():
    known = [way.compute_hour.high for way in a_comparison().ways if way.price is not None]
    assert known == [240.0, 360.0, 480.0]


def test_what_aws_does_not_sell_is_said_and_not_called_unknown():
    machine = a_machine("p4d.24xlarge", not_sold=("capacity-block",))
    comparison = a_comparison(machines=(TRN2, machine))
    assert comparison.not_sold == (("p4d.24xlarge", "capacity-block"),)
    assert ("p4d.24xlarge", "capacity-block") not in ways_of(comparison)


def test_a_price_of_the_users_own_counts_before_what_is_said_not_to_be_sold():
    machine = a_machine("p4d.24xlarge", not_sold=("capacity-block",))
    price = a_price("p4d.24xlarge capacity-block", 9.0, basis="file")
    comparison = a_comparison(machines=(TRN2, machine), prices=(*PRICES, price))
    assert ways_of(comparison)["p4d.24xlarge", "capacity-block"].instance_hour.low == 9.0


def test_spot_is_compared_only_at_a_price_that_somebody_gave():
    assert a_comparison().spot_not_told == ("trn2.48xlarge", "p5.48xlarge", "p4d.24xlarge")
    told = a_price("p5.48xlarge spot", 16.0, basis="file")
    in_file = a_comparison(prices=(*PRICES, told))
    on_line = a_comparison(spot_prices=(told,))
    for comparison in (in_file, on_line):
        assert comparison.spot_not_told == ("trn2.48xlarge", "p4d.24xlarge")
        assert ways_of(comparison)["p5.48xlarge", "spot"].compute_hour == Money(96.0, 96.0)


def test_a_group_of_a_type_that_nobody_knows_is_left_out_with_its_cost():
    comparison = a_comparison(
        GroupWork("train", "trn2.48xlarge", 5),
        GroupWork("odd", "trn9.48xlarge", 3),
        GroupWork("vague", "p9.48xlarge", 1),
        machines=(TRN2, P5, a_machine("p9.48xlarge", tflops=None)),
        node_hours={"train": Money(240.0, 240.0), "odd": UNKNOWN, "vague": Money(7.0, 7.0)},
    )
    assert [group.name for group in comparison.own.work.left_out] == ["odd", "vague"]
    assert comparison.own.nodes == Money(240.0, 240.0)
    assert comparison.own.work.peak_tflops == 48_000


def test_a_type_without_a_known_peak_or_memory_has_no_number_of_instances():
    for unknown in ({"tflops": None}, {"memory": None}, {"accelerators": None}):
        machine = a_machine("p9.48xlarge", **unknown)
        prices = (*PRICES, a_price("p9.48xlarge on-demand", 10.0))
        way = ways_of(a_comparison(machines=(TRN2, machine), prices=prices))[
            "p9.48xlarge", "on-demand"
        ]
        lacks_peak = machine.peak_tflops is None
        assert (way.for_compute is None) == lacks_peak
        assert (way.compute_hour == UNKNOWN) == lacks_peak
        assert (way.for_memory is None) == (machine.total_memory_gib is None)
        assert way.instance_hour == Money(10.0, 10.0)


def test_nodes_of_unknown_price_are_compared_with_nothing():
    comparison = a_comparison(node_hours={"train": UNKNOWN})
    assert comparison.own.accelerator_hour.high is None
    assert all(comparison.own.times(way.compute_hour) is None for way in comparison.ways)


def test_a_cluster_without_nodes_has_no_work():
    empty = a_comparison(GroupWork("train", "trn2.48xlarge", 0))
    assert empty.own.work.is_nothing
    assert empty.own.effective_tflop_hour == UNKNOWN
    assert all(way.compute_hour.low == 0 for way in empty.ways)


def test_ultraservers_are_bought_whole_in_a_block_and_in_parts_on_demand():
    machine = a_machine("trn2u.48xlarge", 16, 600.0, 100.0, block_step=4)
    prices = [a_price(f"trn2u.48xlarge {way}", 50.0) for way in ("capacity-block", "on-demand")]
    ways = ways_of(a_comparison(machines=(TRN2, machine), prices=(*PRICES, *prices)))
    assert ways["trn2u.48xlarge", "capacity-block"].for_compute == Need(5.0, 4)
    assert ways["trn2u.48xlarge", "capacity-block"].for_compute.instances == 8
    assert ways["trn2u.48xlarge", "on-demand"].for_compute.instances == 5


@pytest.mark.parametrize(("count", "is_more"), [(64, False), (65, True)])
def test_more_than_a_capacity_block_holds_is_known(count, is_more):
    comparison = a_comparison(GroupWork("train", "trn2.48xlarge", count))
    ways = ways_of(comparison)
    assert ways["trn2.48xlarge", "capacity-block"].more_than_a_block is is_more
    assert not ways["trn2.48xlarge", "on-demand"].more_than_a_block


@pytest.mark.parametrize(
    ("exact", "instances"),
    [(0.0, 0), (4.0, 4), (4.000_000_000_1, 4), (4.000_001, 5), (3.999_999_999_9, 4), (0.1, 1)],
)
def test_dust_of_floating_point_buys_no_instance(exact, instances):
    assert Need(exact).instances == instances


def test_network_and_memory_of_an_accelerator():
    assert P4D.network_per_accelerator_gbps == 50.0
    assert P5.total_memory_gib == 640.0
    assert a_machine("p9.48xlarge", network=None).network_per_accelerator_gbps is None


def test_the_order_of_types_changes_nothing():
    machines = [TRN2, P5, P4D]
    orders = {a_comparison(machines=order).ways for order in itertools.permutations(machines)}
    assert len(orders) == 1


def test_instances_always_have_the_compute_and_one_fewer_never_has():
    chance = random.Random(8)
    for _ in range(300):
        count, tflops = chance.randint(1, 200), chance.uniform(50, 3_000)
        machine = a_machine("p9.48xlarge", tflops=tflops)
        told = (("trn2", chance.uniform(0.05, 1)), ("p9", chance.uniform(0.05, 1)))
        comparison = a_comparison(
            GroupWork("train", "trn2.48xlarge", count),
            machines=(TRN2, machine),
            utilisation=Utilisation(told=told),
        )
        way = ways_of(comparison)["p9.48xlarge", "on-demand"]
        each = machine.peak_tflops * way.utilisation
        wanted = comparison.own.work.effective_tflops
        assert way.for_compute.instances * each >= wanted * (1 - 1e-8)
        assert (way.for_compute.instances - 1) * each < wanted


@pytest.mark.parametrize(
    ("offered", "blocks", "on_demand", "in_a_block"),
    [
        (True, True, True, True),
        (True, False, True, False),
        (True, None, True, None),
        (False, None, False, False),
        (None, True, None, True),
        (None, None, None, None),
    ],
)
def test_a_way_knows_whether_the_region_sells_it(offered, blocks, on_demand, in_a_block):
    machine = a_machine("p5.48xlarge", offered=offered, block_offered=blocks)
    ways = ways_of(a_comparison(machines=(TRN2, machine)))
    assert ways["p5.48xlarge", "on-demand"].is_sold_here is on_demand
    assert ways["p5.48xlarge", "capacity-block"].is_sold_here is in_a_block
