"""What it means that a resource is replaced, removed or added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.changes.data_types import (
    DELETES_ONLY_WHAT_IS_EMPTY,
    DELETION_PAGE,
    HOLDS,
    KEYS,
    REPLACEMENT_PAGE,
    empties_itself,
    may_hold,
    policies_of,
)
from trnkit.operations.changes.lustre import ASSOCIATION, EXPORT_FIRST
from trnkit.operations.changes.node_types import CAPACITY, DEPENDED_ON, NODES
from trnkit.operations.changes.opaque import (
    is_made_by_macro,
    is_opaque,
    what_becomes_of_macros,
)
from trnkit.report.change_results import Effect, Verdict

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource

_MOVE_DATA = "copy the data to the new one before you delete the old one, or take the change back"
_KEEP_FIRST = (
    "set DeletionPolicy and UpdateReplacePolicy to Retain and deploy that alone, or take the "
    "change back"
)


def replaced(old: Resource, new: Resource) -> Effect | None:
    """What a reader has to know when CloudFormation makes another resource in place of one.

    Returns:
        None where nothing is lost with it.
    """
    held = HOLDS.get(new.type)
    if held is not None:
        return _replaced_data(old, new, held)
    if new.type in NODES:
        return Effect(
            verdict=Verdict.REPLACES_NODES,
            message=f"another {NODES[new.type]} is made and this one is deleted with its nodes: "
            "jobs on them end, instance store is lost, and the capacity has to be free twice",
            hint="stop the jobs first, or add a second one beside it and remove this one later",
        )
    if new.type in CAPACITY:
        return Effect(
            verdict=Verdict.REPLACES_NODES,
            message="a new reservation is made and this one is cancelled: what it holds goes back "
            "to AWS and may not be had again",
            hint="add the new reservation beside this one, and remove this one when it is active",
        )
    if may_hold(new.type):
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="what is in it will not move; whether that is data of yours cannot be told of "
            f"a {new.type}",
            hint="look what is in it first",
        )
    return None


def _replaced_data(old: Resource, new: Resource, held: str) -> Effect:
    # Which of both templates CloudFormation asks is not documented: only what both keep is kept.
    fates = {policies_of(old).replacement, policies_of(new).replacement}
    begin = f"another, empty one takes its place, and the data ({held}) will not move"
    if fates == {"kept"}:
        return Effect(
            verdict=Verdict.DESTROYS_DATA,
            message=f"{begin}; it stays in the old one, which UpdateReplacePolicy keeps outside "
            "the stack, and which is charged for",
            hint=_MOVE_DATA,
            source=REPLACEMENT_PAGE,
            data="stays behind",
        )
    if fates == {"in a snapshot"} or fates == {"in a snapshot", "kept"}:
        return Effect(
            verdict=Verdict.DESTROYS_DATA,
            message=f"{begin}; a last snapshot is made of the old one, which is deleted",
            hint="restore the snapshot into the new one, or take the change back",
            source=REPLACEMENT_PAGE,
            data="stays behind",
        )
    if "unknown" in fates:
        return Effect(
            verdict=Verdict.DESTROYS_DATA,
            message=f"{begin}, and whether UpdateReplacePolicy keeps the old one cannot be told",
            hint="write UpdateReplacePolicy: Retain",
            source=REPLACEMENT_PAGE,
            data="lost",
        )
    if new.type in DELETES_ONLY_WHAT_IS_EMPTY and not empties_itself(new):
        return Effect(
            verdict=Verdict.DESTROYS_DATA,
            message=f"{begin}; the old one stays outside the stack while anything is in it, since "
            "its deletion fails",
            hint=_MOVE_DATA,
            source=REPLACEMENT_PAGE,
            data="stays behind",
        )
    spared = policies_of(new).deletion == "kept"
    forgotten = " (DeletionPolicy does not count here)" if spared else ""
    return Effect(
        verdict=Verdict.DESTROYS_DATA,
        message=f"{begin}, and the old one is deleted with it: no UpdateReplacePolicy keeps "
        f"it{forgotten}",
        hint="set UpdateReplacePolicy: Retain, and copy the data before you delete the old one; or "
        "take the change back",
        source=REPLACEMENT_PAGE,
        data="lost",
    )


def removed(resource: Resource) -> Effect:
    """What a reader has to know when a resource leaves a stack."""
    if is_made_by_macro(resource.type):
        # Which of its resources take over a policy cannot be told either.
        return what_becomes_of_macros(resource.type)
    held = HOLDS.get(resource.type)
    fate = policies_of(resource).deletion
    if fate == "kept":
        costs = held or resource.type in NODES or resource.type in CAPACITY
        charged = ", and it is still charged for" if costs else ""
        return Effect(
            verdict=Verdict.SAFE if held is None else Verdict.INTERRUPTS,
            message="it leaves the stack and is kept, since its DeletionPolicy says so; no "
            f"stack manages it from then on{charged}",
            source=DELETION_PAGE,
            data=None if held is None else "stays behind",
        )
    if held is not None:
        return _removed_data(resource, held, fate)
    if resource.type in NODES:
        return Effect(
            verdict=Verdict.REPLACES_NODES,
            message=f"the {NODES[resource.type]} is deleted with its nodes: jobs on them end and "
            "instance store is lost",
            hint="stop the jobs first",
        )
    if resource.type in CAPACITY:
        return Effect(
            verdict=Verdict.REPLACES_NODES,
            message="the reservation is cancelled: what it holds goes back to AWS and may not be "
            "had again",
            hint="keep it, or set DeletionPolicy: Retain before",
        )
    if resource.type in DEPENDED_ON:
        return Effect(
            verdict=Verdict.INTERRUPTS,
            message=f"{DEPENDED_ON[resource.type]} is taken away from what runs",
            hint=EXPORT_FIRST if resource.type == ASSOCIATION else None,
        )
    if is_opaque(resource.type) or may_hold(resource.type):
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message=f"it is deleted; whether a {resource.type} loses anything cannot be told",
            hint="look what is in it or behind it first",
        )
    return Effect(verdict=Verdict.REPLACES, message="it is deleted")


def _removed_data(resource: Resource, held: str, fate: str) -> Effect:
    if fate == "in a snapshot":
        return Effect(
            verdict=Verdict.INTERRUPTS,
            message=f"it is deleted after a last snapshot, in which the data ({held}) stays",
            source=DELETION_PAGE,
            data="stays behind",
        )
    only_empty = resource.type in DELETES_ONLY_WHAT_IS_EMPTY and not empties_itself(resource)
    if fate == "lost" and only_empty:
        return Effect(
            verdict=Verdict.INTERRUPTS,
            message=f"it is deleted when it is empty; while {held} are in it the deletion fails "
            "and it stays outside the stack",
            hint="set DeletionPolicy: Retain and deploy that before, so that nothing is left to "
            "chance",
            source=DELETION_PAGE,
            data="stays behind",
        )
    if resource.type in KEYS:
        return Effect(
            verdict=Verdict.DESTROYS_DATA,
            message="the key's deletion is scheduled; after the waiting time nobody can read what "
            "it encrypts",
            hint="cancel with `aws kms cancel-key-deletion`, or set DeletionPolicy: Retain before",
            source=DELETION_PAGE,
            data="lost",
        )
    unless = ", unless its DeletionPolicy, which cannot be told, keeps it"
    unknown = unless if fate == "unknown" else ""
    backup = "; of Lustre no last backup is made" if resource.type == "AWS::FSx::FileSystem" else ""
    return Effect(
        verdict=Verdict.DESTROYS_DATA,
        message=f"it is deleted with its data ({held}){unknown}{backup}",
        hint=_KEEP_FIRST,
        source=DELETION_PAGE,
        data="lost",
    )
