"""What all tests of the command line use."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.synthesis import ROOT
from trnkit.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MINIMAL = """\
version: 1
name: pretrain
region: us-east-2
compute:
  node_groups:
    - name: train
      instance_type: trn2.48xlarge
      count: 2
budget:
  limit_usd: 1000
  scope: account
  emails: [ml@example.com]
"""

TEMPLATE = """\
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa, Groups: [!Ref Group]}
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa, Groups: [!Ref Group]}
Parameters:
  Group: {Type: String}
"""


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


@pytest.fixture
def trnkit(capsys: pytest.CaptureFixture[str], folder: Path) -> Callable[..., Ran]:
    """Run a command in this process."""

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def process(folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command in a process of its own."""

    def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "trnkit.cli.main", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def cluster_file(folder: Path) -> Path:
    """A small cluster file without findings."""
    path = folder / "cluster.yaml"
    path.write_text(MINIMAL)
    return path
