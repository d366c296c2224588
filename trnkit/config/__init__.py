"""What the user asked for: the cluster file as frozen models, and its loader.

Example:
    from trnkit.config import load_cluster
    cluster = load_cluster("cluster.yaml").config
"""

from trnkit.config.budget import BudgetConfig, BudgetThreshold
from trnkit.config.cluster import ClusterConfig, Suppression
from trnkit.config.compute import (
    CapacityConfig,
    ComputeConfig,
    EfaConfig,
    EfaLayout,
    ImageConfig,
    NodeGroupConfig,
)
from trnkit.config.loader import ClusterFile, load_cluster, read_cluster
from trnkit.config.lustre import (
    DataRepositoryAssociationConfig,
    ExistingLustreConfig,
    LustreConfig,
)
from trnkit.config.network import NetworkConfig
from trnkit.config.orchestrator import OrchestratorConfig
from trnkit.config.storage import (
    CheckpointBucketConfig,
    HomeFileSystemConfig,
    StorageConfig,
)

__all__ = [
    "BudgetConfig",
    "BudgetThreshold",
    "CapacityConfig",
    "CheckpointBucketConfig",
    "ClusterConfig",
    "ClusterFile",
    "ComputeConfig",
    "DataRepositoryAssociationConfig",
    "EfaConfig",
    "EfaLayout",
    "ExistingLustreConfig",
    "HomeFileSystemConfig",
    "ImageConfig",
    "LustreConfig",
    "NetworkConfig",
    "NodeGroupConfig",
    "OrchestratorConfig",
    "StorageConfig",
    "Suppression",
    "load_cluster",
    "read_cluster",
]
