"""What check zone is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=("fail", "zone use2-az3 is none of 0 in us-east-2"),
)
