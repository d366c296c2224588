"""How enforcement stands, as `trnkit guard status` shows it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .enforcement_commands import spend_causes
from .enforcement_plan import APPROVAL, SPEND, idle_key
from .enforcement_state import AWAITING, HELD, WARNED, WATCHING
from .standing import is_fresh, written

if TYPE_CHECKING:
    from datetime import datetime

    from .enforcement_plan import Plan
    from .enforcement_state import Episode, State
    from .observation import Observation

_DONE_NEXT = {
    "": "deny launches",
    "launches-denied": "tell nodes to write a checkpoint",
    "checkpoint-told": "scale in to zero",
}


def status_of(state: State, seen: Observation | None, plan: Plan, now: datetime) -> dict[str, Any]:
    """All of it as plain values."""
    spend = state.episodes.get(SPEND)
    touched = _touched(plan, SPEND, *(idle_key(group.name) for group in plan.groups))
    return {
        "cluster": plan.cluster,
        "at": written(now),
        "mode": plan.mode,
        "idle_mode": plan.idle_mode,
        "stage": spend.stage if spend else WATCHING,
        "plan": {
            "at_usd": plan.at_usd,
            "at_spend_rate_usd_per_hour": plan.at_spend_rate_usd_per_hour,
            "grace_minutes": plan.grace_minutes,
            "checkpoint_minutes": plan.checkpoint_minutes,
            "poll_minutes": plan.poll_minutes,
            "idle_minutes": plan.idle_minutes,
            "would_touch": touched,
            "never_touched": [g.name for g in plan.groups if g.name not in touched],
            "stops_when_idle": _touched(plan, *(idle_key(group.name) for group in plan.groups)),
        },
        "observation": _observation(seen, plan, now),
        "episodes": [_episode(episode, plan) for episode in state.episodes.values()],
        "held": {name: asdict(hold) for name, hold in state.holds.items()},
        "allowed": {key: asdict(one) for key, one in state.allowances.items()},
        "unsent_messages": len(state.outbox),
    }


def _touched(plan: Plan, *keys: str) -> list[str]:
    """The groups that episodes of these keys may touch, in the plan's order."""
    found = {name for key in keys if plan.mode_of(key) for name in plan.groups_of(key)}
    return [group.name for group in plan.groups if group.name in found]


def _observation(seen: Observation | None, plan: Plan, now: datetime) -> dict[str, Any] | None:
    if seen is None:
        return None
    return {
        "at": written(seen.at),
        "is_fresh": is_fresh(seen, now, plan.poll_minutes),
        "month": seen.month,
        "month_to_date_usd": seen.month_to_date_usd,
        "spend_rate_usd_per_hour": seen.spend_rate_usd_per_hour,
        "unpriced_instances": seen.unpriced_instances,
        "faults": list(seen.faults),
        "causes": [cause.text for cause in spend_causes(plan, seen, now)],
    }


def _episode(episode: Episode, plan: Plan) -> dict[str, Any]:
    return {
        "key": episode.key,
        "stage": episode.stage,
        "dry_run": episode.dry_run,
        "cause": episode.cause.text,
        "began": episode.began,
        "approved_by": episode.approved_by,
        "stopped_by": episode.hurried_by,
        "paused": episode.paused,
        "groups": {name: asdict(progress) for name, progress in episode.progress.items()},
        "next": _next(episode, plan),
    }


def _next(episode: Episode, plan: Plan) -> dict[str, str | None]:
    """The next step, and the earliest time of it."""
    if episode.paused:
        return {"step": "nothing, unless the cause is back", "not_before": None}
    if episode.stage == HELD:
        return {"step": "nothing: held until it is released", "not_before": None}
    if episode.stage == AWAITING:
        return {"step": "wait for approval", "not_before": None}
    if episode.stage == WARNED:
        if plan.mode_of(episode.key) == APPROVAL and not episode.approved_by:
            return {"step": "wait for approval", "not_before": episode.due}
        return {"step": _DONE_NEXT[""], "not_before": episode.due}
    left = [one for one in episode.progress.values() if one.step in _DONE_NEXT]
    if not left:
        return {"step": "hold", "not_before": None}
    first = min(left, key=lambda one: list(_DONE_NEXT).index(one.step))
    return {"step": _DONE_NEXT[first.step], "not_before": first.deadline}
