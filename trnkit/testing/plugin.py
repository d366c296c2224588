"""The pytest plug-in, loaded by its entry point; it imports nothing until a fixture is used."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from trnkit.testing.fixture import RehearsalFixture


@pytest.fixture
def rehearsal() -> Generator[RehearsalFixture]:
    """An emulated AWS of the test's own, to which it deploys cloud assemblies with the real CDK.

    Yields:
        What deploys, proves and destroys. It is empty at the start of each test and gone at its
        end. It needs the extra ``trnkit[rehearse]`` and the CDK command line.
    """
    from trnkit.testing.fixture import running_rehearsal

    with running_rehearsal() as running:
        yield running
