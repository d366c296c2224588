"""Reads a file of DescribeInstanceTypes entries: types that the catalogue does not have yet.

One that `trnkit catalog refresh` wrote says also on which day AWS was asked, and where types are
offered. What is newer than the catalogue then counts for types of the catalogue too.

The file is what the AWS CLI prints (or a list of entries), as JSON; YAML is read too, since the
reader is that of cluster files, with the same limits on size, depth and number of values and the
same line and column in each finding. Nothing is ever fetched.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from trnkit.catalog import (
    InstanceType,
    add_described_types,
    conflict_of,
    instance_type_from_description,
    refreshed_instance_type,
)
from trnkit.catalog.instance_types import catalogue_instance_type
from trnkit.config.complaints import problems_of
from trnkit.config.instance_descriptions import (
    Answer,
    Description,
    RefreshedAnswer,
    RefreshHead,
)
from trnkit.config.loader import read_text
from trnkit.config.named_files import about_named_file
from trnkit.config.yaml_reader import YamlDocument, format_path, read_yaml, unreadable
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.findings import Finding, Severity, sort_findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path

KEY = "instance_types_file"
_REFERENCE = "name a JSON file, relative to the cluster file"
_ASK = "aws ec2 describe-instance-types --instance-types TYPE prints one"
_WHOLE = "take whole entries: aws ec2 describe-instance-types --instance-types TYPE"


def read_instance_types(path: str | FilePath) -> tuple[InstanceType, ...]:
    """Read instance types from a file, for `trnkit.catalog.add_instance_types` or a construct.

    Args:
        path: A DescribeInstanceTypes answer as the AWS CLI prints it, or a list of its entries.

    Raises:
        UnreadableInputError: It is not there, too large or not JSON.
        ConfigurationError: An entry lacks something or contradicts the catalogue; carries every
            finding.
    """
    file = str(path)
    return instance_types_in(read_text(file, file, _ASK), file)


def instance_types_in(text: str, file: str) -> tuple[InstanceType, ...]:
    """Like `read_instance_types`, for text already in memory; `file` names it in messages."""
    document = _parsed(text, file)
    root, prefix = _root(document)
    findings = list(document.findings)
    entries: list[tuple[Path, InstanceType]] = []
    try:
        parsed = root.validate_python(document.data)
    except ValidationError as error:
        model = _model(document.data) if prefix else Description
        findings += map(_with_remedy, problems_of(document, error, model))
    else:
        descriptions: list[Description] = parsed.InstanceTypes if prefix else parsed
        entries = [((*prefix, i), described_instance_type(d)) for i, d in enumerate(descriptions)]
        if isinstance(parsed, RefreshedAnswer):
            entries = list(_refreshed(parsed.trnkit, entries))
    findings += _conflicts(document, entries)
    if findings:
        raise ConfigurationError(sort_findings(findings))
    return tuple(dict.fromkeys(entry for _, entry in entries))


def refreshed_answer_in(text: str, file: str) -> RefreshedAnswer | None:
    """What `trnkit catalog refresh` wrote; None when a text is anything else.

    Args:
        text: The text of a file.
        file: Its name, for messages.

    Raises:
        UnreadableInputError: It is neither JSON nor YAML.
    """
    document = _parsed(text, file)
    if document.findings or not isinstance(document.data, dict):
        return None
    try:
        return RefreshedAnswer.model_validate(document.data)
    except ValidationError:
        return None


def described_types(
    cluster: YamlDocument, named: str
) -> tuple[tuple[InstanceType, ...], list[Finding]]:
    """Read what a cluster file names in `instance_types_file`, and make it known.

    Args:
        cluster: The cluster file.
        named: What it names, relative to itself.

    Returns:
        The types, and what is wrong with the file.
    """
    try:
        entries = read_instance_types(FilePath(cluster.file).parent / named)
    except UnreadableInputError as error:
        return (), [about_named_file(error.finding, cluster, (KEY,), named, _REFERENCE)]
    except ConfigurationError as error:
        return (), list(error.findings)
    add_described_types(entries)
    return entries, []


def _parsed(text: str, file: str) -> YamlDocument:
    try:
        return read_yaml(text, file)
    except UnreadableInputError as error:
        message = error.finding.message.replace("not valid YAML", "neither JSON nor YAML")
        raise UnreadableInputError(replace(error.finding, message=message)) from None


def _root(document: YamlDocument) -> tuple[Any, Path]:
    """What validates the document, and where its entries are."""
    if isinstance(document.data, list) and document.data:
        return TypeAdapter(list[Description]), ()
    if isinstance(document.data, dict):
        return TypeAdapter(_model(document.data)), ("InstanceTypes",)
    message = "the file holds no DescribeInstanceTypes answer and no list of its entries"
    raise unreadable(document.file, message, _WHOLE, document.locate(()))


def _model(data: dict[str, Any]) -> type[Answer] | type[RefreshedAnswer]:
    return RefreshedAnswer if "trnkit" in data else Answer


def _refreshed(
    head: RefreshHead, entries: list[tuple[Path, InstanceType]]
) -> Iterator[tuple[Path, InstanceType]]:
    """Entries with their day and zones, and those of types that only have other zones now."""
    zones: dict[str, dict[str, tuple[str, ...]]] = {}
    for region, offered in sorted(head.offerings.items()):
        for name, ids in offered.items():
            zones.setdefault(name, {})[region] = tuple(ids)
    for path, entry in entries:
        yield from _newer(head, path, entry, zones.pop(entry.name, {}))
    for name in sorted(zones):
        known = catalogue_instance_type(name)
        if known is not None:  # Where a type is offered helps nobody who cannot build with it.
            yield from _newer(head, ("trnkit", "offerings"), known, zones[name])


def _newer(
    head: RefreshHead, path: Path, entry: InstanceType, zones: dict[str, tuple[str, ...]]
) -> Iterator[tuple[Path, InstanceType]]:
    """The entry as it was read, unless the catalogue is newer than that."""
    known = catalogue_instance_type(entry.name)
    if known is None or (known.date or "") <= head.read:
        offerings = tuple(zones.items())
        dated = replace(entry, date=head.read, described_offerings=offerings)
        yield path, refreshed_instance_type(dated)


def _with_remedy(finding: Finding) -> Finding:
    is_ec2s = finding.rule_id == "TRN004" and ".trnkit." not in (finding.path or "")
    return replace(finding, hint=_WHOLE) if is_ec2s else finding


def described_instance_type(description: Description) -> InstanceType:
    """What an entry of EC2's answer says, with trnkit's own key in it."""
    stated = description.model_dump(exclude_none=True, exclude={"trnkit"})
    entry = replace(instance_type_from_description(stated), source=(KEY,))
    own = description.trnkit
    if own is None:
        return entry
    return replace(
        entry,
        logical_neuroncore_sizes=tuple(own.logical_neuroncore_sizes),
        default_logical_neuroncore_size=own.default_logical_neuroncore_size,
    )


def _conflicts(document: YamlDocument, entries: list[tuple[Path, InstanceType]]) -> list[Finding]:
    """Entries that contradict the catalogue, another file, or one another."""
    findings: list[Finding] = []
    first: dict[str, InstanceType] = {}
    for path, entry in entries:
        conflict = conflict_of(entry)
        if first.setdefault(entry.name, entry) != entry:
            conflict = "otherwise than above"
        if conflict is None:
            continue
        mark = document.locate(path)
        findings.append(
            Finding(
                rule_id="TRN005",
                severity=Severity.ERROR,
                message=f"{format_path(path)} describes {entry.name} {conflict}",
                hint="remove the entry, or make it agree",
                path=format_path(path),
                file=document.file,
                line=mark.line,
                column=mark.column,
            )
        )
    return findings
