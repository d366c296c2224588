"""How other judges are asked: what they say arrives, at the template of which they say it."""

from __future__ import annotations

import copy
import json

import pytest

from benchmarks.judges.cdk import SYNTH_FAILS, CdkJudge
from benchmarks.judges.checkov import Checkov
from benchmarks.judges.corpus import TemplateFile
from benchmarks.judges.judge import Said, new, rules_of, serious
from benchmarks.judges.linters import CloudFormationValidate
from tests.mutations.sweep import bodies_of

RIGHT = bodies_of("trn2-pretrain")["Network"]
VPC = "ClusterVpcA8CFF6E7"


def changed(change):
    body = copy.deepcopy(RIGHT)
    change(body["Resources"][VPC])
    return body


BODIES = {
    "right": RIGHT,
    "misspelt": changed(lambda vpc: vpc["Properties"].update(CidrBlok="10.0.0.0/16")),
    "after-nothing": changed(lambda vpc: vpc.update(DependsOn=["Nothing"])),
}


@pytest.fixture
def files(tmp_path):
    listed = []
    for name, body in BODIES.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(body))
        listed.append(TemplateFile(name=name, path=path, region="us-east-2"))
    return listed


def rules(verdicts):
    return {name: rules_of(serious(said)) for name, said in verdicts.items()}


def test_the_cdks_validator_judges_the_rest_when_one_cannot_be_included(files):
    found = rules(CdkJudge("validator").judge(files))
    assert found == {"right": (), "misspelt": ("F3002",), "after-nothing": (SYNTH_FAILS,)}


def test_cdk_nag_says_nothing_of_what_the_cdk_cannot_include(files):
    found = rules(CdkJudge("nag").judge(files))
    nag = ("AwsSolutions-VPC7",)
    assert found == {"right": nag, "misspelt": nag, "after-nothing": ()}


def test_the_engine_alone_names_the_property(files):
    verdicts = CloudFormationValidate().judge(files)
    misspelt = serious(new(verdicts["misspelt"], verdicts["right"]))
    assert misspelt == (Said("F3002", "error", f"{VPC}/Properties.CidrBlok"),)
    assert rules(verdicts)["right"] == ()


CHECKOV = """#!/bin/sh
cat <<'END'
{"summary": {"resource_count": RESOURCES}, "results": {"failed_checks": [
  {"check_id": "CKV_AWS_18", "file_path": "/misspelt.json", "resource": "AWS::S3::Bucket.B"}]}}
END
exit STATUS
"""


def checkov(folder, *, resources=3, status=1):
    path = folder / "checkov"
    path.write_text(CHECKOV.replace("RESOURCES", str(resources)).replace("STATUS", str(status)))
    path.chmod(0o755)
    return Checkov(path)


def test_a_failed_check_of_checkov_is_an_error_of_its_file(files, tmp_path):
    verdicts = checkov(tmp_path).judge(files)
    assert verdicts["misspelt"] == {Said("CKV_AWS_18", "error", "AWS::S3::Bucket.B")}
    assert rules(verdicts) == {"right": (), "misspelt": ("CKV_AWS_18",), "after-nothing": ()}


@pytest.mark.parametrize("broken", [{"resources": 0}, {"status": 2}])
def test_a_checkov_that_does_not_work_is_no_judge(broken, files, tmp_path):
    with pytest.raises(RuntimeError, match="checkov"):
        checkov(tmp_path, **broken).judge(files)


@pytest.mark.parametrize(
    ("wrong", "rules_that_find_it"),
    [
        (Said("E1", "error", "A"), ()),
        (Said("E1", "error", "B"), ("E1",)),
        (Said("W1", "warning", "A"), ("W1",)),
        (Said("I1", "info", "A"), ()),
    ],
    ids=["said-already", "at-another-place", "another-rule", "information"],
)
def test_a_mistake_is_found_by_what_is_not_said_without_it(wrong, rules_that_find_it):
    right = {Said("E1", "error", "A")}
    assert rules_of(serious(new({wrong, *right}, right))) == rules_that_find_it
