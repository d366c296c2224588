"""The watchdog: looks at a cluster every few minutes, counts what it costs, and says so.

`handler` is called by a schedule, and by EC2 when any instance of the Region stops running. It
asks EC2 nothing for the latter: the ledger knows whether the instance is one of the cluster's.
A poll publishes whatever it knows; it then fails if anything is missing, so that it is tried again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from . import idleness, publishing
from .accounting import Book, by_group, fixed, rate_of, spent
from .asking import ASKING_ERRORS, client, fault
from .idleness import GroupUse, Window
from .ledger import Ledger
from .moments import from_iso, month_of, utc_now
from .observation import GroupObservation, Observation
from .publishing import Metric
from .settings import Settings
from .sighting import look
from .table import GuardTable

if TYPE_CHECKING:
    from datetime import datetime

    from .accounting import Interval
    from .sighting import Sighting

ENDS = frozenset({"stopping", "stopped", "shutting-down", "terminated"})
"""States of an instance in which it is not billed any more."""

RATE = "spend_rate_usd_per_hour"
MONTH = "month_to_date_usd"
INSTANCES = "running_instances"
UNPRICED = "unpriced_instances"
UNUSED = "unused_reserved_instances"
IDLE = "idle_instances_share"
BEAT = "watchdog_beats"


class PollIncompleteError(Exception):
    """A poll could not ask or write everything; what it knows is published."""


@dataclass(frozen=True)
class Clients:
    """The services that the watchdog talks to."""

    ec2: Any
    cloudwatch: Any
    table: GuardTable

    @classmethod
    def of_environment(cls) -> Clients:
        """Clients of the function's Region and table."""
        return cls(
            ec2=client("ec2"),
            cloudwatch=client("cloudwatch"),
            table=GuardTable.of_environment(client("dynamodb")),
        )


@dataclass(frozen=True)
class _Known:
    """What the table knows before a poll."""

    first_seen: datetime
    intervals: list[Interval]
    before: Observation | None
    faults: tuple[str, ...] = ()


_clients: list[Clients] = []


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Take an event: an instance's change of state, or the schedule's tick."""
    if not _clients:
        _clients.append(Clients.of_environment())
    clients = _clients[0]
    if event.get("source") == "aws.ec2":
        return note_end(event, clients.table, utc_now())
    account = context.invoked_function_arn.split(":")[4]
    observation = poll(Settings.of_environment(), clients, account, utc_now())
    return json.loads(observation.to_json())


def note_end(event: dict[str, Any], table: GuardTable, now: datetime) -> dict[str, Any]:
    """Write the end of an instance, when it is one that the ledger knows."""
    detail = event["detail"]
    if detail["state"] not in ENDS:
        return {"ended": False}
    ended = min(from_iso(event["time"]), now)
    known = Ledger(table).end(detail["instance-id"], ended, now)
    if known:
        print(json.dumps({"ended": detail["instance-id"], "at": event["time"]}))
    return {"ended": known}


def poll(settings: Settings, clients: Clients, account: str, at: datetime) -> Observation:
    """Look, count, publish.

    Args:
        settings: What is counted.
        clients: Whom to ask.
        account: The account.
        at: Now.

    Raises:
        PollIncompleteError: Something could not be asked or written.
    """
    named = {group.capacity_reservation_id for group in settings.groups}
    sighting = look(clients.ec2, at, settings.cluster, {n for n in named if n}, account)
    month, ledger = month_of(at), Ledger(clients.table)
    try:
        known = _read(ledger, month, at)
    except ASKING_ERRORS as error:
        _publish_without_ledger(settings, clients, sighting, month)
        wrong = (*sighting.faults, fault("dynamodb:read", error))
        raise PollIncompleteError("; ".join(wrong)) from error
    book = Book(known.intervals, settings.rates, month)
    book.see(sighting, known.before.at if known.before else at)
    faults = [*sighting.faults, *known.faults]
    faults += ledger.write(book.changes, month, known.first_seen)
    complete = not faults
    uses, unasked = _uses(settings, clients, book, at, known.before)
    faults += unasked
    dollars = spent(book.intervals, month, at)
    dollars += fixed(settings.fixed_usd_per_hour, month, known.first_seen, at)
    observation = Observation(
        at=at,
        month=month,
        month_to_date_usd=round(float(dollars), 4),
        spend_rate_usd_per_hour=_rate(settings, book),
        unpriced_instances=_unpriced(book),
        groups=_groups(settings, book, sighting, known.before, uses),
        faults=tuple(faults),
    )
    try:
        clients.table.put_observation(observation)
    except ASKING_ERRORS as error:
        complete = False
        faults.append(fault("dynamodb:write of the observation", error))
    metrics = [
        *_of_cluster(settings, book, complete=complete),
        Metric(MONTH, observation.month_to_date_usd),
        *_of_groups(observation, sighting, uses),
    ]
    faults += _publish(settings, clients, at, metrics)
    print(replace(observation, faults=tuple(faults)).to_json())
    if faults:
        raise PollIncompleteError("; ".join(faults))
    return observation


def _publish(
    settings: Settings, clients: Clients, at: datetime, metrics: list[Metric]
) -> list[str]:
    return publishing.publish(clients.cloudwatch, settings.namespace, settings.cluster, at, metrics)


def _publish_without_ledger(
    settings: Settings, clients: Clients, sighting: Sighting, month: str
) -> list[str]:
    """What an hour costs can be said without the table, where the whole list came."""
    book = Book([], settings.rates, month)
    book.see(sighting, sighting.at)
    metrics = [Metric(BEAT, 0)]
    if sighting.instances_complete and sighting.reservations_complete:
        metrics = _of_cluster(settings, book, complete=False)
    return _publish(settings, clients, sighting.at, metrics)


def _read(ledger: Ledger, month: str, at: datetime) -> _Known:
    first_seen = ledger.first_seen(at)
    ledger.carry(month)
    faults: tuple[str, ...] = ()
    try:
        before = ledger.table.latest_observation()
    except ValueError as error:
        before, faults = None, (str(error),)
    return _Known(first_seen, ledger.read_at(at), before, faults)


def _rate(settings: Settings, book: Book) -> float:
    return round(float(rate_of(book.running) + settings.fixed_usd_per_hour), 4)


def _unpriced(book: Book) -> int:
    return sum(interval.rate is None for interval in book.running)


def _of_cluster(settings: Settings, book: Book, *, complete: bool) -> list[Metric]:
    return [
        Metric(RATE, _rate(settings, book)),
        Metric(INSTANCES, sum(interval.is_instance for interval in book.running)),
        Metric(UNPRICED, _unpriced(book)),
        Metric(BEAT, int(complete)),
    ]


def _of_groups(
    observation: Observation, sighting: Sighting, uses: dict[str, GroupUse]
) -> list[Metric]:
    """What is not known is not published: an alarm then stays as it is."""
    metrics: list[Metric] = []
    if sighting.reservations_complete:
        metrics.append(Metric(UNUSED, sum(one.unused for one in sighting.reservations)))
    for name, group in observation.groups.items():
        metrics.append(Metric(INSTANCES, group.running, name))
        if sighting.reservations_complete:
            metrics.append(Metric(UNUSED, group.unused_reserved, name))
        if name in uses and uses[name].known:
            metrics.append(Metric(IDLE, uses[name].idle / group.running, name))
    return metrics


def _uses(
    settings: Settings, clients: Clients, book: Book, at: datetime, before: Observation | None
) -> tuple[dict[str, GroupUse], list[str]]:
    """What is known of each group that has nodes, and what went wrong."""
    groups = {name: found for name, found in by_group(book.running).items() if name}
    if settings.node_metrics_namespace is None or not groups:
        return {}, []
    window = Window.until(at, settings.poll_minutes)
    nodes = [(name, interval.what) for name, found in groups.items() for interval in found]
    uses, faults = idleness.ask(
        clients.cloudwatch, settings.node_metrics_namespace, settings.cluster, nodes, window
    )
    return {
        name: idleness.judge(
            [interval.what for interval in found],
            uses,
            settings.idle_below_percent,
            window,
            before.groups.get(name) if before else None,
            before.at if before else None,
        )
        for name, found in groups.items()
    }, faults


def _groups(
    settings: Settings,
    book: Book,
    sighting: Sighting,
    before: Observation | None,
    uses: dict[str, GroupUse],
) -> dict[str, GroupObservation]:
    running = {name: len(found) for name, found in by_group(book.running).items() if name}
    nothing = GroupUse(0, known=False, since=None)
    found: dict[str, GroupObservation] = {}
    reserved = {group.name: group.capacity_reservation_id for group in settings.groups}
    for name in sorted({*running, *reserved}):
        former = before.groups.get(name) if before else None
        unused = sum(
            one.unused
            for one in sighting.reservations
            if one.reservation_id == reserved.get(name) or one.node_group == name
        )
        if not sighting.reservations_complete and former is not None:
            unused = max(unused, former.unused_reserved)
        use = uses.get(name, nothing)
        found[name] = GroupObservation(running.get(name, 0), use.since, use.known, unused)
    return found
