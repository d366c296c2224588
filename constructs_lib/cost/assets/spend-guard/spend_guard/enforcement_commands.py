"""What people may want: to approve, to call off, to release, to stop now."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from . import enforcement_messages as words
from .enforcement_plan import APPROVAL, DRY_RUN, SPEND
from .enforcement_state import AWAITING, WARNED, Allowance, Cause, Episode
from .enforcement_turn import Answer, Turn, kind_of, start_acting
from .moments import month_of, month_start, next_month
from .standing import written

if TYPE_CHECKING:
    from datetime import datetime

    from .enforcement_plan import Plan
    from .observation import Observation

APPROVE, CALL_OFF, RELEASE, STATUS, STOP_NOW = (
    "approve",
    "call-off",
    "release",
    "status",
    "stop-now",
)
ACTIONS = (APPROVE, CALL_OFF, RELEASE, STATUS, STOP_NOW)
GROWTH = 0.25
"""What was released starts again when it has grown by this part of the limit."""
IDLE_RELEASE = timedelta(hours=24)
"""How long an idle group that was released is left alone."""


class Command(NamedTuple):
    """A person's wish.

    Attributes:
        action: One of `ACTIONS` but `status`.
        by: Who.
    """

    action: str
    by: str


def obey(turn: Turn, command: Command) -> Answer:
    """Do as told; what does not fit is refused and changes nothing."""
    answer = _ANSWERS[command.action](turn, command.by)
    what = command.action if answer.done else f"{command.action} refused"
    turn.note(what, "", command.by, answer.text)
    return answer


def spend_causes(plan: Plan, seen: Observation, now: datetime) -> list[Cause]:
    """Whether too much is spent, or too fast; what another month has cost is no cause."""
    found: list[Cause] = []
    is_now = seen.month == month_of(now)
    if is_now and plan.at_usd is not None and seen.month_to_date_usd >= plan.at_usd:
        found.append(words.month_cause(seen.month, seen.month_to_date_usd, plan.at_usd))
    rate, limit = seen.spend_rate_usd_per_hour, plan.at_spend_rate_usd_per_hour
    if limit is not None and rate >= limit:
        found.append(words.rate_cause(rate, limit))
    return found


def allowance_key(key: str, kind: str) -> str:
    """Key of what is allowed: a cause of an episode."""
    return f"{key}/{kind}"


def _approve(turn: Turn, by: str) -> Answer:
    waiting = [
        episode
        for episode in turn.state.episodes.values()
        if episode.stage in (WARNED, AWAITING)
        and not episode.approved_by
        and turn.plan.mode_of(episode.key) == APPROVAL
    ]
    if not waiting:
        return Answer(False, "nothing waits for approval")
    for episode in waiting:
        episode.approved_by = by
        turn.say(*words.approved(episode))
    return Answer(True, f"approved: {_names(waiting)}")


def _call_off(turn: Turn, by: str) -> Answer:
    early = [e for e in turn.state.episodes.values() if e.stage in (WARNED, AWAITING)]
    if not early:
        under_way = bool(turn.state.episodes)
        more = "; it has begun: use release" if under_way else ""
        return Answer(False, f"there is no warning to call off{more}")
    for episode in early:
        _close(turn, episode, by)
        turn.say(*words.called_off(episode, by, _terms(turn, episode.key)))
    return Answer(True, f"called off: {_names(early)}")


def _release(turn: Turn, by: str) -> Answer:
    open_ones = list(turn.state.episodes.values())
    if not open_ones and not turn.state.holds:
        return Answer(False, "nothing is held")
    for episode in open_ones:
        _close(turn, episode, by)
    for hold in turn.state.holds.values():
        hold.by = []
    restored = {name: dict(hold.before) for name, hold in turn.state.holds.items()}
    scaled_in = [name for name, hold in turn.state.holds.items() if hold.scaled_in]
    terms = "".join(_terms(turn, episode.key) for episode in open_ones)
    turn.say(*words.released(by, restored, scaled_in, terms))
    what = _names(open_ones) if open_ones else ", ".join(restored)
    return Answer(True, f"released: {what}")


def _stop_now(turn: Turn, by: str) -> Answer:
    mode = turn.plan.mode_of(SPEND)
    if mode is None:
        return Answer(False, "the cluster file has no budget.watchdog.enforcement")
    if not turn.plan.groups_of(SPEND):
        return Answer(False, "every node group is protected, or of a Capacity Block")
    episode = turn.state.episodes.get(SPEND)
    if episode is not None and episode.stage not in (WARNED, AWAITING) and not episode.paused:
        episode.hurried_by = episode.hurried_by or by
        return Answer(True, "it is under way already")
    if episode is None:
        cause = Cause(kind="by-hand", text=f"{by} stopped the cluster by hand")
        episode = Episode(
            key=SPEND, cause=cause, stage=WARNED, dry_run=mode == DRY_RUN, began=written(turn.now)
        )
        turn.state.episodes[SPEND] = episode
    episode.hurried_by, episode.paused = by, False
    if episode.stage in (WARNED, AWAITING):
        start_acting(turn, episode)
    turn.say(*words.stopping(turn.plan, episode))
    would = "would stop (dry run)" if episode.dry_run else "stopping"
    return Answer(True, f"{would}: {', '.join(turn.plan.groups_of(SPEND))}")


_ANSWERS = {APPROVE: _approve, CALL_OFF: _call_off, RELEASE: _release, STOP_NOW: _stop_now}


def _close(turn: Turn, episode: Episode, by: str) -> None:
    """End an episode, and let its cause not begin another one soon."""
    state = turn.state
    del state.episodes[episode.key]
    state.outbox = [message for message in state.outbox if message.id != episode.warning]
    causes = [episode.cause]
    if episode.key == SPEND and turn.seen is not None:
        causes += spend_causes(turn.plan, turn.seen, turn.now)
    for cause in causes:
        if cause.kind == "by-hand":
            continue
        until = _month_end(turn.now)
        if cause.kind == "idle":
            until = turn.now + IDLE_RELEASE
        reached = max(c.value or 0.0 for c in causes if c.kind == cause.kind)
        limit = cause.threshold
        grown = None if cause.kind == "idle" else reached + GROWTH * (limit or 0)
        state.allowances[allowance_key(episode.key, cause.kind)] = Allowance(
            kind=cause.kind, until=written(until), up_to=grown, limit=limit, by=by
        )


def _terms(turn: Turn, key: str) -> str:
    """What is allowed from now on, for people."""
    found = [a for k, a in turn.state.allowances.items() if k.startswith(f"{key}/")]
    return "".join(words.allowance(kind_of(key), allowance) for allowance in found)


def _names(episodes: list[Episode]) -> str:
    return ", ".join(kind_of(episode.key) for episode in episodes)


def _month_end(now: datetime) -> datetime:
    """When the next month begins, in UTC."""
    return month_start(next_month(month_of(now)))
