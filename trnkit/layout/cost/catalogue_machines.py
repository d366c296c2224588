"""Instance types that the catalogue can compare: the largest of each Trainium family, and GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import (
    capacity_block_facts,
    capacity_block_regions,
    chip,
    find_instance_type,
    gpu_instances,
    gpu_prices,
    instance_type_names,
    zone_ids_offering,
)
from trnkit.layout.cost.alternatives import PURCHASES
from trnkit.layout.cost.machines import Machine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.catalog import Disagreement, GpuInstance, InstanceType

_TRAINING = "Trainium"
"""Names of the chips that train begin so."""
_GPU_FIELDS = ("dense_bf16_tflops", "memory_gib_per_accelerator", "network_gbps")
_NEURON_FIELDS = ("device_memory_gib_per_chip", "chips")


def machines_for(region: str, types: Iterable[str]) -> tuple[Machine, ...]:
    """The types to compare in a Region.

    Args:
        region: The cluster's Region.
        types: Types of the cluster's groups, which are compared too, as far as they are known.
    """
    own = (find_instance_type(name) for name in types)
    known = {kind.name: kind for kind in (*_largest(), *(kind for kind in own if kind))}
    return (
        *(_neuron_machine(kind, region) for kind in known.values()),
        *(_gpu_machine(kind, region) for kind in gpu_instances()),
    )


def _largest() -> tuple[InstanceType, ...]:
    """Of each family of the catalogue that trains the type with the most chips."""
    largest: dict[str, InstanceType] = {}
    for name in instance_type_names():
        kind = find_instance_type(name)
        if kind is None or not (kind.chip_name or "").startswith(_TRAINING):
            continue
        other = largest.get(kind.family)
        if other is None or (kind.chips or 0) > (other.chips or 0):
            largest[kind.family] = kind
    return tuple(largest.values())


def _neuron_machine(kind: InstanceType, region: str) -> Machine:
    known = None if kind.chip_name is None else chip(kind.chip_name)
    cards = [card.peak_gbps for card in kind.network_cards]
    network = [gbps for gbps in cards if gbps is not None]
    sources = (*kind.source, *(known.source if known else ()))
    return Machine(
        instance_type=kind.name,
        accelerator=kind.chip_name or "unknown chips",
        accelerators=kind.chips,
        bf16_tflops=known and known.dense_bf16_tflops,
        memory_gib=kind.device_memory_gib_per_chip,
        network_gbps=sum(network) if network and len(network) == len(cards) else None,
        offered=_is_offered(kind.name, region),
        block_offered=_is_block_offered(kind.name, region),
        not_sold=tuple(way for way in PURCHASES if _is_not_sold(kind, way)),
        block_step=kind.ultraserver.instances if kind.ultraserver else 1,
        block_maximum=capacity_block_facts().maximum_instances,
        disputed=_disputed(kind.disagreements, _NEURON_FIELDS),
        source=tuple(dict.fromkeys(sources)),
        date=kind.date,
    )


def _is_not_sold(kind: InstanceType, purchase: str) -> bool:
    """Whether EC2 lists ways to buy, and not this one; a list that is empty is unknown."""
    return bool(kind.usage_classes) and purchase not in kind.usage_classes


def _is_offered(name: str, region: str) -> bool | None:
    if region in capacity_block_regions(name):
        return True
    zones = zone_ids_offering(name, region)
    return None if zones is None else bool(zones)


def _is_block_offered(name: str, region: str) -> bool | None:
    regions = capacity_block_regions(name)
    return region in regions if regions else None


def _gpu_machine(kind: GpuInstance, region: str) -> Machine:
    priced = [
        price.purchase
        for price in gpu_prices()
        if price.instance_type == kind.name and region in price.regions
    ]
    return Machine(
        instance_type=kind.name,
        accelerator=kind.accelerator,
        accelerators=kind.accelerators,
        bf16_tflops=kind.dense_bf16_tflops,
        memory_gib=kind.memory_gib_per_accelerator,
        network_gbps=kind.network_gbps,
        offered=True if priced else None,
        block_offered=True if "capacity-block" in priced else None,
        not_sold=(),
        block_step=1,
        block_maximum=capacity_block_facts().maximum_instances,
        disputed=_disputed(kind.disagreements, _GPU_FIELDS),
        source=kind.source,
        date=kind.date,
    )


def _disputed(disagreements: Iterable[Disagreement], fields: tuple[str, ...]) -> tuple[str, ...]:
    """What sources do not agree on, of what a comparison uses."""
    return tuple(
        f"{one.field.replace('_', ' ')}: {one.value_here} here, {one.other_value} in "
        f"{one.other_source}; {one.note}"
        for one in disagreements
        if one.field in fields and one.other_value is not None
    )
