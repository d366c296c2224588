"""A fresh account for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from moto import mock_aws

from tests.constructs_lib.cost.watchdog.account import REGION, TABLE, Account

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    """The account, also as the environment of the function has it."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("TRNKIT_TABLE", TABLE)
    with mock_aws():
        yield Account()
