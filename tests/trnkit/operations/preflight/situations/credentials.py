"""What check credentials is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=("ok", "temporary credentials of a role"),
)
