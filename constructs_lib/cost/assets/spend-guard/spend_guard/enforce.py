"""The enforcer's function: run by a rule every few minutes, and by people (`trnkit guard`)."""

from __future__ import annotations

import logging
import os
import uuid
from functools import cache
from typing import Any

from .asking import client as make_client
from .enforcement_commands import ACTIONS, STATUS, Command
from .enforcement_plan import Plan
from .enforcement_run import Run, Surroundings
from .enforcement_status import status_of
from .enforcement_store import BusyError, LostLeaseError, Store
from .moments import utc_now
from .settings import SETTINGS_VARIABLE
from .table import TABLE_VARIABLE

_LOG = logging.getLogger("enforce")
_LOG.setLevel(logging.INFO)
TOPIC_VARIABLE = "TRNKIT_TOPIC"
"""Environment variable with the ARN of the topic."""
_TRAIL = "audit"
_MOST_ENTRIES = 50
_MOST_CHARACTERS = 200


class EnforcementError(Exception):
    """A poll went wrong in part: the rest is done, and the function's alarm should ring."""


@cache
def client(service: str) -> Any:
    """A client of a service, made once for all runs of this process."""
    return make_client(service)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Run once.

    Args:
        event: `{"action": ..., "by": ...}` from a person; anything else is a poll.
        context: Lambda's.

    Returns:
        For a person: `done`, `text`, `status`, `errors`; or `trail`.

    Raises:
        EnforcementError: A poll went wrong in part.
    """
    plan = Plan.read(os.environ[SETTINGS_VARIABLE])
    store = Store(client("dynamodb"), os.environ[TABLE_VARIABLE])
    topic = os.environ[TOPIC_VARIABLE]
    around = Surroundings(plan, store, client, topic, lambda: utc_now())
    action = event.get("action")
    if action is None:
        return _poll(around)
    by = str(event.get("by") or "somebody")
    if action == _TRAIL:
        return {"done": True, "trail": store.trail(int(event.get("most") or _MOST_ENTRIES))}
    if action not in ACTIONS:
        return {"done": False, "text": f"action must be one of {', '.join(ACTIONS)}, {_TRAIL}"}
    if action == STATUS:
        return {"done": True, "text": "", "status": _status(around), "errors": []}
    run = Run(around, uuid.uuid4().hex, Command(action, by[:_MOST_CHARACTERS]))
    try:
        answer = run.go()
    except (BusyError, LostLeaseError) as error:
        return {"done": False, "text": str(error), "status": _status(around), "errors": []}
    assert answer is not None
    _LOG.info("%s by %s: %s", action, by, answer.text)
    return {**answer._asdict(), "status": _status(around), "errors": run.errors}


def _poll(around: Surroundings) -> dict[str, Any]:
    run = Run(around, uuid.uuid4().hex)
    try:
        run.go()
    except BusyError as error:
        _LOG.info("%s", error)
        return {"done": False, "text": str(error)}
    if run.errors:
        raise EnforcementError("; ".join(run.errors))
    return {"done": True}


def _status(around: Surroundings) -> dict[str, Any]:
    seen = around.store.observation()
    return status_of(around.store.look().state, seen, around.plan, around.clock())
