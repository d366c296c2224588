"""How capacity is bought."""

import pytest

from trnkit import catalog


@pytest.mark.parametrize(
    ("kind", "region", "sold"),
    [
        ("trn2.48xlarge", "us-east-2", True),
        ("trn2.48xlarge", "us-west-2", False),
        ("trn2u.48xlarge", "us-east-2", True),
        ("trn2u.48xlarge", "ap-south-2", False),
        ("trn1.32xlarge", "eu-north-1", True),
        ("trn1n.32xlarge", "us-east-1", False),
        ("trn9.48xlarge", "us-east-2", None),
        ("trn2.48xlarge", "xy-north-1", None),
    ],
)
def test_capacity_blocks_by_type_and_region(kind, region, sold):
    assert catalog.capacity_block_sold(kind, region) is sold


def test_every_region_that_sells_a_type_knows_it():
    for name in catalog.instance_type_names():
        for region in catalog.capacity_block_regions(name):
            assert catalog.capacity_block_sold(name, region)


def test_ultraserver_blocks_are_cleared_earlier():
    facts = catalog.capacity_block_facts()
    assert facts.end_time_utc == "11:30"
    assert (facts.maximum_instances, facts.maximum_days) == (64, 182)
    assert facts.termination_minutes_before_end == 30
    assert facts.ultraserver_termination_minutes_before_end == 60
    assert catalog.scale_in_margin_minutes() == 10, "40 minutes before the end, as EKS does"


def test_spot_and_volumes():
    assert catalog.spot_facts().auto_scaling_interruption_behaviors == ("terminate",)
    limits = catalog.gp3_limits()
    assert limits.minimum_iops * limits.throughput_mibps_per_iops >= limits.minimum_throughput_mibps
    for facts in (catalog.capacity_block_facts(), catalog.spot_facts(), limits):
        assert facts.source
        assert facts.date


@pytest.mark.parametrize(
    ("wanted", "sold"),
    [
        (1, 24),
        (24, 24),
        (25, 48),
        (14 * 24, 14 * 24),
        (14 * 24 + 1, 21 * 24),
        (21 * 24 + 1, 28 * 24),
        (182 * 24, 182 * 24),
        (182 * 24 + 1, None),
    ],
)
def test_capacity_blocks_are_sold_by_days_and_longer_ones_by_weeks(wanted, sold):
    assert catalog.capacity_block_hours(wanted) == sold
