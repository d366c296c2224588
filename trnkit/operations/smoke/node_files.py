"""The programs that run on nodes: the same files that the bundle of a node carries.

They are read from where they lie, beside this package in a checkout and in a wheel alike; nothing
of them is imported. See docs/decisions/0039-smoke-files.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trnkit.errors import TrnkitError

_FOLDER = Path("constructs_lib", "compute", "assets", "node", "smoke")
_NAMES = (
    "trn-smoke",
    "smoke_runner.py",
    "smoke_process.py",
    "smoke_sweep.py",
    "smoke_step.py",
    "default_plan.json",
)
ENTRY = "trn-smoke"


class SmokeFilesError(TrnkitError):
    """The installation lacks the programs of nodes."""


def node_files() -> dict[str, str]:
    """Name -> text of each program.

    Raises:
        SmokeFilesError: One is missing.
    """
    folder = Path(__file__).resolve().parents[3] / _FOLDER
    try:
        return {name: (folder / name).read_text(encoding="utf-8") for name in _NAMES}
    except OSError as error:
        raise SmokeFilesError(
            f"the installation lacks {_FOLDER / Path(error.filename or '').name}: restore it with "
            "git, or reinstall trnkit"
        ) from None


def default_plan() -> dict[str, Any]:
    """Sizes, steps, port and time limits that nobody chose; the runner on nodes has the same."""
    return json.loads(node_files()["default_plan.json"])
