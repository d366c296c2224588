"""Every example, rehearsed by the command with the unmodified CDK command line.

All steps for a few that differ most, and deployment and destruction for the others; with
TRNKIT_SLOW=1 all steps for all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.synthesis import EXAMPLES, ROOT

ALL_STEPS = ("create", "update", "fault", "destroy")
IN_FULL = {"dual-stack", "imported-vpc", "trn2-pretrain", "trn2-small-sao-paulo"}
SLOW = os.environ.get("TRNKIT_SLOW") == "1"
COMMAND = [sys.executable, "-c", "from trnkit.cli.main import main; main()", "rehearse"]


def steps_of(name):
    return ALL_STEPS if SLOW or name.removesuffix(".yaml") in IN_FULL else ("create", "destroy")


def rehearse(example):
    steps = ",".join(steps_of(example.name))
    done = subprocess.run(
        [*COMMAND, str(example), "--format", "json", "--steps", steps],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def rehearsals():
    """The rehearsal of each example, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        yield {example.name: pool.submit(rehearse, example) for example in EXAMPLES}


@pytest.mark.parametrize("name", [example.name for example in EXAMPLES])
def test_an_example_is_deployed_changed_broken_and_destroyed(rehearsals, name):
    code, answer, errors = rehearsals[name].result()
    (rehearsal,) = answer["rehearsals"]
    wrong = [f for step in rehearsal["steps"] for f in step["facts"] if not f["holds"]]
    assert (code, wrong, errors) == (0, [], "")
    assert [step["name"] for step in rehearsal["steps"]] == ["prepare", *steps_of(name)]
    schema_only = [t["type"] for t in rehearsal["resource_types"] if t["properties_equal"] == 0]
    assert schema_only == []
    said = " ".join(fact["text"] for step in rehearsal["steps"] for fact in step["facts"])
    assert ("with the" in said and "launch template (" in said) or "no launch was tried" in said
    assert "sets off every alert" in said
    if "fault" in steps_of(name):
        assert "rolled back" in said
        assert "cdk drift finds that the rule for EFA was taken" in said
    assert rehearsal["not_provable"]


def test_the_budget_stack_is_deployed_in_its_own_region(rehearsals):
    _, answer, _ = rehearsals["trn2-small-sao-paulo.yaml"].result()
    assert answer["rehearsals"][0]["regions"] == ["sa-east-1", "us-east-1"]


def test_what_a_file_takes_to_exist_is_said(rehearsals):
    _, answer, _ = rehearsals["imported-vpc.yaml"].result()
    assumed = answer["rehearsals"][0]["assumed"]
    assert "vpc vpc-0123456789abcdef0" in assumed
    assert "route table rtb-0123456789abcdef0" in assumed
