"""`trnkit check`: every finding of every cluster file, without Node and without AWS."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.config import load_cluster
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.findings import Finding, Severity, sort_findings
from trnkit.rules.engine import check_cluster

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.config import ClusterFile

SAME_CLUSTER_RULE = "TRN007"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What checking found.

    Attributes:
        files: The files, each once, as the user named them.
        findings: Of all files, in the order of a report.
        clusters: The files that could be read and fit the model.
    """

    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    clusters: tuple[ClusterFile, ...]


def check_files(files: Sequence[str]) -> CheckReport:
    """Check cluster files one by one, and against each other.

    Args:
        files: Paths; a file that is named twice is checked once.
    """
    unique = tuple({os.path.realpath(file): file for file in reversed(files)}.values())[::-1]
    findings: list[Finding] = []
    clusters: list[ClusterFile] = []
    for file in unique:
        try:
            cluster = load_cluster(file)
        except UnreadableInputError as error:
            findings.append(error.finding)
        except ConfigurationError as error:
            findings.extend(error.findings)
        else:
            clusters.append(cluster)
            findings.extend(check_cluster(cluster))
    findings.extend(_same_clusters(clusters))
    return CheckReport(files=unique, findings=sort_findings(findings), clusters=tuple(clusters))


def _same_clusters(clusters: Iterable[ClusterFile]) -> list[Finding]:
    """Two files must not ask for the same stacks: the later deployment would undo the earlier."""
    first: dict[tuple[str, str | None, str], ClusterFile] = {}
    findings: list[Finding] = []
    for cluster in clusters:
        config = cluster.config
        other = first.setdefault((config.name, config.account, config.region), cluster)
        if other is not cluster:
            finding = Finding(
                rule_id=SAME_CLUSTER_RULE,
                severity=Severity.ERROR,
                message=f"name {config.name!r} in {config.region} is taken by {other.file} too, so "
                "both would be the same stacks",
                hint="give one of the clusters another name",
                path="name",
            )
            findings.append(cluster.place(finding, ("name",)))
    return findings
