"""What check zone is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=("fail", "this account has no zone use2-az3 in us-east-2"),
)
