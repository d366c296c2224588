"""Where things are offered: instance types by zone id, and what else a Region has or lacks.

Zones are zone ids (`use2-az3`), which name the same place in every account. Zone names
(`us-east-2c`) are shuffled for each account, so the catalogue has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from trnkit.catalog.disagreements import Disagreement, disagreements_from
from trnkit.catalog.instance_types import further_types
from trnkit.catalog.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping


class UnknownRegionError(LookupError):
    """The catalogue has no such Region.

    Attributes:
        name: The name that was asked for.
        nearest: At most three known names that resemble it, the closest first.
    """

    def __init__(self, name: str, nearest: tuple[str, ...]) -> None:
        """Keep both; the message names the nearest Regions only."""
        self.name = name
        self.nearest = nearest
        hint = f" (nearest: {', '.join(nearest)})" if nearest else ""
        super().__init__(f"region {name!r} is not in the catalogue{hint}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """One AWS Region that offers a Trainium or Inferentia2 type; None means unknown.

    Attributes:
        name: The Region's name, for example `us-east-2`.
        zone_ids: Ids of its Availability Zones.
        offerings: For each instance type offered, the ids of the zones that offer it.
        neuron_image_parameters: Whether `/aws/service/neuron` public SSM parameters exist.
        persistent_2: Whether FSx for Lustre has PERSISTENT_2 there.
        budgets_resource_type: Whether CloudFormation has AWS::Budgets::Budget there.
        unregistered_resource_types: CloudFormation types, of those checked, missing there.
        capacity_block_types: Instance types sold there in Capacity Blocks for ML.
        capacity_block_ultraserver_types: UltraServer types sold there in Capacity Blocks.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    name: str
    zone_ids: tuple[str, ...]
    offerings: Mapping[str, tuple[str, ...]]
    neuron_image_parameters: bool | None
    persistent_2: bool | None
    budgets_resource_type: bool
    unregistered_resource_types: tuple[str, ...]
    capacity_block_types: tuple[str, ...]
    capacity_block_ultraserver_types: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str


@cache
def _regions() -> dict[str, Region]:
    return {name: _from_entry(name, entry) for name, entry in _table()["regions"].items()}


def _table() -> dict[str, Any]:
    return table("regions")


def _from_entry(name: str, entry: dict[str, Any]) -> Region:
    values = dict(entry)
    disagreements = disagreements_from(values.pop("disagreements"))
    return Region(name=name, disagreements=disagreements, **values)


def region_names() -> tuple[str, ...]:
    """Return the names of all Regions in the catalogue, sorted."""
    return tuple(_regions())


def find_region(name: str) -> Region | None:
    """Return a Region, or None when the catalogue does not know it.

    None says nothing about the Region: the catalogue holds those with a Trainium or Inferentia2
    type at the date of its data.
    """
    return _regions().get(name)


def region(name: str) -> Region:
    """Return a Region.

    Raises:
        UnknownRegionError: The catalogue does not know the name.
    """
    found = find_region(name)
    if found is None:
        # Imported here because only a mistake needs it.
        from difflib import get_close_matches

        raise UnknownRegionError(name, tuple(get_close_matches(name, region_names(), n=3)))
    return found


def zone_ids_offering(instance_type: str, region: str) -> tuple[str, ...] | None:
    """Return the zones of a Region that offer an instance type.

    Args:
        instance_type: The EC2 name of the type.
        region: The Region's name.

    Returns:
        Zone ids; () when the type is known not to be offered there; None when the Region or the
        type is not in the catalogue. Offerings are On-Demand and Spot: a Capacity Block can be sold
        where the offerings say nothing (see `capacity_block_regions`).
    """
    described = _described(instance_type).get(region)
    if described is not None:
        return described
    found = find_region(region)
    if found is None or instance_type not in _table()["instance_types"]:
        return None
    return found.offerings.get(instance_type, ())


def regions_offering(instance_type: str) -> tuple[str, ...]:
    """Return the Regions that offer an instance type in some zone; () for an unknown type."""
    described = _described(instance_type)
    own = {name for name, entry in _regions().items() if instance_type in entry.offerings}
    return tuple(sorted((own - set(described)) | {name for name in described if described[name]}))


def offerings_described_on(instance_type: str, region: str) -> str | None:
    """Return the day on which a refreshed file read where a type is offered in a Region.

    Returns:
        None when no such file says it: then the catalogue's own entry of the Region counts.
    """
    if region not in _described(instance_type):
        return None
    return further_types[instance_type].date


def _described(instance_type: str) -> dict[str, tuple[str, ...]]:
    """Region -> zone ids, of the type as it was added to this process."""
    added = further_types.get(instance_type)
    return dict(added.described_offerings) if added else {}


def capacity_block_regions(instance_type: str) -> tuple[str, ...]:
    """Return the Regions that sell an instance type in Capacity Blocks; () when none is known."""
    return tuple(
        name for name, entry in _regions().items() if instance_type in entry.capacity_block_types
    )


def region_of_zone_id(zone_id: str) -> str | None:
    """Return the Region of a zone id.

    Args:
        zone_id: An Availability Zone id (`use2-az3`) or Local Zone id (`usw2-lax1-az1`).

    Returns:
        The Region's name, also for Regions without a Neuron type; None when the text is not a
        zone id of a known Region (a zone *name* such as `us-east-2c` is not).
    """
    prefix, _, rest = zone_id.partition("-")
    _, az, number = rest.rpartition("az")
    if not az or not number.isdecimal():
        return None
    regions: dict[str, str] = _table()["zone_id_prefixes"]["regions"]
    return regions.get(prefix)


def budgets_resource_type_available(region: str) -> bool | None:
    """Tell whether CloudFormation has AWS::Budgets::Budget in a Region; None is unknown.

    Where it has not, the budget belongs in a stack in us-east-1: budgets are global.
    """
    found = find_region(region)
    return found.budgets_resource_type if found else None


def resource_type_available(resource_type: str, region: str) -> bool | None:
    """Tell whether CloudFormation has a resource type in a Region.

    Args:
        resource_type: For example `AWS::PCS::Cluster`.
        region: The Region's name.

    Returns:
        True or False for a type that was checked; None for another type or an unknown Region.
    """
    if resource_type == "AWS::Budgets::Budget":
        return budgets_resource_type_available(region)
    found = find_region(region)
    if found is None or resource_type not in _table()["resource_types"]:
        return None
    return resource_type not in found.unregistered_resource_types


def persistent_2_available(region: str) -> bool | None:
    """Tell whether FSx for Lustre has PERSISTENT_2 in a Region; None is unknown."""
    found = find_region(region)
    return found.persistent_2 if found else None


def neuron_image_parameters_available(region: str) -> bool | None:
    """Tell whether the `/aws/service/neuron` parameters exist in a Region; None is unknown."""
    found = find_region(region)
    return found.neuron_image_parameters if found else None
