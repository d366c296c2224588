"""One emulated AWS for all tests of this folder; the good examples stand in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rehearsal.deployments import ACCOUNT, Cloud, seeds_of_all
from tests.synthesis import EXAMPLES
from trnkit.emulation.process import emulated_aws

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def cloud() -> Iterator[Cloud]:
    """An example is deployed when it is first asked for."""
    with emulated_aws(ACCOUNT, seeds=seeds_of_all(path.stem for path in EXAMPLES)) as aws:
        yield Cloud(aws)
