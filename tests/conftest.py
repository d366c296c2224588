"""Fixtures of all tests: no network, no credentials, and one way to synthesize."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.synthesis import EXAMPLES, ROOT, Assembly, example_assembly, synthesize_cluster
from trnkit.catalog import added_types
from trnkit.toolchain import use_bundled_node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

use_bundled_node(os.environ)
os.environ["CDK_VALIDATION"] = "false"

# How long a machine takes says nothing of what a property holds.
settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any-machine")


def pytest_configure(config: pytest.Config) -> None:
    """Temporary files of all that tests do, and of what they start, go with the session.

    Those of pytest itself stay where they are: it keeps the last few for who looks for a reason.
    """
    outside = tempfile.gettempdir()
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", outside)
    folder = tempfile.TemporaryDirectory(prefix="trnkit-tests-", ignore_cleanup_errors=True)
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = tempfile.tempdir = folder.name

    def end() -> None:
        tempfile.tempdir = outside
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
        folder.cleanup()

    config.add_cleanup(end)


@pytest.fixture
def synthesize() -> Callable[..., Assembly]:
    """Synthesize a cluster of one's own."""
    return synthesize_cluster


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def example(request: pytest.FixtureRequest) -> Path:
    """Each shipped example in turn."""
    return request.param


@pytest.fixture
def assembly(example: Path) -> Assembly:
    """Each shipped example, synthesized."""
    return example_assembly(example)


@pytest.fixture
def default_assembly() -> Assembly:
    """The default example, synthesized."""
    return example_assembly(ROOT / "examples" / "trn2-pretrain.yaml")


@pytest.fixture
def no_added_types() -> Iterator[None]:
    """No instance type but the catalogue's at the start, and again what was there at the end."""
    kept, added_types._of_files = added_types._of_files, set()
    before = dict(added_types.further_types)
    added_types.further_types.clear()
    yield
    added_types.further_types.clear()
    added_types.further_types.update(before)
    added_types._of_files = kept


@pytest.fixture(autouse=True)
def no_account(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No credentials of the user, no profile, no metadata service."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    nowhere = str(tmp_path_factory.getbasetemp() / "no-such-file")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, nowhere)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anywhere but this machine fails the test that makes it."""
    connect = socket.socket.connect

    def only_here(self: socket.socket, address: Any) -> None:
        here = self.family == socket.AF_UNIX or address[0] in ("127.0.0.1", "::1", "localhost")
        if not here:
            raise AssertionError(f"a test reached for the network: {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", only_here)
