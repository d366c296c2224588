"""Whether a cloud assembly is whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trnkit.rules.cloud_assembly import read_assembly

if TYPE_CHECKING:
    from pathlib import Path


def flaw_of(assembly: Path) -> str | None:
    """What is wrong with a cloud assembly, in a sentence; None: it can be read as a whole.

    Args:
        assembly: Its folder.
    """
    try:
        stacks = read_assembly(assembly)
    except (OSError, ValueError) as error:
        return _sentence("manifest.json", error)
    if not stacks:
        return "the cloud assembly is damaged: its manifest.json names no stack"
    for stack in stacks:
        name = stack.template.name
        try:
            body: Any = json.loads(stack.template.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            return _sentence(name, error)
        if not isinstance(body, dict) or not isinstance(body.get("Resources"), dict):
            return f"the cloud assembly is damaged: {name} is no template with resources"
    return None


def _sentence(name: str, error: Exception) -> str:
    reason = getattr(error, "strerror", None) or error
    return f"the cloud assembly is damaged: {name} cannot be read: {reason}"
