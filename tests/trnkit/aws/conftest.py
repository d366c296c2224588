"""An AWS of this process."""

from __future__ import annotations

import pytest

from tests.trnkit.aws.published import published


@pytest.fixture
def aws():
    """moto, and a way to publish images and parameters in it."""
    with published() as place:
        yield place
