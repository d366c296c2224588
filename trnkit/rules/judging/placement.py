"""Placement groups against where the capacity comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection

if TYPE_CHECKING:
    PlacementGroup = Literal["none", "new", "named"]
    Source = Literal["capacity-block", "reservation", "other"]


def judge_placement(group: PlacementGroup, source: Source) -> tuple[Severity, Objection] | None:
    """Judge a placement group.

    Args:
        group: Whether there is one: `new` is a cluster placement group made with the nodes.
        source: Where the nodes come from; `reservation` is one that was made elsewhere.
    """
    if source == "capacity-block" and group != "none":
        text = (
            "asks for a placement group; a Capacity Block has none, and places its instances "
            "together itself"
        )
        return Severity.ERROR, Objection(text, "remove it")
    if source == "reservation" and group == "new":
        text = (
            "is true: in a new placement group no instance starts in a reservation that was made "
            "in another, and one that was made in none is not kept close together"
        )
        hint = "write the reservation's own group as `group_name`, or remove `cluster`"
        return Severity.WARNING, Objection(text, hint)
    return None
