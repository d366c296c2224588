"""For tests of projects that build on trnkit: the pytest fixture ``rehearsal``."""

from __future__ import annotations

from trnkit.testing.fixture import Deployment, RehearsalFixture, running_rehearsal

__all__ = ["Deployment", "RehearsalFixture", "running_rehearsal"]
