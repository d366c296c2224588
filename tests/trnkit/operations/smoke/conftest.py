"""A folder of commands that stand in for those of a cluster."""

import os
import shutil
import subprocess
import sys

import pytest


@pytest.fixture
def commands(tmp_path):
    """Write a stub command; run a script with the stubs first on PATH."""
    folder = tmp_path / "commands"
    folder.mkdir()

    class Commands:
        calls = tmp_path / "calls"

        def write(self, name, text):
            path = folder / name
            path.write_text(text.replace("{python}", sys.executable))
            path.chmod(0o755)

        def run(self, *arguments, cwd=None, timeout=300, **environment):
            path = f"{folder}{os.pathsep}{os.environ['PATH']}"
            return subprocess.run(
                arguments,
                cwd=cwd,
                env={"PATH": path, "CALLS": str(self.calls), **environment},
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )

        def called(self):
            return self.calls.read_text().splitlines() if self.calls.exists() else []

    return Commands()


@pytest.fixture(scope="session")
def shellcheck():
    """Complaints of shellcheck about a file; skipped where there is none."""
    program = shutil.which("shellcheck")
    if program is None:
        pytest.skip("there is no shellcheck here")

    def call(path):
        ran = subprocess.run([program, str(path)], capture_output=True, text=True, check=False)
        return ran.stdout

    return call
