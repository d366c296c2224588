"""Fixtures of the tests of a node's boot."""

import shutil

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
