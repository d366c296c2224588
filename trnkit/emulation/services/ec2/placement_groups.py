"""Placement groups, which moto has no API for.

Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-groups.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trnkit.emulation.resources.resource import partition_of
from trnkit.emulation.services.ec2.refusing import (
    invalid,
    missing,
    passes,
    refuse,
    tag_set,
    tags_for,
)

_STRATEGIES = ("cluster", "partition", "spread", "precision-time")
_DEFAULT_PARTITIONS = 2
_MOST_PARTITIONS = 7


@dataclass
class PlacementGroup:
    """One placement group."""

    group_id: str
    name: str
    arn: str
    strategy: str
    partition_count: int | None = None
    spread_level: str | None = None
    parent_group_id: str | None = None


def groups_of(backend: Any) -> dict[str, PlacementGroup]:
    """Placement groups of an account and region, by name; gone with moto's state."""
    return backend.__dict__.setdefault("placement_groups", {})


def find(
    backend: Any, name: str | None = None, group_id: str | None = None, arn: str | None = None
) -> PlacementGroup:
    """A group by its name, id or ARN.

    Raises:
        EC2ClientError: There is no such group.
    """
    for group in groups_of(backend).values():
        if name == group.name or group_id == group.group_id or (arn and arn == group.arn):
            return group
    refuse(
        "InvalidPlacementGroup.Unknown",
        f"The Placement Group '{name or group_id or arn}' is unknown.",
    )


def members(backend: Any, name: str) -> list[Any]:
    """Instances of a group that are not terminated."""
    return [
        instance
        for instance in backend.all_instances()
        if instance.placement.group_name == name and instance.state != "terminated"
    ]


def create(backend: Any, request: Mapping[str, Any]) -> PlacementGroup:
    """Make a group.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreatePlacementGroup.html
    """
    from moto.ec2.utils import random_id

    name = request.get("GroupName") or missing("groupName")
    strategy = str(request.get("Strategy") or "cluster")
    count = request.get("PartitionCount")
    spread_level = request.get("SpreadLevel")
    if strategy not in _STRATEGIES:
        invalid(strategy, "strategy", "Valid strategies are cluster, partition and spread.")
    if count is not None and strategy != "partition":
        refuse(
            "InvalidParameterCombination",
            "partitionCount can only be set when the strategy is partition.",
        )
    if count is not None and not 1 <= int(count) <= _MOST_PARTITIONS:
        invalid(count, "partitionCount", f"Specify a number from 1 to {_MOST_PARTITIONS}.")
    if spread_level and strategy != "spread":
        refuse(
            "InvalidParameterCombination",
            "spreadLevel can only be set when the strategy is spread.",
        )
    if name in groups_of(backend):
        refuse("InvalidPlacementGroup.Duplicate", f"The Placement Group '{name}' already exists.")
    group = PlacementGroup(
        group_id=random_id("pg"),
        name=str(name),
        arn=f"arn:{partition_of(backend.region_name)}:ec2:{backend.region_name}:"
        f"{backend.account_id}:placement-group/{name}",
        strategy=strategy,
        partition_count=int(count or _DEFAULT_PARTITIONS) if strategy == "partition" else None,
        spread_level=str(spread_level or "rack") if strategy == "spread" else None,
        parent_group_id=request.get("ParentGroupId"),
    )
    groups_of(backend)[group.name] = group
    tags = tags_for(request.get("TagSpecifications"), "placement-group")
    if tags:
        backend.create_tags([group.group_id], tags)
    return group


def delete(backend: Any, name: str | None) -> None:
    """Delete a group that holds nothing.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeletePlacementGroup.html
    """
    from trnkit.emulation.services.ec2.capacity_reservations import reservations_of

    group = find(backend, name=name or missing("groupName"))
    reserved = any(
        reservation.placement_group_arn == group.arn and reservation.state == "active"
        for reservation in reservations_of(backend).values()
    )
    if members(backend, group.name) or reserved:
        refuse(
            "InvalidPlacementGroup.InUse",
            f"The placement group '{group.name}' is in use and may not be deleted.",
        )
    del groups_of(backend)[group.name]


def described(backend: Any, group: PlacementGroup) -> dict[str, Any]:
    """A group as DescribePlacementGroups gives it."""
    told = {
        "GroupName": group.name,
        "GroupId": group.group_id,
        "GroupArn": group.arn,
        "State": "available",
        "Strategy": group.strategy,
        "PartitionCount": group.partition_count,
        "SpreadLevel": group.spread_level,
        "ParentGroupId": group.parent_group_id,
        "Tags": tag_set(backend, group.group_id),
    }
    return {name: value for name, value in told.items() if value not in (None, [])}


def describe(backend: Any, request: Mapping[str, Any], filters: Any) -> list[dict[str, Any]]:
    """Groups by name, id and filters.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribePlacementGroups.html
    """
    names = request.get("GroupNames") or []
    ids = request.get("GroupIds") or []
    chosen = [find(backend, name=name) for name in names]
    chosen += [find(backend, group_id=group_id) for group_id in ids]
    if not names and not ids:
        chosen = [*groups_of(backend).values()]
    return [
        described(backend, group)
        for group in chosen
        if passes(
            {
                "group-name": group.name,
                "group-arn": group.arn,
                "strategy": group.strategy,
                "spread-level": group.spread_level or "",
                "state": "available",
                "tags": backend.tags.get(group.group_id, {}),
            },
            filters,
        )
    ]


def install() -> None:
    """Give moto's EC2 the operations."""
    from moto.core.responses import ActionResult, EmptyResult
    from moto.ec2.responses import EC2Response

    response: Any = EC2Response

    def create_placement_group(self: Any) -> Any:
        self.error_on_dryrun()
        group = create(self.ec2_backend, self.params)
        return ActionResult({"PlacementGroup": described(self.ec2_backend, group)})

    def describe_placement_groups(self: Any) -> Any:
        filters = self._filters_from_querystring()
        return ActionResult({"PlacementGroups": describe(self.ec2_backend, self.params, filters)})

    def delete_placement_group(self: Any) -> Any:
        self.error_on_dryrun()
        delete(self.ec2_backend, self.params.get("GroupName"))
        return EmptyResult()

    response.create_placement_group = create_placement_group
    response.describe_placement_groups = describe_placement_groups
    response.delete_placement_group = delete_placement_group
