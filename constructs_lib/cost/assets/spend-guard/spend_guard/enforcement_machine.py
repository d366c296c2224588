"""What is done about spending and idle groups: a function of what is known, without any AWS.

Stages: warned, in `approval` mode waiting for it, then group by group launches denied, nodes told
to write a checkpoint, scaled in to zero; at last held, until somebody releases it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from . import enforcement_messages as words
from .enforcement_commands import allowance_key, obey, spend_causes
from .enforcement_holds import begin_anew_if_replaced, hold_group, let_go
from .enforcement_plan import APPROVAL, DRY_RUN, SPEND, idle_key
from .enforcement_state import (
    ACTING,
    AWAITING,
    DENIED,
    DONE,
    HELD,
    LEFT_ALONE,
    SCALED_IN,
    TOLD,
    WARNED,
    Cause,
    Episode,
    Progress,
    State,
)
from .enforcement_turn import (
    CHECKPOINT,
    DENY,
    GO_ON,
    SCALE_IN,
    Action,
    Decision,
    Turn,
    start_acting,
)
from .moments import from_iso
from .standing import OLDEST_POLLS, written

if TYPE_CHECKING:
    from datetime import datetime

    from .enforcement_commands import Command
    from .enforcement_plan import Plan
    from .observation import GroupObservation, Observation
    from .standing import Target

CHECKPOINT_TRIES = 3
"""After so many failed attempts to tell nodes, a group is scaled in all the same."""


def decide(
    state: State,
    observation: Observation | None,
    plan: Plan,
    now: datetime,
    command: Command | None = None,
    targets: dict[str, Target] | None = None,
) -> Decision:
    """What to do, say and remember now.

    Args:
        state: What is remembered; it is not changed.
        observation: The watchdog's last one, or None.
        plan: What was set.
        now: The time.
        command: What a person wants; None at a poll.
        targets: How what scales the groups stands now, by group.
    """
    turn = Turn(state, plan, now, observation, targets)
    turn.state.first_at = turn.state.first_at or written(now)
    _tidy(turn)
    answer = None
    if command is not None:
        answer = obey(turn, command)
    else:
        _judge_freshness(turn)
        if turn.fresh is not None:
            _notice(turn, turn.fresh)
    for key in list(turn.state.episodes):
        _advance(turn, turn.state.episodes[key])
    let_go(turn)
    return turn.decision(answer)


def _tidy(turn: Turn) -> None:
    """Forget allowances that have ended."""
    limits = {"month": turn.plan.at_usd, "rate": turn.plan.at_spend_rate_usd_per_hour}
    for key, allowance in list(turn.state.allowances.items()):
        limit = limits.get(allowance.kind, allowance.limit)
        if turn.is_over(allowance.until) or allowance.limit != limit:
            del turn.state.allowances[key]


def _judge_freshness(turn: Turn) -> None:
    if turn.fresh is not None:
        turn.over("stale")
        return
    since = turn.seen.at if turn.seen else from_iso(turn.state.first_at or written(turn.now))
    limit = timedelta(minutes=OLDEST_POLLS * turn.plan.poll_minutes)
    if abs(turn.now - since) > limit:
        turn.say_once("stale", *words.stale(since))


def _notice(turn: Turn, seen: Observation) -> None:
    """Begin what has a cause, and take back what has none any more."""
    _remember_running(turn, seen)
    causes = {SPEND: spend_causes(turn.plan, seen, turn.now)}
    causes |= {
        idle_key(name): _idle_causes(turn, name, group) for name, group in seen.groups.items()
    }
    for key, found in causes.items():
        episode = turn.state.episodes.get(key)
        if episode is not None:
            _follow(turn, episode, found)
        elif turn.plan.mode_of(key) and turn.plan.groups_of(key):
            new = [cause for cause in found if not _is_covered(turn, key, cause)]
            if new:
                _begin(turn, key, new[0])


def _remember_running(turn: Turn, seen: Observation) -> None:
    """Note when a group grew: nodes that are new have not been idle for long."""
    for name, group in seen.groups.items():
        before = turn.state.running.get(name)
        if before is None or group.running > before[0]:
            turn.state.running[name] = (group.running, written(seen.at))
        elif group.running < before[0]:
            turn.state.running[name] = (group.running, before[1])


def _idle_causes(turn: Turn, name: str, group: GroupObservation) -> list[Cause]:
    if not group.idle_known or group.idle_since is None or group.running == 0:
        return []
    grown = from_iso(turn.state.running[name][1])
    if turn.now - grown < timedelta(minutes=turn.plan.idle_minutes):
        return []
    minutes = (turn.now - group.idle_since).total_seconds() / 60
    if minutes < turn.plan.idle_minutes:
        return []
    return [words.idle_cause(name, group.running, minutes, turn.plan.idle_minutes)]


def _follow(turn: Turn, episode: Episode, causes: list[Cause]) -> None:
    """Take a cause that has ended, or is back, into account."""
    for cause in causes:
        if cause.kind == episode.cause.kind and cause.value is not None:
            episode.cause.value = max(cause.value, episode.cause.value or 0)
    if causes:
        if episode.paused:
            episode.paused = False
            turn.say(*words.goes_on(episode))
            turn.note("cause is back", episode.key, "enforcer", causes[0].text)
        return
    if episode.hurried_by or episode.cause.kind == "by-hand" or episode.paused:
        return
    begun = any(progress.step == SCALED_IN for progress in episode.progress.values())
    if episode.stage in (WARNED, AWAITING) or (episode.dry_run and episode.stage != HELD):
        _end(turn, episode, words.withdrawn(episode))
    elif episode.stage == HELD and episode.dry_run:
        _end(turn, episode, None)
    elif episode.key != SPEND and not begun:
        _end(turn, episode, words.works_again(episode))
    elif not begun and episode.stage != HELD:
        episode.paused = True
        _let_work_go_on(turn, episode)
        turn.say(*words.paused(episode))
        turn.note("cause has ended", episode.key, "enforcer", episode.cause.text)


def _let_work_go_on(turn: Turn, episode: Episode) -> None:
    """Nodes that were told to stop need not; should the cause come back, they are told anew."""
    for name, progress in episode.progress.items():
        hold = turn.state.holds.get(name)
        if progress.step != TOLD or hold is None:
            continue
        if hold.told:
            turn.actions.append(
                Action(
                    kind=GO_ON,
                    group=name,
                    key=episode.key,
                    dry_run=False,
                    resource=hold.resource,
                    driver=hold.driver,
                    why="the cause has ended",
                )
            )
        hold.told = False
        progress.step, progress.deadline, progress.tries = DENIED, None, 0


def _end(turn: Turn, episode: Episode, said: tuple[str, str] | None) -> None:
    del turn.state.episodes[episode.key]
    for hold in turn.state.holds.values():
        if episode.key in hold.by:
            hold.by.remove(episode.key)
    unsent = {message.id for message in turn.state.outbox}
    if episode.warning in unsent:  # Nobody has heard of it, and nobody needs to.
        turn.state.outbox = [m for m in turn.state.outbox if m.id != episode.warning]
    elif said is not None:
        turn.say(*said)
    turn.note("ended", episode.key, "enforcer", episode.cause.text)


def _begin(turn: Turn, key: str, cause: Cause) -> None:
    mode = turn.plan.mode_of(key)
    episode = Episode(
        key=key, cause=cause, stage=WARNED, dry_run=mode == DRY_RUN, began=written(turn.now)
    )
    due = turn.now + timedelta(minutes=turn.plan.grace_minutes)
    episode.warning = turn.say(*words.warning(turn.plan, episode, written(due)))
    turn.state.episodes[key] = episode
    turn.note("warned", key, "enforcer", cause.text)


def _is_covered(turn: Turn, key: str, cause: Cause) -> bool:
    """Whether people have released or called off this cause, as far as it goes."""
    allowance = turn.state.allowances.get(allowance_key(key, cause.kind))
    if allowance is None:
        return False
    return allowance.up_to is None or (cause.value or 0) < allowance.up_to


def _advance(turn: Turn, episode: Episode) -> None:
    """Go on to the next stage, one at a time, or try again what has not succeeded."""
    if episode.paused or (turn.fresh is None and not episode.hurried_by):
        return
    mode = turn.plan.mode_of(episode.key)
    if (mode == DRY_RUN) != episode.dry_run or mode is None:
        _mode_was_changed(turn, episode)
        return
    if episode.stage == WARNED and turn.is_over(episode.due):
        if mode == APPROVAL and not episode.approved_by:
            episode.stage = AWAITING
            turn.say(*words.awaiting(episode))
            turn.note("waits for approval", episode.key, "enforcer", episode.cause.text)
        else:
            start_acting(turn, episode)
    elif episode.stage == AWAITING and (episode.approved_by or mode != APPROVAL):
        start_acting(turn, episode)
    if episode.stage in (*ACTING, HELD):
        for name in turn.plan.groups_of(episode.key):
            _advance_group(turn, episode, name)
        settle(turn, episode)


def _mode_was_changed(turn: Turn, episode: Episode) -> None:
    if episode.dry_run or episode.stage in (WARNED, AWAITING):
        _end(turn, episode, None)  # The next poll begins anew, with all its grace.
        return
    turn.say_once(f"mode/{episode.key}", *words.mode_was_changed(episode))


def _advance_group(turn: Turn, episode: Episode, name: str) -> None:
    progress = episode.progress.setdefault(name, Progress())
    target = turn.targets.get(name)
    if target is None or target.status == "unreadable":
        if progress.step not in DONE:
            detail = target.detail if target else "it was not looked at"
            turn.say_once(f"unreadable/{name}", *words.unreadable(name, detail))
        return
    turn.over(f"unreadable/{name}")
    if target.status != "ok":
        if progress.step not in DONE:
            progress.step, progress.reason = LEFT_ALONE, target.status
            turn.say(*words.left_alone(name, target.status))
            turn.note(f"left alone: {target.status}", episode.key, "enforcer", name)
        return
    if progress.step == LEFT_ALONE:
        progress.step = ""
    if begin_anew_if_replaced(turn, name, target):
        progress = episode.progress[name]
    if progress.step == SCALED_IN:
        _watch_held(turn, episode, name, progress, target)
        return
    if progress.step == DENIED and _needs_no_checkpoint(turn, name, target):
        progress.step, progress.deadline = TOLD, written(turn.now)
    if progress.step == TOLD and not turn.is_over(progress.deadline):
        return
    if _was_told_long_ago(turn, progress):
        progress.step, progress.deadline = DENIED, None
    if action := _next_action(turn, episode, name, progress, target):
        turn.actions.append(action)


def _was_told_long_ago(turn: Turn, progress: Progress) -> bool:
    """Whether nodes have worked on since: nobody saw to it when their time was over."""
    if progress.step != TOLD or progress.deadline is None or progress.failing:
        return False
    limit = timedelta(minutes=OLDEST_POLLS * turn.plan.poll_minutes)
    late = turn.now - from_iso(progress.deadline)
    return turn.plan.checkpoint_minutes > 0 and late > limit


def _needs_no_checkpoint(turn: Turn, name: str, target: Target) -> bool:
    seen = turn.seen.groups.get(name) if turn.seen else None
    is_empty = target.sizes["desired"] == 0 and (seen is None or seen.running == 0)
    return turn.plan.checkpoint_minutes == 0 or is_empty


def _next_action(
    turn: Turn, episode: Episode, name: str, progress: Progress, target: Target
) -> Action:
    kind = {"": DENY, DENIED: CHECKPOINT, TOLD: SCALE_IN}[progress.step]
    if kind == CHECKPOINT and progress.deadline is None:
        deadline = turn.now + timedelta(minutes=turn.plan.checkpoint_minutes)
        progress.deadline = written(deadline)
    if not episode.dry_run:
        hold_group(turn, episode, name, target, kind)
    return Action(
        kind=kind,
        group=name,
        key=episode.key,
        dry_run=episode.dry_run,
        resource=target.resource,
        driver=target.driver,
        why=episode.cause.text,
        deadline=progress.deadline if kind == CHECKPOINT else None,
    )


def _watch_held(
    turn: Turn, episode: Episode, name: str, progress: Progress, target: Target
) -> None:
    """Say once what should not be in a group that was scaled in; what people did is left as is."""
    if episode.dry_run:
        return
    if target.sizes["desired"] > 0 or not target.launches_denied:
        turn.say_once(f"changed/{name}", *words.changed_by_hand(name))
        return
    seen = turn.fresh.groups.get(name) if turn.fresh else None
    since = from_iso(progress.done_at) if progress.done_at else turn.now
    limit = timedelta(minutes=OLDEST_POLLS * turn.plan.poll_minutes)
    if seen is not None and seen.running > 0 and turn.now - since > limit:
        turn.say_once(
            f"running/{name}", *words.still_running(name, seen.running, target.keeps_nodes)
        )


def settle(turn: Turn, episode: Episode) -> None:
    """Name the stage by what was done to the groups; once nothing is left, it is held."""
    groups = turn.plan.groups_of(episode.key)
    steps = [one.step for name, one in episode.progress.items() if name in groups]
    if all(step in DONE for step in steps):
        if episode.stage != HELD:
            episode.stage = HELD
            turn.say(*words.held(episode))
            turn.note(HELD, episode.key, "enforcer", episode.cause.text)
        return
    reached = [ACTING.index(step) for step in steps if step in ACTING]
    episode.stage = ACTING[max(reached, default=0)]
