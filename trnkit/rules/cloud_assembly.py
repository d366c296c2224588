"""Reads synthesized templates with what their cloud assembly says about them."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from trnkit.rules.stack_set import Template


def read_template(path: Path, assembly: Path) -> Template:
    """A template of a cloud assembly, with its stack's name and region from the manifest.

    Args:
        path: The template.
        assembly: The folder that holds its `manifest.json`. Without one, name and region stay
            unknown.
    """
    artifact = _artifacts(assembly).get(path.name, {})
    body: Any = json.loads(path.read_text(encoding="utf-8"))
    region = str(artifact.get("environment", "")).rpartition("/")[2]
    name = artifact.get("properties", {}).get("stackName") or path.stem
    known = region if region and "unknown" not in region else None
    return Template(name=name, path=str(path), body=body, region=known)


@functools.lru_cache(maxsize=64)
def _artifacts(assembly: Path) -> dict[str, dict[str, Any]]:
    """Template file name -> the manifest's entry for it."""
    manifest = assembly / "manifest.json"
    if not manifest.is_file():
        return {}
    artifacts: dict[str, dict[str, Any]] = json.loads(manifest.read_text("utf-8"))["artifacts"]
    return {
        artifact["properties"]["templateFile"]: artifact
        for artifact in artifacts.values()
        if "templateFile" in artifact.get("properties", {})
    }
