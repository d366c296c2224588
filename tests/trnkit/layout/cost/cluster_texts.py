"""Clusters as short as a test wants them, and their lines by key."""

from __future__ import annotations

import yaml

from tests.trnkit.layout.cost.price_list import RoundPrices
from trnkit.config import read_cluster
from trnkit.layout.cost import cluster_cost
from trnkit.layout.cost.assumptions import Assumptions


def a_group(name="train", instance_type="trn1.32xlarge", count=4, **keys):
    """A node group."""
    return {"name": name, "instance_type": instance_type, "count": count, **keys}


def a_cluster(*groups, region="us-west-2", **sections):
    """A cluster of these groups, or of one."""
    compute = {"node_groups": list(groups) or [a_group()], **sections.pop("compute", {})}
    budget = {"limit_usd": 100000, "emails": ["ml@example.com"], **sections.pop("budget", {})}
    data = {"name": "pretrain", "region": region, "compute": compute, "budget": budget, **sections}
    return read_cluster(yaml.safe_dump({"version": 1, **data}), "cluster.yaml").config


def cost_of(cluster, book=None, **assumptions):
    """What it costs at round prices."""
    return cluster_cost(cluster, book or RoundPrices(), Assumptions(**assumptions))


def lines_of(cluster, book=None, **assumptions):
    """Its lines by key."""
    return {line.key: line for line in cost_of(cluster, book, **assumptions).lines}
