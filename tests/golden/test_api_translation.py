"""Every resource of every example as the API call it becomes, before botocore's own models."""

from __future__ import annotations

import copy
import re

import pytest

from tests.golden.api_translation import CALLS, problems
from tests.synthesis import EXAMPLES, example_assembly


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
def test_an_unknown_key_would_be_found(kind):
    """But for calls that are put together from parts, which drop what they do not know."""
    policies = ("AWS::SNS::TopicPolicy", "AWS::SQS::QueuePolicy")
    if kind.startswith("AWS::EC2::SecurityGroup") or kind in policies:
        assert CALLS[kind].change
        return
    resources = [
        resource.get("Properties", {})
        for path in EXAMPLES
        for template in example_assembly(path).templates.values()
        for resource in template["Resources"].values()
        if resource["Type"] == kind
    ]
    assert resources, "no example has one"
    found = problems(kind, copy.deepcopy(resources[0]) | {"NoSuchKey": "x"}) or ""
    assert re.search("[Nn]oSuchKey", found)
