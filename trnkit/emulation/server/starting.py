"""What the emulated AWS is made of, put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.catalog import READABLE, TYPES
from trnkit.emulation.server import (
    engine,
    engine_repairs,
    front,
    inventory,
    ministack_repairs,
    moto_bridge,
)


def prepare(settings: Mapping[str, Any]) -> front.Application:
    """The application that serves every service.

    Args:
        settings: What `trnkit.emulation.process` gives: ``account`` and ``seeds``.
    """
    moto_bridge.start(settings["account"])
    app: Any = module("ministack.app").app
    engine_repairs.install()
    ministack_repairs.install()
    engine.install(TYPES)
    proofs = {kind.name: kind.proof for kind in READABLE}
    return front.application(app, lambda: inventory.of_all_stacks(proofs))
