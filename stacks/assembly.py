"""The only wiring list: which stacks a cluster has and what they hand to each other."""

from __future__ import annotations

from aws_cdk import App, Environment, Stage, Tags

from constructs_lib.policy import acknowledge_nag_rules, acknowledge_template_rules
from stacks.compute_stack import ComputeStack
from stacks.cost_stack import CostStack
from stacks.guard_stack import GuardStack
from stacks.image_stack import ImageStack
from stacks.network_stack import NetworkStack
from stacks.storage_stack import StorageStack
from trnkit.config import ClusterConfig
from trnkit.errors import ConstructError
from trnkit.layout.guard_plans import launch_denial_plan, shares_alert_topic
from trnkit.layout.image_pipeline import image_pipeline_plan
from trnkit.layout.s3_mountpoints import mounted_places
from trnkit.layout.storage import has_storage
from trnkit.layout.tags import budget_region, cluster_tags


def build(app: App, cluster: ClusterConfig) -> Stage:
    """Add a cluster to an app, as a stage of its own.

    Args:
        app: The app; one may hold several clusters of different names.
        cluster: What to build. It should have passed `trnkit.rules.check_cluster`.

    Raises:
        ConstructError: The app already has a cluster of that name.

    Returns:
        The stage, named as the cluster. Its stacks are `Network`, `Storage` (with something to
        store only), `Compute`, `Cost`, `Guard` (with a watchdog only) and, with an image pipeline
        only, `Images`.
    """
    if app.node.try_find_child(cluster.name):
        raise ConstructError(f"two clusters of the app are named {cluster.name}; rename one")
    env = Environment(account=cluster.account, region=cluster.region)
    stage = Stage(app, cluster.name, env=env)
    network = NetworkStack(stage, "Network", cluster=cluster, env=env)
    storage = None
    if has_storage(cluster):
        storage = StorageStack(stage, "Storage", cluster=cluster, network=network, env=env)
    compute = ComputeStack(
        stage, "Compute", cluster=cluster, network=network, storage=storage, env=env
    )
    # With ids that the file gives there is no reference, and nodes need the network's endpoints.
    compute.add_stack_dependency(network)
    budget_env = Environment(account=cluster.account, region=budget_region(cluster))
    cost = CostStack(stage, "Cost", cluster=cluster, env=budget_env)
    if cluster.budget.watchdog is not None:
        guard = GuardStack(stage, "Guard", cluster=cluster, cost=cost, env=env)
        if cluster.budget.chat is not None and not shares_alert_topic(cluster):
            # The chat channel of the cost stack shows the guard's topic, which must be there.
            cost.add_stack_dependency(guard)
    images = image_pipeline_plan(cluster)
    if images is not None:
        # Nodes boot what was baked before: nothing here waits for an image.
        ImageStack(stage, "Images", cluster=cluster, plan=images, network=network, env=env)
    for key, value in cluster_tags(cluster).items():
        Tags.of(stage).add(key, value)
    denial = launch_denial_plan(cluster)
    acknowledge_nag_rules(
        stage,
        flow_logs=cluster.network.flow_logs is not None,
        mounted=mounted_places(cluster),
        packs=cluster.policy.packs,
        denied_roles=denial.role_names if denial else (),
    )
    acknowledge_template_rules(stage, {s.rule_id: s.reason for s in cluster.suppress})
    return stage
