from __future__ import annotations

import json

import pytest

from trnkit.rules.cloud_assembly import (
    is_assembly,
    read_assembly,
    read_template,
    strange_entries,
)


def write(folder, artifacts):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cdk.out").write_text("{}")
    (folder / "manifest.json").write_text(json.dumps({"artifacts": artifacts}))


def stack(environment="aws://unknown-account/us-east-2", **properties):
    return {
        "type": "aws:cloudformation:stack",
        "environment": environment,
        "properties": properties,
    }


def test_stacks_of_nested_assemblies_are_found_with_their_regions(tmp_path):
    nested = {"type": "cdk:cloud-assembly", "properties": {"directoryName": "assembly-a"}}
    write(tmp_path, {"a": nested, "b": stack(templateFile="b.json")})
    inner = stack("aws://unknown-account/unknown-region", templateFile="n.json", stackName="a-n")
    write(tmp_path / "assembly-a", {"n": inner | {"displayName": "a/n"}})
    first, second = read_assembly(tmp_path)
    assert (first.id, first.name, first.region) == ("a/n", "a-n", None)
    assert first.template == tmp_path / "assembly-a" / "n.json"
    assert (second.id, second.name, second.region) == ("b", "b", "us-east-2")


def test_a_manifest_cannot_lead_out_of_its_folder(tmp_path):
    outside = {"type": "cdk:cloud-assembly", "properties": {"directoryName": ".."}}
    write(tmp_path / "in", {"a": stack(templateFile="../secret.json"), "b": outside})
    write(tmp_path, {"s": stack(templateFile="s.json")})
    assert read_assembly(tmp_path / "in") == ()


def test_a_folder_that_contains_itself_ends(tmp_path):
    write(tmp_path, {"a": {"type": "cdk:cloud-assembly", "properties": {"directoryName": "."}}})
    assert read_assembly(tmp_path) == ()


@pytest.mark.parametrize("text", ["", "[]", '{"artifacts": []}', '{"artifacts": {"a": 1}}'])
def test_a_broken_manifest_has_no_stacks_or_is_a_value_error(tmp_path, text):
    write(tmp_path, {})
    (tmp_path / "manifest.json").write_text(text)
    if text:
        assert read_assembly(tmp_path) == ()
    else:
        with pytest.raises(ValueError, match="Expecting value"):
            read_assembly(tmp_path)


def test_a_manifest_alone_is_no_assembly(tmp_path):
    (tmp_path / "manifest.json").write_text("{}")
    assert not is_assembly(tmp_path)


def test_a_template_has_its_stacks_name_and_region(tmp_path):
    write(tmp_path, {"a": stack(templateFile="n.template.json", stackName="a-n")})
    for name in ("n.template.json", "other.template.json"):
        (tmp_path / name).write_text("{}")
    known = read_template(tmp_path / "n.template.json", tmp_path)
    assert (known.name, known.region) == ("a-n", "us-east-2")
    other = read_template(tmp_path / "other.template.json", tmp_path)
    assert (other.name, other.region) == ("other.template", None)
    elsewhere = read_template(tmp_path / "n.template.json", tmp_path / "no-assembly")
    assert elsewhere.region is None


def test_an_assembly_that_changed_is_read_again(tmp_path):
    (tmp_path / "n.json").write_text("{}")
    for region in ("us-east-2", "us-west-2"):
        write(tmp_path, {"a": stack(f"aws://unknown-account/{region}", templateFile="n.json")})
        assert read_template(tmp_path / "n.json", tmp_path).region == region


def test_what_an_assembly_holds_of_its_own_is_not_strange(tmp_path):
    nested = {"type": "cdk:cloud-assembly", "properties": {"directoryName": "assembly-a"}}
    report = {"type": "cdk:tree", "properties": {"file": "graph.json"}}
    write(tmp_path, {"a": nested, "r": report})
    write(tmp_path / "assembly-a", {})
    write(tmp_path / "assembly-of-last-week", {})
    own = [
        *("tree.json", "graph.json", "x.template.json", "x.assets.json", "x.metadata.json"),
        *("asset.0123", "validation-report.json", "AwsSolutions-x-NagReport.csv", "read.7.1.lock"),
    ]
    for name in own:
        (tmp_path / name).write_text("")
    assert list(strange_entries(tmp_path)) == []
    (tmp_path / "assembly-a" / "mine").mkdir()
    (tmp_path / "notes.json").write_text("")
    (tmp_path / "mine").symlink_to("assembly-a")
    strange = [str(path.relative_to(tmp_path)) for path in strange_entries(tmp_path)]
    assert strange == ["assembly-a/mine", "mine", "notes.json"]


def test_a_real_assembly_holds_nothing_strange(default_assembly):
    folder = next(iter(default_assembly.paths.values())).parents[1]
    assert is_assembly(folder)
    assert list(strange_entries(folder)) == []
