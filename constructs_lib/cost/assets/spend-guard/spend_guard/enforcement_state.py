"""What the enforcer remembers between two runs, and how it is written as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

WARNED, AWAITING = "warned", "awaiting-approval"
DENIED, TOLD, SCALED_IN = "launches-denied", "checkpoint-told", "scaled-in"
HELD, WATCHING = "held", "watching"
LEFT_ALONE = "left-alone"
STAGES = (WATCHING, WARNED, AWAITING, DENIED, TOLD, SCALED_IN, HELD)
ACTING = (DENIED, TOLD, SCALED_IN)
"""Stages in which groups are changed one step after the other."""
DONE = (SCALED_IN, LEFT_ALONE)


@dataclass(slots=True, kw_only=True)
class Cause:
    """Why an episode began.

    Attributes:
        kind: `month`, `rate`, `idle` or `by-hand`.
        text: The same for people.
        value: What was measured, the most of it so far; None by hand.
        threshold: From when on; None by hand.
    """

    kind: str
    text: str
    value: float | None = None
    threshold: float | None = None


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a group is.

    Attributes:
        step: The last step that was done: empty, `launches-denied`, `checkpoint-told`, `scaled-in`;
            or `left-alone`.
        deadline: When it may be scaled in, once told.
        failing: The step that does not succeed, of which people were told.
        tries: How often that was tried.
        reason: Why it is left alone.
        done_at: When it was scaled in.
    """

    step: str = ""
    deadline: str | None = None
    failing: str = ""
    tries: int = 0
    reason: str = ""
    done_at: str | None = None


@dataclass(slots=True, kw_only=True)
class Episode:
    """From a warning to its end.

    Attributes:
        key: `spend`, or `idle:` and the group.
        cause: Why.
        stage: Where it stands.
        dry_run: Whether nothing is really done.
        began: When.
        warning: Id of the message that warns.
        due: From when on the next stage may begin; None: the warning is not delivered yet.
        approved_by: Who approved.
        hurried_by: Who wants it now.
        paused: The cause has ended, and nothing more is done.
        progress: By group.
    """

    key: str
    cause: Cause
    stage: str
    dry_run: bool
    began: str
    warning: str = ""
    due: str | None = None
    approved_by: str | None = None
    hurried_by: str | None = None
    paused: bool = False
    progress: dict[str, Progress] = field(default_factory=dict[str, Progress])


@dataclass(slots=True, kw_only=True)
class Hold:
    """What was really done to a group, and how it was before.

    Attributes:
        by: Keys of the episodes that hold it; none: it is being released.
        before: Sizes and whether launches were denied already, as the driver reads them.
        resource: What was changed.
        driver: The kind of it.
        scaled_in: Whether its sizes were set to zero.
        told: Whether nodes were told to write a checkpoint.
        failing: Whether people were told that it cannot be released yet.
    """

    by: list[str]
    before: dict[str, Any]
    resource: str
    driver: str
    scaled_in: bool = False
    told: bool = False
    failing: bool = False


@dataclass(slots=True, kw_only=True)
class Allowance:
    """A cause that people have released or called off, and how far.

    Attributes:
        kind: As of `Cause`.
        until: When it ends, whatever happens.
        up_to: What may be reached before it starts again; None: anything.
        limit: The threshold that it was given for; another one ends it.
        by: Who.
    """

    kind: str
    until: str
    up_to: float | None
    limit: float | None
    by: str


@dataclass(slots=True, kw_only=True)
class Message:
    """A message that is not sent yet."""

    id: str
    subject: str
    text: str


@dataclass(slots=True, kw_only=True)
class State:
    """All that is remembered.

    Attributes:
        first_at: When the enforcer ran first.
        episodes: By key.
        holds: By group.
        allowances: By key and kind.
        running: Nodes of each group when last seen, and since when there are not fewer.
        told: What people were told once, until it is over.
        outbox: What is not sent yet.
        sent: Number of messages so far; ids are made of it.
    """

    first_at: str | None = None
    episodes: dict[str, Episode] = field(default_factory=dict[str, Episode])
    holds: dict[str, Hold] = field(default_factory=dict[str, Hold])
    allowances: dict[str, Allowance] = field(default_factory=dict[str, Allowance])
    running: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    told: dict[str, str] = field(default_factory=dict[str, str])
    outbox: list[Message] = field(default_factory=list[Message])
    sent: int = 0

    def as_json(self) -> str:
        """The state as text."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def read(cls, text: str | None) -> State:
        """The state from text; None is the beginning."""
        if text is None:
            return cls()
        told: dict[str, Any] = json.loads(text)
        return cls(
            first_at=told["first_at"],
            episodes={key: _episode(one) for key, one in told["episodes"].items()},
            holds={name: Hold(**one) for name, one in told["holds"].items()},
            allowances={key: Allowance(**one) for key, one in told["allowances"].items()},
            running={name: (one[0], one[1]) for name, one in told["running"].items()},
            told=told["told"],
            outbox=[Message(**one) for one in told["outbox"]],
            sent=told["sent"],
        )


def _episode(told: dict[str, Any]) -> Episode:
    told["progress"] = {name: Progress(**one) for name, one in told["progress"].items()}
    told["cause"] = Cause(**told["cause"])
    return Episode(**told)
