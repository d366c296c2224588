"""Reads DescribeInstanceTypes answers, so that a type AWS releases tomorrow is usable at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.catalog.chips import chip
from trnkit.catalog.disagreements import Disagreement
from trnkit.catalog.instance_types import (
    EbsLimits,
    InstanceType,
    NetworkCard,
    catalogue_instance_type,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_API = "ec2-api"
_MIB_PER_GIB = 1024


def instance_type_from_description(
    description: Mapping[str, Any], *, date: str | None = None
) -> InstanceType:
    """Turn one entry of an EC2 DescribeInstanceTypes answer into an instance type.

    What the description states wins over the catalogue. What the API cannot state (real device
    memory, logical NeuronCores, RDMA, the Nitro version, and every Neuron fact of trn2u.48xlarge)
    is taken from the catalogue's entry of the same name or chip; for a type that is not in the
    catalogue it stays None.

    Args:
        description: One member of `InstanceTypes`, with the API's own key names. Every key but
            `InstanceType` may be missing.
        date: Day the answer was read, as YYYY-MM-DD.

    Returns:
        The instance type, with `ec2-api` as the first of its sources.

    Raises:
        KeyError: The description has no `InstanceType`.
    """
    name: str = description["InstanceType"]
    known = catalogue_instance_type(name)
    cpu = _section(description, "VCpuInfo")
    network = _section(description, "NetworkInfo")
    neuron = _neuron(description, known)
    maximum_efa = _maximum_efa_interfaces(network)
    rdma = False if maximum_efa == 0 else None
    disks, disk_gb = _instance_store(description)
    architectures = _strings(_section(description, "ProcessorInfo"), "SupportedArchitectures")
    return InstanceType(
        name=name,
        vcpus=cpu.get("DefaultVCpus"),
        default_cores=cpu.get("DefaultCores"),
        threads_per_core=cpu.get("DefaultThreadsPerCore"),
        memory_mib=_section(description, "MemoryInfo").get("SizeInMiB"),
        **neuron,
        network_cards=_network_cards(network, maximum_efa),
        ipv4_per_interface=network.get("Ipv4AddressesPerInterface"),
        maximum_efa_interfaces=maximum_efa,
        rdma_read=known.rdma_read if known else rdma,
        rdma_write=known.rdma_write if known else rdma,
        network_performance=network.get("NetworkPerformance"),
        nvme_disks=disks,
        nvme_disk_gb=disk_gb,
        ebs=_ebs(description),
        usage_classes=_strings(description, "SupportedUsageClasses"),
        placement_strategies=_strings(
            _section(description, "PlacementGroupInfo"), "SupportedStrategies"
        ),
        nitro_version=known.nitro_version if known else None,
        boot_modes=_strings(description, "SupportedBootModes"),
        architecture=architectures[0] if architectures else None,
        instance_topology=known.instance_topology if known else None,
        dedicated_hosts=description.get("DedicatedHostsSupported"),
        ultraserver=known.ultraserver if known else None,
        source=(_API, *(key for key in (known.source if known else ()) if key != _API)),
        date=date,
    )


def _section(description: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return description.get(key) or {}


def _strings(section: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(section.get(key) or ())


def _neuron(description: Mapping[str, Any], known: InstanceType | None) -> dict[str, Any]:
    """Return the Neuron attributes of the type and its disagreements, as keyword arguments."""
    devices: list[dict[str, Any]] = _section(description, "NeuronInfo").get("NeuronDevices") or []
    device = devices[0] if devices else {}
    cores = _section(device, "CoreInfo")
    chip_name: str | None = device.get("Name") or (known.chip_name if known else None)
    kind = chip(chip_name) if chip_name else None
    chips = sum(entry["Count"] for entry in devices if "Count" in entry) or None
    return {
        "chip_name": chip_name,
        "chips": chips if chips is not None else (known.chips if known else None),
        "neuron_cores_per_chip": cores.get("Count") or (kind.neuron_cores if kind else None),
        "neuron_core_version": cores.get("Version") or (kind.neuron_core_version if kind else None),
        "logical_neuroncore_sizes": kind.logical_neuroncore_sizes if kind else (),
        "default_logical_neuroncore_size": kind.default_logical_neuroncore_size if kind else None,
        "device_memory_gib_per_chip": kind.device_memory_gib if kind else None,
        "disagreements": known.disagreements if known else _unproven_memory(device, kind is None),
    }


def _unproven_memory(device: Mapping[str, Any], unknown_chip: bool) -> tuple[Disagreement, ...]:
    """Keep what NeuronInfo says of an unknown chip's memory visible without believing it."""
    mib = _section(device, "MemoryInfo").get("SizeInMiB")
    if mib is None or not unknown_chip:
        return ()
    note = "NeuronInfo is wrong for Trainium2, so it is not believed for a chip nobody has checked"
    field = "device_memory_gib_per_chip"
    return (Disagreement(field, None, mib / _MIB_PER_GIB, _API, note),)


def _maximum_efa_interfaces(network: Mapping[str, Any]) -> int | None:
    if network.get("EfaSupported") is False:
        return 0
    return _section(network, "EfaInfo").get("MaximumEfaInterfaces")


def _network_cards(network: Mapping[str, Any], maximum_efa: int | None) -> tuple[NetworkCard, ...]:
    cards: list[dict[str, Any]] = network.get("NetworkCards") or []
    ordered = sorted(cards, key=lambda card: card["NetworkCardIndex"])
    return tuple(
        NetworkCard(
            index=card["NetworkCardIndex"],
            maximum_network_interfaces=card["MaximumNetworkInterfaces"],
            efa_supported=_efa_supported(card, len(cards), maximum_efa),
            baseline_gbps=card.get("BaselineBandwidthInGbps"),
            peak_gbps=card.get("PeakBandwidthInGbps"),
        )
        for card in ordered
    )


def _efa_supported(card: Mapping[str, Any], cards: int, maximum_efa: int | None) -> bool | None:
    """Tell whether one card takes EFA; None when the answer does not settle it."""
    kinds: list[str] | None = card.get("InterfaceTypes")
    if kinds is not None:
        return "efa" in kinds or "efa-only" in kinds
    if maximum_efa == 0:
        return False
    # One EFA a card is the rule, so as many EFAs as cards leaves no card without.
    return True if maximum_efa == cards else None


def _instance_store(description: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the number of NVMe instance store disks, and the size of one in GB."""
    if description.get("InstanceStorageSupported") is False:
        return 0, 0
    store = _section(description, "InstanceStorageInfo")
    disks: list[dict[str, Any]] = store.get("Disks") or []
    if not disks or store.get("NvmeSupport") == "unsupported":
        return None, None
    sizes = {disk["SizeInGB"] for disk in disks}
    return sum(disk["Count"] for disk in disks), sizes.pop() if len(sizes) == 1 else None


def _ebs(description: Mapping[str, Any]) -> EbsLimits:
    ebs = _section(description, "EbsInfo")
    optimized = _section(ebs, "EbsOptimizedInfo")
    return EbsLimits(
        baseline_mbps=optimized.get("BaselineBandwidthInMbps"),
        maximum_mbps=optimized.get("MaximumBandwidthInMbps"),
        baseline_iops=optimized.get("BaselineIops"),
        maximum_iops=optimized.get("MaximumIops"),
        maximum_attachments=ebs.get("MaximumEbsAttachments"),
    )
