"""What each Trainium and Inferentia2 instance type is made of.

Numbers come from DescribeInstanceTypes, except what that API has wrong or leaves out: the memory of
a Trainium2 chip, the NeuronCores of trn2u.48xlarge, logical NeuronCores, RDMA, Nitro versions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from trnkit.catalog.disagreements import Disagreement, disagreements_from
from trnkit.catalog.tables import table


class UnknownInstanceTypeError(LookupError):
    """The catalogue has no such instance type.

    Attributes:
        name: The name that was asked for.
        nearest: At most three known names that resemble it, the closest first.
    """

    def __init__(self, name: str, nearest: tuple[str, ...]) -> None:
        """Keep both; the message names the nearest types only."""
        self.name = name
        self.nearest = nearest
        hint = f" (nearest: {', '.join(nearest)})" if nearest else ""
        super().__init__(f"instance type {name!r} is not in the catalogue{hint}")


@dataclass(frozen=True, slots=True)
class NetworkCard:
    """One network card of an instance type.

    Attributes:
        index: The card's `NetworkCardIndex`; the primary interface is on card 0.
        maximum_network_interfaces: Interfaces the card holds, of any kind together.
        efa_supported: Whether an EFA or EFA-only interface may be on this card; None is unknown.
        baseline_gbps: Baseline bandwidth in Gbit/s; None is unknown.
        peak_gbps: Peak bandwidth in Gbit/s; None is unknown.
    """

    index: int
    maximum_network_interfaces: int
    efa_supported: bool | None
    baseline_gbps: float | None = None
    peak_gbps: float | None = None


@dataclass(frozen=True, slots=True)
class EbsLimits:
    """What an instance type can do with EBS volumes; None is unknown.

    Attributes:
        baseline_mbps: Baseline bandwidth in Mbit/s.
        maximum_mbps: Burst bandwidth in Mbit/s.
        baseline_iops: Baseline operations a second.
        maximum_iops: Burst operations a second.
        maximum_attachments: Attachment limit. On trn1 and inf2 it is shared with network
            interfaces and instance store volumes.
    """

    baseline_mbps: int | None
    maximum_mbps: int | None
    baseline_iops: int | None
    maximum_iops: int | None
    maximum_attachments: int | None


@dataclass(frozen=True, slots=True)
class UltraServerMembership:
    """The UltraServer an instance type is a part of.

    Attributes:
        type_name: The name in the Capacity Block API, for example `u-trn2x64`.
        instances: Instances of the type in one UltraServer.
    """

    type_name: str
    instances: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceType:
    """One EC2 instance type.

    None always means unknown, never zero or no. An empty tuple means unknown too, since no type
    has no network card, usage class, boot mode or logical NeuronCore size.

    Attributes:
        name: The EC2 name, for example `trn2.48xlarge`.
        vcpus: Default virtual CPUs; the unit of the EC2 quotas.
        default_cores: Default CPU cores.
        threads_per_core: Default threads a core.
        memory_mib: Host memory in MiB.
        chip_name: `Trainium`, `Trainium2`, `Inferentia2`, or what EC2 calls a later chip.
        chips: Neuron chips in one instance.
        neuron_cores_per_chip: Physical NeuronCores on one chip.
        neuron_core_version: Generation of the NeuronCore.
        logical_neuroncore_sizes: Physical cores that one logical core may have: (1,) or (1, 2).
        default_logical_neuroncore_size: The size used when nobody chooses: 2 on trn2.
        device_memory_gib_per_chip: Real memory of one chip in GiB. Not EC2's NeuronInfo, which
            says 512 for a Trainium2 chip of 96.
        network_cards: The cards, in the order of their index.
        ipv4_per_interface: Private IPv4 addresses one interface can hold.
        maximum_efa_interfaces: EFA and EFA-only interfaces together; 0 where EFA is not supported.
        rdma_read: Whether EFA does RDMA read.
        rdma_write: Whether EFA does RDMA write.
        network_performance: EC2's headline, for example `16x 200 Gigabit`.
        nvme_disks: Instance store disks; 0 where there are none.
        nvme_disk_gb: Size of one instance store disk in GB (10**9 bytes).
        ebs: What the type can do with EBS volumes.
        usage_classes: `on-demand`, `spot`, `capacity-block`.
        placement_strategies: Placement group strategies that EC2 accepts.
        nitro_version: Generation of the Nitro system.
        boot_modes: `legacy-bios`, `uefi`.
        architecture: CPU architecture, for example `x86_64`.
        instance_topology: Whether DescribeInstanceTopology answers for the type.
        dedicated_hosts: Whether Dedicated Hosts are supported.
        ultraserver: The UltraServer the type is a part of; None when in none, or unknown.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources; None for an undated description.
        described_offerings: Region and the ids of its zones that offer the type, as a refreshed
            file of instance types says; () for what no such file describes.
    """

    name: str
    vcpus: int | None
    default_cores: int | None
    threads_per_core: int | None
    memory_mib: int | None
    chip_name: str | None
    chips: int | None
    neuron_cores_per_chip: int | None
    neuron_core_version: int | None
    logical_neuroncore_sizes: tuple[int, ...]
    default_logical_neuroncore_size: int | None
    device_memory_gib_per_chip: int | None
    network_cards: tuple[NetworkCard, ...]
    ipv4_per_interface: int | None
    maximum_efa_interfaces: int | None
    rdma_read: bool | None
    rdma_write: bool | None
    network_performance: str | None
    nvme_disks: int | None
    nvme_disk_gb: int | None
    ebs: EbsLimits
    usage_classes: tuple[str, ...]
    placement_strategies: tuple[str, ...]
    nitro_version: int | None
    boot_modes: tuple[str, ...]
    architecture: str | None
    instance_topology: bool | None
    dedicated_hosts: bool | None
    ultraserver: UltraServerMembership | None
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str | None
    described_offerings: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def family(self) -> str:
        """The part of the name before the dot, for example `trn2u`."""
        return self.name.partition(".")[0]

    @property
    def neuron_cores(self) -> int | None:
        """Physical NeuronCores of one instance; None is unknown."""
        if self.chips is None or self.neuron_cores_per_chip is None:
            return None
        return self.chips * self.neuron_cores_per_chip

    @property
    def device_memory_gib(self) -> int | None:
        """Real memory of all chips of one instance in GiB; None is unknown."""
        if self.chips is None or self.device_memory_gib_per_chip is None:
            return None
        return self.chips * self.device_memory_gib_per_chip

    @property
    def maximum_network_interfaces(self) -> int | None:
        """Interfaces of any kind on all cards together; None is unknown."""
        if not self.network_cards:
            return None
        return sum(card.maximum_network_interfaces for card in self.network_cards)


further_types: dict[str, InstanceType] = {}
"""What was added to the catalogue, by name; `trnkit.catalog.added_types` looks after it."""


@cache
def _entries() -> dict[str, InstanceType]:
    return {name: _from_entry(name, entry) for name, entry in _table()["instance_types"].items()}


def _table() -> dict[str, Any]:
    return table("instance_types")


def _from_entry(name: str, entry: dict[str, Any]) -> InstanceType:
    values = dict(entry)
    ultraserver = values.pop("ultraserver")
    return InstanceType(
        name=name,
        network_cards=tuple(NetworkCard(**card) for card in values.pop("network_cards")),
        ebs=EbsLimits(**values.pop("ebs")),
        ultraserver=UltraServerMembership(**ultraserver) if ultraserver else None,
        disagreements=disagreements_from(values.pop("disagreements")),
        **values,
    )


def instance_type_names() -> tuple[str, ...]:
    """Return the names of all instance types in the catalogue, in its order."""
    return tuple(_table()["instance_types"])


def catalogue_instance_type(name: str) -> InstanceType | None:
    """Return the catalogue's own entry, whatever else was added to this process."""
    return _entries().get(name)


def left_out_on_purpose(name: str) -> str | None:
    """Say why the catalogue has no entry for a type and will have none; None when it may."""
    family = name.partition(".")[0]
    return next((e["note"] for e in _table()["left_out"] if e["family"] == family), None)


def find_instance_type(name: str) -> InstanceType | None:
    """Return an instance type, or None when nobody knows the name.

    Args:
        name: The EC2 name, without SageMaker's `ml.` in front. Types that were added to this
            process (`add_instance_types`, or a cluster file's `instance_types_file`) are found too,
            and what a refreshed file has newer about a known type.
    """
    return further_types.get(name) or catalogue_instance_type(name)


def instance_type(name: str) -> InstanceType:
    """Return an instance type.

    Args:
        name: The EC2 name, without SageMaker's `ml.` in front.

    Raises:
        UnknownInstanceTypeError: The catalogue does not know the name.
    """
    found = find_instance_type(name)
    if found is None:
        raise UnknownInstanceTypeError(name, _nearest(name))
    return found


def _nearest(name: str) -> tuple[str, ...]:
    # Imported here because only a mistake needs it.
    from difflib import get_close_matches

    return tuple(get_close_matches(name.removeprefix("ml."), instance_type_names(), n=3))
