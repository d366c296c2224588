"""From a path to a `ClusterConfig`, with every problem of the file found at once.

A file that cannot be read is an `UnreadableInputError` (TRN001). A file that was read but does not
fit the model yields findings: TRN002 a key twice, TRN003 an unknown key, TRN004 a missing key,
TRN005 a value that does not fit. Each has file, line, column, YAML path and a remedy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trnkit.config.cluster import ClusterConfig
from trnkit.config.complaints import problems_of
from trnkit.config.input_bytes import read_bytes
from trnkit.config.yaml_reader import Path, YamlDocument, mark_at, read_yaml, unreadable
from trnkit.errors import ConfigurationError
from trnkit.findings import Finding, sort_findings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.catalog import InstanceType
    from trnkit.config.image_lock import ImageLock
    from trnkit.config.prices_file import PricesFile

MAX_BYTES = 1_000_000
_START = "trnkit init writes a commented one to start from"


@dataclass(frozen=True, slots=True)
class ClusterFile:
    """A cluster file that was read and fits the model.

    Attributes:
        config: What it asks for.
        document: Where each value stands.
        described_types: What its `instance_types_file` describes, in the file's order.
        image_locks: What each lock says, by the name in the file; None: there is no such file yet.
        prices: What its file of prices says; None: it names none.
    """

    config: ClusterConfig
    document: YamlDocument
    described_types: tuple[InstanceType, ...] = ()
    image_locks: Mapping[str, ImageLock | None] = field(default_factory=dict[str, Any])
    prices: PricesFile | None = None

    @property
    def file(self) -> str:
        """The file as the user named it."""
        return self.document.file

    @property
    def reasons(self) -> dict[str, str]:
        """Why rules are switched off in the file, by id."""
        return {entry.rule_id: entry.reason for entry in self.config.suppress}

    def place(self, finding: Finding, path: Path) -> Finding:
        """The finding with the line and column of `path`, or of its nearest parent in the file."""
        mark = self.document.locate(path)
        return finding.at(file=self.file, line=mark.line, column=mark.column)


def load_cluster(path: str | FilePath) -> ClusterFile:
    """Read a cluster file.

    Args:
        path: The file, or a pipe that the shell opened (`<(...)`).

    Raises:
        UnreadableInputError: It is not there, too large, not UTF-8 or not YAML.
        ConfigurationError: It does not fit the model; carries every finding.
    """
    file = str(path)
    return read_cluster(read_text(file, file), file)


def read_cluster(text: str, file: str) -> ClusterFile:
    """Like `load_cluster`, for text already in memory; `file` names it in messages."""
    document = read_yaml(text, file)
    start = document.locate(())
    if document.data is None:
        raise unreadable(file, "the file is empty", _START, start)
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        raise unreadable(file, f"the file holds {kind}, not `key: value` lines", _START, start)
    findings = list(document.findings)
    config = None
    try:
        config = ClusterConfig.model_validate(document.data)
    except ValidationError as error:
        findings += problems_of(document, error)
    described: tuple[InstanceType, ...] = ()
    named: object = document.data.get("instance_types_file")
    named = config.instance_types_file if config else named
    if isinstance(named, str) and not any(f.path == "instance_types_file" for f in findings):
        # Imported here: few files name one, and that module reads with this one.
        from trnkit.config.instance_types_file import described_types

        described, problems = described_types(document, named)
        findings += problems
    locks: dict[str, ImageLock | None] = {}
    if config and any(
        group.image and group.image.lock_file for group in config.compute.node_groups
    ):
        # Imported here for the same reason.
        from trnkit.config.image_lock import read_locks, with_image_locks

        locks, problems = read_locks(document, config)
        findings += problems
        config = with_image_locks(config, locks)
    prices: PricesFile | None = None
    named = config.budget.prices_file if config else _named_prices(document.data)
    if named is not None and not any(f.path == "budget.prices_file" for f in findings):
        # Imported here for the same reason.
        from trnkit.config.prices_file import read_named_prices, with_prices

        prices, problems = read_named_prices(document, named)
        findings += problems
        config = config and with_prices(config, prices)
    if config is None or findings:
        raise ConfigurationError(sort_findings(findings))
    return ClusterFile(config, document, described, locks, prices)


def _named_prices(data: dict[str, Any]) -> str | None:
    """The file of prices of a cluster file that does not fit the model."""
    budget: Any = data.get("budget")
    named = budget.get("prices_file") if isinstance(budget, dict) else None
    return named if isinstance(named, str) else None


def decode_cluster(raw: bytes, file: str) -> ClusterFile:
    """Like `load_cluster`, for bytes already in memory; `file` names them in messages."""
    return read_cluster(decode_text(raw, file), file)


def read_text(path: str | FilePath, file: str, remedy: str = _START) -> str:
    """The text of a file, or of a pipe that the shell opened, of at most `MAX_BYTES`.

    Args:
        path: The file.
        file: Its name, for messages.
        remedy: What to do when it is not there.

    Raises:
        UnreadableInputError: It is not there, no regular file, too large or not UTF-8.
    """
    folder = "name the cluster file in it"
    return decode_text(
        read_bytes(str(path), file, most=MAX_BYTES, folder=folder, missing=remedy), file
    )


def decode_text(raw: bytes, file: str) -> str:
    """UTF-8 text without its byte order mark; `file` names it in messages.

    Raises:
        UnreadableInputError: Larger than `MAX_BYTES`, or not UTF-8.
    """
    if len(raw) > MAX_BYTES:
        raise unreadable(file, f"larger than {MAX_BYTES:,} bytes", "name a cluster file")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # error.object is the file without its byte order mark, and UTF-8 up to error.start.
        before = error.object[: error.start].decode("utf-8")
        mark = mark_at(before, len(before))
        raise unreadable(
            file, f"line {mark.line} is not UTF-8 text", "save the file as UTF-8", mark
        ) from None
