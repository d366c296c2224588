"""Template rules answer, whatever the template: they say something or nothing, and never raise."""

# One resource a line, however long.

from __future__ import annotations

import json
import random
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.growth import LARGER, PROPORTIONAL, growth
from tests.trnkit.rules.judging import judge_template
from tests.trnkit.rules.templates import (
    budget,
    group,
    interface,
    nodes,
    notification,
    recommended,
    rule,
    security_group,
    sns,
    subnet,
    template,
)
from tests.trnkit.rules.test_corpus import SETS as CORPUS_SETS
from tests.trnkit.rules.test_template_rules import ROWS
from trnkit.findings import Finding
from trnkit.rules import list_rules

ROUNDS = 1500
HOSTILE: list[Any] = [
    *(None, 0, -1, 2**70, 1.5, float("nan"), float("inf"), True),
    *("", "x", "-1", "9" * 400, "\ud800"),
    *([], {}, [[]], [None], {"": None}, [{}], {"a": {"b": {"c": []}}}),
    *({"Ref": "AWS::NoValue"}, {"Ref": "Nodes"}, {"Ref": []}, {"Ref": {}}, {"Ref": None}),
    *({"Fn::If": ["c", 1, 2]}, {"Fn::If": []}, {"Fn::GetAtt": "A"}, {"Fn::GetAtt": [[], {}]}),
    *({"Fn::GetAtt": "Nodes.Arn"}, {"Fn::Join": ["", "x"]}, {"Fn::Join": [1, [{}, None]]}),
    *({"Fn::Sub": "${"}, {"Fn::Sub": ["${a}${!b}", {"a": {"Ref": "a"}}]}, {"Fn::Sub": []}),
    *({"Fn::Select": ["0", []]}, {"Fn::Select": [9, {"Fn::GetAZs": ""}]}, {"Fn::Select": 3}),
    *({"Fn::FindInMap": ["a", "b", "c"]}, {"Fn::Base64": {"Fn::Sub": []}}, {"Fn::Base64": None}),
    *({"Fn::ImportValue": {"Fn::Sub": "${x}"}}, {"Fn::Transform": {}, "Key": 1}, {"Condition": 1}),
    *({"Fn::Split": [",", "a"]}, {"Fn::GetStackOutput": 1}, {1: 2}, {"Fn::Cidr": []}),
    *({"Fn::If": ["HasEfa", {"Fn::If": ["IsLarge", 1, []]}, None]}, {"Condition": "HasEfa"}),
    *({"Fn::Equals": [{"Ref": "UseEfa"}, {}]}, {"Fn::And": [[]]}, {"Fn::Not": "x"}),
    *({"Fn::Cidr": ["10.0.0.0/8", 10**9, "9" * 40]}, {"Fn::Length": {}}, {"Fn::ToJsonString": {}}),
    *({"Fn::ForEach::X": ["A", ["b", []], {"${A}": 1}]}, {"Fn::ForEach::X": 1}),
    *({"Fn::GetAtt": ["Network", "Outputs.GroupId"]}, {"Fn::GetAtt": ["Network", {"Ref": "X"}]}),
    *("{{resolve:ssm:x}}", {"Fn::Sub": "${Network.Outputs.GroupId}"}, {"Fn::Sub": "${}"}),
]
SEEDS = [yaml.safe_load(text) for r in list_rules("template") for text in (r.good, r.bad)]
SEEDS += [body for _, _, body, _ in ROWS]
SEEDS += [body for bodies in CORPUS_SETS.values() for body in bodies.values()]
SEEDS += [
    json.loads(path.read_text())
    for path in sorted((Path(__file__).parents[2] / "golden/templates").glob("*/*.json"))
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with every key in it."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        keys = here if isinstance(here, dict) else range(len(here))
        for key in list(keys):
            found.append((here, key))
            if isinstance(here[key], dict | list):
                waiting.append(here[key])
    return found


def spoil(body: Any, chance: random.Random) -> None:
    """Replace, remove or double one value somewhere."""
    possible = places(body)
    if not possible:
        return
    container, key = chance.choice(possible)
    deed = chance.random()
    if deed < 0.7:
        container[key] = deepcopy(chance.choice(HOSTILE))
    elif deed < 0.85:
        del container[key]
    elif isinstance(container, list):
        container.append(deepcopy(container[key]))


def assert_findings(found: tuple[Finding, ...]) -> None:
    for finding in found:
        json.dumps(finding.as_dict())
        assert finding.message


def test_spoiled_templates_are_answered():
    chance = random.Random(20261130)
    for _ in range(ROUNDS):
        body = deepcopy(chance.choice(SEEDS))
        for _ in range(chance.randint(1, 6)):
            spoil(body, chance)
        if isinstance(body, dict):
            assert_findings(judge_template(body, region=chance.choice([None, "ap-south-2"])))


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_a_hostile_value_anywhere_at_the_top_is_answered(value: Any):
    types = {entry["Type"] for body in SEEDS for entry in body["Resources"].values()}
    for kind in sorted(types):
        bodies: list[dict[str, Any]] = [
            {"Resources": {"Nodes": {"Type": kind, "Properties": value}}},
            {"Resources": {"Nodes": {"Type": kind, "Properties": value, "DependsOn": value}}},
        ]
        assert_findings(judge_template(*bodies))
    for body in ({"Resources": value}, {"Resources": {"A": value}}, {"Outputs": value}):
        assert_findings(judge_template(body))


GOLDEN = Path(__file__).parents[2] / "golden/templates"
WRONG: list[Any] = [None, 7, ["x"], {"x": "y"}, True, "x" * 100_000]


@pytest.mark.parametrize("name", ["trn2-pretrain", "dual-stack"])
def test_a_wrong_type_anywhere_is_answered(name: str):
    """Every sixth value of an example's templates in turn, which are others for each example."""
    chance = random.Random(name)
    bodies = [json.loads(path.read_text()) for path in sorted((GOLDEN / name).glob("*.json"))]
    for body in bodies:
        for container, key in places(body["Resources"])[chance.randrange(6) :: 6]:
            right = container[key]
            container[key] = chance.choice(WRONG)
            assert_findings(judge_template(*bodies))
            container[key] = right


@pytest.mark.parametrize("section", ["Parameters", "Conditions", "Mappings", "Rules", "Transform"])
@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_a_hostile_section_is_answered(section: str, value: Any):
    for body in CORPUS_SETS["cluster-with-choices.yaml"], *CORPUS_SETS["nested"].values():
        spoilt = deepcopy(next(iter(body.values())) if "Resources" not in body else body)
        assert_findings(judge_template({**spoilt, section: value}))
        known = spoilt.get(section)
        for key in known if isinstance(known, dict) else ():
            assert_findings(judge_template({**spoilt, section: {**known, key: value}}))


def test_more_choices_than_can_be_tried_are_judged_in_time():
    names = [f"P{number}" for number in range(200)]
    own = {"Fn::GetAtt": ["Sg", "GroupId"]}
    body = template(
        Sg=security_group(),
        **{f"In{n}": {**rule("Ingress", own, own), "Condition": n} for n in names},
        Nodes=nodes({"Ref": "P0"}, [interface(0, 0, "efa", Groups=[own])]),
    )
    body["Parameters"] = {n: {"Type": "String", "AllowedValues": list("abcdef")} for n in names}
    body["Conditions"] = {n: {"Fn::Equals": [{"Ref": n}, "a"]} for n in names}
    begun = time.process_time()
    found = judge_template(body)
    # No choice of the 6 to the power of 200 adds the rule out.
    assert [f.rule_id for f in found if f.message.endswith("itself")] == ["TRN151"]
    # Trying them all would not end while anybody waits.
    assert time.process_time() - begun < 120


def test_conditions_in_a_long_chain_end():
    chain = {f"C{n}": {"Fn::Not": [{"Condition": f"C{n + 1}"}]} for n in range(3000)}
    branch = {"Fn::If": ["C0", "trn1.32xlarge", "trn2.48xlarge"]}
    body = {**template(Nodes=nodes(branch, recommended(16))), "Conditions": chain}
    assert_findings(judge_template(body))


IMPORT = {"Fn::ImportValue": "round"}
OUTPUT = {"Fn::GetStackOutput": {"StackName": "stack-0", "OutputName": "A"}}


@pytest.mark.parametrize("reference", [IMPORT, OUTPUT])
@pytest.mark.parametrize("times", [1, 2])
def test_references_that_go_in_circles_end(reference: dict[str, Any], times: int):
    value = {"Fn::Join": ["", [reference] * times]}
    data = {"LaunchTemplateData": {"InstanceType": reference}}
    circle = {
        "Resources": {"Nodes": {"Type": "AWS::EC2::LaunchTemplate", "Properties": data}},
        "Outputs": {"A": {"Value": value, "Export": {"Name": "round"}}},
    }
    # A stack that imports from itself is told so, and nothing else.
    assert [finding.rule_id for finding in judge_template(circle)] == ["TRN851"]


def test_deep_templates_are_answered():
    deep: Any = "x"
    for _ in range(400):
        deep = {"Fn::Join": ["", [deep]]}
    data = {"InstanceType": "trn1.2xlarge", "UserData": {"Fn::Base64": deep}, "nested": deep}
    nodes = {"Type": "AWS::EC2::LaunchTemplate", "Properties": {"LaunchTemplateData": data}}
    assert_findings(judge_template({"Resources": {"Nodes": nodes}}))


def many(kind: str, number: int) -> dict[str, Any]:
    """Much of what was once compared each with each."""
    resources: dict[str, Any] = {"Vpc": ("AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16"})}
    resources["More"] = (
        "AWS::EC2::VPCCidrBlock",
        {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "100.64.0.0/16"},
    )
    for n in range(number):
        own = {"Fn::GetAtt": [f"Sg{n}", "GroupId"]}
        if kind == "groups":
            resources[f"Sg{n}"] = security_group()
            resources[f"In{n}"] = rule("Ingress", own, own)
            resources[f"Nodes{n}"] = nodes(None, [interface(0, 0, "efa", Groups=[own])])
            resources[f"Subnet{n}"] = subnet(VpcId={"Ref": "Vpc"}, CidrBlock="100.64.0.0/24")
        elif kind == "fleets":
            reserved = {
                "CapacityReservationSpecification": {"CapacityReservationPreference": "none"}
            }
            resources[f"Nodes{n}"] = nodes("trn2.48xlarge", recommended(16), **reserved)
            resources[f"Group{n}"] = group(["subnet-1"])
            resources[f"Group{n}"]["Properties"]["LaunchTemplate"]["LaunchTemplateId"] = {
                "Ref": f"Nodes{n}"
            }
            resources[f"Later{n}"] = (
                "AWS::AutoScaling::ScheduledAction",
                {"AutoScalingGroupName": {"Ref": f"Group{n}"}},
            )
            resources[f"Held{n}"] = (
                "AWS::EC2::CapacityReservation",
                {"InstanceType": "trn1.2xlarge"},
            )
        else:
            resources[f"Topic{n}"] = ("AWS::SNS::Topic", {})
            resources[f"Budget{n}"] = budget(notification(sns({"Ref": f"Topic{n}"})))
            resources[f"Policy{n}"] = (
                "AWS::SNS::TopicPolicy",
                {"Topics": [{"Ref": f"Topic{n}"}], "PolicyDocument": {"Statement": []}},
            )
            resources[f"Heard{n}"] = ("AWS::SNS::Subscription", {"TopicArn": {"Ref": f"Topic{n}"}})
    return template(**resources)


@pytest.mark.parametrize("kind", ["groups", "fleets", "topics"])
def test_large_templates_are_judged_in_time_that_grows_with_their_size(kind: str):
    few, more = many(kind, 100), many(kind, 100 * LARGER)
    assert judge_template(few)
    assert growth(judge_template, small=few, large=more) < PROPORTIONAL
