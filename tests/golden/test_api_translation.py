"""Every resource of every example as the API call it becomes, before botocore's own models."""

from __future__ import annotations

import copy

import pytest

from tests.golden.api_translation import CALLS, problems


def test_botocore_accepts_every_resource(assembly):
    found = [
        problem
        for template in assembly.templates.values()
        for resource in template["Resources"].values()
        if (problem := problems(resource["Type"], resource.get("Properties", {})))
    ]
    assert found == []


def test_every_type_of_the_examples_is_translated(assembly):
    kinds = {r["Type"] for t in assembly.templates.values() for r in t["Resources"].values()}
    assert kinds <= set(CALLS), "add the type to CALLS"


@pytest.mark.parametrize("kind", CALLS)
def test_an_unknown_key_would_be_found(kind, default_assembly):
    for template in default_assembly.templates.values():
        for resource in template["Resources"].values():
            if resource["Type"] == kind:
                spoilt = copy.deepcopy(resource.get("Properties", {}))
                spoilt["NoSuchKey"] = "x"
                changed_away = kind.startswith("AWS::EC2::SecurityGroup") or "Policy" in kind
                assert changed_away or "NoSuchKey" in (problems(kind, spoilt) or "")
