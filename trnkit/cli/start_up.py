"""Keeps pydantic from looking for plug-ins, which costs more than checking a file.

pydantic searches the metadata of every installed distribution for plug-ins. An environment variable
of its own turns that off, but not the import of `importlib.metadata` with `email`, `zipfile` and
`socket` behind it: an eighth of the whole start. So its loader gets a stand-in that answers "none".
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_VARIABLE = "PYDANTIC_DISABLE_PLUGINS"
_LOADER = "pydantic.plugin._loader"


class _NoPlugins(ModuleType):
    """Has the one function that pydantic calls; for anything else steps aside for the original."""

    @staticmethod
    def get_plugins() -> tuple[()]:
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        sys.modules.pop(_LOADER, None)
        return getattr(import_module(_LOADER), name)


def skip_plugin_search() -> None:
    """Call before pydantic is imported. A user's own choice of plug-ins stands."""
    if os.environ.setdefault(_VARIABLE, "__all__") == "__all__":
        sys.modules.setdefault(_LOADER, _NoPlugins(_LOADER))
