"""Reads the public constructs from their source text, so that no Node.js is needed for the docs."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent / "constructs_lib"
_SECTION = re.compile(r"^(Args|Attributes|Example|Raises|Returns|Sources?):[ ]*(.*)$")


@dataclass(frozen=True)
class Docstring:
    """A docstring in Google's style, taken apart: `""` is the text before the first section."""

    sections: dict[str, str]

    @property
    def text(self) -> str:
        """What stands before the first section."""
        return self.sections[""]

    def entries(self, section: str) -> dict[str, str]:
        """The `name: description` entries of a section."""
        found: dict[str, str] = {}
        name = ""
        for line in self.sections.get(section, "").splitlines():
            match = re.match(r"(\w+): (.*)", line)
            if match and not line.startswith(" "):
                name = match[1]
                found[name] = match[2]
            elif name:
                found[name] += f" {line.strip()}"
        return found


@dataclass(frozen=True)
class Argument:
    """An argument: its name, its type and its default as written in the source."""

    name: str
    kind: str
    default: str | None


@dataclass(frozen=True)
class Callable:
    """A function or a method."""

    name: str
    arguments: tuple[Argument, ...]
    doc: Docstring


@dataclass(frozen=True)
class Public:
    """A public name of constructs_lib.

    Attributes:
        capability: Its room, e.g. `network`.
        name: The class or function.
        doc: Its docstring.
        arguments: What its constructor (or it, if a function) takes, without scope and id.
        argument_doc: Argument -> what it means.
        attributes: Public attribute -> what it is.
        methods: Its further public methods.
    """

    capability: str
    name: str
    doc: Docstring
    arguments: tuple[Argument, ...]
    argument_doc: dict[str, str]
    attributes: dict[str, str]
    methods: tuple[Callable, ...]


def capabilities() -> tuple[str, ...]:
    """The rooms of constructs_lib."""
    return tuple(sorted(path.parent.name for path in ROOT.glob("*/__init__.py")))


def purpose(capability: str) -> str:
    """The first line of a room's docstring."""
    return (ast.get_docstring(_parse(ROOT / capability / "__init__.py")) or "").partition("\n")[0]


def public_names(capability: str) -> tuple[Public, ...]:
    """What a room exports, in the order of its `__all__`."""
    room = _parse(ROOT / capability / "__init__.py")
    exported: list[str] = []
    homes: dict[str, str] = {}
    for node in ast.walk(room):  # also what is imported for type checkers and loaded when named
        if isinstance(node, ast.ImportFrom) and node.module:
            homes |= {alias.name: node.module.rpartition(".")[2] for alias in node.names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            exported = ast.literal_eval(node.value)
    return tuple(
        _public(capability, name, ROOT / capability / f"{homes[name]}.py") for name in exported
    )


def parse_docstring(text: str | None) -> Docstring:
    """Take a docstring apart."""
    sections: dict[str, list[str]] = {"": []}
    current = ""
    for line in inspect.cleandoc(text or "").splitlines():
        match = _SECTION.match(line)
        if match:
            current = match[1].removesuffix("s") if match[1].startswith("Source") else match[1]
            sections[current] = [f"    {match[2]}"] if match[2] else []
        else:
            sections[current].append(line)
    cleaned = {name: inspect.cleandoc("\n".join(["", *lines])) for name, lines in sections.items()}
    return Docstring(cleaned)


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _public(capability: str, name: str, path: Path) -> Public:
    for node in _parse(path).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            made = _callable(node)
            entries = made.doc.entries("Args")
            return Public(capability, name, made.doc, made.arguments, entries, {}, ())
        if isinstance(node, ast.ClassDef) and node.name == name:
            return _class(capability, node)
    raise LookupError(f"{path} does not define {name}")


def _class(capability: str, node: ast.ClassDef) -> Public:
    doc = parse_docstring(ast.get_docstring(node, clean=False))
    functions = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    constructor = next((item for item in functions if item.name == "__init__"), None)
    if constructor is None:
        fields = tuple(_fields(node))
        arguments, argument_doc, attributes = fields, doc.entries("Attributes"), {}
    else:
        made = _callable(constructor)
        arguments, argument_doc = made.arguments, made.doc.entries("Args")
        attributes = _attributes(node)
    methods = tuple(_callable(item) for item in functions if _is_for_users(item))
    return Public(capability, node.name, doc, arguments, argument_doc, attributes, methods)


def _is_for_users(function: ast.FunctionDef) -> bool:
    decorators = {ast.unparse(decorator) for decorator in function.decorator_list}
    text = ast.get_docstring(function) or ""
    called_by_cdk = "CDK calls it" in text
    return not function.name.startswith("_") and "property" not in decorators and not called_by_cdk


def _callable(function: ast.FunctionDef) -> Callable:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = [
        *zip(positional, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    made = tuple(
        Argument(
            item.arg,
            ast.unparse(item.annotation) if item.annotation else "",
            None if default is None else " ".join(ast.unparse(default).split()),
        )
        for item, default in pairs
        if item.arg not in ("self", "cls", "construct_id") and not _is_scope(item)
    )
    return Callable(function.name, made, parse_docstring(ast.get_docstring(function, clean=False)))


def _is_scope(item: ast.arg) -> bool:
    return (
        item.arg == "scope"
        and item.annotation is not None
        and ast.unparse(item.annotation) == "Construct"
    )


def _fields(node: ast.ClassDef) -> list[Argument]:
    return [
        Argument(
            ast.unparse(item.target),
            ast.unparse(item.annotation),
            None if item.value is None else ast.unparse(item.value),
        )
        for item in node.body
        if isinstance(item, ast.AnnAssign)
    ]


def _attributes(node: ast.ClassDef) -> dict[str, str]:
    """Annotated names of a class body with the string that follows each."""
    found: dict[str, str] = {}
    for item, following in zip(node.body, [*node.body[1:], ast.Pass()], strict=True):
        if isinstance(item, ast.AnnAssign) and isinstance(following, ast.Expr):
            text = ast.literal_eval(following.value)
            found[ast.unparse(item.target)] = " ".join(str(text).split())
    return found
