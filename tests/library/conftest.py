"""The wheel, built and installed as a user would, without network and without a second CDK."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.synthesis import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

NOT_INHERITED = ("AWS_", "CDK_", "PIP_", "PYTHON", "JSII_")


@dataclass(frozen=True)
class Installation:
    """An environment with the wheel in it."""

    python: Path

    def run(
        self, program: str, *arguments: str, cwd: Path, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment from a folder, knowing nothing of the checkout."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(NOT_INHERITED)}
        return subprocess.run(
            [str(self.python.parent / program), *arguments],
            cwd=cwd,
            env=kept | {"NO_COLOR": "1"} | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the locked hatchling."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel in a fresh environment, which finds its dependencies where this one has them."""
    folder = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    # A path in a .pth file is searched, but the .pth files there (the checkout's) are not read.
    variables = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", variables))
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    pip = [sys.executable, "-m", "pip", "--isolated", "--python", str(python), "install"]
    command = [*pip, "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return Installation(python)


@pytest.fixture
def command(
    installation: Installation, tmp_path: Path
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the installed `trnkit` in an empty folder."""

    def trnkit(*arguments: str) -> subprocess.CompletedProcess[str]:
        return installation.run("trnkit", *arguments, cwd=tmp_path)

    return trnkit
