"""An On-Demand Capacity Reservation that belongs to a cluster."""

from __future__ import annotations

import jsii
from aws_cdk import ITaggable, TagManager, TagType
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.arguments import flag, one_of, text, whole_number
from constructs_lib.compute.launch_tags import tag_specifications
from trnkit.config.values import UtcTime, ZoneId
from trnkit.errors import ConstructError


@jsii.implements(ITaggable)
class CapacityReservation(Construct):
    """Instances kept for you at the On-Demand price, from the deployment on, used or not.

    Creates `AWS::EC2::CapacityReservation`. It fails when AWS has no such capacity at that moment,
    and with it the stack. CloudFormation can make reservations that begin at once only; it can buy
    no Capacity Block. Tags of its parents are also its own, so that a budget that filters on them
    sees unused hours.

    Sources:
        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-using.html
        https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ec2-capacityreservation.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import CapacityReservation, NodeCapacity
        >>> reservation = CapacityReservation(
        ...     Stack(App(), "Compute"), "Reservation", instance_type="trn1.32xlarge",
        ...     instance_count=2, availability_zone_id="usw2-az4",
        ...     end_date="2027-03-31T18:00:00Z")
        >>> capacity = NodeCapacity.on_demand_reservation(
        ...     capacity_reservation_id=reservation.capacity_reservation_id)
    """

    capacity_reservation_id: str
    """Id of the reservation."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        instance_type: str,
        instance_count: int,
        availability_zone_id: str,
        end_date: str | None = None,
        unlimited: bool = False,
        instance_match_criteria: str = "targeted",
        placement_group_arn: str | None = None,
    ) -> None:
        """Create the reservation.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            instance_type: EC2 instance type.
            instance_count: Number of instances.
            availability_zone_id: Zone id, e.g. `use2-az3`.
            end_date: When it ends, as `2027-03-31T18:00:00Z`.
            unlimited: Instead of an end: that it bills until somebody deletes it is meant so.
            instance_match_criteria: `targeted` for launches that name it, `open` for any that
                matches.
            placement_group_arn: Cluster placement group to reserve in.

        Raises:
            ConstructError: No instance, not exactly one of `end_date` and `unlimited`, or a value
                of another shape.
        """
        super().__init__(scope, construct_id)
        text("instance_type", instance_type)
        whole_number("instance_count", instance_count, least=1)
        text("availability_zone_id", availability_zone_id, ZoneId)
        flag("unlimited", unlimited)
        text("end_date", end_date, UtcTime, optional=True)
        one_of("instance_match_criteria", instance_match_criteria, ("targeted", "open"))
        text("placement_group_arn", placement_group_arn, optional=True)
        if (end_date is None) is not unlimited:
            got = "both" if unlimited else "neither"
            raise ConstructError(
                f"exactly one of end_date and unlimited must be given, got {got}: a reservation "
                "bills until it ends"
            )
        self._tag_manager = TagManager(TagType.KEY_VALUE, "AWS::EC2::CapacityReservation")
        reservation = ec2.CfnCapacityReservation(
            self,
            "Resource",
            instance_type=instance_type,
            instance_count=instance_count,
            instance_platform="Linux/UNIX",
            availability_zone_id=availability_zone_id,
            instance_match_criteria=instance_match_criteria,
            end_date_type="unlimited" if unlimited else "limited",
            end_date=end_date,
            placement_group_arn=placement_group_arn,
            tag_specifications=tag_specifications(self._tag_manager, ("capacity-reservation",)),
        )
        self.capacity_reservation_id = reservation.ref

    @property
    def tags(self) -> TagManager:
        """Where `Tags.of(...)` collects; CDK calls it."""
        return self._tag_manager
