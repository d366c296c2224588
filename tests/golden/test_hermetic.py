"""The same file and commit give the same bytes: anywhere, without credentials or network."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.synthesis import EXAMPLES, ROOT, run_app


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    out = tmp_path_factory.mktemp("reference") / "cdk.out"
    run = run_app(EXAMPLES, out)
    assert run.returncode == 0, run.stderr
    assert run.stderr == "", "no end-of-life banner, no deprecation, no warning"
    return contents(out)


def test_cdk_05_another_folder_locale_zone_and_hash_seed(reference, tmp_path):
    elsewhere = tmp_path / "an other folder"
    elsewhere.mkdir()
    shutil.copytree(ROOT / "examples", elsewhere, dirs_exist_ok=True)
    run = run_app(
        [elsewhere / path.name for path in EXAMPLES],
        tmp_path / "out",
        cwd=elsewhere,
        TZ="Pacific/Kiritimati",
        LC_ALL="tr_TR.UTF-8",
        PYTHONHASHSEED="4242",
        COLUMNS="40",
    )
    assert run.returncode == 0, run.stderr
    assert contents(tmp_path / "out") == reference


def test_no_path_of_the_machine_in_the_output(reference):
    for name, content in reference.items():
        for path in (str(ROOT), sys.prefix):
            assert path.encode() not in content, name


def test_credentials_and_regions_of_the_environment_change_nothing(reference, tmp_path):
    run = run_app(
        EXAMPLES,
        tmp_path / "out",
        AWS_ACCESS_KEY_ID="AKIAIOSFODNN7EXAMPLE",
        AWS_REGION="eu-west-1",
        AWS_DEFAULT_REGION="eu-west-1",
        AWS_PROFILE="no-such-profile",
        CDK_DEFAULT_ACCOUNT="111122223333",
        CDK_DEFAULT_REGION="eu-west-1",
    )
    assert run.returncode == 0, run.stderr
    assert contents(tmp_path / "out") == reference


def test_synth_needs_no_network(reference, tmp_path):
    unshare = shutil.which("unshare")
    allowed = unshare and subprocess.run([unshare, "-rn", "true"], check=False).returncode == 0
    if not allowed:
        pytest.skip("this machine does not let a process give up its network (unshare -rn)")
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nexec {unshare} -rn {sys.executable} "$@"\n')
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", str(program))
        run = run_app(EXAMPLES, tmp_path / "out")
    assert run.returncode == 0, run.stderr
    assert contents(tmp_path / "out") == reference


def test_a_node_first_on_path_is_not_called(reference, tmp_path):
    trap = tmp_path / "bin"
    trap.mkdir()
    (trap / "node").write_text(f"#!/bin/sh\ntouch {tmp_path}/called\nexit 7\n")
    (trap / "node").chmod(0o755)
    run = run_app(EXAMPLES[:1], tmp_path / "out", PATH=f"{trap}:/usr/bin:/bin", JSII_NODE="")
    assert run.returncode == 0, run.stderr
    assert not (tmp_path / "called").exists()
