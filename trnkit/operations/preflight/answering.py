"""What one question leaves open hides no answer of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.operations.preflight.result import unanswered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.result import CheckResult


def answers_of(results: Iterator[CheckResult], path: Path) -> Iterator[CheckResult]:
    """What is found, up to a question that AWS does not answer, and that it does not.

    Args:
        results: What a question finds; it may raise `AwsFailure`.
        path: The YAML path of what it is about.
    """
    try:
        yield from results
    except AwsFailure as failure:
        yield unanswered(failure, path=path)
