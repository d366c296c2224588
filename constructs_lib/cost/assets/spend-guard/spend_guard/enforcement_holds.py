"""What is held: how a group was before, whether it is still the same, and how it is let go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import enforcement_messages as words
from .enforcement_state import Hold, Progress
from .enforcement_turn import ALLOW, CHECKPOINT, SCALE_IN, Action

if TYPE_CHECKING:
    from .enforcement_state import Episode
    from .enforcement_turn import Turn
    from .standing import Target


def hold_group(turn: Turn, episode: Episode, name: str, target: Target, kind: str) -> None:
    """Remember how a group was, before it is touched and never after.

    Sizes may be changed by people until they are set to zero; the largest size is what it was
    before launches were denied, which some services do by lowering it.
    """
    hold = turn.state.holds.get(name)
    if hold is None:
        before = {"launches_denied": target.launches_denied, **target.sizes}
        hold = turn.state.holds[name] = Hold(
            by=[], before=before, resource=target.resource, driver=target.driver
        )
    if episode.key not in hold.by:
        hold.by.append(episode.key)
    hold.told = hold.told or kind == CHECKPOINT
    if kind == SCALE_IN and not hold.scaled_in:
        hold.before |= {size: n for size, n in target.sizes.items() if size != "max"}
        hold.scaled_in = True


def begin_anew_if_replaced(turn: Turn, name: str, target: Target) -> bool:
    """Begin with a group again where another resource stands for what is held; whether it does."""
    hold = turn.state.holds.get(name)
    if hold is None or not hold.by or hold.resource == target.resource:
        return False
    for other in turn.state.episodes.values():
        if name in other.progress and not other.dry_run:
            other.progress[name] = Progress()
    del turn.state.holds[name]
    turn.say(*words.replaced(name, hold.resource, target.resource))
    turn.note("replaced", hold.by[0], "enforcer", f"{name}: {hold.resource}, {target.resource}")
    return True


def let_go(turn: Turn) -> None:
    """Allow again what no episode holds any more."""
    for name, hold in turn.state.holds.items():
        if not hold.by:
            allow = Action(
                kind=ALLOW,
                group=name,
                key="",
                dry_run=False,
                resource=hold.resource,
                driver=hold.driver,
                why="released",
                before=hold.before | {"scaled_in": hold.scaled_in, "told": hold.told},
            )
            turn.actions.append(allow)
