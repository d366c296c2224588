"""What check account is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=("ok", "us-east-2 accepts the credentials"),
)
