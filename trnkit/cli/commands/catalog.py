"""`trnkit catalog`."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trnkit.cli.output import DataFormat, complain, emit, show_json, tell_who_waits
from trnkit.errors import UsageError
from trnkit.report.words import columns, count_of

if TYPE_CHECKING:
    from trnkit.catalog import Disagreement, InstanceType
    from trnkit.operations.catalog_facts import InstanceFacts

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    help="Show what is known about instance types, each fact with its source and date, and ask AWS "
    "for what is newer.",
)

_HEADINGS = ("TYPE", "CHIPS", "CORES", "DEVICE GIB", "EFA", "VCPUS", "REGIONS")

_Format = Annotated[DataFormat, typer.Option("--format", help="How to write it.")]


@app.command("list", epilog="Example: trnkit catalog list")
def list_types(data_format: _Format = "text") -> None:
    """List the known instance types and the regions that offer them."""
    from trnkit.operations.catalog_facts import all_facts

    facts = all_facts()
    if data_format == "json":
        show_json(extra={"instance_types": [_as_dict(entry) for entry in facts]})
        return
    emit(columns([_HEADINGS, *map(_row, facts)]))


@app.command(epilog="Example: trnkit catalog show trn2.48xlarge")
def show(
    name: Annotated[str, typer.Argument(metavar="TYPE", help="An EC2 instance type.")],
    file: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A DescribeInstanceTypes answer to look into as well."),
    ] = None,
    data_format: _Format = "text",
) -> None:
    """Show all facts about one instance type, where it is, and its EFA interfaces as planned."""
    from trnkit.catalog import UnknownInstanceTypeError
    from trnkit.operations.catalog_facts import facts_about, know_types_of

    try:
        if file is not None:
            know_types_of(file)
        facts = facts_about(name)
    except UnknownInstanceTypeError as error:
        close = f"; did you mean {' or '.join(error.nearest)}?" if error.nearest else ""
        hint = close or "; trnkit catalog list shows the known ones"
        raise UsageError(f"there is no instance type {name!r} in the catalogue{hint}") from None
    if data_format == "json":
        show_json(extra={"instance_type": _as_dict(facts)})
    else:
        emit(_description(facts))


@app.command("images", epilog="Example: trnkit catalog images")
def list_images(data_format: _Format = "text") -> None:
    """List the kinds of images for Neuron nodes, their parameters, and releases of the SDK."""
    from trnkit.operations.image_catalog import image_facts

    facts = image_facts()
    if data_format == "json":
        show_json(extra=asdict(facts))
        return
    kinds = [
        (
            kind.name,
            ", ".join(kind.used_by) or "no Neuron node",
            kind.os or "-",
            kind.root_device_name or "-",
            _shown(kind.root_volume_gib) if kind.root_volume_gib else "-",
            kind.parameter_pattern or kind.title,
        )
        for kind in facts.kinds
    ]
    parameters = [
        (image.status, image.neuron_sdk or "-", image.parameter_name) for image in facts.parameters
    ]
    releases = [
        (release.version, release.released, release.driver or "-", release.runtime or "-")
        for release in reversed(facts.releases)
    ]
    emit(
        "\n\n".join(
            columns(rows)
            for rows in (
                [("KIND", "USED BY", "SYSTEM", "ROOT", "GIB", "PARAMETER"), *kinds],
                [("STATUS", "SDK FROM", "PARAMETER OF A NEURON DLAMI"), *parameters],
                [("NEURON SDK", "RELEASED", "DRIVER", "RUNTIME"), *releases],
            )
        )
    )


@app.command(epilog="Example: trnkit catalog refresh --region us-east-2 --output types.json")
def refresh(
    region: Annotated[
        list[str], typer.Option("--region", metavar="REGION", help="Region to ask. Repeatable.")
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", metavar="FILE", help="Write what is newer there, for instance_types_file."
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Write nothing; exit code 1 when the catalogue, or FILE, is out of date.",
        ),
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(min=1, max=3600, metavar="SECONDS", help="For all Regions together."),
    ] = 60.0,
    data_format: _Format = "text",
) -> None:
    """Ask AWS for instance types, zones and quotas, and compare; needs credentials, only reads.

    They must allow ec2:DescribeInstanceTypes, ec2:DescribeInstanceTypeOfferings,
    servicequotas:ListServiceQuotas and servicequotas:GetAWSDefaultServiceQuota. Exit code 0: done;
    1: with --check something differs; 2: FILE cannot be written; 3: AWS refused, in part or wholly.
    """
    from trnkit.cli.catalog_refreshing import refresh_text, refresh_values
    from trnkit.operations.catalog_refresh.refreshing import refresh_catalog

    today = datetime.now(UTC).date()
    done = refresh_catalog(
        region,
        today=today,
        output=output,
        check=check,
        most_seconds=timeout,
        progress=tell_who_waits(data_format),
    )
    if data_format == "json":
        show_json(extra=refresh_values(done, check=check))
    else:
        emit(refresh_text(done, check=check))
    if done.failure is not None:
        complain(f"error: {output} cannot be written: {done.failure}")
        raise typer.Exit(2)
    raise typer.Exit(3 if done.unanswered else int(check and bool(done.stale)))


def _row(facts: InstanceFacts) -> tuple[str, ...]:
    kind = facts.instance_type
    return (
        kind.name,
        f"{kind.chips} {kind.chip_name}" if kind.chips else "unknown",
        _shown(kind.neuron_cores),
        _shown(kind.device_memory_gib),
        _shown(kind.maximum_efa_interfaces),
        _shown(kind.vcpus),
        _few(list(facts.zones)),
    )


def _as_dict(facts: InstanceFacts) -> dict[str, Any]:
    return {
        **asdict(facts.instance_type),
        "neuron_cores": facts.instance_type.neuron_cores,
        "device_memory_gib": facts.instance_type.device_memory_gib,
        "zones": {region: list(zones) for region, zones in facts.zones.items()},
        "capacity_block_regions": list(facts.capacity_block_regions),
        "interfaces": [asdict(interface) for interface in facts.interfaces],
        "quotas": [asdict(quota) for quota in facts.quotas],
        "sources": [asdict(source) for source in facts.sources],
    }


def _description(facts: InstanceFacts) -> str:
    kind = facts.instance_type
    sections = [
        f"{kind.name}  (as of {kind.date or 'an unknown date'})",
        columns(_facts(facts), indent="  "),
        _section("regions and zones", [(r, ", ".join(z)) for r, z in facts.zones.items()]),
        _section(
            f"{count_of(len(facts.interfaces), 'interface')} of a node, layout ena-primary",
            _interface_rows(facts),
        ),
        _section(
            "quotas",
            [(q.quota_code, f"{q.name}, in {q.unit}; ask the account") for q in facts.quotas],
        ),
        _section(
            "sources disagree",
            [(entry.field, _disagreement(entry)) for entry in kind.disagreements],
        ),
        _section("sources", [(s.key, s.date, s.title) for s in facts.sources]),
    ]
    return "\n\n".join(section for section in sections if section)


def _section(title: str, rows: list[Any]) -> str:
    return f"{title}\n{columns(rows, indent='  ')}" if rows else ""


def _disagreement(entry: Disagreement) -> str:
    here, other = _shown(entry.value_here), _shown(entry.other_value)
    return f"here {here}, {entry.other_source} {other}: {entry.note}"


def _interface_rows(facts: InstanceFacts) -> list[tuple[str, str, str]]:
    """One row for neighbouring cards that carry the same."""
    rows: list[tuple[str, str, str]] = []
    same = groupby(facts.interfaces, key=lambda i: (i.device_index, i.interface_type))
    for (device, kind), group in same:
        cards = [interface.network_card_index for interface in group]
        name = f"card {cards[0]}" if len(cards) == 1 else f"cards {cards[0]} to {cards[-1]}"
        rows.append((name, f"device {device}", kind))
    return rows


def _few(names: list[str]) -> str:
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more or "none known"


def _facts(facts: InstanceFacts) -> list[tuple[str, str]]:
    kind = facts.instance_type
    sizes = " or ".join(map(str, kind.logical_neuroncore_sizes)) or "unknown"
    default = kind.default_logical_neuroncore_size
    memory = None if kind.memory_mib is None else f"{kind.memory_mib // 1024} GiB"
    ultraserver = kind.ultraserver
    return [
        ("chips", f"{_shown(kind.chips)} {kind.chip_name or ''}".strip()),
        ("NeuronCores", f"{_shown(kind.neuron_cores)} physical"),
        ("logical NeuronCore", f"{sizes} physical each, default {_shown(default)}"),
        ("device memory", f"{_shown(kind.device_memory_gib)} GiB"),
        ("vCPUs", _shown(kind.vcpus)),
        ("memory", _shown(memory)),
        ("network", _shown(kind.network_performance)),
        ("network cards", str(len(kind.network_cards) or "unknown")),
        ("EFA interfaces", _shown(kind.maximum_efa_interfaces)),
        ("RDMA read, write", f"{_shown(kind.rdma_read)}, {_shown(kind.rdma_write)}"),
        ("instance store", _instance_store(kind)),
        ("bought as", ", ".join(kind.usage_classes) or "unknown"),
        ("Capacity Blocks in", ", ".join(facts.capacity_block_regions) or "none known"),
        ("placement", ", ".join(kind.placement_strategies) or "unknown"),
        (
            "UltraServer",
            f"{ultraserver.type_name}, {ultraserver.instances} instances" if ultraserver else "no",
        ),
        ("architecture", _shown(kind.architecture)),
    ]


def _instance_store(kind: InstanceType) -> str:
    if not kind.nvme_disks:
        return "unknown" if kind.nvme_disks is None else "none"
    return f"{kind.nvme_disks} x {kind.nvme_disk_gb} GB"


def _shown(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
