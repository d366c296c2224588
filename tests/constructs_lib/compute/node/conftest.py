"""Fixtures of the tests of a node's boot, and what every test leaves behind: nothing that runs."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.constructs_lib.compute.node.machine import Node
from tests.constructs_lib.compute.node.metadata_service import MetadataService


@pytest.fixture
def metadata():
    service = MetadataService()
    yield service
    service.stop()


@pytest.fixture
def plain_node(tmp_path):
    """A node without any metadata service; nothing listens on port 9 of this machine."""
    node = Node(tmp_path)
    node.environment["TRNKIT_IMDS"] = "http://127.0.0.1:9"
    (node.bin / "curl").unlink()
    (node.bin / "curl").symlink_to(shutil.which("curl"))
    return node


@pytest.fixture
def cloud_node(plain_node, metadata):
    """A node that reaches a metadata service and has an AWS CLI."""
    plain_node.environment["TRNKIT_IMDS"] = metadata.address
    plain_node.install("aws")
    return plain_node


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
