"""Who is told how a rehearsal goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.operations.rehearsal.cdk_cli import Event
    from trnkit.report.rehearsal_results import Fact


class Progress:
    """Who is told how a rehearsal goes. This one says nothing."""

    def step(self, name: str, text: str) -> None:
        """A step begins, or says what it does now."""

    def event(self, event: Event) -> None:
        """A resource of a stack changed its status."""

    def fact(self, fact: Fact) -> None:
        """Something was found."""
