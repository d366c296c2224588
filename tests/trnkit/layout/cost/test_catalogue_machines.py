"""What the catalogue has to compare with."""

from __future__ import annotations

import pytest

from trnkit.catalog import find_source
from trnkit.layout.cost.catalogue_machines import machines_for

WANTED = {
    "trn1.32xlarge",
    "trn1n.32xlarge",
    "trn2.48xlarge",
    "trn2u.48xlarge",
    "p4d.24xlarge",
    "p4de.24xlarge",
    "p5.48xlarge",
    "p5e.48xlarge",
    "p5en.48xlarge",
    "p6-b200.48xlarge",
    "p6-b300.48xlarge",
}


def machines(region="us-east-2", types=()):
    return {machine.instance_type: machine for machine in machines_for(region, types)}


def test_the_types_that_people_compare_are_there_each_with_all_figures():
    found = machines()
    assert set(found) == WANTED
    for machine in found.values():
        assert machine.peak_tflops
        assert machine.total_memory_gib
        assert machine.network_per_accelerator_gbps
        assert machine.date
        assert machine.source
        assert all(find_source(key) for key in machine.source)


@pytest.mark.parametrize(
    ("name", "tflops", "memory", "network"),
    [
        ("trn1.32xlarge", 3_040, 512, 50),  # 16 x 190; AWS: 3.04 PFLOP/s, 800 Gbit/s
        ("trn2.48xlarge", 10_672, 1_536, 200),  # 16 x 667; AWS: 10.7 PFLOP/s, 1.5 TiB
        ("p5.48xlarge", 7_912, 640, 400),  # 8 x 989
    ],
)
def test_an_instance_has_what_its_accelerators_have_together(name, tflops, memory, network):
    machine = machines()[name]
    assert machine.peak_tflops == tflops
    assert machine.total_memory_gib == memory
    assert machine.network_per_accelerator_gbps == network


def test_types_of_the_cluster_are_compared_too_and_unknown_ones_left_alone():
    found = machines(types=["trn2.3xlarge", "trn2.48xlarge", "inf2.48xlarge", "trn9.48xlarge"])
    assert set(found) == WANTED | {"trn2.3xlarge", "inf2.48xlarge"}
    assert found["inf2.48xlarge"].peak_tflops == 12 * 190


def test_ways_that_ec2_does_not_list_are_not_sold():
    found = machines()
    assert found["trn1n.32xlarge"].not_sold == ("capacity-block",)
    assert found["trn2u.48xlarge"].not_sold == ("spot",)
    assert found["trn2.48xlarge"].not_sold == ()
    assert found["p5.48xlarge"].not_sold == ()


def test_an_ultraserver_is_bought_whole():
    assert machines()["trn2u.48xlarge"].block_step == 4
    assert machines()["trn2.48xlarge"].block_step == 1
    assert {machine.block_maximum for machine in machines().values()} == {64}


@pytest.mark.parametrize(
    ("region", "name", "offered"),
    [
        ("us-east-2", "trn2.48xlarge", True),
        ("us-west-2", "trn2.48xlarge", False),
        ("eu-north-1", "trn1.32xlarge", True),  # No zone offers it; Capacity Blocks are sold.
        ("us-west-2", "p6-b300.48xlarge", True),
        ("sa-east-1", "p6-b300.48xlarge", None),  # No source tells where it is not.
        ("xx-nowhere-1", "trn1.32xlarge", None),
    ],
)
def test_whether_a_region_has_a_type_is_yes_no_or_not_known(region, name, offered):
    assert machines(region)[name].offered is offered


@pytest.mark.parametrize(
    ("region", "name", "offered"),
    [
        ("us-east-2", "trn2.48xlarge", True),
        ("us-west-2", "trn2.48xlarge", False),
        ("us-west-2", "trn1n.32xlarge", None),  # No source names a Region with blocks of it.
        ("us-west-2", "p5.48xlarge", True),
        ("sa-east-1", "p6-b300.48xlarge", None),
    ],
)
def test_whether_a_region_sells_blocks_of_a_type_is_yes_no_or_not_known(region, name, offered):
    assert machines(region)[name].block_offered is offered


def test_figures_that_sources_differ_on_are_told():
    (words,) = machines()["p6-b300.48xlarge"].disputed
    assert "3500 in accelerator-table" in words
    assert machines()["p5.48xlarge"].disputed == ()
