"""Reads what `trnkit diff` was given: a template, a folder of templates, or a cloud assembly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from trnkit.config.yaml_reader import unreadable
from trnkit.operations.changes.pairs import Side
from trnkit.operations.changes.stacks import Stack
from trnkit.operations.places import OTHER_PLACE, place_at
from trnkit.operations.template_files import NotATemplateError, read_template, template_paths
from trnkit.rules.cloud_assembly import AssemblyStack, is_assembly, read_assembly
from trnkit.rules.stack_set import StackSet, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.operations.template_files import TemplateFile

InputKind = Literal["cluster file", "template", "folder", "cloud assembly"]

_NESTED_TEMPLATES = "*.nested.template.json"
_CLUSTER_KEYS = frozenset({"region", "compute", "network", "storage", "budget", "orchestrator"})


@dataclass(frozen=True, slots=True)
class Input:
    """One side of a comparison, as it was named.

    Attributes:
        path: As the user wrote it.
        kind: What it is.
        template: The parsed template, where it is one.
    """

    path: str
    kind: InputKind
    template: TemplateFile | None = None


def recognise(path: str) -> Input:
    """Tell what stands at a path.

    Raises:
        UnreadableInputError: Nothing that can be compared.
    """
    place = place_at(path, path)
    if place == "folder":
        return Input(path, "cloud assembly" if is_assembly(Path(path)) else "folder")
    try:
        return Input(path, "template", read_template(path))
    except NotATemplateError as error:
        # A pipe (<(git show HEAD:t.yaml)) has been read by now, and cannot be read again.
        if place != OTHER_PLACE and _is_cluster_file(path):
            return Input(path, "cluster file")
        raise unreadable(
            path,
            f"neither a CloudFormation template ({error}) nor a cluster file"
            if place != OTHER_PLACE
            else f"a {place}, and what it gives is no CloudFormation template: {error}",
            "name two templates, two cluster files, two folders or two cdk.out",
        ) from None


def _is_cluster_file(path: str) -> bool:
    from trnkit.config.loader import read_text
    from trnkit.config.yaml_reader import read_yaml
    from trnkit.errors import UnreadableInputError

    # What is no text at all is neither, and says so itself.
    text = read_text(path, path)
    try:
        data = read_yaml(text, path).data
    except UnreadableInputError:
        # A cluster file that is broken YAML still looks like one, and is worth its own message.
        return path.lower().endswith((".yaml", ".yml"))
    return isinstance(data, dict) and not _CLUSTER_KEYS.isdisjoint(data)


def read_stacks(source: Input) -> list[Stack]:
    """The stacks of a template, a folder or a cloud assembly.

    Raises:
        UnreadableInputError: A file cannot be read, or there is no template.
    """
    if source.template is not None:
        return together([_stack(source.template, Path(source.path).stem)])
    folder = Path(source.path)
    stacks = (
        [*assembly_stacks(folder, shown=True)]
        if source.kind == "cloud assembly"
        else [*_folder_stacks(folder)]
    )
    if not stacks:
        raise unreadable(
            source.path,
            "the folder holds no CloudFormation template",
            "name another folder or a file",
        )
    return together(stacks)


def together(stacks: Sequence[Stack]) -> list[Stack]:
    """The stacks, which from then on know each other's exports."""
    StackSet([stack.side.template for stack in stacks])
    return [*stacks]


def _folder_stacks(folder: Path) -> Iterator[Stack]:
    inside: set[Path] = set()
    for path in template_paths(folder):
        if any(parent in inside for parent in path.parents):
            continue
        if is_assembly(path.parent) and path.parent != folder:
            inside.add(path.parent)
            yield from assembly_stacks(path.parent, shown=True)
            continue
        try:
            file = read_template(str(path))
        except NotATemplateError:
            continue
        yield _stack(file, _name(path.relative_to(folder)))


def _name(path: Path) -> str:
    """`network/vpc` of `network/vpc.template.json`."""
    name = path.name.removesuffix(".json").removesuffix(".template")
    return str(path.with_name(Path(name).stem if name == path.name else name))


def assembly_stacks(folder: Path, *, shown: bool) -> Iterator[Stack]:
    """The stacks of a cloud assembly, and the templates of their nested stacks.

    Args:
        folder: The assembly.
        shown: Whether its files are there for the reader to open.

    Raises:
        UnreadableInputError: The manifest or a template cannot be read.
    """
    try:
        stacks = read_assembly(folder)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise unreadable(
            str(folder / "manifest.json"), f"not a manifest: {reason}", "synthesize again"
        ) from None
    nested: dict[Path, AssemblyStack] = {}
    for found in stacks:
        nested.setdefault(found.template.parent, found)
        yield _of_assembly(found.template, found.name, found, shown=shown)
    for parent, found in nested.items():
        for path in sorted(parent.glob(_NESTED_TEMPLATES)):
            yield _of_assembly(path, path.name.partition(".")[0], found, shown=shown)


def _of_assembly(path: Path, name: str, found: AssemblyStack, *, shown: bool) -> Stack:
    try:
        file = read_template(str(path))
    except NotATemplateError as error:
        raise unreadable(
            str(path), f"not a CloudFormation template: {error}", "synthesize again"
        ) from None
    stack = _stack(file, name, found.region)
    stack.account = found.account
    stack.protected = found.termination_protection
    stack.shown_file = file.path if shown else None
    return stack


def _stack(file: TemplateFile, name: str, region: str | None = None) -> Stack:
    template = Template(name=name, path=file.path, body=file.body, region=region)
    return Stack(name=name, side=Side.of(template), file=file, shown_file=file.path, region=region)
