"""One turn of the enforcer: what it may look at, and what it wants done and said."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .enforcement_plan import SPEND
from .enforcement_state import ACTING, Message, Progress
from .moments import from_iso
from .standing import is_fresh, written

if TYPE_CHECKING:
    from datetime import datetime

    from .enforcement_plan import Plan
    from .enforcement_state import Episode, State
    from .observation import Observation
    from .standing import Target

ALLOW, CHECKPOINT, DENY, SCALE_IN = "allow", "checkpoint", "deny", "scale-in"
GO_ON = "go-on"
_LONGEST_SUBJECT = 99  # SNS: less than 100, of ASCII


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something to do to a group.

    Attributes:
        kind: `deny`: launches; `checkpoint`: tell nodes to write one; `scale-in`: to zero; `allow`:
            launches again, and the sizes of before; `go-on`: nodes that were told need not stop.
        group: The group.
        key: Key of the episode; empty for `allow`.
        dry_run: Whether it is only said.
        resource: What is changed.
        driver: The kind of it.
        why: For nodes and for the audit trail.
        before: Sizes as they were, for `allow`.
        deadline: When nodes will be scaled in, for `checkpoint`.
    """

    kind: str
    group: str
    key: str
    dry_run: bool
    resource: str
    driver: str
    why: str
    before: dict[str, Any] = field(default_factory=dict[str, Any])
    deadline: str | None = None


class Note(NamedTuple):
    """An entry of the audit trail: something that was decided."""

    what: str
    key: str
    by: str
    cause: str


class Answer(NamedTuple):
    """What a command is answered."""

    done: bool
    text: str


class Decision(NamedTuple):
    """What `decide` says. New messages also lie in the outbox of the state."""

    state: State
    actions: tuple[Action, ...]
    messages: tuple[Message, ...]
    notes: tuple[Note, ...]
    answer: Answer | None


class Turn:
    """A copy of the state, which is changed, and the list of what follows."""

    def __init__(
        self,
        state: State,
        plan: Plan,
        now: datetime,
        seen: Observation | None = None,
        targets: dict[str, Target] | None = None,
    ) -> None:
        self.state, self.plan, self.now = deepcopy(state), plan, now
        self.fresh = seen if seen and is_fresh(seen, now, plan.poll_minutes) else None
        self.seen, self.targets = seen, targets or {}
        self.actions: list[Action] = []
        self.messages: list[Message] = []
        self.notes: list[Note] = []

    def say(self, subject: str, text: str) -> str:
        """Put a message into the outbox; returns its id."""
        self.state.sent += 1
        subject = f"[{self.plan.cluster}] {subject}"[:_LONGEST_SUBJECT]
        message = Message(id=f"m{self.state.sent}", subject=subject, text=text)
        self.state.outbox.append(message)
        self.messages.append(message)
        return message.id

    def say_once(self, flag: str, subject: str, text: str) -> None:
        """Say something that is not said again before `over` was called for it."""
        if flag not in self.state.told:
            self.state.told[flag] = written(self.now)
            self.say(subject, text)

    def over(self, flag: str) -> None:
        """What was said once may be said again."""
        self.state.told.pop(flag, None)

    def note(self, what: str, key: str, by: str, cause: str) -> None:
        """Remember a decision for the audit trail."""
        self.notes.append(Note(what, key, by, cause))

    def decision(self, answer: Answer | None = None) -> Decision:
        """What was decided."""
        return Decision(
            self.state, tuple(self.actions), tuple(self.messages), tuple(self.notes), answer
        )

    def is_over(self, time: str | None) -> bool:
        """Whether a time has come; None never does."""
        return time is not None and self.now >= from_iso(time)


def start_acting(turn: Turn, episode: Episode) -> None:
    """Let an episode begin with its groups."""
    episode.stage = ACTING[0]
    for name in turn.plan.groups_of(episode.key):
        episode.progress.setdefault(name, Progress())
    turn.note("stages begin", episode.key, whose(episode), episode.cause.text)


def whose(episode: Episode) -> str:
    """Who wanted an episode to go on."""
    return episode.hurried_by or episode.approved_by or "enforcer"


def kind_of(key: str) -> str:
    """What people call an episode."""
    return "spending" if key == SPEND else f"idle node group {key.removeprefix('idle:')}"
