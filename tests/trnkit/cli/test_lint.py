from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from tests.trnkit.cli.conftest import MINIMAL, TEMPLATE

MINIFIED = json.dumps({"Description": "x", "Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}}})


def test_a_finding_has_line_and_column(trnkit, folder):
    (folder / "t.yaml").write_text(TEMPLATE)
    ran = trnkit("lint", "t.yaml", "--format", "json")
    content = json.loads(ran.out)
    assert (ran.code, ran.err) == (1, "")
    assert content["templates"] == ["t.yaml"]
    (finding, *_) = [f for f in content["findings"] if f["rule_id"] == "TRN252"]
    assert (finding["file"], finding["line"], finding["column"]) == ("t.yaml", 10, 13)
    assert finding["logical_id"] == "Template"
    assert finding["path"].startswith("/Resources/Template/Properties/LaunchTemplateData")


def test_a_clean_template_is_confirmed(trnkit, folder):
    (folder / "t.json").write_text(MINIFIED)
    ran = trnkit("lint", "t.json")
    assert (ran.code, ran.out) == (0, "no findings in t.json\n")


def test_standard_input(trnkit, folder, monkeypatch):
    stdin = SimpleNamespace(buffer=io.BytesIO(TEMPLATE.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    ran = trnkit("lint", "-")
    assert ran.code == 1
    assert "<stdin>:10:13" in ran.out


def test_other_files_in_a_folder_are_skipped_and_counted(trnkit, folder):
    (folder / "deep").mkdir()
    (folder / "deep" / "t.yaml").write_text(MINIFIED)
    (folder / "cluster.yaml").write_text(MINIMAL)
    (folder / "data.json").write_text("[1]")
    (folder / "picture.json").write_bytes(b"\x89PNG\0")
    (folder / "notes.txt").write_text("no")
    ran = trnkit("lint", ".")
    assert ran.code == 0
    assert ran.out == "no findings in deep/t.yaml\n3 files skipped: not CloudFormation\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"\x00\x01", "it is a binary file"),
        (b"\xff\xfe", "it is not UTF-8 text"),
        (b"a: 1\n", "it has no `Resources`"),
        (MINIMAL.encode(), "it looks like a cluster file"),
        (b"Resources: {a: b}\n", "its `Resources` are not CloudFormation's"),
        (b"Resources:\n  A: [\n", "not a valid template"),
        (b'{"Resources": {"A": 1, "A": 2}}', "duplicate found 'A'"),
        (b"Resources: " + b"[" * 5000, "not a valid template"),
        (b"Resources:\n" + b"  A: {Type: 'AWS::S3::Bucket'}\n" * 400_000, "larger than"),
    ],
    ids=["empty", "binary", "utf-16", "other", "cluster", "kubernetes", "broken", "twice", "deep",
         "huge"],
)  # fmt: skip
def test_a_named_file_must_be_a_template(trnkit, folder, content, reason):
    (folder / "t.yaml").write_bytes(content)
    ran = trnkit("lint", "t.yaml")
    assert (ran.code, ran.err) == (2, "")
    assert "TRN001" in ran.out
    assert reason in ran.out


def test_a_broken_file_does_not_hide_the_others(trnkit, folder):
    (folder / "broken.yaml").write_text("Resources:\n  A: [\n")
    (folder / "t.yaml").write_text(TEMPLATE)
    ran = trnkit("lint", ".")
    assert ran.code == 2
    assert "broken.yaml:" in ran.out
    assert "TRN252" in ran.out
    assert "in 2 files" in ran.out


def test_nothing_to_lint_is_exit_code_2(trnkit, folder):
    ran = trnkit("lint", ".")
    assert ran.code == 2
    assert "holds no CloudFormation template" in ran.out


def test_a_missing_file_in_json_is_a_finding(trnkit, folder):
    ran = trnkit("lint", "nothing.yaml", "--format", "json")
    content = json.loads(ran.out)
    assert (ran.code, content["findings"][0]["rule_id"]) == (2, "TRN001")


def test_templates_of_one_folder_are_judged_together(trnkit, folder):
    exporting = TEMPLATE.replace("Parameters:", "Outputs:").replace(
        "Group: {Type: String}", "X: {}"
    )
    (folder / "a.yaml").write_text(exporting)
    (folder / "b.yaml").write_text(TEMPLATE)
    ran = trnkit("lint", "a.yaml", "b.yaml", "--format", "json")
    assert {f["file"] for f in json.loads(ran.out)["findings"]} == {"a.yaml", "b.yaml"}


def test_sarif_names_the_file_relative_to_the_current_folder(trnkit, folder):
    (folder / "a folder").mkdir()
    (folder / "a folder" / "t.yaml").write_text(TEMPLATE)
    ran = trnkit("lint", str(folder / "a folder"), "--format", "sarif")
    run = json.loads(ran.out)["runs"][0]
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
    }
    assert uris == {"a%20folder/t.yaml"}


def test_a_hook_may_name_files_that_are_no_templates(trnkit, folder):
    (folder / "t.yaml").write_text(MINIFIED)
    (folder / "cluster.yaml").write_text(MINIMAL)
    (folder / "broken.yaml").write_text("Resources:\n  A: [\n")
    ran = trnkit("lint", "--skip-others", "t.yaml", "cluster.yaml")
    assert (ran.code, ran.out) == (
        0, "no findings in t.yaml\n1 file skipped: not CloudFormation\n",
    )  # fmt: skip
    ran = trnkit("lint", "--skip-others", "cluster.yaml")
    assert (ran.code, ran.out) == (
        0, "no findings in 0 files\n1 file skipped: not CloudFormation\n",
    )  # fmt: skip
    assert trnkit("lint", "--skip-others", "broken.yaml").code == 2, "a broken template is one"
    assert trnkit("lint", "--skip-others", "missing.yaml").code == 2


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit"])
def test_a_generic_judge_that_is_not_there_is_told_in_every_format(
    trnkit, folder, monkeypatch, form
):
    monkeypatch.setitem(sys.modules, "cloudformation_validate", None)
    (folder / "t.json").write_text(MINIFIED)
    note = "cloudformation-validate is not installed, so cfn-lint judged alone"
    ran = trnkit("lint", "t.json", "--generic", "--format", form)
    assert ran.code == 0
    if form == "text":
        assert ran.out.splitlines()[-1] == note
    elif form == "json":
        assert json.loads(ran.out)["notes"] == [note]
    else:
        assert ran.err == f"{note}\n"
    assert (trnkit("lint", "t.json", "--format", form).err) == ""


def test_generic_findings_have_a_run_of_their_own_in_sarif(trnkit, folder):
    wrong = {"Bucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketNam": "x"}}}
    (folder / "t.json").write_text(json.dumps({"Resources": wrong}))
    ran = trnkit("lint", "t.json", "--generic", "--format", "sarif")
    ours, theirs, native = json.loads(ran.out)["runs"]
    assert (ran.code, ours["results"], native["results"]) == (1, [], [])
    assert theirs["tool"]["driver"]["name"] == "cfn-lint"
    assert [r["ruleId"] for r in theirs["results"]] == ["E3002"]
    assert theirs["tool"]["driver"]["rules"][0]["shortDescription"]["text"]


@pytest.mark.parametrize("native", [True, False])
def test_each_judge_that_was_asked_has_a_run_so_that_its_old_alerts_are_closed(
    trnkit, folder, monkeypatch, native
):
    if not native:
        monkeypatch.setitem(sys.modules, "cloudformation_validate", None)
    (folder / "t.json").write_text(MINIFIED)

    def runs(*options):
        content = json.loads(trnkit("lint", "t.json", "--format", "sarif", *options).out)
        return {run["tool"]["driver"]["name"]: len(run["results"]) for run in content["runs"]}

    beside = {"cfn-lint": 0} | ({"cloudformation-validate": 0} if native else {})
    assert runs("--generic") == runs() | beside
    assert list(runs()) == ["trnkit"]
