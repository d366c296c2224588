"""What `trnkit catalog refresh` found, as text and as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from trnkit.report.words import columns, count_of, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.catalog_refresh.asking import QuotaAnswer, RegionAnswer
    from trnkit.operations.catalog_refresh.comparing import TypeComparison
    from trnkit.operations.catalog_refresh.refreshing import CatalogRefresh

_PROBLEMS_SHOWN = 3


def refresh_text(done: CatalogRefresh, *, check: bool) -> str:
    """The report for a person.

    Args:
        done: What became of the refresh.
        check: Whether only a comparison was asked for.
    """
    sections = [
        "\n".join(_regions(done)),
        "\n".join(line for one in done.types for line in _type(one)),
        "\n".join(line for answer in done.answers for line in _quotas(answer)),
        "\n".join(_outcome(done, check=check)),
    ]
    return printable("\n\n".join(section for section in sections if section))


def refresh_values(done: CatalogRefresh, *, check: bool) -> dict[str, Any]:
    """The report for a program.

    Args:
        done: What became of the refresh.
        check: Whether only a comparison was asked for.
    """
    return {
        "check": check,
        "read": done.read,
        "stale": done.stale,
        "complete": not done.unanswered,
        "output": done.output,
        "written": done.written,
        "not_written": done.failure,
        "regions": [
            {
                "region": answer.region,
                "complete": answer.complete,
                "types_answered": answer.types_answered,
                "unanswered": [asdict(one) for one in answer.unanswered],
                "quotas": [_quota_values(one) for one in answer.quotas],
            }
            for answer in done.answers
        ],
        "instance_types": [_type_values(one) for one in done.types],
    }


def _type_values(one: TypeComparison) -> dict[str, Any]:
    return {
        "name": one.name,
        "status": one.status,
        "in_file": _goes_into_file(one),
        "facts": [asdict(fact) | {"taken": fact.kept is None} for fact in one.facts],
        "zones": [asdict(zone) | {"taken": zone.kept is None} for zone in one.zones],
        "disputes": [asdict(dispute) for dispute in one.disputes],
        "problems": list(one.problems),
    }


def _goes_into_file(one: TypeComparison) -> bool:
    zones = any(zone.kept is None for zone in one.zones)
    return one.description is not None or (zones and one.status not in ("unusable", "left out"))


def _quota_values(answer: QuotaAnswer) -> dict[str, Any]:
    quota = answer.quota
    return {
        "quota_code": quota.quota_code,
        "name": quota.name,
        "unit": quota.unit,
        "catalogue_default": quota.documented_default,
        "catalogue_date": quota.date,
        "default": answer.default,
        "applied": answer.applied,
        "differs": answer.differs,
    }


def _regions(done: CatalogRefresh) -> Iterator[str]:
    for answer in done.answers:
        if not answer.types_answered:
            yield f"{answer.region}: no answer about instance types; nothing of it is compared"
        else:
            count = count_of(len(answer.descriptions), "instance type")
            known = "quotas read" if answer.complete else "quotas unknown"
            yield f"{answer.region}: {count} with Neuron chips, read {done.read}; {known}"
        for one in answer.unanswered:
            yield f"  {one.message}"


def _type(one: TypeComparison) -> Iterator[str]:
    yield f"{one.name}  {one.status}"
    for problem in one.problems[:_PROBLEMS_SHOWN]:
        yield f"  {problem}"
    for fact in one.facts:
        outcome = f"kept, because {fact.kept}" if fact.kept else "taken"
        yield (
            f"  {fact.field}: catalogue {shown(fact.shipped)} ({fact.shipped_date}), AWS "
            f"{shown(fact.live)} ({fact.read}, {', '.join(fact.regions)}): {outcome}"
        )
    for zone in one.zones:
        before = "unknown" if zone.shipped is None else ", ".join(zone.shipped) or "none"
        since = f" ({zone.shipped_date})" if zone.shipped_date else ""
        outcome = f": kept, because {zone.kept}" if zone.kept else ""
        yield (
            f"  zones of {zone.region}: catalogue {before}{since}, AWS "
            f"{', '.join(zone.live) or 'none'} ({zone.read}){outcome}"
        )
    for dispute in one.disputes:
        if not dispute.still:
            news = f"AWS says {shown(dispute.live)} now, and said otherwise before"
        elif dispute.live == dispute.shipped:
            news = "AWS agrees, another source does not"
        else:
            news = f"AWS says {shown(dispute.live)}, which is not taken"
        yield f"  {dispute.field} stays {shown(dispute.shipped)}: {news}; {dispute.note}"


def _quotas(answer: RegionAnswer) -> Iterator[str]:
    if not answer.quotas:
        return
    yield f"quotas in {answer.region}, in vCPUs"
    rows = [("CODE", "CATALOGUE", "AWS DEFAULT", "YOURS", "QUOTA")]
    for one in answer.quotas:
        known = one.quota.documented_default
        default = "none there" if one.default is None else _number(one.default)
        yours = "the default" if one.applied is None else _number(one.applied)
        mark = "  differs" if one.differs else ""
        catalogue = "unknown" if known is None else f"{known} ({one.quota.date})"
        rows.append((one.quota.quota_code, catalogue, f"{default}{mark}", yours, one.quota.name))
    yield columns(rows, indent="  ")


def _outcome(done: CatalogRefresh, *, check: bool) -> Iterator[str]:
    if done.unanswered:
        missing = ", ".join(dict.fromkeys(one.region for one in done.unanswered))
        yield f"incomplete: {missing} did not answer everything"
    if done.output is not None and not done.writable:
        yield f"{done.output} is not written: it would look complete and is not"
        return
    if done.failure is not None:
        yield f"{done.output} is not written: {done.failure}"
        return
    against = done.output or "the catalogue"
    if done.stale is None:
        yield f"whether {against} is up to date is not known: AWS said nothing about it"
        return
    if check:
        state = "not up to date" if done.stale else "up to date, as far as AWS answered"
        yield f"{against} is {state}"
        return
    if done.output is None:
        yield (
            "news: name a file with --output to use it"
            if done.stale
            else "the catalogue is up to date, as far as AWS answered"
        )
        return
    yield f"wrote {done.output}" if done.written else f"{done.output} says the same already"
    yield f"next: name it in cluster files, `instance_types_file: {done.output}`, and commit it"


def _number(value: float) -> str:
    return f"{value:g}" if abs(value) < 1_000_000 else str(int(value))


def shown(value: object) -> str:
    """A fact on one line; long ones by what they are."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        parts: tuple[Any, ...] = tuple(value)  # pyright: ignore[reportUnknownArgumentType]
        if parts and is_dataclass(parts[0]):
            return _cards(parts)
        return ", ".join(map(str, parts)) or "nothing"
    if is_dataclass(value) and not isinstance(value, type):
        return ", ".join(f"{name} {shown(part)}" for name, part in asdict(value).items())
    return _number(value) if isinstance(value, float) else str(value)


def _cards(cards: tuple[Any, ...]) -> str:
    """Network cards, those that are alike together."""
    kinds: dict[str, list[int]] = {}
    for card in cards:
        facts = asdict(card)
        index = facts.pop("index")
        kinds.setdefault(", ".join(f"{k} {shown(v)}" for k, v in facts.items()), []).append(index)
    return "; ".join(
        f"{count_of(len(indices), 'card')} from {indices[0]} ({kind})"
        for kind, indices in kinds.items()
    )
