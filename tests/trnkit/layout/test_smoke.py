"""What a compatibility test of a group runs over, for every instance type of the catalogue."""

import pytest

from trnkit.catalog import instance_type_names
from trnkit.layout.smoke import SmokeTargetError, smoke_target

TARGETS = {
    "trn1.2xlarge": (2, 0, "xla", "no EFA interface"),
    "trn1.32xlarge": (32, 8, "xla", None),
    "trn1n.32xlarge": (32, 16, "xla", None),
    "trn2.3xlarge": (4, 1, "native", None),
    "trn2.48xlarge": (64, 16, "native", None),
    "trn2u.48xlarge": (64, 16, "native", None),
    "inf2.xlarge": (2, 0, "xla", "on one node of inf2.xlarge only"),
    "inf2.8xlarge": (2, 0, "xla", "on one node"),
    "inf2.24xlarge": (12, 0, "xla", "on one node"),
    "inf2.48xlarge": (24, 0, "xla", "on one node"),
}


def test_every_type_is_here():
    assert set(TARGETS) == set(instance_type_names())


@pytest.mark.parametrize("name", TARGETS)
def test_targets(cluster, group, name):
    ranks, efa, stack, alone = TARGETS[name]
    found = smoke_target(cluster(name), group(instance_type=name, count=2))
    assert (found.nodes, found.ranks_per_node, found.efa_interfaces) == (2, ranks, efa)
    assert found.stack == stack
    assert (found.alone is None) is (alone is None)
    assert alone is None or alone in found.alone
    assert (found.fabric_floor is None) is (alone is not None)


def test_logical_cores_of_size_one(cluster, group):
    found = smoke_target(cluster("trn2.48xlarge"), group(logical_neuroncore_size=1))
    assert (found.ranks_per_node, found.logical_neuroncore_size) == (128, 1)


def test_fewer_nodes_and_another_framework(cluster, group):
    found = smoke_target(cluster("trn2.48xlarge"), group(), nodes=1, stack="xla")
    assert (found.nodes, found.stack, found.alone) == (1, "xla", "there is one node")


def test_efa_that_was_turned_off(cluster, group):
    found = smoke_target(cluster("trn2.48xlarge"), group(efa={"interfaces": 0}))
    assert "no EFA interface" in found.alone


@pytest.mark.parametrize(
    ("changes", "nodes", "message"),
    [
        ({"count": 2}, 3, "--nodes 3 is more than node group train has: its count is 2"),
        ({"count": 0}, None, "node group train has count 0, so there is nothing to test"),
        ({"instance_type": "trn9.96xlarge"}, None, "the NeuronCores of trn9.96xlarge are not"),
    ],
)
def test_what_cannot_be_tested(cluster, group, changes, nodes, message):
    with pytest.raises(SmokeTargetError, match=message):
        smoke_target(cluster("trn2.48xlarge"), group(**changes), nodes=nodes)
