"""What follows from what AWS answered: groups go on one by one, and who fails is tried again."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from . import enforcement_messages as words
from .enforcement_machine import CHECKPOINT_TRIES, settle
from .enforcement_state import DENIED, SCALED_IN, TOLD
from .enforcement_turn import ALLOW, CHECKPOINT, DENY, GO_ON, SCALE_IN, Action, Decision, Turn
from .standing import written

if TYPE_CHECKING:
    from datetime import datetime

    from .enforcement_plan import Plan
    from .enforcement_state import State

_STEPS = {DENY: DENIED, CHECKPOINT: TOLD, SCALE_IN: SCALED_IN}


class Outcome(NamedTuple):
    """What became of an action.

    Attributes:
        action: The action.
        error: What AWS said; None: it is done.
        remark: What people should know although it is done.
    """

    action: Action
    error: str | None = None
    remark: str | None = None


def record(state: State, outcomes: list[Outcome], plan: Plan, now: datetime) -> Decision:
    """The state after the answers, and what people should know of them."""
    turn = Turn(state, plan, now)
    by_step: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.action.kind == ALLOW:
            _record_release(turn, outcome)
        elif outcome.action.kind == GO_ON:
            if outcome.error:
                turn.say(*words.not_told_to_go_on(outcome.action.group, outcome.error))
        else:
            key = (outcome.action.key, outcome.action.kind)
            by_step.setdefault(key, []).append(outcome)
    for (key, kind), some in by_step.items():
        _record_step(turn, key, kind, some)
    for key in dict.fromkeys(key for key, _ in by_step):
        settle(turn, turn.state.episodes[key])
    return turn.decision()


def delivered(state: State, sent: list[str], plan: Plan, now: datetime) -> State:
    """The state once messages were sent: the grace time begins when people could read of it."""
    turn = Turn(state, plan, now)
    turn.state.outbox = [message for message in turn.state.outbox if message.id not in sent]
    for episode in turn.state.episodes.values():
        if episode.warning in sent and episode.due is None:
            episode.due = written(now + timedelta(minutes=plan.grace_minutes))
    return turn.state


def _record_step(turn: Turn, key: str, kind: str, outcomes: list[Outcome]) -> None:
    episode = turn.state.episodes[key]
    done: list[str] = []
    failed: dict[str, str] = {}
    deadline = None
    for outcome in outcomes:
        name, progress = outcome.action.group, episode.progress[outcome.action.group]
        deadline = outcome.action.deadline or deadline
        if outcome.error is None:
            progress.step, progress.failing, progress.tries = _STEPS[kind], "", 0
            done.append(name)
            if kind == SCALE_IN:
                progress.done_at = written(turn.now)
        else:
            progress.tries += 1
            if progress.failing != kind:
                progress.failing = kind
                failed[name] = outcome.error
            if kind == CHECKPOINT and progress.tries >= CHECKPOINT_TRIES:
                progress.step, progress.failing = TOLD, ""
                turn.say(*words.untold(name, outcome.error))
    if done or failed:
        turn.say(*words.step(episode, kind, done, failed, deadline))


def _record_release(turn: Turn, outcome: Outcome) -> None:
    name = outcome.action.group
    if outcome.error is None:
        del turn.state.holds[name]
        for flag in (f"changed/{name}", f"running/{name}", f"unreadable/{name}"):
            turn.over(flag)
        if outcome.remark:
            turn.say(*words.left_as_is(name, outcome.remark))
        return
    hold = turn.state.holds[name]
    if not hold.failing:
        hold.failing = True
        turn.say(*words.not_released(name, outcome.error))
