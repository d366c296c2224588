"""One AWS for each module, and the command line as a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.against_aws.command import CommandLine
from tests.aws_server.account import aws_for_examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.aws_server.server import AwsServer


@pytest.fixture(scope="module")
def server() -> Iterator[AwsServer]:
    """The AWS of a module."""
    with aws_for_examples() as served:
        yield served


@pytest.fixture
def aws(server: AwsServer) -> Iterator[AwsServer]:
    """The module's AWS, with nothing wrong; what no client should have seen fails the test."""
    with server.wrong():
        yield server
    problems, server.problems = server.problems, []
    assert not problems, "\n".join(problems)


@pytest.fixture
def trnkit(aws: AwsServer, tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """Runs `trnkit` against that AWS."""
    return CommandLine(aws.endpoint, tmp_path_factory.mktemp("home"))
