"""What must hold for any cluster file at all.

The fast lane runs with every test run; TRNKIT_SLOW=1 runs thousands of cases and cfn-lint too.
"""

from __future__ import annotations

import json
import os
import shutil

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from tests.properties.cluster_files import (
    NOT_GENERATED,
    SIZES,
    WORDS,
    all_keys,
    cluster_files,
    spoilt_cluster_files,
    text_keys,
)
from tests.synthesis import EXAMPLES, synthesize_cluster
from trnkit.config import read_cluster
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.findings import Severity, has_errors
from trnkit.rules import StackSet, check_cluster, check_templates
from trnkit.rules.cloud_assembly import read_template

SLOW = os.environ.get("TRNKIT_SLOW") == "1"
LANE = settings(
    deadline=None,
    max_examples=3000 if SLOW else 60,
    derandomize=not SLOW,
    suppress_health_check=list(HealthCheck),
)


def accepted(data):
    """The cluster of a file that `trnkit check` finds no error in, or None."""
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    return accepted_text(text)


def accepted_text(text, file="cluster.yaml"):
    try:
        read = read_cluster(text, str(file))
    except (ConfigurationError, UnreadableInputError) as error:
        findings = getattr(error, "findings", None) or (error.finding,)
        assert all(f.severity is Severity.ERROR and f.line for f in findings)
        assert all("Traceback" not in f.message for f in findings)
        return None
    findings = check_cluster(read)
    assert all(f.line and f.rule_id.startswith("TRN") for f in findings)
    return None if has_errors(findings) else read.config


def judged(cluster):
    """What our rules, the native validator and, in the slow lane, cfn-lint find wrong."""
    from cloudformation_validate import CompositeEngine

    built = synthesize_cluster(cluster)
    try:
        folder = built.directory / f"assembly-{cluster.name}"
        findings = check_templates(
            StackSet(read_template(path, folder) for path in built.paths.values())
        )
        found = [f.headline() for f in findings if f.severity is Severity.ERROR]
        engine = CompositeEngine()
        for stack, path in built.paths.items():
            counts = engine.validate_template(path.read_bytes()).metadata.counts
            if (counts.fatal, counts.errors) != (0, 0):
                found.append(f"{stack}: {counts} in {path.read_text()}")
            if SLOW:
                found += by_cfn_lint(built.templates[stack], built.regions[stack])
        return found
    finally:
        shutil.rmtree(built.directory)


def by_cfn_lint(template, region):
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    matches = lint(json.dumps(template), config=ManualArgs(regions=[region]))
    # E3628: types and regions missing in its data; tests/golden holds the known ones exactly.
    return [str(m) for m in matches if m.rule.id != "E3628" and m.rule.severity == "error"]


@LANE
@given(cluster_files())
def test_what_check_accepts_can_be_synthesized_and_passes_every_judge(data):
    cluster = accepted(data)
    assert cluster is None or judged(cluster) == []


@LANE
@given(spoilt_cluster_files())
def test_a_spoilt_file_gives_findings_or_still_works(data):
    cluster = accepted(data)
    assert cluster is None or judged(cluster) == []


def test_enough_generated_files_reach_the_templates():
    """The first property would hold of nothing if all files were refused."""
    seen = {"all": 0, "accepted": 0}

    @settings(LANE, max_examples=200)
    @given(cluster_files())
    def count(data):
        seen["all"] += 1
        seen["accepted"] += accepted(data) is not None

    count()
    assert seen["accepted"] >= seen["all"] // 20, seen


def test_the_generator_knows_every_key():
    assert set(text_keys()) <= set(WORDS) | set(NOT_GENERATED), "add a strategy to WORDS"
    assert set(WORDS) | set(SIZES) <= set(all_keys()), "WORDS or SIZES name keys that are gone"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_hold_too(path):
    assert judged(accepted_text(path.read_text(), path)) == []
