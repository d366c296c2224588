"""What check stack-names is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=("ok", "no stack is named pretrain-Network in us-east-2"),
)
