"""What stands beside the properties of a resource: policies, conditions, metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.changes.data_types import DELETION_PAGE, HOLDS, REPLACEMENT_PAGE, policies_of
from trnkit.operations.changes.differences import Difference
from trnkit.operations.changes.showing import shown_pair
from trnkit.report.change_results import Effect, PropertyChange, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.changes.pairs import ResourcePair

_POLICIES = ("DeletionPolicy", "UpdateReplacePolicy")
_MACROS_PAGE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-macros.html"
_ORDER_ONLY = ("DependsOn",)
_CONDITIONS_PAGE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "conditions-section-structure.html"
)


def judge_attributes(pair: ResourcePair) -> Iterator[tuple[PropertyChange, Effect]]:
    """Differing attributes of a resource; the order of creation is none."""
    old = pair.before.attributes(pair.old.logical_id)
    new = pair.after.attributes(pair.new.logical_id)
    for name in dict.fromkeys([*old, *new]):
        then, now = old.get(name), new.get(name)
        if then == now or name in _ORDER_ONLY:
            continue
        effect = _effect(pair, name)
        before, after = shown_pair(Difference((name,), then, now))
        yield PropertyChange(path=name, old=before, new=after, verdict=effect.verdict), effect


def _effect(pair: ResourcePair, name: str) -> Effect:
    if name == "Condition":
        held = HOLDS.get(pair.new.type)
        gone = f" with its data ({held})" if held else ""
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="whether the resource exists depends on another condition: where that is false "
            f"it is deleted{gone}",
            hint="work the condition out for the parameters of the deployed stack",
            source=_CONDITIONS_PAGE,
        )
    if name in _POLICIES:
        return _policy(pair, name)
    if name.startswith("Fn::"):
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message=f"what {name} puts into the resource differs, and cannot be told",
            hint="make a change set, which expands the template",
            source=_MACROS_PAGE,
        )
    if name == "Metadata":
        return Effect(verdict=Verdict.SAFE, message="metadata only")
    return Effect(verdict=Verdict.SAFE, message=f"{name} acts from this update on")


def _policy(pair: ResourcePair, name: str) -> Effect:
    fates = [policies_of(resource) for resource in (pair.old, pair.new)]
    deletion = name == "DeletionPolicy"
    then, now = (fate.deletion if deletion else fate.replacement for fate in fates)
    page = DELETION_PAGE if deletion else REPLACEMENT_PAGE
    if now == "lost" and then != "lost":
        what = "leaves the stack" if deletion else "is replaced"
        return Effect(
            verdict=Verdict.SAFE,
            message=f"weaker protection: nothing is lost now, but when it {what} it is deleted",
            hint=f"keep {name}",
            source=page,
        )
    return Effect(verdict=Verdict.SAFE, message="the policy acts from this update on", source=page)
