"""The exceptions trnkit raises on purpose, as one small tree.

TrnkitError
UsageError              the command was called wrongly                          exit code 2
UnreadableInputError    the input is not there, not text, or not YAML/JSON      exit code 2
ConfigurationError      a cluster file was read, and is wrong                   exit code 1
AwsError                AWS refused or could not be reached                     exit code 3
ConstructError          a Python user misuses a construct (also a ValueError)
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.findings import Finding


class TrnkitError(Exception):
    """Root of every error that trnkit raises on purpose."""


class UsageError(TrnkitError):
    """The command was called with an argument that cannot mean anything."""


class UnreadableInputError(TrnkitError):
    """The input cannot be read at all, so nothing can be said about its content.

    Attributes:
        finding: What is wrong, with file and (where known) line, column and remedy.
    """

    def __init__(self, finding: Finding) -> None:
        """Keep the finding; the message is its location and text."""
        self.finding = finding
        super().__init__(finding.headline())


class ConfigurationError(TrnkitError):
    """A cluster file was read and does not describe a cluster.

    Attributes:
        findings: Every problem found, in the order of the file.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        """Keep the findings; the message lists them one a line."""
        self.findings = tuple(findings)
        super().__init__("\n".join(finding.headline() for finding in self.findings))


class AwsError(TrnkitError):
    """AWS refused, has not what was asked for, or could not be reached."""


class ConstructError(TrnkitError, ValueError):
    """A construct was called with arguments that cannot make a working resource.

    Raised before the construct creates any child, so nothing half-built stays in the tree.
    """


def is_debugging() -> bool:
    """Whether mistakes of ours shall end the command, and show where they are."""
    return os.environ.get("TRNKIT_DEBUG") == "1"
