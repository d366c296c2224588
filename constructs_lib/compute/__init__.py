"""Compute: launch templates for Trainium, and what runs them."""

from constructs_lib.compute.cluster_placement_group import ClusterPlacementGroup
from constructs_lib.compute.machine_image import MachineImage
from constructs_lib.compute.node_auto_scaling_group import NodeAutoScalingGroup
from constructs_lib.compute.node_boot import HomeMount, LustreMount, NodeBoot
from constructs_lib.compute.node_role import NodeRole
from constructs_lib.compute.trainium_launch_template import TrainiumLaunchTemplate

__all__ = [
    "ClusterPlacementGroup",
    "HomeMount",
    "LustreMount",
    "MachineImage",
    "NodeAutoScalingGroup",
    "NodeBoot",
    "NodeRole",
    "TrainiumLaunchTemplate",
]
