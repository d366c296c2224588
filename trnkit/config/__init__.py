"""What the user asked for: the cluster file as frozen models, and its loader.

Example:
    from trnkit.config import load_cluster
    cluster = load_cluster("cluster.yaml").config
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.boot import BootConfig
from trnkit.config.budget import (
    AnomalyDetectionConfig,
    BudgetConfig,
    BudgetThreshold,
    CostTagConfig,
    FurtherBudgetConfig,
)
from trnkit.config.capacity import CapacityConfig, NewReservationConfig, PlacementConfig
from trnkit.config.cluster import ClusterConfig, Suppression
from trnkit.config.compute import (
    ComputeConfig,
    EfaConfig,
    EfaLayout,
    ImageConfig,
    NodeGroupConfig,
    NodeRoleConfig,
)
from trnkit.config.image_pipeline import ImagePipelineConfig
from trnkit.config.loader import ClusterFile, load_cluster, read_cluster
from trnkit.config.lustre import (
    DataRepositoryAssociationConfig,
    ExistingLustreConfig,
    LustreConfig,
)
from trnkit.config.network import ExistingNetworkConfig, FlowLogsConfig, NetworkConfig
from trnkit.config.observability import ObservabilityConfig, PrometheusConfig
from trnkit.config.orchestrator import OrchestratorConfig
from trnkit.config.policy import PACK_NAMES, PolicyConfig, RulePack, pack_of
from trnkit.config.s3_mountpoint import S3MountpointConfig
from trnkit.config.spend_guard import (
    ChatConfig,
    EnforcementConfig,
    IdleShutdownConfig,
    WatchdogConfig,
)
from trnkit.config.storage import (
    CheckpointBucketConfig,
    HomeFileSystemConfig,
    StorageConfig,
)
from trnkit.config.volumes import AdditionalVolumeConfig, RootVolumeConfig

if TYPE_CHECKING:
    from trnkit.config.image_lock import (
        ImageLock,
        LockedImage,
        load_image_lock,
        with_image_locks,
    )
    from trnkit.config.instance_types_file import read_instance_types
    from trnkit.config.prices_file import PricesFile, load_prices_file, with_prices

__all__ = [
    "PACK_NAMES",
    "AdditionalVolumeConfig",
    "AnomalyDetectionConfig",
    "BootConfig",
    "BudgetConfig",
    "BudgetThreshold",
    "CapacityConfig",
    "ChatConfig",
    "CheckpointBucketConfig",
    "ClusterConfig",
    "ClusterFile",
    "ComputeConfig",
    "CostTagConfig",
    "DataRepositoryAssociationConfig",
    "EfaConfig",
    "EfaLayout",
    "EnforcementConfig",
    "ExistingLustreConfig",
    "ExistingNetworkConfig",
    "FlowLogsConfig",
    "FurtherBudgetConfig",
    "HomeFileSystemConfig",
    "IdleShutdownConfig",
    "ImageConfig",
    "ImageLock",
    "ImagePipelineConfig",
    "LockedImage",
    "LustreConfig",
    "NetworkConfig",
    "NewReservationConfig",
    "NodeGroupConfig",
    "NodeRoleConfig",
    "ObservabilityConfig",
    "OrchestratorConfig",
    "PlacementConfig",
    "PolicyConfig",
    "PricesFile",
    "PrometheusConfig",
    "RootVolumeConfig",
    "RulePack",
    "S3MountpointConfig",
    "StorageConfig",
    "Suppression",
    "WatchdogConfig",
    "load_cluster",
    "load_image_lock",
    "load_prices_file",
    "pack_of",
    "read_cluster",
    "read_instance_types",
    "with_image_locks",
    "with_prices",
]

_LOCKS = {"ImageLock", "LockedImage", "load_image_lock", "with_image_locks"}
_PRICES = {"PricesFile", "load_prices_file", "with_prices"}


def __getattr__(name: str) -> object:
    """Load what most cluster files do without: EC2's descriptions, locks of images, prices."""
    if name == "read_instance_types":
        from trnkit.config.instance_types_file import read_instance_types

        return read_instance_types
    if name in _LOCKS:
        from trnkit.config import image_lock

        return getattr(image_lock, name)
    if name in _PRICES:
        from trnkit.config import prices_file

        return getattr(prices_file, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
