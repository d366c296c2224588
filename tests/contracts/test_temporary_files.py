"""Tests leave nothing where temporary files go, whoever made it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.synthesis import ROOT


def test_what_is_made_is_in_the_folder_of_the_session(default_assembly):
    session = Path(tempfile.gettempdir())
    assert session.name.startswith("trnkit-tests-")
    assert session in default_assembly.directory.parents
    tempfile.mkdtemp(prefix="left-behind-")
    # What is started makes its own there, too.
    assert os.environ["TMPDIR"] == str(session)


def test_the_folder_goes_with_the_session_also_of_a_worker(tmp_path):
    here, of_pytest = tmp_path / "here", tmp_path / "pytest"
    here.mkdir()
    of_pytest.mkdir()
    which = f"{__file__}::{test_what_is_made_is_in_the_folder_of_the_session.__name__}"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", which, "-q", "-p", "no:cacheprovider", "-n", "1"],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(here), "PYTEST_DEBUG_TEMPROOT": str(of_pytest)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert list(here.iterdir()) == []
