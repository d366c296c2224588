"""Public cases that the catalogue settles, each by its id."""

from __future__ import annotations

import pytest

from trnkit.catalog import find_instance_type, instance_type, instance_type_from_description


@pytest.mark.parametrize(
    ("name", "vcpus"),
    [("trn2.48xlarge", 192), ("trn2.3xlarge", 12), ("trn1.32xlarge", 128), ("trn1.2xlarge", 8)],
)
def test_cap_14_vcpus_are_a_fact_and_not_read_off_the_name(name, vcpus):
    assert instance_type(name).vcpus == vcpus


def test_cap_14_what_is_not_known_is_none_and_never_zero():
    assert find_instance_type("trn9.96xlarge") is None
    described = instance_type_from_description({"InstanceType": "trn9.96xlarge"})
    assert described.vcpus is None
    assert described.maximum_efa_interfaces is None


@pytest.mark.parametrize(
    ("name", "per_chip", "per_node"),
    [("trn2.48xlarge", 96, 1536), ("trn2u.48xlarge", 96, 1536), ("trn2.3xlarge", 96, 96)],
)
def test_host_18_device_memory_is_the_real_one(name, per_chip, per_node):
    """EC2's NeuronInfo says 512 GiB a chip, and nothing at all for trn2u."""
    assert instance_type(name).device_memory_gib_per_chip == per_chip
    assert instance_type(name).device_memory_gib == per_node
