"""The placement group that puts the nodes of a group close together."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from constructs import Construct


class ClusterPlacementGroup(Construct):
    """A placement group of strategy `cluster`: low latency, full bisection within one zone.

    Creates `AWS::EC2::PlacementGroup`. Its name is chosen by CloudFormation, which offers no other
    way. Not for Capacity Blocks, which refuse placement groups, nor for head or login nodes.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import ClusterPlacementGroup
        >>> group = ClusterPlacementGroup(Stack(App(), "Compute"), "PlacementGroup")
    """

    placement_group: ec2.IPlacementGroup
    """The group, for launch templates."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        """Create the group.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
        """
        super().__init__(scope, construct_id)
        group = ec2.CfnPlacementGroup(self, "Resource", strategy="cluster")
        self.placement_group = ec2.PlacementGroup.from_placement_group_name(
            self, "Reference", group.ref
        )
