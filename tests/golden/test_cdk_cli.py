"""The unmodified CDK CLI on our app, as CDK users call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.synthesis import EXAMPLES, ROOT, read_assembly
from trnkit.config import load_cluster

CDK = Path(sys.executable).parent / "cdk"


@pytest.fixture
def cdk(tmp_path):
    """Run `cdk` in the checkout, with a `node` first on PATH that fails when it is called."""
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "node").write_text(f"#!/bin/sh\ntouch {tmp_path}/node-was-called\nexit 7\n")
    (trap / "node").chmod(0o755)
    environment = {
        "PATH": f"{trap}:/usr/bin:/bin",
        "HOME": os.environ.get("HOME", str(tmp_path)),
        "CDK_DISABLE_VERSION_CHECK": "1",
        "CDK_DISABLE_CLI_TELEMETRY": "1",
        "CI": "1",
        "NO_COLOR": "1",
    }

    def run(*arguments):
        done = subprocess.run(
            [str(CDK), *arguments, "--no-notices", "--output", str(tmp_path / "cdk.out")],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert not (tmp_path / "node-was-called").exists()
        return done

    return run


def test_without_a_file_it_asks_for_one_and_never_takes_an_example(cdk):
    done = cdk("ls")
    assert done.returncode != 0
    assert "cluster.yaml: error TRN001: there is no such file; trnkit init" in done.stderr.replace(
        "cluster.yaml:1:1", "cluster.yaml"
    )
    assert "Traceback" not in done.stderr


def test_two_clusters_of_one_name_are_refused(cdk, tmp_path):
    default = ROOT / "examples" / "trn2-pretrain.yaml"
    copy = tmp_path / "copy.yaml"
    copy.write_text(default.read_text())
    done = cdk("ls", "-c", f"config={default},{copy}")
    assert done.returncode != 0
    assert "TRN007" in done.stderr
    assert "Traceback" not in done.stderr


def test_ls_lists_a_cluster_in_order(cdk):
    done = cdk("ls", "-c", "config=examples/trn2-pretrain.yaml")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:4] == [
        "pretrain/Network (pretrain-Network)",
        "pretrain/Storage (pretrain-Storage)",
        "pretrain/Compute (pretrain-Compute)",
        "pretrain/Cost (pretrain-Cost)",
    ]


def test_synth_of_another_file_through_context(cdk, tmp_path):
    small = next(path for path in EXAMPLES if "paulo" in path.stem)
    done = cdk("synth", "--quiet", "-c", f"config={small}")
    assert done.returncode == 0, done.stderr
    built = read_assembly(tmp_path / "cdk.out", "dev")
    assert built.regions["Cost"] == "us-east-1"
    assert built.regions["Storage"] == "sa-east-1"
    assert "end-of-life" not in done.stderr


def test_several_clusters_in_one_app(cdk, tmp_path):
    done = cdk("ls", "-c", "config=" + ",".join(map(str, EXAMPLES)))
    assert done.returncode == 0, done.stderr
    stages = {line.split("/")[0] for line in done.stdout.split("\n") if "/" in line}
    assert stages == {load_cluster(path).config.name for path in EXAMPLES}


def test_a_space_after_the_comma_and_a_file_twice_are_understood(cdk):
    first, second = EXAMPLES[:2]
    done = cdk("ls", "-c", f"config={first}, {second}, {first}")
    assert done.returncode == 0, done.stderr
    stages = {line.split("/")[0] for line in done.stdout.split("\n") if "/" in line}
    assert stages == {load_cluster(path).config.name for path in (first, second)}


def test_an_empty_name_of_a_file_is_refused(cdk):
    done = cdk("ls", "-c", "config=")
    assert done.returncode != 0
    assert "error: the context key config names no file" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_file_is_refused_with_its_lines_and_no_traceback(cdk, tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text((ROOT / "examples" / "trn2-pretrain.yaml").read_text().replace("4800", "3600"))
    done = cdk("synth", "--quiet", "-c", f"config={bad}")
    assert done.returncode != 0
    assert "bad.yaml:32:7: error TRN301" in done.stderr
    assert "Traceback" not in done.stderr


def test_cdk_json_has_every_recommended_flag():
    """Ours must hold at least what `cdk init` of the pinned CDK would write, one on purpose not."""
    import tarfile

    import aws_cdk

    (archive,) = (Path(aws_cdk.__file__).parent / "_jsii").glob("aws-cdk-lib@*.jsii.tgz")
    with tarfile.open(archive) as files:
        recommended = json.load(files.extractfile("package/recommended-feature-flags.json"))
    ours = json.loads((ROOT / "cdk.json").read_text())["context"]
    different = {key for key, value in recommended.items() if ours.get(key) != value}
    assert different == {"@aws-cdk/core:defaultCrossStackReferences"}
