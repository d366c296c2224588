"""What a finding about a file that a cluster file names is about: that file, or its name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import clipped, format_path

if TYPE_CHECKING:
    from trnkit.config.yaml_reader import Path, YamlDocument
    from trnkit.findings import Finding


def about_named_file(
    finding: Finding, cluster: YamlDocument, path: Path, named: str, hint: str
) -> Finding:
    """A finding that a named file cannot be read, as one of the cluster file (TRN005).

    Args:
        finding: What is wrong; one about the file's text stays where it is.
        cluster: The cluster file.
        path: The key that names the file.
        named: What stands there.
        hint: What to do when the name is the mistake.
    """
    finding = replace(finding, rule_id="TRN005")
    if finding.line is not None:
        return finding
    mark, key = cluster.locate(path), format_path(path)
    message = f"{key} is {clipped(named)}: {finding.message}"
    told = replace(finding, message=message, hint=hint, path=key)
    return told.at(file=cluster.file, line=mark.line, column=mark.column)
