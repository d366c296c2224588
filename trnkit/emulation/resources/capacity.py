"""Placement groups and Capacity Reservations."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.ec2_calls import retag
from trnkit.emulation.resources.launch_calls import (
    same_moment,
    tag_specifications,
    tags_of,
    without_nothing,
)
from trnkit.emulation.resources.resource import (
    Clients,
    Made,
    Place,
    Proof,
    Properties,
    own_tags,
)


class PlacementGroup:
    """``AWS::EC2::PlacementGroup`` by CreatePlacementGroup.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-placementgroup.html
    """

    name = "AWS::EC2::PlacementGroup"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it; its name is always CloudFormation's."""
        ec2 = place.clients("ec2")
        members = {
            "GroupName": place.name(255),
            **{
                name: properties.get(name)
                for name in ("Strategy", "PartitionCount", "SpreadLevel", "ParentGroupId")
            },
            "TagSpecifications": tag_specifications("placement-group", properties.get("Tags")),
        }
        answer = ec2.create_placement_group(**request_of(ec2, "CreatePlacementGroup", members))
        group = answer["PlacementGroup"]
        return Made(
            group["GroupName"], {"GroupName": group["GroupName"], "GroupId": group["GroupId"]}
        )

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Nothing of it changes in place."""
        return made

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it, which EC2 refuses while it holds instances."""
        ec2 = place.clients("ec2")
        unless_gone(
            lambda: ec2.delete_placement_group(GroupName=physical_id),
            "InvalidPlacementGroup.Unknown",
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribePlacementGroups."""
        ec2 = clients("ec2")
        answer = unless_gone(
            lambda: ec2.describe_placement_groups(GroupNames=[physical_id]),
            "InvalidPlacementGroup.Unknown",
        )
        if not answer:
            return None
        (group,) = answer["PlacementGroups"]
        names = ("Strategy", "PartitionCount", "SpreadLevel", "ParentGroupId")
        told = {name: group.get(name) for name in names}
        return without_nothing({**told, "Tags": own_tags(group.get("Tags"))})


_KIND = "capacity-reservation"
_CREATED_WITH = (
    "AvailabilityZone",
    "AvailabilityZoneId",
    "EbsOptimized",
    "EndDate",
    "EndDateType",
    "EphemeralStorage",
    "InstanceCount",
    "InstanceMatchCriteria",
    "InstancePlatform",
    "InstanceType",
    "PlacementGroupArn",
    "Tenancy",
)
_CHANGED = ("InstanceCount", "EndDate", "EndDateType", "InstanceMatchCriteria")
_NO_RESERVATION = "InvalidCapacityReservationId.NotFound"


class CapacityReservation:
    """``AWS::EC2::CapacityReservation`` by CreateCapacityReservation.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-capacityreservation.html
    """

    name = "AWS::EC2::CapacityReservation"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Reserve."""
        ec2 = place.clients("ec2")
        members = {name: properties.get(name) for name in _CREATED_WITH}
        members["OutpostArn"] = properties.get("OutPostArn")
        tags = tags_of(properties.get("TagSpecifications"), _KIND)
        members["TagSpecifications"] = tag_specifications(_KIND, tags)
        answer = ec2.create_capacity_reservation(
            **request_of(ec2, "CreateCapacityReservation", members)
        )
        return _made(answer["CapacityReservation"])

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change count, end or criteria."""
        ec2 = place.clients("ec2")
        changed = {name: new.get(name) for name in _CHANGED if old.get(name) != new.get(name)}
        if changed:
            members = {"CapacityReservationId": made.physical_id, **changed}
            ec2.modify_capacity_reservation(**request_of(ec2, "ModifyCapacityReservation", members))
        old_tags, new_tags = (tags_of(p.get("TagSpecifications"), _KIND) for p in (old, new))
        if old_tags != new_tags:
            retag(place, made.physical_id, old_tags, new_tags)
        (told,) = ec2.describe_capacity_reservations(CapacityReservationIds=[made.physical_id])[
            "CapacityReservations"
        ]
        return _made(told)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Cancel it."""
        ec2 = place.clients("ec2")
        unless_gone(
            lambda: ec2.cancel_capacity_reservation(CapacityReservationId=physical_id),
            _NO_RESERVATION,
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeCapacityReservations; one that was cancelled is gone."""
        ec2 = clients("ec2")
        answer = unless_gone(
            lambda: ec2.describe_capacity_reservations(CapacityReservationIds=[physical_id]),
            _NO_RESERVATION,
        )
        rows = answer["CapacityReservations"] if answer else []
        if not rows or rows[0]["State"] == "cancelled":
            return None
        told = {name: rows[0].get(name) for name in _CREATED_WITH}
        told["InstanceCount"] = rows[0]["TotalInstanceCount"]
        told["EndDate"] = same_moment(rows[0].get("EndDate"), properties.get("EndDate"))
        told["OutPostArn"] = rows[0].get("OutpostArn")
        told["TagSpecifications"] = tag_specifications(_KIND, rows[0].get("Tags"))
        return without_nothing(told)


def _made(row: dict[str, Any]) -> Made:
    named = (
        "AvailabilityZone",
        "AvailableInstanceCount",
        "CapacityReservationArn",
        "CreateDate",
        "InstanceType",
        "OwnerId",
        "ReservationType",
        "StartDate",
        "State",
        "Tenancy",
        "TotalInstanceCount",
    )
    attributes = {name: str(row[name]) for name in named if name in row}
    return Made(row["CapacityReservationId"], {"Id": row["CapacityReservationId"], **attributes})


TYPES = (PlacementGroup(), CapacityReservation())
