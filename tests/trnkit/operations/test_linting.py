from __future__ import annotations

import json
import time

import pytest

from tests.synthesis import ROOT
from tests.trnkit.rules.test_cloud_assembly import stack, write
from trnkit.findings import Severity
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


TAKES = "Resources: {B: {Type: AWS::S3::Bucket, Properties: {BucketName: !ImportValue name}}}"
GIVES = f"{TAKES}\nOutputs: {{Name: {{Value: name, Export: {{Name: name}}}}}}"


def test_what_imports_from_each_other_in_a_folder_is_judged_together(tmp_path, monkeypatch):
    texts = {"a/w.yaml": BUCKET, "a/x.yaml": GIVES, "a/y.yaml": TAKES, "b/z.template": TAKES}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    groups, _ = judged(monkeypatch, tmp_path, region="us-west-2")
    assert [[(name, region) for name, region, _ in group] for group in groups] == [
        [("w", "us-west-2")],
        [("x", "us-west-2"), ("y", "us-west-2")],
        [("z", "us-west-2")],
    ]


def test_two_clusters_in_one_folder_are_no_one_cluster(tmp_path):
    """Each is right; the nodes of one do not mount the file system of the other."""
    corpus = ROOT / "tests" / "golden" / "templates"
    for example in ("trn2-pretrain", "trn1-efa-lustre", "trn1-oregon"):
        for path in (corpus / example).glob("*.json"):
            (tmp_path / f"{example}-{path.name}").write_text(path.read_text())
    report = lint_paths([str(tmp_path)])
    assert [f.headline() for f in report.findings if f.severity is not Severity.INFO] == []


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


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Templates and other files, some deep, some hidden; the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("stacks/a.yaml", "stacks/deep/b.yaml", "stacks/deep/er/c.json",
                 "stacks/.hidden/d.yaml", "other/e.yaml", "[x].yaml"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(BUCKET)
    (tmp_path / "stacks" / "cluster.yaml").write_text("version: 1")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "templates", "skipped"),
    [
        ("stacks/*.yaml", ["stacks/a.yaml"], ["stacks/cluster.yaml"]),
        ("stacks/**/*.yaml", ["stacks/a.yaml", "stacks/deep/b.yaml"], ["stacks/cluster.yaml"]),
        ("./stacks/de?p/*", ["./stacks/deep/b.yaml", "stacks/deep/er/c.json"], []),
        ("*/[be].yaml", ["other/e.yaml"], []),
        ("stacks/.hidden/*", ["stacks/.hidden/d.yaml"], []),
        ("[x].yaml", ["[x].yaml"], []),
        ("st*", ["stacks/a.yaml", "stacks/deep/b.yaml", "stacks/deep/er/c.json"],
         ["stacks/cluster.yaml"]),
    ],
)  # fmt: skip
def test_a_pattern_matches_as_in_a_shell(tree, pattern, templates, skipped):
    report = lint_paths([pattern])
    assert list(report.templates) == templates
    assert list(report.skipped) == skipped
    assert report.findings == ()


def test_links_that_lead_in_circles_are_not_followed(tree):
    for name in ("a", "b"):
        (tree / name).symlink_to(".")
    begin = time.process_time()
    report = lint_paths(["**/*.yaml"])
    assert time.process_time() - begin < 5
    assert not [name for name in report.templates if name.startswith(("a/", "b/"))]
    assert report.templates


def test_a_pattern_whose_matches_were_all_met_before_is_no_error(tree):
    assert lint_paths(["stacks/a.yaml", "stacks/a*"]).findings == ()
    assert lint_paths(["stacks", "stacks"]).findings == ()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("none/*", "the pattern matches no file"),
     ("stacks/cl*", "the pattern matches no CloudFormation template")],
)  # fmt: skip
def test_a_pattern_without_templates_does_not_hide_the_others(tree, pattern, message):
    report = lint_paths([pattern, "other/e.yaml"])
    assert [f.message for f in report.findings] == [message]
    assert report.templates == ("other/e.yaml",)


def test_links_are_followed_once_and_broken_ones_are_findings(tree):
    (tree / "stacks" / "again.yaml").symlink_to("a.yaml")
    (tree / "stacks" / "gone.yaml").symlink_to("nothing.yaml")
    (tree / "stacks" / "loop").symlink_to(".")
    report = lint_paths(["stacks"])
    assert len(report.templates) == 3
    (finding,) = report.findings
    assert (finding.rule_id, finding.file) == ("TRN001", "stacks/gone.yaml")


def test_a_folder_or_a_missing_file_beside_good_ones_leaves_them_judged(tree):
    (tree / "stacks" / "pipe.yaml").mkdir()
    report = lint_paths(["missing.yaml", "other/e.yaml", "stacks"])
    assert [f.file for f in report.findings] == ["missing.yaml"]
    assert len(report.templates) == 4


def test_a_thousand_files_are_judged_in_seconds(tmp_path):
    import cfnlint.decode.decode  # noqa: F401 - its import takes longer than the reading

    for number in range(1000):
        folder = tmp_path / f"f{number % 10}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.json").write_text(BUCKET)
    begin = time.process_time()
    report = lint_paths([str(tmp_path)])
    assert len(report.templates) == 1000
    assert time.process_time() - begin < 5
