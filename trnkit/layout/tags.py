"""The tags of a cluster, and the cost filter that matches exactly them.

Sources:
    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budgets_resource_type_available

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig

CLUSTER_TAG = "trnkit-cluster"
"""Key of the tag whose value is the cluster's name; what a cluster's budget filters on."""

NODE_GROUP_TAG = "trnkit-node-group"
"""Key of the tag whose value is the node group's name: of instances and of Auto Scaling groups."""

BUDGETS_HOME_REGION = "us-east-1"


def cluster_tags(cluster: ClusterConfig) -> dict[str, str]:
    """Every tag that the cluster's resources carry, the cluster's own one last."""
    return {**cluster.tags, CLUSTER_TAG: cluster.name}


def budget_tag_filter(key: str, value: str) -> str:
    """A `TagKeyValue` entry of a budget's cost filter: `user:`, key, dollar sign, value."""
    return f"user:{key}${value}"


def budget_region(cluster: ClusterConfig) -> str:
    """Where the budget's stack goes: as the file says, else the cluster's region, else us-east-1.

    Budgets themselves are global; only their CloudFormation type is missing in some regions. A
    region that the catalogue does not know gets us-east-1 too, where the type surely is.
    """
    if cluster.budget.region:
        return cluster.budget.region
    available = budgets_resource_type_available(cluster.region)
    return cluster.region if available else BUDGETS_HOME_REGION
