"""What EC2 and Auto Scaling take of those who launch."""

import pytest

from trnkit import catalog


def test_lifetimes_are_a_day_to_a_year():
    limits = catalog.auto_scaling_limits()
    assert limits.minimum_instance_lifetime_seconds == 24 * 3600
    assert limits.maximum_instance_lifetime_seconds == 365 * 24 * 3600
    assert limits.metric_granularities == ("1Minute",)


def test_metadata_answers_travel_1_to_64_hops():
    limits = catalog.metadata_limits()
    assert (limits.minimum_hops, limits.maximum_hops) == (1, 64)


def test_no_family_of_the_catalogues_types_is_kept_from_cluster_placement_groups():
    without = catalog.placement_facts().families_without_cluster
    assert list(without) == sorted(without)
    assert {"t2", "t3", "t4g", "m7i-flex", "mac2"} <= set(without)
    known = {name.partition(".")[0] for name in catalog.instance_type_names()}
    assert not known & set(without)


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [("gp2", 1, 16384), ("io1", 4, 16384), ("io2", 4, 65536), ("st1", 125, 16384)],
)
def test_volumes_have_these_sizes(kind, least, most):
    limits = catalog.volume_limits(kind)
    assert limits is not None
    assert (limits.minimum_size_gib, limits.maximum_size_gib) == (least, most)


def test_two_entries_about_gp3_agree():
    limits = catalog.volume_limits("gp3")
    assert limits is not None
    assert limits.maximum_size_gib == catalog.gp3_limits().maximum_size_gib


def test_a_kind_of_volume_that_is_not_known_has_no_limits():
    assert catalog.volume_limits("gp9") is None
