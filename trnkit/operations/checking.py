"""`trnkit check`: every finding of every cluster file, without Node and without AWS."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.catalog import only_described_types
from trnkit.config import load_cluster
from trnkit.config.loader import decode_cluster
from trnkit.errors import ConfigurationError, UnreadableInputError, UsageError
from trnkit.findings import Finding, Severity, sort_findings
from trnkit.operations.places import SHOWN_INPUT, STANDARD_INPUT, refuse_empty
from trnkit.rules.engine import check_cluster
from trnkit.rules.listing import rule_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from trnkit.catalog import InstanceType
    from trnkit.config import ClusterFile
    from trnkit.operations.suppressions import GivenSuppression

_DEFAULT_FILE = "cluster.yaml"
_CONTEXT = "write -c config=FILE, or several with a comma between them"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What checking found.

    Attributes:
        files: The files, each once, as the user named them.
        findings: Of all files, in the order of a report.
        clusters: The files that could be read and fit the model.
        suppress: The suppressions that were given beside the files.
    """

    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    clusters: tuple[ClusterFile, ...]
    suppress: tuple[GivenSuppression, ...] = ()

    @property
    def reasons(self) -> dict[str, str]:
        """Why rules are switched off beside the files, by id."""
        return {entry.rule_id: entry.reason for entry in self.suppress}

    def reasons_for(self, cluster: ClusterFile) -> dict[str, str]:
        """The same with what the file of a cluster switches off, whose reason is the nearer one."""
        return self.reasons | cluster.reasons

    @property
    def described_types(self) -> dict[str, tuple[InstanceType, ...]]:
        """What the file of each cluster describes, by the cluster's name."""
        return {cluster.config.name: cluster.described_types for cluster in self.clusters}

    def clusters_in_turn(self) -> Iterator[ClusterFile]:
        """Each cluster, while the instance types that its own file describes are known."""
        for cluster in self.clusters:
            with only_described_types(cluster.described_types):
                yield cluster


def check_files(
    files: Sequence[str],
    *,
    standard_input: bytes | None = None,
    suppress: Sequence[GivenSuppression] = (),
    synthesizing: bool = False,
) -> CheckReport:
    """Check cluster files one by one, and against each other.

    Args:
        files: Paths; a file that is named twice is checked once. Pipes that the shell opened
            (`<(...)`) are read too.
        standard_input: What was read for `-`; None when `-` is a file like any other.
        suppress: The suppressions of the command line.
        synthesizing: Whether rules over templates follow, so that suppressions of these are no
            concern of this step.

    Raises:
        UsageError: A name is empty.
    """
    refuse_empty(files, "cluster file")
    unique = _each_once(files, standard_input is not None)
    findings: list[Finding] = []
    clusters: list[ClusterFile] = []
    for file in unique:
        try:
            if file == SHOWN_INPUT and standard_input is not None:
                cluster = decode_cluster(standard_input, file)
            else:
                cluster = load_cluster(file)
        except UnreadableInputError as error:
            findings.append(error.finding)
        except ConfigurationError as error:
            findings.extend(error.findings)
        else:
            clusters.append(cluster)
            findings.extend(check_cluster(cluster))
    findings.extend(_same_names(clusters))
    if suppress:
        from trnkit.operations.suppressions import suppress_given

        later = rule_ids("template") if synthesizing else ()
        findings = suppress_given(findings, suppress, judged=rule_ids("config"), elsewhere=later)
    return CheckReport(
        files=unique,
        findings=sort_findings(findings),
        clusters=tuple(clusters),
        suppress=tuple(suppress),
    )


def check_context(context: Callable[[str], object]) -> CheckReport:
    """Check what the context of a CDK app names, right before it is built.

    Args:
        context: Looks a key up: `config` holds the files, `suppress` suppressions as `ID=REASON`.

    Raises:
        UsageError: A key holds something else.
    """
    from trnkit.operations.suppressions import read_suppressions

    suppress = read_suppressions(context("suppress"))
    return check_files(files_in_context(context("config")), suppress=suppress, synthesizing=True)


def files_in_context(value: object) -> list[str]:
    """The files that the CDK's context key `config` names: a list, or one text with commas.

    Args:
        value: The value of the key; None when there is none.

    Raises:
        UsageError: It names none, or one of them is empty.
    """
    value = _DEFAULT_FILE if value is None else value
    parts: object = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise UsageError(f"the context key config holds no file names: {_CONTEXT}")
    files = [str(part).strip() for part in parts]
    if not all(files) or not files:
        raise UsageError(f"the context key config names no file, or an empty one: {_CONTEXT}")
    return files


def _each_once(files: Sequence[str], has_input: bool) -> tuple[str, ...]:
    """The first name of each file, in the order given."""
    first: dict[object, str] = {}
    for file in files:
        if has_input and file == STANDARD_INPUT:
            first.setdefault(STANDARD_INPUT, SHOWN_INPUT)
        else:
            first.setdefault(_identity(file), file)
    return tuple(first.values())


def _identity(file: str) -> object:
    """What two names of one file have in common; a name that can be no path stands for itself."""
    try:
        return Path(os.path.realpath(file))
    except (OSError, ValueError):
        return file


def _same_names(clusters: Iterable[ClusterFile]) -> list[Finding]:
    """The CDK app holds one cluster of a name, whatever its region or account."""
    first: dict[str, ClusterFile] = {}
    findings: list[Finding] = []
    for cluster in clusters:
        config = cluster.config
        other = first.setdefault(config.name, cluster)
        if other is cluster:
            continue
        here, there = (config.account, config.region), (other.config.account, other.config.region)
        why = "both would be the same stacks" if here == there else "one app holds one of a name"
        finding = Finding(
            rule_id="TRN007",
            severity=Severity.ERROR,
            message=f"name {config.name!r} is taken by {other.file} too, and {why}",
            hint="give one of the clusters another name, or name the files in commands of their own"
            if here != there
            else "give one of the clusters another name",
            path="name",
        )
        findings.append(cluster.place(finding, ("name",)))
    return findings
