"""Files that are traps: each is answered with a finding, in bounded time and memory."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from trnkit.findings import Severity
from trnkit.operations.linting import lint_paths

SHELL = '{"Resources": {"A": {"Type": "AWS::EC2::LaunchTemplate", "Properties": {"X": %s}}}}'
BLOCK = """\
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  A:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData: {X: %s}
"""
REPEATED = ", ".join(["*a{0}"] * 9)
ALIASES = "\n".join(f"x{n}: &a{n} [{REPEATED.format(n - 1)}]" for n in range(1, 30))
MERGES = "\n".join(f"x{n}: &a{n} {{<<: [{REPEATED.format(n - 1)}]}}" for n in range(1, 30))
TOPICS = {f"T{n}": {"Type": "AWS::SNS::Topic"} for n in range(45_000)}
FILES = {
    "brackets.json": SHELL % ("[" * 100_000 + "]" * 100_000),
    "fewer-brackets.json": SHELL % ("[" * 900 + "]" * 900),
    "braces.json": SHELL % ('{"a":' * 3000 + "1" + "}" * 3000),
    "brackets.yaml": BLOCK % ("[" * 100_000 + "]" * 100_000),
    "fewer-brackets.yaml": BLOCK % ("[" * 300 + "]" * 300),
    "indented.yaml": (BLOCK % "1") + "".join("  " * (n + 1) + "a:\n" for n in range(1200)),
    "aliases.yaml": f"x0: &a0 [x]\n{ALIASES}\n{BLOCK % '*a29'}",
    "itself.yaml": BLOCK % "&b {b: *b}",
    "truncated.json": (SHELL % "[1, 2")[:70],
    "binary.yaml": "Resources:\x00\x01",
    "large.yaml": "Resources:\n" + "  T: {Type: AWS::SNS::Topic}\n" * 350_000,
    "keys.json": json.dumps({"Resources": TOPICS}),
    "number.json": SHELL % ("9" * 100_000),
}


@pytest.mark.parametrize("name", FILES)
def test_a_trap_is_answered_with_a_finding(name: str, tmp_path: Path):
    path = tmp_path / name
    path.write_text(FILES[name])
    begun = time.process_time()
    (finding,) = [f for f in lint_paths([str(path)]).findings if f.severity is Severity.ERROR]
    assert time.process_time() - begun < 10
    assert finding.rule_id in ("TRN001", "TRN256")
    assert len(finding.message) < 300


def test_merges_of_merges_end(tmp_path: Path):
    path = tmp_path / "merges.yaml"
    path.write_text(f"x0: &a0 {{x: 1}}\n{MERGES}\n{BLOCK % '*a29'}")
    begun = time.process_time()
    lint_paths([str(path)])
    assert time.process_time() - begun < 10
