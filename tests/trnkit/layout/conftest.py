"""Instance types that do not exist, and clusters as short as a test wants them."""

import dataclasses

import pytest

from trnkit.catalog import NetworkCard, instance_type
from trnkit.config import ClusterConfig, NodeGroupConfig


@pytest.fixture(scope="session")
def kind():
    """An instance type with any network cards: (index, slots, takes EFA) each."""

    def make(*cards, maximum_efa_interfaces=None, **changes):
        return dataclasses.replace(
            instance_type("trn2.48xlarge"),
            name="trn9.96xlarge",
            network_cards=tuple(NetworkCard(*card) for card in cards),
            maximum_efa_interfaces=maximum_efa_interfaces,
            **changes,
        )

    return make


@pytest.fixture(scope="session")
def group():
    """A node group."""

    def make(name="train", instance_type="trn2.48xlarge", count=4, **keys):
        return NodeGroupConfig(name=name, instance_type=instance_type, count=count, **keys)

    return make


@pytest.fixture(scope="session")
def cluster():
    """A cluster with one node group for each instance type named."""

    def make(*types, region="us-east-2", name="pretrain", budget=None, **keys):
        groups = [
            {"name": f"group-{i}", "instance_type": kind, "count": 1}
            for i, kind in enumerate(types or ["trn2.48xlarge"])
        ]
        return ClusterConfig(
            name=name,
            region=region,
            compute={"node_groups": groups},
            budget={"limit_usd": 100.0, "emails": ["a@example.com"], **(budget or {})},
            **keys,
        )

    return make
