"""What check idle-reservations is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(empty=("ok", "no idle reservation would hold node group group-0"))
