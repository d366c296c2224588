"""Whether the packages of the emulated AWS are installed."""

from __future__ import annotations

import importlib.util

from trnkit.toolchain import ToolchainError

PACKAGES = ("boto3", "hypercorn", "ministack", "moto")


def require_emulation() -> None:
    """Make sure that the emulated AWS can be started.

    Raises:
        ToolchainError: A package is missing; the message says how to get it.
    """
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ToolchainError(
            f"trnkit rehearse needs {', '.join(missing)}: run `make setup` in a checkout, or "
            "install trnkit with its extra `rehearse` (docs/python.md)."
        )
