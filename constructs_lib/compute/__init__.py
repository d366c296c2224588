"""Compute: launch templates for Trainium, and what runs them."""

from constructs_lib.compute.capacity_block_events import CapacityBlockEvents
from constructs_lib.compute.capacity_reservation import CapacityReservation
from constructs_lib.compute.cluster_placement_group import ClusterPlacementGroup
from constructs_lib.compute.drain_schedule import DrainSchedule
from constructs_lib.compute.image_settings import ImageBuild, ImageDistribution, SourceImage
from constructs_lib.compute.machine_image import MachineImage
from constructs_lib.compute.node_auto_scaling_group import NodeAutoScalingGroup
from constructs_lib.compute.node_boot import HomeMount, LustreMount, NodeBoot, S3Mount
from constructs_lib.compute.node_bundle import NodeBundle
from constructs_lib.compute.node_capacity import NodeCapacity
from constructs_lib.compute.node_image_pipeline import NodeImagePipeline
from constructs_lib.compute.node_reports import NodeReports
from constructs_lib.compute.node_role import NodeRole
from constructs_lib.compute.node_volume_key import NodeVolumeKey
from constructs_lib.compute.node_volumes import NodeVolume, NodeVolumes
from constructs_lib.compute.s3_mountpoint import S3Mountpoint
from constructs_lib.compute.trainium_launch_template import TrainiumLaunchTemplate

__all__ = [
    "CapacityBlockEvents",
    "CapacityReservation",
    "ClusterPlacementGroup",
    "DrainSchedule",
    "HomeMount",
    "ImageBuild",
    "ImageDistribution",
    "LustreMount",
    "MachineImage",
    "NodeAutoScalingGroup",
    "NodeBoot",
    "NodeBundle",
    "NodeCapacity",
    "NodeImagePipeline",
    "NodeReports",
    "NodeRole",
    "NodeVolume",
    "NodeVolumeKey",
    "NodeVolumes",
    "S3Mount",
    "S3Mountpoint",
    "SourceImage",
    "TrainiumLaunchTemplate",
]
