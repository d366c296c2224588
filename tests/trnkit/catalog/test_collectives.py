"""Floors of the bandwidth of collectives: where they are from, and that they are modest."""

import pytest

from tests.synthesis import ROOT
from trnkit.catalog import (
    find_bandwidth_floor,
    instance_type,
    instance_type_names,
    multi_node_chips,
    xla_neuron_core_versions,
)

TRAINING = [name for name in instance_type_names() if name.startswith("trn")]


@pytest.mark.parametrize("name", TRAINING)
def test_every_training_type_has_a_floor_within_a_node(name):
    floor = find_bandwidth_floor(name, "node")
    assert 0 < floor.fraction <= 0.25
    assert "trnkit-assumption" in floor.source


@pytest.mark.parametrize("name", TRAINING)
def test_types_with_efa_have_a_floor_across_nodes_from_their_own_cards(name):
    floor, known = find_bandwidth_floor(name, "fabric"), instance_type(name)
    if not known.maximum_efa_interfaces:
        assert floor is None
        return
    assert floor.reference_gbps == known.network_cards[0].peak_gbps
    whole = floor.reference_gbps * known.maximum_efa_interfaces
    assert floor.gbps(known.maximum_efa_interfaces) == whole * floor.fraction
    if known.maximum_efa_interfaces > 1:
        # Below a single interface the verdict speaks of TCP, so a floor is never below it.
        assert floor.gbps(known.maximum_efa_interfaces) > floor.reference_gbps


@pytest.mark.parametrize("name", TRAINING)
@pytest.mark.parametrize("scope", ["node", "fabric"])
def test_no_floor_is_above_half_of_what_somebody_measured(name, scope):
    floor = find_bandwidth_floor(name, scope)
    if floor is None or floor.published_gbps is None:
        return
    interfaces = instance_type(name).maximum_efa_interfaces or 1
    assert floor.gbps(interfaces) <= 0.5 * floor.published_gbps


@pytest.mark.parametrize(
    ("name", "scope", "interfaces", "gbps"),
    [
        ("trn1.2xlarge", "node", 0, 113.45),
        ("trn1.32xlarge", "node", 8, 192.0),
        ("trn1.32xlarge", "fabric", 8, 200.0),
        ("trn1.32xlarge", "fabric", 4, 100.0),
        ("trn1n.32xlarge", "fabric", 16, 200.0),
        ("trn2.3xlarge", "node", 1, 247.8),
        ("trn2.3xlarge", "fabric", 1, 6.25),
        ("trn2.48xlarge", "node", 16, 640.0),
        ("trn2.48xlarge", "fabric", 16, 400.0),
        ("trn2u.48xlarge", "fabric", 16, 400.0),
    ],
)
def test_floors(name, scope, interfaces, gbps):
    assert find_bandwidth_floor(name, scope).gbps(interfaces) == gbps


def test_inferentia_and_strangers_have_none():
    assert find_bandwidth_floor("inf2.48xlarge", "node") is None
    assert find_bandwidth_floor("trn9.96xlarge", "node") is None


def test_what_runs_where():
    assert "Inferentia2" not in multi_node_chips()
    assert {instance_type("trn1.32xlarge").neuron_core_version} == set(xla_neuron_core_versions())


@pytest.mark.parametrize("name", TRAINING)
def test_the_guide_has_the_same_floors(name):
    (row,) = [
        line
        for line in (ROOT / "docs" / "smoke.md").read_text().splitlines()
        if line.startswith(f"| {name} |")
    ]
    _, _, within, across, _ = row.split("|")
    assert within.split()[0] == f"{find_bandwidth_floor(name, 'node').gbps():g}"
    floor, interfaces = (
        find_bandwidth_floor(name, "fabric"),
        instance_type(name).maximum_efa_interfaces,
    )
    assert across.split()[0] == (f"{floor.gbps(interfaces):g}" if floor else "no")
