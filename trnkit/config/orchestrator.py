"""`orchestrator`: what schedules work on the nodes."""

from __future__ import annotations

from typing import Literal

from trnkit.config.values import Section, setting


class OrchestratorConfig(Section):
    """The scheduler."""

    type: Literal["none"] = setting(
        "none", change="replaces", description="`none`: an Auto Scaling group per node group."
    )
