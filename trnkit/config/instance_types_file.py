"""Reads a file of DescribeInstanceTypes entries: types that the catalogue does not have yet.

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
)
from trnkit.config.complaints import problems_of
from trnkit.config.instance_descriptions import Answer, Description
from trnkit.config.loader import read_text
from trnkit.config.named_files import about_named_file
from trnkit.config.yaml_reader import YamlDocument, format_path, read_yaml, unreadable
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.findings import Finding, Severity, sort_findings

if TYPE_CHECKING:
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
    document = _parsed(read_text(file, file, _ASK), file)
    root, prefix = _root(document)
    findings = list(document.findings)
    entries: list[tuple[Path, InstanceType]] = []
    try:
        parsed = root.validate_python(document.data)
    except ValidationError as error:
        model = Answer if prefix else Description
        findings += map(_with_remedy, problems_of(document, error, model))
    else:
        descriptions: list[Description] = parsed.InstanceTypes if prefix else parsed
        entries = [((*prefix, i), _instance_type(d)) for i, d in enumerate(descriptions)]
    findings += _conflicts(document, entries)
    if findings:
        raise ConfigurationError(sort_findings(findings))
    return tuple(dict.fromkeys(entry for _, entry in entries))


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
        return TypeAdapter(Answer), ("InstanceTypes",)
    message = "the file holds no DescribeInstanceTypes answer and no list of its entries"
    raise unreadable(document.file, message, _WHOLE, document.locate(()))


def _with_remedy(finding: Finding) -> Finding:
    is_ec2s = finding.rule_id == "TRN004" and ".trnkit." not in (finding.path or "")
    return replace(finding, hint=_WHOLE) if is_ec2s else finding


def _instance_type(description: Description) -> InstanceType:
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
