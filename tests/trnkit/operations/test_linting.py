from __future__ import annotations

import json
import time

import pytest

from tests.trnkit.rules.test_cloud_assembly import stack, write
from trnkit.operations import linting
from trnkit.operations.linting import lint_paths
from trnkit.operations.template_files import read_template

BUCKET = json.dumps({"Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}}})


def judged(monkeypatch, *paths, **options):
    """The templates that the rules get to see, group by group."""
    groups = []

    def look(stack_set, **_):
        groups.append([(t.name, t.region, t.path) for t in stack_set.templates])
        return ()

    monkeypatch.setattr(linting, "check_templates", look)
    return groups, lint_paths([str(path) for path in paths], **options)


def test_an_assembly_gives_names_and_regions_and_skips_its_own_files(tmp_path, monkeypatch):
    write(tmp_path, {"n": stack(templateFile="n.template.json", stackName="pretrain-Network")})
    (tmp_path / "n.template.json").write_text(BUCKET)
    (tmp_path / "x.nested.template.json").write_text(BUCKET)
    (tmp_path / "n.assets.json").write_text("{}")
    (tmp_path / "asset.abc").mkdir()
    (tmp_path / "asset.abc" / "package.json").write_text("{}")
    groups, report = judged(monkeypatch, tmp_path, region="eu-west-1")
    (group,) = groups
    assert [(name, region) for name, region, _ in group] == [
        ("pretrain-Network", "us-east-2"),
        ("x", "us-east-2"),
    ]
    assert report.skipped == ()


def test_an_assembly_below_a_folder_is_read_as_one(tmp_path, monkeypatch):
    write(tmp_path / "cdk.out", {"n": stack(templateFile="n.template.json", stackName="net")})
    (tmp_path / "cdk.out" / "n.template.json").write_text(BUCKET)
    groups, _ = judged(monkeypatch, tmp_path)
    assert [[(name, region) for name, region, _ in group] for group in groups] == [
        [("net", "us-east-2")]
    ]


def test_a_broken_manifest_is_a_finding(tmp_path, monkeypatch):
    write(tmp_path, {})
    (tmp_path / "manifest.json").write_text("{")
    _, report = judged(monkeypatch, tmp_path)
    assert report.findings[0].message.startswith("not a manifest")


def test_folders_are_judged_apart_and_files_of_one_folder_together(tmp_path, monkeypatch):
    for name in ("a/x.yaml", "a/y.json", "b/z.template"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(BUCKET)
    groups, _ = judged(monkeypatch, tmp_path, region="us-west-2")
    assert [[(name, region) for name, region, _ in group] for group in groups] == [
        [("x", "us-west-2"), ("y", "us-west-2")],
        [("z", "us-west-2")],
    ]


def test_a_file_named_twice_is_judged_once(tmp_path, monkeypatch):
    (tmp_path / "t.json").write_text(BUCKET)
    groups, _ = judged(monkeypatch, tmp_path / "t.json", tmp_path)
    assert len(groups[0]) == 1


def test_places_are_found_in_json_and_yaml_and_stop_at_the_deepest_key(tmp_path):
    (tmp_path / "t.json").write_text('{"Resources": {\n\t"A": {"Type": "X::Y", "P": [{"b": 1}]}}}')
    json_file = read_template(str(tmp_path / "t.json"))
    assert str(json_file.locate("/Resources/A")) == "Mark(line=2, column=2)"
    assert str(json_file.locate("/Resources/A/P/0/b/c")) == "Mark(line=2, column=31)"
    (tmp_path / "t.yaml").write_text("Resources:\n  A:\n    Type: X::Y\n    P: !Sub x\n")
    yaml_file = read_template(str(tmp_path / "t.yaml"))
    assert str(yaml_file.locate("/Resources/A/P/Fn::Sub")) == "Mark(line=4, column=5)"
    assert str(yaml_file.locate("/Resources/A/Q")) == "Mark(line=2, column=3)"
    assert yaml_file.locate("/Outputs") is None


@pytest.mark.parametrize(
    "text",
    [
        "{" + "\n" * 100_000,
        "a\n" + "\n" * 100_000 + "x",
        "{" + " " * 100_000,
        "Resources" + "\n" * 100_000,
        "Resources\n" * 20_000,
        "\r\n" * 100_000 + "x",
        '{"Resources": {' + "\n" * 100_000,
    ],
    ids=["brace", "blank", "spaces", "colon missing", "again", "CRLF", "broken"],
)
def test_a_long_run_of_blanks_is_read_soon(tmp_path, text):
    (tmp_path / "t.yaml").write_bytes(text.encode())
    import cfnlint.decode.decode  # noqa: F401 - its import takes longer than the reading

    begin = time.process_time()
    (finding,) = lint_paths([str(tmp_path / "t.yaml")]).findings
    assert finding.rule_id == "TRN001"
    assert time.process_time() - begin < 1
