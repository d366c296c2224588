"""What an EKS control plane needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.lustre_judgement import Objection

if TYPE_CHECKING:
    from collections.abc import Collection


def judge_zone_number(entries: Collection[str], noun: str) -> Objection | None:
    """Judge how many different zones, or subnets in zones of their own, there are."""
    different = len(set(entries))
    if different >= 2:
        return None
    return Objection(
        f"names {different} {noun}; a control plane needs two or more zones",
        f"add a {noun} in another zone: the nodes stay in theirs",
    )
