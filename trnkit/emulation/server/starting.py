"""What the emulated AWS is made of, put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trnkit.emulation.resources.catalog import TYPES
from trnkit.emulation.server import engine, engine_repairs, front, moto_bridge


def prepare(settings: Mapping[str, Any]) -> front.Application:
    """The application that serves every service.

    Args:
        settings: What `trnkit.emulation.process` gives: ``account`` and ``seeds``.
    """
    moto_bridge.start(settings["account"])
    from ministack.app import app

    engine_repairs.install()
    engine.install(TYPES)
    return front.application(app)
