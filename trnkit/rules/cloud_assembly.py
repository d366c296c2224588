"""Reads a synthesized cloud assembly (`cdk.out`): its stacks, their regions and their templates.

Plain JSON; the format's description is
https://docs.aws.amazon.com/cdk/v2/guide/deploy.html and the `cloud-assembly-schema` package.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trnkit.rules.stack_set import Template

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENVIRONMENT = re.compile(r"aws://(?P<account>[^/]+)/(?P<region>[^/]+)")
_MANIFEST = "manifest.json"
_NESTED = "cdk:cloud-assembly"
_STACK = "aws:cloudformation:stack"
_MAX_NESTING = 8

# What the CDK, its command line and cdk-nag put into an assembly, beside what its manifest lists.
_OWN_NAMES = (
    "cdk.out",
    _MANIFEST,
    "tree.json",
    "*.template.json",
    "*.assets.json",
    "*.metadata.json",
    "asset.*",
    ".cache",
    "*validation-report.json",
    "*-NagReport.*",
    "synth.lock",
    "read.*.lock",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyStack:
    """One stack of a cloud assembly.

    Attributes:
        id: What `cdk deploy` calls it, e.g. `pretrain/Network`.
        name: Its name in CloudFormation.
        region: Its region; None when the stack is made for any.
        template: Its template file.
        account: Its account; None when it is made for any.
        termination_protection: Whether it is protected against deletion.
    """

    id: str
    name: str
    region: str | None
    template: Path
    account: str | None = None
    termination_protection: bool = False


def is_assembly(folder: Path) -> bool:
    """Whether a folder is a cloud assembly: the CDK puts a marker beside the manifest."""
    return (folder / "cdk.out").is_file() and (folder / _MANIFEST).is_file()


def read_assembly(folder: Path) -> tuple[AssemblyStack, ...]:
    """List the stacks of an assembly and of those nested in it, in the manifest's order.

    Args:
        folder: The assembly.

    Raises:
        ValueError: The manifest is not one.
        OSError: It cannot be read.
    """
    return tuple(_read(folder, _MAX_NESTING))


def read_template(path: Path, assembly: Path) -> Template:
    """A template of a cloud assembly, with its stack's name and region from the manifest.

    Args:
        path: The template.
        assembly: The folder that holds its `manifest.json`. Without one, name and region stay
            unknown.
    """
    body: Any = json.loads(path.read_text(encoding="utf-8"))
    stacks = read_assembly(assembly) if (assembly / _MANIFEST).is_file() else ()
    for stack in stacks:
        if stack.template == assembly / path.name:
            return Template(name=stack.name, path=str(path), body=body, region=stack.region)
    return Template(name=path.stem, path=str(path), body=body, region=None)


def strange_entries(folder: Path) -> Iterator[Path]:
    """Files and folders in an assembly that neither its manifest nor the CDK's own names explain.

    Args:
        folder: The assembly; those nested in it are looked through too.
    """
    yield from _strange(folder, _MAX_NESTING)


def _strange(folder: Path, depth: int) -> Iterator[Path]:
    listed = _listed(folder)
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink() and depth > 0 and is_assembly(entry):
            yield from _strange(entry, depth - 1)
        elif entry.name not in listed and not any(fnmatchcase(entry.name, n) for n in _OWN_NAMES):
            yield entry


def _listed(folder: Path) -> set[str]:
    """Names of files and folders that the manifest gives to its artifacts."""
    try:
        artifacts = _artifacts(folder)
    except (OSError, ValueError):
        return set()
    names: set[str] = set()
    for artifact_id in artifacts:
        artifact = _section(artifacts, artifact_id)
        properties = _section(artifact, "properties")
        keys = ("templateFile", "file", "directoryName")
        files = [artifact.get("additionalMetadataFile"), *(properties.get(key) for key in keys)]
        names |= {Path(file).parts[0] for file in files if isinstance(file, str) and file}
    return names


def _artifacts(folder: Path) -> dict[str, Any]:
    return _section(json.loads((folder / _MANIFEST).read_text(encoding="utf-8")), "artifacts")


def _read(folder: Path, depth: int) -> Iterator[AssemblyStack]:
    artifacts = _artifacts(folder)
    for artifact_id in artifacts:
        artifact = _section(artifacts, artifact_id)
        properties = _section(artifact, "properties")
        kind = artifact.get("type")
        if kind == _NESTED and depth > 0:
            nested = _inside(folder, properties.get("directoryName"))
            if nested is not None and is_assembly(nested):
                yield from _read(nested, depth - 1)
        elif kind == _STACK:
            template = _inside(folder, properties.get("templateFile"))
            if template is not None:
                yield _stack(artifact_id, artifact, properties, template)


def _stack(
    artifact_id: str, artifact: dict[str, Any], properties: dict[str, Any], template: Path
) -> AssemblyStack:
    environment = _ENVIRONMENT.fullmatch(str(artifact.get("environment")))
    region = environment["region"] if environment else "unknown-region"
    account = environment["account"] if environment else "unknown-account"
    return AssemblyStack(
        id=str(artifact.get("displayName") or artifact_id),
        name=str(properties.get("stackName") or artifact_id),
        region=None if region == "unknown-region" else region,
        template=template,
        account=None if account == "unknown-account" else account,
        termination_protection=properties.get("terminationProtection") is True,
    )


def _section(value: Any, key: str) -> dict[str, Any]:
    section = value.get(key) if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    return section if isinstance(section, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _inside(folder: Path, name: object) -> Path | None:
    """A file or folder below `folder`; None for a name that leads out of it."""
    if not isinstance(name, str) or Path(name).is_absolute() or ".." in Path(name).parts:
        return None
    return folder / name
