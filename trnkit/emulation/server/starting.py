"""What the emulated AWS is made of, put together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.process import INVENTORY_PATH, SPEND_PATH
from trnkit.emulation.resources.catalog import READABLE, TYPES
from trnkit.emulation.server import engine, extensions, front, inventory, moto_bridge, seeding
from trnkit.emulation.services.cost import budgets_extension


def prepare(settings: Mapping[str, Any]) -> front.Application:
    """The application that serves every service.

    Args:
        settings: What `trnkit.emulation.process` gives: ``account`` and ``seeds``.
    """
    moto_bridge.start(settings["account"])
    ministack = module("ministack.app")
    # It would run scripts that it finds in /etc/localstack and /docker-entrypoint-initaws.d.
    ministack._collect_scripts = _no_scripts
    app: Any = ministack.app
    extensions.install()
    engine.install(TYPES)
    proofs = {kind.name: kind.proof for kind in READABLE}
    seeding.plant(settings.get("seeds", ()))
    controls: dict[str, front.Control] = {
        INVENTORY_PATH: lambda _: inventory.of_all_stacks(proofs),
        SPEND_PATH: lambda body: _spend(settings["account"], json.loads(body)),
    }
    return front.application(app, controls)


def _no_scripts(*folders: str) -> list[str]:
    return []


def _spend(account: str, spend: Mapping[str, Any]) -> bytes:
    budgets_extension.inject_spend(account, spend["budget"], spend["actual"], spend.get("forecast"))
    return b"{}"
