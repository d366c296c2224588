"""docs/catalog.md: the facts about AWS that everything rests on, with sources and dates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.doc_pages.catalog_prices import price_blocks, price_disagreements
from scripts.doc_pages.markdown import bullets, page, shown, table, wrap
from trnkit.catalog import (
    chip,
    find_source,
    instance_type,
    instance_type_names,
    lustre_tiers,
    neuron_images,
    region,
    region_names,
    resource_quotas,
    service_quotas,
    sources,
    wrong_quota_codes,
)
from trnkit.catalog.images import image_kinds
from trnkit.catalog.neuron_sdk import neuron_releases

if TYPE_CHECKING:
    from trnkit.catalog import Disagreement, InstanceType, LustreTier, Source

_INTRO = """\
What trnkit takes for granted about AWS. The data are JSON files in
[`trnkit/catalog/data`](../trnkit/catalog/data); each entry names its sources and the day it was
last compared with them. Nothing here was read from a live account. `trnkit catalog show TYPE`
prints one type with all of this. "Unknown" means unknown, never no."""


def render() -> str:
    """The page."""
    types = [instance_type(name) for name in instance_type_names()]
    return page(
        "# Catalogue",
        _INTRO,
        *_types(types),
        *_regions(),
        *_services(),
        *price_blocks(),
        "## Where sources disagree",
        bullets(_disagreements(types)),
        "## Sources",
        table(["Key", "What", "Current as of"], [(s.key, _linked(s), s.date) for s in sources()]),
    )


def _types(types: list[InstanceType]) -> list[str]:
    return [
        "## Instance types",
        table(
            [
                "Type",
                "Chips",
                "NeuronCores",
                "LNC sizes",
                "Device GiB",
                "vCPUs",
                "Host GiB",
                "As of",
            ],
            [_size_row(kind) for kind in types],
        ),
        wrap(
            "NeuronCores are physical ones. LNC sizes are physical cores per logical core, the "
            "default marked; frameworks and schedulers count logical cores."
        ),
        table(
            ["Type", "Network", "Cards", "EFA", "RDMA read, write", "Local disks", "Bought as"],
            [_network_row(kind) for kind in types],
        ),
        *_peaks(types),
        "Sources of each entry:",
        table(["Type", "Sources"], [(kind.name, ", ".join(kind.source)) for kind in types]),
    ]


def _peaks(types: list[InstanceType]) -> list[str]:
    names = dict.fromkeys(kind.chip_name for kind in types if kind.chip_name)
    found = [(name, chip(name)) for name in names]
    return [
        "Peaks of one chip, dense:",
        table(
            ["Chip", "BF16 TFLOP/s", "FP8 TFLOP/s", "As of"],
            [
                (name, shown(kind.dense_bf16_tflops), shown(kind.dense_fp8_tflops), kind.date)
                for name, kind in found
                if kind is not None
            ],
        ),
    ]


def _regions() -> list[str]:
    return [
        "## Regions and zones",
        wrap(
            "Zones are zone ids, which name the same place in every account. A zone counts when "
            "the offerings API lists the type there for On-Demand or Spot; Capacity Blocks are "
            "sold separately and are in the last column of the second table."
        ),
        table(["Region", "Types", "Zone ids"], _zone_rows()),
        table(
            ["Region", "PERSISTENT_2", "Neuron images", "Budget type", "Capacity Blocks of"],
            [_region_row(name) for name in region_names()],
        ),
        wrap(
            "PERSISTENT_2: whether FSx for Lustre has it. Neuron images: whether the public "
            "`/aws/service/neuron` parameters exist. Budget type: whether CloudFormation has "
            "`AWS::Budgets::Budget`; elsewhere the budget's stack goes to us-east-1."
        ),
    ]


def _services() -> list[str]:
    return [
        "## FSx for Lustre",
        table(
            ["Deployment", "Storage", "Throughputs (MB/s per TiB)", "Capacity (GiB)", "Versions"],
            [_tier_row(tier) for tier in lustre_tiers()],
        ),
        "The cluster file offers `SCRATCH_2` and `PERSISTENT_2` on SSD.",
        "## Neuron images",
        table(
            ["SSM parameter", "Status", "Note"],
            [(f"`{i.parameter_name}`", i.status, i.note or "") for i in neuron_images()],
        ),
        "## Kinds of images",
        table(
            ["Kind", "Used by", "Root device", "Snapshot (GiB)", "Parameter"],
            [
                (
                    kind.name,
                    ", ".join(kind.used_by) or "no Neuron node",
                    kind.root_device_name or "",
                    kind.root_volume_gib or "",
                    f"`{kind.parameter_pattern}`" if kind.parameter_pattern else kind.title,
                )
                for kind in image_kinds()
            ],
        ),
        "## Neuron SDK",
        table(
            ["Release", "Day", "Driver", "Runtime library"],
            [(r.version, r.released, r.driver or "", r.runtime or "") for r in neuron_releases()],
        ),
        "## Quotas",
        table(
            ["Code", "Service", "Name", "Unit"],
            [(q.quota_code, q.service_code, q.name, q.unit) for q in service_quotas()],
        ),
        wrap(
            "Defaults are not listed: real accounts differ, so ask yours. Codes that are passed "
            f"around as Trn quotas and are not: {', '.join(wrong_quota_codes())}."
        ),
        wrap(
            "Quotas of other things that a cluster makes, with AWS's documented default; "
            "[`trnkit preflight`](preflight.md) asks the account's own values."
        ),
        table(
            ["Code", "Service", "Name", "Unit", "Default"],
            [
                (q.quota_code, q.service_code, q.name, q.unit, f"{q.documented_default:,}")
                for q in resource_quotas()
            ],
        ),
    ]


def _size_row(kind: InstanceType) -> list[object]:
    sizes = [
        f"{size} (default)" if size == kind.default_logical_neuroncore_size else f"{size}"
        for size in kind.logical_neuroncore_sizes
    ]
    chips = f"{shown(kind.chips)} {kind.chip_name or ''}".strip()
    host = None if kind.memory_mib is None else kind.memory_mib // 1024
    return [
        f"`{kind.name}`",
        chips,
        shown(kind.neuron_cores),
        ", ".join(sizes) or "unknown",
        shown(kind.device_memory_gib),
        shown(kind.vcpus),
        shown(host),
        shown(kind.date),
    ]


def _network_row(kind: InstanceType) -> list[object]:
    disks = f"{kind.nvme_disks} x {kind.nvme_disk_gb} GB" if kind.nvme_disks else "none"
    return [
        f"`{kind.name}`",
        shown(kind.network_performance),
        len(kind.network_cards) or "unknown",
        shown(kind.maximum_efa_interfaces),
        f"{shown(kind.rdma_read)}, {shown(kind.rdma_write)}",
        "unknown" if kind.nvme_disks is None else disks,
        ", ".join(kind.usage_classes) or "unknown",
    ]


def _zone_rows() -> list[list[str]]:
    """One row for the types that a region offers in the same zones."""
    rows: list[list[str]] = []
    for name in region_names():
        together: dict[tuple[str, ...], list[str]] = {}
        for kind, zones in region(name).offerings.items():
            together.setdefault(zones, []).append(f"`{kind}`")
        rows += [[name, ", ".join(kinds), ", ".join(zones)] for zones, kinds in together.items()]
    return rows


def _region_row(name: str) -> list[str]:
    entry = region(name)
    return [
        name,
        shown(entry.persistent_2),
        shown(entry.neuron_image_parameters),
        shown(entry.budgets_resource_type),
        ", ".join((*entry.capacity_block_types, *entry.capacity_block_ultraserver_types)),
    ]


def _tier_row(tier: LustreTier) -> list[str]:
    capacities: list[str] = []
    for rule in tier.capacity_rules:
        fixed = "".join(f"{size}, " for size in rule.fixed_gib)
        only = f" at {', '.join(map(str, rule.throughputs))}" if rule.throughputs else ""
        capacities.append(f"{fixed}multiples of {rule.multiple_of_gib}{only}")
    return [
        tier.deployment_type,
        tier.storage_type,
        ", ".join(map(str, tier.allowed_throughputs or ())) or "none to choose",
        "; ".join(capacities) or "elastic",
        ", ".join(tier.supported_versions),
    ]


def _disagreements(types: list[InstanceType]) -> list[str]:
    found: list[tuple[str, Disagreement]] = []
    found += [(kind.name, entry) for kind in types for entry in kind.disagreements]
    found += [(name, entry) for name in region_names() for entry in region(name).disagreements]
    found += [
        (f"{tier.deployment_type} {tier.storage_type}", entry)
        for tier in lustre_tiers()
        for entry in tier.disagreements
    ]
    found += price_disagreements()
    together: dict[tuple[str, str, str], list[str]] = {}
    for name, entry in found:
        together.setdefault((name, entry.note, entry.other_source), []).append(f"`{entry.field}`")
    return [
        f"{name}, {', '.join(fields)}: {note} (against: {_title(other)})."
        for (name, note, other), fields in together.items()
    ]


def _linked(entry: Source) -> str:
    return f"[{entry.title}]({entry.url})" if entry.url else entry.title


def _title(key: str) -> str:
    known = find_source(key)
    return known.title if known else key
