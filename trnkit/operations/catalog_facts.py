"""`trnkit catalog`: all that is known about instance types, put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import (
    add_instance_types,
    capacity_block_regions,
    find_source,
    instance_type,
    instance_type_names,
    quota_for,
    regions_offering,
    zone_ids_offering,
)
from trnkit.config import read_instance_types
from trnkit.layout.efa import EfaPlanError, plan_interfaces

if TYPE_CHECKING:
    from trnkit.catalog import InstanceType, Quota, Source
    from trnkit.layout.efa import InterfacePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceFacts:
    """An instance type and what belongs to it.

    Attributes:
        instance_type: The catalogue's entry.
        zones: Region -> zone ids that offer it.
        capacity_block_regions: Regions that sell it in Capacity Blocks.
        interfaces: A node's interfaces in the default layout; empty when not known.
        quotas: Those its vCPUs count against, on-demand first.
        sources: Where the entry's facts come from.
    """

    instance_type: InstanceType
    zones: dict[str, tuple[str, ...]]
    capacity_block_regions: tuple[str, ...]
    interfaces: tuple[InterfacePlan, ...]
    quotas: tuple[Quota, ...]
    sources: tuple[Source, ...]


def know_types_of(file: str) -> None:
    """Make the instance types of a DescribeInstanceTypes answer known.

    Raises:
        UnreadableInputError: The file is not there or not JSON.
        ConfigurationError: An entry lacks something or contradicts the catalogue.
    """
    add_instance_types(read_instance_types(file))


def facts_about(name: str) -> InstanceFacts:
    """Put together what is known about one type.

    Raises:
        UnknownInstanceTypeError: The catalogue does not have it.
    """
    kind = instance_type(name)
    try:
        interfaces = plan_interfaces(kind)
    except EfaPlanError:
        interfaces = ()
    keys = dict.fromkeys([*kind.source, *(entry.other_source for entry in kind.disagreements)])
    quotas = (quota_for(name, "on-demand"), quota_for(name, "spot"))
    return InstanceFacts(
        instance_type=kind,
        zones={region: zone_ids_offering(name, region) or () for region in regions_offering(name)},
        capacity_block_regions=capacity_block_regions(name),
        interfaces=interfaces,
        quotas=tuple(quota for quota in quotas if quota is not None),
        sources=tuple(source for key in keys if (source := find_source(key)) is not None),
    )


def all_facts() -> tuple[InstanceFacts, ...]:
    """Facts about every type in the catalogue, in its order."""
    return tuple(facts_about(name) for name in instance_type_names())
