"""docs/config.md: every key of the cluster file, from its JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from scripts.doc_pages.cluster_schema import model_schema
from scripts.doc_pages.markdown import bullets, code, link, page, table, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALLEST = """\
name: dev
region: us-east-2
compute:
  node_groups:
    - name: train
      instance_type: trn2.48xlarge
      count: 1
budget:
  limit_usd: 20000
  emails: [ml-platform@example.com]
"""
"""The least a cluster file can say; a test loads it."""

_INTRO = """\
One YAML file describes one cluster. `trnkit init` writes a commented one, `trnkit check` names
the mistakes in one with their lines (keys and types first, then what does not go together), and the
[examples](../examples) are files that work. This page lists every key. Any other key is an error,
with the nearest right one in the message."""

_READER = """\
The reader is strict about YAML's surprises: only `true` and `false` are booleans (`no` is text), a
number keeps the digits it was written with where text is wanted (`account: 012345678901`,
`file_system_type_version: 2.10`), a key that stands twice is an error, and so are tags and a second
document in the file. Anchors, aliases and `<<` work. A key without a value (`tags:` and nothing
after it) is an error, except where the default below is "left out"."""

_EDITOR = """\
Editors that know JSON Schema complete keys and mark mistakes as you type. The schema is
[`trnkit/config/cluster.schema.json`](../trnkit/config/cluster.schema.json), also in an installed
package; name it in the first line of the file, as a path from the file or an address:"""

_EDITOR_LINE = "# yaml-language-server: $schema=../trnkit/config/cluster.schema.json"

_CHANGES = (
    ("in place", "The deployed resource is changed; nothing is replaced and no node restarts."),
    (
        "new nodes only",
        "The launch template gets a new version. Running nodes keep what they have; nodes that "
        "start afterwards get it. Start an instance refresh when you want it everywhere.",
    ),
    ("replaces nodes", "The group's nodes are terminated and others are started."),
    (
        "replaces",
        "CloudFormation makes a new resource and deletes the old one. In `network` and `account` "
        "this means a new cluster: CloudFormation refuses to change exports that other stacks use.",
    ),
    (
        "destroys data",
        "What the cluster has afterwards is new and empty. The old file system is kept, and "
        "billed, until you delete it; the data does not move.",
    ),
)


@dataclass(frozen=True)
class _Section:
    """A section: its path, the keys it has, and how its parent describes it."""

    path: str
    schema: dict[str, Any]
    key: dict[str, Any]
    required: bool


def render() -> str:
    """The page."""
    schema = model_schema()
    definitions = schema["$defs"]
    sections = list(_sections(_Section("", schema, {}, True), definitions))
    return page(
        "# The cluster file",
        _INTRO,
        "The smallest file that is complete; every other key has a default:",
        code(SMALLEST, "yaml"),
        _READER,
        "## In an editor",
        _EDITOR,
        code(_EDITOR_LINE, "yaml"),
        "## What a later change does",
        table(["Word", "Meaning"], _CHANGES),
        "## Sections",
        _contents(sections),
        *(_section(section, definitions) for section in sections),
    )


def _sections(section: _Section, definitions: dict[str, Any]) -> Iterator[_Section]:
    yield section
    required = section.schema.get("required", ())
    for name, value in section.schema["properties"].items():
        reference, suffix = _reference(value)
        if reference:
            path = f"{section.path}.{name}{suffix}".lstrip(".")
            below = _Section(path, definitions[reference], value, name in required)
            yield from _sections(below, definitions)


def _reference(value: dict[str, Any]) -> tuple[str | None, str]:
    """The section that a key holds, and `[]` when it holds a list of them."""
    for candidate in (value, *value.get("anyOf", ()), *value.get("allOf", ())):
        if "$ref" in candidate:
            return candidate["$ref"].rpartition("/")[2], ""
    items = value.get("items", {})
    return (items["$ref"].rpartition("/")[2], "[]") if "$ref" in items else (None, "")


def _title(section: _Section) -> str:
    return section.path or "Top level"


def _contents(sections: list[_Section]) -> str:
    rows: list[tuple[str, str]] = []
    for section in sections:
        keys = [f"`{name}`" for name in section.schema["properties"]]
        rows.append((link(_title(section), _title(section)), ", ".join(keys)))
    return table(["Section", "Keys"], rows)


def _section(section: _Section, definitions: dict[str, Any]) -> str:
    """A heading, what the section is, and its keys; keys that are sections come later."""
    blocks = [f"## {_title(section)}"]
    if section.path:
        blocks.append(wrap(_described(section)))
        facts = [f"{_kind(section.key)}; {_default(section.key, section.required)}"]
        if section.path.endswith("[]"):
            facts.append(f"changing it later: {section.key['change']}")
        blocks.append(bullets(facts))
    required = section.schema.get("required", ())
    for name, value in section.schema["properties"].items():
        if not _reference(value)[0]:
            blocks.append(_key(f"{section.path}.{name}".lstrip("."), value, name in required))
    return "\n\n".join(blocks)


def _described(section: _Section) -> str:
    """What the parent says of the section, then what the section says of itself, once each."""
    outside, inside = section.key.get("description", ""), section.schema["description"]
    return inside if inside.startswith(outside.rstrip(".")) else f"{outside} {inside}"


def _key(path: str, value: dict[str, Any], required: bool) -> str:
    facts = [
        f"{_kind(value)}; {_default(value, required)}",
        f"changing it later: {value['change']}",
    ]
    if examples := value.get("examples"):
        facts.append(f"example: `{path.rpartition('.')[2]}: {_flow(examples[0])}`")
    return "\n\n".join([f"### {path}", wrap(value["description"]), bullets(facts)])


def _kind(value: dict[str, Any]) -> str:
    """The type and the allowed values in plain words."""
    if "anyOf" in value:
        kept = [option for option in value["anyOf"] if option.get("type") != "null"]
        return " or ".join(_kind(option) for option in kept)
    reference, suffix = _reference(value)
    if suffix:
        return f"list{_bounds(value)} of sections"
    if reference:
        return "section"
    if "const" in value:
        return f"only `{value['const']}`"
    if "enum" in value:
        return "one of " + ", ".join(f"`{choice}`" for choice in value["enum"])
    kind = value.get("type")
    if kind == "array":
        return f"list{_bounds(value)} of: {_kind(value['items'])}"
    if kind == "object":
        (of,) = value["patternProperties"].values()
        return f"map{_bounds(value)} of text to text, {_shape(of)}"
    if kind == "boolean":
        return "`true` or `false`"
    if kind in ("integer", "number"):
        return ("whole number" if kind == "integer" else "number") + _range(value)
    return f"text, {_shape(value)}" if _shape(value) else "text"


def _shape(value: dict[str, Any]) -> str:
    words = str(value.get("patternErrorMessage", "")).removeprefix("must be ")
    return words


def _range(value: dict[str, Any]) -> str:
    low, high = value.get("minimum"), value.get("maximum")
    above = value.get("exclusiveMinimum")
    if low is not None and high is not None:
        return f", {_number(low)} to {_number(high)}"
    parts: list[str] = []
    if above is not None:
        parts.append(f"more than {_number(above)}")
    if low is not None:
        parts.append(f"at least {_number(low)}")
    if high is not None:
        parts.append(f"at most {_number(high)}")
    return f", {' and '.join(parts)}" if parts else ""


def _bounds(value: dict[str, Any]) -> str:
    low = value.get("minItems", value.get("minProperties", 0))
    high = value.get("maxItems", value.get("maxProperties"))
    if high is None:
        return f" ({low} or more)" if low else ""
    return f" ({low} to {high})"


def _number(value: Any) -> str:
    return f"{int(value):,}" if value == int(value) else str(value)


def _default(value: dict[str, Any], required: bool) -> str:
    if required:
        return "required"
    default = value.get("default")
    if default is None:
        return "default: left out"
    if default in ([], {}):
        return "default: none"
    if _reference(value)[0]:
        return "default: as its keys say" if isinstance(default, dict) else "default: as above"
    return f"default: `{_flow(default)}`"


def _flow(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=1000, allow_unicode=True)
    return text.removesuffix("...\n").strip().replace("'", '"')
