"""What people read: each function is the subject and the text of a message.

Sources:
    https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
    https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .enforcement_plan import APPROVAL, SPEND
from .enforcement_state import Cause
from .enforcement_turn import kind_of
from .standing import written

if TYPE_CHECKING:
    from datetime import datetime

    from .enforcement_plan import Plan
    from .enforcement_state import Allowance, Episode

_LONGEST_LIST = 20
_LONGEST_IN_CHAT = 2500  # Slack shows 3,000 characters of a part of a message
_KEEPS = "Storage, file systems and data are never touched."


def by_protocol(subject: str, text: str) -> str:
    """A message as SNS takes it with `MessageStructure` `json`: to each as it can be read.

    Mailboxes, queues and functions get the text. Amazon Q Developer in chat applications
    subscribes by HTTPS, and drops whatever has not the form of a custom notification.
    """
    shown = text
    if len(text) > _LONGEST_IN_CHAT:
        shown = f"{text[:_LONGEST_IN_CHAT]}...\nThe rest is in the mail."
    content = {"textType": "client-markdown", "title": subject, "description": shown}
    chat = {"version": "1.0", "source": "custom", "content": content}
    return json.dumps({"default": text, "https": json.dumps(chat)})


def month_cause(month: str, spent: float, limit: float) -> Cause:
    """More is spent in the month than it should be."""
    text = f"${spent:,.2f} is spent in {month}, and ${limit:,.2f} is the limit"
    return Cause(kind="month", text=text, value=spent, threshold=limit)


def rate_cause(rate: float, limit: float) -> Cause:
    """More is spent in an hour than it should be."""
    text = f"${rate:,.2f} an hour is spent, and ${limit:,.2f} is the limit"
    return Cause(kind="rate", text=text, value=rate, threshold=limit)


def idle_cause(group: str, running: int, minutes: float, limit: int) -> Cause:
    """A group does nothing."""
    text = f"{running} nodes of {group} have used no NeuronCore for {minutes:.0f} minutes"
    return Cause(kind="idle", text=f"{text}, and {limit} is the limit", value=minutes)


def warning(plan: Plan, episode: Episode, due: str) -> tuple[str, str]:
    """What will be done, when, and how to call it off."""
    groups = _listed(plan.groups_of(episode.key))
    spared = [g.name for g in plan.groups if g.name not in plan.groups_of(episode.key)]
    lines = [f"{_sentence(episode.cause.text)}."]
    if episode.dry_run:
        lines.append(f"DRY RUN: nothing is done. In another mode, not before {due}:")
    elif plan.mode_of(episode.key) == APPROVAL:
        lines.append(f"Once approved (trnkit guard approve FILE), and not before {due}:")
    else:
        lines.append(f"Not before {due}:")
    lines.append(f"1. launches are denied in: {groups};")
    if plan.checkpoint_minutes:
        minutes = plan.checkpoint_minutes
        lines.append(f"2. their nodes are told to write a checkpoint within {minutes} minutes;")
    lines.append("3. these groups are scaled in to zero, and stay so until they are released.")
    if spared and episode.key == SPEND:
        lines.append(f"Left alone (protected, or a Capacity Block): {_listed(spared)}.")
    lines += [_KEEPS, "To call it off: trnkit guard call-off FILE, FILE being the cluster file."]
    subject = f"{_what(episode)}: nodes will be stopped, not before {due}"
    if episode.dry_run:
        subject = f"dry run, {_what(episode)}: nodes would be stopped at {due}"
    return subject, "\n".join(lines)


def awaiting(episode: Episode) -> tuple[str, str]:
    """The grace time is over, and nobody has approved."""
    text = f"{_sentence(episode.cause.text)}. Nothing is done before somebody approves."
    more = "To approve: trnkit guard approve FILE. To call it off: trnkit guard call-off FILE."
    return f"{_what(episode)}: waits for approval", f"{text}\n{more}"


def approved(episode: Episode) -> tuple[str, str]:
    """Somebody has approved."""
    when = f"The stages begin at {episode.due}" if episode.due else "The stages begin"
    if episode.stage == "awaiting-approval":
        when = "The stages begin now"
    return f"{_what(episode)}: approved", f"{episode.approved_by} has approved. {when}."


def stopping(plan: Plan, episode: Episode) -> tuple[str, str]:
    """Somebody wants it now."""
    groups = _listed(plan.groups_of(SPEND))
    nodes = "DRY RUN: nothing is done. Otherwise nodes" if episode.dry_run else "Nodes"
    text = f"{episode.hurried_by} asked to stop now: {groups}. {nodes} have "
    text += f"{plan.checkpoint_minutes} minutes to write a checkpoint. {_KEEPS}"
    return "stopping now, as asked", f"{text}\nTo release: trnkit guard release FILE."


def withdrawn(episode: Episode) -> tuple[str, str]:
    """A warning has no cause any more."""
    text = f"It is no longer so that {episode.cause.text}. Nothing was done, and nothing will be."
    return f"{_what(episode)}: warning withdrawn", text


def works_again(episode: Episode) -> tuple[str, str]:
    """A group is not known to be idle any more, before it was scaled in."""
    text = f"It is no longer so, or not known, that {episode.cause.text}."
    return f"{_what(episode)}: spared", f"{text} Launches are allowed again."


def paused(episode: Episode) -> tuple[str, str]:
    """The cause has ended while launches are denied already."""
    text = (
        f"It is no longer so that {episode.cause.text}. Nodes that run are left running; launches "
        "stay denied until somebody releases them: trnkit guard release FILE."
    )
    return f"{_what(episode)}: cause has ended", text


def goes_on(episode: Episode) -> tuple[str, str]:
    """The cause is back."""
    text = f"{_sentence(episode.cause.text)}, again. The stages go on from where they stood."
    return f"{_what(episode)}: cause is back", text


def held(episode: Episode) -> tuple[str, str]:
    """Nothing is left to do."""
    left = [n for n, p in episode.progress.items() if p.step == "left-alone"]
    done = [n for n, p in episode.progress.items() if p.step == "scaled-in"]
    would = "DRY RUN: this would be so now. " if episode.dry_run else ""
    text = f"{would}Scaled in to zero, and launches denied: {_listed(done)}."
    if left:
        text += f" Left alone: {_listed(left)}."
    if not episode.dry_run:
        text += f" {_KEEPS}\nIt stays so until somebody releases it: trnkit guard release FILE."
    subject = "would be held" if episode.dry_run else "held"
    return f"{_what(episode)}: {subject}", text


def step(
    episode: Episode, kind: str, done: list[str], failed: dict[str, str], deadline: str | None
) -> tuple[str, str]:
    """A stage was done for some groups, and failed for others for the first time."""
    said = {
        "deny": "launches denied",
        "checkpoint": f"nodes told to write a checkpoint by {deadline}",
        "scale-in": "scaled in to zero",
    }[kind]
    lines: list[str] = []
    if done:
        dry = "DRY RUN, nothing was done; otherwise now " if episode.dry_run else ""
        lines.append(f"{dry}{said}: {_listed(done)}")
    lines += [f"not yet, it is tried again: {name}: {why}" for name, why in failed.items()]
    lines.append("To release: trnkit guard release FILE.")
    subject = said if done else f"not yet {said}"
    if episode.dry_run:
        subject = f"dry run, would be {said}"
    return f"{_what(episode)}: {subject}", "\n".join(lines)


def untold(group: str, why: str) -> tuple[str, str]:
    """Nodes cannot be told, and are scaled in all the same."""
    text = f"Nodes of {group} could not be told to write a checkpoint: {why}. They are scaled in."
    return f"{group}: nodes not told of the checkpoint", text


def called_off(episode: Episode, by: str, terms: str) -> tuple[str, str]:
    """Somebody has called it off."""
    return f"{_what(episode)}: called off", f"{by} has called it off. {terms}".strip()


def released(
    by: str, restored: dict[str, dict[str, Any]], scaled_in: list[str], terms: str
) -> tuple[str, str]:
    """Somebody has released what is held."""
    lines = [f"{by} has released it."]
    for name, before in restored.items():
        sizes = f", desired {before['desired']} as before" if name in scaled_in else ""
        lines.append(f"{name}: launches as before{sizes}")
    return "released", "\n".join([*lines, *([terms.strip()] if terms else [])])


def not_released(group: str, why: str) -> tuple[str, str]:
    """A group cannot be released yet."""
    return f"{group}: not released yet", f"{group}: {why}. It is tried again at every poll."


def left_as_is(group: str, why: str) -> tuple[str, str]:
    """A group was released, and not all is as it was."""
    return f"{group}: released, not all as before", f"{group}: {why}."


def not_told_to_go_on(group: str, why: str) -> tuple[str, str]:
    """Nodes were told to stop, and cannot be told that they need not."""
    text = f"Nodes of {group} could not be told to go on: {why}. On each, run: trn-drain --cancel"
    return f"{group}: nodes not told to go on", text


def allowance(what: str, allowance: Allowance) -> str:
    """How far something is allowed."""
    more = ""
    if allowance.up_to is not None:
        unit = " an hour" if allowance.kind == "rate" else ""
        more = f", or ${allowance.up_to:,.2f}{unit} is reached, or the limit is changed"
    return f"For {what} ({allowance.kind}) nothing begins again before {allowance.until}{more}. "


def stale(since: datetime) -> tuple[str, str]:
    """The watchdog has not been heard of."""
    text = f"The watchdog's last observation is of {written(since)}. No stage begins without one."
    return "watchdog is not heard", f"{text}\nLook at its function's errors and at its metrics."


def unreadable(group: str, why: str) -> tuple[str, str]:
    """AWS does not say how a group stands."""
    return f"{group}: not readable", f"{group} cannot be read, and is tried again: {why}."


def left_alone(group: str, why: str) -> tuple[str, str]:
    """A group that cannot be touched."""
    reason = {
        "gone": "there is no such group any more",
        "foreign": "it does not carry the cluster's tag",
        "ambiguous": "several Auto Scaling groups carry its tags",
        "unable": "its service cannot do this to it",
    }[why]
    return f"{group}: left alone", f"{group} is left alone: {reason}."


def replaced(group: str, before: str, now: str) -> tuple[str, str]:
    """What is held is not what scales the group any more."""
    text = f"{group} was replaced while held: {before} is {now} now, and goes through the stages."
    return f"{group}: replaced while held", text


def changed_by_hand(group: str) -> tuple[str, str]:
    """Somebody has changed what is held."""
    text = f"{group} is held, and somebody, or a schedule, has changed its size or allowed launches"
    text += ". It is left so."
    return f"{group}: changed by hand while held", text


def still_running(group: str, running: int, why: str) -> tuple[str, str]:
    """Nodes are there although the group is at zero."""
    text = f"{running} nodes of {group} run on although the group is scaled in to zero"
    why = why or "nothing in the group says why; they may have been started outside of it"
    return f"{group}: nodes still run", f"{text}: {why}. They cost money; ending them is yours."


def mode_was_changed(episode: Episode) -> tuple[str, str]:
    """The plan was changed to a dry run, or taken away, in the middle."""
    text = "The mode was changed in the middle. Nothing more is done; what is held stays so until "
    return f"{_what(episode)}: mode changed", f"{text}it is released: trnkit guard release FILE."


def _what(episode: Episode) -> str:
    return kind_of(episode.key)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _listed(names: list[str] | tuple[str, ...]) -> str:
    """Names, not too many of them."""
    more = len(names) - _LONGEST_LIST
    shown = ", ".join(names[:_LONGEST_LIST]) or "none"
    return f"{shown} and {more} more" if more > 0 else shown
