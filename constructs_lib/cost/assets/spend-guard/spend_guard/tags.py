"""Tags by which the resources of a cluster are known."""

from __future__ import annotations

CLUSTER_TAG = "trnkit-cluster"
"""Its value is the cluster's name."""

NODE_GROUP_TAG = "trnkit-node-group"
"""Its value is the name of a node group."""
