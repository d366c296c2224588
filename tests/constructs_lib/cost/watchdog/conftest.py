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
    # moto's hundreds of images take seconds.
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
    with mock_aws():
        made = Account()
        yield made
        made.close()
