"""docs/constructs.md: every public construct, from its docstring and signature."""

from __future__ import annotations

import re

from scripts.doc_pages.construct_source import (
    Callable,
    Docstring,
    Public,
    capabilities,
    public_names,
    purpose,
)
from scripts.doc_pages.markdown import bullets, code, link, page, source, table, wrap

_INTRO = """\
The constructs work without the cluster file and without the stacks: take one into your own CDK app.
Each takes keyword arguments in AWS's own terms after `scope` and `construct_id`, takes other
people's resources by CDK interface, checks its arguments before it creates anything, and raises
`trnkit.errors.ConstructError` (a `ValueError`) when they cannot make a working resource. None reads
the environment, a file or the network, so synthesis needs no account."""

_TYPE = re.compile(r"AWS::\w+::\w+")


def render() -> str:
    """The page."""
    rooms = {room: public_names(room) for room in capabilities()}
    return page(
        "# Constructs",
        _INTRO,
        table(
            ["Room", "For", "Names"],
            [
                (
                    f"`constructs_lib.{room}`",
                    purpose(room),
                    ", ".join(link(n.name, n.name) for n in names),
                )
                for room, names in rooms.items()
            ],
        ),
        *(_entry(name) for names in rooms.values() for name in names),
    )


def _entry(public: Public) -> str:
    doc = public.doc
    types = list(dict.fromkeys(_TYPE.findall(doc.text)))
    blocks = [
        f"## {public.name}",
        code(f"from constructs_lib.{public.capability} import {public.name}", "python"),
        *_paragraphs(doc),
        f"CloudFormation types: {', '.join(f'`{kind}`' for kind in types)}" if types else "",
        _arguments(public),
        _attributes(public),
        *(_method(method) for method in public.methods),
        _example(doc),
        _sources(doc),
    ]
    return "\n\n".join(block for block in blocks if block)


def _paragraphs(doc: Docstring) -> list[str]:
    return [wrap(paragraph) for paragraph in re.split(r"\n\s*\n", doc.text) if paragraph.strip()]


def _arguments(public: Public) -> str:
    rows = [
        (
            f"`{argument.name}`",
            f"`{argument.kind}`",
            "required" if argument.default is None else f"`{argument.default}`",
            public.argument_doc.get(argument.name, ""),
        )
        for argument in public.arguments
    ]
    return table(["Argument", "Type", "Default", "Meaning"], rows) if rows else ""


def _attributes(public: Public) -> str:
    if not public.attributes:
        return ""
    rows = [(f"`{name}`", meaning) for name, meaning in public.attributes.items()]
    return table(["Attribute", "Meaning"], rows)


def _method(method: Callable) -> str:
    meanings = method.doc.entries("Args")
    signature = ", ".join(argument.name for argument in method.arguments)
    lines = [wrap(f"`{method.name}({signature})`: {' '.join(method.doc.text.split())}")]
    told = [f"`{name}`: {meaning}" for name, meaning in meanings.items()]
    return "\n\n".join([*lines, *([bullets(told)] if told else [])])


def _example(doc: Docstring) -> str:
    text = doc.sections.get("Example", "")
    if ">>>" not in text or "# see " in text:
        return ""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith((">>> ", "... ")):
            lines.append(line[4:])
        elif line.strip():
            lines[-1] += f"  # {line.strip()}"
    return code("\n".join(lines), "python")


def _sources(doc: Docstring) -> str:
    addresses = doc.sections.get("Source", "").split()
    word = "Source" if len(addresses) == 1 else "Sources"
    return f"{word}: {', '.join(map(source, addresses))}" if addresses else ""
