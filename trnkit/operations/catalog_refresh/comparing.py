"""Compares what Regions said with the catalogue, type by type and fact by fact."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from trnkit.catalog import find_region, instance_type_names
from trnkit.catalog.added_types import VARY_BY_REGION, filled, is_disputed
from trnkit.catalog.instance_types import catalogue_instance_type, left_out_on_purpose
from trnkit.config.instance_descriptions import Description
from trnkit.config.instance_types_file import described_instance_type
from trnkit.operations.catalog_refresh.disputes import (
    KnownDispute,
    is_known_dispute,
    known_disputes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trnkit.catalog import InstanceType
    from trnkit.operations.catalog_refresh.asking import RegionAnswer

Status = Literal["same", "differs", "new", "gone", "unusable", "left out"]
_NO_FACT = {"name", "disagreements", "source", "date", "described_offerings"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDifference:
    """A fact that AWS states otherwise than the catalogue.

    Attributes:
        field: The attribute of the catalogue's entry.
        shipped: What the catalogue says.
        shipped_date: Since when.
        live: What AWS says.
        read: The day of that.
        regions: Who says so.
        kept: Why the catalogue's value stays; None when AWS's is taken.
    """

    field: str
    shipped: object
    shipped_date: str
    live: object
    read: str
    regions: tuple[str, ...]
    kept: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneDifference:
    """Zones of a Region that offer a type, then and now.

    Attributes:
        region: The Region.
        shipped: Those of the catalogue; None when it does not know the Region or the type.
        shipped_date: Since when.
        live: Those of now.
        read: The day of that.
        kept: Why the catalogue's zones stay; None when AWS's are taken.
    """

    region: str
    shipped: tuple[str, ...] | None
    shipped_date: str | None
    live: tuple[str, ...]
    read: str
    kept: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeComparison:
    """One instance type, in the catalogue and now.

    Attributes:
        name: Its name.
        status: What became of it.
        facts: Facts that differ.
        zones: Zones that differ.
        disputes: Facts that AWS is known to state wrongly, or otherwise than other sources.
        problems: Why a type is not usable, or what is odd about it.
        description: What goes into the file; None when nothing has to.
    """

    name: str
    status: Status
    facts: tuple[FactDifference, ...] = ()
    zones: tuple[ZoneDifference, ...] = ()
    disputes: tuple[KnownDispute, ...] = ()
    problems: tuple[str, ...] = ()
    description: Description | None = None

    @property
    def differs(self) -> bool:
        """Whether the catalogue is not what AWS says now."""
        return self.status not in ("same", "left out")


def compare(answers: Sequence[RegionAnswer], read: str) -> tuple[TypeComparison, ...]:
    """Compare every type that AWS or the catalogue has in the Regions that were asked.

    Args:
        answers: Regions that answered.
        read: The day on which they did.
    """
    described = {name for answer in answers for name in answer.descriptions}
    others = sorted(described.difference(instance_type_names()))
    compared = (_compare(name, answers, read) for name in (*instance_type_names(), *others))
    return tuple(entry for entry in compared if entry is not None)


def _compare(name: str, answers: Sequence[RegionAnswer], read: str) -> TypeComparison | None:
    entries = {a.region: a.descriptions[name] for a in answers if name in a.descriptions}
    if note := left_out_on_purpose(name):
        return TypeComparison(name=name, status="left out", problems=(note,))
    known = catalogue_instance_type(name)
    zones = tuple(_zone_differences(name, known, answers, read))
    if not entries:
        if known is None or not zones:
            return None
        # Offered still, and not described: that is odd, and says nothing of the type's end.
        status: Status = "differs" if any(entry.live for entry in zones) else "gone"
        return TypeComparison(name=name, status=status, zones=zones)
    parsed, problems = _parsed(entries)
    if problems:
        return TypeComparison(name=name, status="unusable", zones=zones, problems=problems)
    together, disagreeing = _together(parsed)
    if known is None:
        return _new(name, zones, together, disagreeing)
    facts = tuple(_fact_differences(known, parsed, disagreeing, read))
    gone = bool(zones) and not any(name in answer.zones for answer in answers)
    taken = any(fact.kept is None for fact in facts)
    return TypeComparison(
        name=name,
        status="gone" if gone else "differs" if facts or zones else "same",
        facts=facts,
        zones=zones,
        disputes=known_disputes(
            known, next(iter(entries.values())), described_instance_type(together)
        ),
        problems=_disagreement(disagreeing),
        description=together if taken else None,
    )


def _new(
    name: str,
    zones: tuple[ZoneDifference, ...],
    together: Description,
    disagreeing: tuple[str, ...],
) -> TypeComparison:
    status: Status = "unusable" if disagreeing else "new"
    return TypeComparison(
        name=name,
        status=status,
        zones=zones,
        problems=_disagreement(disagreeing),
        description=None if disagreeing else together,
    )


def _disagreement(disagreeing: tuple[str, ...]) -> tuple[str, ...]:
    if not disagreeing:
        return ()
    return (f"the regions that were asked do not agree on {', '.join(disagreeing)}",)


def _parsed(
    entries: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, Description], tuple[str, ...]]:
    """Descriptions by Region, and in what the first that cannot be used is odd."""
    parsed: dict[str, Description] = {}
    for region, entry in entries.items():
        try:
            parsed[region] = Description.model_validate({**entry, "trnkit": None})
        except ValidationError as error:
            told = dict.fromkeys(
                f"{'.'.join(map(str, one['loc'])) or 'the entry'}: {one['msg'].lower()}"
                for one in error.errors(include_url=False, include_input=False)
            )
            return {}, tuple(f"{region} describes it without what is needed: {o}" for o in told)
    return parsed, ()


def _together(parsed: Mapping[str, Description]) -> tuple[Description, tuple[str, ...]]:
    """One description for all Regions, and the facts on which they do not agree."""
    kinds = [described_instance_type(description) for description in parsed.values()]
    words = {
        field: sorted({word for kind in kinds for word in getattr(kind, field)})
        for field in VARY_BY_REGION
    }
    disagreeing = tuple(
        field.name
        for field in fields(kinds[0])
        if field.name not in _NO_FACT | VARY_BY_REGION
        and any(getattr(kind, field.name) != getattr(kinds[0], field.name) for kind in kinds)
    )
    first = next(iter(parsed.values()))
    stated = first.model_dump(exclude_none=True)
    stated["SupportedUsageClasses"] = words["usage_classes"]
    stated["SupportedBootModes"] = words["boot_modes"]
    stated["PlacementGroupInfo"] = {"SupportedStrategies": words["placement_strategies"]}
    return Description.model_validate(stated), disagreeing


def _fact_differences(
    known: InstanceType,
    parsed: Mapping[str, Description],
    disagreeing: tuple[str, ...],
    read: str,
) -> Iterator[FactDifference]:
    kinds = {region: described_instance_type(one) for region, one in parsed.items()}
    for field in fields(known):
        name, here = field.name, getattr(known, field.name)
        if name in _NO_FACT:
            continue
        found: dict[Any, list[str]] = {}
        for region, kind in kinds.items():
            there = _comparable(name, filled(getattr(kind, name), here))
            if not _is_the_same(known, name, there):
                found.setdefault(there, []).append(region)
        for there, regions in found.items():
            yield FactDifference(
                field=name,
                shipped=here,
                shipped_date=known.date or "",
                live=there,
                read=read,
                regions=tuple(regions),
                kept=_kept(known, name, there, disagreeing, read),
            )


def _is_the_same(known: InstanceType, field: str, there: Any) -> bool:
    """Whether an answer is no news: the same, less than elsewhere, or known to be wrong."""
    here = getattr(known, field)
    if field in VARY_BY_REGION and set(there) <= set(here):
        return True
    return there == here or is_known_dispute(known, field, there)


def _kept(
    known: InstanceType, field: str, there: Any, disagreeing: tuple[str, ...], read: str
) -> str | None:
    """Why the catalogue's value stays; None when it does not."""
    if is_disputed(known, field):
        return "sources are known to disagree on it"
    if disagreeing:
        return "the regions that were asked do not agree on the type"
    if (known.date or "") > read:
        return "the catalogue is newer"
    return None


def _comparable(field: str, value: Any) -> Any:
    return tuple(sorted(value)) if field in VARY_BY_REGION else value


def _zone_differences(
    name: str, known: InstanceType | None, answers: Sequence[RegionAnswer], read: str
) -> Iterator[ZoneDifference]:
    for answer in answers:
        region, live = find_region(answer.region), answer.zones.get(name, ())
        shipped = region.offerings.get(name, ()) if region and known else None
        if set(live) == set(shipped or ()):
            continue
        kept = None
        if not live and name in answer.in_region:
            kept = "AWS offers it in the region and names no zone"
        elif known and region and max(region.date, known.date or "") > read:
            kept = "the catalogue is newer"
        yield ZoneDifference(
            region=answer.region,
            shipped=shipped,
            shipped_date=region.date if region and known else None,
            live=live,
            read=read,
            kept=kept,
        )
