"""Deployments that must fail, made from an assembly that works."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trnkit.rules.cloud_assembly import AssemblyStack, read_assembly

if TYPE_CHECKING:
    from collections.abc import Callable

Template = dict[str, Any]

NO_SUCH_CARD = 40
"""A network card that no instance type has: far beyond the largest known number of cards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An assembly with one stack that AWS refuses to update.

    Attributes:
        directory: The assembly.
        stack: The stack that is broken.
        words: What is wrong with it.
        shrinks: Whether it takes capacity from a file system.
    """

    directory: Path
    stack: AssemblyStack
    words: str
    shrinks: bool


def faults_of(assembly: Path, folder: Path) -> list[Fault]:
    """Break an assembly in each way that applies to it.

    Args:
        assembly: An assembly that is deployed.
        folder: Where the broken copies go.
    """
    found: list[Fault] = []
    for spoil in (_shrink, _one_card_too_many):
        directory = folder / f"fault-{len(found)}"
        shutil.copytree(assembly, directory)
        broken = _break(directory, spoil)
        if broken is None:
            shutil.rmtree(directory)
        else:
            found.append(broken)
    return found


def _break(directory: Path, spoil: Callable[[Template], str | None]) -> Fault | None:
    for stack in read_assembly(directory):
        old = stack.template.read_bytes()
        template = json.loads(old)
        words = spoil(template)
        if words is None:
            continue
        _mark_others(template)
        new = json.dumps(template, indent=1).encode()
        stack.template.write_bytes(new)
        _rename_asset(directory, old, new)
        return Fault(directory=directory, stack=stack, words=words, shrinks=spoil is _shrink)
    return None


def _shrink(template: Template) -> str | None:
    """FSx for Lustre grows and never shrinks.

    Source: https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-storage-capacity.html
    """
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        capacity = properties.get("StorageCapacity")
        if resource["Type"] == "AWS::FSx::FileSystem" and isinstance(capacity, int):
            properties["StorageCapacity"] = capacity // 2
            return f"a file system of {capacity} GiB shall shrink to {capacity // 2} GiB"
    return None


def _one_card_too_many(template: Template) -> str | None:
    """An interface on a network card that the instance type does not have.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html#network-cards
    """
    for resource in template["Resources"].values():
        if resource["Type"] != "AWS::EC2::LaunchTemplate":
            continue
        interfaces = resource["Properties"]["LaunchTemplateData"].get("NetworkInterfaces", [])
        if interfaces:
            more = copy.deepcopy(interfaces[-1])
            more["NetworkCardIndex"] = NO_SUCH_CARD
            interfaces.append(more)
            return f"a launch template shall have an interface on network card {NO_SUCH_CARD}"
    return None


def _mark_others(template: Template) -> None:
    """Change something that works in the same update, so that there is something to roll back."""
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::EC2::SecurityGroup":
            tags = resource["Properties"].setdefault("Tags", [])
            tags.append({"Key": "rehearsal", "Value": "must-be-rolled-back"})
            return


def _rename_asset(directory: Path, old: bytes, new: bytes) -> None:
    """Give a changed template another asset id: the CDK uploads no asset that is there already."""
    before, after = hashlib.sha256(old).hexdigest(), hashlib.sha256(new).hexdigest()
    for file in directory.rglob("*.json"):
        text = file.read_text(encoding="utf-8")
        if before in text:
            file.write_text(text.replace(before, after), encoding="utf-8")
