"""Reads a synthesized cloud assembly (`cdk.out`): its stacks, their regions and their templates.

Plain JSON; the format's description is
https://docs.aws.amazon.com/cdk/v2/guide/deploy.html and the `cloud-assembly-schema` package.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ENVIRONMENT = re.compile(r"aws://(?P<account>[^/]+)/(?P<region>[^/]+)")
_NESTED = "cdk:cloud-assembly"
_STACK = "aws:cloudformation:stack"
_MAX_NESTING = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyStack:
    """One stack of a cloud assembly.

    Attributes:
        id: What `cdk deploy` calls it, e.g. `pretrain/Network`.
        name: Its name in CloudFormation.
        region: Its region; None when the stack is made for any.
        template: Its template file.
    """

    id: str
    name: str
    region: str | None
    template: Path


def is_assembly(folder: Path) -> bool:
    """Whether a folder is a cloud assembly: the CDK puts a marker beside the manifest."""
    return (folder / "cdk.out").is_file() and (folder / "manifest.json").is_file()


def read_assembly(folder: Path) -> tuple[AssemblyStack, ...]:
    """List the stacks of an assembly and of those nested in it, in the manifest's order.

    Raises:
        ValueError: The manifest is not one.
        OSError: It cannot be read.
    """
    return tuple(_read(folder, _MAX_NESTING))


def _read(folder: Path, depth: int) -> list[AssemblyStack]:
    stacks: list[AssemblyStack] = []
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    artifacts = _section(manifest, "artifacts")
    for artifact_id in artifacts:
        artifact = _section(artifacts, artifact_id)
        properties = _section(artifact, "properties")
        kind = artifact.get("type")
        if kind == _NESTED and depth > 0:
            nested = _inside(folder, properties.get("directoryName"))
            if nested is not None and is_assembly(nested):
                stacks += _read(nested, depth - 1)
        elif kind == _STACK:
            template = _inside(folder, properties.get("templateFile"))
            if template is not None:
                stacks.append(_stack(artifact_id, artifact, properties, template))
    return stacks


def _stack(
    artifact_id: str, artifact: dict[str, Any], properties: dict[str, Any], template: Path
) -> AssemblyStack:
    environment = _ENVIRONMENT.fullmatch(str(artifact.get("environment")))
    region = environment["region"] if environment else "unknown-region"
    return AssemblyStack(
        id=str(artifact.get("displayName") or artifact_id),
        name=str(properties.get("stackName") or artifact_id),
        region=None if region == "unknown-region" else region,
        template=template,
    )


def _section(value: Any, key: str) -> dict[str, Any]:
    section = value.get(key) if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    return section if isinstance(section, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _inside(folder: Path, name: object) -> Path | None:
    """A file or folder below `folder`; None for a name that leads out of it."""
    if not isinstance(name, str) or Path(name).is_absolute() or ".." in Path(name).parts:
        return None
    return folder / name
