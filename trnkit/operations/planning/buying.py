"""The commands with which an option is had. They are printed, and never run.

Sources:
    https://docs.aws.amazon.com/cli/latest/reference/ec2/purchase-capacity-block.html
    https://docs.aws.amazon.com/cli/latest/reference/ec2/create-capacity-reservation.html
    https://docs.aws.amazon.com/cli/latest/reference/service-quotas/request-service-quota-increase.html
"""

from __future__ import annotations

import shlex
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from trnkit.layout.capacity import format_utc

if TYPE_CHECKING:
    from trnkit.operations.planning.options import Option, Part, QuotaUse

PLATFORM = "Linux/UNIX"


def reservation_end(asked_at: datetime, hours: int, earliest: datetime | None = None) -> datetime:
    """When a reservation ends, as a whole minute.

    Args:
        asked_at: Now.
        hours: For how long it is wanted.
        earliest: From when on; now when left out, or when it is over.
    """
    start = max(asked_at, earliest) if earliest else asked_at
    end = start.astimezone(UTC) + timedelta(hours=hours)
    whole = end.replace(second=0, microsecond=0)
    return whole if whole == end else whole + timedelta(minutes=1)


def commands_of(option: Option, asked_at: datetime) -> tuple[str, ...]:
    """What to run now to have an option, in order.

    Args:
        option: The option.
        asked_at: When AWS was asked.

    Returns:
        Nothing for what cannot be had at all, for what needs no purchase, and for a reservation
        without an end. Of what waits for AWS, only the request: a purchase would name an offer, or
        an end, of today.
    """
    if option.obstacles and not option.remediable:
        return ()
    if not option.parts:
        return (_enable(option.region),) if option.remediable else ()
    if option.remediable:
        return tuple(_raise(option.region, use) for use in option.quotas if use.room == "no")
    commands: list[str] = []
    for part in option.parts:
        if part.block is not None:
            commands.append(_purchase(option.region, part.block.offering_id))
        elif _is_reserved_by(part, option):
            commands.append(_reserve(option, part, asked_at))
    return tuple(commands)


def _is_reserved_by(part: Part, option: Option) -> bool:
    if part.purchase != "on-demand-reservation" or part.has_reservation:
        return False
    return bool(option.hours and option.zone_id)


def _raise(region: str, use: QuotaUse) -> str:
    return _command(
        "service-quotas request-service-quota-increase",
        **{
            "region": region,
            "service-code": "ec2",
            "quota-code": use.quota_code,
            "desired-value": str(use.used + (use.needed or 0)),
        },
    )


def _enable(region: str) -> str:
    return _command("account enable-region", **{"region-name": region})


def _purchase(region: str, offering_id: str) -> str:
    return _command(
        "ec2 purchase-capacity-block",
        **{
            "capacity-block-offering-id": offering_id,
            "instance-platform": PLATFORM,
            "region": region,
        },
    )


def _reserve(option: Option, part: Part, asked_at: datetime) -> str:
    return _command(
        "ec2 create-capacity-reservation",
        **{
            "region": option.region,
            "availability-zone-id": option.zone_id or "",
            "instance-type": part.need.instance_type,
            "instance-count": str(part.need.count),
            "instance-platform": PLATFORM,
            "instance-match-criteria": "targeted",
            "end-date-type": "limited",
            "end-date": format_utc(reservation_end(asked_at, option.hours or 0, option.earliest)),
        },
    )


def _command(call: str, **options: str) -> str:
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return f"aws {call} {shlex.join(words)}"
