"""The only wiring list: which stacks a cluster has and what they hand to each other."""

from __future__ import annotations

from aws_cdk import App, Environment, Stage, Tags

from constructs_lib.policy import acknowledge_nag_rules, acknowledge_template_rules
from stacks.compute_stack import ComputeStack
from stacks.cost_stack import CostStack
from stacks.network_stack import NetworkStack
from stacks.storage_stack import StorageStack
from trnkit.config import ClusterConfig
from trnkit.layout.storage import has_storage
from trnkit.layout.tags import budget_region, cluster_tags


def build(app: App, cluster: ClusterConfig) -> Stage:
    """Add a cluster to an app, as a stage of its own.

    Args:
        app: The app; one may hold several clusters of different names.
        cluster: What to build. It should have passed `trnkit.rules.check_cluster`.

    Returns:
        The stage, named as the cluster. Its stacks are `Network`, `Storage` (with something to
        store only), `Compute` and `Cost`.
    """
    env = Environment(account=cluster.account, region=cluster.region)
    stage = Stage(app, cluster.name, env=env)
    network = NetworkStack(stage, "Network", cluster=cluster, env=env)
    storage = None
    if has_storage(cluster):
        storage = StorageStack(stage, "Storage", cluster=cluster, network=network, env=env)
    ComputeStack(stage, "Compute", cluster=cluster, network=network, storage=storage, env=env)
    budget_env = Environment(account=cluster.account, region=budget_region(cluster))
    CostStack(stage, "Cost", cluster=cluster, env=budget_env)
    for key, value in cluster_tags(cluster).items():
        Tags.of(stage).add(key, value)
    acknowledge_nag_rules(stage)
    acknowledge_template_rules(stage, {s.rule_id: s.reason for s in cluster.suppress})
    return stage
