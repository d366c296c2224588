"""Where instance types are offered and sold, said once for files, templates and documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import (
    capacity_block_sold,
    find_region,
    offerings_described_on,
    region_names,
    region_of_zone_id,
    regions_offering,
    zone_ids_offering,
)
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.wording import alternatives, from_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.catalog import InstanceType


def offerings_evidence(names: Iterable[str], region: str) -> str | None:
    """Say from where and when it is known where types are offered; None when it is not known."""
    days = {day for name in names if (day := offerings_described_on(name, region))}
    if days:
        return f"instance_types_file, offerings of {region} ({min(days)})"
    place = find_region(region)
    return f"catalogue, offerings of {region} ({place.date})" if place else None


def judge_region(names: Iterable[str], region: str) -> Objection | None:
    """Judge whether a Region has at least one of some types, in a zone or in Capacity Blocks."""
    found, wanted = find_region(region), list(names)
    missing = [
        name
        for name in wanted
        if zone_ids_offering(name, region) == () and capacity_block_sold(name, region) is False
    ]
    if found is None or missing != wanted:
        return None
    regions = alternatives(sorted({r for name in wanted for r in regions_offering(name)}))
    return Objection(
        f"{region} does not offer {alternatives(wanted)}, nor sells it in Capacity Blocks; regions "
        f"that offer it: {regions or 'none known'}",
        "deploy to another region, or take another instance type",
        offerings_evidence(wanted, region),
    )


def judge_zone(names: Iterable[str], zone: str) -> Objection | None:
    """Judge whether a zone, by its id, offers at least one of some types."""
    region, wanted = find_region(region_of_zone_id(zone) or ""), list(names)
    offered = [zone_ids_offering(name, region.name) for name in wanted] if region else []
    if region is None or any(zones is None or zone in zones for zones in offered):
        return None
    zones = sorted({z for zones in offered for z in zones or ()})
    where = f"zones that do: {alternatives(zones)}" if zones else f"no zone of {region.name} does"
    return Objection(
        f"is in {zone}, which does not offer {alternatives(wanted)}; {where}",
        "move the subnet to a zone that offers the type",
        offerings_evidence(wanted, region.name),
    )


def judge_spot(known: InstanceType) -> tuple[Severity, Objection] | None:
    """Judge whether a type is offered as Spot; it is a warning where sources disagree."""
    if not known.usage_classes or "spot" in known.usage_classes:
        return None
    doubt = next((d for d in known.disagreements if d.field == "usage_classes"), None)
    text = (
        f"is spot, which {known.name} does not have; it is sold as "
        f"{alternatives(known.usage_classes, 'and')}" + (f" ({doubt.note})" if doubt else "")
    )
    hint = f"write `type: {known.usage_classes[0]}`, or take another instance type"
    severity = Severity.WARNING if doubt else Severity.ERROR
    return severity, Objection(text, hint, from_catalogue(known, "usage classes"))


def judge_block_sold(known: InstanceType, region: str) -> tuple[Severity, Objection] | None:
    """Judge whether a Region sells Capacity Blocks of a type; a warning where sources disagree."""
    place = find_region(region)
    if place is None or capacity_block_sold(known.name, region):
        return None
    regions = [name for name in region_names() if capacity_block_sold(known.name, name)]
    doubt = next((d for d in place.disagreements if d.field == "capacity_block_types"), None)
    certain = "capacity-block" not in known.usage_classes or doubt is None
    text = f"no Capacity Blocks of {known.name} are known to be sold in {region}; " + (
        f"regions that sell them: {alternatives(regions)}" if regions else "no region does"
    )
    evidence = f"catalogue, Capacity Blocks of {region} ({place.date})" + (
        f"; sources disagree: {doubt.note}" if doubt and not certain else ""
    )
    hint = "choose one of these regions" if regions else ""
    return Severity.ERROR if certain else Severity.WARNING, Objection(text, hint, evidence)
