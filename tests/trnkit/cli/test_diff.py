"""`trnkit diff` as it is called: what is written, and the exit code."""

from __future__ import annotations

import json
import os
import random
import shutil

import pytest

from tests.synthesis import ROOT
from tests.trnkit.cli.conftest import MINIMAL, TEMPLATE
from trnkit.operations.template_files import MAX_BYTES
from trnkit.report.change_results import Verdict

GOLDEN = ROOT / "tests" / "golden" / "templates"
LUSTRE = """\
Resources:
  Scratch:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
"""


@pytest.fixture
def two(folder):
    """Two templates of which the second loses the data of the first."""
    (folder / "old.yaml").write_text(LUSTRE)
    (folder / "new.yaml").write_text(LUSTRE.replace("subnet-1", "subnet-2"))
    return "old.yaml", "new.yaml"


def test_data_that_is_lost_is_exit_code_1_with_place_reason_and_remedy(trnkit, two):
    ran = trnkit("diff", *two)
    assert ran.code == 1
    head, what, value, *_ = ran.out.splitlines()
    assert head == "destroys data"
    assert what == "  new.yaml:7:19  Scratch  AWS::FSx::FileSystem  in new  (replaced)"
    assert value == "    SubnetIds[0]: subnet-1 -> subnet-2  (makes a new one)"
    assert "the data (files) will not move, and the old one is deleted with it" in ran.out
    assert "    do    set UpdateReplacePolicy: Retain" in ran.out
    assert "    see   https://docs.aws.amazon.com/" in ran.out
    assert ran.out.splitlines()[-1] == "1 destroys data: old.yaml -> new.yaml"
    assert ran.err == ""


def test_json_has_the_same_and_nothing_else(trnkit, two):
    ran = trnkit("diff", *two, "--format", "json")
    content = json.loads(ran.out)
    assert (ran.code, content["schema"], content["findings"]) == (1, 1, [])
    assert (content["worst"], content["counts"]) == ("destroys-data", {"destroys-data": 1})
    assert (content["inputs"], content["cluster_file"], content["notes"]) == ("template", [], [])
    (change,) = content["changes"]
    assert change["verdict"] == "destroys-data"
    assert (change["file"], change["line"], change["logical_id"]) == ("new.yaml", 7, "Scratch")
    assert change["properties"] == [
        {
            "path": "SubnetIds[0]",
            "old": "subnet-1",
            "new": "subnet-2",
            "verdict": "replaces",
            "indirect": False,
            "replaces": True,
        }
    ]
    assert {effect["data"] for effect in change["effects"]} == {"lost", None}


@pytest.mark.parametrize(
    ("edit", "limit", "code"),
    [
        (("1200", "2400"), "destroys-data", 0),
        (("1200", "2400"), "interrupts", 1),
        (("1200", "2400"), "replaces", 0),
        (("2400", "1200"), "refused", 1),
        (("2400", "1200"), "destroys-data", 0),
        (("2400", "1200"), "replaces-nodes", 1),
        (("1200", "1200"), "safe", 0),
        (("subnet-1", "subnet-2"), "never", 0),
    ],
)
def test_fail_on_takes_a_class_and_what_is_worse(trnkit, folder, edit, limit, code):
    was, becomes = edit
    text = LUSTRE.replace("1200", was) if was.isdecimal() else LUSTRE
    (folder / "a.yaml").write_text(text)
    (folder / "b.yaml").write_text(text.replace(was, becomes))
    assert trnkit("diff", "a.yaml", "b.yaml", "--fail-on", limit).code == code


def test_the_classes_of_the_option_are_those_of_the_report(trnkit, two):
    help_text = trnkit("diff", "--help").out
    assert all(verdict.value in help_text.replace("\n", "") for verdict in Verdict)


def test_the_page_explains_every_class():
    page = (ROOT / "docs" / "diff.md").read_text()
    assert all(f"| {v.words} | `{v.value}` |" in page for v in Verdict)


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir()))
def test_our_examples_do_not_differ_from_themselves(trnkit, folder, name):
    shutil.copytree(GOLDEN / name, folder / "copy")
    ran = trnkit("diff", str(GOLDEN / name), "copy", "--fail-on", "safe")
    assert (ran.code, ran.out) == (0, f"no changes: {GOLDEN / name} -> copy\n")


def test_two_clusters_templates_are_told_apart_by_stack(trnkit, folder):
    ran = trnkit("diff", str(GOLDEN / "trn2-pretrain"), str(GOLDEN / "trn1-oregon"))
    assert ran.code == 1
    assert "AWS::FSx::FileSystem  in Storage  (replaced)" in ran.out
    assert "removed  LustrefsxdataF3A6EAE1" in ran.out or "LustrefsxdataF3A6EAE1" in ran.out


def test_a_pipe_with_a_template_is_read(process, folder, two):
    read, write = os.pipe()
    os.write(write, LUSTRE.encode())
    os.close(write)
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "trnkit.cli.main", "diff", f"/dev/fd/{read}", "new.yaml"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        pass_fds=[read],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    os.close(read)
    assert done.returncode == 1, done.stderr
    assert "1 destroys data" in done.stdout


def test_colours_stand_only_where_a_terminal_is(two):
    from trnkit.operations.changes.comparison import compare_stacks
    from trnkit.operations.changes.inputs import read_stacks, recognise
    from trnkit.report.change_results import ChangeReport
    from trnkit.report.changes import render_changes

    found = compare_stacks(*(read_stacks(recognise(name)) for name in two), are_single=True)
    report = ChangeReport(old="a", new="b", inputs="template", changes=found.changes)
    assert "\x1b" not in render_changes(report)
    assert render_changes(report, color=True).startswith("\x1b[1;31mdestroys data\x1b[0m")


def test_what_a_template_says_cannot_write_to_the_terminal(trnkit, folder):
    (folder / "a.yaml").write_text(LUSTRE)
    (folder / "b.yaml").write_text(LUSTRE.replace("subnet-1", '"\\e[2Jsubnet"'))
    assert "\x1b" not in trnkit("diff", "a.yaml", "b.yaml").out


WRONG = [
    ("empty.yaml", "", "the file is empty"),
    ("text.yaml", "hello\n", "nor a cluster file"),
    ("list.json", "[1]", "nor a cluster file"),
    ("cut.json", '{"Resources": {"A": {"Type": "AWS::SNS::Topic"', "cut.json:2:1: not a valid"),
    ("tab.yaml", "Resources:\n\tA: b\n", "tab.yaml:2:1"),
    ("other.yaml", "Resources: {A: 3}\n", "are not CloudFormation's"),
]


@pytest.mark.parametrize(("name", "text", "words"), WRONG, ids=[name for name, *_ in WRONG])
@pytest.mark.parametrize("side", ["old", "new"])
def test_what_cannot_be_read_is_exit_code_2_with_file_and_remedy(
    trnkit, folder, name, text, words, side
):
    (folder / "good.yaml").write_text(LUSTRE)
    (folder / name).write_text(text)
    names = (name, "good.yaml") if side == "old" else ("good.yaml", name)
    ran = trnkit("diff", *names)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {name}")
    assert words in ran.err
    assert "; " in ran.err
    broken = json.loads(trnkit("diff", *names, "--format", "json").out)
    assert broken["findings"][0]["file"] == name


def test_binary_huge_and_missing_inputs_end_at_once(trnkit, folder):
    (folder / "good.yaml").write_text(LUSTRE)
    (folder / "binary").write_bytes(random.Random(1).randbytes(3000))
    (folder / "huge.json").write_text('{"Resources": {"A": "' + "x" * MAX_BYTES + '"}}')
    (folder / "hollow").mkdir()
    for name in ("binary", "huge.json", "missing.yaml", "hollow", "-", ""):
        ran = trnkit("diff", name, "good.yaml")
        assert (ran.code, ran.out) == (2, ""), name
        assert "internal error" not in ran.err


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("t.yaml", "c.yaml", "t.yaml is a template and c.yaml is a cluster file"),
        ("d", "t.yaml", "d is a folder and t.yaml is a template"),
        ("c.yaml", "d", "c.yaml is a cluster file and d is a folder"),
    ],
)
def test_two_kinds_are_not_compared(trnkit, folder, old, new, words):
    (folder / "t.yaml").write_text(LUSTRE)
    (folder / "c.yaml").write_text(MINIMAL)
    (folder / "d").mkdir()
    (folder / "d" / "t.yaml").write_text(LUSTRE)
    ran = trnkit("diff", old, new)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


ODD = """\
Resources:
  A: {Type: AWS::FSx::FileSystem, Properties: PROPERTIES, DeletionPolicy: {a: b}, Metadata: 3}
  B:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties: {LaunchTemplate: ODD, MaxSize: [1], DesiredCapacity: ODD, VPCZoneIdentifier: ODD}
    UpdatePolicy: 3
  C: {Type: 5}
  D: text
  E: {Type: AWS::EC2::LaunchTemplate, Properties: ODD}
  F: {Type: AWS::S3::Bucket, Properties: {LifecycleConfiguration: ODD, Tags: ODD}}
  G: {Type: AWS::KMS::Key, Properties: {KeyPolicy: {Statement: ODD}}, Condition: ODD}
Parameters: ODD
Outputs: {X: ODD, Y: {Export: ODD}, Z: {Value: {Ref: A}, Export: {Name: [1]}}}
Conditions: {A: {Fn::Not: [{Condition: A}]}, B: ODD}
Mappings: ODD
"""


@pytest.mark.parametrize("old", ["3", "text", "[1, {a: b}]", "{a: [b]}", "{Rules: 3}", "null"])
@pytest.mark.parametrize("new", ["4", "[x, {Key: 3}]", "{Rules: [{Id: 1}, 3]}", "{Ref: A}", "~"])
def test_wrong_types_everywhere_end_in_a_report(trnkit, folder, old, new):
    for name, value in (("old.yaml", old), ("new.yaml", new)):
        (folder / name).write_text(ODD.replace("PROPERTIES", value).replace("ODD", value))
    ran = trnkit("diff", "old.yaml", "new.yaml")
    assert ran.code in (0, 1), ran.err
    assert ran.out.endswith(": old.yaml -> new.yaml\n")


def test_references_in_a_circle_end(trnkit, folder):
    circle = "Resources:\n" + "".join(
        f"  R{n}: {{Type: AWS::SNS::Topic, Properties: {{TopicName: !Ref R{(n + 1) % 50}}}}}\n"
        for n in range(50)
    )
    (folder / "a.yaml").write_text(circle)
    (folder / "b.yaml").write_text(circle.replace("TopicName: !Ref R7}", "TopicName: other}"))
    ran = trnkit("diff", "a.yaml", "b.yaml")
    assert ran.out.splitlines()[-1].startswith("50 replaces: ")


def test_an_assembly_is_read_by_its_manifest(trnkit, folder):
    def assembly(name, region, protected, template):
        (folder / name).mkdir()
        (folder / name / "cdk.out").write_text("{}")
        (folder / name / "x.template.json").write_text(template)
        properties = {"templateFile": "x.template.json", "stackName": "train"}
        stack = {
            "type": "aws:cloudformation:stack",
            "environment": f"aws://111122223333/{region}",
            "properties": properties | {"terminationProtection": protected},
        }
        (folder / name / "manifest.json").write_text(json.dumps({"artifacts": {"X": stack}}))

    body = json.dumps({"Resources": {"T": {"Type": "AWS::SNS::Topic", "Properties": {}}}})
    assembly("one", "us-east-2", True, body)
    assembly("two", "us-east-2", False, body.replace('T"', 'U"', 1))
    assembly("three", "us-west-2", True, body)
    content = json.loads(trnkit("diff", "one", "two", "--format", "json").out)
    assert content["inputs"] == "cloud assembly"
    assert {change["stack"] for change in content["changes"]} == {"train"}
    assert {change["kind"] for change in content["changes"]} == {"moved", "changed"}
    ran = trnkit("diff", "one", "three")
    assert "it moves from 111122223333/us-east-2 to 111122223333/us-west-2" in ran.out
    (folder / "two" / "manifest.json").write_text("[")
    assert trnkit("diff", "one", "two").code == 2


def test_templates_of_a_folder_pair_by_their_names_below_it(trnkit, folder):
    for side, text in (("a", TEMPLATE), ("b", TEMPLATE.replace("trn2.48xlarge", "trn1.32xlarge"))):
        (folder / side / "deep").mkdir(parents=True)
        (folder / side / "deep" / "x.yaml").write_text(text)
        (folder / side / "same.template.json").write_text('{"Resources": {"A": {"Type": "A::B"}}}')
        (folder / side / "notes.yaml").write_text("just: notes\n")
    ran = trnkit("diff", "a", "b")
    assert (ran.code, ran.err) == (0, "")
    assert "deep/x" in ran.out
    assert ran.out.splitlines()[-1] == "1 safe: a -> b"


def test_a_cluster_files_keys_stand_beside_what_they_change(trnkit, folder):
    (folder / "old.yaml").write_text(MINIMAL)
    (folder / "new.yaml").write_text(MINIMAL.replace("count: 2", "count: 1"))
    ran = trnkit("diff", "old.yaml", "new.yaml")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "keys of the cluster file"
    assert lines[1] == "  new.yaml:8  compute.node_groups[0].count  2 -> 1"
    assert "AWS::AutoScaling::AutoScalingGroup  in pretrain-Compute  (changed)" in ran.out
    assert lines[-1] == "1 interrupts: old.yaml -> new.yaml"


@pytest.mark.parametrize("data_format", ["text", "json"])
def test_a_cluster_file_that_is_wrong_is_not_compared(trnkit, folder, data_format):
    (folder / "old.yaml").write_text(MINIMAL)
    (folder / "new.yaml").write_text(MINIMAL.replace("count: 2", "count: two"))
    ran = trnkit("diff", "old.yaml", "new.yaml", "--format", data_format)
    assert ran.code == 2
    if data_format == "json":
        content = json.loads(ran.out)
        assert content["findings"][0]["line"] == 8
        assert content["failure"] == "a cluster file is wrong"
    else:
        assert "new.yaml:8:7" in ran.out
        assert "nothing was compared" in ran.err


def test_without_node_it_says_what_is_missing(trnkit, folder, monkeypatch):
    (folder / "old.yaml").write_text(MINIMAL)
    (folder / "new.yaml").write_text(MINIMAL.replace("count: 2", "count: 1"))
    monkeypatch.setenv("JSII_NODE", str(folder / "no-node"))
    ran = trnkit("diff", "old.yaml", "new.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "no program" in ran.err
