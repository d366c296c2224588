"""What EventBridge Scheduler refuses, and moto's accepts.

Sources: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html,
https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
"""

from __future__ import annotations

import functools
import re
import zoneinfo
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from trnkit.emulation.services.extending import first_time
from trnkit.emulation.services.json_refusal import refuse
from trnkit.emulation.services.roles import roles

_INVALID = "ValidationException"
_ASSUMED_BY = "scheduler.amazonaws.com"
_AT = re.compile(r"at\((?P<moment>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)")
_RATE = re.compile(r"rate\([1-9]\d* (minute|hour|day)s?\)")
_CRON = re.compile(r"cron\((\S+ ){5}\S+\)")


def install() -> None:
    """Extend moto's Scheduler, once, before its first request."""
    from moto.scheduler.models import EventBridgeSchedulerBackend as Backend

    if first_time(Backend):
        for name in ("create_schedule", "update_schedule"):
            setattr(Backend, name, _checked(getattr(Backend, name)))


def _checked(method: Any) -> Any:
    @functools.wraps(method)
    def checked(self: Any, **given: Any) -> Any:
        _refuse_expression(given["schedule_expression"], given["schedule_expression_timezone"])
        _refuse_role(self.account_id, given["target"])
        return method(self, **given)

    return checked


def _refuse_expression(expression: str, time_zone: str | None) -> None:
    if not _can_be_read(expression):
        refuse(_INVALID, f"Invalid Schedule Expression {expression}.")
    if time_zone and time_zone not in zoneinfo.available_timezones():
        refuse(_INVALID, f"Provided timezone {time_zone} is not valid.")


def _can_be_read(expression: str) -> bool:
    moment = _AT.fullmatch(expression)
    if moment is None:
        return bool(_RATE.fullmatch(expression) or _CRON.fullmatch(expression))
    try:
        datetime.fromisoformat(moment["moment"])
    except ValueError:
        return False
    return True


def _refuse_role(account: str, target: Mapping[str, Any]) -> None:
    known = roles()
    if known is not None and not known.let_assume(account, str(target["RoleArn"]), _ASSUMED_BY):
        refuse(
            _INVALID,
            "The execution role you provide must allow AWS EventBridge Scheduler to assume the "
            "role.",
        )
