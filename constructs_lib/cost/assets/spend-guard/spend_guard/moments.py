"""Points in time as this package has them: UTC, whole seconds, and months that begin in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

_FORM = "%Y-%m-%dT%H:%M:%SZ"


def utc_now() -> datetime:
    """Now, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


def iso(moment: datetime) -> str:
    """As text of one length, so that texts sort as the points in time do."""
    return moment.astimezone(UTC).strftime(_FORM)


def from_iso(text: str) -> datetime:
    """The point in time of such a text, or of another one that says its offset.

    Raises:
        ValueError: It is no point in time, or says no offset.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"a time must say its offset from UTC, got {text!r}")
    return moment.astimezone(UTC).replace(microsecond=0)


def month_of(moment: datetime) -> str:
    """The calendar month in UTC, for example `2026-11`."""
    return moment.astimezone(UTC).strftime("%Y-%m")


def month_start(month: str) -> datetime:
    """When a month begins."""
    return datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)


def next_month(month: str) -> str:
    """The month after a month."""
    begin = month_start(month)
    if begin.month == 12:
        return f"{begin.year + 1:04}-01"
    return f"{begin.year:04}-{begin.month + 1:02}"


def months(first: str, last: str) -> list[str]:
    """The months from one to another, both among them; none where the first is the later."""
    found: list[str] = []
    month = first
    while month <= last:
        found.append(month)
        month = next_month(month)
    return found
