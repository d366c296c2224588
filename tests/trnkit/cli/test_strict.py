"""`--strict`: warnings fail, remarks do not."""

from __future__ import annotations

import json

import pytest

from tests.trnkit.cli.conftest import MINIMAL
from trnkit.operations.starter import starter_text
from trnkit.operations.synthesis import Synthesis

SUPPRESSING = "suppress:\n  - {rule_id: TRN301, reason: nothing that fires}\n"
WARNED = """\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        MetadataOptions: {HttpTokens: required}
"""


@pytest.mark.parametrize(
    ("text", "code"), [(MINIMAL + SUPPRESSING, 1), (starter_text("trn2-pretrain"), 0)]
)
def test_check(trnkit, folder, text, code):
    (folder / "cluster.yaml").write_text(text)
    assert trnkit("check", "cluster.yaml").code == 0
    plain = trnkit("check", "--strict", "cluster.yaml")
    assert plain.code == code
    assert plain == trnkit("check", "--strict", "--", "cluster.yaml")


def test_lint(trnkit, folder):
    (folder / "t.yaml").write_text(WARNED)
    summary = json.loads(trnkit("lint", "t.yaml", "--format", "json").out)["summary"]
    assert (summary["error"], summary["warning"] > 0) == (0, True)
    assert trnkit("lint", "t.yaml").code == 0
    assert trnkit("lint", "t.yaml", "--strict").code == 1


def test_synth_stops_at_a_warning_of_the_check(trnkit, folder, monkeypatch):
    (folder / "cluster.yaml").write_text(MINIMAL + SUPPRESSING)
    done = Synthesis(succeeded=True, directory=folder)
    monkeypatch.setattr("trnkit.operations.synthesis.synthesize", lambda *a, **k: done)
    assert trnkit("synth", "cluster.yaml").code == 0
    ran = trnkit("synth", "cluster.yaml", "--strict", "--format", "json")
    assert (ran.code, json.loads(ran.out)["stacks"]) == (1, [])


@pytest.mark.parametrize("verb", ["check", "lint", "synth"])
def test_the_help_says_so(trnkit, verb):
    assert "warnings too" in " ".join(trnkit(verb, "--help").out.split())
