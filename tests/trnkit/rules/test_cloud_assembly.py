from __future__ import annotations

import json

import pytest

from trnkit.rules.cloud_assembly import is_assembly, read_assembly


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
