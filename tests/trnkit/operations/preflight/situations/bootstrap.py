"""What check bootstrap is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=("fail", "us-east-2 is not bootstrapped for the CDK"),
)
