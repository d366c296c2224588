"""Generic judges beside our rules: each finding once, in one shape, suppressed in one way."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

from tests.synthesis import ROOT
from trnkit.findings import Finding, Severity, Suppression
from trnkit.operations.generic import judges as judging
from trnkit.operations.generic.judges import GenericJudges
from trnkit.operations.linting import lint_paths
from trnkit.operations.suppressions import GivenSuppression
from trnkit.operations.template_files import read_template

WRONG = """\
Resources:
  Vpc:
    Type: AWS::EC2::VPC
    Properties:
      CidrBlok: 10.0.0.0/16
      CidrBlock: 10.0.0.0/16
"""
DATA = """\
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    Properties:
      AttributeDefinitions: [{AttributeName: k, AttributeType: S}]
      BillingMode: PAY_PER_REQUEST
      KeySchema: [{AttributeName: k, KeyType: HASH}]
  Data:
    Type: AWS::FSx::FileSystem
    DeletionPolicy: Retain
    Properties:
      FileSystemType: LUSTRE
      SubnetIds: [subnet-0123456789abcdef0]
      StorageCapacity: 1200
      LustreConfiguration: {DeploymentType: PERSISTENT_2, PerUnitStorageThroughput: 250}
"""


@pytest.fixture(scope="module")
def judges():
    return GenericJudges(lambda line: None)


def template(text, tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(text)
    return read_template(str(path))


def lint(text, **options):
    report = lint_paths(["-"], standard_input=text.encode(), generic=True, **options)
    return report, {f.rule_id: f for f in report.findings}


def test_a_wrong_property_is_told_once_with_its_place(judges, tmp_path):
    file = template(WRONG, tmp_path)
    (finding,) = judges.judge(file, "us-east-2")
    assert (finding.rule_id, finding.tool, finding.severity) == (
        "E3002", "cfn-lint", Severity.ERROR,
    )  # fmt: skip
    assert (finding.file, finding.line, finding.column) == (file.path, 5, 7)
    assert (finding.logical_id, finding.path) == ("Vpc", "/Resources/Vpc/Properties/CidrBlok")
    assert finding.source.startswith("https://github.com/aws-cloudformation/cfn-lint/")


def test_both_judges_find_it_so_that_once_means_something(judges, tmp_path):
    file = template(WRONG, tmp_path)
    assert [f.rule_id for f in judges._native.judge(file, None)] == ["F3002"]
    assert [f.rule_id for f in judges._cfn_lint.judge(file, None)] == ["E3002"]


def test_what_only_the_native_judge_finds_is_its_own(judges, tmp_path, monkeypatch):
    monkeypatch.setattr(judges._cfn_lint, "judge", lambda file, region: [])
    (finding,) = judges.judge(template(WRONG, tmp_path), "us-east-2")
    assert (finding.rule_id, finding.tool) == ("F3002", "cloudformation-validate")
    assert (finding.line, finding.column, finding.logical_id) == (5, 7, "Vpc")
    assert finding.path == "/Resources/Vpc/Properties/CidrBlok"


@pytest.mark.parametrize(
    ("where", "check"),
    [("template", "E3002"), ("template", "E3"), ("template", "E"), ("resource", "E3002")],
)
def test_the_switches_of_cfn_lint_hold_for_both_judges(judges, tmp_path, check, where):
    metadata = {"cfn-lint": {"config": {"ignore_checks": [check]}}}
    text = json.dumps(metadata)
    if where == "template":
        text = f"{WRONG}Metadata: {text}\n"
    else:
        text = WRONG.replace("    Properties", f"    Metadata: {text}\n    Properties")
    assert judges.judge(template(text, tmp_path), "us-east-2") == []


@pytest.mark.parametrize("region", [None, "us-east-2", "xx-future-1"])
def test_a_type_that_our_catalogue_knows_is_not_said_to_be_missing(judges, tmp_path, region):
    text = json.dumps({"Resources": {
        name: {"Type": "AWS::EC2::Instance", "Properties": {"InstanceType": kind}}
        for name, kind in (("Known", "trn2.3xlarge"), ("Not", "trn2.9xlarge"))
    }})  # fmt: skip
    found = [f for f in judges.judge(template(text, tmp_path), region) if f.rule_id == "E3628"]
    assert {f.logical_id for f in found} == {"Not"}


def test_a_list_of_everything_becomes_its_nearest_three(judges, tmp_path):
    text = json.dumps({"Resources": {
        "Node": {"Type": "AWS::EC2::Instance", "Properties": {"InstanceType": "m5.largo"}},
    }})  # fmt: skip
    found = judges.judge(template(text, tmp_path), "us-east-2")
    (finding,) = [f for f in found if f.rule_id == "E3628"]
    assert len(finding.message) < 200
    assert "'m5.large'" in finding.message
    assert finding.message.endswith("in 'us-east-2'")


def test_what_our_rule_says_too_is_told_by_ours_alone():
    _, found = lint(DATA)
    assert found["TRN353"].logical_id == "Data"
    assert found["W3011"].logical_id == "Table", "about which ours says nothing"
    report, _ = lint(DATA)
    assert [f.logical_id for f in report.findings if f.rule_id == "W3011"] == ["Table"]


def test_it_stays_said_once_when_ours_is_suppressed():
    report, _ = lint(DATA, suppress=[GivenSuppression("TRN353", "agreed with the owners")])
    assert [f.logical_id for f in report.findings if f.rule_id == "W3011"] == ["Table"]


def test_their_rules_are_suppressed_as_ours_are():
    given = [GivenSuppression("E3002", "agreed with the owners")]
    _, found = lint(WRONG, suppress=given)
    assert found["E3002"].suppression == Suppression(
        kind="external", reason="agreed with the owners"
    )
    assert "TRN006" not in found
    inside = WRONG.replace(
        "    Properties",
        "    Metadata:\n"
        "      trnkit: {suppress: [{rule_id: E3002, reason: agreed with the owners}]}\n"
        "    Properties",
    )
    _, found = lint(inside)
    assert found["E3002"].suppression.kind == "inSource"
    assert "TRN006" not in found
    quiet = lint_paths(["-"], standard_input=inside.encode())
    assert quiet.findings == (), "without --generic nobody can say whether it is idle"


def test_their_rules_are_documented_by_tool(judges):
    rules = judges.rules
    assert set(rules) == {"cfn-lint", "cloudformation-validate"}
    assert rules["cfn-lint"]["E3002"].source.startswith("https://")
    assert "F3002" in judges.rule_ids


def test_a_judge_that_is_not_installed_is_told_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudformation_validate", None)
    report, found = lint(WRONG)
    assert report.notes == ("cloudformation-validate is not installed, so cfn-lint judged alone",)
    assert found["E3002"].tool == "cfn-lint"
    assert set(report.other_rules) == {"cfn-lint"}


@pytest.mark.parametrize("judge", ["_cfn_lint", "_native"])
def test_a_judge_that_fails_is_a_warning_and_no_end(judges, tmp_path, monkeypatch, judge):
    def fail(*_):
        raise ZeroDivisionError("some  bug\nof theirs")

    if judge == "_cfn_lint":
        monkeypatch.setattr(judges._cfn_lint._runner, "run_template_by_data", fail)
    else:
        monkeypatch.setattr(judges._native, "_engine", type("E", (), {"validate_template": fail}))
    found = [f for f in judges.judge(template(WRONG, tmp_path), None) if f.rule_id == "E0002"]
    assert [f.severity for f in found] == [Severity.WARNING]
    assert found[0].message.endswith(
        "could not judge this template: ZeroDivisionError: some bug of theirs"
    )


@pytest.mark.parametrize("path", sorted(ROOT.glob("tests/golden/templates/trn2-pretrain/*.json")),
                         ids=lambda path: path.name)  # fmt: skip
def test_about_our_own_templates_they_say_nothing(judges, path):
    assert judges.judge(read_template(str(path)), "us-east-2") == []


def test_progress_is_told_when_it_takes_long(tmp_path, monkeypatch):
    lines = []
    judges = GenericJudges(lines.append)
    file = template(WRONG, tmp_path)
    judges.judge(file, None)
    assert lines == []
    monkeypatch.setattr(judging, "_SLOW_SECONDS", -1.0)
    judges.judge(replace(file, path="slow.yaml"), None)
    assert lines == ["generic judges: 1 template done, at slow.yaml"]


def test_findings_of_ours_are_never_taken_for_repetitions():
    ours = Finding(rule_id="TRN353", severity=Severity.ERROR, message="x", file="a", logical_id="D")
    theirs = replace(ours, rule_id="W3011", tool="cfn-lint")
    elsewhere = replace(theirs, file="b")
    kept = GenericJudges.without_repetitions([ours, theirs, elsewhere])
    assert kept == [ours, elsewhere]


NETWORK = """\
  Vpc:
    Type: AWS::EC2::VPC
    Properties: {CidrBlock: 10.0.0.0/16}
"""


@pytest.mark.parametrize(
    ("cfn_lint", "native", "resource"),
    [
        ("E1019", "F1018", "Properties: {CidrBlock: !Sub '${Y}'}"),
        ("E1019", "F1018", "Properties: {CidrBlock: {'Fn::Sub': '${Y.Arn}'}}"),
        ("E1019", "E9004", "Properties: {CidrBlock: !Sub '${Vpc.Nope}'}"),
        ("E1010", "E9004", "Properties: {CidrBlock: !GetAtt Vpc.Nope}"),
        ("E1010", "F1020", "Properties: {CidrBlock: {'Fn::GetAtt': [Y, Arn]}}"),
        ("E1010", "F1020", "Properties:\n      CidrBlock: !GetAtt Y.Arn"),
        ("E1011", "F1012", "Properties:\n      CidrBlock: !FindInMap [M, a, b]"),
        ("E1028", "F0013", "Properties: {CidrBlock: !If [C, 10.0.0.0/16]}"),
        ("E3005", "E3005", "DependsOn: Y"),
        ("E3015", "E8002", "Condition: Y"),
        ("E3035", "F3016", "DeletionPolicy: retain"),
        ("E3036", "F0018", "UpdateReplacePolicy: Keep"),
    ],
)
def test_rules_of_two_numbers_that_mean_the_same_are_told_once(
    judges, tmp_path, monkeypatch, cfn_lint, native, resource
):
    text = f"Resources:\n{NETWORK}  Other:\n    Type: AWS::EC2::VPC\n    {resource}\n"
    file = template(text, tmp_path)
    assert native in [f.rule_id for f in judges._native.judge(file, None)]
    assert cfn_lint in [f.rule_id for f in judges.judge(file, None)]
    assert not any(f.tool != "cfn-lint" for f in judges.judge(file, None) if f.rule_id == native)
    monkeypatch.setattr(judges._cfn_lint, "judge", lambda file, region: [])
    assert native in [f.rule_id for f in judges.judge(file, None)], "when it is alone"


SECTIONS = [
    ("E2001", "F2003", "Parameters: {A-b: {Type: String}}"),
    ("E2015", "F2012", "Parameters: {A: {Type: String, AllowedValues: [a], Default: c}}"),
    ("E7001", "F0017", "Mappings: {M: {a: x}}"),
    ("E8005", "E8007", "Conditions: {A: !Not [!Condition Y]}"),
    ("E1001", "F0005", "Foo: 1"),
    ("E6005", "E6005", "Outputs: {O: {Value: x, Condition: Y}}"),
]


@pytest.mark.parametrize(("cfn_lint", "native", "section"), SECTIONS)
def test_so_are_those_about_other_sections(judges, tmp_path, cfn_lint, native, section):
    file = template(f"Resources:\n{NETWORK}{section}\n", tmp_path)
    assert native in [f.rule_id for f in judges._native.judge(file, None)]
    errors = [f for f in judges.judge(file, None) if f.severity is Severity.ERROR]
    assert [(f.rule_id, f.tool) for f in errors] == [(cfn_lint, "cfn-lint")]


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ({}, True),
        ({"message": "DependsOn target 'Z' does not exist as a resource"}, False),
        ({"path": "/Resources/OtherOne"}, False),
        ({"rule_id": "F1012"}, False),
        ({"message": "DependsOn target Y does not exist"}, False),
    ],
)
def test_around_a_place_only_the_same_rule_about_the_same_name_is_a_repetition(change, again):
    said = Finding(
        rule_id="E3005",
        severity=Severity.ERROR,
        message="'Y' is not one of ['Vpc']",
        path="/Resources/Other/DependsOn",
        line=5,
    )
    text = "DependsOn target 'Y' does not exist as a resource"
    native = replace(said, message=text, path="/Resources/Other", line=3)
    assert judging._says_again(replace(native, **change), said) is again


@pytest.mark.parametrize("policies", ["DeletionPolicy: retain", "UpdateReplacePolicy: Snapshot"])
@pytest.mark.parametrize("kind", ["PERSISTENT_2, PerUnitStorageThroughput: 250", "SCRATCH_2"])
def test_a_policy_that_is_none_is_told_once_and_as_an_error(policies, kind):
    text = DATA.partition("  Data:")[2].replace("PERSISTENT_2, PerUnitStorageThroughput: 250", kind)
    text = "Resources:\n  Data:" + text.replace("DeletionPolicy: Retain", policies)
    report, _ = lint(text, region="us-east-2")
    name, _, value = policies.partition(": ")
    (finding,) = [f for f in report.findings if f.path == f"/Resources/Data/{name}"]
    assert (finding.rule_id, finding.severity) == ("TRN353", Severity.ERROR)
    assert finding.message.startswith(f"Data: {name} must be Delete")
    assert finding.message.endswith(f", got '{value}'")
    given = [GivenSuppression("TRN353", "agreed with the owners")]
    suppressed, _ = lint(text, region="us-east-2", suppress=given)
    errors = [f for f in suppressed.findings if f.path == finding.path and f.suppression is None]
    assert errors, "a suppression of ours hides no template that CloudFormation refuses"


def test_a_string_that_cloudformation_takes_for_a_number_is_no_finding(judges, tmp_path):
    text = f"Resources:\n{NETWORK}".replace("}", ", EnableDnsSupport: 'true'}")
    file = template(text, tmp_path)
    assert "W9003" in judges.rule_ids
    assert judges.judge(file, "us-east-2") == []
    wrong = template(text.replace("'true'", "'yes'"), tmp_path)
    assert [f.rule_id for f in judges.judge(wrong, "us-east-2")] == ["E3012"]
