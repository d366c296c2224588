"""What the asset repeats because it can import nothing of the project."""

from __future__ import annotations

from spend_guard import enforcement_run

from trnkit.layout.draining import DRAIN_PROGRAM


def test_nodes_are_told_through_the_program_that_they_have():
    assert enforcement_run.DRAIN_PROGRAM == DRAIN_PROGRAM
