"""Nodes to check."""

from __future__ import annotations

import pytest

from tests.constructs_lib.compute.node.check.node_machine import FakeNode, Metadata


@pytest.fixture(scope="session")
def metadata():
    """A metadata service that says trn2.48xlarge until a test says otherwise."""
    service = Metadata("trn2.48xlarge")
    yield service
    service.stop()


@pytest.fixture
def make_node(tmp_path, metadata):
    """A good node of a type; several in one test need names."""

    def make(name="trn2.48xlarge", folder="node", **keys):
        metadata.kind, metadata.status, metadata.delay = name, 200, 0.0
        (tmp_path / folder).mkdir()
        return FakeNode(tmp_path / folder, name, metadata=metadata.url, **keys)

    return make


@pytest.fixture
def node(make_node):
    """A good trn2.48xlarge."""
    return make_node()
