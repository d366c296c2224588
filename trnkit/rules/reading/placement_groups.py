"""Placement groups that instances are put into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource

PLACEMENT_GROUP = "AWS::EC2::PlacementGroup"


def cluster_among(places: Iterable[TemplateValue]) -> Resource | None:
    """The placement group that the first reference is to, when it certainly is a cluster."""
    found = (value.referred(PLACEMENT_GROUP) for value in places)
    group = next((group for group in found if group is not None), None)
    if group is None or properties_of(group)["Strategy"].text() != "cluster":
        return None
    return group
