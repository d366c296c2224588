"""What check offering is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=("fail", "use2-az3 does not offer trn2.48xlarge; no zone of us-east-2 does"),
)
