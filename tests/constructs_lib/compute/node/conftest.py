"""What every test of a node's files leaves behind: nothing that runs."""

from __future__ import annotations

import subprocess

import pytest


@pytest.fixture(autouse=True)
def no_agents_are_left(tmp_path):
    """gpg starts an agent for each folder of keys, which outlives it."""
    yield
    for socket in tmp_path.rglob("S.gpg-agent"):
        subprocess.run(
            ["gpgconf", "--homedir", str(socket.parent), "--kill", "all"],
            capture_output=True,
            check=False,
        )
