"""What MiniStack's services hold of the examples: each property comes back as it was given."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.synthesis import ROOT
from tests.trnkit.emulation.stacks import ACCOUNT, Stack
from trnkit.emulation.process import EmulatedAws, emulated_aws
from trnkit.emulation.resources.readers import READERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEMPLATES = sorted((ROOT / "tests" / "golden" / "templates").glob("*/*.json"))
HELD = {kind.name for kind in READERS}
KEY_ARN = f"arn:aws:kms:us-east-2:{ACCOUNT}:key/12345678-1234-1234-1234-123456789012"


def held_resources(template: Path) -> dict[str, Any]:
    """The resources of a template that MiniStack holds; references to others become text."""
    everything = json.loads(template.read_text(encoding="utf-8"))["Resources"]
    held = {name: item for name, item in everything.items() if item["Type"] in HELD}

    def closed(value: Any) -> Any:
        if isinstance(value, list):
            return [closed(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "Fn::ImportValue" in value:
            return KEY_ARN
        if value.get("Ref") in everything.keys() - held.keys():
            return f"text-{value['Ref']}"
        attribute = value.get("Fn::GetAtt")
        if attribute and attribute[0] not in held:
            return f"arn:aws:x:us-east-2:{ACCOUNT}:{attribute[0]}"
        return {name: closed(item) for name, item in value.items()}

    return {
        name: {"Type": item["Type"], "Properties": closed(item.get("Properties", {}))}
        for name, item in held.items()
    }


def code_of_functions() -> set[tuple[str, str]]:
    """Bucket and key of the code of all functions of the templates."""
    return {
        (item["Properties"]["Code"]["S3Bucket"], item["Properties"]["Code"]["S3Key"])
        for template in TEMPLATES
        for item in held_resources(template).values()
        if item["Type"] == "AWS::Lambda::Function"
    }


@pytest.fixture(scope="module")
def aws() -> Iterator[EmulatedAws]:
    with emulated_aws(ACCOUNT) as running:
        for bucket, key in sorted(code_of_functions()):
            s3 = running.clients("us-east-2")("s3")
            where = {"LocationConstraint": "us-east-2"}
            s3.create_bucket(Bucket=bucket, CreateBucketConfiguration=where)
            s3.put_object(Bucket=bucket, Key=key, Body=b"code")
        yield running


def test_there_are_examples_to_look_at():
    assert sum(len(held_resources(template)) for template in TEMPLATES) > 50


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda t: f"{t.parent.name}-{t.stem}")
def test_all_properties_come_back(aws, template):
    resources = held_resources(template)
    if not resources:
        return
    stack = Stack(aws, f"{template.parent.name}-{template.stem}", resources)
    assert stack.status == "CREATE_COMPLETE", stack.reasons()
    for resource in stack.proved():
        assert resource.not_told == ()
        assert set(resource.equal) >= set(resources[resource.logical_id]["Properties"])
    stack.remove()
